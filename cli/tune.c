/* weft tune */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/log_file.h"
#include "cli/streams.h"
#include "cli/tune_hardware.h"
#include "cli/tune_slurm.h"

enum {
    STEP = 16 /* schedules between two looks at the clock */
};

struct tuner {
    const struct tune_arguments *arguments;
    struct weft_arena arena;
    struct weft_module *module;
    struct tuning *tuning;
    struct log_file log;
    uint64_t tried; /* by those who wrote the log before */
    double since;
    int64_t milliseconds; /* that they took */
    double shown;
    bool visible;
    struct weft_error *error;
    bool failed; /* to write the log */
};

/* ---- tuning ---- */

static int64_t milliseconds_of(const struct tuner *tuner) {
    return tuner->milliseconds + (int64_t)(1e3 * (weft_clock_seconds() - tuner->since));
}

/* One more schedule is the best: a line of the log. */
static void note_better(void *context, const struct tune_better *better) {
    struct tuner *tuner = context;
    struct weft_text text = {0};
    struct tune_better all = *better;
    if (tuner->log.descriptor < 0 || tuner->failed) {
        return;
    }
    all.tried += tuner->tried;
    tune_log_print_line(&text, tuning_region(tuner->tuning, better->region), &all,
                        milliseconds_of(tuner));
    tuner->failed =
        !weft_text_finish(&text, tuner->error) || !log_append(&tuner->log, &text, tuner->error);
    weft_text_free(&text);
}

static void show(struct tuner *tuner) {
    double seconds = weft_clock_seconds();
    if (isatty(STDERR_FILENO) == 0 || seconds < tuner->shown + 0.1) {
        return;
    }
    tuner->shown = seconds;
    tuner->visible = true;
    fprintf(stderr, "\r\033[Ktuning, %.0f s: %" PRIu64 " schedules tried, %" PRIu64 " cycles",
            seconds - tuner->since, tuning_tried(tuner->tuning) + tuner->tried,
            tuning_cycles(tuner->tuning));
}

/* Schedules that the budget leaves for the next step; 0: it is used up. */
static uint64_t budget_left(const struct tuner *tuner) {
    const struct tune_arguments *a = tuner->arguments;
    if (a->seconds > 0) {
        return weft_clock_seconds() - tuner->since < (double)a->seconds ? STEP : 0;
    }
    uint64_t tried = tuning_tried(tuner->tuning);
    return tried >= a->most ? 0 : a->most - tried;
}

static bool tune(struct tuner *tuner) {
    bool good = true;
    tuner->since = weft_clock_seconds();
    for (uint64_t left = budget_left(tuner); good && left > 0; left = budget_left(tuner)) {
        good = tuning_step(tuner->tuning, left, note_better, tuner, tuner->error) && !tuner->failed;
        show(tuner);
    }
    if (tuner->visible) {
        fprintf(stderr, "\r\033[K");
    }
    return good;
}

static struct tune_log_head head_of(struct tuner *tuner) {
    const struct tune_arguments *a = tuner->arguments;
    return tune_log_head_of(&tuner->arena, tuner->module, tune_strategy_names[a->options.strategy],
                            a->options.seed, a->open.effort);
}

/* Goes on with a log. */
static bool take_log(void *context, const char *text, size_t length, size_t *whole,
                     struct weft_error *error) {
    struct tuner *tuner = context;
    struct tune_log log;
    if (setjmp(tuner->arena.on_failure)) {
        return weft_arena_failed(&tuner->arena, error);
    }
    const struct tune_log_head head = head_of(tuner);
    if (!tune_log_parse(&tuner->arena, text, length, &log, error)) {
        return false;
    }
    if (!log_check(&log, &head, error) ||
        !tune_log_resume(&tuner->arena, &log, tuner->tuning, error)) {
        return false;
    }
    if (log.line_count > 0) {
        const struct tune_log_line *last = &log.lines[log.line_count - 1];
        tuner->tried = (uint64_t)last->tried;
        tuner->milliseconds = last->milliseconds;
        tuning_reseed(tuner->tuning, tuner->arguments->options.seed + tuner->tried);
    }
    *whole = log.whole;
    return true;
}

static bool print_head(struct tuner *tuner, struct weft_text *text) {
    if (setjmp(tuner->arena.on_failure)) {
        return weft_arena_failed(&tuner->arena, tuner->error);
    }
    const struct tune_log_head head = head_of(tuner);
    tune_log_print_head(text, &head);
    return weft_text_finish(text, tuner->error);
}

