#include "compiler/schedule/schedule.h"

#include <string.h>

#include "base/integer.h"
#include "compiler/emit/emitter.h"
#include "sim/timing/timing.h"

void weft_segment_limits(const struct weft_segment *segment, uint64_t limits[WEFT_REGIONS]) {
    memset(limits, 0, WEFT_REGIONS * sizeof *limits);
    limits[WEFT_REGION_PROGRAM] = segment->program.count * WEFT_INSTRUCTION_BYTES;
    limits[WEFT_REGION_CONSTANTS] = segment->constant_bytes;
    limits[WEFT_REGION_SCRATCH] = segment->scratch_bytes;
    limits[WEFT_REGION_INPUTS] = segment->input_bytes;
    limits[WEFT_REGION_OUTPUTS] = segment->output_bytes;
}

static void copy_program(const struct emitter *emitter, struct weft_segment *out) {
    struct weft_arena *arena = emitter->segment->arena;
    out->program.instructions = WEFT_NEW_ARRAY(arena, emitter->count, struct weft_instruction);
    out->program.count = out->program.capacity = emitter->count;
    out->layer_of = WEFT_NEW_ARRAY(arena, emitter->count, int32_t);
    for (size_t i = 0; i < emitter->count; i++) {
        out->program.instructions[i] = emitter->instructions[i].instruction;
        out->layer_of[i] = emitter->instructions[i].layer;
    }
}

static void copy_constants(const struct segment *segment, struct weft_segment *out) {
    uint8_t *bytes = WEFT_NEW_ARRAY(segment->arena, (size_t)segment->constant_bytes, uint8_t);
    for (int kind = 0; kind < PIECES; kind++) {
        for (int i = 0; i < segment->piece_count[kind]; i++) {
            const struct piece *piece = &segment->pieces[kind][i];
            memcpy(bytes + piece->offset, piece->data, (size_t)piece->bytes);
        }
    }
    for (int t = 0; t < segment->tensor_count; t++) {
        const struct tensor *tensor = &segment->tensors[t];
        if (tensor->constant != NULL) {
            memcpy(bytes + tensor->offset, tensor->constant, (size_t)tensor_bytes(tensor));
        }
    }
    out->constants = bytes;
    out->constant_bytes = (uint64_t)segment->constant_bytes;
}

static struct weft_binding binding_of(const struct tensor *tensor) {
    return (struct weft_binding){tensor->region, (uint64_t)tensor->offset,
                                 (uint64_t)tensor_bytes(tensor)};
}

static void copy_bindings(const struct segment *segment, struct weft_segment *out) {
    struct weft_arena *arena = segment->arena;
    out->input_count = (uint32_t)segment->graph->input_count;
    out->output_count = (uint32_t)segment->graph->output_count;
    out->inputs = WEFT_NEW_ARRAY(arena, out->input_count, struct weft_binding);
    out->outputs = WEFT_NEW_ARRAY(arena, out->output_count, struct weft_binding);
    for (int t = 0; t < segment->tensor_count; t++) {
        const struct tensor *tensor = &segment->tensors[t];
        if (tensor->input >= 0) {
            out->inputs[tensor->input] = binding_of(tensor);
        }
        if (tensor->output >= 0) {
            out->outputs[tensor->output] = binding_of(tensor);
        }
    }
}

static void copy_layers(const struct segment *segment, struct weft_segment *out) {
    out->layer_count = (uint32_t)segment->layer_count;
    out->layers = WEFT_NEW_ARRAY(segment->arena, out->layer_count, struct weft_layer_info);
    for (int i = 0; i < segment->layer_count; i++) {
        const struct layer *layer = &segment->layers[i];
        const struct shape shape = result_shape(layer);
        out->layers[i] =
            (struct weft_layer_info){.name = layer->name,
                                     .tensor = layer->output == NULL ? "" : layer->output->name,
                                     .shape = {shape.n, shape.h, shape.w, shape.c},
                                     .macs = layer->macs,
                                     .source = layer->source};
    }
}

/* Addresses in a region have 32 bits, and the driver allocates it as one. */
static bool check_regions(const struct segment *segment, struct weft_error *error) {
    const struct {
        const char *name;
        int64_t bytes;
    } regions[] = {{"constants", segment->constant_bytes},
                   {"scratch", segment->scratch_bytes},
                   {"inputs", segment->input_bytes},
                   {"outputs", segment->output_bytes}};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        if (regions[i].bytes > WEFT_REGION_LIMIT) {
            return weft_fail(error, WEFT_CAPACITY, 0,
                             "the %s of a program take %lld bytes, at most %d fit a region",
                             regions[i].name, (long long)regions[i].bytes, WEFT_REGION_LIMIT);
        }
    }
    return true;
}

/* ---- one schedule ---- */

struct schedule {
    struct segment segment;
    struct emitter emitter;
    uint64_t cycles;
};

