#include "cli/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/integer.h"

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

int64_t module_macs(const struct weft_module *module) {
    int64_t macs = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        for (uint32_t k = 0; k < module->segments[i].layer_count; k++) {
            macs += module->segments[i].layers[k].macs;
        }
    }
    return macs;
}

uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module) {
    uint64_t bound = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        bound = weft_add_saturated(bound, run == NULL ? 0 : run->bound);
    }
    return bound;
}

static void print_segment(const struct weft_session *session, const struct weft_module *module,
                          uint32_t index) {
    uint32_t count = module->segments[index].layer_count;
    struct layer_statistics *layers = calloc(count == 0 ? 1 : count, sizeof *layers);
    if (layers == NULL) {
        return;
    }
    layer_statistics(module, index, weft_session_segment(session, index)->layer_finish, layers);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *s = layers[i].info->shape;
        char shape[64];
        (void)snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64, s[0],
                       s[1], s[2], s[3]);
        printf("%-18s %-16s %-7s %10" PRIu64 " %7.1f %% %10" PRIu64 "\n", layers[i].info->name,
               shape, layers[i].unit, layers[i].cycles, 100.0 * layers[i].utilisation,
               layers[i].external_bytes);
    }
    free(layers);
}

void print_layer_table(const struct weft_session *session, const struct weft_module *module) {
    uint32_t next = 0;
    printf("%-18s %-16s %-7s %10s %9s %10s\n", "operator", "shape", "unit", "cycles", "of peak",
           "ext. bytes");
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (node->op == WEFT_OP_REGION) {
            print_segment(session, module, next++);
        } else if (node->op != WEFT_OP_CONSTANT) {
            printf("%-18s %-16s %-7s %s\n", weft_operator_name(node->op), "", "host",
                   weft_node_text(node, WEFT_ATTR_reason));
        }
    }
}

/* ---- JSON ---- */

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

json_t *host_operators(const struct weft_module *module) {
    json_t *list = json_array();
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (node->op != WEFT_OP_REGION && node->op != WEFT_OP_CONSTANT) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:o}", "op", weft_operator_name(node->op),
                                            "operator", node->source, "reason",
                                            text_json(weft_node_text(node, WEFT_ATTR_reason))));
        }
    }
    return list;
}

bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error) {
    char *json = root == NULL ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(root);
    if (json == NULL) {
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for JSON");
    }
    struct weft_text text = {0};
    weft_text_add(&text, "%s\n", json);
    free(json);
    bool good = weft_text_finish(&text, error) &&
                weft_file_stage(batch, path, text.bytes, text.length, error);
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

static json_t *layers_json(const struct weft_session *session, const struct weft_module *module) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < module->segment_count; i++) {
        uint32_t count = module->segments[i].layer_count;
        struct layer_statistics *layers = calloc(count == 0 ? 1 : count, sizeof *layers);
        if (layers == NULL || weft_session_segment(session, i) == NULL) {
            free(layers);
            continue;
        }
        layer_statistics(module, i, weft_session_segment(session, i)->layer_finish, layers);
        for (uint32_t k = 0; k < count; k++) {
            const int64_t *s = layers[k].info->shape;
            json_array_append_new(
                list,
                json_pack("{s:o, s:i, s:[I,I,I,I], s:s, s:I, s:I, s:f, s:I, s:i}", "op",
                          text_json(layers[k].info->name), "operator", layers[k].info->source,
                          "shape", (json_int_t)s[0], (json_int_t)s[1], (json_int_t)s[2],
                          (json_int_t)s[3], "unit", layers[k].unit, "cycles",
                          (json_int_t)layers[k].cycles, "macs", (json_int_t)layers[k].info->macs,
                          "utilisation", layers[k].utilisation, "external_bytes",
                          (json_int_t)layers[k].external_bytes, "segment", (int)i));
        }
        free(layers);
    }
    return list;
}

json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const char *target, double wall_seconds) {
    uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    uint64_t read = weft_session_counter(session, WEFT_COUNTER_INDEX_fetch_bytes) +
                    weft_session_counter(session, WEFT_COUNTER_INDEX_load_bytes);
    int64_t macs = module_macs(module);
    double peak = (double)module->config.block * module->config.block * (double)cycles;
    double seconds = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment_run *run = weft_session_segment(session, i);
        seconds += run == NULL ? 0 : run->seconds;
    }
    json_t *counters = json_object();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_object_set_new(counters, weft_counter_names[i],
                            json_integer((json_int_t)weft_session_counter(session, i)));
    }
    return json_pack(
        "{s:o, s:s, s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:i, s:f, s:f, s:o, s:o, s:o}", "model",
        text_json(module->model_name), "config", module->config.name, "target", target, "cycles",
        (json_int_t)cycles, "bound_cycles", (json_int_t)bound_cycles(session, module), "macs",
        (json_int_t)macs, "utilisation", cycles == 0 ? 0.0 : (double)macs / peak, "bytes_read",
        (json_int_t)read, "bytes_written",
        (json_int_t)weft_session_counter(session, WEFT_COUNTER_INDEX_store_bytes), "segments",
        (int)module->segment_count, "wall_seconds", wall_seconds, "simulated_cycles_per_second",
        seconds > 0 ? (double)cycles / seconds : 0.0, "host_ops", host_operators(module),
        "counters", counters, "layers", layers_json(session, module));
}
