#include "cli/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"
#include "cli/streams.h"

/* ---- layers ---- */

static uint64_t transfer_bytes(const struct weft_instruction *instruction) {
    const uint32_t *count = NULL;
    uint32_t run = 0;
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        count = instruction->load.count;
        run = instruction->load.run;
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        count = instruction->store.count;
        run = instruction->store.run;
    }
    return count == NULL ? 0 : (uint64_t)run * count[0] * count[1] * count[2];
}

static void find_units(const struct weft_segment *segment, struct layer_statistics *layers) {
    for (size_t i = 0; i < segment->program.count; i++) {
        const struct weft_instruction *instruction = &segment->program.instructions[i];
        int32_t layer = segment->layer_of[i];
        if (layer < 0) {
            continue;
        }
        layers[layer].external_bytes += transfer_bytes(instruction);
        if (instruction->opcode == WEFT_OPCODE_MATRIX) {
            layers[layer].unit = "matrix";
        } else if (instruction->opcode == WEFT_OPCODE_VECTOR &&
                   strcmp(layers[layer].unit, "-") == 0) {
            layers[layer].unit = "vector";
        }
    }
}

void layer_statistics(const struct weft_module *module, uint32_t index, const uint64_t *finishes,
                      struct layer_statistics *layers) {
    const struct weft_segment *segment = &module->segments[index];
    uint64_t end = 0;
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        layers[i] = (struct layer_statistics){.info = &segment->layers[i], .unit = "-"};
        uint64_t finish = finishes[i];
        layers[i].cycles = finish > end ? finish - end : 0;
        end = weft_max_u64(end, finish);
        if (layers[i].cycles > 0) {
            double peak = (double)module->config.block * module->config.block;
            layers[i].utilisation =
                (double)segment->layers[i].macs / (peak * (double)layers[i].cycles);
        }
    }
    find_units(segment, layers);
}

/* ---- what the host does ---- */

double share(int64_t part, int64_t other) {
    double whole = (double)part + (double)other;
    return whole > 0 ? (double)part / whole : 0;
}

uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module) {
    uint64_t bound = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        bound = weft_add_saturated(bound, run == NULL ? 0 : run->bound);
    }
    return bound;
}

void add_host_work(const struct weft_module *module, struct weft_text *text) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    if (host.operators == 0) {
        weft_text_add(text, "nothing on the host");
        return;
    }
    weft_text_add(text,
                  "on the host %zu operator%s: %" PRId64 " MAC (%.1f %%), %" PRId64
                  " elements (%.1f %%)",
                  host.operators, host.operators == 1 ? "" : "s", host.macs,
                  100 * share(host.macs, machine.macs), host.elements,
                  100 * share(host.elements, machine.elements));
}

/* ---- the table ---- */

/* "1x16x16x16"; shapes of many dimensions are cut. */
static void shape_text(char *text, size_t size, uint32_t rank, const int64_t *dims) {
    size_t used = 0;
    (void)snprintf(text, size, "%s", rank == 0 ? "scalar" : "");
    for (uint32_t i = 0; i < rank && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%" PRId64, i == 0 ? "" : "x", dims[i]);
        used += length < 0 ? size : (size_t)length;
    }
}

static void segment_table(const struct weft_session *session, const struct weft_module *module,
                          uint32_t index, struct weft_text *text) {
    uint32_t count = module->segments[index].layer_count;
    struct layer_statistics *layers = calloc(count == 0 ? 1 : count, sizeof *layers);
    if (layers == NULL) {
        text->failed = true;
        return;
    }
    layer_statistics(module, index, weft_session_segment(session, index)->layer_finish, layers);
    for (uint32_t i = 0; i < count; i++) {
        const struct weft_layer_info *info = layers[i].info;
        char shape[64];
        shape_text(shape, sizeof shape, 4, info->shape);
        weft_text_add(text, "%-18s %-16s %-7s %11" PRId64 " %10" PRIu64 " %7.1f %% %10" PRIu64 "\n",
                      info->name, shape, layers[i].unit, info->macs, layers[i].cycles,
                      100.0 * layers[i].utilisation, layers[i].external_bytes);
    }
    free(layers);
}

