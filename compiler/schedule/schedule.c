#include "compiler/schedule/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
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

static void take_program(const struct program *program, struct weft_segment *out) {
    out->program.instructions = program->instructions;
    out->program.count = out->program.capacity = program->count;
    out->layer_of = program->layer_of;
}

static struct weft_binding binding_of(const struct plan *plan, int tensor) {
    return (struct weft_binding){
        plan->locations[tensor].region, (uint64_t)plan->locations[tensor].offset,
        (uint64_t)(tensor_bytes(&plan->region->tensors[tensor]) * plan->region->groups)};
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
        struct shape shape = layer->out;
        if (plan->region->groups > 1 && layer->output != NULL) {
            shape = shape_of(&layer->output->type);
        }
        out->layers[i] =
            (struct weft_layer_info){.name = layer->name,
                                     .tensor = layer->output == NULL ? "" : layer->output->name,
                                     .shape = {shape.n, shape.h, shape.w, shape.c},
                                     .macs = layer->macs,
                                     .cut_macs = layer->cut_macs,
                                     .source = layer->source,
                                     .result = layer->output == NULL ? -1 : layer->output->tensor};
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
        return too_many_tokens(config, segment->program.instructions, segment->program.count,
                               error);
    }
    if (error->code != WEFT_OUT_OF_MEMORY && error->code != WEFT_LIMIT) {
        error->code = WEFT_INTERNAL;
    }
    return error->code != WEFT_OUT_OF_MEMORY && weft_fail_context(error, "compiled program");
}

static bool finish(const struct weft_config *config, struct attempt *attempt,
                   struct weft_segment *out, struct weft_error *error) {
    struct plan *plan = &attempt->plan;
    *out = (struct weft_segment){.constants = pieces_fill(plan),
                                 .constant_bytes = (uint64_t)plan->constant_bytes,
                                 .scratch_bytes = (uint64_t)plan->scratch_bytes,
                                 .input_bytes = (uint64_t)plan->input_bytes,
                                 .output_bytes = (uint64_t)plan->output_bytes,
                                 .cycles = attempt->outcome.cycles};
    take_program(&attempt->program, out);
    copy_bindings(plan, out);
    copy_layers(plan, out);
    const struct weft_timing_settings settings = {.memory.latency = 0}; /* the configuration's */
    out->bound = weft_bound(config, &settings, out->program.instructions, out->program.count);
    return check(config, out, error);
}

/* ---- from a search ---- */

static bool schedule_search(struct weft_arena *arena, const struct weft_config *config,
                            const struct weft_graph *region, const struct schedule_terms *terms,
                            struct search_log *log, struct weft_segment *out,
                            struct weft_error *error) {
    struct search search;
    if (!search_schedules(arena, config, region, terms, log, &search, error)) {
        error->position = search.has_room ? region->node_count : error->position;
        return false;
    }
    /* A schedule may need more tokens than semaphores hold; the next one may not. */
    for (struct candidate *best = search_fastest(&search); best != NULL;
         best = search_fastest(&search)) {
        struct attempt *attempt = WEFT_NEW(arena, struct attempt);
        if (!attempt_make(arena, best, attempt, error)) {
            return false;
        }
        if (finish(config, attempt, out, error)) {
            out->schedule =
                saved_schedule(arena, best->region, &attempt->decisions, attempt->outcome.cycles);
            return true;
        }
        if (error->code == WEFT_LIMIT) { /* nobody would prove it: what it does is the host's */
            error->code = WEFT_CAPACITY;
            break;
        }
        if (error->code != WEFT_CAPACITY) {
            return false;
        }
        best->cycles = 0;
    }
    error->position = region->node_count;
    return false;
}

/* ---- from a file ---- */

