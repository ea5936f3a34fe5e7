/* A program on a server: its instructions and its constants, one after the other, as a file without
 * a name that processes can share. */
#ifndef WEFT_DRIVER_REMOTE_IMAGE_H
#define WEFT_DRIVER_REMOTE_IMAGE_H

#include <stddef.h>

#include "base/error.h"
#include "base/sha256.h"

struct image {
    int file; /* -1: there is none */
    uint8_t *bytes;
    size_t length;
};

#define IMAGE_NONE ((struct image){.file = -1})

/* An image of `length` > 0 zeros. Error: WEFT_OUT_OF_MEMORY. */
bool image_create(size_t length, struct image *image, struct weft_error *error);

/* Nobody can change the file from now on; what is written to `bytes` stays in this process. Error:
 * WEFT_OUT_OF_MEMORY; the image is empty then. */
bool image_seal(struct image *image, struct weft_error *error);

/* Is the file one that was sealed, of this length? */
bool image_is_sealed(int file, size_t length);

/* Takes over a file that was sealed, also when it fails. Errors: WEFT_INTERNAL (it was not),
 * WEFT_OUT_OF_MEMORY. */
bool image_open(int file, size_t length, struct image *image, struct weft_error *error);

/* Is it what the hash says? */
bool image_matches(const struct image *image, const uint8_t hash[WEFT_SHA256_BYTES]);

void image_free(struct image *image);

#endif
