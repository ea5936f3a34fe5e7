/* Einsum: sums of products of tensors whose axes have letters, two tensors at a time. A pair is a
 * product of matrices where letters are summed over, else a product by element. */
#include <string.h>

#include "compiler/import/onnx/onnx_product.h"

enum {
    LETTERS = 52,
    LABELS = LETTERS + WEFT_MAX_RANK, /* letters, then the axes of "...", counted from the last */
};

/* A tensor, and the label of each of its axes, all different once it is read. */
struct term {
    struct weft_value *value;
    uint32_t rank;
    uint8_t labels[WEFT_MAX_RANK];
};

struct einsum {
    struct onnx_importer *importer;
    uint32_t count; /* of terms */
    struct term *terms;
    struct term result;           /* without a value */
    uint32_t users[LABELS];       /* terms that are still to come, and the result */
    uint32_t occurrences[LABELS]; /* in what stands before the arrow */
};

static bool has(const struct term *term, uint8_t label) {
    return memchr(term->labels, label, term->rank) != NULL;
}

/* ---- the equation ---- */

/* The label of a letter; LABELS: it is none. */
static uint8_t label_of(char letter) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *found = letter == '\0' ? NULL : strchr(letters, letter);
    return found == NULL ? LABELS : (uint8_t)(found - letters);
}

/* Reads labels up to a comma, an arrow or the end; `ellipsis` is how many axes "..." stands for.
 * NULL: they are no labels, or too many. */
static const char *read_labels(const char *text, uint32_t ellipsis, struct term *term) {
    bool seen = false;
    term->rank = 0;
    for (; *text != '\0' && *text != ',' && *text != '-'; text++) {
        uint8_t label = label_of(*text);
        uint32_t axes = label < LABELS ? 1 : ellipsis;
        if (*text == ' ') {
            continue;
        }
        if (label == LABELS && (seen || strncmp(text, "...", 3) != 0)) {
            return NULL;
        }
        if (term->rank + axes > WEFT_MAX_RANK) {
            return NULL;
        }
        for (uint32_t i = 0; i < axes; i++) {
            term->labels[term->rank++] = label < LABELS ? label : (uint8_t)(LABELS - ellipsis + i);
        }
        seen = seen || label == LABELS;
        text += label < LABELS ? 0 : 2;
    }
    return text;
}

/* How many axes "..." stands for in the next term, which has so many axes in all. */
static uint32_t ellipsis_of(const char *text, uint32_t rank) {
    uint32_t letters = 0;
    for (; *text != '\0' && *text != ',' && *text != '-'; text++) {
        letters += label_of(*text) < LABELS;
    }
    return letters > rank ? 0 : rank - letters;
}

/* Without an arrow: the axes of "...", then what stands there once, in the order of the alphabet,
 * capitals first. */
static bool imply_result(struct einsum *e, uint32_t ellipsis) {
    struct term *result = &e->result;
    bool fits = true;
    result->rank = 0;
    for (uint32_t i = 0; i < ellipsis; i++) {
        result->labels[result->rank++] = (uint8_t)(LABELS - ellipsis + i);
    }
    for (uint8_t label = 0; fits && label < LETTERS; label++) {
        fits = e->occurrences[label] != 1 || result->rank < WEFT_MAX_RANK;
        if (fits && e->occurrences[label] == 1) {
            result->labels[result->rank++] = label;
        }
    }
    return fits;
}

static bool read_equation(struct einsum *e) {
    const char *text = onnx_text(e->importer, "equation", "");
    uint32_t ellipsis = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        struct term *term = &e->terms[i];
        uint32_t axes = ellipsis_of(text, term->value->type.rank);
        ellipsis = axes > ellipsis ? axes : ellipsis;
        text = read_labels(text, axes, term);
        if (text == NULL || term->rank != term->value->type.rank ||
            (i + 1 < e->count) != (*text == ',')) {
            return false;
        }
        text += *text == ',';
        for (uint32_t k = 0; k < term->rank; k++) {
            e->occurrences[term->labels[k]]++;
        }
    }
    if (*text == '\0') {
        return imply_result(e, ellipsis);
    }
    text = text[0] == '-' && text[1] == '>' ? read_labels(text + 2, ellipsis, &e->result) : NULL;
    bool fits = text != NULL && *text == '\0';
    for (uint32_t i = 0; fits && i < e->result.rank; i++) {
        struct term before = e->result;
        before.rank = i;
        fits = e->occurrences[e->result.labels[i]] > 0 && !has(&before, e->result.labels[i]);
    }
    return fits;
}

/* ---- one tensor ---- */

