#include "sweep/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "driver/session.h"
#include "sim/timing/bound.h"

enum {
    PATH_BYTES = 4096
};

/* ---- models ---- */

/* The folder of a path; false: it has too many bytes. */
static bool folder_of(const char *path, char folder[PATH_BYTES]) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    (void)snprintf(folder, PATH_BYTES, "%.*s", length < PATH_BYTES ? (int)length : 0, path);
    if (length == 0) {
        (void)snprintf(folder, PATH_BYTES, ".");
    }
    return length < PATH_BYTES;
}

/* How the model is read, whatever it is compiled for; `folder` must outlive it. */
static struct weft_compile_options reading_of(const struct sweep_model *model, uint64_t limit,
                                              char folder[PATH_BYTES]) {
    return (struct weft_compile_options){
        .import = {.folder = folder_of(model->path, folder) ? folder : NULL},
        .constants = model->constants.read == NULL ? NULL : &model->constants,
        .bytes = limit};
}

static void read_model(struct sweep_model *model, uint64_t limit) {
    if (!weft_file_read(model->path, &model->bytes, &model->length, &model->error)) {
        model->fingerprint = weft_fingerprint((const uint8_t *)model->path, strlen(model->path));
        return;
    }
    char folder[PATH_BYTES];
    const struct weft_compile_options options = reading_of(model, limit, folder);
    model->fingerprint = weft_model_fingerprint(model->bytes, model->length, &options);
    if (weft_is_module(model->bytes, model->length)) {
        weft_error_set(&model->error, WEFT_ARGUMENT, 0,
                       "a compiled program is for one machine; give the model");
        free(model->bytes);
        model->bytes = NULL;
    }
}

bool sweep_models_read(const struct sweep_definition *definition, uint64_t limit,
                       weft_constant_read *read, struct sweep_models *models,
                       struct weft_error *error) {
    struct sweep_models made = {
        .definition = definition,
        .limit = limit,
        .count = definition->model_count,
        .list = weft_allocate(definition->model_count, sizeof *made.list, "models", error)};
    if (made.list == NULL) {
        return false;
    }
    for (size_t i = 0; i < made.count; i++) {
        made.list[i].path = definition->models[i];
        made.list[i].constants =
            (struct weft_constant_reader){read, (void *)(uintptr_t)made.list[i].path};
        read_model(&made.list[i], limit);
    }
    *models = made;
    return true;
}

void sweep_models_free(struct sweep_models *models) {
    for (size_t i = 0; i < models->count; i++) {
        free(models->list[i].bytes);
    }
    free(models->list);
    *models = (struct sweep_models){0};
}

/* ---- compiling ---- */

unsigned sweep_wrong_option(const uint32_t values[SWEEP_AXES], struct weft_error *error) {
    static const enum sweep_axis counts[] = {SWEEP_AXIS_frames, SWEEP_AXIS_batch, SWEEP_AXIS_effort,
                                             SWEEP_AXIS_interval};
    static const enum sweep_axis cycles[] = {SWEEP_AXIS_latency, SWEEP_AXIS_interval};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (values[counts[i]] == 0) {
            weft_error_set(error, WEFT_ARGUMENT, 0,
                           "frames, batch, effort and interval are 1 at least");
            return counts[i];
        }
    }
    if (values[SWEEP_AXIS_frames] > 1 && values[SWEEP_AXIS_batch] > 1) {
        weft_error_set(error, WEFT_ARGUMENT, 0, "frames and batch are two orders of the same");
        return SWEEP_AXIS_batch;
    }
    if (values[SWEEP_AXIS_dram] >= WEFT_DRAMS) {
        weft_error_set(error, WEFT_ARGUMENT, 0, "there is no DRAM %" PRIu32,
                       values[SWEEP_AXIS_dram]);
        return SWEEP_AXIS_dram;
    }
    uint32_t clock = values[SWEEP_AXIS_clock];
    bool has_none = clock == 0 && values[SWEEP_AXIS_dram] == WEFT_DRAM_NONE;
    if (!has_none &&
        (clock < WEFT_DRAM_LEAST_CLOCK / 1000 || clock > WEFT_DRAM_MOST_CLOCK / 1000)) {
        weft_error_set(error, WEFT_ARGUMENT, 0, "clock: expected %d to %d MHz",
                       WEFT_DRAM_LEAST_CLOCK / 1000, WEFT_DRAM_MOST_CLOCK / 1000);
        return SWEEP_AXIS_clock;
    }
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        if (values[cycles[i]] > WEFT_SLOWEST_MEMORY) {
            weft_error_set(error, WEFT_ARGUMENT, 0, "latency or interval is more than %d cycles",
                           WEFT_SLOWEST_MEMORY);
            return cycles[i];
        }
    }
    return SWEEP_AXES;
}

static const char *stem_of(const char *path, char *stem, size_t size) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", slash == NULL ? path : slash + 1);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
    return stem;
}

