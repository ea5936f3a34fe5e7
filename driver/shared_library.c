#include "driver/shared_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* ../lib beside the folder of the executable. */
static bool library_folder(char folder[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    ssize_t length = readlink("/proc/self/exe", folder, WEFT_SHARED_LIBRARY_PATH - 1);
    if (length <= 0) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "cannot find the folder of the RTL; set WEFT_RTL_PATH");
    }
    folder[length] = '\0';
    for (unsigned level = 0; level < 2; level++) {
        char *slash = strrchr(folder, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
    }
    strncat(folder, "/lib", WEFT_SHARED_LIBRARY_PATH - strlen(folder) - 1);
    return true;
}

bool weft_shared_library_path(const char *prefix, const char *name,
                              char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    char folder[WEFT_SHARED_LIBRARY_PATH];
    const char *chosen = getenv("WEFT_RTL_PATH");
    if (chosen == NULL && !library_folder(folder, error)) {
        return false;
    }
    int length = snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%s/%s_%s.so",
                          chosen == NULL ? folder : chosen, prefix, name);
    return length < WEFT_SHARED_LIBRARY_PATH ||
           weft_fail(error, WEFT_TARGET, 0, "the path of library %s_%.100s.so is too long", prefix,
                     name);
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX has. */
static weft_shared_library_function *find_function(void *handle, const char *name) {
    void *symbol = dlsym(handle, name);
    weft_shared_library_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

bool weft_shared_library_open(const char *path, const char *what, const char *symbol, void **handle,
                              weft_shared_library_function **function, struct weft_error *error) {
    errno = 0;
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool no_memory = *handle == NULL && errno == ENOMEM;
    *function = *handle == NULL ? NULL : find_function(*handle, symbol);
    if (*function != NULL) {
        return true;
    }
    const char *reason = dlerror();
    if (no_memory) {
        return weft_no_memory(error, what);
    }
    weft_fail(error, WEFT_TARGET, 0, "%.200s is no library of %s: %.200s", path, what,
              reason == NULL ? "no reason is known" : reason);
    if (*handle != NULL) {
        (void)dlclose(*handle);
    }
    return false;
}
