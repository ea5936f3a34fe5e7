#include "cli/remote_traces.h"

#include "base/memory.h"
#include "driver/remote/remote.h"

static bool record_segments(struct weft_remote *remote, const struct weft_module *module,
                            uint64_t memory_limit, struct weft_trace_file *file,
                            struct weft_error *error) {
    while (file->count < module->segment_count) {
        const struct weft_segment *segment = &module->segments[file->count];
        struct weft_regions regions;
        weft_segment_regions(segment, &regions);
        if (!weft_remote_trace(remote, &segment->program, &regions, memory_limit,
                               &file->segments[file->count], error)) {
            return false;
        }
        file->count++;
    }
    return true;
}

bool remote_traces_of(const struct weft_module *module, const struct weft_session_options *options,
                      uint64_t memory_limit, struct weft_trace_file *file,
                      struct weft_error *error) {
    struct weft_remote *remote = NULL;
    struct weft_trace_file made = {
        .segments = weft_allocate(module->segment_count, sizeof *made.segments, "traces", error)};
    bool good = made.segments != NULL &&
                weft_remote_open(options, &module->config, &remote, error) &&
                record_segments(remote, module, memory_limit, &made, error);
    weft_remote_close(remote);
    if (!good) {
        weft_trace_file_free(&made);
        return false;
    }
    *file = made;
    return true;
}

bool remote_trace_program(const struct weft_config *config, const struct weft_program *program,
                          const struct weft_regions *regions,
                          const struct weft_session_options *options, uint64_t memory_limit,
                          struct weft_trace *trace, struct weft_error *error) {
    struct weft_remote *remote = NULL;
    bool good = weft_remote_open(options, config, &remote, error) &&
                weft_remote_trace(remote, program, regions, memory_limit, trace, error);
    weft_remote_close(remote);
    return good;
}
