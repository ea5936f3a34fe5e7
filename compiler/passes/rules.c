/* What passes made of rewriting rules share. */
#include "compiler/passes/rules.h"

#include <string.h>

#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/host/host.h"

struct weft_pattern *rule_unary(struct weft_arena *arena, enum weft_operator op,
                                struct weft_pattern *operand) {
    return weft_pattern_op(arena, op, 1, &operand);
}

struct weft_pattern *rule_any(struct weft_arena *arena, const char *name) {
    return weft_pattern_bind(arena, weft_pattern_wildcard(arena), name);
}

/* ---- nodes ---- */

static bool covers(const struct weft_type *type, int64_t min, int64_t max) {
    return min <= weft_dtype_min(type->dtype) && max >= weft_dtype_max(type->dtype);
}

struct weft_value *rule_clip(struct weft_rewrite *rewrite, struct weft_value *x, int64_t min,
                             int64_t max) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_attribute limits[] = {
        weft_attr_int(arena, WEFT_ATTR_min, min),
        weft_attr_int(arena, WEFT_ATTR_max, max),
    };
    return covers(&x->type, min, max)
               ? x
               : weft_rewrite_node(rewrite, WEFT_OP_CLIP, 1, &x, 2, limits, &x->type);
}

bool rule_clip_is_idle(const struct weft_node *clip) {
    return covers(&clip->inputs[0]->type, weft_node_int(clip, WEFT_ATTR_min),
                  weft_node_int(clip, WEFT_ATTR_max));
}

struct weft_value *rule_reshape(struct weft_rewrite *rewrite, struct weft_value *x,
                                const struct weft_type *type) {
    return weft_type_equal(&x->type, type)
               ? x
               : weft_rewrite_node(rewrite, WEFT_OP_RESHAPE, 1, &x, 0, NULL, type);
}

struct weft_type rule_shaped(const struct weft_type *type, uint32_t rank, const int64_t *dims) {
    struct weft_type made = *type;
    made.rank = rank;
    memset(made.dim, 0, sizeof made.dim);
    memcpy(made.dim, dims, rank * sizeof *dims);
    return made;
}

bool rule_pads_zero(const struct weft_node *pad) {
    const struct weft_type *type = &pad->inputs[0]->type;
    if (pad->input_count == 1) {
        return true;
    }
    const uint8_t *value = weft_value_data(pad->inputs[1]);
    int64_t zero = type->quantization.count == 0 ? 0 : weft_type_zero(type, 0);
    bool equal = value != NULL && type->quantization.count <= 1;
    for (size_t i = 0; equal && i < weft_dtype_bytes(type->dtype); i++) {
        equal = value[i] == (uint8_t)((uint64_t)zero >> (8 * i));
    }
    return equal;
}

bool rule_is_onnx(const struct weft_graph *graph) {
    bool is_onnx = false;
    for (size_t i = 0; !is_onnx && i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        is_onnx = node->op == WEFT_OP_QNN_QUANTIZE &&
                  weft_node_attribute(node, WEFT_ATTR_rounding) != NULL;
    }
    return is_onnx;
}

/* ---- numbers of channels ---- */

float *rule_channels(struct weft_rewrite *rewrite, const struct weft_value *value,
                     const struct weft_type *type) {
    const uint8_t *data = weft_value_data(value);
    int64_t channels = type->dim[type->rank - 1];
    int64_t count = weft_type_elements(&value->type);
    bool fits = data != NULL && value->type.dtype == WEFT_F32 && value->type.rank <= type->rank &&
                (count == 1 || (count == channels && value->type.rank > 0 &&
                                value->type.dim[value->type.rank - 1] == channels));
    float *numbers =
        fits ? WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, float) : NULL;
    for (int64_t i = 0; fits && i < channels; i++) {
        memcpy(&numbers[i], data + (count == 1 ? 0 : i * (int64_t)sizeof *numbers),
               sizeof *numbers);
    }
    return numbers;
}

struct weft_value *rule_by_channel(struct weft_rewrite *rewrite, const struct weft_node *node,
                                   bool any_order, float **numbers) {
    for (uint32_t i = 0; i < (any_order ? 2U : 1U); i++) {
        struct weft_value *value = node->inputs[i];
        const struct weft_type *type = &value->type;
        if (type->rank < 1 || !weft_shape_equal(type, &node->results[0]->type)) {
            continue;
        }
        *numbers = rule_channels(rewrite, node->inputs[1 - i], type);
        if (*numbers != NULL) {
            return value;
        }
    }
    return NULL;
}

