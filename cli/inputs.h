/* The inputs of a model, from files, for run and cosim. */
#ifndef WEFT_CLI_INPUTS_H
#define WEFT_CLI_INPUTS_H

#include "cli/arguments.h"
#include "driver/session.h"

/* Whether --mean and --std can have an effect. False after a message. */
bool inputs_check(const struct given *given);

/* Where inputs go. */
struct input_taker {
    /* Copies an input: elements in row-major order, little-endian. */
    bool (*set)(void *context, size_t index, const void *bytes, size_t length,
                struct weft_error *error);
    void *context;
    uint64_t memory; /* in use, of the limit */
};

/* For struct weft_import_options: the elements of an array that is given as --input `number`; the
 * context is the struct given. */
bool inputs_known(void *context, size_t number, const struct weft_type *type, void *bytes);

/* Reads all inputs, inside the limit on memory (0: the default), and shows pictures where --show
 * says so. Returns the exit status; prints its own errors. */
int inputs_read(const struct given *given, const struct weft_module *module, uint64_t memory_limit,
                const struct input_taker *taker);

/* The same into a session. */
int inputs_set(const struct given *given, const struct weft_module *module, uint64_t memory_limit,
               struct weft_session *session);

#endif
