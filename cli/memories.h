/* NAME=... of --region and --dump-memory. */
#ifndef WEFT_CLI_MEMORIES_H
#define WEFT_CLI_MEMORIES_H

#include "cli/operand.h"
#include "driver/bare.h"

/* A memory by its name: "act" and so on; an external region by its name or number. */
struct memory_name {
    bool is_region;
    enum weft_memory memory; /* on-chip */
    enum weft_region region;
};

/* Reads the name before '=' in the value of an option; with `regions_only`, that of a region other
 * than the program's. False after a message, which lists what there is. */
bool memory_name_read(const struct given *given, enum option_id option, const char *value,
                      bool regions_only, struct memory_name *name);

/* ---- --dump-memory ---- */

/* Are all values a memory that there is and a file, with regions of the setup? False after a
 * message. */
bool dumps_check(const struct given *given, const struct weft_bare_setup *setup);

/* Stages a file for each, of what the last run left; prints the error. */
bool dumps_stage(const struct given *given, const struct weft_bare_setup *setup,
                 struct weft_bare *bare, struct weft_file_batch *batch);

#endif
