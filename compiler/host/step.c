#include "compiler/host/step.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/memory.h"
#include "compiler/host/tail.h"

/* A head, which is any operator or none, and a tail of operators by element, or none. */
struct weft_host_step {
    const struct weft_node *head;
    struct weft_team *team;
    struct weft_host_binding binding; /* of the head */
    bool is_product; /* the head is carried out by host_product_run(), not by its kernel */
    struct host_product product;
    float *packed; /* the constant weights of a product; NULL: it has none, or is none */
    struct host_tail *tail;
    bool is_tiled; /* the head's tiles are the tail's; false: the tail takes its whole result */
    uint32_t operand_count;
    const struct weft_value **operands; /* first those of the head */
    uint32_t outer_count;               /* of the tail; */
    const struct weft_value **outers;   /* among them may be the head's result */
};

/* The error of a kernel that found something in the elements. */
static bool explain(const struct weft_node *node, enum weft_kernel_status status,
                    struct weft_error *error) {
    switch (status) {
    case WEFT_KERNEL_OK:
        return true;
    case WEFT_KERNEL_INDEX:
        (void)weft_fail(error, WEFT_TENSOR, 0, "an index is outside its axis");
        break;
    default:
        (void)weft_fail(error, WEFT_OPERATOR, 0, "the reference has no answer to these elements");
    }
    weft_node_error_prefix(node, error);
    return false;
}

/* ---- opening ---- */

bool weft_host_step_is_large(const struct weft_node *node) {
    enum {
        LARGE_WORK = 1 << 21, /* multiplications: some hundred microseconds */
        LARGE_TENSOR = 1 << 18
    };
    enum weft_fusion fusion = weft_operator_fusion(node->op);
    return (fusion == WEFT_FUSION_COMPLEX && weft_node_macs(node) >= LARGE_WORK) ||
           (fusion == WEFT_FUSION_BY_ELEMENT &&
            weft_type_elements(&node->results[0]->type) >= LARGE_TENSOR);
}

static size_t packed_bytes(const struct weft_host_step *step) {
    return (size_t)step->product.packed * sizeof(float);
}

static size_t blocks_bytes(const struct weft_host_step *step) {
    return host_product_scratch(&step->product, weft_team_size(step->team), step->is_tiled);
}

/* Packs weights that are constant; those that are not finite may need the kernel. */
static bool pack_constant(struct weft_host_step *step, const void *weights,
                          struct weft_error *error) {
    step->packed = weft_allocate(packed_bytes(step), 1, "packed weights", error);
    if (step->packed == NULL) {
        return false;
    }
    step->is_product = host_product_pack(&step->product, step->team, weights, step->packed);
    if (!step->is_product) {
        free(step->packed);
        step->packed = NULL;
    }
    return true;
}

static bool open_head(struct weft_host_step *step, const struct weft_host_step_options *options,
                      struct weft_error *error) {
    if (step->head == NULL) {
        return true;
    }
    if (!weft_host_bind(step->head, &step->binding, error)) {
        return false;
    }
    step->is_product = host_product_describe(&step->binding, &step->product) &&
                       weft_add_saturated(packed_bytes(step), blocks_bytes(step)) <= options->room;
    const void *weights = step->is_product ? weft_value_data(step->head->inputs[1]) : NULL;
    return weights == NULL || !options->is_kept || pack_constant(step, weights, error);
}

/* Is the value a result of one of the nodes? */
static bool is_inside(struct weft_node *const *nodes, uint32_t count,
                      const struct weft_value *value) {
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found = found || (value->producer != NULL && value->producer == nodes[i]);
    }
    return found;
}

