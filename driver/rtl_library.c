#include "driver/rtl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "driver/beside.h"

static bool library_path(const struct weft_config *config, bool wave, char path[BESIDE_PATH_BYTES],
                         struct weft_error *error) {
    char file[sizeof config->name + 32];
    (void)snprintf(file, sizeof file, "weft_rtl_%s%s.so", config->name, wave ? "_wave" : "");
    return beside_path("WEFT_RTL_PATH", "lib", file, "the RTL's library", path, error);
}

static bool check_interface(const struct weft_config *config, const char *path,
                            const struct weft_rtl_interface *interface, struct weft_error *error) {
    if (interface->version != WEFT_RTL_VERSION) {
        return weft_fail(error, WEFT_TARGET, interface->version,
                         "%.200s has version %" PRIu32
                         " of the interface, expected %d: build again",
                         path, interface->version, WEFT_RTL_VERSION);
    }
    uint64_t fingerprint = weft_config_fingerprint(config);
    return interface->fingerprint == fingerprint ||
           weft_fail(error, WEFT_FINGERPRINT, 0,
                     "%.200s is the RTL of another configuration %s (fingerprint %016" PRIx64
                     ", expected %016" PRIx64 ")",
                     path, config->name, interface->fingerprint, fingerprint);
}

/* ISO C has no conversion from an object pointer to a function pointer; POSIX has. */
static weft_rtl_interface_function *find_function(void *handle) {
    void *symbol = dlsym(handle, WEFT_RTL_SYMBOL);
    weft_rtl_interface_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* Says what builds it: the source of a configuration of one's own must be in hw/configs. */
static bool not_built(const struct weft_config *config, bool wave, const char *path,
                      struct weft_error *error) {
    char first[100] = "";
    if (weft_config_builtin(config->name) == NULL) {
        (void)snprintf(first, sizeof first, "put the configuration into hw/configs/%s.json; then ",
                       config->name);
    }
    return weft_fail(error, WEFT_TARGET, 0,
                     "the RTL of configuration %s is not built%s (no file %.200s); "
                     "%sscripts/build --%s %s builds it",
                     config->name, wave ? " with waveforms" : "", path, first,
                     wave ? "wave" : "rtl", config->name);
}

bool weft_rtl_load(const struct weft_config *config, bool wave, struct weft_rtl_library *library,
                   struct weft_error *error) {
    char path[BESIDE_PATH_BYTES];
    if (!library_path(config, wave, path, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        return not_built(config, wave, path, error);
    }
    errno = 0;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool no_memory = handle == NULL && errno == ENOMEM;
    weft_rtl_interface_function *function = handle == NULL ? NULL : find_function(handle);
    if (function == NULL) {
        const char *reason = dlerror();
        if (no_memory) {
            return weft_no_memory(error, "loading the RTL");
        }
        weft_fail(error, WEFT_TARGET, 0, "%.200s is no library of the RTL: %.200s", path,
                  reason == NULL ? "no reason is known" : reason);
        if (handle != NULL) {
            (void)dlclose(handle);
        }
        return false;
    }
    if (!check_interface(config, path, function(), error)) {
        (void)dlclose(handle);
        return false;
    }
    *library = (struct weft_rtl_library){function(), handle};
    return true;
}

void weft_rtl_unload(struct weft_rtl_library *library) {
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
    }
    *library = (struct weft_rtl_library){0};
}
