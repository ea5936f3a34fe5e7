/* Recurrent networks, unrolled: a few nodes for each step of the sequence. */
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* One direction of a layer. */
struct cell {
    struct onnx_importer *importer;
    uint32_t gates, directions;
    int64_t hidden, batch, length;
    bool reverse, linear_before_reset, batch_first;
    struct weft_value *x;                /* [length, batch, inputs] */
    struct weft_value *w, *r;            /* [gates * hidden, ...] */
    struct weft_value *bw, *br;          /* [gates * hidden] or NULL */
    struct weft_value *last, *last_bias; /* GRU: of r and br those of the last gate */
    struct weft_value *peephole;         /* [3 * hidden] or NULL */
    struct weft_value *h, *c;            /* [batch, hidden] */
    bool is_doubled; /* twice what goes into the cell gate's tanh comes from weights */
};

static struct weft_value *gate(const struct cell *cell, struct weft_value *all, uint32_t number) {
    return onnx_part(cell->importer, all, all == NULL ? 0 : all->type.rank - 1,
                     number * cell->hidden, 1, cell->hidden);
}

static struct weft_value *sum(const struct cell *cell, struct weft_value *a, struct weft_value *b) {
    return onnx_binary(cell->importer, WEFT_OP_ADD, a, b);
}

static struct weft_value *product(const struct cell *cell, struct weft_value *a,
                                  struct weft_value *b) {
    return onnx_binary(cell->importer, WEFT_OP_MUL, a, b);
}

static struct weft_value *apply(const struct cell *cell, enum weft_operator op,
                                struct weft_value *a) {
    return onnx_unary(cell->importer, op, a);
}

/* x times weights, and the bias. */
static struct weft_value *linear(const struct cell *cell, struct weft_value *x,
                                 struct weft_value *weights, struct weft_value *bias) {
    struct weft_value *y = onnx_binary(cell->importer, WEFT_OP_DENSE, x, weights);
    return bias == NULL ? y : onnx_binary(cell->importer, WEFT_OP_BIAS_ADD, y, bias);
}

/* ---- steps: x is that of the step times its weights ---- */

static struct weft_value *step_rnn(struct cell *cell, struct weft_value *x) {
    return apply(cell, WEFT_OP_TANH, sum(cell, x, linear(cell, cell->h, cell->r, cell->br)));
}

static struct weft_value *step_rectified(struct cell *cell, struct weft_value *x) {
    return apply(cell, WEFT_OP_RELU, sum(cell, x, linear(cell, cell->h, cell->r, cell->br)));
}

/* What a gate lets through: of the step's input and of the state before it. */
static struct weft_value *open_gate(const struct cell *cell, struct weft_value *x,
                                    struct weft_value *h, uint32_t number) {
    struct weft_value *of_x = gate(cell, x, number);
    return apply(cell, WEFT_OP_LOGISTIC, sum(cell, of_x, gate(cell, h, number)));
}

/* Gates: update, reset, hidden. */
static struct weft_value *step_gru(struct cell *cell, struct weft_value *x) {
    struct onnx_importer *importer = cell->importer;
    struct weft_value *h = linear(cell, cell->h, cell->r, cell->br);
    struct weft_value *z = open_gate(cell, x, h, 0);
    struct weft_value *r = open_gate(cell, x, h, 1);
    struct weft_value *rest = NULL;
    if (cell->linear_before_reset) {
        rest = product(cell, r, gate(cell, h, 2));
    } else {
        rest = linear(cell, product(cell, r, cell->h), cell->last, cell->last_bias);
    }
    struct weft_value *n = apply(cell, WEFT_OP_TANH, sum(cell, gate(cell, x, 2), rest));
    /* (1 - z) n + z h, in which a share is known once. */
    return sum(cell, n, product(cell, z, onnx_binary(importer, WEFT_OP_SUBTRACT, cell->h, n)));
}

/* Gates: input, output, forget, cell. */
static struct weft_value *step_lstm(struct cell *cell, struct weft_value *x) {
    struct weft_value *all = sum(cell, x, linear(cell, cell->h, cell->r, cell->br));
    struct weft_value *i = gate(cell, all, 0);
    struct weft_value *o = gate(cell, all, 1);
    struct weft_value *f = gate(cell, all, 2);
    struct weft_value *c = gate(cell, all, 3);
    c = cell->is_doubled ? product(cell, c, onnx_scalar(cell->importer, 0.5F)) : c;
    c = apply(cell, WEFT_OP_TANH, c);
    if (cell->peephole != NULL) {
        i = sum(cell, i, product(cell, gate(cell, cell->peephole, 0), cell->c));
        f = sum(cell, f, product(cell, gate(cell, cell->peephole, 2), cell->c));
    }
    i = apply(cell, WEFT_OP_LOGISTIC, i);
    f = apply(cell, WEFT_OP_LOGISTIC, f);
    struct weft_value *kept = product(cell, f, cell->c);
    cell->c = sum(cell, kept, product(cell, i, c));
    if (cell->peephole != NULL) {
        o = sum(cell, o, product(cell, gate(cell, cell->peephole, 1), cell->c));
    }
    o = apply(cell, WEFT_OP_LOGISTIC, o);
    return product(cell, o, apply(cell, WEFT_OP_TANH, cell->c));
}

