/* NumPy's .npz files: zip files of .npy files, stored or deflated. */
#ifndef WEFT_CLI_NPZ_H
#define WEFT_CLI_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    NPZ_MOST_ARRAYS = 1024,
    NPZ_NAME = 64, /* bytes of a name, with the NUL; longer ones are cut */
};

struct npz_array {
    char name[NPZ_NAME]; /* without .npy */
    bool is_deflated;
    uint32_t checksum;
    size_t at, stored, raw; /* first byte in the file, bytes there, bytes of the .npy file */
};

struct npz {
    const uint8_t *bytes; /* of the file, which must outlive this */
    size_t length;
    size_t count;
    struct npz_array arrays[NPZ_MOST_ARRAYS];
};

/* Do the bytes begin like a zip file? */
bool npz_is(const uint8_t *bytes, size_t length);

/* Reads what the file holds. Error: WEFT_NPY, position = byte. */
bool npz_open(const uint8_t *bytes, size_t length, struct npz *npz, struct weft_error *error);

/* The array of this name, or NULL. */
const struct npz_array *npz_find(const struct npz *npz, const char *name);

/* The bytes of the .npy file of an array, at most `limit`; freed by the caller. Errors: WEFT_NPY,
 * WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool npz_read(const struct npz *npz, const struct npz_array *array, uint64_t limit, uint8_t **bytes,
              struct weft_error *error);

#endif
