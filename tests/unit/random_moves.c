/* Random operators that move elements, and transposed convolutions. */
#include <string.h>

#include "base/integer.h"
#include "tests/unit/random_builder.h"

/* ---- pads ---- */

/* Rows and columns, or channels; with the zero point, or with a constant. */
static void add_pad(struct builder *b) {
    const struct weft_type *x = &b->value->type;
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    bool channels = random_once_in(&b->seed, 4);
    uint32_t first = channels ? x->rank - 1 : x->rank == 4 ? 1 : 0;
    uint32_t end = channels ? x->rank : x->rank - 1;
    for (uint32_t i = first; i < end; i++) {
        pads[2 * i] = builder_pick_small(b, 0, 12);
        pads[2 * i + 1] = builder_pick_small(b, 0, 12);
    }
    const struct weft_attribute attribute =
        weft_attr_ints(b->arena, WEFT_ATTR_pads, 2 * x->rank, pads);
    struct weft_type scalar = {.dtype = x->dtype, .quantization = x->quantization};
    struct weft_value *inputs[2] = {b->value, NULL};
    uint32_t count = random_once_in(&b->seed, 2) ? 2 : 1;
    if (count == 2) {
        inputs[1] = builder_constant(b, &scalar);
    }
    b->value = builder_add(b, WEFT_OP_PAD, count, inputs, 1, &attribute, NULL);
}

/* ---- reshapes ---- */

/* Moves factors between up to four dimensions. */
static void add_any_reshape(struct builder *b) {
    int64_t rest = weft_type_elements(&b->value->type);
    int64_t dims[4] = {1, 1, 1, 1};
    uint32_t rank = (uint32_t)builder_pick(b, 1, 4);
    for (uint32_t i = rank - 1; i > 0; i--) {
        int64_t size = builder_pick(b, 1, weft_min(rest, b->limits->channels));
        while (rest % size != 0) {
            size--;
        }
        dims[i] = size;
        rest /= size;
    }
    dims[0] = rest;
    builder_reshape(b, rank, dims);
}

/* ---- joining ---- */

/* Another operand for a concatenation along an axis, of the quantisation `q`: a value that is
 * there, an input or a constant. */
static struct weft_value *joined_operand(struct builder *b, int64_t axis,
                                         const struct weft_quantization *q) {
    struct weft_type type = b->value->type;
    for (size_t i = 0; i < b->graph->node_count; i++) {
        struct weft_value *other = b->graph->nodes[i]->results[0];
        struct weft_type shape = type;
        shape.dim[axis] = other->type.rank == type.rank ? other->type.dim[axis] : 0;
        if (other->type.dtype == type.dtype && weft_shape_equal(&other->type, &shape) &&
            weft_quantization_equal(&other->type.quantization, q) && random_once_in(&b->seed, 2)) {
            return other;
        }
    }
    type.dim[axis] = builder_pick_small(b, 1, weft_max(type.dim[axis], 2));
    type.quantization = *q;
    return random_once_in(&b->seed, 2) ? builder_constant(b, &type)
                                       : weft_graph_add_input(b->graph, &type, NULL, -1);
}

static void add_concatenate(struct builder *b) {
    struct weft_value *inputs[4] = {b->value};
    struct weft_type type = b->value->type;
    bool rescales = random_once_in(&b->seed, 2);
    int64_t axis = builder_pick(b, 0, type.rank - 1);
    uint32_t count = (uint32_t)builder_pick(b, 1, 4);
    for (uint32_t i = 1; i < count; i++) {
        struct weft_quantization q =
            rescales ? builder_random_quantization(b, type.dtype) : type.quantization;
        inputs[i] = random_once_in(&b->seed, 5) ? b->value : joined_operand(b, axis, &q);
    }
    type.dim[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        type.dim[axis] += inputs[i]->type.dim[axis];
    }
    if (rescales) {
        type.quantization = builder_random_quantization(b, type.dtype);
    }
    const struct weft_attribute attribute = weft_attr_int(b->arena, WEFT_ATTR_axis, axis);
    b->value = builder_add(b, rescales ? WEFT_OP_QNN_CONCATENATE : WEFT_OP_CONCATENATE, count,
                           inputs, 1, &attribute, &type);
}

/* ---- taking parts ---- */

/* Any results of a split may leave the graph. */
static void add_split(struct builder *b) {
    struct weft_type type = b->value->type;
    int64_t axis = builder_pick(b, 0, type.rank - 1);
    int64_t sizes[4];
    uint32_t count = 0;
    for (int64_t rest = type.dim[axis]; rest > 0; rest -= sizes[count++]) {
        sizes[count] = count == 3 ? rest : builder_pick(b, 1, rest);
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(b->arena, WEFT_ATTR_axis, axis),
        weft_attr_ints(b->arena, WEFT_ATTR_sizes, count, sizes),
    };
    struct weft_node *split =
        weft_graph_add_node(b->graph, WEFT_OP_SPLIT, 1, &b->value, 2, attributes);
    for (uint32_t i = 0; i < count; i++) {
        type.dim[axis] = sizes[i];
        struct weft_value *part = weft_node_add_result(b->graph, split, &type, -1);
        if (random_once_in(&b->seed, 4)) {
            weft_graph_add_output(b->graph, part);
        }
    }
    b->value = split->results[builder_pick(b, 0, count - 1)];
}

