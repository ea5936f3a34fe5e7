#include "cli/tune_hardware.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "cli/json_file.h"
#include "cli/log_file.h"
#include "cli/streams.h"
#include "cli/technology.h"
#include "sweep/codesign.h"

struct hardware {
    const struct tune_arguments *arguments;
    struct open_options open;
    uint8_t *bytes;
    size_t length;
    struct sweep_definition grid;
    struct codesign_options options;
    struct codesign *codesign;
    double since, shown;
    bool visible;
    struct log_file log;
    uint64_t tried; /* by those who wrote the log before */
    struct weft_error *error;
};

/* ---- what was given ---- */

static bool read_area_limit(const struct given *given, struct hardware *h) {
    const char *text = given_value(given, OPTION_AREA_LIMIT);
    uint64_t limit = 0;
    if (text != NULL && (!read_number(text, INT64_MAX, &limit) || limit == 0)) {
        return usage_error("tune", "--area-limit: expected a number from 1 on") == STATUS_GOOD;
    }
    h->options.most_area = (double)limit;
    return true;
}

static bool read_grid(const struct given *given, struct hardware *h) {
    const char *config = h->open.config == NULL ? DEFAULT_CONFIG : h->open.config;
    size_t count = given_count(given, OPTION_HARDWARE_GRID);
    const char *const *texts = given_values(given, OPTION_HARDWARE_GRID);
    if (count == 0) {
        texts = codesign_default_grid;
        count = CODESIGN_DEFAULT_AXES;
    }
    if (!sweep_add_config(&h->grid, config, h->error)) {
        report(config, h->error);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!sweep_add_grid(&h->grid, texts[i], h->error)) {
            report("--grid", h->error);
            return false;
        }
    }
    return true;
}

/* ---- searching ---- */

static bool compile(void *context, const struct weft_config *config, struct weft_module **module,
                    struct weft_error *error) {
    const struct hardware *h = context;
    struct open_options open = h->open;
    open.machine = config;
    return try_model(h->arguments->model, h->bytes, h->length, &open,
                     (struct weft_compile_options){.keep_tensors = false}, module, error);
}

static void show(struct hardware *h) {
    double seconds = weft_clock_seconds();
    size_t best = 0;
    if (isatty(STDERR_FILENO) == 0 || seconds < h->shown + 0.1) {
        return;
    }
    h->shown = seconds;
    h->visible = true;
    bool found = codesign_best(h->codesign, &best);
    fprintf(stderr,
            "\r\033[Ktuning, %.0f s: %zu machines and %" PRIu64 " schedules tried, %" PRIu64
            " cycles",
            seconds - h->since, codesign_count(h->codesign), codesign_tried(h->codesign),
            found ? codesign_machine(h->codesign, best)->tuned : 0);
}

/* Schedules that the budget leaves; 0: it is used up. */
static uint64_t budget_left(const struct hardware *h) {
    const struct tune_arguments *a = h->arguments;
    if (a->seconds > 0) {
        return weft_clock_seconds() - h->since < (double)a->seconds ? CODESIGN_SCHEDULES : 0;
    }
    uint64_t tried = codesign_tried(h->codesign) - h->tried;
    return tried >= a->most ? 0 : a->most - tried;
}

static bool write_lines(void *context, const struct weft_text *lines, struct weft_error *error) {
    const struct hardware *h = context;
    return log_append(&h->log, lines, error);
}

static bool take_log(void *context, const char *text, size_t length, size_t *whole,
                     struct weft_error *error) {
    struct hardware *h = context;
    if (!codesign_resume(h->codesign, text, length, whole, error)) {
        return false;
    }
    h->tried = codesign_tried(h->codesign);
    return true;
}

/* Opens the log, and takes what it holds; prints its own errors. */
static bool begin_log(struct hardware *h) {
    const char *path = h->arguments->log;
    struct weft_text head = {0};
    if (path == NULL) {
        return true;
    }
    codesign_log_head(h->codesign, &head);
    bool good =
        weft_text_finish(&head, h->error) && log_open(path, &head, take_log, h, &h->log, h->error);
    weft_text_free(&head);
    if (!good) {
        report(path, h->error);
    }
    return good;
}

