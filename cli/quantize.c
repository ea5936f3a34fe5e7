/* weft quantize */
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/constants.h"
#include "cli/dataset.h"
#include "cli/json_file.h"
#include "cli/plugins.h"
#include "cli/quantize_report.h"
#include "cli/step_progress.h"
#include "cli/streams.h"
#include "compiler/import/import_model.h"

struct job {
    const struct given *given;
    struct open_options open;
    struct dataset_options data;
    struct weft_quantize_options options;
    struct weft_arena arena;
    struct dataset *dataset;
    struct weft_quantized *quantized;
    struct weft_text text; /* of OUT.ir; here, so that it is released whatever happens */
};

/* ---- options ---- */

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t end = strlen(ending);
    return length > end && strcmp(path + length - end, ending) == 0;
}

/* A number between two limits; *number stays as it is when the option is not given. */
static bool take_number(const struct given *given, enum option_id id, double low, double high,
                        double *number) {
    const char *text = given_value(given, id);
    char *end = NULL;
    if (text == NULL) {
        return true;
    }
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        usage_error(given->command->name, "--%s '%.40s': expected a number from %g to %g",
                    option_list[id].name, text, low, high);
        return false;
    }
    *number = value;
    return true;
}

static bool take_count(const struct given *given, enum option_id id, uint64_t most,
                       uint64_t *number) {
    const char *text = given_value(given, id);
    if (text != NULL && (!read_number(text, most, number) || *number == 0)) {
        usage_error(given->command->name, "--%s '%.40s': expected a number from 1 to %llu",
                    option_list[id].name, text, (unsigned long long)most);
        return false;
    }
    return true;
}

/* The number of the name that is given; *number stays where there is none. */
static bool take_name(const struct given *given, enum option_id id, const char *what,
                      const char *const *names, int *number) {
    const char *name = given_value(given, id);
    if (name == NULL) {
        return true;
    }
    if (!check_name("quantize", what, names, name)) {
        return false;
    }
    for (*number = 0; strcmp(names[*number], name) != 0; ++*number) {
    }
    return true;
}

static bool take_calibration(const struct given *given, struct weft_quantize_options *options) {
    int method = (int)options->calibration;
    bool good = take_name(given, OPTION_CALIBRATION, "method of calibration",
                          weft_calibration_names, &method);
    options->calibration = (enum weft_calibration)method;
    return good;
}

static bool take_weights(const struct given *given, struct weft_quantize_options *options) {
    int bits = (int)options->weights;
    bool good = take_name(given, OPTION_WEIGHTS, "type of weights", weft_weight_names, &bits);
    options->weights = (enum weft_weight_bits)bits;
    return good;
}

/* What would have no effect is a mistake. */
static bool check_effects(const struct given *given, const struct weft_quantize_options *options) {
    const char *out = given_value(given, OPTION_OUT_QUANTIZED);
    if (options->integer_ends && out != NULL && ends_with(out, ".onnx")) {
        usage_error("quantize", "--integer-ends is for OUT.weft: inputs and outputs of ONNX are "
                                "floats");
        return false;
    }
    if (given_count(given, OPTION_PLUGIN) > 0 &&
        (out == NULL || ends_with(out, ".ir") || ends_with(out, ".onnx"))) {
        usage_error("quantize", "--plugin is for OUT.weft, which is compiled");
        return false;
    }
    const struct weft_calibration_given beside = {.percentile =
                                                      given_count(given, OPTION_PERCENTILE) > 0,
                                                  .levels = given_count(given, OPTION_LEVELS) > 0,
                                                  .bins = given_count(given, OPTION_BINS) > 0};
    const char *lost = weft_calibration_ignores(options->calibration, beside);
    if (lost != NULL) {
        usage_error("quantize", "--%s has no effect with --calibration %s", lost,
                    weft_calibration_names[options->calibration]);
    }
    return lost == NULL;
}

