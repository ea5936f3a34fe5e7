#include "compiler/export/plan.h"

#include "base/integer.h"
#include "compiler/host/host.h"
#include "firmware/weft_model.h"

_Static_assert((int)WEFT_MODEL_REGIONS == (int)WEFT_REGIONS, "firmware has the machine's regions");

/* When inputs are there and outputs are read; the steps between are counted from 1. */
#define BEFORE UINT32_C(0)
#define AFTER  (UINT32_MAX - 1)

/* ---- tensors ---- */

static struct tensor *tensor_of(const struct export_plan *plan, const struct weft_value *value) {
    return weft_map_get(plan->tensors, value);
}

static struct tensor *new_tensor(struct export_plan *plan, const struct weft_value *value) {
    struct tensor *tensor = WEFT_NEW(plan->arena, struct tensor);
    *tensor = (struct tensor){.value = value,
                              .bytes = (int64_t)weft_type_bytes(&value->type),
                              .constant = weft_value_data(value),
                              .area = -1,
                              .place = -1};
    weft_map_set(plan->tensors, value, tensor);
    return tensor;
}

/* The step that comes next. */
static uint32_t now(const struct export_plan *plan) {
    return (uint32_t)plan->step_count + 1;
}

/* A tensor with an area of its own. */
static struct tensor *add_tensor(struct export_plan *plan, const struct weft_value *value) {
    struct tensor *tensor = new_tensor(plan, value);
    tensor->area = areas_add(&plan->areas, tensor->bytes, WEFT_MODEL_LINE);
    areas_take(&plan->areas, tensor->area, 0, tensor->bytes);
    return tensor;
}

static struct step *add_step(struct export_plan *plan, enum weft_step_kind kind) {
    plan->steps = weft_arena_grow(plan->arena, plan->steps, plan->step_count, &plan->step_capacity,
                                  sizeof *plan->steps);
    struct step *step = &plan->steps[plan->step_count++];
    *step = (struct step){.kind = kind};
    return step;
}

static void use(struct export_plan *plan, struct reference reference, uint32_t step) {
    if (reference.tensor == NULL) {
        areas_use(&plan->areas, reference.area, step);
    } else if (reference.tensor->constant == NULL) {
        areas_use(&plan->areas, reference.tensor->area, step);
    }
}

static void add_copy(struct export_plan *plan, struct reference from, struct reference to,
                     int64_t bytes) {
    use(plan, from, now(plan));
    use(plan, to, now(plan));
    add_step(plan, WEFT_STEP_COPY)->copy = (struct copy_step){from, to, bytes};
}

/* ---- programs ---- */

/* Where a region of a program lies, while its step is made. */
struct region_plan {
    int area;
    int64_t bytes;       /* that the program may ask for */
    struct tensor *only; /* the tensor that it is; NULL: it is an area */
};

static struct reference place_in(const struct region_plan *region, int64_t offset) {
    return (struct reference){.area = region->area, .offset = offset};
}

static int64_t end_of(const struct weft_binding *bindings, uint32_t count, uint32_t region) {
    int64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (bindings[i].region == region) {
            end = weft_max(end, (int64_t)(bindings[i].offset + bindings[i].bytes));
        }
    }
    return end;
}

/* The bytes of each region. A program is compiled for regions of whole bursts; where it proves free
 * of faults with regions that end with their last tensor, these may be buffers of somebody else. */
static bool region_limits(const struct export_plan *plan, const struct weft_segment *segment,
                          struct weft_regions *regions, bool *exact, struct weft_error *error) {
    struct weft_proof proof;
    struct weft_error refused;
    weft_segment_regions(segment, regions);
    struct weft_regions ends = *regions;
    ends.limit[WEFT_REGION_INPUTS] =
        (uint64_t)end_of(segment->inputs, segment->input_count, WEFT_REGION_INPUTS);
    ends.limit[WEFT_REGION_OUTPUTS] =
        (uint64_t)end_of(segment->outputs, segment->output_count, WEFT_REGION_OUTPUTS);
    *exact = weft_verify(&plan->module->config, segment->program.instructions,
                         segment->program.count, &ends, &proof, &refused);
    if (*exact) {
        *regions = ends;
    } else if (refused.code == WEFT_OUT_OF_MEMORY) {
        *error = refused;
        return false;
    }
    return true;
}

