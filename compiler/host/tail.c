#include "compiler/host/tail.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "compiler/host/bind_node.h"

enum {
    MOST_OPERANDS = 3,
    TILE_ELEMENTS = 1 << 13, /* of tiles without a head: a few of them fit into the first cache */
    LINE = 64,               /* bytes of a cache line */
    OUTCOMES = 4             /* more than there are kinds of them */
};

/* What of an operand belongs to a tile. */
enum part {
    PART_TILE,   /* another operator's tile */
    PART_WHOLE,  /* of a tensor of the result's shape: the tile's rows and columns */
    PART_ALONG,  /* of a vector along the last axis: the tile's columns */
    PART_SINGLE, /* the only element */
};

struct operand {
    enum part part;
    uint32_t slot;  /* PART_TILE: where it is; PART_WHOLE: where it is brought together */
    uint32_t outer; /* others: which operand from outside */
    size_t size;    /* bytes of an element */
};

struct operation {
    const struct weft_node *node;
    /* For tiles of all rows or fewer, of all columns or fewer. */
    struct weft_host_binding bindings[2][2];
    uint32_t operand_count;
    struct operand operands[MOST_OPERANDS];
    uint32_t slot; /* of the result; of the last operation: where it is put together */
    size_t size;   /* bytes of an element of the result */
    bool reduces;
};

struct host_tail {
    int64_t rows, columns; /* of the result */
    struct host_tiling tiling;
    bool has_head;
    uint32_t slots;
    size_t slot_bytes;
    uint32_t outer_count;
    uint32_t count;
    struct operation operations[];
};

/* ---- what can be in a tail ---- */

static bool is_plain(const struct weft_value *value) {
    return value->type.quantization.count == 0 && value->type.rank <= WEFT_KERNEL_RANK &&
           weft_type_elements(&value->type) > 0;
}

static bool is_vector(const struct weft_type *type, int64_t length) {
    return type->rank > 0 && type->dim[type->rank - 1] == length &&
           weft_type_elements(type) == length;
}

/* How an operand goes with a result of that shape. A vector is aligned at the last axis. */
static bool find_part(const struct weft_type *operand, const struct weft_type *result,
                      enum part *part) {
    if (weft_shape_equal(operand, result)) {
        *part = PART_WHOLE;
        return true;
    }
    if (weft_type_elements(operand) == 1) {
        *part = PART_SINGLE;
        return true;
    }
    *part = PART_ALONG;
    return result->rank > 0 && is_vector(operand, result->dim[result->rank - 1]);
}

/* Is there a kernel that needs nothing but its operands? */
static bool has_kernel(const struct weft_node *node) {
    struct weft_host_binding binding = {0};
    struct weft_error error;
    bool good = weft_host_bind(node, &binding, &error) &&
                weft_kernels[binding.kernel].scratch == NULL &&
                weft_kernels[binding.kernel].state == NULL;
    weft_host_binding_free(&binding);
    return good;
}

/* Powers have a kernel for one exponent, and a vector of one column must not be taken for it. */
static bool chooses_by_shape(const struct weft_node *node) {
    return node->op == WEFT_OP_POWER &&
           !weft_shape_equal(&node->inputs[1]->type, &node->results[0]->type);
}

bool host_tail_takes(const struct weft_node *node, const struct weft_type *type) {
    if (weft_operator_fusion(node->op) != WEFT_FUSION_BY_ELEMENT || node->result_count != 1 ||
        node->input_count > MOST_OPERANDS || !is_plain(node->results[0]) ||
        !weft_shape_equal(&node->results[0]->type, type) || chooses_by_shape(node)) {
        return false;
    }
    enum part part = PART_WHOLE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!is_plain(node->inputs[i]) || !find_part(&node->inputs[i]->type, type, &part)) {
            return false;
        }
    }
    return has_kernel(node);
}

bool host_tail_ends(const struct weft_node *node, const struct weft_type *type) {
    if (weft_operator_fusion(node->op) != WEFT_FUSION_REDUCTION || node->result_count != 1 ||
        !is_plain(node->results[0]) || !is_plain(node->inputs[0]) ||
        !weft_shape_equal(&node->inputs[0]->type, type) || type->rank < 2) {
        return false;
    }
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    return axes != NULL && axes->count == 1 && axes->ints[0] == (int64_t)type->rank - 1 &&
           has_kernel(node);
}

bool host_tail_follows(const struct weft_node *node) {
    return weft_operator_fusion(node->op) == WEFT_FUSION_COMPLEX && node->result_count == 1 &&
           is_plain(node->results[0]) && node->results[0]->type.rank > 0;
}

/* ---- binding to tiles ---- */

