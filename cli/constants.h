/* Constants that a graph in text form has in .npy files. */
#ifndef WEFT_CLI_CONSTANTS_H
#define WEFT_CLI_CONSTANTS_H

#include "cli/arguments.h"
#include "compiler/ir/ir.h"

/* The folder of a text, below which its constants are. */
struct constant_folder {
    const char *text; /* the path of the text */
    const struct given *given;
    struct weft_constant_reader reader;
};

/* Reads one of the text `context`, a path; as constant_folder_of() does, for no command. */
weft_constant_read constant_read;

/* A reader of .npy files in the folder of the text `path` (of standard input: the current one), and
 * in folders in it. Links that lead out of it, absolute paths and `..` are refused (WEFT_ARGUMENT),
 * and files that the command given writes. `folder`, `path` and `given` must live as long as the
 * reader is used. */
const struct weft_constant_reader *constant_folder_of(const char *path, const struct given *given,
                                                      struct constant_folder *folder);

#endif
