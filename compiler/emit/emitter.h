/* From a scheduled segment to instructions.
 *
 * Instructions are emitted in an order in which they could run one after another. depend.c then
 * finds which of them must wait for which, and order.c the order of dispatch.
 */
#ifndef WEFT_COMPILER_EMIT_EMITTER_H
#define WEFT_COMPILER_EMIT_EMITTER_H

#include "compiler/schedule/segment.h"
#include "isa/footprint.h"
#include "sim/timing/timing.h"

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

/* The first input of the stripe after the one that is being made. What VECTOR does to it comes
 * before the last of the present stripe, so that MATRIX goes on without a pause. */
struct ahead {
    bool is_wanted, is_ready;
    int layer;
    int64_t number;      /* of the stripe */
    int64_t step, steps; /* tiles of the present stripe: made, in all */
    struct stripe results;
    struct view view;
    /* What else is to come then, or NULL: called after each step. */
    void (*others)(void *context, int64_t step, int64_t steps);
    void *context;
};

struct emitter {
    struct segment *segment;
    const struct stripe_buffers *buffers;
    struct emitted *instructions;
    size_t count, capacity;
    int layer; /* being emitted */
    int64_t next_acc_bank;
    struct slot slots[PIECES][MAX_SLOTS];
    struct ahead ahead;
    bool failed;   /* segment->error says why */
    bool *on_chip; /* by tensor: a resident one has been loaded, or its halo filled */
};

/* Emits the layers of the segment's window but for HALT. Error: WEFT_INTERNAL, an instruction that
 * cannot be. */
bool emit_segment(struct segment *segment, const struct stripe_buffers *buffers,
                  struct emitter *emitter);

/* A stripe of the output of a layer. */
struct rows {
    struct stripe stripe;
    int64_t first_group, end_group; /* of products */
    struct view in[2];
    struct view out;
};

/* ---- emitter.c ---- */

/* A tensor that the current layer uses. */
const struct tensor *operand(const struct emitter *emitter, int slot);

/* How many tiles, of all groups, a stripe of the current layer has. */
int64_t tiles_of(const struct emitter *emitter, const struct stripe *stripe);

/* Brings the weights that the current layer needs first. Inputs can be much longer, and the layer
 * begins when the first part of them is there. */
void use_first_weights(struct emitter *emitter);

/* The work of the current layer on a stripe. */
void emit_rows(struct emitter *emitter, const struct rows *rows);

/* ---- input.c ---- */

/* Makes or finds what stripe `number` of the results needs of an input. */
struct view input_view(struct emitter *emitter, int slot, int64_t number,
                       const struct stripe *results);

/* Says that stripe `number` of the current layer, which may be empty, will be made next. */
void want_ahead(struct emitter *emitter, int64_t number, int64_t tiles,
                const struct stripe *results);

/* A tile of the present stripe has been made; half of them make the input ready. */
void step_ahead(struct emitter *emitter);

/* All tiles have been made. */
void end_ahead(struct emitter *emitter);

/* Where stripe `number` of the result is made. */
struct view output_view(struct emitter *emitter, int64_t number, const struct stripe *stripe);

/* ---- chain.c ---- */

/* Emits the chain from layer `first` on. */
void emit_chain(struct emitter *emitter, int first);

/* ---- hosts.c ---- */

/* What VECTOR has to do before a layer makes its next stripe, copies above all, is emitted between
 * the tiles of another layer, which leaves it time: its host. */
struct chain_hosts {
    int *of;      /* by layer: itself, if there is none better */
    int of_input; /* of what is done to the first layer's input */
};

/* `most` and `in_rows`: what chain_most_rows() found. */
struct chain_hosts find_hosts(const struct segment *segment, int first,
                              const struct chain_row *most, int64_t in_rows);

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

/* Loads are cut where a bank ends, so that work begins when the first bank is there. Makes *part,
 * of which `end` is 0 before the first call, the next rows of a stripe that begin in one bank;
 * false: there are no more. Rows of planes that do not have banks of their own are not cut. */
bool next_bank_rows(const struct emitter *emitter, const struct tensor *tensor,
                    const struct view *view, const struct stripe *stripe, struct stripe *part);

