/* weft inspect: what runs where, and why. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json_file.h"
#include "isa/coding.h"
#include "isa/footprint.h"
#include "report/statistics.h"

/* What LOADs of coded weights bring, and what they read for it. */
struct coded {
    uint64_t weights, bytes;
};

static struct coded coded_of(const struct weft_config *config, const struct weft_segment *segment) {
    struct coded coded = {0};
    for (size_t i = 0; i < segment->program.count; i++) {
        const struct weft_instruction *instruction = &segment->program.instructions[i];
        if (instruction->opcode == WEFT_OPCODE_LOAD && weft_load_is_coded(&instruction->load)) {
            coded.weights += (uint64_t)instruction->load.units * weft_unit_weights(config);
            coded.bytes += instruction->load.run;
        }
    }
    return coded;
}

static void print_coded(const struct weft_config *config, const struct weft_segment *segment) {
    struct coded coded = coded_of(config, segment);
    if (coded.weights > 0) {
        printf("    %" PRIu64 " bytes of weights are loaded as %" PRIu64 " coded ones (%.1f %%)\n",
               coded.weights, coded.bytes, 100 * (double)coded.bytes / (double)coded.weights);
    }
}

static void print_region(const struct weft_config *config, const struct weft_segment *segment,
                         uint32_t index) {
    printf("machine, segment %u: %zu instructions, %" PRIu64 " bytes of constants, %" PRIu64
           " of scratch memory, %" PRIu64 " cycles\n    at most %" PRIu64 " cycles\n",
           index, segment->program.count, segment->constant_bytes, segment->scratch_bytes,
           segment->cycles, segment->bound);
    print_coded(config, segment);
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        const struct weft_layer_info *layer = &segment->layers[i];
        printf("    %-18s %" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64, layer->name,
               layer->shape[0], layer->shape[1], layer->shape[2], layer->shape[3]);
        if (layer->macs > 0) {
            printf("  %" PRId64 " MAC", layer->macs);
        }
        if (layer->cut_macs > 0) {
            printf(", %" PRId64 " of them cut", layer->cut_macs);
        }
        printf("\n");
    }
}

static bool print_headline(const struct weft_module *module, struct weft_error *error) {
    struct weft_text text = {0};
    weft_text_add(&text, "%s for %s; ", module->model_name, module->config.name);
    add_host_work(module, &text);
    bool good = weft_text_finish(&text, error);
    if (good) {
        puts(text.bytes);
        printf("fingerprint of the configuration: %016" PRIx64 "\n",
               weft_config_fingerprint(&module->config));
    }
    weft_text_free(&text);
    return good;
}

/* A region of a target from outside. */
static void print_external(const struct weft_node *node) {
    printf("target %s:", weft_node_text(node, WEFT_ATTR_target));
    for (size_t i = 0; i < node->body->node_count; i++) {
        const struct weft_node *composite = node->body->nodes[i];
        printf("%s %s", i == 0 ? "" : ",",
               composite->op == WEFT_OP_COMPOSITE ? weft_node_text(composite, WEFT_ATTR_name)
                                                  : weft_operator_name(composite->op));
    }
    printf("\n");
}

static void print_partition(const struct weft_module *module) {
    uint32_t next = 0;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        if (weft_is_machine_region(node)) {
            print_region(&module->config, &module->segments[next], next);
            next++;
        } else if (node->op == WEFT_OP_REGION) {
            print_external(node);
        } else if (weft_is_host_operator(node)) {
            printf("host: %s", weft_operator_name(node->op));
            if (node->source >=
                0) { /* a graph that was written by hand has no operators of a model */
                printf(" (operator %" PRId32 ")", node->source);
            }
            printf(": %s\n", weft_node_text(node, WEFT_ATTR_reason));
        }
    }
}

static bool print_graph(const struct weft_module *module, struct weft_error *error) {
    struct weft_text text = {0};
    struct weft_blobs blobs = {0};
    weft_graph_print(module->graph, &text, &blobs);
    bool good = weft_text_finish(&text, error);
    if (good) {
        fputs(text.bytes, stdout);
    }
    weft_text_free(&text);
    return good;
}

static int write_json(const struct weft_module *module, const char *path) {
    struct weft_error error;
    json_begin(module, module->arena.total);
    json_t *root = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "model",
                             text_json(module->model_name), "config", module->config.name, "host",
                             host_work(module), "host_ops", host_operators(module), "other_targets",
                             external_regions(module), "segments", json_array());
    for (uint32_t i = 0; i < module->segment_count; i++) {
        const struct weft_segment *segment = &module->segments[i];
        struct coded coded = coded_of(&module->config, segment);
        json_t *layers = json_array();
        for (uint32_t k = 0; k < segment->layer_count; k++) {
            const struct weft_layer_info *layer = &segment->layers[k];
            json_array_append_new(
                layers, json_pack("{s:o, s:[I,I,I,I], s:I, s:i}", "op", text_json(layer->name),
                                  "shape", (json_int_t)layer->shape[0], (json_int_t)layer->shape[1],
                                  (json_int_t)layer->shape[2], (json_int_t)layer->shape[3], "macs",
                                  (json_int_t)layer->macs, "operator", layer->source));
        }
        json_array_append_new(json_object_get(root, "segments"),
                              json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "instructions",
                                        (json_int_t)segment->program.count, "constant_bytes",
                                        (json_int_t)segment->constant_bytes, "weight_bytes",
                                        (json_int_t)coded.weights, "coded_weight_bytes",
                                        (json_int_t)coded.bytes, "scratch_bytes",
                                        (json_int_t)segment->scratch_bytes, "cycles",
                                        (json_int_t)segment->cycles, "bound_cycles",
                                        (json_int_t)segment->bound, "layers", layers));
    }
    return write_json_file(path, root, &error) ? STATUS_GOOD : report(path, &error);
}

/* What a model that cannot be compiled has in it. */
static void print_unsupported(void *context, const struct weft_unsupported *kind) {
    (void)context;
    printf("not supported: %s version %" PRId32 ", %" PRIu32 " %s, first operator %" PRIu32
           ": %s\n",
           kind->name, kind->version, kind->count, kind->count == 1 ? "time" : "times", kind->first,
           kind->reason);
}

int command_inspect(const struct given *given) {
    const char *json = given_value(given, OPTION_JSON);
    uint8_t *bytes = NULL;
    const struct weft_compile_options options = {.unsupported = print_unsupported};
    struct weft_module *module = open_given(given, options, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    struct weft_error error;
    int status = STATUS_GOOD;
    if (!print_headline(module, &error)) {
        status = report(given->operand, &error);
    } else {
        print_partition(module);
        if (given_count(given, OPTION_GRAPH) > 0 && !print_graph(module, &error)) {
            status = report(given->operand, &error);
        }
    }
    if (status == STATUS_GOOD && json != NULL) {
        status = write_json(module, json);
    }
    weft_module_free(module);
    free(bytes);
    return status;
}
