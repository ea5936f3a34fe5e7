/* Scales and zero points of tensors, weights and biases. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/passes/passes.h"
#include "compiler/quantize/simulate.h"

/* ---- scales ---- */

/* A scale that float32 holds, never 0: of a tensor that holds nothing but 0 it is 1. */
static double scale_of(double step, bool power_of_two) {
    if (!(step >= (double)FLT_MIN) || !(step <= (double)FLT_MAX)) {
        return 1;
    }
    return (double)(float)(power_of_two ? exp2(ceil(log2(step))) : step);
}

/* As ORT chooses them: 0 is always one of the values. */
static struct tensor_scale tensor_scale_of(struct weft_range range,
                                           const struct weft_quantize_options *options) {
    int32_t least = (int32_t)weft_dtype_min(options->activations);
    int32_t most = (int32_t)weft_dtype_max(options->activations);
    double low = fmin(range.low, 0);
    double high = fmax(range.high, 0);
    if (options->is_symmetric || (low >= 0 && high <= 0)) {
        /* What is always 0 in the samples may be a mask: there is room on both sides. */
        double scale = scale_of(fmax(-low, high) / INT8_MAX, options->power_of_two);
        return (struct tensor_scale){true, scale, most - INT8_MAX, least, most};
    }
    double step = (high - low) / (most - least);
    double scale = scale_of(step, options->power_of_two);
    double divisor = options->power_of_two || step == 0 ? scale : step;
    double zero = fmax(least, fmin(most, nearbyint(least - low / divisor)));
    return (struct tensor_scale){true, scale, (int32_t)zero, least, most};
}

static void set_moved(struct plan *plan, const struct layer *layer) {
    struct tensor_scale scale = plan->scales[value_number(plan->table, layer->root->inputs[0])];
    for (uint32_t i = 0; i < layer->root->result_count; i++) {
        size_t number = value_number(plan->table, layer->root->results[i]);
        plan->scales[number] = scale;
        plan->masked[number] = plan->masked[value_number(plan->table, layer->root->inputs[0])];
    }
}

/* Constant operands of sums, products by element and concatenations cover what they hold. */
static void set_constants(struct plan *plan, const struct layer *layer) {
    for (uint32_t i = 0; i < layer->root->input_count; i++) {
        const struct weft_value *value = layer->root->inputs[i];
        const float *elements = (const float *)(const void *)weft_value_data(value);
        size_t number = value_number(plan->table, value);
        if (elements == NULL) {
            continue;
        }
        size_t count = (size_t)weft_type_elements(&value->type);
        float *simulated = WEFT_NEW_ARRAY(plan->arena, count, float);
        plan->scales[number] = tensor_scale_of(
            plan->masked[number] != NULL ? *plan->masked[number] : weft_range_of(elements, count),
            plan->options);
        simulate_tensor(&plan->scales[number], elements, count, simulated);
        plan->constants[number] = simulated;
    }
}

/* What qnn.softmax makes: all bytes for 0 to 255 / 256. */
static void set_shares(struct plan *plan, const struct layer *layer) {
    int32_t least = (int32_t)weft_dtype_min(plan->options->activations);
    int32_t most = (int32_t)weft_dtype_max(plan->options->activations);
    plan->scales[value_number(plan->table, layer->result)] =
        (struct tensor_scale){true, 1.0 / 256, least, least, most};
}

struct weft_type plan_type_of(const struct plan *plan, const struct weft_value *value) {
    const struct tensor_scale *scale = &plan->scales[value_number(plan->table, value)];
    struct weft_type type =
        weft_type_make(plan->options->activations, value->type.rank, value->type.dim);
    type.quantization = weft_quantization_make(plan->arena, scale->scale, scale->zero);
    return type;
}

/* Where scales make many sums lie halfway between two bytes, as twice an operand's does, the
 * machine does not round as ONNX Runtime, and the sum, or the difference, would be the host's: a
 * scale that is a little larger makes none lie there. Powers of two are what was asked for. */
static void settle_sum(const struct plan *plan, const struct layer *layer) {
    enum {
        TRIES = 8
    };
    struct tensor_scale *scale = &plan->scales[value_number(plan->table, layer->result)];
    const enum weft_operator op =
        layer->root->op == WEFT_OP_SUBTRACT ? WEFT_OP_QNN_SUBTRACT : WEFT_OP_QNN_ADD;
    bool settles = (layer->root->op == WEFT_OP_ADD || layer->root->op == WEFT_OP_SUBTRACT) &&
                   !plan->options->power_of_two;
    for (uint32_t i = 0; settles && i < layer->root->input_count; i++) {
        const struct weft_value *x = layer->root->inputs[i];
        settles =
            plan->scales[value_number(plan->table, x)].is_set && weft_type_elements(&x->type) != 1;
    }
    for (int i = 0; settles && i < TRIES; i++) {
        const struct weft_type types[3] = {plan_type_of(plan, layer->root->inputs[0]),
                                           plan_type_of(plan, layer->root->inputs[1]),
                                           plan_type_of(plan, layer->result)};
        settles = !weft_adds_alike(op, &types[0], &types[1], &types[2]);
        scale->scale = settles ? scale_of(scale->scale * (1 + 1.0 / 512), false) : scale->scale;
    }
}