typedef struct weft_value *step_function(struct cell *cell, struct weft_value *x);

/* All steps of a direction; results[t] is [batch, hidden]. */
static bool unroll(struct cell *cell, step_function *step, struct weft_value **results) {
    struct onnx_importer *importer = cell->importer;
    const int64_t inputs = cell->x->type.dim[2];
    const int64_t rows[2] = {cell->length * cell->batch, inputs};
    const int64_t steps[3] = {cell->length, cell->batch, cell->gates * cell->hidden};
    const int64_t one[2] = {cell->batch, cell->gates * cell->hidden};
    struct weft_value *all =
        linear(cell, onnx_reshape(importer, cell->x, 2, rows), cell->w, cell->bw);
    all = onnx_reshape(importer, all, 3, steps);
    for (int64_t i = 0; i < cell->length; i++) {
        int64_t t = cell->reverse ? cell->length - 1 - i : i;
        struct weft_value *x = onnx_reshape(importer, onnx_part(importer, all, 0, t, 1, 1), 2, one);
        cell->h = step(cell, x);
        results[t] = cell->h;
        if (cell->h == NULL) {
            return false;
        }
    }
    return true;
}

/* ---- operands ---- */

/* Direction `d` of an input: its first axis goes away. */
static struct weft_value *part_of(const struct cell *cell, struct weft_value *x, int64_t d) {
    struct onnx_importer *importer = cell->importer;
    if (x != NULL && (x->type.rank < 1 || x->type.dim[0] != (int64_t)cell->directions)) {
        return onnx_none(importer, WEFT_MODEL, "an operand has another number of directions");
    }
    return x == NULL ? NULL
                     : onnx_reshape(importer, onnx_part(importer, x, 0, d, 1, 1), x->type.rank - 1,
                                    x->type.dim + 1);
}

/* A state before the first step: an input, or zeros. */
static struct weft_value *state(struct cell *cell, uint32_t number, int64_t d) {
    struct onnx_importer *importer = cell->importer;
    const int64_t dims[2] = {cell->batch, cell->hidden};
    if (onnx_has(importer, number)) {
        struct weft_value *all = onnx_float_input(importer, number);
        bool swap = cell->batch_first && all != NULL && all->type.rank == 3;
        struct weft_value *given = part_of(cell, swap ? onnx_swap(importer, all, 0, 1) : all, d);
        const struct weft_type type = weft_type_make(WEFT_F32, 2, dims);
        return given == NULL || weft_shape_equal(&given->type, &type)
                   ? given
                   : onnx_none(importer, WEFT_MODEL, "its initial state has another shape");
    }
    return onnx_expand(importer, onnx_scalar(importer, 0), 2, dims);
}

/* Rows of the last gate, twice. */
static struct weft_value *doubled(const struct cell *cell, struct weft_value *x) {
    struct onnx_importer *importer = cell->importer;
    const int64_t dims[2] = {cell->gates * cell->hidden, 1};
    if (x == NULL) {
        return NULL;
    }
    float *factors = WEFT_NEW_ARRAY(importer->arena, (size_t)dims[0], float);
    for (int64_t i = 0; i < dims[0]; i++) {
        factors[i] = i < dims[0] - cell->hidden ? 1 : 2;
    }
    return product(cell, x, onnx_data(importer, WEFT_F32, x->type.rank, dims, factors));
}

static bool is_known(const struct weft_value *x) {
    return x != NULL && weft_value_data(x) != NULL;
}

/* tanh(x) is 2 / (1 + exp(-2 x)) - 1: where constant weights make 2 x, which is exact, the tanh of
 * the cell gate takes the range of the other gates and, quantised, their table. */