/* The divisions of a schedule, each of which must be possible. Parts are layers of the file. */
static bool take_divisions(const struct region *listed, const struct saved_schedule *use,
                           struct division **divisions, struct weft_error *error) {
    int64_t most = (int64_t)use->layer_count;
    if (!saved_divisions(listed->arena, use, listed, divisions, error)) {
        return false;
    }
    for (int i = 0; i < listed->layer_count && *divisions != NULL; i++) {
        if (!can_divide(listed->config, &listed->layers[i], &(*divisions)[i], most)) {
            return weft_fail(error, WEFT_DECISIONS, (uint64_t)i,
                             "layer %d (%s), as it is listed, cannot be divided or multiplied so",
                             i, listed->layers[i].name);
        }
    }
    return true;
}

/* Images in a group; 0: all. */
static bool take_groups(const struct region *listed, const struct saved_schedule *use,
                        int64_t *group, struct weft_error *error) {
    int64_t images = region_images(listed);
    bool good = use->groups >= 1 && images % use->groups == 0;
    *group = good && use->groups > 1 ? images / use->groups : 0;
    return good || weft_fail(error, WEFT_DECISIONS, 0,
                             "\"groups\" is %" PRId64 ", expected a divisor of %" PRId64
                             ", the images that can be taken one after the other",
                             use->groups, images);
}

/* Parts of the pixels of layers abreast. */
static bool take_parts(const struct saved_schedule *use, int64_t *parts, struct weft_error *error) {
    *parts = use->parts;
    return (use->parts >= 0 && use->parts <= MOST_ABREAST) ||
           weft_fail(error, WEFT_DECISIONS, 0, "\"parts\" is %" PRId64 ", expected 0 to %d",
                     use->parts, MOST_ABREAST);
}

bool schedule_read(struct weft_arena *arena, const struct weft_config *config,
                   const struct weft_graph *graph, const struct saved_schedule *use,
                   struct region *region, struct decisions *decisions, struct weft_error *error) {
    struct region listed;
    struct region_form form = {.behind = use->behind};
    struct division *divisions = NULL;
    if (!region_read(arena, config, graph, &listed, error) ||
        !saved_order(use, &listed, &form.order, error) ||
        !take_divisions(&listed, use, &divisions, error) ||
        !take_groups(&listed, use, &form.group, error) || !take_parts(use, &form.parts, error)) {
        return false;
    }
    form.divisions = divisions;
    region_create(arena, &listed, &form, region);
    return saved_decisions(arena, use, region, decisions, error);
}

bool schedule_verify(const struct attempt *attempt, struct weft_error *error) {
    const struct plan *plan = &attempt->plan;
    struct weft_segment segment = {.constant_bytes = (uint64_t)plan->constant_bytes,
                                   .scratch_bytes = (uint64_t)plan->scratch_bytes,
                                   .input_bytes = (uint64_t)plan->input_bytes,
                                   .output_bytes = (uint64_t)plan->output_bytes};
    take_program(&attempt->program, &segment);
    return check(plan->config, &segment, error);
}

static bool use_schedule(struct weft_arena *arena, const struct weft_config *config,
                         const struct weft_graph *graph, const struct saved_schedule *use,
                         struct weft_segment *out, struct weft_error *error) {
    struct region *region = WEFT_NEW(arena, struct region);
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    const struct attempt_limits no_limits = {.window = NULL};
    if (!schedule_read(arena, config, graph, use, region, &attempt->decisions, error) ||
        !attempt_use(arena, region, &no_limits, attempt, error) ||
        !finish(config, attempt, out, error)) {
        return false;
    }
    out->schedule = saved_schedule(arena, region, &attempt->decisions, attempt->outcome.cycles);
    return true;
}

bool weft_schedule_region(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, const struct schedule_terms *terms,
                          const struct saved_schedule *use, struct search_log *log,
                          struct weft_segment *out, struct weft_error *error) {
    *out = (struct weft_segment){0};
    if (use != NULL) {
        bool good = use_schedule(arena, config, region, use, out, error);
        if (!good && error->code == WEFT_CAPACITY) {
            error->code = WEFT_DECISIONS;
        }
        return good;
    }
    if (!schedule_search(arena, config, region, terms, log, out, error)) {
        return false;
    }
    if (log != NULL) {
        out->schedule->tries = log->tries;
        out->schedule->try_count = log->count;
    }
    return log == NULL || !log->failed || weft_no_memory(error, "what a search tried");
}