bool sweep_compile(const struct sweep_models *models, const struct sweep_point *point,
                   struct weft_module **module, struct weft_error *error) {
    const struct sweep_model *model = &models->list[point->model];
    struct weft_config config;
    char folder[PATH_BYTES];
    char stem[128];
    sweep_point_config(point, &models->definition->configs[point->config], &config);
    if (model->bytes == NULL) {
        *error = model->error;
        return false;
    }
    if (!weft_config_check(&config, error) ||
        sweep_wrong_option(point->values, error) != SWEEP_AXES) {
        return false;
    }
    uint32_t frames = point->values[SWEEP_AXIS_frames];
    uint32_t batch = point->values[SWEEP_AXIS_batch];
    struct weft_compile_options options = reading_of(model, models->limit, folder);
    options.model_name = stem_of(model->path, stem, sizeof stem);
    options.frames = frames > 1 ? frames : batch;
    options.one_by_one = frames > 1;
    options.effort = point->values[SWEEP_AXIS_effort];
    if (!weft_compile(model->bytes, model->length, &config, &options, module, error)) {
        return false;
    }
    if ((*module)->fingerprint != model->fingerprint) {
        weft_module_free(*module);
        *module = NULL;
        return weft_fail(error, WEFT_IO, 0, "files beside the model changed since it was read");
    }
    return true;
}

/* ---- running ---- */

static bool run_segment(const struct weft_module *module, const struct weft_segment *segment,
                        const struct sweep_point *point, struct sweep_result *result,
                        struct weft_error *error) {
    const struct weft_config config = weft_counting(&module->config);
    struct weft_timing_settings settings = {
        .memory = {.latency = point->values[SWEEP_AXIS_latency],
                   .interval = point->values[SWEEP_AXIS_interval],
                   .dram = (enum weft_dram)point->values[SWEEP_AXIS_dram],
                   .clock = 1000 * point->values[SWEEP_AXIS_clock]}};
    struct weft_run_result run;
    weft_segment_regions(segment, &settings.regions);
    settings.watchdog =
        weft_bound(&config, &settings, segment->program.instructions, segment->program.count);
    if (!weft_timing_run(&config, segment->program.instructions, segment->program.count, &settings,
                         NULL, &run, error)) {
        return false;
    }
    if (run.fault != WEFT_FAULT_NONE) {
        return weft_fail(error, WEFT_FAULT, run.fault_instruction, "fault at instruction %u: %s",
                         run.fault_instruction, weft_fault_names[run.fault]);
    }
    bool is_own = settings.memory.latency == 0 && settings.memory.interval == 1 &&
                  settings.memory.dram == WEFT_DRAM_NONE;
    if (is_own && run.counters.cycles != segment->cycles) {
        return weft_fail(error, WEFT_INTERNAL, 0, "the compiler counted other cycles than the run");
    }
    weft_matrix_traffic_add(&config, segment->program.instructions, segment->program.count,
                            &result->matrix);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        result->counters[i] =
            weft_add_saturated(result->counters[i], weft_counter_get(&run.counters, i));
    }
    return true;
}

static void take_work(const struct weft_module *module, struct sweep_result *result) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    result->segments = module->segment_count;
    result->macs = (uint64_t)(machine.macs - machine.cut_macs);
    result->host_macs = (uint64_t)(host.macs - host.cut_macs);
    result->elements = (uint64_t)machine.elements;
    result->host_elements = (uint64_t)host.elements;
    result->host_operators = host.operators;
}

static bool run_module(const struct weft_module *module, const struct sweep_point *point,
                       struct sweep_result *result, struct weft_error *error) {
    for (uint32_t i = 0; i < module->segment_count; i++) {
        if (!run_segment(module, &module->segments[i], point, result, error)) {
            return false;
        }
    }
    take_work(module, result);
    result->cycles = result->counters[WEFT_COUNTER_INDEX_cycles];
    result->read_bytes = weft_add_saturated(result->counters[WEFT_COUNTER_INDEX_fetch_bytes],
                                            result->counters[WEFT_COUNTER_INDEX_load_bytes]);
    result->written_bytes = result->counters[WEFT_COUNTER_INDEX_store_bytes];
    return true;
}

/* Points of one module: they differ in the memory of the run alone. */
static bool same_module(const struct sweep_point *a, const struct sweep_point *b) {
    static const enum sweep_axis memory[] = {SWEEP_AXIS_latency, SWEEP_AXIS_interval,
                                             SWEEP_AXIS_dram, SWEEP_AXIS_clock};
    struct sweep_point turned = *a;
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        turned.values[memory[i]] = b->values[memory[i]];
    }
    return memcmp(&turned, b, sizeof turned) == 0;
}

static bool module_of(const struct sweep_models *models, const struct sweep_point *point,
                      struct sweep_cache *cache, struct weft_error *error) {
    if (cache->is_there && same_module(&cache->point, point)) {
        return true;
    }
    sweep_cache_free(cache);
    cache->is_there = sweep_compile(models, point, &cache->module, error);
    cache->point = *point;
    return cache->is_there;
}

void sweep_measure(const struct sweep_models *models, const struct sweep_point *point,
                   struct sweep_cache *cache, struct sweep_result *result) {
    double started = weft_clock_seconds();
    struct weft_error error;
    struct sweep_result made = {.code = WEFT_OK};
    if (!module_of(models, point, cache, &error) ||
        !run_module(cache->module, point, &made, &error)) {
        made = (struct sweep_result){.code = error.code};
        memcpy(made.message, error.message, sizeof made.message);
    }
    made.seconds = weft_clock_seconds() - started;
    *result = made;
}

void sweep_cache_free(struct sweep_cache *cache) {
    if (cache->is_there) {
        weft_module_free(cache->module);
    }
    *cache = (struct sweep_cache){0};
}
