/* Functions of two operands by element, broadcast against each other. */
#include "base/bytes.h"
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

static struct weft_pattern *function_of_two(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *operands[2] = {weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)};
    return weft_pattern_optional(arena, weft_pattern_op(arena, operator, 2, operands),
                                 WEFT_OP_CLIP);
}

/* ---- lowering ---- */

static const struct {
    const char *name;
    enum weft_function function;
} functions[WEFT_OPERATORS] = {
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION)                                     \
    [WEFT_OP_##OPERATOR] = {#name, WEFT_FUNCTION_##FUNCTION},
#include "compiler/ir/functions.def"
};

/* The scalings of sums and products. Shifts to the left are those that the reference does not
 * define, or checks for. */
static const char *set_scaling(struct layer *layer, const struct weft_node *node,
                               const struct weft_value *output) {
    int most = 0;
    if (weft_node_attribute(node, WEFT_ATTR_rounding) != NULL) {
        return "no 31-bit multiplier gives the reference's rounding of all bytes";
    }
    if (node->op == WEFT_OP_QNN_MUL) {
        weft_node_product_multiplier(node, &layer->multiplier[0], &layer->shift[0]);
        most = 31;
    } else if (node->op == WEFT_OP_QNN_SQUARED_DIFFERENCE) {
        double factor[3];
        weft_squared_difference_factors(weft_type_scale(&node->inputs[0]->type, 0),
                                        weft_type_scale(&node->inputs[1]->type, 0),
                                        weft_type_scale(&output->type, 0), factor);
        for (int i = 0; i < 3; i++) {
            weft_quantize_multiplier(factor[i], &layer->multiplier[i], &layer->shift[i]);
        }
        most = 31;
    } else if (node->op != WEFT_OP_MAXIMUM && node->op != WEFT_OP_MINIMUM) {
        weft_node_sum_multipliers(node, 20, layer->multiplier, layer->shift);
    }
    for (int i = 0; i < 3; i++) {
        if (layer->shift[i] > most) {
            return "the result's scale is too small for the reference's arithmetic";
        }
    }
    return NULL;
}

static bool is_whole_or_one(int64_t operand, int64_t result) {
    return operand == result || operand == 1;
}

static const char *lower_binary(const struct lowering *lowering, const struct weft_node *node,
                                const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_any_shapes(lowering, node->inputs[0], output);
    struct shape shape[2] = {layer->in};
    reason = reason == NULL ? set_any_tensor(lowering, node->inputs[1], &shape[1], &layer->zero[1])
                            : reason;
    for (int k = 0; k < 2 && reason == NULL; k++) {
        layer->broadcasts = layer->broadcasts || shape[k].n != layer->out.n ||
                            shape[k].h != layer->out.h || shape[k].w != layer->out.w ||
                            (shape[k].c == 1 && layer->out.c > lowering->config->block);
        /* Rows, columns, images and blocks are repeated by strides of 0; lanes are not, but by a
         * layer of their own, or those of a constant in memory. */
        if (!is_whole_or_one(shape[k].n, layer->out.n) ||
            !is_whole_or_one(shape[k].h, layer->out.h)) {
            reason = "operands of more than 4 dimensions are repeated along all but the last two, "
                     "or none of these, on the machine";
        }
    }
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_BINARY;
    layer->in.c = layer->out.c;
    layer->name = functions[node->op].name;
    layer->function = functions[node->op].function;
    layer->input[1] = node->inputs[1];
    layer->input_count = 2;
    reason = set_scaling(layer, node, output);
    if (reason == NULL && node->op == WEFT_OP_QNN_MUL) {
        (void)(set_outer_product(lowering, node->inputs[0], node->inputs[1]) ||
               set_outer_product(lowering, node->inputs[1], node->inputs[0]));
    }
    return reason;
}

static const struct layer_pattern patterns[] = {
#define WEFT_BINARY_FUNCTION(OPERATOR, name, kernel, FUNCTION)                                     \
    {"weft." #name, WEFT_OP_##OPERATOR, function_of_two, lower_binary},
#include "compiler/ir/functions.def"
};

/* ---- parameters ---- */

void write_sum_record(uint8_t *to, const int32_t multiplier[3], const int shift[3]) {
    for (int i = 0; i < 3; i++) {
        weft_write_u32(to + 4 * (size_t)i, (uint32_t)multiplier[i]);
        to[12 + i] = (uint8_t)shift[i];
    }
}

static void pack(struct packing *packing, int index) {
    const struct layer *layer = packing->plan->layers[index];
    uint8_t *to = has_sum_record(layer->function)
                      ? add_piece(packing, PIECES_PAR, WEFT_SUM_RECORD_BYTES)
                      : NULL;
    if (to != NULL) {
        write_sum_record(to, layer->multiplier, layer->shift);
    }
}

/* ---- instructions ---- */

/* Axes of an operand that are repeated have a stride of 0; of fewer channels there is one block,
 * whose lanes are alike. */
static void set_repeated(const struct work *work, int slot, const struct view *view,
                         const struct area *area, uint32_t *line, int32_t stride[3]) {
    const struct shape *out = &layer_of(work)->out;
    const struct shape *shape = &tensor_at(work->plan, work->layer, slot)->shape;
    struct area first = *area;
    first.image = is_repeated(shape->n, out->n) ? 0 : first.image;
    first.first_row = is_repeated(shape->h, out->h) ? 0 : first.first_row;
    first.first_block = shape->c == out->c ? first.first_block : 0;
    *line = line_of(work, view, &first);
    set_strides(work, view, stride);
    stride[0] = shape->c == out->c ? stride[0] : 0;
    stride[1] = is_repeated(shape->h, out->h) ? 0 : stride[1];
    stride[2] = is_repeated(shape->w, out->w) ? 0 : stride[2];
}

static void emit_binary(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    int64_t step = tiling_of(work)->rows;
    const struct stripe *stripe = &rows->stripe;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t row = stripe->first; row < stripe->end; row += step) {
            const struct area area =
                all_blocks(work, n, row, 0, weft_min(step, stripe->end - row), layer->out.w);
            struct weft_instruction instruction = binary_of(work, &rows->out, &area);
            struct weft_vector_fields *v = &instruction.vector;
            set_repeated(work, 0, &rows->in[0], &area, &v->a, v->a_stride);
            set_repeated(work, 1, &rows->in[1], &area, &v->b, v->b_stride);
            emit_arithmetic(work, &instruction);
        }
    }
}

const struct layer_operations binary_operations = {.name = "arithmetic by element",
                                                   .pattern_count = COUNT_OF(patterns),
                                                   .patterns = patterns,
                                                   .reads_on_chip = true,
                                                   .makes_on_chip = true,
                                                   .in_chains = true,
                                                   .by_vector = true,
                                                   .rows_read = same_rows,
                                                   .choose = choose_stripes,
                                                   .pack = pack,
                                                   .emit = emit_binary};