/* Runs the program without data. */
static bool count_cycles(const struct weft_config *config, struct schedule *schedule,
                         struct weft_error *error) {
    struct weft_arena *arena = schedule->segment.arena;
    struct weft_timing_settings settings = {0};
    struct weft_run_result result;
    size_t count = schedule->emitter.count;
    struct weft_instruction *program = WEFT_NEW_ARRAY(arena, count, struct weft_instruction);
    for (size_t i = 0; i < count; i++) {
        program[i] = schedule->emitter.instructions[i].instruction;
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        settings.region_limits[i] = UINT64_MAX;
    }
    if (!weft_timing_run(config, program, count, &settings, NULL, &result, error)) {
        return false;
    }
    schedule->cycles = result.counters.cycles;
    return result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result.fault_instruction,
                     "compiled program faults at instruction %u: %s", result.fault_instruction,
                     weft_fault_names[result.fault]);
}

static bool make_schedule(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, const struct schedule_style *style,
                          struct schedule *schedule, struct weft_error *error) {
    struct segment *segment = &schedule->segment;
    if (!segment_create(arena, config, region, style, segment, error)) {
        return false;
    }
    for (int i = 0; i < segment->layer_count; i++) {
        tiling_choose(segment, i);
    }
    struct stripe_buffers *buffers =
        WEFT_NEW_ARRAY(arena, (size_t)segment->layer_count, struct stripe_buffers);
    if (!plan_memory(segment, buffers)) {
        return false;
    }
    constants_plan(segment);
    if (!check_regions(segment, error) || !emit_segment(segment, buffers, &schedule->emitter)) {
        return false;
    }
    place_semaphores(&schedule->emitter);
    return order_dispatch(&schedule->emitter, error) && count_cycles(config, schedule, error);
}

/* ---- the fastest ---- */

/* Styles that are tried. The last one needs the least room on chip. */
static const struct schedule_style styles[] = {
    {.behind = true, .chains = true, .shorten_first = true},
    {.behind = true, .chains = true},
    {.behind = true, .shorten_first = true},
    {0},
};
enum {
    STYLES = sizeof styles / sizeof styles[0]
};

/* The fastest of the schedules that are left; NULL when there is none. */
static struct schedule **fastest(struct schedule *schedules[STYLES]) {
    struct schedule **best = NULL;
    for (int i = 0; i < STYLES; i++) {
        if (schedules[i] != NULL && (best == NULL || schedules[i]->cycles < (*best)->cycles)) {
            best = &schedules[i];
        }
    }
    return best;
}

/* A program that does not verify is a bug of the compiler: an error, never a wrong answer. */
static bool check(const struct weft_config *config, const struct weft_segment *segment,
                  struct weft_error *error) {
    uint64_t limits[WEFT_REGIONS];
    struct weft_proof proof;
    weft_segment_limits(segment, limits);
    if (weft_verify(config, segment->program.instructions, segment->program.count, limits, &proof,
                    error)) {
        return true;
    }
    if (error->code == WEFT_VERIFY_OVERFLOW) {
        return too_many_tokens(config, error);
    }
    if (error->code != WEFT_OUT_OF_MEMORY) {
        error->code = WEFT_INTERNAL;
        weft_fail_context(error, "compiled program");
    }
    return false;
}

static bool finish(const struct weft_config *config, struct schedule *schedule,
                   struct weft_segment *out, struct weft_error *error) {
    struct segment *segment = &schedule->segment;
    *out = (struct weft_segment){.scratch_bytes = (uint64_t)segment->scratch_bytes,
                                 .input_bytes = (uint64_t)segment->input_bytes,
                                 .output_bytes = (uint64_t)segment->output_bytes,
                                 .cycles = schedule->cycles};
    constants_fill(segment);
    copy_program(&schedule->emitter, out);
    copy_constants(segment, out);
    copy_bindings(segment, out);
    copy_layers(segment, out);
    return check(config, out, error);
}

bool weft_schedule_region(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, struct weft_segment *out,
                          struct weft_error *error) {
    struct schedule *schedules[STYLES] = {NULL};
    *out = (struct weft_segment){0};
    for (int i = 0; i < STYLES; i++) {
        struct schedule *schedule = WEFT_NEW(arena, struct schedule);
        if (make_schedule(arena, config, region, &styles[i], schedule, error)) {
            schedules[i] = schedule;
        } else if (error->code != WEFT_CAPACITY) {
            return false;
        }
    }
    /* A schedule may need more tokens than semaphores hold; the next one may not. */
    struct schedule **best = fastest(schedules);
    while (best != NULL && !finish(config, *best, out, error)) {
        if (error->code != WEFT_CAPACITY) {
            return false;
        }
        *best = NULL;
        best = fastest(schedules);
    }
    return best != NULL;
}
