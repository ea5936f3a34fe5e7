/* Reading an instruction trace, which may come from anywhere. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/inflate.h"
#include "base/limit.h"
#include "base/memory.h"
#include "sim/trace/raw_format.h"

/* What was deflated. Reading past its end, or a number that is no number, sets `failed` and gives
 * zeros. */
struct reader {
    const uint8_t *bytes;
    size_t length;
    size_t at;
    bool failed;
    uint64_t memory_limit;
    uint64_t memory_used; /* bytes: what is inflated, and what is made of it */
};

/* No cycle is larger, so that sums of a few cannot overflow. */
#define LAST_CYCLE (UINT64_C(1) << 60)

static bool malformed(const struct reader *in, const char *what, struct weft_error *error) {
    return weft_fail(error, WEFT_TRACE, in->at, "byte %zu of the inflated trace: %s", in->at, what);
}

/* weft_allocate() inside the limit. */
static void *allocate(struct reader *in, size_t count, size_t size, const char *what,
                      struct weft_error *error) {
    uint64_t bytes = (uint64_t)count * size;
    if (bytes > in->memory_limit - in->memory_used) {
        weft_limit_passed(error, what, weft_add_saturated(in->memory_used, bytes),
                          in->memory_limit);
        return NULL;
    }
    in->memory_used += bytes;
    return weft_allocate(count, size, what, error);
}

static const uint8_t *take(struct reader *in, uint64_t length) {
    if (in->failed || length > in->length - in->at) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *bytes = in->bytes + in->at;
    in->at += (size_t)length;
    return bytes;
}

static uint64_t take_number(struct reader *in) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *byte = take(in, 1);
        if (byte == NULL) {
            return 0;
        }
        uint64_t bits = *byte & 0x7f;
        if (shift == 63 && bits > 1) {
            break;
        }
        value |= bits << shift;
        if ((*byte & 0x80) == 0) {
            return value;
        }
    }
    in->failed = true;
    return 0;
}

/* A number of at most `most`. */
static uint64_t take_at_most(struct reader *in, uint64_t most) {
    uint64_t value = take_number(in);
    if (value > most) {
        in->failed = true;
        return 0;
    }
    return value;
}

/* A number of things that take at least `least` bytes each: what is allocated for them is in
 * proportion to what is there. */
static size_t take_count(struct reader *in, size_t least) {
    return (size_t)take_at_most(in, (in->length - in->at) / least);
}

/* ---- the parts of a segment ---- */

static bool take_program(struct reader *in, struct weft_trace *trace, struct weft_error *error) {
    size_t count = take_count(in, WEFT_INSTRUCTION_BYTES);
    const uint8_t *bytes = take(in, (uint64_t)count * WEFT_INSTRUCTION_BYTES);
    if (bytes == NULL) {
        return malformed(in, "the program does not end inside the trace", error);
    }
    uint64_t decoded = (uint64_t)count * sizeof(struct weft_instruction);
    if (decoded > in->memory_limit - in->memory_used) {
        return weft_limit_passed(error, "a program", in->memory_used + decoded, in->memory_limit);
    }
    in->memory_used += decoded;
    return weft_program_decode(bytes, count * WEFT_INSTRUCTION_BYTES, &trace->program, error);
}

static void take_result(struct reader *in, struct weft_trace *trace) {
    struct weft_run_result *result = &trace->result;
    result->fault = (enum weft_fault)take_at_most(in, WEFT_FAULTS - 1);
    result->fault_instruction = (uint32_t)take_at_most(in, UINT32_MAX);
    if (take_number(in) != WEFT_COUNTERS) {
        in->failed = true;
    }
    for (unsigned i = 0; i < WEFT_COUNTERS && !in->failed; i++) {
        uint64_t value = take_at_most(in, LAST_CYCLE);
        memcpy((char *)&result->counters + i * sizeof value, &value, sizeof value);
    }
}

/* A cycle that is so much later than `before`; 0: never. Nothing happens after the run. */
static uint64_t take_cycle(struct reader *in, uint64_t before, uint64_t last) {
    uint64_t delta = take_at_most(in, last);
    if (delta != 0 && (before > last || delta > last - before)) {
        in->failed = true;
        return 0;
    }
    return delta == 0 ? 0 : before + delta;
}