/* The axes in the order of `labels`, which are all that the term has. */
static struct weft_value *in_order(const struct einsum *e, const struct term *term,
                                   const uint8_t *labels) {
    int64_t order[WEFT_MAX_RANK];
    bool same = true;
    for (uint32_t i = 0; i < term->rank; i++) {
        const uint8_t *found = memchr(term->labels, labels[i], term->rank);
        order[i] = found - term->labels;
        same = same && order[i] == i;
    }
    return same ? term->value : onnx_transpose(e->importer, term->value, order);
}

/* Of two axes with one label what lies on their diagonal. */
static bool take_diagonal(const struct einsum *e, struct term *term, uint32_t a, uint32_t b) {
    const struct weft_type *type = &term->value->type;
    int64_t side = type->dim[a];
    if (side != type->dim[b]) {
        return onnx_wrong(e->importer, WEFT_MODEL, "axes of one letter are not alike");
    }
    int64_t order[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    uint8_t label = term->labels[a];
    uint32_t count = 0;
    for (uint32_t i = 0; i < term->rank; i++) {
        if (i != a && i != b) {
            dims[count] = type->dim[i];
            term->labels[count] = term->labels[i];
            order[count++] = i;
        }
    }
    order[count] = a;
    order[count + 1] = b;
    dims[count] = side * side;
    term->labels[count] = label;
    term->rank = count + 1;
    struct weft_value *x = onnx_transpose(e->importer, term->value, order);
    x = onnx_reshape(e->importer, x, term->rank, dims);
    term->value = onnx_part(e->importer, x, count, 0, side + 1, side);
    return term->value != NULL;
}

static bool take_diagonals(const struct einsum *e, struct term *term) {
    for (uint32_t b = 1; b < term->rank; b++) {
        for (uint32_t a = 0; a < b; a++) {
            if (term->labels[a] == term->labels[b]) {
                return take_diagonal(e, term, a, b) && take_diagonals(e, term);
            }
        }
    }
    return true;
}

/* Sums over what neither the result nor any other term has. */
static bool add_up(const struct einsum *e, struct term *term, const struct term *other) {
    uint32_t axes = 0;
    uint32_t kept = 0;
    uint32_t rank = term->rank;
    for (uint32_t i = 0; i < rank; i++) {
        uint8_t label = term->labels[i];
        bool goes = e->users[label] == 0 && (other == NULL || !has(other, label));
        axes |= goes ? UINT32_C(1) << i : 0;
        term->labels[kept] = label;
        kept += !goes;
    }
    term->rank = kept;
    term->value = onnx_reduce(e->importer, WEFT_OP_SUM, term->value, axes, false);
    return term->value != NULL;
}

/* ---- two tensors ---- */

/* The labels of a pair: of both tensors and of what follows; of the first one; of the second one;
 * summed over. */
enum {
    BATCH,
    FIRST,
    SECOND,
    SUMMED,
    KINDS
};

struct pair {
    uint32_t count[KINDS];
    uint8_t labels[KINDS][WEFT_MAX_RANK];
};

static void add_label(struct pair *pair, int kind, uint8_t label) {
    pair->labels[kind][pair->count[kind]++] = label;
}

static struct pair sort_labels(const struct einsum *e, const struct term *a, const struct term *b) {
    struct pair pair = {{0}, {{0}}};
    for (uint32_t i = 0; i < a->rank; i++) {
        uint8_t label = a->labels[i];
        bool both = has(b, label);
        add_label(&pair, !both ? FIRST : e->users[label] > 0 ? BATCH : SUMMED, label);
    }
    for (uint32_t i = 0; i < b->rank; i++) {
        if (!has(a, b->labels[i])) {
            add_label(&pair, SECOND, b->labels[i]);
        }
    }
    return pair;
}

static int64_t *dim_of(struct term *term, uint8_t label) {
    const uint8_t *found = memchr(term->labels, label, term->rank);
    return &term->value->type.dim[found - term->labels];
}

/* What both have is alike in both: an axis of one element is repeated. */
static bool make_alike(const struct einsum *e, struct term *term, struct term *other) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < term->rank; i++) {
        dims[i] = term->value->type.dim[i];
        if (has(other, term->labels[i])) {
            int64_t of_other = *dim_of(other, term->labels[i]);
            if (dims[i] != of_other && dims[i] != 1 && of_other != 1) {
                return onnx_wrong(e->importer, WEFT_MODEL, "axes of one letter are not alike");
            }
            dims[i] = dims[i] == 1 ? of_other : dims[i];
        }
    }
    term->value = onnx_expand(e->importer, term->value, term->rank, dims);
    return term->value != NULL;
}

