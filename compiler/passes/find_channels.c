/* Which channels are the same everywhere, from the inputs down; which somebody reads, from the
 * outputs up. */
#include <string.h>

#include "compiler/host/host.h"
#include "compiler/passes/channels.h"

enum {
    ROUNDS = 16,             /* of looking upwards */
    MOST_PRODUCTS = 1 << 16, /* of a sum that is moved into a bias: it stays below 2^31 */
    MOST_BIAS = 1 << 30,
    MOST_CHANNELS = 1 << 16,
    WORTH = 16, /* one of so many channels goes, or none */
};

/* ---- reading ---- */

const struct channels *channels_of(const struct channel_analysis *analysis,
                                   const struct weft_value *value) {
    return weft_map_get(analysis->values, value);
}

const struct channel_node *channels_node(const struct channel_analysis *analysis,
                                         const struct weft_node *node) {
    return weft_map_get(analysis->nodes, node);
}

int64_t channels_kept(const struct channels *channels) {
    int64_t kept = 0;
    for (int64_t c = 0; c < channels->count; c++) {
        kept += channels->is_kept[c];
    }
    return kept;
}

static int64_t last_dim(const struct weft_type *type) {
    return type->rank == 0 ? 0 : type->dim[type->rank - 1];
}

/* ---- kinds of nodes ---- */

static bool is_function(const struct weft_node *node) {
    switch (node->op) {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel) case WEFT_OP_##OPERATOR:
#include "compiler/ir/functions.def"
        return true;
    default:
        return false;
    }
}

/* Scales are those of channels, or one for all. */
static bool is_by_channel(const struct weft_type *type) {
    return type->rank >= 2 && last_dim(type) <= MOST_CHANNELS && weft_type_elements(type) > 0 &&
           (type->quantization.count == 1 ||
            (type->quantization.count > 1 && type->quantization.axis == type->rank - 1));
}

static bool keeps_channels(const struct weft_node *node) {
    const struct weft_type *from = &node->inputs[0]->type;
    const struct weft_type *to = &node->results[0]->type;
    if (node->result_count != 1 || !is_by_channel(from) || !is_by_channel(to) ||
        last_dim(from) != last_dim(to)) {
        return false;
    }
    switch (node->op) {
    case WEFT_OP_BIAS_ADD:
        return weft_value_data(node->inputs[1]) != NULL && from->dtype == WEFT_I32;
    case WEFT_OP_AVG_POOL2D:
    case WEFT_OP_MAX_POOL2D:
    case WEFT_OP_RESHAPE:
        return true;
    default:
        return is_function(node);
    }
}

/* Depthwise: as many groups as channels. */
static enum channel_work work_of_product(const struct weft_node *node) {
    const struct weft_type *x = &node->inputs[0]->type;
    const struct weft_type *w = &node->inputs[1]->type;
    bool plain = x->dtype == WEFT_I8 && w->dtype == WEFT_I8 &&
                 weft_value_data(node->inputs[1]) != NULL && is_by_channel(x) &&
                 is_by_channel(&node->results[0]->type) &&
                 node->results[0]->type.dtype == WEFT_I32 && weft_type_elements(w) > 0;
    if (!plain) {
        return CHANNELS_MIXED;
    }
    if (node->op == WEFT_OP_QNN_DENSE) {
        return last_dim(w) == last_dim(x) ? CHANNELS_DENSE : CHANNELS_MIXED;
    }
    int64_t groups = weft_node_int(node, WEFT_ATTR_groups);
    return groups == 1           ? CHANNELS_DENSE
           : groups == x->dim[3] ? CHANNELS_MULTIPLIED
                                 : CHANNELS_MIXED;
}

static enum channel_work work_of(const struct weft_node *node) {
    if (node->op == WEFT_OP_QNN_CONV2D || node->op == WEFT_OP_QNN_DENSE) {
        return work_of_product(node);
    }
    return node->input_count > 0 && node->body == NULL && keeps_channels(node) ? CHANNELS_KEPT
                                                                               : CHANNELS_MIXED;
}

/* ---- products ---- */

/* Weight `k` of the kernel of channel `c` of the operand and `o` of the result, less its zero
 * point. */
static int64_t weight_at(const struct weft_node *product, int64_t o, int64_t k, int64_t c) {
    const struct weft_type *w = &product->inputs[1]->type;
    int64_t depth = last_dim(w);
    int64_t kernel = w->rank == 4 ? w->dim[1] * w->dim[2] : 1;
    return (int8_t)weft_value_data(product->inputs[1])[(o * kernel + k) * depth + c] -
           weft_type_zero(w, o);
}

