#include "api/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/exec/exec.h"

struct weft_options {
    struct value values[OPTIONS];
};

enum kind {
    NUMBER,
    SWITCH,
    REAL,
    TEXT,
    LIST,
};

static const struct description {
    const char *name;
    enum kind kind;
    unsigned uses;
    uint64_t low;
    uint64_t high;
    const char *help;
} descriptions[OPTIONS] = {
#define WEFT_API_OPTION(name, kind, uses, low, high, help) {#name, kind, uses, low, high, help},
#include "api/options.def"
#undef WEFT_API_OPTION
};

const char *weft_options_describe(size_t index, const char **help) {
    if (index >= OPTIONS) {
        return NULL;
    }
    if (help != NULL) {
        *help = descriptions[index].help;
    }
    return descriptions[index].name;
}

bool weft_options_create(struct weft_options **options, struct weft_failure *failure) {
    struct weft_error error;
    struct weft_options *made = weft_allocate(1, sizeof *made, "options", &error);
    if (made == NULL) {
        return failed(failure, &error);
    }
    *options = made;
    return true;
}

void weft_options_free(struct weft_options *options) {
    for (size_t i = 0; options != NULL && i < OPTIONS; i++) {
        for (size_t k = 0; k < options->values[i].count; k++) {
            free(options->values[i].texts[k]);
        }
        free(options->values[i].texts);
    }
    free(options);
}

/* ---- setting ---- */

static bool refused(const struct description *option, const char *value, struct weft_error *error) {
    if (option->kind == SWITCH) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "option %s is '%.40s', expected 0 or 1",
                         option->name, value);
    }
    return weft_fail(error, WEFT_ARGUMENT, 0,
                     "option %s is '%.40s', expected a number from %" PRIu64 " to %" PRIu64,
                     option->name, value, option->low, option->high);
}

static bool take_number(const struct description *option, const char *text, struct value *value,
                        struct weft_error *error) {
    uint64_t number = 0;
    if (!weft_read_number(text, option->high, &number) || number < option->low) {
        return refused(option, text, error);
    }
    value->number = number;
    return true;
}

static bool take_real(const struct description *option, const char *text, struct value *value,
                      struct weft_error *error) {
    static const char digits[] = "0123456789.";
    char *end = NULL;
    double number = strtod(text, &end);
    bool plain = text[0] != '\0' && *end == '\0' && strspn(text, digits) == strlen(text);
    if (!plain || !(number >= (double)option->low && number <= (double)option->high)) {
        return refused(option, text, error);
    }
    value->real = number;
    return true;
}

/* A list grows, a text takes the place of the one before. */
static bool take_text(const struct description *option, const char *text, struct value *value,
                      struct weft_error *error) {
    size_t count = option->kind == LIST ? value->count : 0;
    char *copy = strdup(text);
    if (copy == NULL || !weft_reserve((void **)&value->texts, &value->capacity, count + 1,
                                      sizeof *value->texts, "an option", error)) {
        free(copy);
        return weft_no_memory(error, "an option");
    }
    if (count < value->count) {
        free(value->texts[count]);
    }
    value->texts[count] = copy;
    value->count = count + 1;
    return true;
}

static bool take(const struct description *option, const char *text, struct value *value,
                 struct weft_error *error) {
    bool good = option->kind == NUMBER || option->kind == SWITCH
                    ? take_number(option, text, value, error)
                : option->kind == REAL ? take_real(option, text, value, error)
                                       : take_text(option, text, value, error);
    value->is_set = value->is_set || good;
    return good;
}

/* NAME=N of option dim. */
static bool read_dim(const char *text, struct weft_dim *dim, struct weft_error *error) {
    const char *equals = strrchr(text, '=');
    size_t length = equals == NULL ? 0 : (size_t)(equals - text);
    uint64_t size = 0;
    if (length == 0 || length >= sizeof dim->name ||
        !weft_read_number(equals + 1, INT32_MAX, &size) || size == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "option dim is '%.60s', expected NAME=N, N a number above 0", text);
    }
    memcpy(dim->name, text, length);
    dim->name[length] = '\0';
    dim->size = (int64_t)size;
    return true;
}