static bool list_operands(struct weft_host_step *step, struct weft_node *const *tail,
                          uint32_t tail_count, struct weft_error *error) {
    uint32_t most = step->head == NULL ? 0 : step->head->input_count;
    for (uint32_t i = 0; i < tail_count; i++) {
        most += tail[i]->input_count;
    }
    step->operands = weft_allocate(most, sizeof *step->operands, "a group", error);
    step->outers = weft_allocate(most, sizeof *step->outers, "a group", error);
    if (step->operands == NULL || step->outers == NULL) {
        return false;
    }
    for (uint32_t i = 0; step->head != NULL && i < step->head->input_count; i++) {
        step->operands[step->operand_count++] = step->head->inputs[i];
    }
    for (uint32_t i = 0; i < tail_count; i++) {
        for (uint32_t k = 0; k < tail[i]->input_count; k++) {
            const struct weft_value *value = tail[i]->inputs[k];
            bool from_head = step->head != NULL && value == step->head->results[0];
            if (is_inside(tail, tail_count, value) || (from_head && step->is_tiled)) {
                continue;
            }
            step->outers[step->outer_count++] = value;
            if (!from_head) {
                step->operands[step->operand_count++] = value;
            }
        }
    }
    return true;
}

static bool open_tail(struct weft_host_step *step, struct weft_node *const *tail,
                      uint32_t tail_count, struct weft_error *error) {
    struct host_tiling tiling = {0};
    /* Tiles need weights that are known to be good for a product. */
    step->is_tiled = step->is_product && tail_count > 0 &&
                     (step->packed != NULL || !weft_wide_pads(&step->product.wide));
    if (step->is_tiled) {
        tiling = host_product_tiling(&step->product, weft_team_size(step->team));
    }
    return list_operands(step, tail, tail_count, error) &&
           (tail_count == 0 ||
            host_tail_open(tail, tail_count, step->is_tiled ? step->head->results[0] : NULL,
                           &tiling, &step->tail, error));
}

/* Large operators by element are a tail without a head: so they are on all cores. */
static bool is_head(const struct weft_node *node, uint32_t count) {
    if (weft_operator_fusion(node->op) == WEFT_FUSION_COMPLEX) {
        return true;
    }
    return count == 1 &&
           (!weft_host_step_is_large(node) || !host_tail_takes(node, &node->results[0]->type));
}

bool weft_host_step_open(struct weft_node *const *nodes, uint32_t count,
                         const struct weft_host_step_options *options, struct weft_host_step **step,
                         struct weft_error *error) {
    struct weft_host_step *made = weft_allocate(1, sizeof *made, "a host operator", error);
    struct weft_node **tail = weft_allocate(count, sizeof(struct weft_node *), "a group", error);
    uint32_t tail_count = 0;
    bool good = made != NULL && tail != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        if (is_head(nodes[i], count)) {
            made->head = nodes[i];
        } else {
            tail[tail_count++] = nodes[i];
        }
    }
    if (good) {
        made->team = options->team;
        made->is_tiled = tail_count > 0;
    }
    good = good && open_head(made, options, error) && open_tail(made, tail, tail_count, error);
    free(tail);
    if (!good) {
        weft_host_step_close(made);
        return false;
    }
    *step = made;
    return true;
}

void weft_host_step_close(struct weft_host_step *step) {
    if (step != NULL) {
        weft_host_binding_free(&step->binding);
        host_tail_close(step->tail);
        free(step->operands);
        free(step->outers);
        free(step->packed);
        free(step);
    }
}

uint32_t weft_host_step_operands(const struct weft_host_step *step) {
    return step->operand_count;
}

const struct weft_value *weft_host_step_operand(const struct weft_host_step *step, uint32_t index) {
    return step->operands[index];
}

/* ---- memory ---- */

size_t weft_host_step_memory(const struct weft_host_step *step) {
    return sizeof *step + step->binding.size + (step->packed == NULL ? 0 : packed_bytes(step)) +
           (step->tail == NULL ? 0 : host_tail_memory(step->tail)) +
           (step->operand_count + step->outer_count) * sizeof *step->operands;
}

/* Where the parts of the memory of a run begin. */
struct places {
    size_t blocks, tail, end; /* the head's whole result, where there is one, is at 0 */
};

static size_t whole_lines(size_t bytes) {
    enum {
        LINE = 64
    };
    return (bytes + LINE - 1) / LINE * LINE;
}