/* Opens the log, and takes what it holds. */
static bool begin_log(struct tuner *tuner) {
    struct weft_text head = {0};
    if (tuner->arguments->log == NULL) {
        return true;
    }
    bool good = print_head(tuner, &head) &&
                log_open(tuner->arguments->log, &head, take_log, tuner, &tuner->log, tuner->error);
    weft_text_free(&head);
    return good;
}

/* ---- what comes of it ---- */

/* Compiles the model again with what was decided, and writes it; prints its own errors. */
static int write_tuned(const struct tuner *tuner, const uint8_t *bytes, size_t length) {
    const struct tune_arguments *a = tuner->arguments;
    struct weft_error error;
    struct weft_text text = {0};
    struct weft_file_batch batch = {0};
    struct open_options open = a->open;
    const char *path = a->decisions;
    uint8_t *packed = NULL;
    size_t packed_length = 0;
    open.effort = 0; /* nothing is searched */
    if (!tuning_decisions(tuner->tuning, &text, &error)) {
        return report(a->model, &error);
    }
    struct weft_module *module = make_model(
        a->model, bytes, length, &open,
        (struct weft_compile_options){.decisions = text.bytes, .decisions_length = text.length});
    if (module == NULL) {
        weft_text_free(&text);
        return STATUS_ERROR;
    }
    bool good = path == NULL || stream_stage(&batch, path, text.bytes, text.length, &error);
    if (good && a->out != NULL) {
        path = a->out;
        good = weft_module_write(module, &packed, &packed_length, &error) &&
               stream_stage(&batch, path, packed, packed_length, &error);
    }
    if (good) {
        good = weft_file_commit(&batch, &path, &error);
    } else {
        weft_file_discard(&batch);
    }
    free(packed);
    weft_text_free(&text);
    weft_module_free(module);
    return good ? STATUS_GOOD : report(path, &error);
}

/* A log says how many schedules were tried until its last line alone, so those of before, and of
 * tasks of Slurm, are not added up. */
static void print_result(const struct tuner *tuner) {
    uint64_t begun = weft_module_cycles(tuner->module);
    uint64_t cycles = tuning_cycles(tuner->tuning);
    printf("%s on %s: %" PRIu64 " cycles, tuned %" PRIu64 " (%+.2f %%)", tuner->module->model_name,
           tuner->module->config.name, begun, cycles, 100 * ((double)cycles / (double)begun - 1));
    if (tuner->arguments->slurm == 0) {
        printf(", %" PRIu64 " schedules tried%s", tuning_tried(tuner->tuning),
               tuner->tried > 0 ? " after those of the log" : "");
    }
    printf("\n");
}

/* Others write the log. */
static bool search_elsewhere(const struct given *given, struct tuner *tuner) {
    if (setjmp(tuner->arena.on_failure)) {
        return weft_arena_failed(&tuner->arena, tuner->error);
    }
    const struct tune_log_head head = head_of(tuner);
    return tune_slurm(given, tuner->arguments, &head, tuner->tuning, tuner->error);
}

static int tune_model(const struct given *given, struct tuner *tuner, const uint8_t *bytes,
                      size_t length) {
    const struct tune_arguments *a = tuner->arguments;
    if (!tuning_open(tuner->module, &a->options, &tuner->tuning, tuner->error)) {
        return report(a->model, tuner->error);
    }
    if ((a->slurm > 0 && !search_elsewhere(given, tuner)) || !begin_log(tuner)) {
        return report(a->log, tuner->error);
    }
    if (a->slurm == 0 && !tune(tuner)) {
        return report(tuner->failed ? a->log : a->model, tuner->error);
    }
    print_result(tuner);
    return a->out == NULL && a->decisions == NULL ? STATUS_GOOD : write_tuned(tuner, bytes, length);
}

int command_tune(const struct given *given) {
    struct tune_arguments a;
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!tune_arguments_read(given, &a)) {
        return STATUS_ERROR;
    }
    if (a.hardware) {
        return tune_hardware(given, &a);
    }
    if (!stream_read(a.model, &bytes, &length, &error)) {
        return report(a.model, &error);
    }
    int status = STATUS_ERROR;
    struct tuner tuner = {.arguments = &a, .log = {NULL, -1}, .error = &error};
    if (weft_is_module(bytes, length)) {
        status = usage_error("tune", "%s is a compiled program; give the model", a.model);
    } else {
        tuner.module = make_model(a.model, bytes, length, &a.open,
                                  (struct weft_compile_options){.keep_tensors = false});
        status = tuner.module == NULL ? STATUS_ERROR : tune_model(given, &tuner, bytes, length);
    }
    log_close(&tuner.log);
    tuning_close(tuner.tuning);
    weft_arena_free(&tuner.arena);
    weft_module_free(tuner.module);
    free(bytes);
    return status;
}
