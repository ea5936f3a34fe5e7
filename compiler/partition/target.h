/* A target from outside: what it takes of a graph to run parts of it elsewhere than on the Weft
 * machine and the host. Nothing else in Weft knows it; compiling and running call it back.
 *
 *     static const struct weft_external_target mine = {&table, compile, run, NULL};
 *     struct weft_compile_options options = {.target_count = 1, .targets = &mine};
 *
 * docs/patterns.md has an example, tests/unit/test_external.c a whole target.
 */
#ifndef WEFT_COMPILER_PARTITION_TARGET_H
#define WEFT_COMPILER_PARTITION_TARGET_H

#include "compiler/partition/partition.h"

struct weft_external_target {
    /* What it takes. The table's name is that of the target; it must not be "weft". */
    const struct weft_pattern_table *patterns;

    /* Makes a program of the body of a region: composites of the table, constants inside of them.
     * *program belongs to the target, or to `arena`, which lives as long as the module. On failure
     * the error's code is the target's choice, WEFT_CAPACITY where it cannot. */
    bool (*compile)(void *context, struct weft_arena *arena, const struct weft_graph *body,
                    void **program, struct weft_error *error);

    /* Runs a program. inputs[i] and results[i] are the tensors of the body's inputs and outputs, in
     * row-major order, aligned for their elements. */
    bool (*run)(void *context, const void *program, const void *const *inputs, void *const *results,
                struct weft_error *error);

    void *context; /* for both */
};

#endif