static struct weft_type matrix_of(const struct weft_type *type, int64_t rows, int64_t columns) {
    struct weft_type matrix = *type;
    matrix.rank = 2;
    matrix.dim[0] = rows;
    matrix.dim[1] = columns;
    return matrix;
}

static struct weft_type part_type(const struct weft_type *type, enum part part, int64_t rows,
                                  int64_t columns) {
    struct weft_type made = matrix_of(type, rows, columns);
    if (part == PART_ALONG || part == PART_SINGLE) {
        made.rank = 1;
        made.dim[0] = part == PART_ALONG ? columns : 1;
    }
    return made;
}

/* Binds a node as if its tensors were tiles: a copy of it with other shapes. */
static bool bind_tile(const struct operation *operation, int64_t rows, int64_t columns,
                      struct weft_host_binding *binding, struct weft_error *error) {
    enum {
        MOST_ATTRIBUTES = 8
    };
    const struct weft_node *node = operation->node;
    struct weft_node tile = *node;
    struct weft_value values[MOST_OPERANDS];
    struct weft_value *inputs[MOST_OPERANDS];
    struct weft_value result = *node->results[0];
    struct weft_value *results[1] = {&result};
    struct weft_attribute attributes[MOST_ATTRIBUTES];
    static const int64_t last_axis[1] = {1};
    for (uint32_t i = 0; i < node->input_count; i++) {
        values[i] = *node->inputs[i];
        values[i].type =
            part_type(&node->inputs[i]->type, operation->operands[i].part, rows, columns);
        inputs[i] = &values[i];
    }
    result.type = matrix_of(&result.type, rows, operation->reduces ? 1 : columns);
    tile.inputs = inputs;
    tile.results = results;
    if (operation->reduces && node->attribute_count <= MOST_ATTRIBUTES) {
        for (uint32_t i = 0; i < node->attribute_count; i++) {
            attributes[i] = node->attributes[i];
            if (attributes[i].key == WEFT_ATTR_axes) {
                attributes[i].ints = last_axis;
            }
        }
        tile.attributes = attributes;
    }
    return weft_host_bind(&tile, binding, error);
}

static bool bind_tiles(const struct host_tail *tail, struct operation *operation,
                       struct weft_error *error) {
    const int32_t rows[2] = {tail->tiling.rows, tail->tiling.rest_rows};
    const int32_t columns[2] = {tail->tiling.columns, tail->tiling.rest_columns};
    bool good = true;
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            good = good &&
                   (rows[r] == 0 || columns[c] == 0 ||
                    bind_tile(operation, rows[r], columns[c], &operation->bindings[r][c], error));
        }
    }
    return good;
}

/* ---- opening ---- */

/* The operation that makes a value; the number of nodes: the head does, one more: none. */
static uint32_t maker_of(const struct host_tail *tail, const struct weft_value *head,
                         const struct weft_value *value) {
    for (uint32_t i = 0; i < tail->count; i++) {
        if (tail->operations[i].node->results[0] == value) {
            return i;
        }
    }
    return value == head ? tail->count : tail->count + 1;
}

/* Is the value an operand of a node behind `from`? */
static bool is_used_later(const struct host_tail *tail, uint32_t from,
                          const struct weft_value *value) {
    for (uint32_t i = from + 1; i < tail->count; i++) {
        const struct weft_node *node = tail->operations[i].node;
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (node->inputs[k] == value) {
                return true;
            }
        }
    }
    return false;
}

/* A slot that holds no value. Slot 0 is the head's: it lies where the head put it, and is never
 * given away. */
static uint32_t free_slot(struct host_tail *tail, const bool *taken) {
    uint32_t slot = 1;
    while (slot < tail->slots && taken[slot]) {
        slot++;
    }
    tail->slots = slot == tail->slots ? slot + 1 : tail->slots;
    return slot;
}

static void find_operands(struct host_tail *tail, const struct weft_value *head, uint32_t i,
                          bool *taken) {
    struct operation *operation = &tail->operations[i];
    const struct weft_node *node = operation->node;
    uint32_t brought[MOST_OPERANDS];
    uint32_t brought_count = 0;
    operation->operand_count = node->input_count;
    for (uint32_t k = 0; k < node->input_count; k++) {
        struct operand *operand = &operation->operands[k];
        const struct weft_value *value = node->inputs[k];
        uint32_t maker = maker_of(tail, head, value);
        operand->size = weft_dtype_bytes(value->type.dtype);
        if (maker <= tail->count) {
            operand->part = PART_TILE;
            operand->slot = maker == tail->count ? 0 : tail->operations[maker].slot;
            continue;
        }
        operand->outer = tail->outer_count++;
        if (operation->reduces) {
            operand->part = PART_WHOLE;
        } else {
            (void)find_part(&value->type, &node->results[0]->type, &operand->part);
        }
        if (operand->part == PART_WHOLE && tail->has_head) {
            operand->slot = free_slot(tail, taken);
            taken[operand->slot] = true;
            brought[brought_count++] = operand->slot;
        }
    }
    operation->slot = free_slot(tail, taken);
    taken[operation->slot] = true;
    for (uint32_t k = 0; k < brought_count; k++) {
        taken[brought[k]] = false;
    }
}

