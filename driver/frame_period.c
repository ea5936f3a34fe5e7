#include "driver/figures.h"

/* The frame of an output that a STORE writes first; -1: it writes none. */
static int64_t frame_of(const struct weft_segment *segment, const struct weft_store_fields *store,
                        uint32_t frames) {
    for (uint32_t i = 0; i < segment->output_count; i++) {
        const struct weft_binding *output = &segment->outputs[i];
        uint64_t bytes = output->bytes / frames;
        if (store->region == output->region && bytes > 0 && store->address >= output->offset &&
            store->address - output->offset < output->bytes) {
            return (int64_t)((store->address - output->offset) / bytes);
        }
    }
    return -1;
}

double weft_frame_period(const struct weft_segment *segment, const struct weft_trace *trace,
                         uint32_t frames) {
    uint64_t first = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < trace->program.count && frames > 1; i++) {
        const struct weft_instruction *instruction = &trace->program.instructions[i];
        uint64_t finished = trace->times[i].finished;
        if (instruction->opcode != WEFT_OPCODE_STORE) {
            continue;
        }
        int64_t frame = frame_of(segment, &instruction->store, frames);
        first = frame == 0 && finished > first ? finished : first;
        last = frame == (int64_t)frames - 1 && finished > last ? finished : last;
    }
    return first > 0 && last > first ? (double)(last - first) / (frames - 1) : 0;
}