static void add_slice(struct builder *b) {
    struct weft_type type = b->value->type;
    int64_t begin[WEFT_MAX_RANK];
    int64_t steps[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < type.rank; i++) {
        int64_t size = type.dim[i];
        bool lanes = i + 1 == type.rank && !random_once_in(&b->seed, 8);
        steps[i] = lanes || random_once_in(&b->seed, 2) ? 1 : builder_pick(b, 1, 3);
        begin[i] = builder_pick_small(b, 0, size - 1);
        type.dim[i] = builder_pick(b, 1, (size - 1 - begin[i]) / steps[i] + 1);
        if (!lanes && random_once_in(&b->seed, 5)) {
            begin[i] += (type.dim[i] - 1) * steps[i]; /* the same, backwards */
            steps[i] = -steps[i];
        }
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_begin, type.rank, begin),
        weft_attr_ints(b->arena, WEFT_ATTR_steps, type.rank, steps),
        weft_attr_ints(b->arena, WEFT_ATTR_sizes, type.rank, type.dim),
    };
    b->value = builder_add(b, WEFT_OP_STRIDED_SLICE, 1, &b->value, 3, attributes, &type);
}

/* ---- rows and columns ---- */

/* To multiples or parts of the size, and sometimes to any size. */
static void add_resize(struct builder *b) {
    const struct weft_type *x = &b->value->type;
    int64_t size[2];
    for (int i = 0; i < 2; i++) {
        int64_t in = x->dim[1 + i];
        int64_t factor = builder_pick(b, 1, 3);
        size[i] = random_once_in(&b->seed, 3) && in % factor == 0 ? in / factor : in * factor;
        size[i] = random_once_in(&b->seed, 6) ? builder_pick(b, 1, 2 * in) : size[i];
        size[i] = weft_min(size[i], 2 * b->limits->side);
    }
    bool corners = random_once_in(&b->seed, 4);
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_size, 2, size),
        weft_attr_int(b->arena, WEFT_ATTR_align_corners, corners),
        weft_attr_int(b->arena, WEFT_ATTR_half_pixel_centers,
                      !corners && random_once_in(&b->seed, 2)),
    };
    b->value = builder_add(b, WEFT_OP_RESIZE_NEAREST_NEIGHBOR, 1, &b->value, 3, attributes, NULL);
}

/* Rows or columns at places in order, mostly evenly apart; rarely other axes and orders, which the
 * machine leaves to the host. */
static void add_interpolation(struct builder *b) {
    const struct weft_type *x = &b->value->type;
    int64_t axis = random_once_in(&b->seed, 10) ? builder_pick(b, 0, 3) : builder_pick(b, 1, 2);
    int64_t last = x->dim[axis] - 1;
    int64_t count = weft_min(builder_pick(b, 1, 3 * (last + 1)), 2 * b->limits->side);
    int64_t whole = (last * WEFT_WHOLE_FRACTION) / weft_max(count - 1, 1);
    bool even = !random_once_in(&b->seed, 4);
    bool halves = random_once_in(&b->seed, 2); /* shares of quarters */
    bool in_order = !random_once_in(&b->seed, 10);
    int64_t *elements = WEFT_NEW_ARRAY(b->arena, (size_t)count, int64_t);
    int64_t *fractions = WEFT_NEW_ARRAY(b->arena, (size_t)count, int64_t);
    int64_t place = 0;
    for (int64_t i = 0; i < count; i++) {
        place = even       ? i * whole
                : in_order ? builder_pick(b, place, last * WEFT_WHOLE_FRACTION)
                           : builder_pick(b, 0, last * WEFT_WHOLE_FRACTION);
        place &= halves ? ~(INT64_C(1) << 28) + 1 : -1;
        elements[i] = place / WEFT_WHOLE_FRACTION;
        fractions[i] = place % WEFT_WHOLE_FRACTION;
    }
    const struct weft_attribute attributes[] = {
        weft_attr_int(b->arena, WEFT_ATTR_axis, axis),
        weft_attr_ints(b->arena, WEFT_ATTR_elements, (uint32_t)count, elements),
        weft_attr_ints(b->arena, WEFT_ATTR_fractions, (uint32_t)count, fractions),
    };
    b->value = builder_add(b, WEFT_OP_INTERPOLATE_AXIS, 1, &b->value, 3, attributes, NULL);
}

