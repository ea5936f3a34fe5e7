/* Layers that stay in float for what the samples showed: those of which bytes would say nothing. */
#include <math.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/quantize/steps.h"

/* A range that goes down to WEFT_MASKED, so many times further than up, is one of masked scores. */
#define MASK_RATIO 100.0

/* How much larger the largest variance may be than the smallest of a sample, in the mean: of 255
 * steps 8 are left for that, an error of 6 % at most, of 3 % in what it divides. */
#define MOST_UNEVEN 32.0

/* The same of all samples: of 255 steps of 1 / sqrt(variance) 8 are left for the largest one,
 * however few rows are as small as the smallest. Words that are not there may have none but
 * epsilon. */
#define MOST_UNEVEN_ROOTS (MOST_UNEVEN * MOST_UNEVEN)

/* Of a row with as many shares as a byte has values most have no step of 1/256, where the largest
 * one of a sample has so few of them, in the mean. */
enum {
    MANY_SHARES = 256
};
#define FEW_STEPS 32.0

struct holding {
    const struct plan *plan;
    bool *keep_float;
    size_t *layer_of; /* by number of the value: 1 + the layer that makes it; 0: none */
};

static void hold(const struct holding *h, const struct weft_value *value, const char *reason) {
    size_t index = h->layer_of[value_number(h->plan->table, value)];
    if (index > 0 && h->plan->layers[index - 1].is_quantized) {
        h->keep_float[index - 1] = true;
        h->plan->layers[index - 1].held = reason;
    }
}

static void hold_masked(const struct holding *h, const struct layer *layer) {
    const struct weft_range range =
        h->plan->limits[value_number(h->plan->table, layer->result)].observed;
    if (layer->kind != LAYER_MOVE && /* which has the scale of its operand */
        h->plan->masked[value_number(h->plan->table, layer->result)] == NULL &&
        range.low <= WEFT_MASKED && -range.low >= MASK_RATIO * fmax(range.high, 1)) {
        hold(h, layer->result, "its range is that of a mask");
    }
}

/* A softmax of integers has steps of 1/256, as one of floats has those that its samples ask for. */
static void hold_even(const struct holding *h, const struct layer *layer) {
    const struct weft_type *type = &layer->result->type;
    const struct weft_limits *limits =
        &h->plan->limits[value_number(h->plan->table, layer->result)];
    if (layer->root->op == WEFT_OP_SOFTMAX && type->dim[type->rank - 1] >= MANY_SHARES &&
        limits->samples > 0 && limits->sum.high * 256 < FEW_STEPS * (double)limits->samples) {
        hold(h, layer->result, "its shares are too small for steps of 1/256");
    }
}

/* Does the operator bring means of channels to groups of them, or back? */
static bool is_of_groups(enum weft_operator op) {
    return op == WEFT_OP_DENSE || op == WEFT_OP_BIAS_ADD || op == WEFT_OP_RESHAPE;
}

/* Is it one of those up from the root to the difference? */
static bool is_below_root(enum weft_operator op) {
    return is_of_groups(op) || op == WEFT_OP_RSQRT || op == WEFT_OP_ADD || op == WEFT_OP_MUL ||
           op == WEFT_OP_MEAN || op == WEFT_OP_SQUARE;
}

/* The value and those it follows from, up to a square or what is none of those; what that one
 * follows from, or it. */
static const struct weft_node *hold_up(const struct holding *h, const struct weft_value *value,
                                       bool (*is_held)(enum weft_operator op), const char *reason) {
    const struct weft_node *node = value->producer;
    while (node != NULL && is_held(node->op)) {
        bool second = node->input_count == 2 && weft_value_data(node->inputs[0]) != NULL;
        bool is_square = node->op == WEFT_OP_SQUARE;
        hold(h, node->results[0], reason);
        node = node->inputs[second ? 1 : 0]->producer;
        if (is_square) { /* above, products are the network's own */
            break;
        }
    }
    return node;
}

/* What a normalisation is made of (weft_pass_expand_functions(), sink_norm()), from its root up,
 * and the products with that. */
