#include "tests/grid/resources.h"

#include <inttypes.h>
#include <stdio.h>

#include "compiler/import/frames.h"
#include "compiler/import/import.h"
#include "compiler/module.h"
#include "tests/grid/point.h"

const char *const resource_step_names[RESOURCE_STEPS] = {
    [RESOURCE_ACT] = "ACT",     [RESOURCE_WGT] = "WGT",     [RESOURCE_ACC] = "ACC",
    [RESOURCE_QUEUE] = "queue", [RESOURCE_BATCH] = "batch", [STEP_MEMORY] = "ACT+WGT+ACC",
};

/* Values of a resource are numbered 0 to RESOURCE_VALUES - 1; this one is that of ref16. */
static unsigned usual(size_t resource) {
    return resource == RESOURCE_BATCH ? 0 : 1;
}

static unsigned value_of(size_t point, size_t resource) {
    return (unsigned)(point >> 2 * resource) % RESOURCE_VALUES;
}

static uint32_t amount(size_t point, enum resource resource, uint32_t in_ref16) {
    return (in_ref16 << value_of(point, resource)) >> usual(resource);
}

static int64_t batch_of(size_t point) {
    return (int64_t)1 << value_of(point, RESOURCE_BATCH);
}

static bool config_of(size_t point, struct weft_config *config, struct weft_error *error) {
    if (!weft_config_find("ref16", config, error)) {
        return false;
    }
    (void)snprintf(config->name, sizeof config->name, "grid");
    config->act_bytes = amount(point, RESOURCE_ACT, config->act_bytes);
    config->wgt_bytes = amount(point, RESOURCE_WGT, config->wgt_bytes);
    config->acc_bytes = amount(point, RESOURCE_ACC, config->acc_bytes);
    config->queue_depth = amount(point, RESOURCE_QUEUE, config->queue_depth);
    return grid_choose_banks(config, error);
}

void resource_point_text(size_t point, char *text, size_t size) {
    struct weft_config config;
    struct weft_error error;
    if (!config_of(point, &config, &error)) {
        (void)snprintf(text, size, "%s", error.message);
        return;
    }
    (void)snprintf(
        text, size,
        "ACT %" PRIu32 ", WGT %" PRIu32 ", ACC %" PRIu32 ", queue %" PRIu32 ", batch %" PRId64,
        config.act_bytes, config.wgt_bytes, config.acc_bytes, config.queue_depth, batch_of(point));
}

unsigned resource_point_differs(size_t point) {
    unsigned count = 0;
    for (size_t resource = 0; resource < RESOURCES; resource++) {
        count += value_of(point, resource) != usual(resource);
    }
    return count;
}

bool resource_point_is_scaled_memory(size_t point) {
    unsigned value = value_of(point, RESOURCE_ACT);
    return value_of(point, RESOURCE_WGT) == value && value_of(point, RESOURCE_ACC) == value &&
           value_of(point, RESOURCE_QUEUE) == usual(RESOURCE_QUEUE) &&
           value_of(point, RESOURCE_BATCH) == usual(RESOURCE_BATCH);
}

size_t resource_point_doubled(size_t point, size_t step) {
    size_t first = step == STEP_MEMORY ? RESOURCE_ACT : step;
    size_t last = step == STEP_MEMORY ? RESOURCE_ACC : step;
    for (size_t resource = first; resource <= last; resource++) {
        if (value_of(point, resource) == RESOURCE_VALUES - 1) {
            return RESOURCE_POINTS;
        }
        point += (size_t)1 << 2 * resource;
    }
    return point;
}

/* The work of `images` images must be that of one, so many times: the batch is real. */
static bool check_work(const struct weft_graph *one, const struct weft_graph *many, int64_t images,
                       struct weft_error *error) {
    int64_t before = 0;
    int64_t after = 0;
    for (size_t i = 0; i < one->node_count; i++) {
        before += weft_node_macs(one->nodes[i]);
        after += weft_node_macs(many->nodes[i]);
    }
    return after == before * images ||
           weft_fail(error, WEFT_GRAPH, 0, "%" PRId64 " images take %" PRId64 " MACs, one %" PRId64,
                     images, after, before);
}

static bool compile(struct weft_arena *arena, const uint8_t *model, size_t length, size_t point,
                    struct weft_module **module, struct weft_error *error) {
    const struct weft_compile_options options = {.keep_regions = true};
    struct weft_config config;
    struct weft_graph *one = NULL;
    struct weft_graph *many = NULL;
    return config_of(point, &config, error) &&
           weft_import_tflite(arena, model, length, NULL, &one, error) &&
           weft_repeat_frames(one, batch_of(point), &many, error) &&
           check_work(one, many, batch_of(point), error) &&
           weft_compile_graph(many, &config, &options, module, error);
}

void resource_point_measure(const uint8_t *model, size_t length, size_t point,
                            struct measurement *measurement) {
    struct weft_arena arena = {0};
    struct weft_module *module = NULL;
    struct weft_error error;
    struct weft_work machine;
    struct weft_work host;
    if (setjmp(arena.on_failure) != 0) {
        (void)weft_arena_failed(&arena, &error);
        (void)snprintf(measurement->error, sizeof measurement->error, "%s", error.message);
        weft_arena_free(&arena);
        return;
    }
    if (compile(&arena, model, length, point, &module, &error)) {
        weft_module_work(module, &machine, &host);
        measurement->cycles = weft_module_cycles(module);
        measurement->host_operators = host.operators;
    } else {
        (void)snprintf(measurement->error, sizeof measurement->error, "%s", error.message);
    }
    weft_module_free(module);
    weft_arena_free(&arena);
}

double measured_cycles_per_image(const struct measurement *measurement, size_t point) {
    return (double)measurement->cycles / (double)batch_of(point);
}