static void double_gate(struct cell *cell) {
    bool known = is_known(cell->w) && cell->w->type.rank == 2 && is_known(cell->r) &&
                 cell->r->type.rank == 2;
    struct weft_value *w = known ? doubled(cell, cell->w) : NULL;
    struct weft_value *r = known ? doubled(cell, cell->r) : NULL;
    struct weft_value *bw = known ? doubled(cell, cell->bw) : NULL;
    struct weft_value *br = known ? doubled(cell, cell->br) : NULL;
    cell->is_doubled = is_known(w) && is_known(r) && (cell->bw == NULL || is_known(bw)) &&
                       (cell->br == NULL || is_known(br));
    if (cell->is_doubled) {
        cell->w = w;
        cell->r = r;
        cell->bw = bw;
        cell->br = br;
    }
}

static bool read_cell(struct cell *cell, int64_t d) {
    struct onnx_importer *importer = cell->importer;
    int64_t width = cell->gates * cell->hidden;
    cell->w = part_of(cell, onnx_float_input(importer, 1), d);
    cell->r = part_of(cell, onnx_float_input(importer, 2), d);
    cell->bw = cell->br = cell->peephole = NULL;
    if (onnx_has(importer, 3)) {
        struct weft_value *bias = part_of(cell, onnx_float_input(importer, 3), d);
        if (bias == NULL || bias->type.rank != 1 || bias->type.dim[0] != 2 * width) {
            return bias != NULL && onnx_wrong(importer, WEFT_MODEL, "its bias has another shape");
        }
        cell->bw = onnx_part(importer, bias, 0, 0, 1, width);
        cell->br = onnx_part(importer, bias, 0, width, 1, width);
    }
    if (cell->gates == 4 && onnx_has(importer, 7)) {
        cell->peephole = part_of(cell, onnx_float_input(importer, 7), d);
        if (cell->peephole == NULL || cell->peephole->type.rank != 1 ||
            cell->peephole->type.dim[0] != 3 * cell->hidden) {
            return cell->peephole != NULL &&
                   onnx_wrong(importer, WEFT_MODEL, "its peepholes have another shape");
        }
    }
    cell->h = state(cell, 5, d);
    cell->c = cell->gates == 4 ? state(cell, 6, d) : cell->h;
    bool good = cell->w != NULL && cell->r != NULL && cell->h != NULL && cell->c != NULL;
    return good && ((cell->w->type.dim[0] == width && cell->r->type.dim[0] == width) ||
                    onnx_wrong(importer, WEFT_MODEL, "its weights have another shape"));
}

/* What all steps have in common, beside what was read. */
static void prepare(struct cell *cell) {
    cell->is_doubled = false;
    if (cell->gates == 3) {
        cell->last = onnx_part(cell->importer, cell->r, 0, 2 * cell->hidden, 1, cell->hidden);
        cell->last_bias = cell->br == NULL ? NULL : gate(cell, cell->br, 2);
    } else if (cell->gates == 4) {
        double_gate(cell);
    }
}

/* Is activation `i` called that? */
static bool is_named(const Onnx__AttributeProto *names, size_t i, const char *name) {
    return names != NULL && i < names->n_strings && names->strings[i].len == strlen(name) &&
           memcmp(names->strings[i].data, name, strlen(name)) == 0;
}

/* Has a plain recurrent layer Relu, not Tanh? */
static bool is_rectified(const struct onnx_importer *importer, uint32_t gates) {
    return gates == 1 && is_named(onnx_attribute(importer, "activations"), 0, "Relu");
}

/* The activations are the usual ones, whether they are named or not. */
static bool check_activations(struct onnx_importer *importer, uint32_t gates, uint32_t directions) {
    static const char *const usual[3][3] = {
        {"Tanh", NULL, NULL}, {"Sigmoid", "Tanh", NULL}, {"Sigmoid", "Tanh", "Tanh"}};
    uint32_t each = gates == 1 ? 1 : gates - 1;
    const Onnx__AttributeProto *named = onnx_attribute(importer, "activations");
    bool good = named == NULL || named->n_strings == (size_t)each * directions;
    for (size_t i = 0; good && named != NULL && i < named->n_strings; i++) {
        good =
            is_named(named, i, is_rectified(importer, gates) ? "Relu" : usual[each - 1][i % each]);
    }
    return (good && onnx_attribute(importer, "clip") == NULL &&
            onnx_int(importer, "input_forget", 0) == 0) ||
           onnx_wrong(importer, WEFT_OPERATOR,
                      "other activations than Sigmoid and Tanh, or Relu of RNN, clip and "
                      "input_forget are not supported");
}

