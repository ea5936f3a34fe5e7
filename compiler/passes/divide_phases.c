/* Transposed convolutions with windows so large that the machine would not keep all of their taps
 * become convolutions: the results of one place of the operand, as many as the strides, are
 * channels of one result, and are put side by side afterwards. */
#include <string.h>

#include "compiler/passes/fuse.h"

enum {
    LEAST_TAPS = 65, /* smaller windows are carried out phase by phase as they are */
    MOST_CHANNELS = 1 << 16,
    MOST_WEIGHTS = 1 << 26,
};

/* Along rows or columns. */
struct axis {
    int64_t stride, kernel;
    int64_t taps;          /* of a phase, some perhaps of nothing */
    int64_t before, after; /* padding of the convolution */
    int64_t places;        /* its results */
    int64_t begin;         /* the first result among those side by side */
};

/* Result y is tap p + stride * j of place q - j, where y + top = stride * q + p. */
static bool find_axis(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t top,
                      struct axis *axis) {
    int64_t first = top / stride;
    int64_t last = (out - 1 + top) / stride;
    *axis = (struct axis){.stride = stride, .kernel = kernel};
    axis->taps = (kernel + stride - 1) / stride;
    axis->before = axis->taps - 1 - first;
    axis->after = last - (in - 1);
    axis->places = last - first + 1;
    axis->begin = top - first * stride;
    return out > 0 && axis->before >= 0 && axis->after >= 0;
}

/* Weights [phases of rows, phases of columns, O, taps, taps, C] of those [O, KH, KW, C]. */
static struct weft_value *divided(struct weft_rewrite *rewrite, const struct weft_value *weights,
                                  const struct axis axes[2]) {
    const int64_t *dim = weights->type.dim;
    int64_t phases = axes[0].stride * axes[1].stride;
    const int64_t dims[4] = {phases * dim[0], axes[0].taps, axes[1].taps, dim[3]};
    struct weft_type type = rule_shaped(&weights->type, 4, dims);
    type.quantization = weft_repeat_scales(weft_rewrite_arena(rewrite), &weights->type.quantization,
                                           (size_t)phases);
    const uint8_t *from = weft_value_data(weights);
    uint8_t *made =
        WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)weft_type_elements(&type), uint8_t);
    uint8_t *to = made;
    for (int64_t i = 0; i < dims[0]; i++) {
        int64_t phase = i / dim[0];
        int64_t o = i % dim[0];
        for (int64_t k = 0; k < dims[1] * dims[2]; k++, to += dim[3]) {
            int64_t row =
                phase / axes[1].stride + axes[0].stride * (axes[0].taps - 1 - k / axes[1].taps);
            int64_t column =
                phase % axes[1].stride + axes[1].stride * (axes[1].taps - 1 - k % axes[1].taps);
            if (row < dim[1] && column < dim[2]) {
                memcpy(to, from + ((o * dim[1] + row) * dim[2] + column) * dim[3], (size_t)dim[3]);
            } else {
                memset(to, (uint8_t)weft_type_zero(&weights->type, o), (size_t)dim[3]);
            }
        }
    }
    return weft_rewrite_constant(rewrite, &type, made);
}

/* A constant for each channel, once for each phase. */
static struct weft_value *repeated(struct weft_rewrite *rewrite, const struct weft_value *bias,
                                   int64_t phases) {
    size_t bytes = weft_type_bytes(&bias->type);
    const int64_t count = bias->type.dim[0] * phases;
    struct weft_type type = rule_shaped(&bias->type, 1, &count);
    type.quantization =
        weft_repeat_scales(weft_rewrite_arena(rewrite), &bias->type.quantization, (size_t)phases);
    uint8_t *made = weft_arena_allocate(weft_rewrite_arena(rewrite), (size_t)phases, bytes);
    for (int64_t i = 0; i < phases; i++) {
        memcpy(made + (size_t)i * bytes, weft_value_data(bias), bytes);
    }
    return weft_rewrite_constant(rewrite, &type, made);
}

/* [N, places, places, phases * phases * O] as a picture [N, H, W, O] of these side by side. */
static struct weft_value *side_by_side(struct weft_rewrite *rewrite, struct weft_value *x,
                                       const struct axis axes[2], const struct weft_type *to) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    static const int64_t order[4] = {0, 2, 1, 3};
    const int64_t n = to->dim[0];
    const int64_t width = axes[1].stride * to->dim[3];
    const int64_t apart[4] = {n * axes[0].places, axes[1].places, axes[0].stride, width};
    const int64_t turned[4] = {apart[0], apart[2], apart[1], width};
    const int64_t whole[4] = {n, axes[0].places * axes[0].stride, axes[1].places * axes[1].stride,
                              to->dim[3]};
    if (axes[0].stride > 1) {
        const struct weft_type from = rule_shaped(&x->type, 4, apart);
        const struct weft_type type = rule_shaped(&x->type, 4, turned);
        const struct weft_attribute permutation =
            weft_attr_ints(arena, WEFT_ATTR_permutation, 4, order);
        x = rule_reshape(rewrite, x, &from);
        x = weft_rewrite_node(rewrite, WEFT_OP_TRANSPOSE, 1, &x, 1, &permutation, &type);
    }
    const struct weft_type picture = rule_shaped(to, 4, whole);
    x = rule_reshape(rewrite, x, &picture);
    if (weft_shape_equal(&picture, to)) {
        return x;
    }
    const int64_t begin[4] = {0, axes[0].begin, axes[1].begin, 0};
    static const int64_t steps[4] = {1, 1, 1, 1};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_begin, 4, begin),
        weft_attr_ints(arena, WEFT_ATTR_steps, 4, steps),
        weft_attr_ints(arena, WEFT_ATTR_sizes, 4, to->dim),
    };
    return weft_rewrite_node(rewrite, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes, to);
}