/* Gives every result a slot, and takes it back after its last use. */
static void find_slots(struct host_tail *tail, const struct weft_value *head, bool *taken) {
    tail->slots = 1;
    for (uint32_t i = 0; i < tail->count; i++) {
        find_operands(tail, head, i, taken);
        for (uint32_t k = 0; k <= i; k++) {
            const struct operation *maker = &tail->operations[k];
            if (taken[maker->slot] && !is_used_later(tail, i, maker->node->results[0])) {
                bool reused = false;
                for (uint32_t later = k + 1; later <= i; later++) {
                    reused = reused || (tail->operations[later].slot == maker->slot);
                }
                taken[maker->slot] = reused;
            }
        }
    }
}

static bool has_vector(const struct host_tail *tail) {
    bool found = false;
    for (uint32_t i = 0; i < tail->count; i++) {
        const struct weft_node *node = tail->operations[i].node;
        const struct weft_type *result = &node->results[0]->type;
        enum part part = PART_WHOLE;
        found = found || tail->operations[i].reduces;
        for (uint32_t k = 0; k < node->input_count; k++) {
            found =
                found || (find_part(&node->inputs[k]->type, result, &part) && part == PART_ALONG);
        }
    }
    return found;
}

/* Rows of the last axis, or, where that does not matter, of one element. */
static void set_shape(struct host_tail *tail, const struct host_tiling *tiling) {
    const struct operation *first = &tail->operations[0];
    const struct weft_value *value =
        first->reduces ? first->node->inputs[0] : first->node->results[0];
    const struct weft_type *type = &value->type;
    bool by_rows = tail->has_head || has_vector(tail);
    tail->columns = by_rows ? type->dim[type->rank - 1] : 1;
    tail->rows = weft_type_elements(type) / tail->columns;
    if (tail->has_head) {
        tail->tiling = *tiling;
    } else {
        int64_t rows = weft_clamp(TILE_ELEMENTS / tail->columns, 1, tail->rows);
        tail->tiling = (struct host_tiling){.rows = (int32_t)rows,
                                            .columns = (int32_t)tail->columns,
                                            .rest_rows = (int32_t)(tail->rows % rows)};
    }
}

static size_t widest(const struct host_tail *tail) {
    size_t widest = 0;
    for (uint32_t i = 0; i < tail->count; i++) {
        widest = tail->operations[i].size > widest ? tail->operations[i].size : widest;
        for (uint32_t k = 0; k < tail->operations[i].operand_count; k++) {
            size_t size = tail->operations[i].operands[k].size;
            widest = size > widest ? size : widest;
        }
    }
    return widest;
}

bool host_tail_open(struct weft_node *const *nodes, uint32_t count, const struct weft_value *head,
                    const struct host_tiling *tiling, struct host_tail **tail,
                    struct weft_error *error) {
    struct host_tail *made =
        weft_allocate(1, sizeof *made + count * sizeof made->operations[0], "a group", error);
    bool *taken = weft_allocate((size_t)count * (MOST_OPERANDS + 1) + 2, 1, "a group", error);
    bool good = made != NULL && taken != NULL;
    if (good) {
        made->count = count;
        made->has_head = head != NULL;
        for (uint32_t i = 0; i < count; i++) {
            made->operations[i].node = nodes[i];
            made->operations[i].size = weft_dtype_bytes(nodes[i]->results[0]->type.dtype);
            made->operations[i].reduces =
                weft_operator_fusion(nodes[i]->op) == WEFT_FUSION_REDUCTION;
        }
        set_shape(made, tiling);
        find_slots(made, head, taken);
        size_t bytes = (size_t)made->tiling.rows * (size_t)made->tiling.columns * widest(made);
        made->slot_bytes = (bytes + LINE - 1) / LINE * LINE;
    }
    for (uint32_t i = 0; good && i < count; i++) {
        good = bind_tiles(made, &made->operations[i], error);
    }
    free(taken);
    if (!good) {
        host_tail_close(made);
        return false;
    }
    *tail = made;
    return true;
}

void host_tail_close(struct host_tail *tail) {
    for (uint32_t i = 0; tail != NULL && i < tail->count; i++) {
        for (int k = 0; k < 4; k++) {
            weft_host_binding_free(&tail->operations[i].bindings[k / 2][k % 2]);
        }
    }
    free(tail);
}