struct weft_value *rule_vector(struct weft_rewrite *rewrite, int64_t count, const float *numbers) {
    const struct weft_type type = weft_type_make(WEFT_F32, 1, &count);
    return weft_rewrite_constant(rewrite, &type, numbers);
}

bool rule_is_all(const struct weft_value *value, float number) {
    const float *numbers = (const float *)(const void *)weft_value_data(value); /* aligned */
    int64_t count = weft_type_elements(&value->type);
    bool all = numbers != NULL && value->type.dtype == WEFT_F32;
    for (int64_t i = 0; all && i < count; i++) {
        all = numbers[i] == number;
    }
    return all;
}

uint32_t rule_first_moved(const struct weft_node *transpose) {
    const int64_t *order = weft_node_ints(transpose, WEFT_ATTR_permutation);
    uint32_t rank = transpose->inputs[0]->type.rank;
    uint32_t first = 0;
    while (first < rank && order[first] == first) {
        first++;
    }
    return first;
}

void rule_window(struct weft_arena *arena, const int64_t strides[2], int64_t groups,
                 struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES]) {
    static const int64_t once[2] = {1, 1};
    static const int64_t none[4] = {0};
    attributes[0] = weft_attr_ints(arena, WEFT_ATTR_strides, 2, strides);
    attributes[1] = weft_attr_ints(arena, WEFT_ATTR_padding, 4, none);
    attributes[2] = weft_attr_ints(arena, WEFT_ATTR_dilation, 2, once);
    attributes[3] = weft_attr_int(arena, WEFT_ATTR_groups, groups);
}

struct weft_value *rule_depthwise(struct weft_rewrite *rewrite, struct weft_value *x,
                                  const int64_t window[2], const int64_t strides[2],
                                  const float *weights, const struct weft_type *to) {
    int64_t channels = x->type.dim[3];
    const int64_t dims[4] = {channels, window[0], window[1], 1};
    const struct weft_type type = weft_type_make(WEFT_F32, 4, dims);
    struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES];
    struct weft_value *inputs[2] = {x, weft_rewrite_constant(rewrite, &type, weights)};
    rule_window(weft_rewrite_arena(rewrite), strides, channels, attributes);
    return weft_rewrite_node(rewrite, WEFT_OP_CONV2D, 2, inputs, RULE_WINDOW_ATTRIBUTES, attributes,
                             to);
}

bool rule_is_number(const struct weft_value *value, float *number) {
    const uint8_t *data = weft_value_data(value);
    bool is =
        data != NULL && value->type.dtype == WEFT_F32 && weft_type_elements(&value->type) == 1;
    if (is) {
        memcpy(number, data, sizeof *number);
    }
    return is;
}

/* ---- evaluating ---- */

bool rule_is_enumerable(const struct weft_type *type) {
    return type->quantization.count <= 1 &&
           (type->dtype == WEFT_I8 || type->dtype == WEFT_U8 || type->dtype == WEFT_I16);
}

/* A node that works on a vector of `count` elements instead of its own operand, and room for its
 * result. */
struct vector_step {
    struct weft_node *node;
    void *result;
};

static struct vector_step on_vector(struct weft_arena *arena, const struct weft_node *node,
                                    int64_t count) {
    struct weft_graph *graph = weft_graph_new(arena, "vector");
    struct weft_type from = node->inputs[0]->type;
    struct weft_type to = node->results[0]->type;
    from.rank = to.rank = 1;
    from.dim[0] = to.dim[0] = count;
    from.quantization.axis = to.quantization.axis = 0;
    struct weft_value *x = weft_graph_add_input(graph, &from, "x", -1);
    struct weft_node *alone =
        weft_graph_add_node(graph, node->op, 1, &x, node->attribute_count, node->attributes);
    weft_node_add_result(graph, alone, &to, -1);
    return (struct vector_step){alone, weft_arena_allocate(arena, weft_type_bytes(&to) + 1, 1)};
}

/* What a chain makes of the elements; NULL when a kernel refuses. */
static const void *run_steps(struct weft_arena *arena, size_t count,
                             const struct vector_step *steps, const void *elements) {
    struct weft_error error;
    const void *at = elements;
    for (size_t i = 0; i < count; i++) {
        void *result = steps[i].result;
        if (!weft_host_run(steps[i].node, &at, &result, &error)) {
            if (error.code == WEFT_OUT_OF_MEMORY) {
                longjmp(arena->on_failure, 1); /* another program would come out */
            }
            return NULL;
        }
        at = result;
    }
    return at;
}