/* The type of the first result, which stands for the operator. */
static const struct weft_type *result_type(const struct weft_node *node) {
    static const struct weft_type none = {0};
    return node->result_count == 0 ? &none : &node->results[0]->type;
}

static void add_host_operator(const struct weft_node *node, struct weft_text *text) {
    const struct weft_type *type = result_type(node);
    char shape[64];
    shape_text(shape, sizeof shape, type->rank, type->dim);
    weft_text_add(text, "%-18s %-16s %-7s %11" PRId64 " %10s %9s %10s  %" PRId64 " elements: %s\n",
                  weft_operator_name(node->op), shape, "host", weft_node_macs(node), "-", "-", "-",
                  weft_node_elements(node), weft_node_text(node, WEFT_ATTR_reason));
}

void layer_table(const struct weft_session *session, const struct weft_module *module,
                 struct weft_text *text) {
    uint32_t next = 0;
    weft_text_add(text, "%-18s %-16s %-7s %11s %10s %9s %10s\n", "operator", "shape", "unit", "MAC",
                  "cycles", "of peak", "ext. bytes");
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            segment_table(session, module, next++, text);
        } else if (weft_is_host_operator(node)) {
            add_host_operator(node, text);
        }
    }
}

/* ---- JSON ---- */

static _Thread_local bool json_lacks; /* something since json_begin() */
static _Thread_local uint64_t json_used;
static _Thread_local uint64_t json_limit; /* bytes, of all that is allocated, freed or not */

static void *json_allocate(size_t length) {
    enum {
        OVERHEAD = 16 /* of the C library for a block */
    };
    json_used = weft_add_saturated(json_used, length + OVERHEAD);
    void *memory = json_used > json_limit ? NULL : malloc(length);
    json_lacks = json_lacks || memory == NULL;
    return memory;
}

void json_begin(const struct weft_module *module, uint64_t memory) {
    uint64_t limit = weft_memory_limit(module == NULL ? 0 : module->arena.limit);
    json_lacks = false;
    json_used = 0;
    json_limit = limit > memory ? limit - memory : 0;
    json_set_alloc_funcs(json_allocate, free);
}

bool json_complete(const void *made, struct weft_error *error) {
    if (json_used > json_limit) {
        return weft_limit_passed(error, "JSON", json_used, json_limit);
    }
    return (made != NULL && !json_lacks) || weft_no_memory(error, "JSON");
}

json_t *text_json(const char *text) {
    json_t *json = json_string(text);
    char *copy = json == NULL ? strdup(text) : NULL;
    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        *at = (char)((unsigned char)*at < 0x80 ? *at : '?');
    }
    if (copy != NULL) {
        json = json_string(copy);
        free(copy);
    }
    return json;
}

static json_t *shape_json(uint32_t rank, const int64_t *dims) {
    json_t *shape = json_array();
    for (uint32_t i = 0; i < rank; i++) {
        json_array_append_new(shape, json_integer((json_int_t)dims[i]));
    }
    return shape;
}

static json_t *host_operator(const struct weft_node *node, size_t before) {
    const struct weft_type *type = result_type(node);
    const char *tensor = node->result_count == 0 ? NULL : node->results[0]->name;
    return json_pack("{s:s, s:i, s:o, s:o, s:I, s:I, s:I, s:o}", "op", weft_operator_name(node->op),
                     "operator", node->source, "tensor", text_json(tensor == NULL ? "" : tensor),
                     "shape", shape_json(type->rank, type->dim), "macs",
                     (json_int_t)weft_node_macs(node), "elements",
                     (json_int_t)weft_node_elements(node), "before", (json_int_t)before, "reason",
                     text_json(weft_node_text(node, WEFT_ATTR_reason)));
}

json_t *host_operators(const struct weft_module *module) {
    json_t *list = json_array();
    uint32_t next = 0;
    size_t before = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            before += module->segments[next++].layer_count;
        } else if (weft_is_host_operator(node)) {
            json_array_append_new(list, host_operator(node, before));
        }
    }
    return list;
}

