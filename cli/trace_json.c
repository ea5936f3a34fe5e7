/* Traces as JSON in Chrome's trace event format, which Perfetto reads too. One cycle is written as
 * one microsecond. docs/trace.md says what is where. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "cli/statistics.h"
#include "cli/streams.h"
#include "cli/trace_json_memory.h"

/* ---- rows ---- */

/* Slices of a group that overlap are put in rows of their own. */
struct rows {
    uint64_t end[ROWS]; /* last cycle that is taken */
    unsigned used;
};

static unsigned row_for(struct rows *rows, uint64_t first, uint64_t last) {
    unsigned row = 0;
    while (row < rows->used && rows->end[row] >= first && row + 1 < ROWS) {
        row++;
    }
    rows->used = row < rows->used ? rows->used : row + 1;
    rows->end[row] = last;
    return row;
}

static void name_rows(struct writer *out, unsigned group, const struct rows *rows,
                      const char *name) {
    for (unsigned i = 0; i < rows->used; i++) {
        char numbered[32];
        (void)snprintf(numbered, sizeof numbered, i == 0 ? "%s" : "%s (%u)", name, i + 1);
        name_thread(out, group + i, numbered);
    }
}

/* ---- operators ---- */

/* The cycles from the first start to the last finish among the instructions of a layer. */
struct extent {
    uint64_t first;
    uint64_t last;
    uint32_t layer;
};

static int compare_extents(const void *a, const void *b) {
    const struct extent *one = a;
    const struct extent *other = b;
    return one->first != other->first ? (one->first > other->first) - (one->first < other->first)
                                      : (one->layer > other->layer) - (one->layer < other->layer);
}

static void write_operator(struct writer *out, struct rows *rows, const struct extent *extent,
                           const struct layer_statistics *layer) {
    begin_slice(out, OPERATORS + row_for(rows, extent->first, extent->last), "operator",
                out->names[extent->layer], extent->first, extent->last);
    fprintf(out->file,
            "\"layer\":%u,\"operator\":%d,\"macs\":%" PRId64 ",\"cycles\":%" PRIu64
            ",\"external_bytes\":%" PRIu64,
            extent->layer, layer->info->source, layer->info->macs, layer->cycles,
            layer->external_bytes);
    end_slice(out);
}

static bool write_operators(struct writer *out, struct weft_error *error) {
    uint32_t count = out->segment->layer_count;
    struct rows rows = {.used = 0};
    uint64_t *finishes = layer_finishes(out->segment, out->trace, error);
    struct extent *extents = weft_allocate(count, sizeof *extents, "layers", error);
    struct layer_statistics *layers = weft_allocate(count, sizeof *layers, "layers", error);
    bool good = finishes != NULL && extents != NULL && layers != NULL;
    if (good) {
        layer_statistics(out->module, out->process - 1, finishes, layers);
        for (uint32_t i = 0; i < count; i++) {
            extents[i] = (struct extent){UINT64_MAX, finishes[i], i};
        }
        for (size_t i = 0; i < out->segment->program.count; i++) {
            int32_t layer = out->segment->layer_of[i];
            uint64_t start = out->trace->times[i].started;
            if (layer >= 0 && start != 0 && start < extents[layer].first) {
                extents[layer].first = start;
            }
        }
        qsort(extents, count, sizeof *extents, compare_extents);
        for (uint32_t i = 0; i < count && extents[i].first != UINT64_MAX; i++) {
            write_operator(out, &rows, &extents[i], &layers[extents[i].layer]);
        }
        name_rows(out, OPERATORS, &rows, "operators");
    }
    free(finishes);
    free(extents);
    free(layers);
    return good;
}

/* ---- instructions ---- */

static void write_instruction(struct writer *out, uint32_t number, struct rows *rows) {
    const struct weft_instruction *instruction = &out->trace->program.instructions[number];
    const struct weft_trace_times *times = &out->trace->times[number];
    const struct weft_format *format = weft_format_of(instruction->opcode);
    unsigned group = UNITS + (unsigned)format->unit * ROWS;
    struct weft_text text = {0};
    char name[32];
    (void)snprintf(name, sizeof name, "\"%s\"", format->name);
    weft_disassemble(instruction, &text);
    begin_slice(out, group + row_for(&rows[format->unit], times->started, times->finished),
                "instruction", name, times->started, times->finished);
    fprintf(out->file, "\"number\":%u,\"dispatched\":%" PRIu64 ",\"operator\":%s,\"text\":\"%s\"",
            number, times->dispatched, layer_name(out, out->segment->layer_of[number]),
            text.failed ? "" : text.bytes);
    out->failed = out->failed || text.failed;
    end_slice(out);
    weft_text_free(&text);
}

static void write_dispatch(struct writer *out) {
    name_thread(out, DISPATCH, "dispatch");
    for (size_t i = 0; i < out->trace->program.count; i++) {
        uint64_t cycle = out->trace->times[i].dispatched;
        char name[32];
        (void)snprintf(name, sizeof name, "\"%s\"",
                       weft_format_of(out->trace->program.instructions[i].opcode)->name);
        begin_slice(out, DISPATCH, "dispatch", name, cycle, cycle);
        fprintf(out->file, "\"number\":%zu", i);
        end_slice(out);
    }
}