/* Does a quantised product make the tensor for one layer alone, so that it can have any scale? */
static bool is_free(const struct plan *plan, const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(plan->users, value);
    bool found = false;
    for (size_t i = 0; users->count == 1 && !users->is_output && i < plan->layer_count && !found;
         i++) {
        const struct layer *layer = &plan->layers[i];
        found = layer->result == value && layer->is_quantized && layer->kind == LAYER_PRODUCT;
    }
    return found;
}

/* Do the bytes of a scale reach as far as a range, but for a little of it? */
static bool reaches(const struct tensor_scale *scale, const struct weft_range *range) {
    const double most = 1.02;
    return range->high <= most * scale->scale * (scale->most - scale->zero) &&
           range->low >= most * scale->scale * (scale->least - scale->zero);
}

/* The larger one of two tensors is one of them: at their scale it is not rounded once more, and the
 * machine brings neither to another one. Where the second one is a product that is for nothing
 * else, as of PReLU, it gets the scale of the first: what it would be rounded finer is less than
 * what the first one would be rounded once more. Where the first one's is too coarse, or does not
 * reach, it gets that of the result. */
static void share_scale(const struct plan *plan, const struct layer *layer) {
    const double coarsest = 1.4;
    const struct weft_node *node = layer->root;
    if (node->op != WEFT_OP_MAXIMUM && node->op != WEFT_OP_MINIMUM) {
        return;
    }
    struct tensor_scale *result = &plan->scales[value_number(plan->table, layer->result)];
    const struct weft_range *range = &plan->ranges[value_number(plan->table, layer->result)];
    const struct tensor_scale *first = &plan->scales[value_number(plan->table, node->inputs[0])];
    struct tensor_scale *second = &plan->scales[value_number(plan->table, node->inputs[1])];
    bool alike = first->scale == second->scale && first->zero == second->zero;
    bool free = is_free(plan, node->inputs[1]);
    if (alike || (free && reaches(first, range) && first->scale <= coarsest * result->scale)) {
        *result = *first;
    }
    if (free) {
        *second = *result;
    }
}

void plan_choose_scales(struct plan *plan) {
    plan_find_masks(plan);
    for (size_t i = 0; i < plan->table->count; i++) {
        if (plan->scales[i].is_set) {
            plan->scales[i] = tensor_scale_of(
                plan->masked[i] != NULL ? *plan->masked[i] : plan->ranges[i], plan->options);
        }
    }
    for (size_t i = 0; i < plan->layer_count; i++) {
        const struct layer *layer = &plan->layers[i];
        if (layer->is_quantized && layer->root->op == WEFT_OP_SOFTMAX) {
            set_shares(plan, layer);
        }
        if (layer->is_quantized && layer->kind == LAYER_MOVE) {
            set_moved(plan, layer);
        } else if (layer->is_quantized && layer->kind != LAYER_PRODUCT) {
            set_constants(plan, layer);
        }
        if (layer->is_quantized) {
            share_scale(plan, layer);
            settle_sum(plan, layer);
        }
    }
}

/* ---- weights ---- */

const char *const weft_weight_names[] = {"int8", "int4", NULL};

/* The largest value of a weight; the smallest is its opposite. */
static int most_of(enum weft_weight_bits bits) {
    return bits == WEFT_WEIGHTS_INT4 ? 7 : INT8_MAX;
}

static int8_t quantize_weight(float weight, double scale, int most) {
    double value = isfinite(weight) ? nearbyint((double)weight / scale) : 0;
    return (int8_t)fmax(-most, fmin(most, value));
}

static double largest_of(const float *weights, int64_t count) {
    double reach = 0;
    for (int64_t i = 0; i < count; i++) {
        double size = fabs((double)weights[i]);
        reach = size > reach && isfinite(size) ? size : reach;
    }
    return reach;
}

/* The sum of squares of what quantising loses. */
static double loss_of(const float *weights, int64_t count, double scale, int most) {
    double loss = 0;
    for (int64_t i = 0; i < count; i++) {
        double lost = isfinite(weights[i])
                          ? (double)weights[i] - scale * quantize_weight(weights[i], scale, most)
                          : 0;
        loss += lost * lost;
    }
    return loss;
}

