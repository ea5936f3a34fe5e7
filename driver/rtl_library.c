#include "driver/rtl_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "driver/shared_library.h"

static bool library_path(const struct weft_config *config, bool wave,
                         char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    char name[sizeof config->name + sizeof "_wave"];
    (void)snprintf(name, sizeof name, "%s%s", config->name, wave ? "_wave" : "");
    return weft_shared_library_path("weft_rtl", name, path, error);
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
    char path[WEFT_SHARED_LIBRARY_PATH];
    void *handle = NULL;
    weft_shared_library_function *function = NULL;
    if (!library_path(config, wave, path, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        return not_built(config, wave, path, error);
    }
    if (!weft_shared_library_open(path, "the RTL", WEFT_RTL_SYMBOL, &handle, &function, error)) {
        return false;
    }
    const struct weft_rtl_interface *interface = ((weft_rtl_interface_function *)function)();
    const struct weft_shared_library_claim claim = {interface->version, interface->fingerprint};
    if (!weft_shared_library_check(path, &claim, WEFT_RTL_VERSION, config, error)) {
        (void)dlclose(handle);
        return false;
    }
    *library = (struct weft_rtl_library){interface, handle};
    return true;
}

bool weft_rtl_takes_memory(const struct weft_rtl_interface *interface,
                           const struct weft_memory_settings *memory, struct weft_error *error) {
    return memory->dram == WEFT_DRAM_NONE || interface->has_dram ||
           weft_fail(error, WEFT_TARGET, 0, "this bench of the RTL of %s has no DRAM",
                     interface->config_name);
}

void weft_rtl_unload(struct weft_rtl_library *library) {
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
    }
    *library = (struct weft_rtl_library){0};
}
