#include "driver/shared_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static bool too_long(const char *name, struct weft_error *error) {
    return weft_fail(error, WEFT_TARGET, 0, "the path of %.100s is too long", name);
}

bool weft_path_beside(const char *folder, const char *name, char path[WEFT_SHARED_LIBRARY_PATH],
                      struct weft_error *error) {
    char executable[WEFT_SHARED_LIBRARY_PATH];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (length <= 0) {
        return weft_fail(error, WEFT_TARGET, 0, "cannot find where this program lies, nor %.100s",
                         name);
    }
    executable[length] = '\0';
    for (unsigned level = 0; level < 2; level++) {
        char *slash = strrchr(executable, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
    }
    int bytes = snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%s/%s/%s", executable, folder, name);
    return bytes < WEFT_SHARED_LIBRARY_PATH || too_long(name, error);
}

bool weft_shared_library_path(const char *prefix, const char *name,
                              char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    char file[256];
    const char *chosen = getenv("WEFT_RTL_PATH");
    if (snprintf(file, sizeof file, "%s_%s.so", prefix, name) >= (int)sizeof file) {
        return too_long(name, error);
    }
    if (chosen == NULL) {
        return weft_path_beside("lib", file, path, error);
    }
    int bytes = snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%s/%s", chosen, file);
    return bytes < WEFT_SHARED_LIBRARY_PATH || too_long(file, error);
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

bool weft_shared_library_check_version(const char *path, uint32_t version, uint32_t expected,
                                       struct weft_error *error) {
    return version == expected || weft_fail(error, WEFT_TARGET, version,
                                            "%.200s has version %" PRIu32
                                            " of the interface, expected %" PRIu32 ": build again",
                                            path, version, expected);
}

bool weft_shared_library_check(const char *path, const struct weft_shared_library_claim *claim,
                               uint32_t version, const struct weft_config *config,
                               struct weft_error *error) {
    if (!weft_shared_library_check_version(path, claim->version, version, error)) {
        return false;
    }
    uint64_t fingerprint = weft_config_fingerprint(config);
    return claim->fingerprint == fingerprint ||
           weft_fail(error, WEFT_FINGERPRINT, 0,
                     "%.200s is the RTL of another configuration %s (fingerprint %016" PRIx64
                     ", expected %016" PRIx64 ")",
                     path, config->name, claim->fingerprint, fingerprint);
}