/* Does every result have bytes of its own in the region of outputs? One that is another form of an
 * operand or of another result does not. */
static bool has_own_outputs(const struct weft_segment *segment) {
    bool good = true;
    for (uint32_t i = 0; good && i < segment->output_count; i++) {
        const struct weft_binding *a = &segment->outputs[i];
        good = a->region == WEFT_REGION_OUTPUTS;
        for (uint32_t k = 0; good && k < i; k++) {
            const struct weft_binding *b = &segment->outputs[k];
            good = a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
        }
    }
    return good;
}

/* Takes the bytes of the inputs in their region, before tensors are moved there. */
static bool take_inputs(struct export_plan *plan, const struct weft_segment *segment,
                        const struct region_plan *region, struct weft_error *error) {
    for (uint32_t i = 0; i < segment->input_count; i++) {
        const struct weft_binding *binding = &segment->inputs[i];
        if (binding->region != WEFT_REGION_INPUTS ||
            !areas_take(&plan->areas, region->area, (int64_t)binding->offset,
                        (int64_t)binding->bytes)) {
            return weft_fail(
                error, WEFT_CONTAINER, i,
                "input %u of a program has no bytes of its own in the region of inputs", i);
        }
    }
    return true;
}

/* Is the tensor where the region has it? Then it needs no copy. */
static bool lies_in(const struct export_plan *plan, const struct tensor *tensor,
                    const struct region_plan *region, int64_t offset) {
    return tensor->constant == NULL && region->area >= 0 &&
           areas_same(&plan->areas, tensor->area, tensor->offset, region->area, offset);
}

/* A tensor that lies in a region: a buffer can stand for both if the region is nothing else. */
static void note_tensor(struct region_plan *region, struct tensor *tensor, bool exact) {
    if (exact && region->bytes == tensor->bytes) {
        region->only = tensor;
        tensor->is_region = true;
    } else {
        tensor->is_fixed = true;
    }
}

/* Moves operands into the region of inputs where they can be, copies the others. */
static void bind_inputs(struct export_plan *plan, const struct weft_segment *segment,
                        const struct weft_node *node, struct region_plan *region, bool exact) {
    for (uint32_t i = 0; i < segment->input_count; i++) {
        struct tensor *tensor = tensor_of(plan, node->inputs[i]);
        int64_t offset = (int64_t)segment->inputs[i].offset;
        if (tensor->constant != NULL || !areas_join(&plan->areas, tensor->area, tensor->offset,
                                                    region->area, offset, tensor->bytes)) {
            add_copy(plan, (struct reference){.tensor = tensor}, place_in(region, offset),
                     tensor->bytes);
        }
    }
    for (uint32_t i = 0; i < segment->input_count; i++) {
        struct tensor *tensor = tensor_of(plan, node->inputs[i]);
        if (lies_in(plan, tensor, region, (int64_t)segment->inputs[i].offset)) {
            note_tensor(region, tensor, exact);
        }
    }
}

/* Results lie in the region of outputs; those that have no bytes of their own there get an area. */
static void place_outputs(struct export_plan *plan, const struct weft_segment *segment,
                          const struct weft_node *node, struct region_plan *region, bool exact) {
    for (uint32_t i = 0; i < segment->output_count; i++) {
        const struct weft_binding *binding = &segment->outputs[i];
        const struct weft_value *value = node->results[i];
        if (binding->region == WEFT_REGION_OUTPUTS &&
            areas_take(&plan->areas, region->area, (int64_t)binding->offset,
                       (int64_t)binding->bytes)) {
            struct tensor *tensor = new_tensor(plan, value);
            tensor->area = region->area;
            tensor->offset = (int64_t)binding->offset;
            note_tensor(region, tensor, exact);
        } else {
            add_tensor(plan, value);
        }
    }
}

