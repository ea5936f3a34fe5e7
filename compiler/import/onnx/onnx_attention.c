/* Attention, and the positions of its words: RotaryEmbedding. */
#include <math.h>

#include "compiler/import/onnx/onnx_product.h"

/* ---- tensors of heads ---- */

/* [B, L, heads * D] as [B, heads, L, D]; 4 axes are that already. */
static struct weft_value *split_heads(struct onnx_importer *importer, struct weft_value *x,
                                      const char *count) {
    static const int64_t heads_first[4] = {0, 2, 1, 3};
    if (x == NULL || x->type.rank == 4) {
        return x;
    }
    int64_t heads = onnx_int(importer, count, 0);
    if (x->type.rank != 3 || heads < 1 || x->type.dim[2] % heads != 0) {
        return onnx_none(importer, WEFT_MODEL,
                         "expected 4 dimensions, or 3 and a number of heads that divides the last");
    }
    const int64_t dims[4] = {x->type.dim[0], x->type.dim[1], heads, x->type.dim[2] / heads};
    return onnx_transpose(importer, onnx_reshape(importer, x, 4, dims), heads_first);
}

/* [B, heads, L, D] as [B, L, heads * D]. */
static struct weft_value *join_heads(struct onnx_importer *importer, struct weft_value *x) {
    static const int64_t heads_last[4] = {0, 2, 1, 3};
    if (x == NULL) {
        return NULL;
    }
    const int64_t *d = x->type.dim;
    const int64_t dims[3] = {d[0], d[2], d[1] * d[3]};
    return onnx_reshape(importer, onnx_transpose(importer, x, heads_last), 3, dims);
}

/* ---- scores ---- */

struct attention {
    struct weft_value *q, *k, *v; /* [B, heads, L, D]; of k and v what was before them, too */
    int64_t before;               /* so many rows of these */
};

/* Queries of heads that share keys lie one after another beside them. */
static struct weft_value *shared(struct onnx_importer *importer, struct weft_value *x,
                                 int64_t heads, int64_t rows) {
    const int64_t dims[4] = {x->type.dim[0], heads, rows, x->type.dim[3]};
    return onnx_reshape(importer, x, 4, dims);
}

static struct weft_value *multiply(struct onnx_importer *importer, struct weft_value *a,
                                   struct weft_value *b) {
    return onnx_multiply(importer, WEFT_OP_DENSE, WEFT_OP_BATCH_MATMUL, a, b);
}

/* [B, heads, L, S], scaled. */
static struct weft_value *scores_of(struct onnx_importer *importer, const struct attention *a) {
    const int64_t *q = a->q->type.dim;
    const int64_t *k = a->k->type.dim;
    float scale = onnx_float(importer, "scale", 1.0F / sqrtf((float)q[3]));
    struct weft_value *queries = shared(importer, a->q, k[1], q[1] / k[1] * q[2]);
    struct weft_value *scores = multiply(importer, queries, onnx_swap(importer, a->k, 2, 3));
    const int64_t dims[4] = {q[0], q[1], q[2], k[2]};
    scores = onnx_reshape(importer, scores, 4, dims);
    return onnx_binary(importer, WEFT_OP_MUL, scores, onnx_scalar(importer, scale));
}

static struct weft_value *capped(struct onnx_importer *importer, struct weft_value *scores) {
    float cap = onnx_float(importer, "softcap", 0);
    if (!(cap > 0)) {
        return scores;
    }
    struct weft_value *factor = onnx_scalar(importer, cap);
    struct weft_value *part = onnx_binary(importer, WEFT_OP_DIVIDE, scores, factor);
    return onnx_binary(importer, WEFT_OP_MUL, onnx_unary(importer, WEFT_OP_TANH, part), factor);
}

/* Which keys a query may see by where it lies, [L, S]; NULL: all. */
static struct weft_value *seen(struct onnx_importer *importer, const struct attention *a) {
    bool causal = onnx_int(importer, "is_causal", 0) != 0;
    int64_t left = onnx_int(importer, "left_window_size", -1);
    int64_t right = onnx_int(importer, "right_window_size", -1);
    const int64_t dims[2] = {a->q->type.dim[2], a->k->type.dim[2]};
    if (!causal && left < 0 && right < 0) {
        return NULL;
    }
    uint8_t *data = WEFT_NEW_ARRAY(importer->arena, (size_t)(dims[0] * dims[1]), uint8_t);
    for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
        int64_t place = i / dims[1] + a->before;
        int64_t key = i % dims[1];
        data[i] = (!causal || key <= place) && (left < 0 || key >= place - left) &&
                  (right < 0 || key <= place + right);
    }
    return onnx_data(importer, WEFT_BOOL, 2, dims, data);
}

