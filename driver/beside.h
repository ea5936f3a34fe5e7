/* Files that come with the executable: libraries that it loads, programs that it starts. */
#ifndef WEFT_DRIVER_BESIDE_H
#define WEFT_DRIVER_BESIDE_H

#include "base/error.h"

enum {
    BESIDE_PATH_BYTES = 4096,
};

/* The path of a file: in the folder that the environment variable names, else in `folder` ("lib")
 * beside the executable's own. It need not exist. `what` is what the file is, for errors:
 * WEFT_TARGET (the folder is not known, or the path is too long). */
bool beside_path(const char *variable, const char *folder, const char *file, const char *what,
                 char path[BESIDE_PATH_BYTES], struct weft_error *error);

#endif