/* The largest |w| that values stand for: of bytes all, of fewer bits what loses the least. */
static double reach_of(const float *weights, int64_t count, int most) {
    enum {
        STEPS = 32,
        LEAST = 10
    }; /* from 10 / 32 of the largest to all of it */
    double largest = largest_of(weights, count);
    double best = largest;
    double least = INFINITY;
    for (int i = STEPS; most < INT8_MAX && largest > 0 && i >= LEAST; i--) {
        double reach = largest * i / (double)STEPS;
        double loss = loss_of(weights, count, scale_of(reach / most, false), most);
        if (loss < least) {
            least = loss;
            best = reach;
        }
    }
    return best;
}

/* A bias of more than 30 bits is none: the scale of weights grows until it fits. */
static double scale_for_bias(double scale, double bias, double input_scale) {
    const double most = 1 << 30;
    return fmax(scale, fabs(bias) / (most * input_scale));
}

/* Channels that are all 0 get the largest scale of the others; where all are 0, one with which the
 * biases have 16 bits. `reach` is of every channel. */
static void weight_scales(const struct plan *plan, const struct layer *layer, const double *reach,
                          int most, double *scales) {
    const struct tensor_scale *input =
        &plan->scales[value_number(plan->table, layer->root->inputs[0])];
    double largest = 0;
    for (int64_t c = 0; c < layer->channels; c++) {
        largest = fmax(largest, reach[c]);
    }
    bool all_zero = largest == 0;
    for (int64_t c = 0; all_zero && c < layer->channels; c++) {
        largest = fmax(largest, fabs(layer->float_bias[c]) / (INT16_MAX * input->scale) * most);
    }
    for (int64_t c = 0; c < layer->channels; c++) {
        double step = scale_of((reach[c] > 0 ? reach[c] : largest) / most, false);
        step = scale_for_bias(step, layer->float_bias[c], input->scale);
        scales[c] = scale_of(step, plan->options->power_of_two);
    }
    largest = 0;
    for (int64_t c = 0; c < layer->channels; c++) {
        largest = fmax(largest, scales[c]);
    }
    for (int64_t c = 0; plan->options->per_tensor && c < layer->channels; c++) {
        scales[c] = largest;
    }
}

static void quantize_elements(const struct plan *plan, struct layer *layer) {
    const struct weft_value *value = layer_weights_value(layer);
    const float *weights = (const float *)(const void *)weft_value_data(value);
    const int most = most_of(plan->options->weights);
    int64_t count = weft_type_elements(&value->type);
    int64_t each = layer->channels == 0 ? 0 : count / layer->channels;
    double *scales = WEFT_NEW_ARRAY(plan->arena, (size_t)layer->channels, double);
    double *reach = WEFT_NEW_ARRAY(plan->arena, (size_t)layer->channels, double);
    struct layer_weights *made = &layer->weights;
    double all = plan->options->per_tensor ? reach_of(weights, count, most) : 0;
    for (int64_t c = 0; c < layer->channels; c++) {
        reach[c] = plan->options->per_tensor ? all : reach_of(weights + c * each, each, most);
    }
    weight_scales(plan, layer, reach, most, scales);
    made->quantization = (struct weft_quantization){
        .count = plan->options->per_tensor ? 1 : (uint32_t)layer->channels,
        .scale = scales,
        .zero = WEFT_NEW_ARRAY(plan->arena, (size_t)layer->channels, int32_t)};
    made->elements = WEFT_NEW_ARRAY(plan->arena, (size_t)count, int8_t);
    made->simulated = WEFT_NEW_ARRAY(plan->arena, (size_t)count, float);
    for (int64_t i = 0; i < count; i++) {
        double scale = scales[i / each];
        made->elements[i] = quantize_weight(weights[i], scale, most);
        made->simulated[i] = (float)(scale * made->elements[i]);
    }
}

void plan_quantize_bias(const struct plan *plan, struct layer *layer) {
    double input = plan->scales[value_number(plan->table, layer->root->inputs[0])].scale;
    for (int64_t c = 0; c < layer->channels; c++) {
        double scale = input * layer->weights.quantization.scale[c];
        double value = nearbyint(layer->float_bias[c] / scale);
        layer->bias_elements[c] = (int32_t)fmax(-INT32_MAX, fmin(INT32_MAX, value));
        layer->bias_simulated[c] = (float)(scale * layer->bias_elements[c]);
    }
}

void plan_quantize_weights(struct plan *plan) {
    for (size_t i = 0; i < plan->layer_count; i++) {
        struct layer *layer = &plan->layers[i];
        if (!layer->is_quantized || layer->kind != LAYER_PRODUCT) {
            continue;
        }
        layer->bias_elements = WEFT_NEW_ARRAY(plan->arena, (size_t)layer->channels, int32_t);
        layer->bias_simulated = WEFT_NEW_ARRAY(plan->arena, (size_t)layer->channels, float);
        quantize_elements(plan, layer);
        plan_quantize_bias(plan, layer);
    }
}
