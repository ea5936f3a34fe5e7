/* Channels that nobody reads, or that are the same everywhere, go from both sides. */
#include <string.h>

#include "base/bytes.h"
#include "compiler/passes/channels.h"
#include "compiler/passes/rules.h"

struct cut {
    struct channel_analysis analysis;
    struct weft_copy copy;
};

/* Which elements of an axis stay. */
struct kept {
    int64_t count;  /* of all */
    int64_t left;   /* of these */
    const bool *is; /* NULL: all stay */
};

static struct kept all_of(int64_t count) {
    return (struct kept){count, count, NULL};
}

static struct kept kept_of(const struct cut *cut, const struct weft_value *value) {
    const struct channels *channels = channels_of(&cut->analysis, value);
    return (struct kept){channels->count, channels_kept(channels), channels->is_kept};
}

static bool stays(const struct kept *kept, int64_t i) {
    return kept->is == NULL || kept->is[i];
}

/* ---- types and constants ---- */

static struct weft_quantization
cut_scales(struct weft_arena *arena, const struct weft_quantization *q, const struct kept *kept) {
    int64_t *chosen = WEFT_NEW_ARRAY(arena, (size_t)kept->left, int64_t);
    size_t count = 0;
    for (int64_t i = 0; i < kept->count; i++) {
        if (stays(kept, i)) {
            chosen[count++] = i;
        }
    }
    return weft_choose_scales(arena, q, count, chosen);
}

static struct weft_type cut_type(struct weft_arena *arena, const struct weft_type *type,
                                 uint32_t axis, const struct kept *kept) {
    struct weft_type made = *type;
    made.dim[axis] = kept->left;
    if (made.quantization.count > 1 && made.quantization.axis == axis) {
        made.quantization = cut_scales(arena, &made.quantization, kept);
    }
    return made;
}

/* What stays of weights [O, ..., C], or of a bias [O]. */
static const uint8_t *cut_elements(struct weft_arena *arena, const struct weft_value *constant,
                                   const struct kept *rows, const struct kept *columns) {
    size_t size = weft_dtype_bytes(constant->type.dtype);
    const uint8_t *from = weft_value_data(constant);
    int64_t between =
        weft_type_elements(&constant->type) / (constant->type.dim[0] * columns->count);
    uint8_t *made =
        weft_arena_allocate(arena, (size_t)(rows->left * between * columns->left) + 1, size);
    uint8_t *to = made;
    for (int64_t o = 0; o < rows->count; o++) {
        for (int64_t i = 0; stays(rows, o) && i < between * columns->count; i++) {
            if (stays(columns, i % columns->count)) {
                memcpy(to, from + (size_t)(o * between * columns->count + i) * size, size);
                to += size;
            }
        }
    }
    return made;
}

static struct weft_value *cut_constant(struct cut *cut, const struct weft_value *constant,
                                       const struct kept *rows, const struct kept *columns) {
    struct weft_arena *arena = cut->copy.to->arena;
    if (rows->left == rows->count && columns->left == columns->count) {
        return weft_copy_value(&cut->copy, constant);
    }
    struct weft_type type = cut_type(arena, &constant->type, 0, rows);
    type = type.rank == 1 ? type : cut_type(arena, &type, type.rank - 1, columns);
    struct weft_value *made = weft_graph_add_constant(
        cut->copy.to, &type, cut_elements(arena, constant, rows, columns), NULL, -1);
    made->producer->source = constant->producer->source;
    return made;
}

/* ---- nodes ---- */

/* A node with other inputs, whose result has lost the same channels. */
static struct weft_node *add_cut(struct cut *cut, const struct weft_node *node,
                                 struct weft_value *second) {
    struct weft_graph *to = cut->copy.to;
    struct weft_value *inputs[2] = {weft_copy_value(&cut->copy, node->inputs[0]), second};
    const struct weft_value *old = node->results[0];
    const struct kept kept = kept_of(cut, old);
    struct weft_type type = cut_type(to->arena, &old->type, old->type.rank - 1, &kept);
    struct weft_node *made = weft_graph_add_node(to, node->op, node->input_count, inputs,
                                                 node->attribute_count, node->attributes);
    made->source = node->source;
    made->line = node->line;
    struct weft_value *result = weft_node_add_result(to, made, &type, old->tensor);
    result->name = old->name;
    weft_map_set(cut->copy.values, old, result);
    return made;
}

