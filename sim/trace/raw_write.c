/* Writing an instruction trace: docs/trace.md, "Instruction trace". */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "sim/trace/raw_format.h"

static void put_number(struct weft_text *out, uint64_t value) {
    uint8_t bytes[10];
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) {
        bytes[length++] = (uint8_t)(value | 0x80);
    }
    bytes[length++] = (uint8_t)value;
    weft_text_add_bytes(out, (const char *)bytes, length);
}

static bool put_config(struct weft_text *out, const struct weft_config *config,
                       struct weft_error *error) {
    struct weft_text text = {0};
    uint8_t fingerprint[8];
    bool good = weft_config_print(config, &text, error) && weft_text_finish(&text, error);
    if (good) {
        weft_write_u64(fingerprint, weft_config_fingerprint(config));
        weft_text_add_bytes(out, (const char *)fingerprint, sizeof fingerprint);
        put_number(out, text.length);
        weft_text_add_bytes(out, text.bytes, text.length);
    }
    weft_text_free(&text);
    return good;
}

static bool put_program(struct weft_text *out, const struct weft_program *program,
                        struct weft_error *error) {
    uint8_t *bytes = NULL;
    if (!weft_program_encode(program, &bytes, error)) {
        return false;
    }
    put_number(out, program->count);
    weft_text_add_bytes(out, (const char *)bytes, program->count * WEFT_INSTRUCTION_BYTES);
    free(bytes);
    return true;
}

static void put_result(struct weft_text *out, const struct weft_run_result *result) {
    put_number(out, result->fault);
    put_number(out, result->fault_instruction);
    put_number(out, WEFT_COUNTERS);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        put_number(out, weft_counter_get(&result->counters, i));
    }
}

/* The time since an earlier event of the instruction; 0: it did not happen. */
static uint64_t since(uint64_t cycle, uint64_t before) {
    return cycle == 0 ? 0 : cycle - before;
}

static void put_times(struct weft_text *out, const struct weft_trace *trace) {
    uint64_t before = 0;
    for (size_t i = 0; i < trace->program.count; i++) {
        const struct weft_trace_times *times = &trace->times[i];
        put_number(out, since(times->dispatched, before));
        put_number(out, since(times->started, times->dispatched));
        put_number(out, since(times->finished, times->started));
        before = times->dispatched;
    }
}

static void put_bursts(struct weft_text *out, const struct weft_trace *trace) {
    struct raw_expected expected[WEFT_MASTERS] = {0};
    uint64_t before = 0;
    put_number(out, trace->burst_count);
    for (size_t i = 0; i < trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &trace->bursts[i];
        struct raw_expected *next = &expected[burst->master];
        put_number(out, burst->master);
        put_number(out, burst->accepted - before);
        put_number(out, burst->first - burst->accepted);
        put_number(out, burst->number - next->number);
        put_number(out, raw_fold(burst->address - next->address));
        put_number(out, burst->bytes);
        before = burst->accepted;
        *next = (struct raw_expected){burst->address + burst->bytes, burst->number};
    }
}

static void put_lanes(struct weft_text *out, const struct weft_trace *trace) {
    put_number(out, WEFT_LANES);
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        const struct weft_trace_changes *changes = &trace->lanes[lane];
        uint64_t before = 0;
        put_number(out, changes->count);
        for (size_t i = 0; i < changes->count; i++) {
            put_number(out, changes->list[i].cycle - before);
            put_number(out, changes->list[i].counter);
            before = changes->list[i].cycle;
        }
    }
}

static bool put_segment(struct weft_text *out, const struct weft_trace *trace,
                        struct weft_error *error) {
    put_number(out, trace->settings.memory.latency);
    put_number(out, trace->settings.memory.interval);
    put_number(out, trace->settings.memory.dram);
    put_number(out, trace->settings.memory.clock);
    put_number(out, trace->settings.watchdog);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        put_number(out, trace->settings.regions.limit[i]);
    }
    put_number(out, trace->settings.regions.writable);
    if (!put_program(out, &trace->program, error)) {
        return false;
    }
    put_result(out, &trace->result);
    put_times(out, trace);
    put_bursts(out, trace);
    put_lanes(out, trace);
    return true;
}

static bool deflate_trace(const struct weft_text *raw, uint8_t **bytes, size_t *length,
                          struct weft_error *error) {
    if (raw->length > WEFT_TRACE_LIMIT) {
        return weft_fail(error, WEFT_LIMIT, 0, "the trace has %zu bytes, at most %zu are written",
                         raw->length, WEFT_TRACE_LIMIT);
    }
    uLongf stored = compressBound((uLong)raw->length);
    uint8_t *file = weft_allocate(RAW_HEADER_BYTES + stored, 1, "a trace file", error);
    if (file == NULL) {
        return false;
    }
    if (compress2(file + RAW_HEADER_BYTES, &stored, (const Bytef *)raw->bytes, (uLong)raw->length,
                  6) != Z_OK) {
        free(file);
        return weft_no_memory(error, "deflating");
    }
    memcpy(file, RAW_MAGIC, RAW_MAGIC_BYTES);
    weft_write_u32(file + RAW_MAGIC_BYTES, RAW_VERSION);
    weft_write_u32(file + RAW_MAGIC_BYTES + 4,
                   (uint32_t)crc32_z(0, file + RAW_HEADER_BYTES, stored));
    weft_write_u64(file + RAW_MAGIC_BYTES + 8, raw->length);
    *bytes = file;
    *length = RAW_HEADER_BYTES + stored;
    return true;
}

bool weft_trace_write(const struct weft_config *config, const struct weft_trace_file *file,
                      uint8_t **bytes, size_t *length, struct weft_error *error) {
    struct weft_text raw = {0};
    bool good = put_config(&raw, config, error);
    put_number(&raw, file->count);
    for (size_t i = 0; good && i < file->count; i++) {
        good = put_segment(&raw, &file->segments[i], error);
    }
    good = good && weft_text_finish(&raw, error) && deflate_trace(&raw, bytes, length, error);
    weft_text_free(&raw);
    return good;
}