static void hold_uneven(const struct holding *h, const struct layer *layer) {
    static const char reason[] = "its rows are of too different sizes";
    if (layer->root->op != WEFT_OP_RSQRT) {
        return;
    }
    const struct weft_limits *limits =
        &h->plan->limits[value_number(h->plan->table, layer->root->inputs[0])];
    double least = limits->sum.low / (double)(limits->samples == 0 ? 1 : limits->samples);
    double most = limits->observed.high;
    if (!(least > 0) ||
        (most <= MOST_UNEVEN * least && most <= MOST_UNEVEN_ROOTS * limits->observed.low)) {
        return;
    }
    const struct weft_value *result = layer->result;
    const struct weft_users *users = weft_users_of(h->plan->users, result);
    while (users->count == 1 && is_of_groups(users->nodes[0]->op)) {
        result = users->nodes[0]->results[0];
        hold(h, result, reason);
        users = weft_users_of(h->plan->users, result);
    }
    for (uint32_t i = 0; i < users->count; i++) {
        hold(h, users->nodes[i]->results[0], reason);
    }
    const struct weft_node *node = hold_up(h, layer->result, is_below_root, reason);
    if (node != NULL && node->op == WEFT_OP_SUBTRACT) {
        hold(h, node->results[0], reason);
        const struct weft_node *mean = hold_up(h, node->inputs[1], is_of_groups, reason);
        hold(h, mean == NULL ? node->inputs[1] : mean->results[0], reason);
    }
}

/* ---- logarithms ---- */

/* Works element by element on what a logarithm is taken of, or moves it? */
static bool is_below_log(enum weft_operator op) {
    return op == WEFT_OP_ADD || op == WEFT_OP_MUL || op == WEFT_OP_SQUARE || op == WEFT_OP_ABS ||
           op == WEFT_OP_SQRT || op == WEFT_OP_MAXIMUM || op == WEFT_OP_CLIP ||
           op == WEFT_OP_BIAS_ADD || op == WEFT_OP_RESHAPE || op == WEFT_OP_TRANSPOSE;
}

/* What a value follows from, up to products; `products`: so many of these, too, behind powers (a
 * spectrum that goes into bands), which the powers are before. */
static void hold_below(const struct holding *h, const struct weft_value *value, int products,
                       int depth, const char *reason) {
    enum {
        MOST_DEPTH = 12 /* of two operands each: 4,096 ways at most */
    };
    const struct weft_node *node = value->producer;
    bool is_product = node != NULL && (node->op == WEFT_OP_DENSE || node->op == WEFT_OP_CONV2D);
    if (node == NULL || depth == MOST_DEPTH ||
        !(is_below_log(node->op) || (is_product && products > 0))) {
        return;
    }
    bool is_power = node->op == WEFT_OP_SQUARE || node->op == WEFT_OP_ABS ||
                    (node->op == WEFT_OP_MUL && node->inputs[0] == node->inputs[1]);
    hold(h, node->results[0], reason);
    for (uint32_t i = 0; i < node->input_count && (i == 0 || node->inputs[i] != node->inputs[0]);
         i++) {
        hold_below(h, node->inputs[i], is_product || is_power ? 0 : products, depth + 1, reason);
    }
}

/* Bytes of what a logarithm is taken of say nothing of what is small, and that as much counts. */
static void hold_wide(const struct holding *h, const struct layer *layer) {
    if (layer->root->op != WEFT_OP_LOG) {
        return;
    }
    const struct weft_value *operand = layer->root->inputs[0];
    const struct weft_limits *limits = &h->plan->limits[value_number(h->plan->table, operand)];
    double least = limits->sum.low / (double)(limits->samples == 0 ? 1 : limits->samples);
    if (limits->samples > 0 && limits->observed.high > MOST_UNEVEN * least) {
        static const char reason[] = "a logarithm is taken of it, over too wide a range";
        hold(h, layer->result, reason);
        hold_below(h, operand, 1, 0, reason);
    }
}

void quantize_hold_layers(struct plan *plan, bool *keep_float) {
    const struct holding h = {plan, keep_float,
                              WEFT_NEW_ARRAY(plan->arena, plan->table->count, size_t)};
    memset(h.layer_of, 0, plan->table->count * sizeof *h.layer_of);
    for (size_t i = 0; i < plan->layer_count; i++) {
        h.layer_of[value_number(plan->table, plan->layers[i].result)] = i + 1;
    }
    plan_find_masks(plan);
    for (size_t i = 0; i < plan->layer_count; i++) {
        hold_wide(&h, &plan->layers[i]);
        if (plan->layers[i].is_quantized) {
            hold_masked(&h, &plan->layers[i]);
            hold_even(&h, &plan->layers[i]);
            hold_uneven(&h, &plan->layers[i]);
        }
    }
}