static bool take_times(struct reader *in, struct weft_trace *trace, struct weft_error *error) {
    uint64_t last = trace->result.counters.cycles;
    uint64_t before = 0;
    trace->times =
        allocate(in, trace->program.count, sizeof *trace->times, "times of a trace", error);
    if (trace->times == NULL) {
        return false;
    }
    for (size_t i = 0; i < trace->program.count && !in->failed; i++) {
        struct weft_trace_times *times = &trace->times[i];
        times->dispatched = take_cycle(in, before, last);
        times->started = take_cycle(in, times->dispatched, last);
        times->finished = take_cycle(in, times->started, last);
        before = times->dispatched;
    }
    return !in->failed || malformed(in, "a wrong time of an instruction", error);
}

static void take_burst(struct reader *in, const struct weft_trace *trace,
                       struct raw_expected expected[WEFT_MASTERS], uint64_t *before,
                       struct weft_trace_burst *burst) {
    burst->master = (enum weft_master)take_at_most(in, WEFT_MASTERS - 1);
    struct raw_expected *next = &expected[burst->master];
    burst->accepted = *before + take_at_most(in, trace->result.counters.cycles - *before);
    burst->first = burst->accepted + take_at_most(in, LAST_CYCLE);
    burst->number = next->number + (uint32_t)take_at_most(in, UINT32_MAX - next->number);
    burst->address = next->address + raw_unfold(take_number(in));
    burst->bytes = (uint32_t)take_at_most(in, trace->config.memory_burst);
    if (burst->number >= trace->program.count || burst->address > UINT32_MAX || burst->bytes == 0) {
        in->failed = true;
    }
    *before = burst->accepted;
    *next = (struct raw_expected){burst->address + burst->bytes, burst->number};
}

static bool take_bursts(struct reader *in, struct weft_trace *trace, struct weft_error *error) {
    struct raw_expected expected[WEFT_MASTERS] = {0};
    uint64_t before = 0;
    enum {
        LEAST = 6
    };
    size_t count = take_count(in, LEAST);
    trace->bursts = allocate(in, count, sizeof *trace->bursts, "bursts of a trace", error);
    if (trace->bursts == NULL) {
        return false;
    }
    trace->burst_capacity = count;
    while (trace->burst_count < count && !in->failed) {
        take_burst(in, trace, expected, &before, &trace->bursts[trace->burst_count++]);
    }
    return !in->failed || malformed(in, "a wrong burst", error);
}

static bool take_lane(struct reader *in, const struct weft_trace *trace,
                      struct weft_trace_changes *changes, struct weft_error *error) {
    uint64_t before = 0;
    size_t count = take_count(in, 2);
    changes->list = allocate(in, count, sizeof *changes->list, "changes of a trace", error);
    if (changes->list == NULL) {
        return false;
    }
    changes->capacity = count;
    while (changes->count < count && !in->failed) {
        struct weft_trace_change *change = &changes->list[changes->count++];
        change->cycle = take_cycle(in, before, trace->result.counters.cycles);
        change->counter = (unsigned)take_at_most(in, WEFT_COUNTERS);
        in->failed = in->failed || change->cycle == 0;
        before = change->cycle;
    }
    return !in->failed || malformed(in, "a wrong change of a lane", error);
}

static bool take_segment(struct reader *in, struct weft_trace *trace, struct weft_error *error) {
    trace->settings.memory.latency = take_at_most(in, UINT32_MAX);
    trace->settings.memory.interval = take_at_most(in, UINT32_MAX);
    trace->settings.memory.dram = (enum weft_dram)take_at_most(in, WEFT_DRAMS - 1);
    trace->settings.memory.clock = (uint32_t)take_at_most(in, WEFT_DRAM_MOST_CLOCK);
    trace->settings.watchdog = take_number(in);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        trace->settings.regions.limit[i] = take_number(in);
    }
    trace->settings.regions.writable = (uint32_t)take_at_most(in, UINT32_MAX);
    if (!take_program(in, trace, error)) {
        return false;
    }
    take_result(in, trace);
    if (in->failed || !take_times(in, trace, error) || !take_bursts(in, trace, error)) {
        return in->failed ? malformed(in, "a wrong result or time", error) : false;
    }
    if (take_number(in) != WEFT_LANES) {
        return malformed(in, "not as many lanes as the machine has", error);
    }
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        if (!take_lane(in, trace, &trace->lanes[lane], error)) {
            return false;
        }
    }
    return true;
}

