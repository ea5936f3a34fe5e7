#include "driver/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder above that of the executable. */
static bool home_folder(const char *variable, const char *what, char folder[BESIDE_PATH_BYTES],
                        struct weft_error *error) {
    ssize_t length = readlink("/proc/self/exe", folder, BESIDE_PATH_BYTES - 1);
    if (length <= 0) {
        return weft_fail(error, WEFT_TARGET, 0, "cannot find the folder of %s; set %s", what,
                         variable);
    }
    folder[length] = '\0';
    for (unsigned level = 0; level < 2; level++) {
        char *slash = strrchr(folder, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
    }
    return true;
}

bool beside_path(const char *variable, const char *folder, const char *file, const char *what,
                 char path[BESIDE_PATH_BYTES], struct weft_error *error) {
    char home[BESIDE_PATH_BYTES];
    const char *chosen = getenv(variable);
    if (chosen == NULL && !home_folder(variable, what, home, error)) {
        return false;
    }
    int length = chosen != NULL ? snprintf(path, BESIDE_PATH_BYTES, "%s/%s", chosen, file)
                                : snprintf(path, BESIDE_PATH_BYTES, "%s/%s/%s", home, folder, file);
    return length < BESIDE_PATH_BYTES ||
           weft_fail(error, WEFT_TARGET, 0, "the path of %s is too long", what);
}