int64_t channels_sum(const struct channels *operand, const struct weft_node *product, int64_t o,
                     int64_t c) {
    const struct weft_type *w = &product->inputs[1]->type;
    int64_t kernel = w->rank == 4 ? w->dim[1] * w->dim[2] : 1;
    int64_t depth = last_dim(w) == 1 ? 0 : c; /* a depthwise product has one weight each */
    int64_t sum = 0;
    for (int64_t k = 0; k < kernel; k++) {
        sum += weight_at(product, o, k, depth);
    }
    return sum * (operand->value[c] - weft_type_zero(&product->inputs[0]->type, 0));
}

static void find_weights(struct channel_analysis *analysis, const struct weft_node *product,
                         struct channel_node *node) {
    const struct weft_type *w = &product->inputs[1]->type;
    const int8_t *weights = (const int8_t *)weft_value_data(product->inputs[1]);
    int64_t depth = last_dim(w);
    node->kernel = w->rank == 4 ? w->dim[1] * w->dim[2] : 1;
    node->is_read = WEFT_NEW_ARRAY(analysis->graph->arena, (size_t)(w->dim[0] * depth), bool);
    for (int64_t o = 0; o < w->dim[0]; o++) {
        const int8_t zero = (int8_t)weft_type_zero(w, o);
        bool *is_read = &node->is_read[o * depth];
        for (int64_t k = 0; k < node->kernel; k++) {
            for (int64_t c = 0; c < depth; c++) {
                is_read[c] |= *weights++ != zero;
            }
        }
    }
}

/* Can what is added to every sum be added to a bias? */
static bool takes_bias(const struct channel_analysis *analysis, const struct weft_node *product) {
    const struct weft_users *users = weft_users_of(analysis->uses, product->results[0]);
    const struct weft_node *user = users->count == 1 && !users->is_output ? users->nodes[0] : NULL;
    const struct weft_type *w = &product->inputs[1]->type;
    if (user == NULL || user->op != WEFT_OP_BIAS_ADD || user->inputs[0] != product->results[0] ||
        weft_value_data(user->inputs[1]) == NULL ||
        weft_type_elements(w) / w->dim[0] > MOST_PRODUCTS) {
        return false;
    }
    const uint8_t *bias = weft_value_data(user->inputs[1]);
    bool small = user->inputs[1]->type.dtype == WEFT_I32;
    for (int64_t o = 0; small && o < weft_type_elements(&user->inputs[1]->type); o++) {
        int64_t element = weft_element(WEFT_I32, bias, o);
        small = element >= -MOST_BIAS && element <= MOST_BIAS;
    }
    return small;
}

static void find_product(struct channel_analysis *analysis, const struct weft_node *product,
                         struct channel_node *node) {
    const struct weft_attribute *padding = weft_node_attribute(product, WEFT_ATTR_padding);
    find_weights(analysis, product, node);
    node->takes_bias = takes_bias(analysis, product);
    for (uint32_t i = 0; padding != NULL && i < padding->count; i++) {
        node->has_padding = node->has_padding || padding->ints[i] != 0;
    }
}

/* Known to be the zero point: it adds nothing. Another known value adds the same everywhere where
 * there is no padding. */
bool channels_can_fold(const struct channel_analysis *analysis, const struct weft_node *product,
                       int64_t c) {
    const struct channels *x = channels_of(analysis, product->inputs[0]);
    const struct channel_node *node = channels_node(analysis, product);
    return x->is_known[c] && (x->value[c] == weft_type_zero(&product->inputs[0]->type, 0) ||
                              (!node->has_padding && node->takes_bias));
}

/* ---- what is known ---- */

/* The sums of channel `o`, where all that they read is known. */
static void know_sum(const struct channel_analysis *analysis, const struct weft_node *product,
                     const struct channel_node *node, int64_t o) {
    const struct channels *x = channels_of(analysis, product->inputs[0]);
    const struct channels *y = channels_of(analysis, product->results[0]);
    int64_t zero = weft_type_zero(&product->inputs[0]->type, 0);
    bool dense = node->work == CHANNELS_DENSE;
    int64_t first = dense ? 0 : o / (y->count / x->count);
    int64_t end = dense ? x->count : first + 1;
    bool known = true;
    int64_t sum = 0;
    for (int64_t c = first; known && c < end; c++) {
        if (!node->is_read[dense ? o * x->count + c : o]) {
            continue;
        }
        known = x->is_known[c] && (x->value[c] == zero || !node->has_padding);
        sum += known ? channels_sum(x, product, o, c) : 0;
    }
    y->is_known[o] = known && sum >= INT32_MIN && sum <= INT32_MAX;
    y->value[o] = sum;
}

