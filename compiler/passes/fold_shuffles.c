/* Channels that come in another order behind a product, or before one, are a matter of its weights:
 * as pixel shuffling has them, and groups of channels that are mixed. */
#include <string.h>

#include "compiler/passes/fuse.h"
#include "compiler/passes/shuffle.h"

enum {
    MOST_STEPS = 4 /* bias, requantisation and clips behind a product */
};

uint32_t shuffle_first(const struct weft_node *transpose, int64_t channels) {
    const struct weft_type *type = &transpose->inputs[0]->type;
    uint32_t first = rule_first_moved(transpose);
    int64_t elements = 1;
    for (uint32_t i = first; i < type->rank; i++) {
        elements *= type->dim[i];
    }
    return elements == channels ? first : type->rank;
}

void shuffle_places(const struct weft_node *transpose, uint32_t first, int64_t channels,
                    int64_t *places) {
    const int64_t *dims = transpose->inputs[0]->type.dim;
    const int64_t *order = weft_node_ints(transpose, WEFT_ATTR_permutation);
    uint32_t rank = transpose->inputs[0]->type.rank;
    int64_t stride[WEFT_MAX_RANK];
    int64_t next = 1;
    for (uint32_t i = rank; i-- > first;) {
        stride[i] = next;
        next *= dims[i];
    }
    for (int64_t c = 0; c < channels; c++) {
        int64_t left = c;
        places[c] = 0;
        for (uint32_t i = rank; i-- > first;) {
            places[c] += left % dims[order[i]] * stride[order[i]];
            left /= dims[order[i]];
        }
    }
}

/* A constant of `outer` times `channels` times `inner` bytes with channel i from places[i], or, if
 * `back`, with channel places[i] from i. */
static uint8_t *ordered(struct weft_rewrite *rewrite, const uint8_t *from, size_t outer,
                        size_t channels, size_t inner, const int64_t *places, bool back) {
    uint8_t *made = weft_arena_allocate(weft_rewrite_arena(rewrite), outer * channels + 1, inner);
    for (size_t i = 0; i < outer * channels; i++) {
        size_t row = i / channels * channels;
        size_t place = row + (size_t)places[i % channels];
        memcpy(made + (back ? place : i) * inner, from + (back ? i : place) * inner, inner);
    }
    return made;
}

/* A constant [channels, ...] in the other order of its first axis. */
static struct weft_value *ordered_rows(struct weft_rewrite *rewrite, const struct weft_value *value,
                                       const int64_t *places) {
    struct weft_type type = value->type;
    size_t channels = (size_t)type.dim[0];
    size_t inner = weft_type_bytes(&type) / channels;
    type.quantization =
        weft_choose_scales(weft_rewrite_arena(rewrite), &type.quantization, channels, places);
    return weft_rewrite_constant(
        rewrite, &type,
        ordered(rewrite, weft_value_data(value), 1, channels, inner, places, false));
}

/* Can the step behind a product be taken in another order of channels? */
static bool keeps_channels(const struct weft_node *node, int64_t channels) {
    const struct weft_type *to = &node->results[0]->type;
    bool whole = to->quantization.count <= 1 || to->dtype == WEFT_I32;
    return whole && (node->op == WEFT_OP_CLIP || node->op == WEFT_OP_QNN_REQUANTIZE ||
                     (node->op == WEFT_OP_BIAS_ADD && weft_value_data(node->inputs[1]) != NULL &&
                      node->inputs[1]->type.dim[0] == channels));
}

static bool is_whole_product(const struct weft_node *node) {
    return node->op == WEFT_OP_QNN_CONV2D && weft_value_data(node->inputs[1]) != NULL &&
           weft_node_int(node, WEFT_ATTR_groups) == 1 &&
           weft_type_elements(&node->results[0]->type) > 0 &&
           weft_type_elements(&node->inputs[1]->type) > 0;
}

struct weft_value *fold_shuffle_behind(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *transpose = site->post->producer;
    struct weft_value *x = transpose->inputs[0];
    const struct weft_node *steps[MOST_STEPS];
    uint32_t count = 0;
    bool alone = weft_rewrite_uses(rewrite, x) == 1;
    if (alone && x->producer != NULL && x->producer->op == WEFT_OP_RESHAPE) {
        x = x->producer->inputs[0];
        alone = weft_rewrite_uses(rewrite, x) == 1;
    }
    if (!alone || x->producer == NULL || x->type.rank != 4) {
        return NULL;
    }
    int64_t channels = x->type.dim[3];
    uint32_t first = shuffle_first(transpose, channels);
    const struct weft_node *node = x->producer;
    while (count < MOST_STEPS && keeps_channels(node, channels) &&
           node->inputs[0]->producer != NULL && weft_rewrite_uses(rewrite, node->inputs[0]) == 1) {
        steps[count++] = node;
        node = node->inputs[0]->producer;
    }
    if (first == transpose->inputs[0]->type.rank || !is_whole_product(node)) {
        return NULL;
    }
    int64_t *places = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, int64_t);
    shuffle_places(transpose, first, channels, places);
    struct weft_value *inputs[2] = {node->inputs[0],
                                    ordered_rows(rewrite, node->inputs[1], places)};
    struct weft_value *y =
        fuse_sums(rewrite, node->op, inputs, node->attribute_count, node->attributes);
    while (y != NULL && count-- > 0) {
        node = steps[count];
        inputs[0] = y;
        if (node->op == WEFT_OP_BIAS_ADD) {
            inputs[1] = ordered_rows(rewrite, node->inputs[1], places);
        }
        struct weft_type type = node->results[0]->type;
        type.quantization = weft_choose_scales(weft_rewrite_arena(rewrite), &type.quantization,
                                               (size_t)channels, places);
        y = weft_rewrite_copy(rewrite, node, inputs, &type);
    }
    return y == NULL ? NULL : rule_reshape(rewrite, y, &site->post->type);
}

struct weft_value *fold_shuffle_before(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    struct weft_value *x = node->inputs[0];
    if (x->producer != NULL && x->producer->op == WEFT_OP_RESHAPE &&
        weft_rewrite_uses(rewrite, x) == 1) {
        x = x->producer->inputs[0];
    }
    const struct weft_node *transpose = x->producer;
    int64_t channels = node->inputs[0]->type.dim[3];
    if (!is_whole_product(node) || transpose == NULL || transpose->op != WEFT_OP_TRANSPOSE ||
        weft_rewrite_uses(rewrite, x) != 1) {
        return NULL;
    }
    uint32_t first = shuffle_first(transpose, channels);
    if (first == x->type.rank) {
        return NULL;
    }
    const struct weft_value *weights = node->inputs[1];
    int64_t *places = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, int64_t);
    shuffle_places(transpose, first, channels, places);
    size_t bytes = weft_dtype_bytes(weights->type.dtype);
    size_t outer = weft_type_bytes(&weights->type) / bytes / (size_t)channels;
    const void *data =
        ordered(rewrite, weft_value_data(weights), outer, (size_t)channels, bytes, places, true);
    x = rule_reshape(rewrite, transpose->inputs[0], &node->inputs[0]->type);
    struct weft_value *inputs[2] = {x, weft_rewrite_constant(rewrite, &weights->type, data)};
    return weft_rewrite_copy(rewrite, node, inputs, &site->post->type);
}
