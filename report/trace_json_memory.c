#include "report/trace_json_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/integer.h"

/* ---- the memory port ---- */

/* Beats without a pause between them, for one instruction or of fetch. */
struct beats {
    uint64_t first;
    uint64_t last;
    uint64_t bytes;
    uint32_t bursts; /* 0: there are no beats */
    uint32_t number;
};

static void write_beats(struct writer *out, enum weft_master master, struct beats *beats) {
    if (beats->bursts > 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "\"%s\"", weft_master_names[master]);
        begin_slice(out, PORT + (unsigned)master, "memory", name, beats->first, beats->last);
        fprintf(out->file, "\"number\":%u,\"bursts\":%u,\"bytes\":%" PRIu64, beats->number,
                beats->bursts, beats->bytes);
        end_slice(out);
    }
    beats->bursts = 0;
}

void write_port(struct writer *out) {
    struct beats beats[WEFT_MASTERS] = {0};
    for (unsigned master = 0; master < WEFT_MASTERS; master++) {
        char name[32];
        (void)snprintf(name, sizeof name, "memory port: %s", weft_master_names[master]);
        name_thread(out, PORT + master, name);
    }
    for (size_t i = 0; i < out->trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &out->trace->bursts[i];
        struct beats *open = &beats[burst->master];
        bool goes_on = burst->first == open->last + 1 &&
                       (burst->number == open->number || burst->master == WEFT_MASTER_FETCH);
        if (open->bursts == 0 || !goes_on) {
            write_beats(out, burst->master, open);
            *open = (struct beats){.first = burst->first, .number = burst->number};
        }
        open->last = weft_trace_burst_end(out->trace, burst);
        open->bytes += burst->bytes;
        open->bursts++;
    }
    for (unsigned master = 0; master < WEFT_MASTERS; master++) {
        write_beats(out, (enum weft_master)master, &beats[master]);
    }
}

/* ---- banks ---- */

/* Cycles in which a bank belongs to instructions of one unit and one layer, without a pause. */
struct owned {
    uint64_t first;
    uint64_t last; /* 0: nobody's */
    enum weft_unit unit;
    int32_t layer;
};

enum {
    MOST_BANKS = 32
};

static void write_owned(struct writer *out, unsigned memory, unsigned bank, struct owned *owned) {
    if (owned->last != 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "\"%s\"", weft_unit_names[owned->unit]);
        begin_slice(out, BANKS + memory * ROWS + bank, "bank", name, owned->first, owned->last);
        fprintf(out->file, "\"operator\":%s", layer_name(out, owned->layer));
        end_slice(out);
    }
    owned->last = 0;
}

static void own(struct writer *out, unsigned memory, unsigned bank, uint32_t number,
                struct owned *owned) {
    const struct weft_trace_times *times = &out->trace->times[number];
    enum weft_unit unit = weft_format_of(out->trace->program.instructions[number].opcode)->unit;
    int32_t layer = out->segment->layer_of[number];
    bool goes_on = owned->last != 0 && owned->unit == unit && owned->layer == layer &&
                   times->started <= owned->last + 1;
    if (!goes_on) {
        /* The unit goes on to another layer before the bank is free: the slices must not overlap.
         */
        uint64_t until = owned->last;
        if (until >= times->started) {
            owned->last = times->started - 1;
            owned->last = owned->last < owned->first ? 0 : owned->last;
        }
        write_owned(out, memory, bank, owned);
        *owned = (struct owned){times->started, until, unit, layer};
    }
    owned->last = weft_max_u64(owned->last, times->finished);
}

void write_banks(struct writer *out, const uint32_t *order, size_t count) {
    struct owned owned[WEFT_MEMORIES][MOST_BANKS] = {0};
    for (size_t i = 0; i < count; i++) {
        const struct weft_instruction *instruction = &out->trace->program.instructions[order[i]];
        for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
            for (uint32_t mask = instruction->banks[memory]; mask != 0; mask &= mask - 1) {
                unsigned bank = (unsigned)__builtin_ctz(mask);
                own(out, memory, bank, order[i], &owned[memory][bank]);
            }
        }
    }
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        uint32_t banks = weft_banks(&out->trace->config, (enum weft_memory)memory);
        for (unsigned bank = 0; bank < banks; bank++) {
            write_owned(out, memory, bank, &owned[memory][bank]);
            char name[32];
            (void)snprintf(name, sizeof name, "bank %s %u", weft_memory_names[memory], bank);
            name_thread(out, BANKS + memory * ROWS + bank, name);
        }
    }
}

bool write_occupancy(struct writer *out, enum weft_memory memory, struct weft_error *error) {
    struct weft_occupancy *points = NULL;
    size_t count = 0;
    if (!weft_trace_occupancy(out->trace, memory, &points, &count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        begin_event(out);
        fprintf(out->file,
                "{\"ph\":\"C\",\"name\":\"%s in use\",\"pid\":%u,\"ts\":%" PRIu64
                ",\"args\":{\"bytes\":%" PRIu64 "}}",
                weft_memory_names[memory], out->process, out->offset + points[i].cycle,
                points[i].bytes);
    }
    free(points);
    return true;
}