static void write_element(enum weft_dtype dtype, uint8_t *bytes, int64_t index, int64_t value) {
    size_t size = weft_dtype_bytes(dtype);
    for (size_t k = 0; k < size; k++) {
        bytes[(size_t)index * size + k] = (uint8_t)((uint64_t)value >> (8 * k));
    }
}

/* One row of channels. */
static struct weft_type row_of(const struct weft_type *type) {
    struct weft_type row = *type;
    row.rank = 2;
    row.dim[0] = 1;
    row.dim[1] = last_dim(type);
    row.quantization.axis = row.quantization.count > 1 ? 1 : 0;
    return row;
}

/* What the host's kernel makes of a row with the channels that are known. */
static bool run_on_row(struct weft_arena *arena, const struct weft_node *node,
                       const struct channels *x, uint8_t *results) {
    struct weft_error error;
    struct weft_value operand = *node->inputs[0];
    struct weft_value result = *node->results[0];
    struct weft_value *inputs[2] = {&operand, node->input_count > 1 ? node->inputs[1] : NULL};
    struct weft_value *outputs[1] = {&result};
    struct weft_node row = *node;
    operand.type = row_of(&operand.type);
    result.type = row_of(&result.type);
    row.inputs = inputs;
    row.results = outputs;
    uint8_t *elements = weft_arena_allocate(arena, (size_t)x->count, 8);
    for (int64_t c = 0; c < x->count; c++) {
        write_element(operand.type.dtype, elements, c, x->is_known[c] ? x->value[c] : 0);
    }
    const void *in[2] = {elements, inputs[1] == NULL ? NULL : weft_value_data(inputs[1])};
    bool good = weft_host_run(&row, in, (void *[]){results}, &error);
    if (!good && error.code == WEFT_OUT_OF_MEMORY) {
        longjmp(arena->on_failure, 1); /* another program would come out */
    }
    return good;
}

static bool any_known(const struct channels *channels) {
    bool any = false;
    for (int64_t c = 0; !any && c < channels->count; c++) {
        any = channels->is_known[c];
    }
    return any;
}

/* Of equal numbers the mean, the largest, and what lies elsewhere are that number. */
static bool moves_only(const struct weft_node *node) {
    return node->op == WEFT_OP_RESHAPE || node->op == WEFT_OP_AVG_POOL2D ||
           node->op == WEFT_OP_MAX_POOL2D;
}

static void know_kept(const struct channel_analysis *analysis, const struct weft_node *node) {
    struct weft_arena *arena = analysis->graph->arena;
    const struct channels *x = channels_of(analysis, node->inputs[0]);
    const struct channels *y = channels_of(analysis, node->results[0]);
    enum weft_dtype dtype = node->results[0]->type.dtype;
    if (!any_known(x)) {
        return;
    }
    if (moves_only(node)) {
        memcpy(y->is_known, x->is_known, (size_t)x->count * sizeof *x->is_known);
        memcpy(y->value, x->value, (size_t)x->count * sizeof *x->value);
        return;
    }
    uint8_t *results = weft_arena_allocate(arena, (size_t)y->count, 8);
    if (!run_on_row(arena, node, x, results)) {
        return;
    }
    for (int64_t c = 0; c < y->count; c++) {
        y->is_known[c] = x->is_known[c];
        y->value[c] = x->is_known[c] ? weft_element(dtype, results, c) : 0;
    }
}

/* ---- what is read ---- */

static bool keep(const struct channels *channels, int64_t c) {
    bool changed = !channels->is_kept[c];
    channels->is_kept[c] = true;
    return changed;
}

static bool keep_all(const struct channel_analysis *analysis, const struct weft_value *value) {
    const struct channels *channels = channels_of(analysis, value);
    bool changed = false;
    for (int64_t c = 0; channels != NULL && c < channels->count; c++) {
        changed |= keep(channels, c);
    }
    return changed;
}

static bool keep_mixed(const struct channel_analysis *analysis, const struct weft_node *node) {
    bool changed = false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        changed |= keep_all(analysis, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        changed |= keep_all(analysis, node->results[i]);
    }
    return changed;
}

/* Each channel and all that it makes stay or go together. */
static bool keep_alike(const struct channels *x, const struct channels *y) {
    int64_t each = y->count / x->count;
    bool changed = false;
    for (int64_t c = 0; c < x->count; c++) {
        bool kept = x->is_kept[c];
        for (int64_t i = 0; i < each; i++) {
            kept = kept || y->is_kept[c * each + i];
        }
        changed |= kept && keep(x, c);
        for (int64_t i = 0; kept && i < each; i++) {
            changed |= keep(y, c * each + i);
        }
    }
    return changed;
}