/* Copies of those, after the program. */
static void copy_outputs(struct export_plan *plan, const struct weft_segment *segment,
                         const struct weft_node *node, const struct region_plan *regions) {
    for (uint32_t i = 0; i < segment->output_count; i++) {
        const struct weft_binding *binding = &segment->outputs[i];
        const struct region_plan *region = &regions[binding->region];
        struct tensor *tensor = tensor_of(plan, node->results[i]);
        if (!lies_in(plan, tensor, region, (int64_t)binding->offset)) {
            add_copy(plan, place_in(region, (int64_t)binding->offset),
                     (struct reference){.tensor = tensor}, tensor->bytes);
        }
    }
}

static void use_regions(struct export_plan *plan, const struct region_plan *regions,
                        struct segment_step *step) {
    for (unsigned i = WEFT_REGION_SCRATCH; i < WEFT_REGIONS; i++) {
        step->regions[i].bytes = regions[i].bytes;
        step->regions[i].at = (struct reference){regions[i].only, regions[i].area, 0};
        if (regions[i].bytes > 0) {
            areas_use(&plan->areas, regions[i].area, now(plan));
        }
    }
}

static bool add_segment(struct export_plan *plan, const struct weft_segment *segment,
                        const struct weft_node *node, struct weft_error *error) {
    struct region_plan regions[WEFT_REGIONS] = {{0}};
    struct segment_step made = {.segment = segment};
    struct weft_regions limits;
    bool exact = false;
    if (!region_limits(plan, segment, &limits, &exact, error)) {
        return false;
    }
    exact = exact && has_own_outputs(segment);
    for (unsigned i = WEFT_REGION_SCRATCH; i < WEFT_REGIONS; i++) {
        regions[i].bytes = (int64_t)limits.limit[i];
        regions[i].area = areas_add(&plan->areas, regions[i].bytes, WEFT_MODEL_ALIGNMENT);
    }
    if (!take_inputs(plan, segment, &regions[WEFT_REGION_INPUTS], error)) {
        return false;
    }
    bind_inputs(plan, segment, node, &regions[WEFT_REGION_INPUTS], exact);
    place_outputs(plan, segment, node, &regions[WEFT_REGION_OUTPUTS], exact);
    use_regions(plan, regions, &made);
    add_step(plan, WEFT_STEP_SEGMENT)->segment = made;
    copy_outputs(plan, segment, node, regions);
    return true;
}

/* ---- operators ---- */

static uint32_t kernel_number(struct export_plan *plan, enum weft_kernel kernel) {
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        if (plan->kernels[i] == kernel) {
            return i;
        }
    }
    plan->kernels[plan->kernel_count] = kernel;
    return plan->kernel_count++;
}

/* Memory that is used from one step to another; -1: none. */
static int add_memory(struct export_plan *plan, size_t bytes, uint32_t first, uint32_t last) {
    if (bytes == 0) {
        return -1;
    }
    int area = areas_add(&plan->areas, (int64_t)bytes, WEFT_MODEL_LINE);
    areas_use(&plan->areas, area, first);
    areas_use(&plan->areas, area, last);
    return area;
}

static bool check_kernel(const struct weft_node *node, enum weft_kernel kernel,
                         struct weft_error *error) {
    if (weft_kernels[kernel].arithmetic == WEFT_ARITHMETIC_INTEGER) {
        return true;
    }
    (void)weft_fail(error, WEFT_OPERATOR, 0,
                    "firmware has no kernel %s, which computes with floats",
                    weft_kernels[kernel].name);
    weft_node_error_prefix(node, error);
    return false;
}