size_t host_tail_memory(const struct host_tail *tail) {
    size_t bytes = sizeof *tail + tail->count * sizeof tail->operations[0];
    for (uint32_t i = 0; i < tail->count; i++) {
        for (int k = 0; k < 4; k++) {
            bytes += tail->operations[i].bindings[k / 2][k % 2].size;
        }
    }
    return bytes;
}

size_t host_tail_scratch(const struct host_tail *tail, unsigned threads) {
    return (tail->slots - 1) * tail->slot_bytes * threads;
}

/* ---- running ---- */

static char *slot_at(const struct host_tail_run *run, const struct host_tile *tile, uint32_t slot) {
    const struct host_tail *tail = run->tail;
    return slot == 0 ? (char *)tile->elements
                     : (char *)run->scratch +
                           ((size_t)tile->thread * (tail->slots - 1) + slot - 1) * tail->slot_bytes;
}

/* Copies the tile's part of each row between a tensor, from `whole` on, and a tile. */
static void copy_rows(const struct host_tail *tail, const struct host_tile *tile, size_t size,
                      char *to, const char *from, bool to_tensor) {
    size_t row = (size_t)tail->columns * size;
    size_t part = (size_t)tile->columns * size;
    for (int32_t i = 0; i < tile->rows; i++) {
        memcpy(to, from, part);
        to += to_tensor ? row : part;
        from += to_tensor ? part : row;
    }
}

static const void *operand_at(const struct host_tail_run *run, const struct host_tile *tile,
                              const struct operand *operand) {
    const struct host_tail *tail = run->tail;
    if (operand->part == PART_TILE) {
        return slot_at(run, tile, operand->slot);
    }
    const char *bytes = run->operands[operand->outer];
    if (operand->part == PART_WHOLE) {
        bytes += (size_t)(tile->row * tail->columns + tile->column) * operand->size;
        if (tile->columns < tail->columns) {
            char *to = slot_at(run, tile, operand->slot);
            copy_rows(tail, tile, operand->size, to, bytes, false);
            return to;
        }
    } else if (operand->part == PART_ALONG) {
        bytes += (size_t)tile->column * operand->size;
    }
    return bytes;
}

/* Where the last operation's tile begins in the result. */
static char *result_at(const struct host_tail_run *run, const struct host_tile *tile) {
    const struct operation *last = &run->tail->operations[run->tail->count - 1];
    int64_t columns = last->reduces ? 1 : run->tail->columns;
    return (char *)run->result + (size_t)(tile->row * columns + tile->column) * last->size;
}

void host_tail_finish(void *context, const struct host_tile *tile) {
    struct host_tail_run *run = context;
    const struct host_tail *tail = run->tail;
    bool whole_rows = tile->columns == tail->columns;
    for (uint32_t i = 0; i < tail->count; i++) {
        const struct operation *operation = &tail->operations[i];
        const struct weft_host_binding *binding =
            &operation->bindings[tile->rows == tail->tiling.rows ? 0 : 1]
                                [tile->columns == tail->tiling.columns ? 0 : 1];
        const void *inputs[MOST_OPERANDS];
        bool is_result = i + 1 == tail->count;
        void *to =
            is_result && whole_rows ? result_at(run, tile) : slot_at(run, tile, operation->slot);
        for (uint32_t k = 0; k < operation->operand_count; k++) {
            inputs[k] = operand_at(run, tile, &operation->operands[k]);
        }
        enum weft_kernel_status status =
            weft_kernels[binding->kernel].run(binding->parameters, inputs, &to, NULL, NULL);
        if (status != WEFT_KERNEL_OK) {
            atomic_store(&run->outcome, i * OUTCOMES + (unsigned)status);
            return;
        }
        if (is_result && !whole_rows) {
            copy_rows(tail, tile, operation->size, result_at(run, tile), to, true);
        }
    }
}

const struct weft_node *host_tail_outcome(struct host_tail_run *run,
                                          enum weft_kernel_status *status) {
    unsigned outcome = atomic_load(&run->outcome);
    *status = (enum weft_kernel_status)(outcome % OUTCOMES);
    return *status == WEFT_KERNEL_OK ? NULL : run->tail->operations[outcome / OUTCOMES].node;
}

static void run_tile(void *context, unsigned thread, size_t i) {
    struct host_tail_run *run = context;
    const struct host_tail *tail = run->tail;
    struct host_tile tile = {
        .row = (int64_t)i * tail->tiling.rows, .columns = tail->tiling.columns, .thread = thread};
    tile.rows = (int32_t)weft_min(tail->tiling.rows, tail->rows - tile.row);
    host_tail_finish(run, &tile);
}

void host_tail_all(struct host_tail_run *run, struct weft_team *team) {
    const struct host_tail *tail = run->tail;
    weft_team_run(team, (size_t)weft_ceil_div(tail->rows, tail->tiling.rows), run_tile, run);
}