static void set_int(struct weft_arena *arena, struct weft_node *node, enum weft_attribute_key key,
                    int64_t value) {
    weft_node_remove_attribute(node, key);
    weft_node_add_attribute(arena, node, weft_attr_int(arena, key, value));
}

static void cut_product(struct cut *cut, const struct weft_node *node, bool dense) {
    struct weft_arena *arena = cut->copy.to->arena;
    const struct weft_value *w = node->inputs[1];
    const struct kept rows = kept_of(cut, node->results[0]);
    const struct kept columns = dense ? kept_of(cut, node->inputs[0]) : all_of(1);
    struct weft_node *made = add_cut(cut, node, cut_constant(cut, w, &rows, &columns));
    if (!dense) {
        const struct kept groups = kept_of(cut, node->inputs[0]);
        set_int(arena, made, WEFT_ATTR_groups, groups.left);
    }
    int64_t less = weft_node_macs(node) - weft_node_macs(made);
    if (less > 0) {
        set_int(arena, made, WEFT_ATTR_cut_macs, weft_node_model_macs(node) - weft_node_macs(made));
    }
}

/* What the cut channels of the product's operand add to the sums of channel `o`. */
static int64_t lost_sum(const struct cut *cut, const struct weft_node *product, int64_t o) {
    const struct channel_node *about =
        product == NULL ? NULL : channels_node(&cut->analysis, product);
    int64_t sum = 0;
    if (about == NULL || about->work != CHANNELS_DENSE) {
        return 0; /* depthwise products lose with a channel all that it makes */
    }
    const struct channels *x = channels_of(&cut->analysis, product->inputs[0]);
    for (int64_t c = 0; c < x->count; c++) {
        if (!x->is_kept[c] && about->is_read[o * x->count + c]) {
            sum += channels_sum(x, product, o, c);
        }
    }
    return sum;
}

static void cut_bias(struct cut *cut, const struct weft_node *node) {
    struct weft_graph *to = cut->copy.to;
    const struct weft_value *bias = node->inputs[1];
    const struct kept rows = kept_of(cut, node->results[0]);
    const struct kept one = all_of(1);
    uint8_t *moved = weft_arena_allocate(to->arena, (size_t)rows.count + 1, 4);
    bool is_moved = false;
    for (int64_t o = 0; o < rows.count; o++) {
        int64_t lost = stays(&rows, o) ? lost_sum(cut, node->inputs[0]->producer, o) : 0;
        is_moved = is_moved || lost != 0;
        weft_write_u32(moved + 4 * o,
                       (uint32_t)(weft_element(WEFT_I32, weft_value_data(bias), o) + lost));
    }
    struct weft_value *moved_bias = NULL;
    if (is_moved) {
        moved_bias = weft_graph_add_constant(to, &bias->type, moved, NULL, -1);
        weft_map_set(cut->copy.values, moved_bias, moved_bias);
    }
    (void)add_cut(cut, node, cut_constant(cut, is_moved ? moved_bias : bias, &rows, &one));
}

static void cut_node(struct cut *cut, const struct weft_node *node) {
    enum channel_work work = channels_node(&cut->analysis, node)->work;
    if (work == CHANNELS_MIXED) {
        weft_copy_node(&cut->copy, node);
    } else if (work != CHANNELS_KEPT) {
        cut_product(cut, node, work == CHANNELS_DENSE);
    } else if (node->op == WEFT_OP_BIAS_ADD) {
        cut_bias(cut, node);
    } else {
        (void)add_cut(cut, node, NULL);
    }
}

struct weft_graph *weft_pass_cut_channels(const struct weft_graph *graph) {
    struct cut cut;
    if (!channels_find(&cut.analysis, graph)) {
        struct weft_copy same = weft_copy_start(graph);
        for (size_t i = 0; i < graph->node_count; i++) {
            weft_copy_node(&same, graph->nodes[i]);
        }
        return weft_copy_finish(&same);
    }
    cut.copy = weft_copy_start(graph);
    for (size_t i = 0; i < graph->node_count; i++) {
        cut_node(&cut, graph->nodes[i]);
    }
    return weft_copy_finish(&cut.copy);
}