static bool search(struct hardware *h) {
    bool good = true;
    bool more = good;
    while (good && more) {
        uint64_t left = budget_left(h);
        more = left > 0;
        good = !more || codesign_step(h->codesign, left, &more, h->error);
        show(h);
    }
    if (h->visible) {
        fprintf(stderr, "\r\033[K");
    }
    return good;
}

/* ---- what comes of it ---- */

static json_t *machine_json(const struct codesign_machine *machine) {
    bool is_good = !machine->is_refused;
    json_t *parameters = json_object();
    for (unsigned i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        json_object_set_new(parameters, parameter->name,
                            json_integer(weft_parameter_get(&machine->config, parameter)));
    }
    return json_pack("{s:f, s:o, s:o, s:I, s:o, s:o}", "area", machine->area, "cycles_compiled",
                     is_good ? json_integer((json_int_t)machine->compiled) : json_null(), "cycles",
                     is_good ? json_integer((json_int_t)machine->tuned) : json_null(), "schedules",
                     (json_int_t)machine->tried, "error",
                     is_good ? json_null() : text_json(machine->message), "parameters", parameters);
}

static json_t *search_json(const struct hardware *h, size_t best) {
    json_t *machines = json_array();
    char stem[128];
    file_stem(h->arguments->model, stem, sizeof stem);
    for (size_t i = 0; i < codesign_count(h->codesign); i++) {
        json_array_append_new(machines, machine_json(codesign_machine(h->codesign, i)));
    }
    return json_pack("{s:s, s:o, s:s, s:s, s:f, s:I, s:I, s:o}", "version", weft_version, "model",
                     text_json(stem), "area_target", h->options.area->name, "area_unit",
                     h->options.area->unit, "area_limit", codesign_most_area(h->codesign),
                     "schedules", (json_int_t)codesign_tried(h->codesign), "best", (json_int_t)best,
                     "machines", machines);
}

/* By how much it changes; of nothing, which an area model may say, not at all. */
static double percent(double from, double to) {
    return from > 0 ? 100 * (to / from - 1) : 0;
}

static void print_result(const struct hardware *h, size_t best) {
    const struct weft_area_model *area = h->options.area;
    const struct codesign_machine *first = codesign_machine(h->codesign, 0);
    const struct codesign_machine *machine = codesign_machine(h->codesign, best);
    char stem[128];
    size_t refused = 0;
    for (size_t i = 0; i < codesign_count(h->codesign); i++) {
        refused += codesign_machine(h->codesign, i)->is_refused;
    }
    file_stem(h->arguments->model, stem, sizeof stem);
    printf("%s on %s: %" PRIu64 " cycles, area %.0f %s of %s\n", stem, first->config.name,
           first->compiled, first->area, area->unit, area->name);
    printf("best machine: %" PRIu64 " cycles (%+.2f %%), %" PRIu64
           " of them as compiled; area %.0f (%+.2f %%) of at most %.0f\n",
           machine->tuned, percent((double)first->compiled, (double)machine->tuned),
           machine->compiled, machine->area, percent(first->area, machine->area),
           codesign_most_area(h->codesign));
    for (unsigned i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        uint32_t from = weft_parameter_get(&first->config, parameter);
        uint32_t to = weft_parameter_get(&machine->config, parameter);
        if (from != to) {
            printf("  %-20s %8" PRIu32 " -> %" PRIu32 "\n", parameter->name, from, to);
        }
    }
    printf("%zu machines, %zu refused; %" PRIu64 " schedules tried\n", codesign_count(h->codesign),
           refused, codesign_tried(h->codesign));
}

/* Compiles the model for the best machine with what was decided, and stages what was asked for;
 * *path: of what failed. */
static bool stage(const struct hardware *h, const struct weft_config *config,
                  struct weft_file_batch *batch, const char **path) {
    const struct tune_arguments *a = h->arguments;
    struct open_options open = h->open;
    struct weft_text text = {0};
    struct weft_module *module = NULL;
    uint8_t *packed = NULL;
    size_t length = 0;
    *path = a->model;
    bool good = codesign_decisions(h->codesign, &text, h->error);
    if (good && a->decisions != NULL) {
        *path = a->decisions;
        good = stream_stage(batch, *path, text.bytes, text.length, h->error);
    }
    if (good && a->out != NULL) {
        open.machine = config;
        open.effort = 0; /* nothing is searched */
        *path = a->out;
        good = try_model(a->model, h->bytes, h->length, &open,
                         (struct weft_compile_options){.decisions = text.bytes,
                                                       .decisions_length = text.length},
                         &module, h->error) &&
               weft_module_write(module, &packed, &length, h->error) &&
               stream_stage(batch, *path, packed, length, h->error);
    }
    free(packed);
    weft_module_free(module);
    weft_text_free(&text);
    return good;
}

