/* What layers need of the machine beside room: isa/features.def says which instructions need what.
 */
#include "compiler/lower/lower.h"

bool requant_is_identity(const struct requant *requant) {
    return !requant->per_channel && requant->multiplier[0] == 1 << 30 && requant->shift[0] == 1;
}

enum weft_rounding exact_rounding(const struct weft_config *config) {
    return config->gemmlowp != 0 ? WEFT_ROUNDING_GEMMLOWP : WEFT_ROUNDING_SINGLE;
}

enum weft_rounding requant_rounding(const struct weft_config *config,
                                    const struct requant *requant) {
    if (!requant_is_identity(requant)) {
        return requant->rounding;
    }
    /* Nothing is rounded, but from 2^30 on gemmlowp wraps, and the others do not. */
    return requant->rounding == WEFT_ROUNDING_GEMMLOWP ? exact_rounding(config)
                                                       : WEFT_ROUNDING_SINGLE;
}

static bool has_weights(const struct layer *layer) {
    return layer->kind == LAYER_CONV || layer->kind == LAYER_CONV_TRANSPOSE ||
           layer->kind == LAYER_DEPTHWISE || layer->kind == LAYER_MATMUL;
}

static bool needs_gemmlowp(const struct layer *layer) {
    if (layer->kind == LAYER_BINARY) {
        return layer->function != WEFT_FUNCTION_MAX && layer->function != WEFT_FUNCTION_MIN;
    }
    return layer->kind == LAYER_SOFTMAX || layer->kind == LAYER_INTERPOLATE ||
           (has_weights(layer) && layer->requant.rounding == WEFT_ROUNDING_GEMMLOWP &&
            !requant_is_identity(&layer->requant)) ||
           (layer->kind == LAYER_AVGPOOL && layer->average == AVERAGE_MEAN);
}

/* A table of its own, or one to flip the top bits of uint8, outside or in between. */
static bool needs_lookup(const struct layer *layer) {
    bool needs = layer->kind == LAYER_TABLE || layer->kind == LAYER_SOFTMAX ||
                 layer->output->type.dtype == WEFT_U8;
    for (uint32_t k = 0; k < layer->input_count; k++) {
        needs = needs || layer->input[k]->type.dtype == WEFT_U8 ||
                (layer->kind == LAYER_PLACE && layer->input_tables[k] != NULL);
    }
    return needs;
}

const char *layer_lacks(const struct weft_config *config, const struct layer *layer) {
    if (config->activation_zero_point == 0 && layer->kind == LAYER_MATMUL && layer->zero[0] != 0) {
        return "the machine has no zero points of activations (activation_zero_point)";
    }
    if (config->weight_zero_point == 0 && has_weights(layer) && layer->weight_zero != 0) {
        return "the machine has no zero points of weights (weight_zero_point)";
    }
    if (config->lookup == 0 && needs_lookup(layer)) {
        return layer->kind == LAYER_TABLE || layer->kind == LAYER_PLACE ||
                       layer->kind == LAYER_SOFTMAX
                   ? "the machine has no look-up tables (lookup)"
                   : "the machine has no look-up tables (lookup), which uint8 needs";
    }
    if (config->multiply == 0 && layer->kind == LAYER_BINARY &&
        (layer->function == WEFT_FUNCTION_MUL ||
         layer->function == WEFT_FUNCTION_SQUARED_DIFFERENCE)) {
        return "the machine does not multiply two tensors (multiply)";
    }
    if (config->softmax == 0 && layer->kind == LAYER_SOFTMAX) {
        return "the machine computes no softmax (softmax)";
    }
    if (config->gemmlowp == 0 && needs_gemmlowp(layer)) {
        return "the machine does not round as gemmlowp (gemmlowp)";
    }
    return NULL;
}
