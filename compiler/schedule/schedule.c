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

/* A program that does not verify is a bug of the compiler: an error, never a wrong answer. */
static bool check(const struct weft_config *config, struct weft_segment *segment,
                  struct weft_error *error) {
    struct weft_timing_settings settings = {0};
    struct weft_proof proof;
    struct weft_run_result result;
    weft_segment_limits(segment, settings.region_limits);
    if (!weft_verify(config, segment->program.instructions, segment->program.count,
                     settings.region_limits, &proof, error)) {
        if (error->code == WEFT_VERIFY_OVERFLOW) {
            return too_many_tokens(config, error);
        }
        if (error->code != WEFT_OUT_OF_MEMORY) {
            error->code = WEFT_INTERNAL;
            weft_fail_context(error, "compiled program");
        }
        return false;
    }
    if (!weft_timing_run(config, segment->program.instructions, segment->program.count, &settings,
                         NULL, &result, error)) {
        return false;
    }
    segment->cycles = result.counters.cycles;
    return result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_INTERNAL, result.fault_instruction,
                     "compiled program faults at instruction %u: %s", result.fault_instruction,
                     weft_fault_names[result.fault]);
}

bool weft_schedule_region(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, struct weft_segment *out,
                          struct weft_error *error) {
    struct segment segment;
    struct emitter emitter;
    *out = (struct weft_segment){0};
    if (!segment_create(arena, config, region, &segment, error)) {
        return false;
    }
    for (int i = 0; i < segment.layer_count; i++) {
        tiling_choose(&segment, i);
    }
    struct stripe_buffers *buffers =
        WEFT_NEW_ARRAY(arena, (size_t)segment.layer_count, struct stripe_buffers);
    if (!plan_memory(&segment, buffers)) {
        return false;
    }
    constants_pack(&segment);
    if (!check_regions(&segment, error) || !emit_segment(&segment, buffers, &emitter)) {
        return false;
    }
    place_semaphores(&emitter);
    if (!order_dispatch(&emitter, error)) {
        return false;
    }
    copy_program(&emitter, out);
    copy_constants(&segment, out);
    copy_bindings(&segment, out);
    copy_layers(&segment, out);
    out->scratch_bytes = (uint64_t)segment.scratch_bytes;
    out->input_bytes = (uint64_t)segment.input_bytes;
    out->output_bytes = (uint64_t)segment.output_bytes;
    return check(config, out, error);
}