static bool stage_config(const char *path, const struct weft_config *config,
                         struct weft_file_batch *batch, struct weft_error *error) {
    struct weft_text text = {0};
    bool good = weft_config_print(config, &text, error) &&
                stream_stage(batch, path, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

/* Writes all that was asked for, or nothing; prints its own errors. */
static int write_best(const struct given *given, const struct hardware *h, size_t best) {
    const char *json_path = given_value(given, OPTION_JSON);
    const char *path = given_value(given, OPTION_OUT_CONFIG);
    struct weft_file_batch batch = {0};
    struct weft_config config = codesign_machine(h->codesign, best)->config;
    if (best != 0) {
        (void)snprintf(config.name, sizeof config.name, "tuned");
    }
    bool good = path == NULL || stage_config(path, &config, &batch, h->error);
    if (good && (h->arguments->out != NULL || h->arguments->decisions != NULL)) {
        good = stage(h, &config, &batch, &path);
    }
    if (good && json_path != NULL) {
        path = json_path;
        json_begin(NULL, 0);
        good = stage_json_file(&batch, path, search_json(h, best), h->error);
    }
    if (good) {
        good = weft_file_commit(&batch, &path, h->error);
    } else {
        weft_file_discard(&batch);
    }
    return good ? STATUS_GOOD : report(path, h->error);
}

static int run(const struct given *given, struct hardware *h) {
    const struct tune_arguments *a = h->arguments;
    size_t best = 0;
    if (!read_grid(given, h)) {
        return STATUS_ERROR;
    }
    if (!stream_read(a->model, &h->bytes, &h->length, h->error)) {
        return report(a->model, h->error);
    }
    if (weft_is_module(h->bytes, h->length)) {
        return usage_error("tune", "%s is a compiled program; give the model", a->model);
    }
    h->since = weft_clock_seconds();
    if (!codesign_open(&h->options, &h->codesign, h->error)) {
        bool is_grid = h->error->code == WEFT_SWEEP || h->error->code == WEFT_CONFIG;
        return report(is_grid ? "--grid" : a->model, h->error);
    }
    if (!begin_log(h)) {
        return STATUS_ERROR;
    }
    if (!search(h)) {
        return report(h->error->code == WEFT_IO ? a->log : a->model, h->error);
    }
    if (!codesign_best(h->codesign, &best)) {
        weft_error_set(h->error, WEFT_ARGUMENT, 0, "no machine of the grid is within %.0f %s",
                       codesign_most_area(h->codesign), h->options.area->unit);
        return report("--area-limit", h->error);
    }
    if (given_value(given, OPTION_JSON) == NULL || !is_stream(given_value(given, OPTION_JSON))) {
        print_result(h, best);
    }
    return write_best(given, h, best);
}

int tune_hardware(const struct given *given, const struct tune_arguments *arguments) {
    struct weft_error error;
    struct hardware h = {
        .arguments = arguments, .open = arguments->open, .log = {NULL, -1}, .error = &error};
    if (!read_area_limit(given, &h) || !area_read(given, WEFT_DEFAULT_AREA, &h.options.area)) {
        return STATUS_ERROR;
    }
    h.open.takes_floats = true; /* once for each machine would be too often */
    h.options.grid = &h.grid;
    h.options.tune = arguments->options;
    h.options.compile = compile;
    h.options.context = &h;
    h.options.effort = h.open.effort;
    if (arguments->log != NULL) {
        h.options.write = write_lines;
        h.options.write_context = &h;
    }
    int status = run(given, &h);
    log_close(&h.log);
    codesign_close(h.codesign);
    sweep_definition_free(&h.grid);
    free(h.bytes);
    return status;
}