/* Writes `count` integers from `first` on. */
static void write_values(enum weft_dtype dtype, uint8_t *bytes, int64_t first, int64_t count) {
    size_t size = weft_dtype_bytes(dtype);
    for (int64_t i = 0; i < count; i++) {
        for (size_t k = 0; k < size; k++) {
            bytes[(size_t)i * size + k] = (uint8_t)((uint64_t)(first + i) >> (8 * k));
        }
    }
}

static struct vector_step *chain_on_vector(struct weft_arena *arena, struct rule_chain chain,
                                           int64_t count) {
    struct vector_step *steps = WEFT_NEW_ARRAY(arena, chain.count, struct vector_step);
    for (size_t i = 0; i < chain.count; i++) {
        steps[i] = on_vector(arena, chain.nodes[i], count);
    }
    return steps;
}

bool rule_makes_same(struct weft_arena *arena, struct rule_chain a, struct rule_chain b) {
    enum {
        AT_ONCE = 256 /* values of the smallest type; divides the number of values of all */
    };
    enum weft_dtype from = a.nodes[0]->inputs[0]->type.dtype;
    size_t bytes = AT_ONCE * weft_dtype_bytes(a.nodes[a.count - 1]->results[0]->type.dtype);
    const struct vector_step *steps_a = chain_on_vector(arena, a, AT_ONCE);
    const struct vector_step *steps_b = chain_on_vector(arena, b, AT_ONCE);
    uint8_t *values = weft_arena_allocate(arena, AT_ONCE, weft_dtype_bytes(from));
    for (int64_t first = weft_dtype_min(from); first < weft_dtype_max(from); first += AT_ONCE) {
        write_values(from, values, first, AT_ONCE);
        const void *of_a = run_steps(arena, a.count, steps_a, values);
        const void *of_b = run_steps(arena, b.count, steps_b, values);
        if (of_a == NULL || of_b == NULL || memcmp(of_a, of_b, bytes) != 0) {
            return false;
        }
    }
    return true;
}

bool rule_is_monotone(const struct weft_node *node) {
    const struct weft_type *from = &node->inputs[0]->type;
    const char *rounding = weft_node_text(node, WEFT_ATTR_rounding);
    bool is_float = strcmp(rounding, "float") == 0;
    if (!is_float && strcmp(rounding, "gemmlowp") != 0) {
        return strcmp(rounding, "single") == 0;
    }
    for (uint32_t i = 0; i < from->quantization.count; i++) {
        int64_t zero = from->quantization.zero[i];
        int64_t largest =
            weft_max(weft_dtype_max(from->dtype) - zero, zero - weft_dtype_min(from->dtype));
        int32_t multiplier = 0;
        int shift = 0; /* to the left, before anything is rounded: gemmlowp's alone */
        if (!is_float) {
            weft_quantize_multiplier(from->quantization.scale[i] /
                                         weft_type_scale(&node->results[0]->type, 0),
                                     &multiplier, &shift);
        }
        if (shift > 31 || (shift > 0 && largest > INT32_MAX >> shift) || largest - 1 > INT32_MAX) {
            return false;
        }
    }
    return true;
}

bool rule_requantize_limits(struct weft_arena *arena, const struct weft_node *node, int64_t value,
                            int64_t *least, int64_t *most) {
    const struct weft_type *from = &node->inputs[0]->type;
    enum weft_dtype to = node->results[0]->type.dtype;
    int64_t channels = from->quantization.count;
    size_t bytes = weft_dtype_bytes(from->dtype);
    uint8_t *values = weft_arena_allocate(arena, (size_t)channels, bytes);
    for (int64_t i = 0; i < channels; i++) {
        write_values(from->dtype, values + (size_t)i * bytes, value, 1);
    }
    const struct vector_step step = on_vector(arena, node, channels);
    const uint8_t *results = run_steps(arena, 1, &step, values);
    *least = weft_dtype_max(to);
    *most = weft_dtype_min(to);
    for (int64_t i = 0; results != NULL && i < channels; i++) {
        int64_t result = weft_element(to, results, i);
        *least = result < *least ? result : *least;
        *most = result > *most ? result : *most;
    }
    return results != NULL;
}