/* The number of a name in a list that NULL, or `count`, ends. */
static bool find_name(enum option id, const char *name, const char *const *names, size_t count,
                      int *number, struct weft_error *error) {
    for (size_t i = 0; i < count && names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            *number = (int)i;
            return true;
        }
    }
    return weft_fail(error, WEFT_ARGUMENT, 0, "option %s is '%.40s', expected %s",
                     descriptions[id].name, name, descriptions[id].help);
}

static bool read_dram(const char *text, struct weft_memory_settings *memory,
                      struct weft_error *error) {
    return weft_memory_read_dram(text, memory) ||
           weft_fail(error, WEFT_ARGUMENT, 0, "option dram is '%.40s', expected %s", text,
                     descriptions[OPTION_dram].help);
}

static const char *const activation_names[] = {"int8", "uint8", NULL};

/* Texts that are not free. */
static bool check_text(enum option id, const char *text, struct weft_error *error) {
    struct weft_dim dim;
    struct weft_memory_settings memory;
    int number = 0;
    switch (id) {
    case OPTION_dim:
        return read_dim(text, &dim, error);
    case OPTION_dram:
        return read_dram(text, &memory, error);
    case OPTION_kernels:
        return find_name(id, text, weft_host_names, WEFT_HOSTS, &number, error);
    case OPTION_calibration:
        return find_name(id, text, weft_calibration_names, WEFT_CALIBRATIONS, &number, error);
    case OPTION_weights:
        return find_name(id, text, weft_weight_names, SIZE_MAX, &number, error);
    case OPTION_activations:
        return find_name(id, text, activation_names, SIZE_MAX, &number, error);
    default:
        return true;
    }
}

bool weft_options_set(struct weft_options *options, const char *name, const char *value,
                      struct weft_failure *failure) {
    struct weft_error error;
    for (size_t i = 0; i < OPTIONS; i++) {
        if (strcmp(descriptions[i].name, name) == 0) {
            return (check_text((enum option)i, value, &error) &&
                    take(&descriptions[i], value, &options->values[i], &error)) ||
                   failed(failure, &error);
        }
    }
    weft_error_set(&error, WEFT_ARGUMENT, 0, "there is no option '%.40s'", name);
    return failed(failure, &error);
}

/* ---- taking ---- */

bool options_check(const struct weft_options *options, unsigned uses, struct weft_error *error) {
    static const char *const names[] = {"compiling", "reading .weft files", "running",
                                        "quantising"};
    for (size_t i = 0; options != NULL && i < OPTIONS; i++) {
        if (options->values[i].is_set && (descriptions[i].uses & uses) == 0) {
            size_t use = 0;
            while ((descriptions[i].uses >> use & 1) == 0) {
                use++;
            }
            return weft_fail(error, WEFT_ARGUMENT, 0, "option %s is for %s alone",
                             descriptions[i].name, names[use]);
        }
    }
    return true;
}

static const struct value *value_of(const struct weft_options *options, enum option id) {
    static const struct value none;
    return options == NULL ? &none : &options->values[id];
}

bool options_have(const struct weft_options *options, enum option id) {
    return value_of(options, id)->is_set;
}

static uint64_t number_of(const struct weft_options *options, enum option id) {
    return value_of(options, id)->number;
}

static const char *text_of(const struct weft_options *options, enum option id) {
    const struct value *value = value_of(options, id);
    return value->is_set ? value->texts[0] : NULL;
}

