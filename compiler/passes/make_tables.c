/* Elementwise operators between one 8-bit tensor and another become one table. */
#include <string.h>

#include "compiler/passes/elementwise.h"
#include "compiler/passes/passes.h"

struct finder {
    struct weft_copy copy;
    const struct weft_use_index *uses;
    struct weft_map *groups; /* value of the old graph -> its group */
    struct weft_map *wanted; /* values that is_wanted() found, each with itself */
};

/* ---- finding ---- */

static bool is_one_byte(const struct weft_type *type) {
    return (type->dtype == WEFT_I8 || type->dtype == WEFT_U8) && type->quantization.count <= 1;
}

/* A constant whose elements are all the same. */
static bool is_uniform(const struct weft_value *value) {
    const uint8_t *data = weft_value_data(value);
    size_t size = weft_dtype_bytes(value->type.dtype);
    int64_t elements = weft_type_elements(&value->type);
    bool same = data != NULL && elements > 0 && value->type.quantization.count <= 1;
    for (int64_t i = 1; same && i < elements; i++) {
        same = memcmp(data, data + (size_t)i * size, size) == 0;
    }
    return same;
}

static struct elementwise_group *group_of(const struct finder *finder,
                                          const struct weft_value *value) {
    return weft_map_get(finder->groups, value);
}

/* A clip belongs to what makes its operand: a product, a sum, a pool. */
static bool ends_other_work(const struct finder *finder, const struct weft_node *node) {
    const struct weft_value *x = node->inputs[0];
    return node->op == WEFT_OP_CLIP && x->producer != NULL && group_of(finder, x) != NULL &&
           group_of(finder, x)->root == x;
}

/* The one group that all operands are of but those that are constant; NULL: there is none. */
static struct elementwise_group *joined_group(const struct finder *finder,
                                              const struct weft_node *node) {
    struct elementwise_group *group = NULL;
    if (!elementwise_is(node) || node->result_count != 1 ||
        node->results[0]->type.quantization.count > 1 || ends_other_work(finder, node)) {
        return NULL;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        struct elementwise_group *of_input = group_of(finder, node->inputs[i]);
        if (of_input == NULL && is_uniform(node->inputs[i])) {
            continue;
        }
        if (of_input == NULL || (group != NULL && group != of_input)) {
            return NULL;
        }
        group = of_input;
    }
    bool fits = group != NULL && group->count < ELEMENTWISE_MOST &&
                weft_shape_equal(&group->root->type, &node->results[0]->type);
    return fits ? group : NULL;
}

/* A value that could be the only operand of a table begins a group. */
static void start_group(const struct finder *finder, struct weft_value *value) {
    if (is_one_byte(&value->type) && weft_value_data(value) == NULL) {
        struct elementwise_group *group =
            WEFT_NEW(finder->copy.to->arena, struct elementwise_group);
        group->root = value;
        weft_map_set(finder->groups, value, group);
    }
}

static void find_group(const struct finder *finder, const struct weft_node *node) {
    struct elementwise_group *group = joined_group(finder, node);
    if (group != NULL) {
        group->nodes[group->count++] = node;
        weft_map_set(finder->groups, node->results[0], group);
        return;
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        start_group(finder, node->results[i]);
    }
}

/* ---- what is worth it ---- */

/* Is the value needed outside of its group, by itself or for one there that is and is no byte? Of
 * users in the group, what is found is known. */
static bool is_wanted(const struct finder *finder, const struct elementwise_group *group,
                      const struct weft_value *value) {
    const struct weft_users *users = weft_users_of(finder->uses, value);
    bool wanted = users->is_output;
    for (uint32_t i = 0; !wanted && i < users->count; i++) {
        const struct weft_node *user = users->nodes[i];
        wanted = user->result_count != 1 || group_of(finder, user->results[0]) != group ||
                 (!is_one_byte(&user->results[0]->type) &&
                  weft_map_get(finder->wanted, user->results[0]) != NULL);
    }
    return wanted;
}

static void find_wanted(const struct finder *finder, const struct weft_node *node) {
    struct weft_value *value = node->result_count == 1 ? node->results[0] : NULL;
    const struct elementwise_group *group = value == NULL ? NULL : group_of(finder, value);
    if (group != NULL && is_wanted(finder, group, value)) {
        weft_map_set(finder->wanted, value, value);
    }
}