static void write_instructions(struct writer *out, const uint32_t *order, size_t count) {
    struct rows rows[WEFT_UNITS] = {0};
    for (size_t i = 0; i < count; i++) {
        write_instruction(out, order[i], rows);
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        name_rows(out, UNITS + unit * ROWS, &rows[unit], weft_unit_names[unit]);
    }
}

/* ---- where the cycles go ---- */

/* Spans of one counter as one slice. */
struct counted {
    struct weft_trace_span span;
    uint64_t cycles; /* that count; 0: there is no slice */
};

static void write_counted(struct writer *out, unsigned lane, struct counted *counted) {
    if (counted->cycles > 0) {
        char name[64];
        (void)snprintf(name, sizeof name, "\"%s\"", weft_counter_names[counted->span.counter]);
        begin_slice(out, LANES + lane, "cycles", name, counted->span.first, counted->span.last);
        fprintf(out->file, "\"cycles\":%" PRIu64, counted->cycles);
        end_slice(out);
    }
    counted->cycles = 0;
}

/* A burst that is granted interrupts the waiting of bursts for one cycle: one slice goes over these
 * cycles, there are as many as bursts. */
static void write_lanes(struct writer *out) {
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        struct counted counted = {.cycles = 0};
        uint64_t pause = lane == WEFT_LANE_LOAD_BURSTS || lane == WEFT_LANE_STORE_BURSTS ? 1 : 0;
        char name[32];
        (void)snprintf(name, sizeof name, "%s: cycles", weft_lane_names[lane]);
        name_thread(out, LANES + lane, name);
        for (size_t i = 0; i < out->trace->lanes[lane].count; i++) {
            struct weft_trace_span span = weft_trace_span_at(out->trace, (enum weft_lane)lane, i);
            if (span.counter == WEFT_COUNTERS) {
                continue;
            }
            if (span.counter != counted.span.counter ||
                span.first > counted.span.last + 1 + pause) {
                write_counted(out, lane, &counted);
                counted.span = span;
            }
            counted.span.last = span.last;
            counted.cycles += span.last - span.first + 1;
        }
        write_counted(out, lane, &counted);
    }
}

/* ---- the file ---- */

/* Names of the layers as JSON strings: operator and shape. */
static bool make_names(struct writer *out, struct weft_error *error) {
    uint32_t count = out->segment->layer_count;
    out->names = weft_allocate(count, sizeof *out->names, "names", error);
    for (uint32_t i = 0; out->names != NULL && i < count; i++) {
        const struct weft_layer_info *layer = &out->segment->layers[i];
        char text[256];
        (void)snprintf(text, sizeof text, "%.160s %" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64,
                       layer->name, layer->shape[0], layer->shape[1], layer->shape[2],
                       layer->shape[3]);
        json_t *json = text_json(text);
        out->names[i] = json == NULL ? NULL : json_dumps(json, JSON_ENCODE_ANY);
        json_decref(json);
        if (out->names[i] == NULL) {
            return weft_no_memory(error, "JSON");
        }
    }
    return out->names != NULL;
}

static void free_names(struct writer *out) {
    for (uint32_t i = 0; out->names != NULL && i < out->segment->layer_count; i++) {
        free(out->names[i]);
    }
    free(out->names);
    out->names = NULL;
}

static bool write_segment(struct writer *out, struct weft_error *error) {
    uint32_t *order = NULL;
    size_t count = 0;
    if (!make_names(out, error) || !weft_trace_order(out->trace, &order, &count, error)) {
        return false;
    }
    begin_event(out);
    fprintf(
        out->file,
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"segment %u\"}}",
        out->process, out->process - 1);
    bool good = write_operators(out, error);
    write_dispatch(out);
    write_instructions(out, order, count);
    write_lanes(out);
    write_port(out);
    write_banks(out, order, count);
    free(order);
    if (good && out->failed) {
        good = weft_no_memory(error, "a text");
    }
    return good && write_occupancy(out, WEFT_MEMORY_ACT, error) &&
           write_occupancy(out, WEFT_MEMORY_WGT, error);
}

static bool write_head(struct writer *out, struct weft_error *error) {
    json_begin(out->module, out->module->arena.total);
    json_t *head = json_pack("{s:o, s:s, s:s, s:o}", "model", text_json(out->module->model_name),
                             "config", out->module->config.name, "time", "1 us is 1 cycle",
                             "host_ops", host_operators(out->module));
    char *text = head == NULL ? NULL : json_dumps(head, JSON_COMPACT);
    json_decref(head);
    if (!json_complete(text, error)) {
        free(text);
        return false;
    }
    fprintf(out->file, "{\"otherData\":%s,\n\"traceEvents\":[", text);
    free(text);
    return true;
}

static bool write_all(void *context, FILE *file, struct weft_error *error) {
    struct writer *out = context;
    out->file = file;
    out->is_first = true;
    bool good = write_head(out, error);
    for (uint32_t i = 0; good && i < out->module->segment_count; i++) {
        out->process = i + 1;
        out->segment = &out->module->segments[i];
        out->trace = &out->traces->segments[i];
        good = write_segment(out, error);
        free_names(out);
    }
    fputs("\n]}\n", file);
    return good;
}

bool write_chrome_trace(const char *path, const struct weft_module *module,
                        const struct weft_trace_file *traces, struct weft_error *error) {
    struct writer writer = {.module = module, .traces = traces};
    return stream_write_content(path, write_all, &writer, error);
}
