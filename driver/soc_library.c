#include "driver/soc_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/shared_library.h"

const char *const weft_soc_cpus[] = {"picorv32", "vexriscv", NULL};

enum {
    CPU_NAME = 16, /* bytes of the longest one */
};

static bool check_cpu(const char *cpu, struct weft_error *error) {
    for (size_t i = 0; weft_soc_cpus[i] != NULL; i++) {
        if (strcmp(weft_soc_cpus[i], cpu) == 0) {
            return true;
        }
    }
    return weft_fail(error, WEFT_TARGET, 0,
                     "there is no system with a CPU '%.40s', expected picorv32 or vexriscv", cpu);
}

static bool not_built(const char *cpu, const struct weft_config *config, const char *path,
                      struct weft_error *error) {
    return weft_fail(error, WEFT_TARGET, 0,
                     "the RTL of %s with configuration %s is not built (no file %.200s); "
                     "scripts/setup system and then scripts/build --soc %s build it",
                     cpu, config->name, path, config->name);
}

bool weft_soc_load(const char *cpu, const struct weft_config *config,
                   struct weft_soc_library *library, struct weft_error *error) {
    char path[WEFT_SHARED_LIBRARY_PATH];
    char name[CPU_NAME + sizeof config->name];
    void *handle = NULL;
    weft_shared_library_function *function = NULL;
    if (!check_cpu(cpu, error)) {
        return false;
    }
    (void)snprintf(name, sizeof name, "%s_%s", cpu, config->name);
    if (!weft_shared_library_path("weft_soc", name, path, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        return not_built(cpu, config, path, error);
    }
    if (!weft_shared_library_open(path, "a RISC-V system", WEFT_SOC_SYMBOL, &handle, &function,
                                  error)) {
        return false;
    }
    const struct weft_soc_interface *interface = ((weft_soc_interface_function *)function)();
    const struct weft_shared_library_claim claim = {interface->version, interface->fingerprint};
    if (!weft_shared_library_check(path, &claim, WEFT_SOC_VERSION, config, error)) {
        (void)dlclose(handle);
        return false;
    }
    *library = (struct weft_soc_library){interface, handle};
    return true;
}

void weft_soc_unload(struct weft_soc_library *library) {
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
    }
    *library = (struct weft_soc_library){0};
}
