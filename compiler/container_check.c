#include "compiler/container_check.h"

#include <inttypes.h>

#include "base/limit.h"
#include "sim/timing/bound.h"

static bool check_bindings(const struct weft_binding *bindings, uint32_t count,
                           struct weft_value *const *values, uint32_t value_count,
                           const uint64_t limits[WEFT_REGIONS], struct weft_error *error) {
    bool good = count == value_count;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct weft_binding *b = &bindings[i];
        good = b->region >= WEFT_REGION_SCRATCH && b->region <= WEFT_REGION_OUTPUTS &&
               b->bytes == weft_type_bytes(&values[i]->type) && b->offset <= limits[b->region] &&
               b->bytes <= limits[b->region] - b->offset;
    }
    return good || weft_fail(error, WEFT_CONTAINER, 0,
                             "section PROG: inputs and outputs of a program do not fit its region");
}

/* What a program says of its cycles must be what follows from it. */
static bool check_cycles(const struct weft_module *module, const struct weft_segment *segment,
                         struct weft_error *error) {
    const struct weft_timing_settings settings = {.memory.latency = 0}; /* the configuration's */
    uint64_t bound = weft_bound(&module->config, &settings, segment->program.instructions,
                                segment->program.count);
    return (segment->bound == bound && segment->cycles <= bound) ||
           weft_fail(error, WEFT_CONTAINER, 0,
                     "section PROG: a program says it takes %" PRIu64 " cycles, at most %" PRIu64
                     "; expected at most %" PRIu64,
                     segment->cycles, segment->bound, bound);
}

/* What one program may take to be verified is all that a module may take. */
static bool count_steps(const struct weft_proof *proof, uint64_t *steps, struct weft_error *error) {
    *steps += proof->steps;
    return *steps <= WEFT_VERIFY_STEPS ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "to verify the programs takes more than %" PRIu64 " steps", WEFT_VERIFY_STEPS);
}

/* Programs must fit their regions in the graph, and be free of faults, races and deadlocks. */
static bool check_segment(const struct weft_module *module, const struct weft_segment *segment,
                          const struct weft_node *region, uint64_t *steps,
                          struct weft_error *error) {
    struct weft_proof proof;
    struct weft_regions regions;
    weft_segment_regions(segment, &regions);
    if (segment->scratch_bytes > WEFT_REGION_LIMIT || segment->input_bytes > WEFT_REGION_LIMIT ||
        segment->output_bytes > WEFT_REGION_LIMIT) {
        return weft_fail(error, WEFT_LIMIT, 0, "a program asks for a region of more than %d bytes",
                         WEFT_REGION_LIMIT);
    }
    return check_bindings(segment->inputs, segment->input_count, region->inputs,
                          region->input_count, regions.limit, error) &&
           check_bindings(segment->outputs, segment->output_count, region->results,
                          region->result_count, regions.limit, error) &&
           weft_verify(&module->config, segment->program.instructions, segment->program.count,
                       &regions, &proof, error) &&
           count_steps(&proof, steps, error) && check_cycles(module, segment, error);
}

bool container_check_segments(const struct weft_module *module, struct weft_error *error) {
    uint32_t next = 0;
    uint64_t steps = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (!weft_is_machine_region(node)) {
            continue; /* of other regions container_read.c makes programs */
        }
        if (next == module->segment_count) {
            return weft_fail(error, WEFT_CONTAINER, 0, "a region of the graph has no program");
        }
        if (!check_segment(module, &module->segments[next++], node, &steps, error)) {
            return false;
        }
    }
    return next == module->segment_count ||
           weft_fail(error, WEFT_CONTAINER, 0, "a program belongs to no region of the graph");
}

bool container_check_limits(const struct weft_module *module,
                            const struct weft_read_options *options, struct weft_error *error) {
    return weft_limit_asked("cycles that its programs may take:", weft_module_bound(module),
                            options->cycles, WEFT_CYCLE_LIMIT, "cycle-limit", error) &&
           weft_limit_asked("steps of its operators on the host:", weft_module_host_steps(module),
                            options->host_steps, WEFT_HOST_LIMIT, "host-limit", error);
}
