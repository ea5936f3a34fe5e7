/* The memory of a RISC-V system that runs a model with the generic firmware image: what the host
 * puts into RAM, and what it finds there afterwards (firmware/boot.h). Virtual platforms and RTL
 * systems start from the same bytes.
 *
 *     weft_system_image_make(&setup, &image, &error);
 *     weft_system_image_set_input(&image, 0, bytes, length, &error);
 *     ... run from WEFT_SYSTEM_RAM on until a word is written to the test finisher ...
 *     weft_system_image_check(&image, finish, &error);
 *     weft_system_image_output(&image, 0, &bytes, &length, &error);
 *     weft_system_image_free(&image);
 */
#ifndef WEFT_DRIVER_SYSTEM_IMAGE_H
#define WEFT_DRIVER_SYSTEM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "firmware/boot.h"

/* Bytes of RAM that a system has, unless a model needs more. */
#define WEFT_SYSTEM_RAM_BYTES (UINT64_C(64) << 20)

struct weft_system_setup {
    const void *image; /* the firmware as it lies from WEFT_BOOT_IMAGE on */
    size_t image_bytes;
    const void *blob; /* a model of weft export --blob */
    size_t blob_bytes;
    bool interrupt; /* the processor has machine mode, and waits for interrupts */
    uint32_t runs;  /* how often the model runs, each time with the same inputs; at least 1 */
    /* Cycles of the processor for each program of the machine, and the machine's own watchdog in
     * multiples of the program's bound; 0: none. */
    uint64_t patience;
    uint32_t watchdog_factor;
};

struct weft_system_image {
    uint8_t *ram;          /* owned; at WEFT_SYSTEM_RAM, a multiple of 1024 as an address */
    uint64_t ram_bytes;    /* WEFT_SYSTEM_RAM_BYTES or more, a multiple of 1024 */
    struct weft_boot boot; /* as the host wrote it */
};

/* Errors: WEFT_ARGUMENT (runs), WEFT_LIMIT (the firmware is larger than its place, the system would
 * need 2^31 bytes), WEFT_CONTAINER (the blob is none), WEFT_OUT_OF_MEMORY. On success release it
 * with weft_system_image_free(). */
bool weft_system_image_make(const struct weft_system_setup *setup, struct weft_system_image *image,
                            struct weft_error *error);

/* Nothing to release is no error. */
void weft_system_image_free(struct weft_system_image *image);

/* Copies an input: elements in row-major order, little-endian. Errors: WEFT_ARGUMENT (no such
 * input), WEFT_TENSOR
 * (`length` is not that of the tensor). */
bool weft_system_image_set_input(struct weft_system_image *image, size_t index, const void *bytes,
                                 size_t length, struct weft_error *error);

/* What the firmware left of the boot block: what it says is to be looked at, its ranges are the
 * image's. */
struct weft_boot weft_system_image_boot(const struct weft_system_image *image);

/* Whether the firmware did everything: `finish` is the word that it wrote to the test finisher.
 * Errors: WEFT_FAULT (the message says what the firmware's status means, and where it stopped),
 * WEFT_INTERNAL (finisher and status do not agree). */
bool weft_system_image_check(const struct weft_system_image *image, uint32_t finish,
                             struct weft_error *error);

/* An output of the last run; *bytes belongs to the image. Error: WEFT_ARGUMENT (no such output). */
bool weft_system_image_output(const struct weft_system_image *image, size_t index,
                              const void **bytes, size_t *length, struct weft_error *error);

#endif