/* Fills the columns beside the rows of a stripe, and between them, with the zero point. */
void emit_side_halo(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                    const struct stripe *stripe, bool by_load);
/* Fills rows of a stripe that lie outside the tensor, above or below it. */
void emit_rows_outside(struct emitter *emitter, const struct tensor *tensor,
                       const struct view *view, const struct stripe *stripe);
/* A stripe of the part of a tensor that the layer SLICE takes, and of the operand that the layer
 * PLACE puts into its result. */
void emit_slice(struct emitter *emitter, const struct view *view, const struct stripe *stripe);
void emit_place(struct emitter *emitter, const struct view *view, const struct stripe *stripe);

/* Fills what of a stripe surrounds the tensor: by load before the rows are loaded, by vector where
 * the tensor is made on chip. */
void emit_halo(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
               const struct stripe *stripe, bool by_load);

/* ---- elementwise.c ---- */

/* Part of an image of a tensor. */
struct area {
    int64_t image;
    int64_t first_block, blocks;
    int64_t first_row, rows;
    int64_t first_column, columns;
};

/* The part of the current layer's result that has all its channel blocks. */
struct area all_blocks(const struct emitter *emitter, int64_t image, int64_t row, int64_t column,
                       int64_t rows, int64_t columns);

/* The line in ACT at which a part begins, and the strides from block to block, row to row and
 * column to column, in lines. */
uint32_t line_of(const struct emitter *emitter, const struct view *view, const struct area *area);
void set_strides(const struct emitter *emitter, const struct view *view, int32_t stride[3]);

/* A VECTOR that makes a part of the current layer's result. */
struct weft_instruction vector_of(const struct emitter *emitter, uint32_t function,
                                  const struct view *out, const struct area *area);

/* Applies the tensor's function of one byte, in place, to what of a stripe is inside the tensor. */
void emit_table(struct emitter *emitter, const struct tensor *tensor, const struct view *view,
                const struct stripe *stripe);

/* ---- convolve.c, pool.c, elementwise.c, move.c: a stripe of the output of the current layer ----
 */

void emit_dense(struct emitter *emitter, const struct rows *rows);
void emit_depthwise(struct emitter *emitter, const struct rows *rows);
void emit_average(struct emitter *emitter, const struct rows *rows);
void emit_maximum(struct emitter *emitter, const struct rows *rows);
void emit_binary(struct emitter *emitter, const struct rows *rows);
void emit_function(struct emitter *emitter, const struct rows *rows);
void emit_pad(struct emitter *emitter, const struct rows *rows);
void emit_resize(struct emitter *emitter, const struct rows *rows);

/* Copies a part of the current layer's result from one place to another. */
void emit_copy(struct emitter *emitter, const struct view *from, const struct view *to,
               const struct area *area);

/* The current layer, of two operands, on a part of its tensors; `out` may be `a` or `b`. */
void emit_binary_of(struct emitter *emitter, const struct view *a, const struct view *b,
                    const struct view *out, const struct area *area);

/* ---- depend.c ---- */

/* Places semaphores: two instructions of different units that touch a bank, or the same bytes of
 * external memory with at least one write, run in the order in which they were emitted. */
void place_semaphores(struct emitter *emitter);

/* ---- order.c ---- */

/* Appends HALT. What follows takes programs that end so. */
void end_program(struct emitter *emitter);

/* Runs the program without data and, if `preloaded`, as if queues had no end and all of it were
 * there; the fault, if any, is for the caller to judge. */
bool run_emitted(const struct emitter *emitter, bool preloaded,
                 const struct weft_observer *observer, struct weft_run_result *result,
                 struct weft_error *error);

/* Puts the instructions into the order in which they would start if queues had no end, so that none
 * holds up another in dispatch. */
bool order_dispatch(struct emitter *emitter, struct weft_error *error);

/* About how many cycles the program takes: as if queues had no end. */
bool estimate_cycles(const struct emitter *emitter, uint64_t *cycles, struct weft_error *error);

/* Fails with WEFT_CAPACITY: emission does not count tokens. Nearly all stand for a bank that is
 * handed over, so only semaphores of fewer tokens than there are banks can be too small. */
bool too_many_tokens(const struct weft_config *config, struct weft_error *error);

#endif
