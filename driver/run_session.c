#include "driver/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/host/group.h"
#include "compiler/host/host.h"
#include "compiler/host/step.h"
#include "driver/targets.h"
#include "sim/timing/bound.h"

/* A tensor of the graph in the host's memory. */
struct buffer {
    const struct weft_value *value;
    uint8_t *bytes; /* owned unless the value is a constant */
    size_t length;
    bool is_set;
};

/* A segment with its external memory. */
struct loaded {
    const struct weft_segment *segment;
    uint8_t *regions[WEFT_REGIONS]; /* owned, but for the constants */
    struct weft_segment_run run;
    bool reached; /* in the last run */
};

struct weft_session {
    const struct weft_module *module;
    const struct target *target;
    struct weft_session_options options;
    void *machine;
    size_t buffer_count;
    struct buffer *buffers; /* by the address of their value */
    struct loaded *segments;
    void **states; /* by node of the graph: what a host operator keeps; NULL: nothing */
    struct weft_host_groups groups;
    struct weft_host_step **steps; /* by last node of a group: host operators; NULL: none, or a
                                      failure that the run will find */
    struct weft_team *team;        /* that host operators run on */
    void *scratch;                 /* that they work in */
    bool succeeded;                /* the last run */
    uint64_t memory;               /* bytes of the module, the tensors and the regions */
};

struct weft_session_options weft_session_defaults(void) {
    return (struct weft_session_options){.host = weft_host_best()};
}

/* ---- opening ---- */

static int compare_buffers(const void *a, const void *b) {
    const struct buffer *first = a;
    const struct buffer *second = b;
    return weft_compare_u64((uintptr_t)first->value, (uintptr_t)second->value);
}

static struct buffer *buffer_of(const struct weft_session *session,
                                const struct weft_value *value) {
    const struct buffer key = {.value = value};
    return bsearch(&key, session->buffers, session->buffer_count, sizeof key, compare_buffers);
}

/* weft_allocate() inside the limit of the module. */
static void *allocate(struct weft_session *session, uint64_t bytes, const char *what,
                      struct weft_error *error) {
    uint64_t limit = weft_memory_limit(session->module->arena.limit);
    if (session->memory > limit || bytes > limit - session->memory) {
        weft_limit_passed(error, "a session of the model",
                          weft_add_saturated(session->memory, bytes), limit);
        return NULL;
    }
    session->memory += bytes;
    return weft_allocate((size_t)bytes, 1, what, error);
}

/* allocate() for `count` things, each with what the C library keeps of it. */
static void *allocate_all(struct weft_session *session, uint64_t count, size_t size,
                          const char *what, struct weft_error *error) {
    enum {
        OVERHEAD = 32
    };
    return allocate(session, weft_add_saturated(weft_mul_saturated(count, size), OVERHEAD), what,
                    error);
}

static bool add_buffer(struct weft_session *session, const struct weft_value *value,
                       struct weft_error *error) {
    struct buffer *buffer = &session->buffers[session->buffer_count++];
    *buffer = (struct buffer){.value = value, .length = weft_type_bytes(&value->type)};
    const uint8_t *constant = weft_value_data(value);
    if (constant != NULL || session->options.timing_only) {
        buffer->bytes = (uint8_t *)(uintptr_t)constant;
        buffer->is_set = true;
        return true;
    }
    buffer->bytes = allocate_all(session, buffer->length, 1, "a tensor", error);
    return buffer->bytes != NULL;
}

static bool add_buffers(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    size_t count = graph->input_count;
    for (size_t i = 0; i < graph->node_count; i++) {
        count += graph->nodes[i]->result_count;
    }
    session->buffers = allocate_all(session, count, sizeof *session->buffers, "tensors", error);
    if (session->buffers == NULL) {
        return false;
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        if (!add_buffer(session, graph->inputs[i], error)) {
            return false;
        }
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        bool is_inside = session->groups.last[i] != i;
        for (uint32_t k = 0; k < graph->nodes[i]->result_count && !is_inside; k++) {
            if (!add_buffer(session, graph->nodes[i]->results[k], error)) {
                return false;
            }
        }
    }
    qsort(session->buffers, session->buffer_count, sizeof *session->buffers, compare_buffers);
    return true;
}

