/* Channels in another order, or some of them, that no product beside them takes in become a product
 * of one pixel with weights of 0 and 1: the machine, which moves pixels with all their channels,
 * has no other way to move these. Where pixels move, too, as of pixel shuffling, both are done one
 * after the other. */
#include "compiler/passes/fuse.h"
#include "compiler/passes/shuffle.h"

enum {
    MOST_CHANNELS = 2048, /* of the tensor: weights are their square at most */
};

/* Tensors of bytes under one scale, which the product keeps. */
static bool is_kept(const struct weft_type *from, const struct weft_type *to) {
    return (from->dtype == WEFT_I8 || from->dtype == WEFT_U8) && from->dtype == to->dtype &&
           from->quantization.count == 1 &&
           weft_quantization_equal(&from->quantization, &to->quantization) &&
           weft_type_elements(from) > 0 && from->dim[from->rank - 1] <= MOST_CHANNELS;
}

/* Channel i of the result is channel chosen[i] of x, for `count` of them; NULL: there is no scale
 * for it. */
static struct weft_value *choose(struct weft_rewrite *rewrite, struct weft_value *x, int64_t count,
                                 const int64_t *chosen, const struct weft_type *to) {
    static const int64_t once[2] = {1, 1};
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    int64_t channels = x->type.dim[x->type.rank - 1];
    int64_t rows = weft_type_elements(&x->type) / channels;
    const int64_t dims[4] = {count, 1, 1, channels};
    struct weft_type type = weft_type_make(WEFT_I8, 4, dims);
    type.quantization = weft_quantization_make(arena, 1, 0);
    int8_t *weights = WEFT_NEW_ARRAY(arena, (size_t)(count * channels), int8_t);
    for (int64_t i = 0; i < count; i++) {
        weights[i * channels + chosen[i]] = 1;
    }
    struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES];
    rule_window(arena, once, 1, attributes);
    const int64_t flat_dims[4] = {1, 1, rows, channels};
    const struct weft_type flat = rule_shaped(&x->type, 4, flat_dims);
    struct weft_value *pixels = x->type.rank == 4 ? x : rule_reshape(rewrite, x, &flat);
    struct weft_value *inputs[2] = {pixels, weft_rewrite_constant(rewrite, &type, weights)};
    struct weft_value *sums =
        fuse_sums(rewrite, WEFT_OP_QNN_CONV2D, inputs, RULE_WINDOW_ATTRIBUTES, attributes);
    if (sums == NULL) {
        return NULL;
    }
    type = rule_shaped(&x->type, 4, sums->type.dim);
    return rule_reshape(rewrite, fuse_rescale(rewrite, sums, NULL, &type), to);
}

/* ---- pixels and channels ---- */

/* transpose(reshape(x)) of more axes than the machine moves at once, among them the channels of x.
 */
static struct weft_value *split(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_value *x = site->post->producer->inputs[0]->producer->inputs[0];
    return x->type.rank > 0 && is_kept(&x->type, &site->post->type) && weft_value_data(x) == NULL
               ? move_split(rewrite, x, site->post)
               : NULL;
}

/* ---- shuffles ---- */

static struct weft_value *shuffle(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_type *to = &site->post->type;
    const struct weft_node *transpose = site->post->producer;
    if (transpose->op == WEFT_OP_RESHAPE) {
        transpose = transpose->inputs[0]->producer;
    }
    struct weft_value *x = transpose->inputs[0];
    if (x->producer != NULL && x->producer->op == WEFT_OP_RESHAPE) {
        x = x->producer->inputs[0];
    }
    if (x->type.rank == 0 || to->rank == 0 || !is_kept(&x->type, to) ||
        weft_value_data(x) != NULL) {
        return NULL;
    }
    int64_t channels = x->type.dim[x->type.rank - 1];
    uint32_t first = shuffle_first(transpose, channels);
    uint32_t last = transpose->inputs[0]->type.rank - 1;
    if (to->dim[to->rank - 1] != channels || first > last ||
        weft_node_ints(transpose, WEFT_ATTR_permutation)[last] == last) {
        return NULL; /* or whole pixels of some channels move */
    }
    int64_t *places = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, int64_t);
    shuffle_places(transpose, first, channels, places);
    return choose(rewrite, x, channels, places, to);
}

/* ---- gathers ---- */

static struct weft_value *gather(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    const struct weft_value *indices = node->inputs[1];
    const uint8_t *data = weft_value_data(indices);
    if (data == NULL || weft_value_data(x) != NULL || x->type.rank == 0 ||
        weft_node_int(node, WEFT_ATTR_axis) != (int64_t)x->type.rank - 1 ||
        weft_node_int(node, WEFT_ATTR_batch_dims) != 0 || !is_kept(&x->type, &site->post->type)) {
        return NULL;
    }
    int64_t channels = x->type.dim[x->type.rank - 1];
    int64_t count = weft_type_elements(&indices->type);
    bool known = count > 0 && count <= MOST_CHANNELS;
    int64_t *chosen =
        WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), known ? (size_t)count : 0, int64_t);
    for (int64_t i = 0; known && i < count; i++) {
        chosen[i] = weft_element(indices->type.dtype, data, i);
        known = chosen[i] >= 0 && chosen[i] < channels;
    }
    return known ? choose(rewrite, x, count, chosen, &site->post->type) : NULL;
}

struct weft_graph *weft_pass_shuffle_channels(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    struct weft_pattern *both[2] = {any, weft_pattern_wildcard(arena)};
    struct weft_pattern *transpose = rule_unary(arena, WEFT_OP_TRANSPOSE, any);
    const struct weft_rule splits[] = {
        {rule_unary(arena, WEFT_OP_TRANSPOSE, rule_unary(arena, WEFT_OP_RESHAPE, any)), split,
         NULL},
    };
    const struct weft_rule folds[] = {
        {transpose, fold_shuffle_behind, NULL},
        {weft_pattern_op(arena, WEFT_OP_QNN_CONV2D, 2, both), fold_shuffle_before, NULL},
    };
    const struct weft_rule rules[] = {
        {rule_unary(arena, WEFT_OP_RESHAPE, transpose), shuffle, NULL},
        {transpose, shuffle, NULL},
        {weft_pattern_op(arena, WEFT_OP_GATHER, 2, both), gather, NULL},
    };
    graph = weft_rewrite(graph, sizeof splits / sizeof splits[0], splits);
    graph = weft_rewrite(graph, sizeof folds / sizeof folds[0], folds);
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