/* The product behind which a requantisation stands, and a bias, or NULL. */
static const struct weft_node *product_of(const struct weft_rewrite *rewrite,
                                          const struct weft_node *requantize,
                                          const struct weft_value **bias) {
    const struct weft_node *node = requantize->inputs[0]->producer;
    *bias = NULL;
    if (node != NULL && node->op == WEFT_OP_BIAS_ADD && weft_value_data(node->inputs[1]) != NULL) {
        *bias = node->inputs[1];
        node = node->inputs[0]->producer;
    }
    return node != NULL && node->op == WEFT_OP_QNN_CONV2D_TRANSPOSE &&
                   weft_value_data(node->inputs[1]) != NULL &&
                   weft_type_elements(&node->inputs[1]->type) > 0 &&
                   weft_type_elements(&node->inputs[0]->type) > 0 &&
                   weft_rewrite_uses(rewrite, node->results[0]) == 1
               ? node
               : NULL;
}

/* The multiplications of the convolution. */
static int64_t carried_out(const struct weft_node *node, const struct axis axes[2]) {
    int64_t each = axes[0].stride * axes[0].taps * axes[1].stride * axes[1].taps;
    return node->inputs[0]->type.dim[0] * axes[0].places * axes[1].places *
           (weft_type_elements(&node->inputs[1]->type) / (axes[0].kernel * axes[1].kernel)) * each;
}

static struct weft_value *divide(struct weft_rewrite *rewrite, const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_node *requantize = site->post->producer;
    const struct weft_type *to = &site->post->type;
    const struct weft_value *bias = NULL;
    const struct weft_node *node = product_of(rewrite, requantize, &bias);
    struct axis axes[2];
    if (node == NULL || to->rank != 4 || to->quantization.count > 1 ||
        weft_rewrite_uses(rewrite, requantize->inputs[0]) != 1) {
        return NULL;
    }
    const int64_t *weights = node->inputs[1]->type.dim;
    const int64_t *strides = weft_node_ints(node, WEFT_ATTR_strides);
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    for (int i = 0; i < 2; i++) {
        if (!find_axis(node->inputs[0]->type.dim[1 + i], to->dim[1 + i], weights[1 + i], strides[i],
                       padding[i], &axes[i])) {
            return NULL;
        }
    }
    int64_t most = MOST_CHANNELS / weights[0];
    if (weights[1] * weights[2] < LEAST_TAPS || axes[0].stride > most ||
        axes[1].stride > most / axes[0].stride || axes[0].stride * axes[1].stride == 1) {
        return NULL;
    }
    int64_t phases = axes[0].stride * axes[1].stride;
    double size = (double)phases * (double)weights[0] * (double)axes[0].taps *
                  (double)axes[1].taps * (double)weights[3];
    if (size > (double)MOST_WEIGHTS) {
        return NULL;
    }
    static const int64_t once[2] = {1, 1};
    const int64_t around[4] = {axes[0].before, axes[1].before, axes[0].after, axes[1].after};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_strides, 2, once),
        weft_attr_ints(arena, WEFT_ATTR_padding, 4, around),
        weft_attr_ints(arena, WEFT_ATTR_dilation, 2, once),
        weft_attr_int(arena, WEFT_ATTR_groups, 1),
        weft_attr_int(arena, WEFT_ATTR_cut_macs,
                      weft_node_model_macs(node) - carried_out(node, axes))};
    struct weft_value *inputs[2] = {node->inputs[0], divided(rewrite, node->inputs[1], axes)};
    struct weft_value *y = fuse_sums(rewrite, WEFT_OP_QNN_CONV2D, inputs, 5, attributes);
    if (y == NULL) {
        return NULL;
    }
    if (bias != NULL) {
        y = fuse_binary(rewrite, WEFT_OP_BIAS_ADD, y, repeated(rewrite, bias, phases), &y->type);
    }
    const struct weft_type type = rule_shaped(to, 4, y->type.dim);
    y = weft_rewrite_copy(rewrite, requantize, &y, &type);
    return side_by_side(rewrite, y, axes, to);
}

struct weft_graph *weft_pass_divide_phases(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    const struct weft_rule rule = {
        rule_unary(arena, WEFT_OP_QNN_REQUANTIZE, weft_pattern_wildcard(arena)), divide, NULL};
    return weft_rewrite(graph, 1, &rule);
}