/* Does it only give the root's integers another scale? */
static bool is_relabelled(const struct weft_value *value, const struct weft_value *root) {
    const struct weft_node *node = value->producer;
    return node->op == WEFT_OP_CAST && node->inputs[0] == root &&
           value->type.dtype == root->type.dtype;
}

/* Is it a table on the machine as it is: a function of the root, perhaps with a clip behind? */
static bool is_one_function(const struct weft_value *value, const struct weft_value *root) {
    const struct weft_node *node = value->producer;
    if (node->op == WEFT_OP_CLIP && node->inputs[0] != root) {
        node = node->inputs[0]->producer;
    }
    bool function = false;
    switch (node->op) {
#define WEFT_UNARY_FUNCTION(OPERATOR, name, kernel) case WEFT_OP_##OPERATOR:
#include "compiler/ir/functions.def"
        function = true;
        break;
    default:
        break;
    }
    return function && node->inputs[0] == root;
}

/* ---- making ---- */

/* False when a kernel refuses. */
static bool fill_table(struct weft_arena *arena, const struct elementwise_group *group,
                       const struct weft_value *last, int64_t table[ELEMENTWISE_VALUES]) {
    uint8_t results[ELEMENTWISE_VALUES];
    const struct elementwise_channels one = {0, 1, 1};
    bool runs = elementwise_run(arena, group, one, 1, (const struct weft_value *const[]){last},
                                (void *const[]){results});
    for (int i = 0; runs && i < ELEMENTWISE_VALUES; i++) {
        table[i] = weft_element(last->type.dtype, results, i);
    }
    return runs;
}

/* The root, or itself with a scale, which the machine asks for. */
static const struct weft_value *scaled_root(const struct elementwise_group *group) {
    const struct weft_value *scaled = group->root;
    for (size_t i = 0; i < group->count && scaled->type.quantization.count == 0; i++) {
        const struct weft_value *value = group->nodes[i]->results[0];
        scaled = is_relabelled(value, group->root) ? value : scaled;
    }
    return scaled;
}

/* Puts a table in the place of a node; false when that is not possible, or not worth it. */
static bool make_table(struct finder *finder, const struct weft_node *node) {
    struct weft_graph *to = finder->copy.to;
    const struct weft_value *value = node->result_count == 1 ? node->results[0] : NULL;
    const struct elementwise_group *group = value == NULL ? NULL : group_of(finder, value);
    int64_t table[ELEMENTWISE_VALUES];
    if (group == NULL || group->root == value || !is_one_byte(&value->type) ||
        weft_map_get(finder->wanted, value) == NULL || is_one_function(value, group->root) ||
        is_relabelled(value, group->root) || !fill_table(to->arena, group, value, table)) {
        return false;
    }
    struct weft_value *operand = weft_copy_value(&finder->copy, scaled_root(group));
    const struct weft_attribute attribute =
        weft_attr_ints(to->arena, WEFT_ATTR_table, ELEMENTWISE_VALUES, table);
    struct weft_node *made = weft_graph_add_node(to, WEFT_OP_QNN_TABLE, 1, &operand, 1, &attribute);
    made->source = node->source;
    made->line = node->line;
    struct weft_value *result = weft_node_add_result(to, made, &value->type, value->tensor);
    result->name = value->name;
    weft_map_set(finder->copy.values, value, result);
    return true;
}

struct weft_graph *weft_pass_make_tables(const struct weft_graph *graph) {
    struct finder finder = {weft_copy_start(graph), weft_use_index_new(graph),
                            weft_map_new(graph->arena), weft_map_new(graph->arena)};
    for (size_t i = 0; i < graph->input_count; i++) {
        start_group(&finder, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        find_group(&finder, graph->nodes[i]);
    }
    for (size_t i = graph->node_count; i-- > 0;) {
        find_wanted(&finder, graph->nodes[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!make_table(&finder, graph->nodes[i])) {
            weft_copy_node(&finder.copy, graph->nodes[i]);
        }
    }
    return weft_copy_finish(&finder.copy);
}
