/* Traces as JSON in Chrome's trace event format, which Perfetto reads too. One cycle is written as
 * one microsecond. docs/trace.md says what is where. */
#include "report/trace_json.h"
#include "report/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "report/statistics.h"
#include "report/trace_json_layers.h"
#include "report/trace_json_memory.h"

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
    out->threads[number] = group + row_for(&rows[format->unit], times->started, times->finished);
    begin_slice(out, out->threads[number], "instruction", name, times->started, times->finished);
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

/* ---- tokens ---- */

/* An end of an arrow, in the cycle of a slice. */
static void write_flow(struct writer *out, const char *phase, uint32_t number, uint64_t cycle) {
    begin_event(out);
    fprintf(out->file,
            "{\"ph\":\"%s\",\"cat\":\"token\",\"name\":\"token\",\"id\":%" PRIu64
            ",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 "}",
            phase, out->flows, out->process, out->threads[number], out->offset + cycle);
}

/* From the last cycle of the instruction that gives a token to the first one of that which takes
 * it. */
static void write_tokens(struct writer *out, const uint32_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            uint32_t giver = out->history->of[order[i]].tokens[unit];
            if (giver != WEFT_NOBODY) {
                out->flows++;
                write_flow(out, "s", giver, out->trace->times[giver].finished);
                write_flow(out, "f\",\"bp\":\"e", order[i], out->trace->times[order[i]].started);
            }
        }
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

/* ---- a segment ---- */

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

static bool write_rows(struct writer *out, const uint32_t *order, size_t count,
                       struct weft_error *error) {
    bool good = write_layers(out, error) && write_path(out, error);
    write_dispatch(out);
    write_instructions(out, order, count);
    write_tokens(out, order, count);
    write_lanes(out);
    write_port(out);
    write_banks(out, order, count);
    if (good && out->failed) {
        good = weft_no_memory(error, "a text");
    }
    return good && write_occupancy(out, WEFT_MEMORY_ACT, error) &&
           write_occupancy(out, WEFT_MEMORY_WGT, error);
}

static bool write_with_history(struct writer *out, const struct weft_history *history,
                               struct weft_error *error) {
    uint32_t *order = NULL;
    size_t count = 0;
    out->history = history;
    out->threads = weft_allocate(out->trace->program.count, sizeof *out->threads, "threads", error);
    bool good = out->threads != NULL && make_names(out, error) &&
                weft_trace_order(out->trace, &order, &count, error);
    if (good) {
        char name[32];
        (void)snprintf(name, sizeof name, "\"segment %u\"", out->index);
        begin_slice(out, SEGMENTS, "segment", name, 1, out->figures->cycles);
        fprintf(out->file, "\"cycles\":%" PRIu64, out->figures->cycles);
        end_slice(out);
        good = write_rows(out, order, count, error);
    }
    free(order);
    free_names(out);
    free(out->threads);
    return good;
}

static bool write_segment(struct writer *out, uint32_t index, struct weft_error *error) {
    struct weft_history history;
    out->process = PROCESS_MACHINE;
    out->index = index;
    out->number = out->all_figures->numbers[index];
    out->segment = &out->module->segments[index];
    out->trace = &out->traces->segments[index];
    out->figures = &out->all_figures->segments[index];
    if (!weft_history_make(out->trace, &history, error)) {
        return false;
    }
    bool good = write_with_history(out, &history, error);
    weft_history_free(&history);
    out->history = NULL;
    out->offset += out->figures->cycles;
    return good;
}

/* ---- operators of the host ---- */

/* They take no cycles of the machine: how long they are drawn says nothing. */
static bool write_host_operator(struct writer *out, const struct weft_node *node, json_t *row,
                                struct weft_error *error) {
    char name[64];
    char *args = json_dumps(row, JSON_COMPACT);
    if (args == NULL) {
        return weft_no_memory(error, "JSON");
    }
    out->process = PROCESS_HOST;
    (void)snprintf(name, sizeof name, "\"%s\"", weft_operator_name(node->op));
    begin_slice(out, HOST, "host", name, 1, out->host_length);
    fprintf(out->file, "\"drawn\":%" PRIu64 ",%s", out->host_length, args + 1);
    fputs("}", out->file);
    free(args);
    out->offset += out->host_length;
    return true;
}

