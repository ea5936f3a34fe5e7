/* The program of a run of a device (driver/device.h): decoded, and proved or not. */
#ifndef WEFT_DRIVER_DEVICE_PROGRAM_H
#define WEFT_DRIVER_DEVICE_PROGRAM_H

#include "isa/config.h"
#include "isa/isa.h"

struct device_program {
    uint8_t *bytes; /* owned: whole instructions; NULL: there is no program */
    size_t length;
    struct weft_regions regions;           /* for which it was looked at */
    struct weft_instruction *instructions; /* owned; what cannot be decoded has no opcode */
    size_t count;                          /* in the region */
    size_t proved_count;                   /* up to the first HALT */
    uint64_t read_bytes[WEFT_REGIONS];     /* that LOAD reads, from the start of the region */
    uint64_t written_bytes[WEFT_REGIONS];  /* the same for STORE */
    bool is_rejected;
    struct weft_error rejection; /* by the verifier */
};

/* The programs of the last runs: a model starts the same ones again and again, and a proof takes
 * longer than many runs. */
enum {
    DEVICE_PROGRAMS = 16,
};

struct device_programs {
    struct device_program kept[DEVICE_PROGRAMS];
    unsigned next; /* to be replaced */
};

/* The program of these bytes for these regions, looked at where it is not kept. It stays until the
 * next call. NULL with WEFT_OUT_OF_MEMORY. */
const struct device_program *device_programs_get(struct device_programs *programs,
                                                 const struct weft_config *config,
                                                 const uint8_t *bytes, size_t length,
                                                 const struct weft_regions *regions,
                                                 struct weft_error *error);

void device_programs_free(struct device_programs *programs);

#endif