static bool read_quantize_options(const struct given *given,
                                  struct weft_quantize_options *options) {
    uint64_t bins = options->bins;
    uint64_t levels = options->levels;
    double drop = -100;
    const double most_decibels = 200;
    if (!take_calibration(given, options) || !take_weights(given, options) ||
        !take_number(given, OPTION_PERCENTILE, 50, 100, &options->percentile) ||
        !take_number(given, OPTION_MIN_SQNR, 0, most_decibels, &options->min_sqnr) ||
        !take_number(given, OPTION_MAX_DROP, 0, 100, &drop) ||
        !take_count(given, OPTION_BINS, WEFT_MOST_BINS, &bins) ||
        !take_count(given, OPTION_LEVELS, WEFT_MOST_BINS, &levels)) {
        return false;
    }
    options->bins = (uint32_t)bins;
    options->levels = (uint32_t)levels;
    options->max_drop = drop / 100;
    options->activations = given_count(given, OPTION_UNSIGNED) > 0 ? WEFT_U8 : WEFT_I8;
    options->per_tensor = given_count(given, OPTION_PER_TENSOR) > 0;
    options->is_symmetric = given_count(given, OPTION_SYMMETRIC) > 0;
    options->power_of_two = given_count(given, OPTION_POWER_OF_TWO) > 0;
    options->no_bias_correction = given_count(given, OPTION_NO_BIAS_CORRECTION) > 0;
    options->equalize = given_count(given, OPTION_EQUALIZE) > 0;
    options->integer_ends = given_count(given, OPTION_INTEGER_ENDS) > 0;
    options->keep_float_count = given_count(given, OPTION_KEEP_FLOAT);
    options->keep_float = given_values(given, OPTION_KEEP_FLOAT);
    options->progress = step_progress;
    return check_effects(given, options);
}

/* ---- work ---- */

static bool quantize_graph(struct job *job, const struct weft_graph *graph,
                           const struct weft_model_names *names, struct weft_error *error) {
    const char *path = given_value(job->given, OPTION_DATA);
    if (!dataset_open(path, graph->input_count, graph->inputs, &job->data, &job->dataset, error)) {
        return weft_fail_context(error, "%s", path);
    }
    job->options.samples = dataset_samples(job->dataset);
    job->options.label = dataset_has_labels(job->dataset) ? dataset_label : NULL;
    job->options.label_context = job->dataset;
    bool good = weft_quantize(&job->arena, graph, names, &job->options, &job->quantized, error);
    step_progress_end();
    return good;
}

static bool quantize_bytes(struct job *job, const uint8_t *bytes, size_t length,
                           struct weft_error *error) {
    struct weft_import_options import = {.folder = NULL};
    struct weft_model_names names = {0};
    struct weft_graph *graph = NULL;
    struct constant_folder constants;
    char folder[4096];
    if (setjmp(job->arena.on_failure) != 0) {
        return weft_arena_failed(&job->arena, error);
    }
    job->arena.limit = (size_t)weft_memory_limit(job->open.limits.bytes);
    import_options_fill(&job->open, job->given->operand, folder, sizeof folder, &import);
    if (!weft_import_or_read(&job->arena, bytes, length, &import,
                             constant_folder_of(job->given->operand, job->given, &constants), NULL,
                             &graph, &names, error)) {
        return false;
    }
    note_left_out(job->given->operand, bytes, length);
    return quantize_graph(job, graph, &names, error);
}

/* ---- what is written ---- */

static bool stage_module(struct weft_file_batch *batch, const struct job *job, const char *path,
                         struct weft_error *error) {
    struct weft_config config;
    struct weft_module *module = NULL;
    uint8_t *packed = NULL;
    size_t length = 0;
    char stem[128];
    file_stem(job->given->operand, stem, sizeof stem);
    struct weft_compile_options options = {.model_name = stem, .bytes = job->open.limits.bytes};
    plugins_use(&options);
    bool good =
        find_config(job->open.config == NULL ? DEFAULT_CONFIG : job->open.config, &config, error) &&
        weft_compile_graph(job->quantized->graph, &config, &options, &module, error) &&
        weft_module_write(module, &packed, &length, error) &&
        stream_stage(batch, path, packed, length, error);
    free(packed);
    weft_module_free(module);
    return good;
}