static bool write_nodes(struct writer *out, const json_t *hosts, struct weft_error *error) {
    const struct weft_graph *graph = out->module->graph;
    uint32_t segment = 0;
    size_t host = 0;
    bool good = true;
    for (size_t i = 0; good && i < graph->node_count; i++) {
        if (weft_is_machine_region(graph->nodes[i])) {
            good = write_segment(out, segment++, error);
        } else if (weft_is_host_operator(graph->nodes[i])) {
            good = write_host_operator(out, graph->nodes[i], json_array_get(hosts, host++), error);
        }
    }
    return good;
}

/* ---- the file ---- */

static void name_process(struct writer *out, unsigned process, const char *name) {
    out->process = process;
    begin_event(out);
    fprintf(out->file,
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}",
            process, name);
}

/* Where each segment begins: [{ts, cycles}]; cycle c of it has the time ts + c. */
static json_t *segment_times(const struct writer *out) {
    json_t *list = json_array();
    uint64_t time = 0;
    uint32_t segment = 0;
    for (size_t i = 0; i < out->module->graph->node_count; i++) {
        const struct weft_node *node = out->module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            uint64_t cycles = out->all_figures->segments[segment++].cycles;
            json_array_append_new(list, json_pack("{s:I, s:I}", "ts", (json_int_t)time, "cycles",
                                                  (json_int_t)cycles));
            time += cycles;
        } else if (weft_is_host_operator(node)) {
            time += out->host_length;
        }
    }
    return list;
}

static bool write_head(struct writer *out, const struct origin *origin, json_t *hosts,
                       struct weft_error *error) {
    json_t *head = json_object();
    add_origin_json(head, out->module, origin);
    json_object_set_new(head, "time", json_string("1 us is 1 cycle of the machine"));
    json_object_set_new(head, "segments", segment_times(out));
    json_object_set(head, "host_ops", hosts);
    char *text = json_dumps(head, JSON_COMPACT);
    json_decref(head);
    if (!json_complete(text, error)) {
        free(text);
        return false;
    }
    fprintf(out->file, "{\"otherData\":%s,\n\"traceEvents\":[", text);
    free(text);
    return true;
}

bool chrome_trace_write(void *context, FILE *file, struct weft_error *error) {
    const struct chrome_trace *trace = context;
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < trace->figures.segment_count; i++) {
        cycles += trace->figures.segments[i].cycles;
    }
    struct writer out = {.file = file,
                         .is_first = true,
                         .module = trace->module,
                         .traces = trace->traces,
                         .all_figures = &trace->figures,
                         .host_length = cycles / 200 + 1};
    json_begin(out.module, out.module->arena.total);
    json_t *hosts = host_operators(out.module);
    bool good = write_head(&out, trace->origin, hosts, error);
    if (good) {
        name_process(&out, PROCESS_HOST, "host");
        name_thread(&out, HOST, "operators of the host; their length says nothing");
        name_process(&out, PROCESS_MACHINE, "machine");
        name_thread(&out, SEGMENTS, "segments");
        good = write_nodes(&out, hosts, error);
    }
    json_decref(hosts);
    fputs("\n]}\n", file);
    /* json_dumps() can leave out what it had no memory for, and succeed. */
    return good && json_complete(trace, error);
}

bool chrome_trace_make(const struct weft_module *module, const struct weft_trace_file *traces,
                       const struct origin *origin, struct chrome_trace *trace,
                       struct weft_error *error) {
    *trace = (struct chrome_trace){.module = module, .traces = traces, .origin = origin};
    return figures_of_traces(module, traces, &trace->figures, error);
}

void chrome_trace_free(struct chrome_trace *trace) {
    model_figures_free(&trace->figures);
}