/* The term with its axes in three groups, each of them one axis, or with its own axes. */
static struct weft_value *in_groups(const struct einsum *e, struct term *term,
                                    const struct pair *pair, const int kinds[3], bool merge) {
    uint8_t order[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK + 1]; /* one is begun behind the last */
    uint32_t rank = 0;
    uint32_t count = 0;
    for (int k = 0; k < 3; k++) {
        if (merge && kinds[k] == BATCH && pair->count[BATCH] == 0) {
            continue; /* a matrix */
        }
        dims[rank] = 1;
        for (uint32_t i = 0; i < pair->count[kinds[k]]; i++) {
            uint8_t label = pair->labels[kinds[k]][i];
            bool there = has(term, label);
            int64_t dim = there ? *dim_of(term, label) : 1;
            if (there) {
                order[count++] = label;
            }
            dims[rank] = merge ? dims[rank] * dim : dim;
            rank += !merge;
        }
        rank += merge;
    }
    return onnx_reshape(e->importer, in_order(e, term, order), rank, dims);
}

/* [batch, first, summed] times [batch, summed, second], as matrices. */
static struct weft_value *multiply_matrices(const struct einsum *e, struct term *a, struct term *b,
                                            const struct pair *pair, const int64_t *dims) {
    static const int of_a[3] = {BATCH, FIRST, SUMMED};
    static const int of_b[3] = {BATCH, SUMMED, SECOND};
    struct weft_value *first = in_groups(e, a, pair, of_a, true);
    struct weft_value *y = onnx_multiply(e->importer, WEFT_OP_DENSE, WEFT_OP_BATCH_MATMUL, first,
                                         in_groups(e, b, pair, of_b, true));
    return onnx_reshape(e->importer, y,
                        pair->count[BATCH] + pair->count[FIRST] + pair->count[SECOND], dims);
}

static struct weft_value *multiply_elements(const struct einsum *e, struct term *a, struct term *b,
                                            const struct pair *pair) {
    static const int kinds[3] = {BATCH, FIRST, SECOND};
    struct weft_value *first = in_groups(e, a, pair, kinds, false);
    return onnx_binary(e->importer, WEFT_OP_MUL, first, in_groups(e, b, pair, kinds, false));
}

/* a times b, summed over what nobody else has; into a. */
static bool multiply(const struct einsum *e, struct term *a, struct term *b) {
    if (weft_value_data(a->value) != NULL && weft_value_data(b->value) == NULL) {
        struct term first = *a; /* weights are the second operand of a product */
        *a = *b;
        *b = first;
    }
    struct pair pair = sort_labels(e, a, b);
    uint32_t rank = pair.count[BATCH] + pair.count[FIRST] + pair.count[SECOND];
    if (rank > WEFT_MAX_RANK) {
        return onnx_wrong(e->importer, WEFT_OPERATOR, "more than 8 axes on the way");
    }
    if (!make_alike(e, a, b) || !make_alike(e, b, a)) {
        return false;
    }
    struct term result = {.rank = 0};
    int64_t dims[WEFT_MAX_RANK];
    for (int k = BATCH; k <= SECOND; k++) {
        for (uint32_t i = 0; i < pair.count[k]; i++) {
            uint8_t label = pair.labels[k][i];
            dims[result.rank] = *dim_of(has(a, label) ? a : b, label);
            result.labels[result.rank++] = label;
        }
    }
    result.value = pair.count[SUMMED] > 0 ? multiply_matrices(e, a, b, &pair, dims)
                                          : multiply_elements(e, a, b, &pair);
    *a = result;
    return result.value != NULL;
}

/* ---- all ---- */

static void count_users(struct einsum *e, const struct term *term, int by) {
    for (uint32_t i = 0; i < term->rank; i++) {
        e->users[term->labels[i]] += (uint32_t)by;
    }
}

static bool combine(struct einsum *e) {
    bool fine = true;
    for (uint32_t i = 0; fine && i < e->count; i++) {
        fine = take_diagonals(e, &e->terms[i]);
        count_users(e, &e->terms[i], 1);
    }
    count_users(e, &e->result, 1);
    for (uint32_t i = 0; fine && i < e->count; i++) {
        struct term *term = &e->terms[i];
        count_users(e, term, -1);
        fine = i == 0 ? add_up(e, term, NULL)
                      : add_up(e, term, &e->terms[0]) && multiply(e, &e->terms[0], term);
    }
    return fine;
}

bool onnx_einsum(struct onnx_importer *importer) {
    struct einsum e = {.importer = importer, .count = (uint32_t)importer->node->n_input};
    e.terms = WEFT_NEW_ARRAY(importer->arena, e.count, struct term);
    for (uint32_t i = 0; i < e.count; i++) {
        e.terms[i].value = onnx_float_input(importer, i);
        if (e.terms[i].value == NULL) {
            return false;
        }
    }
    if (!read_equation(&e)) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "expected an equation with a letter for each axis of each input");
    }
    return combine(&e) && onnx_finish_like(importer, in_order(&e, &e.terms[0], e.result.labels));
}