bool options_to_compile(const struct weft_options *options, struct weft_compile_options *compile,
                        struct weft_error *error) {
    const char *name = text_of(options, OPTION_model_name);
    compile->model_name = name == NULL ? compile->model_name : name;
    compile->bytes = number_of(options, OPTION_memory_limit);
    compile->frames = (uint32_t)number_of(options, OPTION_frames);
    compile->one_by_one = number_of(options, OPTION_one_by_one) == 1;
    compile->effort = (uint32_t)number_of(options, OPTION_effort);
    compile->keep_tensors = number_of(options, OPTION_keep_tensors) == 1;
    compile->host_only = number_of(options, OPTION_host_only) == 1;
    compile->decisions = text_of(options, OPTION_decisions);
    compile->decisions_length = compile->decisions == NULL ? 0 : strlen(compile->decisions);
    const char *lost = weft_compile_ignores(compile, options_have(options, OPTION_effort));
    return lost == NULL || weft_fail(error, WEFT_ARGUMENT, 0, "option %s", lost);
}

bool options_to_import(const struct weft_options *options, struct weft_dim *dims,
                       struct weft_import_options *import, struct weft_error *error) {
    const struct value *value = value_of(options, OPTION_dim);
    if (value->count > WEFT_MOST_DIMS) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "option dim is given %zu times, at most %d",
                         value->count, WEFT_MOST_DIMS);
    }
    for (size_t i = 0; i < value->count; i++) {
        if (!read_dim(value->texts[i], &dims[i], error)) {
            return false;
        }
    }
    import->dim_count = value->count;
    import->dims = dims;
    return true;
}

void options_to_read(const struct weft_options *options, struct weft_read_options *read) {
    read->cycles = number_of(options, OPTION_cycle_limit);
    read->host_steps = number_of(options, OPTION_host_limit);
    read->bytes = number_of(options, OPTION_memory_limit);
}

static bool take_wave(const struct weft_options *options, struct weft_session_options *run,
                      struct weft_error *error) {
    enum {
        WAVE_CYCLES = 10000 /* waveforms are slow and large */
    };
    bool window = value_of(options, OPTION_wave_segment)->is_set ||
                  value_of(options, OPTION_wave_from)->is_set ||
                  value_of(options, OPTION_wave_to)->is_set;
    run->wave = text_of(options, OPTION_wave);
    run->wave_segment = (uint32_t)number_of(options, OPTION_wave_segment);
    run->wave_from = number_of(options, OPTION_wave_from);
    run->wave_to = value_of(options, OPTION_wave_to)->is_set ? number_of(options, OPTION_wave_to)
                                                             : run->wave_from + WAVE_CYCLES;
    if (run->wave == NULL && window) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "options wave_segment, wave_from and wave_to need option wave");
    }
    return run->wave_to >= run->wave_from ||
           weft_fail(error, WEFT_ARGUMENT, 0, "option wave_to is before wave_from");
}

bool options_to_run(const struct weft_options *options, struct weft_session_options *run,
                    struct weft_error *error) {
    const char *kernels = text_of(options, OPTION_kernels);
    int host = (int)run->host;
    if (kernels != NULL &&
        !find_name(OPTION_kernels, kernels, weft_host_names, WEFT_HOSTS, &host, error)) {
        return false;
    }
    run->host = (enum weft_host)host;
    run->timing_only = number_of(options, OPTION_timing_only) == 1;
    run->no_fusion = number_of(options, OPTION_no_fusion) == 1;
    run->watchdog = number_of(options, OPTION_watchdog);
    run->memory.latency = number_of(options, OPTION_memory_latency);
    run->memory.interval = number_of(options, OPTION_memory_interval);
    run->key_file = text_of(options, OPTION_key_file);
    const char *dram = text_of(options, OPTION_dram);
    if (dram != NULL && !read_dram(dram, &run->memory, error)) {
        return false;
    }
    return take_wave(options, run, error);
}

