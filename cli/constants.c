#include "cli/constants.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/same_file.h"
#include "cli/streams.h"

/* Is it a path downwards: not absolute, without `..`? */
static bool leads_down(const char *path) {
    bool down = path[0] != '/' && path[0] != '\0';
    for (const char *at = path; down && at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        down = strncmp(at, "..", 2) != 0 || (at[2] != '/' && at[2] != '\0');
    }
    return down;
}

/* Does the file lie in the folder, whatever links there are? */
static bool lies_in(const char *folder, const char *file, struct weft_error *error) {
    char outer[PATH_MAX];
    char inner[PATH_MAX];
    if (realpath(folder, outer) == NULL || realpath(file, inner) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "%s", strerror(errno));
    }
    size_t length = strlen(outer);
    length -= length == 1; /* of "/" */
    return (strncmp(outer, inner, length) == 0 && inner[length] == '/') ||
           weft_fail(error, WEFT_ARGUMENT, 0, "leads out of the folder of the text");
}

static bool read_constant(void *context, const char *path, const struct weft_type *type,
                          uint8_t *bytes, struct weft_error *error) {
    const struct constant_folder *folder = context;
    const char *slash = is_stream(folder->text) ? NULL : strrchr(folder->text, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - folder->text);
    char outer[PATH_MAX] = "./"; /* so that "-" is a file like any other */
    char file[PATH_MAX];
    uint8_t *elements = NULL;
    if (!leads_down(path)) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "expected a path below the folder of the text");
    }
    if (length + strlen("./") + strlen(path) >= sizeof file) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "the path is too long");
    }
    if (length > 0) {
        (void)snprintf(outer, sizeof outer, "%.*s", (int)length, folder->text);
    }
    (void)snprintf(file, sizeof file, "%s%s", outer, path);
    if (!lies_in(outer, file, error) ||
        (folder->given != NULL && !check_beside(folder->given, file, error)) ||
        !npy_read(file, type, &elements, error)) {
        return false;
    }
    memcpy(bytes, elements, weft_type_bytes(type));
    free(elements);
    return true;
}

bool constant_read(void *context, const char *path, const struct weft_type *type, uint8_t *bytes,
                   struct weft_error *error) {
    struct constant_folder folder = {.text = context};
    return read_constant(&folder, path, type, bytes, error);
}

const struct weft_constant_reader *constant_folder_of(const char *path, const struct given *given,
                                                      struct constant_folder *folder) {
    folder->text = path;
    folder->given = given;
    folder->reader = (struct weft_constant_reader){read_constant, folder};
    return &folder->reader;
}