/* What is inside a group has no tensor. */
static bool find_groups(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    bool fuse = !session->options.no_fusion && !session->options.timing_only;
    uint64_t bytes = weft_mul_saturated(graph->node_count, 2 * sizeof(uint32_t));
    session->memory = weft_add_saturated(session->memory, bytes);
    return weft_host_groups_find(graph, fuse, &session->groups, error);
}

/* The program in its binary form comes from elsewhere, inside the same limit. */
static bool count_program(struct weft_session *session, const struct weft_segment *segment,
                          struct weft_error *error) {
    uint64_t bytes = segment->program.count * WEFT_INSTRUCTION_BYTES;
    uint64_t limit = weft_memory_limit(session->module->arena.limit);
    session->memory = weft_add_saturated(session->memory, bytes);
    return session->memory <= limit ||
           weft_limit_passed(error, "a session of the model", session->memory, limit);
}

static bool load_segment(struct weft_session *session, uint32_t index, struct weft_error *error) {
    struct loaded *loaded = &session->segments[index];
    const struct weft_segment *segment = &session->module->segments[index];
    struct weft_regions regions;
    loaded->segment = segment;
    loaded->run.layer_finish =
        allocate_all(session, segment->layer_count, sizeof(uint64_t), "layers", error);
    if (loaded->run.layer_finish == NULL) {
        return false;
    }
    const struct weft_timing_settings settings = {.memory = session->options.memory};
    loaded->run.bound = weft_bound(&session->module->config, &settings,
                                   segment->program.instructions, segment->program.count);
    if (session->options.timing_only) {
        return true;
    }
    weft_segment_regions(segment, &regions);
    loaded->regions[WEFT_REGION_CONSTANTS] = (uint8_t *)(uintptr_t)segment->constants;
    if (!count_program(session, segment, error) ||
        !weft_program_encode(&segment->program, &loaded->regions[WEFT_REGION_PROGRAM], error)) {
        return false;
    }
    for (unsigned i = WEFT_REGION_SCRATCH; i < WEFT_REGIONS; i++) {
        uint64_t limit = regions.limit[i];
        loaded->regions[i] =
            limit == 0 ? NULL : allocate_all(session, limit, 1, "external memory", error);
        if (limit != 0 && loaded->regions[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* What host operators keep is inside the limit. */
static bool add_state(struct weft_session *session, size_t index, struct weft_error *error) {
    const struct weft_node *node = session->module->graph->nodes[index];
    size_t state = 0;
    if (!weft_host_state(node, &state, error)) {
        return error->code != WEFT_OUT_OF_MEMORY; /* the run will fail */
    }
    if (state > 0) {
        session->states[index] = allocate_all(session, state, 1, "a state", error);
    }
    return state == 0 || session->states[index] != NULL;
}

static bool add_states(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    session->states =
        allocate_all(session, graph->node_count, sizeof *session->states, "states", error);
    bool good = session->states != NULL;
    for (size_t i = 0; good && !session->options.timing_only && i < graph->node_count; i++) {
        good = !weft_is_host_operator(graph->nodes[i]) || add_state(session, i, error);
    }
    return good && weft_session_reset(session, error);
}

/* Nodes of the group whose last one is `last`, in order; their number. */
static uint32_t list_group(const struct weft_session *session, uint32_t last,
                           struct weft_node **nodes) {
    uint32_t count = 0;
    for (uint32_t i = last + 1; count < session->groups.size[last] && i-- > 0;) {
        if (session->groups.last[i] == last) {
            nodes[session->groups.size[last] - ++count] = session->module->graph->nodes[i];
        }
    }
    return count;
}

/* What is prepared for host operators is inside the limit, too. */
static bool add_step(struct weft_session *session, uint32_t last, size_t *scratch,
                     struct weft_error *error) {
    uint64_t limit = weft_memory_limit(session->module->arena.limit);
    const struct weft_host_step_options options = {
        .team = session->team,
        .is_kept = true,
        .room = session->memory < limit ? limit - session->memory : 0};
    struct weft_node **nodes =
        weft_allocate(session->groups.size[last], sizeof(struct weft_node *), "a group", error);
    struct weft_host_step *step = NULL;
    bool opened = nodes != NULL && weft_host_step_open(nodes, list_group(session, last, nodes),
                                                       &options, &step, error);
    free(nodes);
    if (!opened) {
        return error->code != WEFT_OUT_OF_MEMORY; /* the run will fail */
    }
    session->steps[last] = step;
    session->memory = weft_add_saturated(session->memory, weft_host_step_memory(step));
    size_t needed = weft_host_step_scratch(step);
    *scratch = needed > *scratch ? needed : *scratch;
    return session->memory <= limit ||
           weft_limit_passed(error, "a session of the model", session->memory, limit);
}

static bool add_steps(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    size_t scratch = 0;
    bool large = false;
    for (size_t i = 0; i < graph->node_count; i++) {
        large = large || weft_host_step_is_large(graph->nodes[i]);
    }
    session->team = large ? weft_team_open(weft_cores()) : NULL;
    session->steps =
        allocate_all(session, graph->node_count, sizeof(struct weft_host_step *), "steps", error);
    bool good = session->steps != NULL;
    for (uint32_t i = 0; good && i < graph->node_count; i++) {
        good = !weft_is_host_operator(graph->nodes[i]) || session->groups.last[i] != i ||
               add_step(session, i, &scratch, error);
    }
    if (good) {
        session->scratch = allocate_all(session, scratch, 1, "sums", error);
        good = session->scratch != NULL;
    }
    return good;
}

static bool open_session(struct weft_session *session, struct weft_error *error) {
    const struct weft_module *module = session->module;
    session->segments =
        allocate_all(session, module->segment_count, sizeof *session->segments, "segments", error);
    if (session->segments == NULL || !find_groups(session, error) || !add_buffers(session, error) ||
        !add_states(session, error)) {
        return false;
    }
    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (!load_segment(session, i, error)) {
            return false;
        }
    }
    if (!session->options.timing_only && !add_steps(session, error)) {
        return false;
    }
    return session->target->open(&module->config, &session->options, &session->machine, error);
}

static bool check_wave(const struct weft_session_options *options, const struct weft_module *module,
                       struct weft_error *error) {
    return options->wave == NULL || options->wave_segment < module->segment_count ||
           weft_fail(error, WEFT_ARGUMENT, options->wave_segment,
                     "there is no segment %u for waveforms, the model has %u",
                     options->wave_segment, module->segment_count);
}

bool weft_session_open(const char *target, const struct weft_module *module,
                       const struct weft_session_options *options, struct weft_session **session,
                       struct weft_error *error) {
    const struct target *found = target_find(target, error);
    if (found == NULL || !target_check(found, options, error) ||
        !check_wave(options, module, error)) {
        return false;
    }
    struct weft_session *made = weft_allocate(1, sizeof *made, "a session", error);
    if (made == NULL) {
        return false;
    }
    made->module = module;
    made->target = found;
    made->options = *options;
    made->memory = module->arena.total;
    if (!open_session(made, error)) {
        weft_session_close(made);
        return false;
    }
    *session = made;
    return true;
}

bool weft_session_is_modelled(const struct weft_session *session) {
    return !target_is_real(session->target, session->machine);
}

uint64_t weft_session_memory(const struct weft_session *session) {
    return session->memory;
}

void weft_session_close(struct weft_session *session) {
    if (session == NULL) {
        return;
    }
    for (size_t i = 0; i < session->buffer_count; i++) {
        if (weft_value_data(session->buffers[i].value) == NULL) {
            free(session->buffers[i].bytes);
        }
    }
    for (uint32_t i = 0; session->segments != NULL && i < session->module->segment_count; i++) {
        struct loaded *loaded = &session->segments[i];
        loaded->regions[WEFT_REGION_CONSTANTS] = NULL;
        for (unsigned k = 0; k < WEFT_REGIONS; k++) {
            free(loaded->regions[k]);
        }
        free(loaded->run.layer_finish);
    }
    for (size_t i = 0; session->states != NULL && i < session->module->graph->node_count; i++) {
        free(session->states[i]);
    }
    for (size_t i = 0; session->steps != NULL && i < session->module->graph->node_count; i++) {
        weft_host_step_close(session->steps[i]);
    }
    weft_team_close(session->team);
    weft_host_groups_free(&session->groups);
    if (session->machine != NULL) {
        session->target->close(session->machine);
    }
    free(session->scratch);
    free(session->steps);
    free(session->states);
    free(session->buffers);
    free(session->segments);
    free(session);
}

/* ---- inputs and outputs ---- */

bool weft_session_set_input(struct weft_session *session, size_t index, const void *bytes,
                            size_t length, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    if (index >= graph->input_count) {
        return weft_fail(error, WEFT_ARGUMENT, index, "there is no input %zu, the model has %zu",
                         index, graph->input_count);
    }
    struct buffer *buffer = buffer_of(session, graph->inputs[index]);
    if (length != buffer->length) {
        return weft_fail(error, WEFT_TENSOR, index, "input %zu needs %zu bytes, not %zu", index,
                         buffer->length, length);
    }
    if (!session->options.timing_only) {
        memcpy(buffer->bytes, bytes, length);
        buffer->is_set = true;
    }
    return true;
}

bool weft_session_output(const struct weft_session *session, size_t index, const void **bytes,
                         size_t *length, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    if (index >= graph->output_count) {
        return weft_fail(error, WEFT_ARGUMENT, index, "there is no output %zu, the model has %zu",
                         index, graph->output_count);
    }
    if (!session->succeeded || session->options.timing_only) {
        return weft_fail(error, WEFT_STATE, index, "no run has made output %zu", index);
    }
    const struct buffer *buffer = buffer_of(session, graph->outputs[index]);
    *bytes = buffer->bytes;
    *length = buffer->length;
    return true;
}

/* ---- running ---- */

static void note_finish(void *context, uint32_t number, uint64_t cycle) {
    struct loaded *loaded = context;
    int32_t layer = loaded->segment->layer_of[number];
    if (layer >= 0) {
        loaded->run.layer_finish[layer] = cycle;
    }
}

static bool run_machine(struct weft_session *session, struct loaded *loaded,
                        struct weft_error *error) {
    const struct weft_segment *segment = loaded->segment;
    struct weft_observer observer = {.context = loaded, .finished = note_finish};
    struct target_run run = {.instructions = segment->program.instructions,
                             .count = segment->program.count,
                             .options = &session->options,
                             .memory_limit = session->module->arena.limit,
                             .watchdog = session->options.watchdog,
                             .observer = &observer};
    if (run.watchdog == 0) {
        run.watchdog = loaded->run.bound;
    }
    run.number = (uint32_t)(loaded - session->segments);
    for (uint32_t i = 0; i < segment->output_count; i++) {
        run.wanted |= 1U << segment->outputs[i].region;
    }
    for (uint32_t i = 0; i < segment->input_count; i++) {
        run.given |= 1U << segment->inputs[i].region;
    }
    if (run.number == session->options.wave_segment) {
        run.wave = session->options.wave;
    }
    memcpy(run.bytes, loaded->regions, sizeof run.bytes);
    weft_segment_regions(segment, &run.regions);
    run.wanted |= run.given & run.regions.writable; /* it goes on from what was left there */
    memset(loaded->run.layer_finish, 0, segment->layer_count * sizeof(uint64_t));
    return target_start(session->target, session->machine, &run, &loaded->run, &loaded->reached,
                        error);
}

static bool run_segment(struct weft_session *session, struct loaded *loaded,
                        const struct weft_node *node, struct weft_error *error) {
    const struct weft_segment *segment = loaded->segment;
    bool data = !session->options.timing_only;
    for (uint32_t i = 0; data && i < node->input_count; i++) {
        const struct buffer *buffer = buffer_of(session, node->inputs[i]);
        memcpy(loaded->regions[segment->inputs[i].region] + segment->inputs[i].offset,
               buffer->bytes, buffer->length);
    }
    if (!run_machine(session, loaded, error)) {
        return false;
    }
    for (uint32_t i = 0; data && i < node->result_count; i++) {
        struct buffer *buffer = buffer_of(session, node->results[i]);
        memcpy(buffer->bytes,
               loaded->regions[segment->outputs[i].region] + segment->outputs[i].offset,
               buffer->length);
    }
    return true;
}

/* Runs a node in the host's memory: a host operator, or the program of a target from outside. */
static bool run_in_place(struct weft_session *session, size_t index,
                         const struct weft_external *external, struct weft_error *error) {
    const struct weft_node *node = session->module->graph->nodes[index];
    const struct weft_host_step *step = session->steps[index];
    void *state = session->states[index];
    uint32_t count = step == NULL ? node->input_count : weft_host_step_operands(step);
    const void **inputs = weft_allocate(count, sizeof *inputs, "operands", error);
    void **results = weft_allocate(node->result_count, sizeof *results, "operands", error);
    bool good = inputs != NULL && results != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct weft_value *value =
            step == NULL ? node->inputs[i] : weft_host_step_operand(step, i);
        inputs[i] = buffer_of(session, value)->bytes;
    }
    for (uint32_t i = 0; good && i < node->result_count; i++) {
        results[i] = buffer_of(session, node->results[i])->bytes;
    }
    if (good && external != NULL) {
        good = weft_external_run(external, inputs, results, error);
    } else if (good && step != NULL) {
        good = weft_host_step_run(step, inputs, results, state, session->scratch, error);
    } else if (good) {
        good = weft_host_continue(node, inputs, results, state, error);
    }
    free(inputs);
    free(results);
    return good;
}

bool weft_session_reset(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    bool good = true;
    for (size_t i = 0; good && i < graph->node_count; i++) {
        good = session->states[i] == NULL ||
               weft_host_reset(graph->nodes[i], session->states[i], error);
    }
    return good;
}

bool weft_session_run(struct weft_session *session, struct weft_error *error) {
    const struct weft_graph *graph = session->module->graph;
    session->succeeded = false;
    for (uint32_t i = 0; i < session->module->segment_count; i++) {
        session->segments[i].reached = false;
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        if (!buffer_of(session, graph->inputs[i])->is_set) {
            return weft_fail(error, WEFT_STATE, i, "input %zu was never set", i);
        }
    }
    uint32_t next_segment = 0;
    uint32_t next_external = 0;
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        const struct weft_external *external = NULL;
        bool good = true;
        if (weft_is_machine_region(node)) {
            good = run_segment(session, &session->segments[next_segment++], node, error);
        } else if (node->op != WEFT_OP_CONSTANT && session->groups.last[i] == i &&
                   !session->options.timing_only) {
            if (node->op == WEFT_OP_REGION) {
                external = &session->module->externals[next_external++];
            }
            good = run_in_place(session, i, external, error);
        }
        if (!good) {
            return false;
        }
    }
    session->succeeded = true;
    return true;
}

/* ---- what happened ---- */

const struct weft_segment_run *weft_session_segment(const struct weft_session *session,
                                                    uint32_t index) {
    bool there = index < session->module->segment_count && session->segments[index].reached;
    return there ? &session->segments[index].run : NULL;
}

uint64_t weft_session_counter(const struct weft_session *session, unsigned index) {
    uint64_t sum = 0;
    for (uint32_t i = 0; index < WEFT_COUNTERS && i < session->module->segment_count; i++) {
        if (session->segments[i].reached) {
            sum += weft_counter_get(&session->segments[i].run.result.counters, index);
        }
    }
    return sum;
}