json_t *host_work(const struct weft_module *module) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    return json_pack("{s:I, s:I, s:f, s:I, s:f}", "operators", (json_int_t)host.operators, "macs",
                     (json_int_t)host.macs, "macs_share", share(host.macs, machine.macs),
                     "elements", (json_int_t)host.elements, "elements_share",
                     share(host.elements, machine.elements));
}

bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error) {
    char *json = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(root);
    if (!json_complete(json, error)) {
        free(json);
        return false;
    }
    struct weft_text text = {0};
    weft_text_add(&text, "%s\n", json);
    free(json);
    bool good =
        weft_text_finish(&text, error) && stream_stage(batch, path, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

bool write_json_file(const char *path, json_t *root, struct weft_error *error) {
    struct weft_file_batch batch = {0};
    if (!stage_json_file(&batch, path, root, error)) {
        weft_file_discard(&batch);
        return false;
    }
    return weft_file_commit(&batch, &path, error);
}

static json_t *layer_json(const struct layer_statistics *layer, uint32_t segment) {
    const struct weft_layer_info *info = layer->info;
    return json_pack("{s:o, s:i, s:o, s:s, s:I, s:I, s:f, s:I, s:i}", "op", text_json(info->name),
                     "operator", info->source, "shape", shape_json(4, info->shape), "unit",
                     layer->unit, "cycles", (json_int_t)layer->cycles, "macs",
                     (json_int_t)info->macs, "utilisation", layer->utilisation, "external_bytes",
                     (json_int_t)layer->external_bytes, "segment", (int)segment);
}

static void add_segment(const struct weft_session *session, const struct weft_module *module,
                        uint32_t index, json_t *list) {
    uint32_t count = module->segments[index].layer_count;
    struct layer_statistics *layers = calloc((size_t)count + 1, sizeof *layers);
    json_lacks = json_lacks || layers == NULL;
    const struct weft_segment_run *run = weft_session_segment(session, index);
    if (layers != NULL && run != NULL) {
        layer_statistics(module, index, run->layer_finish, layers);
        for (uint32_t i = 0; i < count; i++) {
            json_array_append_new(list, layer_json(&layers[i], index));
        }
    }
    free(layers);
}

/* Layers of the machine and operators of the host, in the order in which they are carried out. */
static json_t *layers_json(const struct weft_session *session, const struct weft_module *module) {
    json_t *list = json_array();
    uint32_t next = 0;
    size_t before = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            before += module->segments[next].layer_count;
            add_segment(session, module, next++, list);
        } else if (weft_is_host_operator(node)) {
            json_t *row = host_operator(node, before);
            json_object_set_new(row, "unit", json_string("host"));
            json_array_append_new(list, row);
        }
    }
    return list;
}

json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const char *target, double wall_seconds) {
    uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    uint64_t read = weft_session_counter(session, WEFT_COUNTER_INDEX_fetch_bytes) +
                    weft_session_counter(session, WEFT_COUNTER_INDEX_load_bytes);
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    double peak = (double)module->config.block * module->config.block * (double)cycles;
    double seconds = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        seconds += run == NULL ? 0 : run->seconds;
    }
    json_begin(module, weft_session_memory(session));
    json_t *counters = json_object();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_object_set_new(counters, weft_counter_names[i],
                            json_integer((json_int_t)weft_session_counter(session, i)));
    }
    return json_pack(
        "{s:o, s:s, s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:i, s:f, s:f, s:o, s:o, s:o, s:o}", "model",
        text_json(module->model_name), "config", module->config.name, "target", target, "cycles",
        (json_int_t)cycles, "bound_cycles", (json_int_t)bound_cycles(session, module), "macs",
        (json_int_t)machine.macs, "utilisation", cycles == 0 ? 0.0 : (double)machine.macs / peak,
        "bytes_read", (json_int_t)read, "bytes_written",
        (json_int_t)weft_session_counter(session, WEFT_COUNTER_INDEX_store_bytes), "segments",
        (int)module->segment_count, "wall_seconds", wall_seconds, "simulated_cycles_per_second",
        seconds > 0 ? (double)cycles / seconds : 0.0, "host", host_work(module), "host_ops",
        host_operators(module), "counters", counters, "layers", layers_json(session, module));
}