static bool stage_onnx(struct weft_file_batch *batch, struct job *job, const char *path,
                       struct weft_error *error) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (setjmp(job->arena.on_failure) != 0) {
        return weft_arena_failed(&job->arena, error);
    }
    bool good = weft_quantized_onnx(job->quantized, &bytes, &length, error) &&
                stream_stage(batch, path, bytes, length, error);
    free(bytes);
    return good;
}

static bool stage_text(struct weft_file_batch *batch, struct job *job, const char *path,
                       struct weft_error *error) {
    if (setjmp(job->arena.on_failure) != 0) {
        return weft_arena_failed(&job->arena, error);
    }
    weft_graph_write(job->quantized->graph, &job->text);
    return weft_text_finish(&job->text, error) &&
           stream_stage(batch, path, job->text.bytes, job->text.length, error);
}

/* The ending of its name says what the file is to be. */
static bool stage_quantized(struct weft_file_batch *batch, struct job *job, const char *path,
                            struct weft_error *error) {
    return ends_with(path, ".onnx") ? stage_onnx(batch, job, path, error)
           : ends_with(path, ".ir") ? stage_text(batch, job, path, error)
                                    : stage_module(batch, job, path, error);
}

static bool stage_page(struct weft_file_batch *batch, const struct job *job, const char *path,
                       struct weft_error *error) {
    struct weft_text text = {0};
    char stem[128];
    file_stem(job->given->operand, stem, sizeof stem);
    quantize_page(job->quantized, stem, &text);
    bool good =
        weft_text_finish(&text, error) && stream_stage(batch, path, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

static int write_files(struct job *job) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *out = given_value(job->given, OPTION_OUT_QUANTIZED);
    const char *json = given_value(job->given, OPTION_JSON);
    const char *page = given_value(job->given, OPTION_PAGE);
    const char *path = out;
    bool good = out == NULL || stage_quantized(&batch, job, out, &error);
    if (good && json != NULL) {
        path = json;
        json_begin(NULL, 0);
        good = stage_json_file(
            &batch, json,
            quantize_json(job->quantized, weft_calibration_names[job->options.calibration]),
            &error);
    }
    if (good && page != NULL) {
        path = page;
        good = stage_page(&batch, job, page, &error);
    }
    good = good && weft_file_commit(&batch, &path, &error);
    weft_file_discard(&batch);
    return good ? STATUS_GOOD : report(path, &error);
}

static int show(struct job *job) {
    struct weft_error error;
    struct weft_text text = {0};
    quantize_table(job->quantized, &text);
    int status =
        weft_text_finish(&text, &error) ? write_files(job) : report(job->given->operand, &error);
    if (status == STATUS_GOOD) {
        fputs(text.bytes, stdout);
    }
    weft_text_free(&text);
    return status;
}

int command_quantize(const struct given *given) {
    struct weft_error error;
    struct job *job = weft_allocate(1, sizeof *job, "quantising", &error);
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (job == NULL) {
        return report(given->operand, &error);
    }
    job->given = given;
    job->options = weft_quantize_defaults();
    int status = STATUS_ERROR;
    if (given_value(given, OPTION_DATA) == NULL) {
        status = usage_error("quantize", "give %s", given->command->needs);
    } else if (open_options_read(given, &job->open) &&
               dataset_options_read(given, "calibration", &job->data) &&
               read_quantize_options(given, &job->options)) {
        job->data.bytes = job->options.bytes = job->open.limits.bytes;
        bool good = stream_read(given->operand, &bytes, &length, &error) &&
                    quantize_bytes(job, bytes, length, &error);
        status = good ? show(job) : report(given->operand, &error);
    }
    dataset_close(job->dataset);
    weft_text_free(&job->text);
    weft_arena_free(&job->arena);
    free(bytes);
    free(job);
    return status;
}