/* A mask of fewer keys than there are takes the others away. */
static struct weft_value *padded(struct onnx_importer *importer, struct weft_value *mask,
                                 int64_t keys, struct weft_value *never) {
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    uint32_t rank = mask == NULL ? 0 : mask->type.rank;
    int64_t missing = rank == 0 ? 0 : keys - mask->type.dim[rank - 1];
    if (missing <= 0 || mask->type.dim[rank - 1] == 1) {
        return mask;
    }
    pads[2 * rank - 1] = missing;
    return onnx_pad(importer, mask, pads, mask->type.dtype == WEFT_BOOL ? NULL : never);
}

static struct weft_value *masked(struct onnx_importer *importer, const struct attention *a,
                                 struct weft_value *scores) {
    struct weft_value *never = onnx_scalar(importer, -INFINITY);
    struct weft_value *places = seen(importer, a);
    if (onnx_has(importer, 3)) {
        struct weft_value *mask = onnx_input(importer, 3);
        if (mask == NULL) {
            return NULL;
        }
        bool chooses = mask->type.dtype == WEFT_BOOL;
        mask = padded(importer, chooses ? mask : onnx_float_input(importer, 3), a->k->type.dim[2],
                      never);
        scores = chooses ? onnx_select(importer, mask, scores, never)
                         : onnx_binary(importer, WEFT_OP_ADD, scores, mask);
    }
    return places == NULL ? scores : onnx_select(importer, places, scores, never);
}

/* ---- Attention ---- */

/* What was there before, and what comes, along the rows. */
static struct weft_value *joined(struct onnx_importer *importer, uint32_t number,
                                 struct weft_value *x, int64_t *before) {
    struct weft_value *parts[2] = {NULL, x};
    if (x == NULL || !onnx_has(importer, number)) {
        return x;
    }
    parts[0] = onnx_float_input(importer, number);
    if (parts[0] == NULL || parts[0]->type.rank != 4) {
        return onnx_none(importer, WEFT_MODEL, "what was before must have 4 dimensions");
    }
    *before = parts[0]->type.dim[2];
    return onnx_concatenate(importer, 2, parts, 2);
}

static bool read_tensors(struct onnx_importer *importer, struct attention *a) {
    int64_t values_before = 0;
    a->q = split_heads(importer, onnx_float_input(importer, 0), "q_num_heads");
    a->k = split_heads(importer, onnx_float_input(importer, 1), "kv_num_heads");
    a->v = split_heads(importer, onnx_float_input(importer, 2), "kv_num_heads");
    a->k = joined(importer, 4, a->k, &a->before);
    a->v = joined(importer, 5, a->v, &values_before);
    if (a->q == NULL || a->k == NULL || a->v == NULL) {
        return false;
    }
    const int64_t *q = a->q->type.dim;
    const int64_t *k = a->k->type.dim;
    const int64_t *v = a->v->type.dim;
    bool fit = q[0] == k[0] && k[0] == v[0] && k[1] == v[1] && k[1] > 0 && q[1] % k[1] == 0 &&
               k[2] == v[2] && q[3] == k[3] && q[3] > 0;
    return fit || onnx_wrong(importer, WEFT_MODEL,
                             "queries, keys and values do not fit together, or their heads");
}

bool onnx_attention(struct onnx_importer *importer) {
    struct attention a = {.before = 0};
    int64_t mode = onnx_int(importer, "qk_matmul_output_mode", 0);
    if (onnx_has(importer, 6)) {
        return onnx_wrong(importer, WEFT_OPERATOR, "nonpad_kv_seqlen is not supported");
    }
    if (!read_tensors(importer, &a)) {
        return false;
    }
    const struct weft_attribute beta = weft_attr_float(WEFT_ATTR_beta, 1);
    const int64_t *q = a.q->type.dim;
    int64_t heads = a.k->type.dim[1];
    struct weft_value *stages[4]; /* of the scores, as qk_matmul_output_mode counts them */
    stages[0] = scores_of(importer, &a);
    stages[1] = capped(importer, stages[0]);
    stages[2] = masked(importer, &a, stages[1]);
    stages[3] = onnx_apply(importer, WEFT_OP_SOFTMAX, 1, &stages[2], 1, &beta);
    if (stages[3] == NULL) {
        return false;
    }
    struct weft_value *y =
        multiply(importer, shared(importer, stages[3], heads, q[1] / heads * q[2]), a.v);
    const int64_t dims[4] = {q[0], q[1], q[2], a.v->type.dim[3]};
    y = onnx_reshape(importer, y, 4, dims);
    if (onnx_input(importer, 0)->type.rank == 3) {
        y = join_heads(importer, y);
    }
    if (mode < 0 || mode > 3) {
        return onnx_wrong(importer, WEFT_MODEL, "qk_matmul_output_mode is not 0 to 3");
    }
    enum weft_dtype dtype = onnx_input(importer, 0)->type.dtype;
    return onnx_finish_like(importer, y) &&
           onnx_finish_at(importer, 1, onnx_cast(importer, a.k, dtype)) &&
           onnx_finish_at(importer, 2, onnx_cast(importer, a.v, dtype)) &&
           onnx_finish_at(importer, 3, onnx_cast(importer, stages[mode], dtype));
}

