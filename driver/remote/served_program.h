/* A program that a session of a server holds, with its external memory. */
#ifndef WEFT_DRIVER_REMOTE_SERVED_PROGRAM_H
#define WEFT_DRIVER_REMOTE_SERVED_PROGRAM_H

#include "driver/remote/image.h"
#include "driver/remote/protocol.h"
#include "driver/target.h"

struct served_program {
    struct image image;          /* of which the program region is the beginning */
    struct weft_program program; /* owned */
    struct weft_regions regions;
    uint8_t *bytes[WEFT_REGIONS]; /* as a run takes them */
    uint8_t *owned[WEFT_REGIONS]; /* those of them that were allocated */
    uint64_t bound;               /* cycles that it takes at most; rejected: that it may take */
    bool is_rejected;             /* by the verifier */
    struct weft_error rejection;  /* why */
    uint8_t *finishes;            /* owned; FINISH_BYTES for each instruction that finished */
    uint32_t finish_count;        /* in the last run */
};

enum {
    FINISH_BYTES = 12, /* the number of an instruction, and the cycle */
};

/* What the program takes of memory, from what its client says; checks that before anything is
 * allocated. Errors: WEFT_ARGUMENT, WEFT_ENCODING, WEFT_LIMIT. */
bool served_program_check(const struct frame_load *load, uint64_t *memory,
                          struct weft_error *error);

/* Makes the program of a whole image, which it takes over, also when it fails. With `data`, it gets
 * external memory. Errors: WEFT_ENCODING, WEFT_LIMIT (cycles), WEFT_OUT_OF_MEMORY. A program that
 * the verifier rejects is no error here. */
bool served_program_make(const struct frame_load *load, struct image *image,
                         const struct weft_config *config,
                         const struct weft_timing_settings *settings, uint64_t cycle_limit,
                         bool data, struct served_program *program, struct weft_error *error);

void served_program_free(struct served_program *program);

#endif
