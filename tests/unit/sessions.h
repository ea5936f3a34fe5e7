/* What the tests of sessions share: a compiled network, and the steps of a run. */
#ifndef WEFT_TESTS_UNIT_SESSIONS_H
#define WEFT_TESTS_UNIT_SESSIONS_H

#include "tests/unit/graphs.h"
#include "tests/unit/modules.h"

/* Two programs with an operator of the host between them, two inputs and two outputs. */
extern const char network[];
enum {
    INPUTS = 2,
    INPUT_BYTES = 6 * 6 * 8,
    SEGMENTS = 2,
};

/* The targets that are in this process, ended by NULL. */
extern const char *const simulators[];

struct fixture {
    const struct weft_graph *graph; /* as it was before it was compiled */
    struct weft_module *module;
};

/* A graph in text form, compiled for ref16; in the arena. */
struct fixture compiled(struct weft_arena *arena, const char *text);

/* A session, closed by the caller; `options` NULL: the defaults. */
struct weft_session *opened(const struct weft_module *module, const char *target,
                            const struct weft_session_options *options);

/* Sets all inputs, to those of a seed. */
void give(struct weft_session *session, const struct weft_graph *graph, uint64_t seed);

/* A run without an error. */
void session_run(struct weft_session *session);

/* Every output is what the host computes of the inputs of that seed. */
void assert_outputs(const struct weft_session *session, const struct weft_graph *graph,
                    uint64_t seed);

void assert_no_output(const struct weft_session *session);

/* An error's message has a part. */
void assert_error_mentions(const struct weft_error *error, const char *part);

#endif
