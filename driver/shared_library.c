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

/* The path of the file that this code was loaded from: a program, or the library that it is part
 * of. Lines of maps: START-END RIGHTS OFFSET DEVICE INODE PATH. */
static bool find_own_file(char path[WEFT_SHARED_LIBRARY_PATH]) {
    uintptr_t own = (uintptr_t)&too_long;
    char line[WEFT_SHARED_LIBRARY_PATH + 128];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        uint64_t start = 0;
        uint64_t end = 0;
        const char *slash = strchr(line, '/');
        found = sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && start <= own &&
                own < end && slash != NULL;
        if (found) {
            line[strcspn(line, "\n")] = '\0';
            (void)snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%s", slash);
        }
    }
    if (maps != NULL) {
        (void)fclose(maps);
    }
    return found;
}

/* Cuts the last part of a path off. */
static void cut(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

/* In a build bin/weft and lib/libweft.so have lib and firmware beside them. Installed, what belongs
 * to Weft alone lies in a folder of its own beside the libraries. */
bool weft_path_find(const char *name, char path[WEFT_SHARED_LIBRARY_PATH],
                    struct weft_error *error) {
    static const struct {
        bool is_above; /* in the folder above that of this code */
        const char *folder;
    } places[] = {{true, WEFT_LIBDIR "/weft"}, {false, "weft"}, {true, "firmware"}, {true, "lib"}};
    char own[WEFT_SHARED_LIBRARY_PATH];
    char above[WEFT_SHARED_LIBRARY_PATH];
    errno = 0;
    if (!find_own_file(own)) {
        return errno == ENOMEM ? weft_no_memory(error, "the list of loaded files")
                               : weft_fail(error, WEFT_TARGET, 0,
                                           "cannot find where this program lies, nor %.100s", name);
    }
    cut(own);
    (void)snprintf(above, sizeof above, "%s", own);
    cut(above);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int bytes = snprintf(path, WEFT_SHARED_LIBRARY_PATH, "%s/%s/%s",
                             places[i].is_above ? above : own, places[i].folder, name);
        if (bytes >= WEFT_SHARED_LIBRARY_PATH) {
            return too_long(name, error);
        }
        if (access(path, F_OK) == 0) {
            break;
        }
    }
    return true;
}

bool weft_shared_library_path(const char *prefix, const char *name,
                              char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    char file[256];
    const char *chosen = getenv("WEFT_RTL_PATH");
    if (snprintf(file, sizeof file, "%s_%s.so", prefix, name) >= (int)sizeof file) {
        return too_long(name, error);
    }
    if (chosen == NULL) {
        return weft_path_find(file, path, error);
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
    weft_error_set(error, WEFT_TARGET, 0, "%.200s is no library of %s: %.200s", path, what,
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
