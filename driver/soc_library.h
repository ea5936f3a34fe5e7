/* Finding and loading the shared library of a RISC-V system (driver/soc_model.h). */
#ifndef WEFT_DRIVER_SOC_LIBRARY_H
#define WEFT_DRIVER_SOC_LIBRARY_H

#include "driver/soc_model.h"
#include "isa/config.h"

struct weft_soc_library {
    const struct weft_soc_interface *interface;
    void *handle; /* of dlopen */
};

/* The CPUs that there are systems with; ended by NULL. */
extern const char *const weft_soc_cpus[];

/* Loads weft_soc_CPU_NAME.so, NAME being that of the configuration, from where the RTL's libraries
 * are (driver/shared_library.h). On success release it with weft_soc_unload(). Errors: WEFT_TARGET
 * (no such CPU; not built: the message says how to build it; or not loadable), WEFT_FINGERPRINT
 * (built for a configuration that has this name and other parameters). */
bool weft_soc_load(const char *cpu, const struct weft_config *config,
                   struct weft_soc_library *library, struct weft_error *error);

/* No run of it may be going on. */
void weft_soc_unload(struct weft_soc_library *library);

#endif
