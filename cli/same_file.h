/* No command writes what it reads, or one file twice. */
#ifndef WEFT_CLI_SAME_FILE_H
#define WEFT_CLI_SAME_FILE_H

#include "base/error.h"
#include "cli/arguments.h"

/* Whether every file that is written is another one than those that are read or written, by
 * whatever name or link. Devices and pipes may be named again. False after a message. */
bool check_files(const struct given *given);

/* The same for a file that the model names, as struct weft_import_options asks; `given` is a struct
 * given. Error: WEFT_ARGUMENT. */
bool check_beside(const void *given, const char *path, struct weft_error *error);

/* Do two paths name one file or folder that is there, or where one would be? */
bool is_same_file(const char *a, const char *b);

/* Is standard output given as a file that the command writes? */
bool writes_output(const struct given *given);

#endif
