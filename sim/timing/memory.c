#include "sim/timing/memory.h"

#include "base/integer.h"

struct weft_memory_model weft_memory_new(uint64_t latency, uint64_t interval) {
    return (struct weft_memory_model){.latency = latency, .interval = interval, .free = 0};
}

uint64_t weft_memory_accept(struct weft_memory_model *memory, uint64_t cycle, uint64_t beats) {
    uint64_t first = weft_max_u64(cycle + memory->latency, memory->free);
    memory->free = first + beats * memory->interval;
    return first;
}

uint64_t weft_memory_last_beat(const struct weft_memory_model *memory, uint64_t first,
                               uint64_t beats) {
    return first + (beats - 1) * memory->interval;
}