/* Lengths of sequences, if there are any, are all that of the input. */
static bool check_lengths(struct onnx_importer *importer, int64_t length, int64_t batch) {
    int64_t lengths[ONNX_MOST_PARTS];
    uint32_t count = 0;
    if (!onnx_has(importer, 4)) {
        return true;
    }
    if (!onnx_integers(importer, 4, ONNX_MOST_PARTS, lengths, &count)) {
        return false;
    }
    if (count != batch) {
        return onnx_wrong(importer, WEFT_MODEL, "expected a length for each sequence");
    }
    for (uint32_t i = 0; i < count; i++) {
        if (lengths[i] != length) {
            return onnx_wrong(importer, WEFT_OPERATOR, "sequences of several lengths");
        }
    }
    return true;
}

/* ---- results ---- */

/* [batch, hidden] of each direction as [directions, batch, hidden], or batch first. */
static struct weft_value *stacked(struct onnx_importer *importer, uint32_t count,
                                  struct weft_value *const *parts, bool batch_first) {
    return onnx_stack(importer, count, parts, batch_first ? 1 : 0);
}

/* results[d * length + t] as [length, directions, batch, hidden], or batch first. */
static struct weft_value *sequence(struct onnx_importer *importer, const struct cell *cell,
                                   uint32_t directions, struct weft_value *const *results,
                                   bool batch_first) {
    static const int64_t order[4] = {2, 0, 1, 3};
    struct weft_value *all[2];
    for (uint32_t d = 0; d < directions; d++) {
        all[d] = onnx_stack(importer, (uint32_t)cell->length, results + d * cell->length, 0);
    }
    struct weft_value *y = stacked(importer, directions, all, true);
    return batch_first ? onnx_transpose(importer, y, order) : y;
}

static bool run(struct onnx_importer *importer, uint32_t gates, step_function *step) {
    const char *direction = onnx_text(importer, "direction", "forward");
    bool both = strcmp(direction, "bidirectional") == 0;
    bool batch_first = onnx_int(importer, "layout", 0) != 0;
    uint32_t directions = both ? 2 : 1;
    struct weft_value *last[2] = {NULL, NULL};
    struct weft_value *cells[2] = {NULL, NULL};
    struct weft_value *x = onnx_float_input(importer, 0);
    const struct weft_value *r = onnx_float_input(importer, 2);
    if (x == NULL || r == NULL || !check_activations(importer, gates, directions)) {
        return false;
    }
    if (batch_first && x->type.rank == 3) {
        x = onnx_swap(importer, x, 0, 1);
    }
    if (!both && strcmp(direction, "forward") != 0 && strcmp(direction, "reverse") != 0) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "direction must be forward, reverse or bidirectional");
    }
    if (x == NULL || x->type.rank != 3 || r->type.rank != 3 ||
        r->type.dim[0] != (int64_t)directions || x->type.dim[0] < 1 ||
        x->type.dim[0] > ONNX_MOST_STEPS) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "expected [time, batch, inputs] of at most 4096 steps");
    }
    if (onnx_int(importer, "hidden_size", r->type.dim[2]) != r->type.dim[2]) {
        return onnx_wrong(importer, WEFT_MODEL, "hidden_size is not that of its weights");
    }
    struct cell cell = {.importer = importer,
                        .gates = gates,
                        .directions = directions,
                        .hidden = r->type.dim[2],
                        .batch = x->type.dim[1],
                        .length = x->type.dim[0],
                        .linear_before_reset = onnx_int(importer, "linear_before_reset", 0) != 0,
                        .batch_first = batch_first,
                        .x = x};
    struct weft_value **results =
        WEFT_NEW_ARRAY(importer->arena, (size_t)(cell.length * directions), struct weft_value *);
    if (!check_lengths(importer, cell.length, cell.batch)) {
        return false;
    }
    for (uint32_t d = 0; d < directions; d++) {
        cell.reverse = d == 1 || strcmp(direction, "reverse") == 0;
        if (!read_cell(&cell, d)) {
            return false;
        }
        prepare(&cell);
        if (!unroll(&cell, step, results + d * cell.length)) {
            return false;
        }
        last[d] = cell.h;
        cells[d] = cell.c;
    }
    return onnx_finish(importer, sequence(importer, &cell, directions, results, batch_first)) &&
           onnx_finish_at(importer, 1, stacked(importer, directions, last, batch_first)) &&
           (gates != 4 ||
            onnx_finish_at(importer, 2, stacked(importer, directions, cells, batch_first)));
}

bool onnx_rnn(struct onnx_importer *importer) {
    return run(importer, 1, is_rectified(importer, 1) ? step_rectified : step_rnn);
}

bool onnx_gru(struct onnx_importer *importer) {
    return run(importer, 3, step_gru);
}

bool onnx_lstm(struct onnx_importer *importer) {
    return run(importer, 4, step_lstm);
}
