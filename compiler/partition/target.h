/* A target from outside: what it takes of a graph to run parts of it elsewhere than on the Weft
 * machine and the host. Nothing else in Weft knows it; compiling and running call it back.
 *
 *     static const struct weft_external_target mine = {
 *         .patterns = &table, .compile = compile, .run = run};
 *     struct weft_compile_options options = {.target_count = 1, .targets = &mine};
 *
 * A plugin brings it without such a program (compiler/plugin.h). docs/extend.md has a whole one,
 * tests/unit/test_external.c another.
 */
#ifndef WEFT_COMPILER_PARTITION_TARGET_H
#define WEFT_COMPILER_PARTITION_TARGET_H

#include "base/text.h"
#include "compiler/partition/partition.h"

struct weft_external_target {
    /* What it takes. The table's name is that of the target; it must not be "weft". It must live as
     * long as every module with a program of the target. */
    const struct weft_pattern_table *patterns;

    /* Makes a program of the body of a region: composites of the table, constants inside of them.
     * *program belongs to the target, or to `arena`, which lives as long as the module. It can be
     * called again for the same region, when another region finds no room. A failure ends the
     * compilation; the error's code is the target's choice, WEFT_CAPACITY where it cannot. */
    bool (*compile)(void *context, struct weft_arena *arena, const struct weft_graph *body,
                    void **program, struct weft_error *error);

    /* Runs a program. inputs[i] and results[i] are the tensors of the body's inputs and outputs, in
     * row-major order, aligned for their elements. Called by several threads at once, when several
     * sessions run one module. */
    bool (*run)(void *context, const void *program, const void *const *inputs, void *const *results,
                struct weft_error *error);

    void *context; /* for all */

    /* Appends a program as bytes, for .weft files. NULL: its programs have no written form. */
    bool (*write)(void *context, const void *program, struct weft_text *bytes,
                  struct weft_error *error);

    /* Makes a program of bytes that should be those of write(), but are from a file that nobody
     * trusts: after true, run() must not read or write anywhere else than in its tensors, whatever
     * the bytes are, and must come to an end. `body` has the inputs and outputs of the region and
     * its composites, but nothing inside of them. `bytes` live as long as the arena. Errors: the
     * target's choice, WEFT_CONTAINER for bytes that are wrong. NULL where write is. */
    bool (*read)(void *context, struct weft_arena *arena, const struct weft_graph *body,
                 const uint8_t *bytes, size_t length, void **program, struct weft_error *error);

    const char *plugin; /* who brought it, for messages: filled when a plugin is registered */
};

#endif