static size_t kernel_bytes(const struct weft_host_step *step) {
    const struct weft_kernel_entry *kernel = &weft_kernels[step->binding.kernel];
    return kernel->scratch == NULL ? 0 : kernel->scratch(step->binding.parameters);
}

static struct places find_places(const struct weft_host_step *step) {
    struct places at = {0};
    if (step->head != NULL && step->tail != NULL && !step->is_tiled) {
        at.blocks = whole_lines(weft_type_bytes(&step->head->results[0]->type));
    }
    at.tail = at.blocks;
    if (step->is_product) {
        at.tail +=
            whole_lines(blocks_bytes(step) + (step->packed == NULL ? packed_bytes(step) : 0));
    } else if (step->head != NULL) {
        at.tail += whole_lines(kernel_bytes(step));
    }
    at.end = at.tail;
    if (step->tail != NULL) {
        at.end += host_tail_scratch(step->tail, weft_team_size(step->team));
    }
    return at;
}

size_t weft_host_step_scratch(const struct weft_host_step *step) {
    return find_places(step).end;
}

/* ---- running ---- */

/* The head, as a product: to `output`, or its tiles to the tail. False: the weights are none for
 * that. */
static bool run_product(const struct weft_host_step *step, const void *const *operands,
                        float *output, struct host_tail_run *tail, void *scratch) {
    const float *packed = step->packed;
    float *blocks = scratch;
    if (packed == NULL) {
        if (!host_product_pack(&step->product, step->team, operands[1], blocks)) {
            return false;
        }
        packed = blocks;
        blocks += step->product.packed;
    }
    host_product_run(&step->product, step->team, operands[0], packed,
                     step->is_tiled ? NULL : output, host_tail_finish, tail, blocks);
    return true;
}

/* Carries out the head alone: its results go to `results`. */
static bool run_head(const struct weft_host_step *step, const void *const *operands,
                     void *const *results, void *state, void *scratch, struct weft_error *error) {
    if (step->is_product && run_product(step, operands, results[0], NULL, scratch)) {
        return true;
    }
    return explain(step->head,
                   weft_kernels[step->binding.kernel].run(step->binding.parameters, operands,
                                                          results, state, scratch),
                   error);
}

/* The tail's operands: those of the step behind the head's, or the head's result. */
static void find_outers(const struct weft_host_step *step, const void *const *operands,
                        const void *head_result, const void **outers) {
    uint32_t next = step->head == NULL ? 0 : step->head->input_count;
    for (uint32_t i = 0; i < step->outer_count; i++) {
        bool from_head = step->head != NULL && step->outers[i] == step->head->results[0];
        outers[i] = from_head ? head_result : operands[next++];
    }
}

bool weft_host_step_run(const struct weft_host_step *step, const void *const *operands,
                        void *const *results, void *state, void *scratch,
                        struct weft_error *error) {
    if (step->tail == NULL) {
        return run_head(step, operands, results, state, scratch, error);
    }
    const struct places at = find_places(step);
    char *memory = scratch;
    struct host_tail_run run = {.tail = step->tail, .result = results[0]};
    const void **outers = weft_allocate(step->outer_count, sizeof *outers, "operands", error);
    bool good = outers != NULL;
    if (good) {
        find_outers(step, operands, memory, outers);
        run.operands = outers;
        run.scratch = memory + at.tail;
        atomic_init(&run.outcome, 0);
    }
    if (good && step->is_tiled) {
        (void)run_product(step, operands, NULL, &run, memory + at.blocks);
    } else if (good) {
        void *head_result = memory;
        good = step->head == NULL ||
               run_head(step, operands, &head_result, NULL, memory + at.blocks, error);
        if (good) {
            host_tail_all(&run, step->team);
        }
    }
    if (good) {
        enum weft_kernel_status status = WEFT_KERNEL_OK;
        const struct weft_node *node = host_tail_outcome(&run, &status);
        good = explain(node, status, error);
    }
    free(outers);
    return good;
}
