/* Plugins (compiler/plugin.h): loading and registering them, before anything is compiled or read.
 *
 *     struct weft_plugins *plugins = NULL;
 *     weft_plugins_load(&plugins, "./mine.so", &error);
 *     weft_plugins_use(plugins, &options);
 *     weft_compile(..., &options, &module, &error);
 *     weft_module_free(module);
 *     weft_plugins_free(plugins);
 */
#ifndef WEFT_DRIVER_PLUGINS_H
#define WEFT_DRIVER_PLUGINS_H

#include "compiler/module.h"

/* Plugins in the order in which they were registered. */
struct weft_plugins;

/* Loads a shared library and registers what it brings; a path without a slash is a file of the
 * current folder, no library of the system. *plugins is NULL for the first one, and made then. A
 * program that was linked with libweft.a must show its names
 * (-Wl,--export-dynamic-symbol='weft_*'). Errors: WEFT_PLUGIN when there is no such library, it has
 * no function `weft_plugin`, was built for another version of the interface or with other headers,
 * brings what is not well formed, or a name of a plugin that is there; those of its open();
 * WEFT_OUT_OF_MEMORY. Nothing of it is registered then. */
bool weft_plugins_load(struct weft_plugins **plugins, const char *path, struct weft_error *error);

/* The same for a function of this program. */
bool weft_plugins_add(struct weft_plugins **plugins, weft_plugin_function *function,
                      struct weft_error *error);

/* Sets passes and targets of the options to those of the plugins; NULL: there are none. They stay
 * until the next one is registered. */
void weft_plugins_use(const struct weft_plugins *plugins, struct weft_compile_options *options);

/* The same for reading .weft files. */
void weft_plugins_use_to_read(const struct weft_plugins *plugins,
                              struct weft_read_options *options);

/* Unloads them; no module that was made with them may be left. NULL is allowed. */
void weft_plugins_free(struct weft_plugins *plugins);

#endif
