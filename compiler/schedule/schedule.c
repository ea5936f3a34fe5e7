#include "compiler/schedule/schedule.h"

#include <string.h>

#include "compiler/schedule/search.h"
#include "sim/timing/bound.h"

void weft_segment_regions(const struct weft_segment *segment, struct weft_regions *regions) {
    *regions = (struct weft_regions){
        .limit = {[WEFT_REGION_PROGRAM] = segment->program.count * WEFT_INSTRUCTION_BYTES,
                  [WEFT_REGION_CONSTANTS] = segment->constant_bytes,
                  [WEFT_REGION_SCRATCH] = segment->scratch_bytes,
                  [WEFT_REGION_INPUTS] = segment->input_bytes,
                  [WEFT_REGION_OUTPUTS] = segment->output_bytes},
        .writable = 1U << WEFT_REGION_SCRATCH | 1U << WEFT_REGION_OUTPUTS,
    };
}

static void copy_program(const struct program *program, struct weft_segment *out) {
    struct weft_arena *arena = program->arena;
    out->program.instructions = WEFT_NEW_ARRAY(arena, program->count, struct weft_instruction);
    out->program.count = out->program.capacity = program->count;
    out->layer_of = WEFT_NEW_ARRAY(arena, program->count, int32_t);
    for (size_t i = 0; i < program->count; i++) {
        out->program.instructions[i] = program->instructions[i].instruction;
        out->layer_of[i] = program->instructions[i].layer;
    }
}

static void copy_constants(const struct plan *plan, struct weft_segment *out) {
    uint8_t *bytes = WEFT_NEW_ARRAY(plan->arena, (size_t)plan->constant_bytes, uint8_t);
    for (int kind = 0; kind < PIECES; kind++) {
        for (int i = 0; i < plan->piece_count[kind]; i++) {
            const struct piece *piece = &plan->pieces[kind][i];
            memcpy(bytes + piece->offset, piece->data, (size_t)piece->bytes);
        }
    }
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        if (tensor->constant != NULL) {
            memcpy(bytes + plan->locations[t].offset, tensor->constant,
                   (size_t)tensor_bytes(tensor));
        }
    }
    out->constants = bytes;
    out->constant_bytes = (uint64_t)plan->constant_bytes;
}

static struct weft_binding binding_of(const struct plan *plan, int tensor) {
    return (struct weft_binding){plan->locations[tensor].region,
                                 (uint64_t)plan->locations[tensor].offset,
                                 (uint64_t)tensor_bytes(&plan->region->tensors[tensor])};
}

static void copy_bindings(const struct plan *plan, struct weft_segment *out) {
    struct weft_arena *arena = plan->arena;
    out->input_count = (uint32_t)plan->region->graph->input_count;
    out->output_count = (uint32_t)plan->region->graph->output_count;
    out->inputs = WEFT_NEW_ARRAY(arena, out->input_count, struct weft_binding);
    out->outputs = WEFT_NEW_ARRAY(arena, out->output_count, struct weft_binding);
    for (int t = 0; t < plan->region->tensor_count; t++) {
        const struct tensor *tensor = &plan->region->tensors[t];
        if (tensor->input >= 0) {
            out->inputs[tensor->input] = binding_of(plan, t);
        }
        if (tensor->output >= 0) {
            out->outputs[tensor->output] = binding_of(plan, t);
        }
    }
}

static void copy_layers(const struct plan *plan, struct weft_segment *out) {
    out->layer_count = (uint32_t)plan->region->layer_count;
    out->layers = WEFT_NEW_ARRAY(plan->arena, out->layer_count, struct weft_layer_info);
    for (int i = 0; i < plan->region->layer_count; i++) {
        const struct layer *layer = &plan->region->layers[i];
        const struct shape shape = layer->out;
        out->layers[i] =
            (struct weft_layer_info){.name = layer->name,
                                     .tensor = layer->output == NULL ? "" : layer->output->name,
                                     .shape = {shape.n, shape.h, shape.w, shape.c},
                                     .macs = layer->macs,
                                     .source = layer->source};
    }
}

/* ---- the fastest ---- */

/* A program that does not verify is a bug of the compiler: an error, never a wrong answer. */
static bool check(const struct weft_config *config, const struct weft_segment *segment,
                  struct weft_error *error) {
    struct weft_regions regions;
    struct weft_proof proof;
    weft_segment_regions(segment, &regions);
    if (weft_verify(config, segment->program.instructions, segment->program.count, &regions, &proof,
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

static bool finish(const struct weft_config *config, struct attempt *attempt,
                   struct weft_segment *out, struct weft_error *error) {
    struct plan *plan = &attempt->plan;
    *out = (struct weft_segment){.scratch_bytes = (uint64_t)plan->scratch_bytes,
                                 .input_bytes = (uint64_t)plan->input_bytes,
                                 .output_bytes = (uint64_t)plan->output_bytes,
                                 .cycles = attempt->cycles};
    pieces_fill(plan);
    copy_program(&attempt->program, out);
    copy_constants(plan, out);
    copy_bindings(plan, out);
    copy_layers(plan, out);
    const struct weft_timing_settings settings = {.memory_latency = 0}; /* the configuration's */
    out->bound = weft_bound(config, &settings, out->program.instructions, out->program.count);
    return check(config, out, error);
}

/* The fastest schedule that verifies. */
static bool finish_fastest(struct weft_arena *arena, const struct weft_config *config,
                           struct search *search, struct weft_segment *out,
                           struct weft_error *error) {
    /* A schedule may need more tokens than semaphores hold; the next one may not. */
    for (struct candidate *best = search_fastest(search); best != NULL;
         best = search_fastest(search)) {
        struct attempt *attempt = WEFT_NEW(arena, struct attempt);
        if (!attempt_make(arena, best, attempt, error)) {
            return false;
        }
        if (finish(config, attempt, out, error)) {
            return true;
        }
        if (error->code != WEFT_CAPACITY) {
            return false;
        }
        best->cycles = 0;
    }
    return false;
}

bool weft_schedule_region(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, struct weft_segment *out,
                          struct weft_error *error) {
    struct search search = {0};
    *out = (struct weft_segment){0};
    if (!room_for_region(arena, config, region, &search.divisions, error)) {
        return false;
    }
    if (search_schedules(arena, config, region, &search, error) &&
        finish_fastest(arena, config, &search, out, error)) {
        return true;
    }
    error->position = region->node_count;
    return false;
}
