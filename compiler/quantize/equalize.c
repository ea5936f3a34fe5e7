/* Cross-layer equalisation: what one product makes and the next one takes is scaled channel by
 * channel, which changes nothing in float, so that the weights of both have like ranges. Only relu
 * lets a positive factor through: pairs with a clip to a fixed number between them are left alone.
 */
#include <math.h>
#include <string.h>

#include "compiler/passes/passes.h"
#include "compiler/quantize/steps.h"

enum {
    SWEEPS = 8 /* over all pairs; ranges hardly change any more after them */
};

/* A product with weights and bias of its own, that change. */
struct scaled {
    const struct layer *layer;
    float *weights;
    float *bias; /* NULL: it has none */
    bool is_changed;
};

struct equalization {
    struct plan *plan;
    struct scaled *products; /* by layer */
};

static float *copy_of(struct weft_arena *arena, const struct weft_value *value) {
    size_t bytes = weft_type_bytes(&value->type);
    return memcpy(weft_arena_allocate(arena, bytes, 1), weft_value_data(value), bytes);
}

/* ---- weights by input channel ---- */

/* Calls of the weights of product `b` that work on its input channel `c`: the largest |w|, or, with
 * a factor other than 0, all of them times the factor. */
static double input_channel(const struct scaled *b, int64_t c, double factor) {
    const struct weft_type *type = &layer_weights_value(b->layer)->type;
    const struct weft_attribute *attribute = weft_node_attribute(b->layer->root, WEFT_ATTR_groups);
    int64_t groups = attribute == NULL ? 1 : attribute->ints[0];
    int64_t depth = type->dim[type->rank - 1];
    int64_t outputs = type->dim[0] / groups;
    int64_t each = weft_type_elements(type) / type->dim[0];
    double reach = 0;
    for (int64_t o = c / depth * outputs; o < (c / depth + 1) * outputs; o++) {
        for (int64_t i = c % depth; i < each; i += depth) {
            float *weight = &b->weights[o * each + i];
            *weight = factor == 0 ? *weight : (float)(factor * (double)*weight);
            reach = fmax(reach, fabs((double)*weight));
        }
    }
    return reach;
}

static double output_channel(const struct scaled *a, int64_t c, double factor) {
    const struct weft_type *type = &layer_weights_value(a->layer)->type;
    int64_t each = weft_type_elements(type) / type->dim[0];
    double reach = 0;
    for (int64_t i = c * each; i < (c + 1) * each; i++) {
        a->weights[i] = factor == 0 ? a->weights[i] : (float)(factor * (double)a->weights[i]);
        reach = fmax(reach, fabs((double)a->weights[i]));
    }
    if (factor != 0 && a->bias != NULL) {
        a->bias[c] = (float)(factor * (double)a->bias[c]);
    }
    return reach;
}

/* Dead channels stay as they are. */
static void equalize_pair(struct scaled *a, struct scaled *b) {
    for (int64_t c = 0; c < a->layer->channels; c++) {
        double made = output_channel(a, c, 0);
        double taken = input_channel(b, c, 0);
        double factor = sqrt(taken / made);
        if (made > 0 && taken > 0 && isfinite(factor) && factor > 0) {
            output_channel(a, c, factor);
            input_channel(b, c, 1 / factor);
        }
    }
    a->is_changed = b->is_changed = true;
}

/* ---- pairs ---- */

/* The product that alone takes what product `a` makes; NULL: there is none, or the channels do not
 * correspond. */
static struct scaled *next_product(const struct equalization *e, const struct scaled *a) {
    const struct layer *layer = a->layer;
    const struct weft_users *users = weft_users_of(e->plan->users, layer->result);
    bool lets_through = layer->activation == NULL || layer->activation->op == WEFT_OP_RELU;
    for (size_t i = 0;
         lets_through && users->count == 1 && !users->is_output && i < e->plan->layer_count; i++) {
        struct scaled *b = &e->products[i];
        if (b->layer != NULL && b->layer->root == users->nodes[0] &&
            b->layer->root->inputs[0] == layer->result &&
            layer->result->type.dim[layer->result->type.rank - 1] == layer->channels) {
            return b;
        }
    }
    return NULL;
}

/* ---- the graph ---- */

static struct weft_value *changed_constant(struct weft_graph *graph, const struct weft_value *value,
                                           const float *elements) {
    return weft_graph_add_constant(graph, &value->type, elements, value->name, value->tensor);
}

/* The product that has this node as its root, or as its bias. */
static const struct scaled *find(const struct equalization *e, const struct weft_node *node) {
    for (size_t i = 0; i < e->plan->layer_count; i++) {
        const struct layer *layer = e->products[i].layer;
        if (layer != NULL && e->products[i].is_changed &&
            (layer->root == node || layer->bias == node)) {
            return &e->products[i];
        }
    }
    return NULL;
}

static struct weft_graph *rebuild(const struct equalization *e) {
    const struct weft_graph *graph = e->plan->graph;
    struct weft_copy copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct scaled *product = find(e, node);
        if (product == NULL) {
            weft_copy_node(&copy, node);
            continue;
        }
        struct weft_value *inputs[2] = {
            weft_copy_value(&copy, node->inputs[0]),
            changed_constant(copy.to, node->inputs[1],
                             node == product->layer->root ? product->weights : product->bias)};
        struct weft_node *made = weft_graph_copy_node(copy.to, node, inputs);
        weft_map_set(copy.values, node->results[0], made->results[0]);
    }
    return weft_copy_finish(&copy);
}

struct weft_graph *quantize_equalize(const struct weft_graph *graph, size_t *pairs) {
    struct weft_arena *arena = graph->arena;
    struct equalization e = {.plan = plan_new(arena, graph, NULL, NULL)};
    e.products = WEFT_NEW_ARRAY(arena, e.plan->layer_count, struct scaled);
    for (size_t i = 0; i < e.plan->layer_count; i++) {
        const struct layer *layer = &e.plan->layers[i];
        if (layer->kind == LAYER_PRODUCT) {
            e.products[i] = (struct scaled){
                .layer = layer,
                .weights = copy_of(arena, layer_weights_value(layer)),
                .bias = layer->bias == NULL ? NULL : copy_of(arena, layer->bias->inputs[1])};
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        *pairs = 0;
        for (size_t i = 0; i < e.plan->layer_count; i++) {
            struct scaled *b =
                e.products[i].layer == NULL ? NULL : next_product(&e, &e.products[i]);
            if (b != NULL) {
                equalize_pair(&e.products[i], b);
                (*pairs)++;
            }
        }
    }
    return weft_pass_remove_unused(rebuild(&e));
}