/* ---- the file ---- */

static bool take_config(struct reader *in, struct weft_config *config, struct weft_error *error) {
    const uint8_t *fingerprint = take(in, 8);
    uint64_t length = take_number(in);
    const uint8_t *text = take(in, length);
    if (fingerprint == NULL || text == NULL) {
        return malformed(in, "the configuration does not end inside the trace", error);
    }
    if (!weft_config_parse((const char *)text, (size_t)length, config, error)) {
        return false;
    }
    return weft_config_fingerprint(config) == weft_read_u64(fingerprint) ||
           weft_fail(error, WEFT_FINGERPRINT, 0,
                     "recorded on another instruction set or configuration than it says");
}

static bool take_segments(struct reader *in, const struct weft_config *config,
                          struct weft_trace_file *file, struct weft_error *error) {
    enum {
        LEAST = 3 + WEFT_REGIONS + 3 + WEFT_COUNTERS + WEFT_LANES
    };
    size_t count = take_count(in, LEAST);
    file->segments = allocate(in, count, sizeof *file->segments, "segments of a trace", error);
    if (file->segments == NULL) {
        return false;
    }
    while (file->count < count) {
        struct weft_trace *trace = &file->segments[file->count++];
        trace->config = *config;
        if (!take_segment(in, trace, error)) {
            return false;
        }
    }
    return (!in->failed && in->at == in->length) ||
           malformed(in, in->failed ? "the trace ends too early" : "bytes are left over", error);
}

static bool inflate_trace(struct reader *in, const uint8_t *bytes, size_t length, uint8_t **raw,
                          struct weft_error *error) {
    if (length < RAW_HEADER_BYTES || memcmp(bytes, RAW_MAGIC, RAW_MAGIC_BYTES) != 0) {
        return weft_fail(error, WEFT_TRACE, 0, "does not begin like an instruction trace");
    }
    uint32_t version = weft_read_u32(bytes + RAW_MAGIC_BYTES);
    uint64_t claimed = weft_read_u64(bytes + RAW_MAGIC_BYTES + 8);
    const uint8_t *stored = bytes + RAW_HEADER_BYTES;
    size_t stored_length = length - RAW_HEADER_BYTES;
    if (version != RAW_VERSION) {
        return weft_fail(error, WEFT_TRACE, RAW_MAGIC_BYTES, "version %u, expected %d", version,
                         RAW_VERSION);
    }
    if (claimed > WEFT_TRACE_LIMIT || !weft_inflate_is_possible(stored_length, claimed)) {
        return weft_fail(error, WEFT_TRACE, RAW_MAGIC_BYTES + 8,
                         "%llu bytes cannot be in this file", (unsigned long long)claimed);
    }
    if (crc32_z(0, stored, stored_length) != weft_read_u32(bytes + RAW_MAGIC_BYTES + 4)) {
        return weft_fail(error, WEFT_TRACE, RAW_MAGIC_BYTES + 4, "wrong checksum");
    }
    uint8_t *out = allocate(in, (size_t)claimed, 1, "a trace", error);
    if (out == NULL) {
        return false;
    }
    if (!weft_inflate(stored, stored_length, out, (size_t)claimed, WEFT_TRACE, error)) {
        error->position = RAW_HEADER_BYTES;
        free(out);
        return false;
    }
    *raw = out;
    in->bytes = out;
    in->length = (size_t)claimed;
    return true;
}

bool weft_trace_read(const uint8_t *bytes, size_t length, uint64_t memory_limit,
                     struct weft_config *config, struct weft_trace_file *file,
                     struct weft_error *error) {
    uint8_t *raw = NULL;
    struct reader in = {.memory_limit = weft_memory_limit(memory_limit)};
    struct weft_config made;
    struct weft_trace_file found = {0};
    if (!inflate_trace(&in, bytes, length, &raw, error)) {
        return false;
    }
    bool good = take_config(&in, &made, error) && take_segments(&in, &made, &found, error);
    free(raw);
    if (!good) {
        weft_trace_file_free(&found);
        return false;
    }
    *config = made;
    *file = found;
    return true;
}

void weft_trace_file_free(struct weft_trace_file *file) {
    for (size_t i = 0; i < file->count; i++) {
        weft_trace_free(&file->segments[i]);
    }
    free(file->segments);
    *file = (struct weft_trace_file){0};
}
