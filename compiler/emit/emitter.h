/* From a scheduled segment to instructions.
 *
 * Instructions are emitted in an order in which they could run one after another. depend.c then
 * finds which of them must wait for which, and order.c the order of dispatch.
 */
#ifndef WEFT_COMPILER_EMIT_EMITTER_H
#define WEFT_COMPILER_EMIT_EMITTER_H

#include "compiler/schedule/segment.h"
#include "isa/footprint.h"

struct emitted {
    struct weft_instruction instruction;
    int layer;
};

/* What a bank of WGT, PAR or LUT holds. */
struct slot {
    int first_piece, piece_count;
    uint64_t used; /* when last, in emitted instructions */
};
enum {
    MAX_SLOTS = 8
};

struct emitter {
    struct segment *segment;
    const struct stripe_buffers *buffers;
    struct emitted *instructions;
    size_t count, capacity;
    int layer; /* being emitted */
    int64_t next_acc_bank;
    struct slot slots[PIECES][MAX_SLOTS];
    bool failed;   /* segment->error says why */
    bool *on_chip; /* by tensor: a resident one has been loaded, or its halo filled */
};

/* Emits the whole segment but for HALT. Error: WEFT_INTERNAL, an instruction that cannot be. */
bool emit_segment(struct segment *segment, const struct stripe_buffers *buffers,
                  struct emitter *emitter);

/* Is an axis of an operand repeated to get that of the result? */
static inline bool is_repeated(int64_t operand, int64_t result) {
    return operand == 1 && result > 1;
}

/* ---- split.c ---- */

/* Appends an instruction for the current layer and gives it the banks it touches; several when a
 * level has more steps than its field holds. */
void emit(struct emitter *emitter, const struct weft_instruction *instruction);

/* ---- resources.c ---- */

/* The address of a piece, loading it (and those after it that fit) when it is not there. */
int64_t use_piece(struct emitter *emitter, int kind, int piece);

/* The first of `entries` accumulators in banks that were used longest ago. */
int64_t use_accumulators(struct emitter *emitter, int64_t entries);

/* ---- transfer.c ---- */

/* What of a stripe is inside the tensor, between external memory and a view. */
void emit_load_rows(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                    const struct stripe *stripe);
void emit_store_rows(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                     const struct stripe *stripe);

/* A stripe of the part of a tensor that the layer SLICE takes, and of the operand that the layer
 * PLACE puts into its result. */
void emit_slice(struct emitter *emitter, const struct view *view, const struct stripe *stripe);
void emit_place(struct emitter *emitter, const struct view *view, const struct stripe *stripe);

/* Fills what of a stripe surrounds the tensor: by load before the rows are loaded, by vector where
 * the tensor is made on chip. */
void emit_halo(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
               const struct stripe *stripe, bool by_load);

/* ---- elementwise.c ---- */

/* A VECTOR that makes rows and columns of the current layer's result. */
struct weft_instruction vector_of(const struct emitter *emitter, uint32_t function,
                                  const struct view *out, int64_t image, int64_t row,
                                  int64_t column, int64_t rows, int64_t columns);

/* An operand of VECTOR, from a row of an image on. */
void set_operand(const struct emitter *emitter, const struct view *view, int64_t image, int64_t row,
                 uint32_t *line, int32_t stride[3]);

/* Applies the tensor's function of one byte, in place, to what of a stripe is inside the tensor. */
void emit_table(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                const struct stripe *stripe);

/* ---- convolve.c, pool.c, elementwise.c, move.c: a stripe of the output of the current layer ----
 */

struct rows {
    struct stripe stripe;
    struct view in[2];
    struct view out;
};

void emit_dense(struct emitter *emitter, const struct rows *rows);
void emit_depthwise(struct emitter *emitter, const struct rows *rows);
void emit_average(struct emitter *emitter, const struct rows *rows);
void emit_maximum(struct emitter *emitter, const struct rows *rows);
void emit_binary(struct emitter *emitter, const struct rows *rows);
void emit_function(struct emitter *emitter, const struct rows *rows);
void emit_pad(struct emitter *emitter, const struct rows *rows);
void emit_resize(struct emitter *emitter, const struct rows *rows);

/* ---- depend.c ---- */

/* Places semaphores: two instructions of different units that touch a bank, or the same bytes of
 * external memory with at least one write, run in the order in which they were emitted. */
void place_semaphores(struct emitter *emitter);

/* ---- order.c ---- */

/* Puts the instructions into the order in which they would start if queues had no end, so that none
 * holds up another in dispatch, and appends HALT. */
bool order_dispatch(struct emitter *emitter, struct weft_error *error);

/* Fails with WEFT_CAPACITY: emission does not count tokens. Nearly all stand for a bank that is
 * handed over, so only semaphores of fewer tokens than there are banks can be too small. */
bool too_many_tokens(const struct weft_config *config, struct weft_error *error);

#endif