static bool take_names(const struct weft_options *options, struct weft_quantize_options *quantize,
                       struct weft_error *error) {
    const char *calibration = text_of(options, OPTION_calibration);
    const char *weights = text_of(options, OPTION_weights);
    const char *activations = text_of(options, OPTION_activations);
    int method = (int)quantize->calibration;
    int bits = (int)quantize->weights;
    int type = 0;
    bool good =
        (calibration == NULL || find_name(OPTION_calibration, calibration, weft_calibration_names,
                                          WEFT_CALIBRATIONS, &method, error)) &&
        (weights == NULL ||
         find_name(OPTION_weights, weights, weft_weight_names, SIZE_MAX, &bits, error)) &&
        (activations == NULL ||
         find_name(OPTION_activations, activations, activation_names, SIZE_MAX, &type, error));
    quantize->calibration = (enum weft_calibration)method;
    quantize->weights = (enum weft_weight_bits)bits;
    quantize->activations = type == 1 ? WEFT_U8 : WEFT_I8;
    return good;
}

/* What would have no effect is a mistake. */
static bool check_effects(const struct weft_options *options,
                          const struct weft_quantize_options *quantize, struct weft_error *error) {
    enum weft_calibration method = quantize->calibration;
    const struct weft_calibration_given given = {.percentile =
                                                     options_have(options, OPTION_percentile),
                                                 .levels = options_have(options, OPTION_levels),
                                                 .bins = options_have(options, OPTION_bins)};
    const char *lost = weft_calibration_ignores(method, given);
    return lost == NULL ||
           weft_fail(error, WEFT_ARGUMENT, 0, "option %s has no effect with calibration %s", lost,
                     weft_calibration_names[method]);
}

bool options_to_quantize(const struct weft_options *options, struct weft_quantize_options *quantize,
                         struct weft_error *error) {
    const struct value *floats = value_of(options, OPTION_keep_float);
    const struct value *percentile = value_of(options, OPTION_percentile);
    const struct value *bins = value_of(options, OPTION_bins);
    const struct value *levels = value_of(options, OPTION_levels);
    const struct value *correction = value_of(options, OPTION_bias_correction);
    quantize->bytes = number_of(options, OPTION_memory_limit);
    quantize->percentile = percentile->is_set ? percentile->real : quantize->percentile;
    quantize->bins = bins->is_set ? (uint32_t)bins->number : quantize->bins;
    quantize->levels = levels->is_set ? (uint32_t)levels->number : quantize->levels;
    quantize->min_sqnr = value_of(options, OPTION_min_sqnr)->real;
    quantize->per_tensor = number_of(options, OPTION_per_tensor) == 1;
    quantize->is_symmetric = number_of(options, OPTION_symmetric) == 1;
    quantize->power_of_two = number_of(options, OPTION_power_of_two) == 1;
    quantize->equalize = number_of(options, OPTION_equalize) == 1;
    quantize->integer_ends = number_of(options, OPTION_integer_ends) == 1;
    quantize->no_bias_correction = correction->is_set && correction->number == 0;
    quantize->keep_float_count = floats->count;
    quantize->keep_float = (const char *const *)floats->texts;
    return take_names(options, quantize, error) && check_effects(options, quantize, error);
}

/* ---- copies ---- */

bool options_copy(const struct weft_options *options, struct weft_options **copy,
                  struct weft_error *error) {
    struct weft_options *made = NULL;
    if (options != NULL) {
        made = weft_allocate(1, sizeof *made, "options", error);
    }
    bool good = options == NULL || made != NULL;
    for (size_t i = 0; made != NULL && good && i < OPTIONS; i++) {
        const struct value *value = &options->values[i];
        made->values[i] = (struct value){value->is_set, value->number, value->real, NULL, 0, 0};
        for (size_t k = 0; good && k < value->count; k++) {
            good = take_text(&(struct description){.kind = LIST}, value->texts[k], &made->values[i],
                             error);
        }
    }
    if (!good) {
        weft_options_free(made);
        return false;
    }
    *copy = made;
    return true;
}
