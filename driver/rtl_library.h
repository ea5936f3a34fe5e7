/* Finding and loading the shared library of a configuration's RTL (driver/rtl_model.h). */
#ifndef WEFT_DRIVER_RTL_LIBRARY_H
#define WEFT_DRIVER_RTL_LIBRARY_H

#include "driver/rtl_model.h"

struct weft_rtl_library {
    const struct weft_rtl_interface *interface;
    void *handle; /* of dlopen */
};

/* Loads weft_rtl_NAME.so, NAME being that of the configuration, or weft_rtl_NAME_wave.so for
 * waveforms, from the folder in the environment variable WEFT_RTL_PATH, else from where
 * weft_path_find() has it. On success release it with weft_rtl_unload(). Errors: WEFT_TARGET (not
 * built: the message says how to build it; or not loadable), WEFT_FINGERPRINT (built for a
 * configuration that has this name and other parameters). */
bool weft_rtl_load(const struct weft_config *config, bool wave, struct weft_rtl_library *library,
                   struct weft_error *error);

/* Can the library run with such a memory? Error: WEFT_TARGET. */
bool weft_rtl_takes_memory(const struct weft_rtl_interface *interface,
                           const struct weft_memory_settings *memory, struct weft_error *error);

/* No machine of it may be left. */
void weft_rtl_unload(struct weft_rtl_library *library);

#endif
