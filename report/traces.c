#include "report/traces.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"
#include "sim/timing/bound.h"

bool trace_program(const struct weft_config *config, const struct weft_program *program,
                   const struct weft_regions *regions, const struct weft_session_options *options,
                   struct weft_trace_room *room, struct weft_trace *trace,
                   struct weft_error *error) {
    struct weft_timing_settings settings = {
        .memory = options->memory, .watchdog = options->watchdog, .regions = *regions};
    if (settings.watchdog == 0) {
        settings.watchdog = weft_bound(config, &settings, program->instructions, program->count);
    }
    if (!weft_trace_record(config, program->instructions, program->count, &settings, room, trace,
                           error)) {
        return false;
    }
    enum weft_fault fault = trace->result.fault;
    if (fault != WEFT_FAULT_NONE) {
        uint32_t number = trace->result.fault_instruction;
        weft_trace_free(trace);
        return weft_fail(error, WEFT_FAULT, number, "fault at instruction %u: %s", number,
                         weft_fault_names[fault]);
    }
    return true;
}

bool trace_segment(const struct weft_module *module, uint32_t index,
                   const struct weft_session_options *options, struct weft_trace_room *room,
                   struct weft_trace *trace, struct weft_error *error) {
    const struct weft_segment *segment = &module->segments[index];
    struct weft_regions regions;
    weft_segment_regions(segment, &regions);
    return trace_program(&module->config, &segment->program, &regions, options, room, trace, error);
}

bool traces_of(const struct weft_module *module, const struct weft_session_options *options,
               uint64_t memory_limit, struct weft_trace_file *file, struct weft_error *error) {
    struct weft_trace_file made = {
        .segments = weft_allocate(module->segment_count, sizeof *made.segments, "traces", error)};
    struct weft_trace_room room = {.limit = weft_memory_limit(memory_limit)};
    bool good = made.segments != NULL;
    while (good && made.count < module->segment_count) {
        good = trace_segment(module, (uint32_t)made.count, options, &room,
                             &made.segments[made.count], error);
        made.count += good;
    }
    if (!good) {
        weft_trace_file_free(&made);
        return false;
    }
    *file = made;
    return true;
}