static bool keep_read(const struct channel_analysis *analysis, const struct weft_node *product,
                      const struct channel_node *node) {
    const struct channels *x = channels_of(analysis, product->inputs[0]);
    const struct channels *y = channels_of(analysis, product->results[0]);
    bool changed = false;
    for (int64_t c = 0; c < x->count; c++) {
        bool read = false;
        for (int64_t o = 0; !read && o < y->count; o++) {
            read = y->is_kept[o] && node->is_read[o * x->count + c];
        }
        changed |= read && !channels_can_fold(analysis, product, c) && keep(x, c);
    }
    return changed;
}

static bool keep_for(const struct channel_analysis *analysis, const struct weft_node *node) {
    const struct channel_node *about = channels_node(analysis, node);
    switch (about->work) {
    case CHANNELS_DENSE:
        return keep_read(analysis, node, about);
    case CHANNELS_KEPT:
    case CHANNELS_MULTIPLIED:
        return keep_alike(channels_of(analysis, node->inputs[0]),
                          channels_of(analysis, node->results[0]));
    case CHANNELS_MIXED:
        break;
    }
    return keep_mixed(analysis, node);
}

/* Until nothing changes any more. */
static bool find_kept(const struct channel_analysis *analysis) {
    const struct weft_graph *graph = analysis->graph;
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (size_t i = graph->node_count; i-- > 0;) {
            changed |= keep_for(analysis, graph->nodes[i]);
        }
    }
    return !changed;
}

/* A tensor has a channel, whatever it is; and few channels are not worth a shape that fits memory
 * and lanes worse. */
static void keep_shapes(const struct channel_analysis *analysis) {
    const struct weft_graph *graph = analysis->graph;
    for (size_t i = 0; i < graph->node_count; i++) {
        for (uint32_t k = 0; k < graph->nodes[i]->result_count; k++) {
            const struct weft_value *value = graph->nodes[i]->results[k];
            const struct channels *channels = channels_of(analysis, value);
            int64_t kept = channels == NULL ? 0 : channels_kept(channels);
            if (channels == NULL) {
                continue;
            }
            if (kept == 0) {
                (void)keep(channels, 0);
            } else if ((channels->count - kept) * WORTH < channels->count) {
                (void)keep_all(analysis, value);
            }
        }
    }
}

/* ---- all ---- */

static void add_value(struct channel_analysis *analysis, const struct weft_value *value) {
    struct weft_arena *arena = analysis->graph->arena;
    if (!is_by_channel(&value->type) || weft_value_data(value) != NULL) {
        return;
    }
    struct channels *channels = WEFT_NEW(arena, struct channels);
    size_t count = (size_t)last_dim(&value->type);
    *channels = (struct channels){(int64_t)count, WEFT_NEW_ARRAY(arena, count, bool),
                                  WEFT_NEW_ARRAY(arena, count, bool),
                                  WEFT_NEW_ARRAY(arena, count, int64_t)};
    weft_map_set(analysis->values, value, channels);
}

static void add_node(struct channel_analysis *analysis, const struct weft_node *node) {
    struct channel_node *about = WEFT_NEW(analysis->graph->arena, struct channel_node);
    for (uint32_t i = 0; i < node->result_count; i++) {
        add_value(analysis, node->results[i]);
    }
    about->work = work_of(node);
    if (about->work != CHANNELS_MIXED && (channels_of(analysis, node->inputs[0]) == NULL ||
                                          channels_of(analysis, node->results[0]) == NULL)) {
        about->work = CHANNELS_MIXED;
    }
    weft_map_set(analysis->nodes, node, about);
    if (about->work == CHANNELS_KEPT) {
        know_kept(analysis, node);
    }
    if (about->work == CHANNELS_DENSE || about->work == CHANNELS_MULTIPLIED) {
        find_product(analysis, node, about);
        for (int64_t o = 0; o < channels_of(analysis, node->results[0])->count; o++) {
            know_sum(analysis, node, about, o);
        }
    }
}

bool channels_find(struct channel_analysis *analysis, const struct weft_graph *graph) {
    *analysis = (struct channel_analysis){graph, weft_use_index_new(graph),
                                          weft_map_new(graph->arena), weft_map_new(graph->arena)};
    for (size_t i = 0; i < graph->input_count; i++) {
        add_value(analysis, graph->inputs[i]);
        (void)keep_all(analysis, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        add_node(analysis, graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        (void)keep_all(analysis, graph->outputs[i]);
    }
    if (!find_kept(analysis)) {
        return false;
    }
    keep_shapes(analysis);
    return find_kept(analysis);
}
