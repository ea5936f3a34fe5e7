/* From a plan to instructions: what layers emit, one after the other, becomes a program.
 *
 *     emit_steps       what each layer does, in an order in which it could run (layer.c, chain.c)
 *     assign_banks     constants are loaded, and banks given to everything (resources.c, split.c)
 *     place_semaphores which instruction must wait for which (depend.c)
 *     order_dispatch   the order of dispatch (order.c)
 */
#ifndef WEFT_COMPILER_EMIT_EMIT_H
#define WEFT_COMPILER_EMIT_EMIT_H

#include "compiler/emit/stream.h"
#include "isa/claims.h"
#include "isa/footprint.h"
#include "sim/timing/timing.h"

/* Layers in a row. */
struct window {
    int first, last;
};

struct program {
    struct weft_arena *arena;
    const struct weft_config *config;
    struct weft_instruction *instructions;
    int32_t *layer_of;                 /* by instruction; -1: of none */
    size_t count, capacity;            /* of both */
    uint32_t most_count[WEFT_FORMATS]; /* by opcode: steps of a level, where it has levels */
};

/* ---- layer.c ---- */

/* Emits the layers of a window, chains as a whole, for the first `groups` groups of images. */
void emit_steps(const struct plan *plan, const struct window *window, int64_t groups,
                struct stream *stream);

/* ---- transfer.c ---- */

/* Where all of a tensor lies in external memory, for a group of images. */
struct place place_of(const struct plan *plan, int64_t group, int tensor);

/* ---- resources.c ---- */

/* Loads constants where they are used, and gives every instruction its addresses and banks. Error:
 * WEFT_INTERNAL, an instruction that cannot be. */
bool assign_banks(const struct plan *plan, const struct stream *stream, struct program *program,
                  struct weft_error *error);

/* ---- split.c ---- */

/* A program without instructions; it will have about `steps`. */
void program_start(struct weft_arena *arena, const struct weft_config *config, size_t steps,
                   struct program *program);

/* Appends an instruction as it is; returns it, which the next one may move. */
struct weft_instruction *program_add(struct program *program,
                                     const struct weft_instruction *instruction, int32_t layer);

/* Appends an instruction of a layer and gives it the banks it touches; several when a level has
 * more steps than its field holds. Error: WEFT_INTERNAL. */
bool append_instruction(const struct plan *plan, struct program *program,
                        const struct weft_instruction *instruction, int layer,
                        struct weft_error *error);

/* ---- depend.c ---- */

/* Places semaphores: two instructions of different units that touch a bank, or the same bytes of
 * external memory with at least one write, run in the order in which they were emitted. */
void place_semaphores(struct program *program);

/* ---- order.c ---- */

/* Appends HALT. What follows takes programs that end so. */
void end_program(struct program *program);

/* Runs the program without data and, if `preloaded`, as if queues had no end and all of it were
 * there, and without looking at extents and owners of banks; up to the cycle `limit`, if that is
 * not 0. The fault, if any, is for the caller to judge.
 */
bool run_program(const struct program *program, bool preloaded, uint64_t limit,
                 const struct weft_observer *observer, struct weft_run_result *result,
                 struct weft_error *error);

/* About how many cycles the program takes: as if queues had no end. Counts up to `limit`, if that
 * is not 0. */
bool estimate_cycles(const struct program *program, uint64_t limit, uint64_t *cycles,
                     struct weft_error *error);

/* Puts the instructions into the order in which they would start if queues had no end, so that none
 * holds up another in dispatch. *estimate: what estimate_cycles() says; at `limit` they stay as
 * they are. */
bool order_dispatch(struct program *program, uint64_t limit, uint64_t *estimate,
                    struct weft_error *error);

/* Fails with WEFT_CAPACITY: emission does not count tokens. Nearly all stand for a bank that is
 * handed over, so only semaphores of fewer tokens than there are banks can be too small. The
 * message says how many the instructions, in whatever order of dispatch, need. */
bool too_many_tokens(const struct weft_config *config, const struct weft_instruction *instructions,
                     size_t count, struct weft_error *error);

#endif
