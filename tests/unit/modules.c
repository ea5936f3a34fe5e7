#include "tests/unit/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "compiler/partition/partition.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/target.h"

const char *const test_configs[] = {"small8", "ref16", "large32", NULL};

struct weft_config config_named(const char *name) {
    struct weft_error error;
    struct weft_config config;
    ASSERT_GOOD(weft_config_find(name, &config, &error), error);
    return config;
}

/* ---- the digits network ---- */

struct digits digits_open(const char *config) {
    struct weft_error error;
    struct digits digits = {0};
    struct weft_config named = config_named(config);
    const struct weft_compile_options options = {.model_name = "digits"};
    ASSERT_GOOD(
        weft_file_read(DIGITS_FOLDER "/digits.tflite", &digits.model, &digits.model_length, &error),
        error);
    ASSERT_GOOD(
        weft_compile(digits.model, digits.model_length, &named, &options, &digits.module, &error),
        error);
    return digits;
}

void digits_close(struct digits *digits) {
    weft_module_free(digits->module);
    free(digits->model);
}

uint8_t *digits_picture(const struct digits *digits, int digit) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    char path[256];
    const struct image_options options = {0};
    (void)snprintf(path, sizeof path, DIGITS_FOLDER "/%d.png", digit);
    ASSERT_GOOD(image_read(path, &digits->module->graph->inputs[0]->type, &options, &bytes, &error),
                error);
    return bytes;
}

uint8_t *digits_golden(const struct digits *digits, int digit) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    char path[256];
    (void)snprintf(path, sizeof path, DIGITS_FOLDER "/goldens/%d.output.npy", digit);
    ASSERT_GOOD(npy_read(path, &digits->module->graph->outputs[0]->type, &bytes, &error), error);
    return bytes;
}

/* ---- graphs ---- */

static const char **no_names(struct weft_arena *arena, size_t count) {
    const char **names = WEFT_NEW_ARRAY(arena, count, const char *);
    for (size_t i = 0; i < count; i++) {
        names[i] = "";
    }
    return names;
}

bool module_of(const struct weft_graph *graph, const char *config, struct weft_module **module,
               struct weft_error *error) {
    struct weft_arena *arena = graph->arena;
    struct weft_module *made = WEFT_NEW(arena, struct weft_module);
    made->config = config_named(config);
    made->model_name = graph->name;
    made->frames = 1;
    const struct weft_pattern_table *table = weft_machine_patterns(arena, &made->config);
    struct weft_graph *merged = weft_merge_composites(graph, table);
    struct weft_graph *annotated = weft_annotate_targets(merged, 1, table);
    made->graph = weft_partition(weft_merge_regions(annotated));
    ASSERT_GOOD(weft_graph_verify(made->graph, error), *error);
    weft_graph_name(made->graph);
    made->tensors = no_names(arena, made->graph->node_count);
    made->inputs = no_names(arena, made->graph->input_count);
    made->outputs = no_names(arena, made->graph->output_count);
    made->segments = WEFT_NEW_ARRAY(arena, made->graph->node_count, struct weft_segment);
    for (size_t i = 0; i < made->graph->node_count; i++) {
        const struct weft_node *node = made->graph->nodes[i];
        if (node->op == WEFT_OP_REGION &&
            !weft_schedule_region(arena, &made->config, node->body,
                                  &(struct schedule_terms){.frames = 1, .effort = 1}, NULL, NULL,
                                  &made->segments[made->segment_count++], error)) {
            return false;
        }
    }
    *module = made;
    return true;
}

bool compile_with_decisions(const struct weft_graph *graph, const char *config,
                            const struct weft_text *decisions, struct weft_module **module,
                            struct weft_error *error) {
    const struct weft_config machine = config_named(config);
    const struct weft_compile_options options = {
        .decisions = decisions == NULL ? NULL : decisions->bytes,
        .decisions_length = decisions == NULL ? 0 : decisions->length};
    return weft_compile_graph(graph, &machine, &options, module, error);
}

struct weft_text decisions_of(const struct weft_module *module) {
    struct weft_text text = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_module_decisions(module, &text, &error), error);
    return text;
}

bool module_run(const struct weft_module *module, const char *target, const void *const *inputs,
                void *const *outputs, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    if (!weft_session_open(target, module, &options, &session, error)) {
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < graph->input_count; i++) {
        good = weft_session_set_input(session, i, inputs[i],
                                      weft_type_bytes(&graph->inputs[i]->type), error);
    }
    good = good && weft_session_run(session, error);
    for (size_t i = 0; good && i < graph->output_count; i++) {
        const void *bytes = NULL;
        size_t length = 0;
        good = weft_session_output(session, i, &bytes, &length, error);
        if (good) {
            memcpy(outputs[i], bytes, length);
        }
    }
    if (good && strcmp(target, "cycle") == 0 &&
        weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) != weft_module_cycles(module)) {
        good = weft_fail(error, WEFT_INTERNAL, 0, "not the cycles that the compiler predicted");
    }
    weft_session_close(session);
    return good;
}

const struct weft_graph *body_of(const struct weft_module *module) {
    for (size_t i = 0; i < module->graph->node_count; i++) {
        if (module->graph->nodes[i]->op == WEFT_OP_REGION) {
            return module->graph->nodes[i]->body;
        }
    }
    fail_msg("there is no region");
    return NULL;
}
