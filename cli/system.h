/* A model with its firmware in the memory of a RISC-V system, for commands that simulate one. */
#ifndef WEFT_CLI_SYSTEM_H
#define WEFT_CLI_SYSTEM_H

#include <jansson.h>

#include "cli/cli.h"
#include "driver/system_image.h"

struct system_model {
    const struct given *given;
    struct open_options open;
    struct weft_module *module; /* owned, with the bytes of its file */
    uint8_t *bytes;
    struct weft_system_image image; /* owned */
};

/* What else the system is told. */
struct system_options {
    bool interrupt;
    uint32_t runs;
    uint64_t latency; /* of external memory, in cycles; 0: as the configuration says */
};

/* The value of an option that is a number from `least` to `most`; one that was not given leaves
 * *value. False after a message. */
bool system_read_number(const struct given *given, enum option_id option, uint32_t least,
                        uint32_t most, uint32_t *value);

/* Opens the model that was given, with its configuration. False after a message. Release it with
 * system_close() in any case. */
bool system_open(const struct given *given, struct system_model *system);

/* Exports it, and puts firmware, model and inputs into a system's memory. False after a message. */
bool system_make_image(struct system_model *system, const struct system_options *options);

void system_close(struct system_model *system);

/* Cycles after which a system is given up: several times what machine and processor can take, and
 * not less than the smallest number of ten seconds. */
uint64_t system_most_cycles(const struct system_model *system);

/* Writes the outputs of a run that were asked for, `figures` to --json, and what the batch holds
 * already: all of it or nothing. The batch and `figures` (made since json_begin(); NULL without
 * --json) are released in any case. Returns the status of the command, after a message. */
int system_write_files(const struct system_model *system, struct weft_file_batch *batch,
                       json_t *figures);

/* What the UART sent, as text for a terminal: `context` is not used. */
void system_print(void *context, uint8_t letter);

#endif
