/* The options of custom operators: a FlexBuffer whose root is a map of names to numbers. */
#ifndef WEFT_COMPILER_IMPORT_FLEXBUFFER_H
#define WEFT_COMPILER_IMPORT_FLEXBUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct flexbuffer {
    const uint8_t *data;
    uint32_t length;
};

/* The number (an integer, a float or a boolean) of this name; false when there is none or the
 * buffer is damaged. Nothing outside of the buffer is read. */
bool flexbuffer_number(const struct flexbuffer *buffer, const char *name, double *number);

#endif