static void take_operands(struct export_plan *plan, struct operator_step *operator, uint32_t step) {
    const struct weft_node *node = operator->node;
    uint32_t count = node->input_count + node->result_count;
    operator->operands = weft_arena_allocate(plan->arena, count, sizeof *operator->operands);
    for (uint32_t i = 0; i < count; i++) {
        struct tensor *tensor = i < node->input_count
                                    ? tensor_of(plan, node->inputs[i])
                                    : add_tensor(plan, node->results[i - node->input_count]);
        operator->operands[i] = tensor;
        use(plan, (struct reference){.tensor = tensor}, step);
    }
    operator->pointers = add_memory(plan, (size_t)count * 8, step, step);
}

static bool add_operator(struct export_plan *plan, const struct weft_node *node,
                         struct weft_error *error) {
    uint32_t at = now(plan);
    struct operator_step *operator= & add_step(plan, WEFT_STEP_OPERATOR)->operator;
    operator->node = node;
    if (!weft_host_bind(node, &operator->binding, error) ||
        !check_kernel(node, operator->binding.kernel, error)) {
        return false;
    }
    const struct weft_kernel_entry *entry = &weft_kernels[operator->binding.kernel];
    const void *parameters = operator->binding.parameters;
    take_operands(plan, operator, at);
    operator->scratch_bytes = entry->scratch == NULL ? 0 : entry->scratch(parameters);
    operator->state_bytes = entry->state == NULL ? 0 : entry->state(parameters);
    operator->scratch = add_memory(plan, operator->scratch_bytes, at, at);
    operator->state = add_memory(plan, operator->state_bytes, BEFORE, AFTER);
    operator->kernel = kernel_number(plan, operator->binding.kernel);
    if (operator->state >= 0) {
        operator->first_state = weft_arena_allocate(plan->arena, operator->state_bytes, 1);
        entry->reset(parameters, operator->first_state);
        plan->state_count++;
    }
    return true;
}

/* ---- all ---- */

static bool add_node(struct export_plan *plan, const struct weft_node *node, uint32_t *segment,
                     struct weft_error *error) {
    if (node->op == WEFT_OP_CONSTANT) {
        new_tensor(plan, node->results[0]);
        return true;
    }
    if (weft_is_machine_region(node)) {
        const struct weft_segment *next = &plan->module->segments[(*segment)++];
        return add_segment(plan, next, node, error);
    }
    if (node->op == WEFT_OP_REGION) {
        return weft_fail(error, WEFT_TARGET, 0, "firmware cannot run programs of target %s",
                         weft_node_text(node, WEFT_ATTR_target));
    }
    return add_operator(plan, node, error);
}

/* Numbers inputs and outputs. What is several of them has one home, and no buffer stands for it. */
static void number_tensors(struct export_plan *plan) {
    const struct weft_graph *graph = plan->module->graph;
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        bool is_input = i < graph->input_count;
        struct tensor *tensor =
            tensor_of(plan, is_input ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        if (tensor->constant != NULL) {
            continue;
        }
        areas_use(&plan->areas, tensor->area, is_input ? BEFORE : AFTER);
        tensor->is_fixed = tensor->is_fixed || tensor->place >= 0;
        tensor->place = tensor->place >= 0 ? tensor->place : (int)i;
    }
}

bool export_plan(struct weft_arena *arena, const struct weft_module *module,
                 struct export_plan *plan, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    uint32_t segment = 0;
    *plan = (struct export_plan){.arena = arena,
                                 .module = module,
                                 .areas = {.arena = arena},
                                 .tensors = weft_map_new(arena)};
    for (size_t i = 0; i < graph->input_count; i++) {
        add_tensor(plan, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        if (!add_node(plan, graph->nodes[i], &segment, error)) {
            return false;
        }
    }
    number_tensors(plan);
    plan->places = add_memory(plan, (graph->input_count + graph->output_count) * 8, BEFORE, AFTER);
    plan->arena_bytes = areas_pack(&plan->areas, &plan->least_arena_bytes);
    return true;
}

void export_plan_free(struct export_plan *plan) {
    for (size_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].kind == WEFT_STEP_OPERATOR) {
            weft_host_binding_free(&plan->steps[i].operator.binding);
        }
    }
}
