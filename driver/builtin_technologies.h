/* The files of hw/technology, built into the program. */
#ifndef WEFT_DRIVER_BUILTIN_TECHNOLOGIES_H
#define WEFT_DRIVER_BUILTIN_TECHNOLOGIES_H

#include <stddef.h>

/* Lists are ended by a NULL name. */
struct weft_builtin_technology {
    const char *name;
    const unsigned char *text; /* JSON */
    size_t length;
};
extern const struct weft_builtin_technology weft_builtin_technologies[]; /* energy */
extern const struct weft_builtin_technology weft_builtin_areas[];        /* hw/technology/area */

#endif