void builder_move(struct builder *b) {
    bool picture = b->value->type.rank == 4;
    bool small = weft_type_elements(&b->value->type) < 4 * b->limits->macs;
    int64_t choice = builder_pick(b, 0, 6);
    if (choice < 2 && small) {
        add_pad(b);
    } else if (choice < 3) {
        add_any_reshape(b);
    } else if (choice < 4 && small) {
        add_concatenate(b);
    } else if (choice < 5) {
        add_split(b);
    } else if (choice < 6 && picture && small) {
        (random_once_in(&b->seed, 2) ? add_resize : add_interpolation)(b);
    } else {
        add_slice(b);
    }
}

/* ---- picking pixels ---- */

static void pad_sides(struct builder *b) {
    int64_t pads[8] = {0};
    for (int i = 2; i < 6; i++) {
        pads[i] = builder_pick_small(b, 0, 3);
    }
    const struct weft_attribute attribute = weft_attr_ints(b->arena, WEFT_ATTR_pads, 8, pads);
    b->value = builder_add(b, WEFT_OP_PAD, 1, &b->value, 1, &attribute, NULL);
}

static void crop_sides(struct builder *b) {
    struct weft_type type = b->value->type;
    int64_t begin[4] = {0};
    int64_t steps[4] = {1, 1, 1, 1};
    for (int i = 1; i < 3; i++) {
        int64_t size = type.dim[i];
        steps[i] = random_once_in(&b->seed, 3) ? builder_pick(b, 1, 3) : 1;
        begin[i] = builder_pick(b, 0, weft_min(size - 1, 2));
        type.dim[i] = (size - 1 - begin[i]) / steps[i] + 1;
        type.dim[i] -= builder_pick(b, 0, weft_min(type.dim[i] - 1, 1));
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_begin, 4, begin),
        weft_attr_ints(b->arena, WEFT_ATTR_steps, 4, steps),
        weft_attr_ints(b->arena, WEFT_ATTR_sizes, 4, type.dim),
    };
    b->value = builder_add(b, WEFT_OP_STRIDED_SLICE, 1, &b->value, 3, attributes, &type);
}

static void pool_pixels(struct builder *b) {
    const int64_t kernel[2] = {1, 1};
    const int64_t padding[4] = {0};
    int64_t strides[2];
    strides[0] = builder_pick(b, 1, 3);
    strides[1] = builder_pick(b, 1, 3);
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_kernel, 2, kernel),
        weft_attr_ints(b->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(b->arena, WEFT_ATTR_padding, 4, padding),
    };
    enum weft_operator op = random_once_in(&b->seed, 2) ? WEFT_OP_AVG_POOL2D : WEFT_OP_MAX_POOL2D;
    b->value = builder_add(b, op, 1, &b->value, 3, attributes, NULL);
}

void builder_pick_pixels(struct builder *b) {
    void (*const steps[])(struct builder *) = {pad_sides, crop_sides, pool_pixels};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (!random_once_in(&b->seed, 3)) {
            steps[i](b);
            if (random_once_in(&b->seed, 8)) {
                weft_graph_add_output(b->graph, b->value);
            }
        }
    }
}

/* ---- transposed convolutions ---- */

void builder_transposed(struct builder *b) {
    struct weft_type x = b->value->type;
    int64_t kernel[2];
    int64_t strides[2];
    int64_t cut[4];
    int64_t more[2];
    int64_t taps = x.dim[3];
    for (int i = 0; i < 2; i++) {
        kernel[i] = builder_pick(b, 1, b->limits->window);
        strides[i] = builder_pick_small(b, 1, b->limits->stride);
        more[i] = random_once_in(&b->seed, 3) ? builder_pick(b, 0, strides[i] - 1) : 0;
        /* At least one element stays. */
        int64_t size = (x.dim[1 + i] - 1) * strides[i] + kernel[i] + more[i];
        cut[i] = builder_pick(b, 0, weft_min(kernel[i] - 1, size - 1));
        cut[2 + i] = builder_pick(b, 0, weft_min(kernel[i] - 1, size - 1 - cut[i]));
        taps *= kernel[i];
    }
    int64_t macs = x.dim[0] * x.dim[1] * x.dim[2] * taps;
    int64_t most = weft_clamp(b->limits->macs / macs, 1, b->limits->channels);
    int64_t dims[4] = {builder_pick_small(b, 1, most), kernel[0], kernel[1], x.dim[3]};
    struct weft_value *inputs[2] = {b->value, builder_weights(b, 4, dims)};
    const struct weft_attribute attributes[] = {
        weft_attr_ints(b->arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(b->arena, WEFT_ATTR_padding, 4, cut),
        weft_attr_ints(b->arena, WEFT_ATTR_output_padding, 2, more),
    };
    struct weft_value *product =
        builder_add(b, WEFT_OP_QNN_CONV2D_TRANSPOSE, 2, inputs, 3, attributes, NULL);
    builder_finish_product(b, product, taps, "gemmlowp");
}
