/* Finding what Weft has beside itself, and loading what of it is a shared library: the RTL, systems
 * with it, plugins. */
#ifndef WEFT_DRIVER_SHARED_LIBRARY_H
#define WEFT_DRIVER_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/config.h"

enum {
    WEFT_SHARED_LIBRARY_PATH = 4096 /* bytes of a path */
};

/* The path of a file that belongs to Weft: of a build, or of where it is installed, whichever the
 * program, or the shared library, with this function in it is of. Where there is no such file, the
 * path where a build would have it. Error: WEFT_TARGET. */
bool weft_path_find(const char *name, char path[WEFT_SHARED_LIBRARY_PATH],
                    struct weft_error *error);

/* The path of a file called PREFIX_NAME.so: in the folder that the environment variable
 * WEFT_RTL_PATH names, else as weft_path_find() has it. Error: WEFT_TARGET. */
bool weft_shared_library_path(const char *prefix, const char *name,
                              char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error);

typedef void weft_shared_library_function(void);

/* Loads a library that has a function of this name. On success *handle is dlclose()'s, and the
 * function is to be converted to its own type. `what` names the library in messages. Errors:
 * WEFT_TARGET, WEFT_OUT_OF_MEMORY. */
bool weft_shared_library_open(const char *path, const char *what, const char *symbol, void **handle,
                              weft_shared_library_function **function, struct weft_error *error);

/* Has the library at `path` the version of its interface that is expected? Error: WEFT_TARGET,
 * position: the library's. */
bool weft_shared_library_check_version(const char *path, uint32_t version, uint32_t expected,
                                       struct weft_error *error);

/* What a library says of itself. */
struct weft_shared_library_claim {
    uint32_t version;     /* of its interface */
    uint64_t fingerprint; /* of the configuration that it was built for */
};

/* Is the library at `path` of the version that is expected, and for this configuration? Errors:
 * WEFT_TARGET (version; position: the library's), WEFT_FINGERPRINT. */
bool weft_shared_library_check(const char *path, const struct weft_shared_library_claim *claim,
                               uint32_t version, const struct weft_config *config,
                               struct weft_error *error);

#endif