/* ---- RotaryEmbedding ---- */

/* Cosines or sines, [B or 1, 1, L, half]: by position, or one row for each element. */
static struct weft_value *angles(struct onnx_importer *importer, uint32_t number) {
    struct weft_value *cache = onnx_float_input(importer, number);
    if (onnx_has(importer, 3)) {
        cache = onnx_gather(importer, cache, onnx_input(importer, 3), 0);
    }
    if (cache == NULL || cache->type.rank != 3) {
        return onnx_none(importer, WEFT_MODEL,
                         "expected a cache of 2 dimensions with positions, or of 3 without");
    }
    const int64_t dims[4] = {cache->type.dim[0], 1, cache->type.dim[1], cache->type.dim[2]};
    return onnx_reshape(importer, cache, 4, dims);
}

/* Pairs (a, b), neighbours or half a row apart, as (a cos - b sin, a sin + b cos). */
static struct weft_value *rotated(struct onnx_importer *importer, struct weft_value *x,
                                  int64_t size, bool neighbours) {
    const int64_t *d = x->type.dim;
    int64_t half = size / 2;
    int64_t step = neighbours ? 2 : 1;
    struct weft_value *cosine = angles(importer, 1);
    struct weft_value *sine = angles(importer, 2);
    struct weft_value *a = onnx_part(importer, x, 3, 0, step, half);
    struct weft_value *b = onnx_part(importer, x, 3, neighbours ? 1 : half, step, half);
    struct weft_value *parts[2];
    struct weft_value *of_a = onnx_binary(importer, WEFT_OP_MUL, a, cosine);
    struct weft_value *of_b = onnx_binary(importer, WEFT_OP_MUL, b, sine);
    parts[0] = onnx_binary(importer, WEFT_OP_SUBTRACT, of_a, of_b);
    of_a = onnx_binary(importer, WEFT_OP_MUL, a, sine);
    of_b = onnx_binary(importer, WEFT_OP_MUL, b, cosine);
    parts[1] = onnx_binary(importer, WEFT_OP_ADD, of_a, of_b);
    if (!neighbours) {
        return onnx_concatenate(importer, 2, parts, 3);
    }
    const int64_t apart[5] = {d[0], d[1], d[2], half, 1};
    const int64_t together[4] = {d[0], d[1], d[2], size};
    for (int i = 0; i < 2; i++) {
        parts[i] = onnx_reshape(importer, parts[i], 5, apart);
    }
    return onnx_reshape(importer, onnx_concatenate(importer, 2, parts, 4), 4, together);
}

bool onnx_rotary_embedding(struct onnx_importer *importer) {
    struct weft_value *whole = onnx_float_input(importer, 0);
    struct weft_value *x = split_heads(importer, whole, "num_heads");
    if (x == NULL) {
        return false;
    }
    int64_t depth = x->type.dim[3];
    int64_t size = onnx_int(importer, "rotary_embedding_dim", 0);
    size = size == 0 ? depth : size;
    if (size < 2 || size > depth || size % 2 != 0) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "rotary_embedding_dim is odd, or more than there is");
    }
    bool neighbours = onnx_int(importer, "interleaved", 0) != 0;
    struct weft_value *turned =
        rotated(importer, onnx_part(importer, x, 3, 0, 1, size), size, neighbours);
    struct weft_value *parts[2] = {turned, onnx_part(importer, x, 3, size, 1, depth - size)};
    struct weft_value *y = size == depth ? parts[0] : onnx_concatenate(importer, 2, parts, 3);
    return onnx_finish_like(importer, whole->type.rank == 3 ? join_heads(importer, y) : y);
}
