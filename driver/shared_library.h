/* Finding what Weft has beside itself, and loading what of it is a shared library: the RTL, systems
 * with it. */
#ifndef WEFT_DRIVER_SHARED_LIBRARY_H
#define WEFT_DRIVER_SHARED_LIBRARY_H

#include <stdbool.h>

#include "base/error.h"

enum {
    WEFT_SHARED_LIBRARY_PATH = 4096 /* bytes of a path */
};

/* The path of FOLDER/NAME, FOLDER being one beside the executable's folder: build/bin/weft finds
 * build/lib. Error: WEFT_TARGET. */
bool weft_path_beside(const char *folder, const char *name, char path[WEFT_SHARED_LIBRARY_PATH],
                      struct weft_error *error);

/* The path of a file called PREFIX_NAME.so: in the folder that the environment variable
 * WEFT_RTL_PATH names, else in ../lib beside the executable's folder. Error: WEFT_TARGET. */
bool weft_shared_library_path(const char *prefix, const char *name,
                              char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error);

typedef void weft_shared_library_function(void);

/* Loads a library that has a function of this name. On success *handle is dlclose()'s, and the
 * function is to be converted to its own type. `what` names the library in messages. Errors:
 * WEFT_TARGET, WEFT_OUT_OF_MEMORY. */
bool weft_shared_library_open(const char *path, const char *what, const char *symbol, void **handle,
                              weft_shared_library_function **function, struct weft_error *error);

#endif
