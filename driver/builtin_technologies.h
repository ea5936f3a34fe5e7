/* The files of hw/technology, built into the program. */
#ifndef WEFT_DRIVER_BUILTIN_TECHNOLOGIES_H
#define WEFT_DRIVER_BUILTIN_TECHNOLOGIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Lists are ended by a NULL name. */
struct weft_builtin_technology {
    const char *name;
    const unsigned char *text; /* JSON */
    size_t length;
};
extern const struct weft_builtin_technology weft_builtin_technologies[]; /* energy */
extern const struct weft_builtin_technology weft_builtin_areas[];        /* hw/technology/area */

/* The one of a list with this name; NULL: there is none. */
const struct weft_builtin_technology *weft_builtin_find(const struct weft_builtin_technology *list,
                                                        const char *name);

/* What figures of a technology or a target are labelled with: its name; of one that is not built in
 * also the first digits of the fingerprint of what it says, since files of one name can differ. */
void weft_label(char *label, size_t size, const char *name, uint64_t fingerprint);

/* Fails: a file has the name of one that is built in, with which it would be mistaken. Error:
 * WEFT_TECHNOLOGY. */
bool weft_builtin_taken(const char *name, struct weft_error *error);

#endif
