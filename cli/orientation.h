/* How a picture has to be turned to stand upright. */
#ifndef WEFT_CLI_ORIENTATION_H
#define WEFT_CLI_ORIENTATION_H

#include <stddef.h>
#include <stdint.h>

/* The EXIF orientation of a JPEG, 1 to 8; 1, upright, of every other file, and where it is missing
 * or damaged. */
int jpeg_orientation(const uint8_t *file, size_t length);

#endif
