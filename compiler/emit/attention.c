/* A product of two tensors, its softmax, and the product of that with a third: matrix by matrix, so
 * that MATRIX makes the sums of one matrix while VECTOR is at the softmax of another. */
#include "base/integer.h"
#include "compiler/emit/work.h"

struct attention {
    struct work work[PHASES];
    struct rows rows[PHASES]; /* views of all rows */
    struct stream streams[PHASES];
};

/* ---- which layers ---- */

/* Is all of a layer's first operand and of its result on chip, for all rows at once? */
static bool is_whole(const struct plan *plan, int index) {
    const struct layer *layer = plan->layers[index];
    const struct cut *cut = cut_of(plan, index);
    return plan->chain_first[index] == plan->chain_last[index] && layer->out.n == 1 &&
           cut->stripe_rows >= layer->out.h && is_resident(plan, index, 0) &&
           is_resident(plan, index, 2) && layer->summed == 0;
}

/* Finds the layers that begin with `first`, up to `last`, if all of their tensors are on chip. */
static bool find_layers(const struct plan *plan, int first, int last, int layers[PHASES]) {
    bool good = region_attention(plan->region, first, layers) && layers[MIXED] <= last;
    for (int phase = 0; phase < PHASES && good; phase++) {
        good = is_whole(plan, layers[phase]) && !cut_of(plan, layers[phase])->apart;
    }
    return good;
}

/* ---- steps ---- */

static struct stripe matrix_row(int64_t row) {
    return rows_of_image(0, row, row + 1);
}

/* The work of one phase on one matrix, as a stream of its own. */
static void emit_phase(struct attention *a, int phase, int64_t row) {
    struct work work = a->work[phase];
    struct stream *stream = &a->streams[phase];
    stream_clear(stream);
    if (row < 0 || row >= layer_of(&work)->out.h) {
        return;
    }
    work.stream = stream;
    a->rows[phase].stripe = matrix_row(row);
    operations_of(layer_of(&work))->emit(&work, &a->rows[phase]);
}

/* One matrix in each phase, the softmax in parts between the tiles of the products. */
static void emit_matrices(struct attention *a, int64_t number) {
    const struct stream *streams = a->streams;
    for (int phase = 0; phase < PHASES; phase++) {
        emit_phase(a, phase, number - phase);
    }
    const struct stream guests[2] = {streams[SCORES], streams[MIXED]};
    stream_spread(a->work[0].stream, &streams[SOFTMAX], 2, guests);
}

/* Where operands and results are. */
static void start(struct attention *a, const struct work *work, const int layers[PHASES]) {
    int64_t parts = 0;
    for (int phase = 0; phase < PHASES; phase++) {
        a->work[phase] = work_for(work, layers[phase]);
        a->streams[phase] = (struct stream){.arena = work->stream->arena};
        const struct work *of = &a->work[phase];
        const struct stripe all = rows_of_image(0, 0, layer_of(of)->out.h);
        if (phase == SCORES) {
            emit_use(of, PIECES_WGT, first_weights_of(of, 0));
        }
        a->rows[phase] = (struct rows){.stripe = all, .end_group = tiling_of(of)->groups};
        a->rows[phase].in[0] = input_view(of, 0, 0, &all);
        a->rows[phase].out = output_view(of, 0, &all);
        const struct stripe row = matrix_row(0);
        parts = phase == SOFTMAX ? parts : weft_max(parts, tiles_of(of, &row));
    }
    /* Each part costs SOFTMAX time, and while it lasts MATRIX fills all banks. */
    a->rows[SOFTMAX].parts = weft_ceil_div(parts, weft_banks(work->plan->config, WEFT_MEMORY_ACC));
}

int emit_attention(const struct work *work, int last) {
    int layers[PHASES] = {0};
    struct attention a;
    if (!find_layers(work->plan, work->layer, last, layers)) {
        return work->layer;
    }
    start(&a, work, layers);
    int64_t count = layer_of(&a.work[SCORES])->out.h;
    for (int64_t number = 0; number < count + PHASES - 1; number++) {
        emit_matrices(&a, number);
    }
    for (int phase = 0; phase < PHASES; phase++) {
        const struct work *of = &a.work[phase];
        int out = operand_of(of, 2);
        const struct stripe whole = whole_tensor(&work->plan->region->tensors[out]);
        if (work->plan->locations[out].external) {
            emit_store_rows(of, out, &a.rows[phase].out, &whole);
        }
    }
    return layers[PHASES - 1];
}
