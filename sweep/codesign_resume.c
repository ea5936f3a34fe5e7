/* A search of machines goes on where its log ends. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/version.h"
#include "sweep/codesign_log.h"
#include "sweep/codesign_state.h"

enum {
    FINGERPRINT = 20 /* bytes of one as text */
};

/* What the first line says; its texts are those of `c`, and the two. */
static struct codesign_log_head head_of(const struct codesign *c, char model[FINGERPRINT],
                                        char config[FINGERPRINT]) {
    const struct codesign_machine *first = &c->machines[0];
    (void)snprintf(model, FINGERPRINT, "%016" PRIx64, c->model_fingerprint);
    (void)snprintf(config, FINGERPRINT, "%016" PRIx64, weft_config_fingerprint(&first->config));
    return (struct codesign_log_head){.version = CODESIGN_LOG_VERSION,
                                      .model = c->model,
                                      .model_fingerprint = model,
                                      .config = first->config.name,
                                      .config_fingerprint = config,
                                      .area = c->options.area->label,
                                      .compiler = weft_version,
                                      .frames = c->frames,
                                      .one_by_one = c->one_by_one,
                                      .effort = c->options.effort,
                                      .cycles = (int64_t)first->compiled};
}

void codesign_log_head(const struct codesign *c, struct weft_text *text) {
    char model[FINGERPRINT];
    char config[FINGERPRINT];
    const struct codesign_log_head head = head_of(c, model, config);
    codesign_log_print_head(text, &head);
}

static bool check_head(const struct codesign *c, const struct codesign_log_head *head,
                       struct weft_error *error) {
    char model[FINGERPRINT];
    char config[FINGERPRINT];
    const struct codesign_log_head mine = head_of(c, model, config);
    bool same = strcmp(head->model_fingerprint, mine.model_fingerprint) == 0 &&
                strcmp(head->config_fingerprint, mine.config_fingerprint) == 0 &&
                strcmp(head->area, mine.area) == 0 && head->frames == mine.frames &&
                head->one_by_one == mine.one_by_one &&
                weft_max(head->effort, 1) == weft_max(mine.effort, 1) &&
                head->cycles == mine.cycles;
    return same || weft_fail(error, WEFT_DECISIONS, 1,
                             "line 1: a log of %.80s from %.80s on, %" PRId64
                             " cycles, area of %.48s, not of this model, configuration and "
                             "options, area of %.48s; give another file",
                             head->model, head->config, head->cycles, head->area, mine.area);
}

/* ---- what was tried ---- */

static bool read_config(const struct codesign *c, const struct codesign_log_line *line,
                        struct weft_config *config, struct weft_error *error) {
    const struct weft_config *first = &c->machines[0].config;
    struct sweep_point point;
    sweep_point_begin(first, &point);
    for (size_t i = 0; i < line->parameter_count; i++) {
        const struct codesign_log_parameter *parameter = &line->parameters[i];
        unsigned axis = sweep_axis_find(parameter->name, strlen(parameter->name));
        if (axis >= WEFT_PARAMETERS || parameter->value < 0 || parameter->value > UINT32_MAX) {
            return weft_fail(error, WEFT_DECISIONS, line->number,
                             "line %" PRIu64 ": \"%.40s\" is %" PRId64
                             ", expected a parameter of the machine and its value",
                             line->number, parameter->name, parameter->value);
        }
        point.values[axis] = (uint32_t)parameter->value;
    }
    sweep_point_config(&point, first, config);
    if (!weft_config_check(config, error)) {
        error->code = WEFT_DECISIONS;
        error->position = line->number;
        return weft_fail_context(error, "line %" PRIu64, line->number);
    }
    return true;
}

static bool take_machine(struct codesign *c, const struct codesign_log_line *line,
                         struct weft_error *error) {
    struct weft_config config;
    bool is_refused = line->refused[0] != '\0';
    if (line->machine != (int64_t)c->count || c->count >= CODESIGN_MOST_MACHINES) {
        return weft_fail(error, WEFT_DECISIONS, line->number,
                         "line %" PRIu64 ": machine %" PRId64 ", expected %zu", line->number,
                         line->machine, c->count);
    }
    if (line->cycles < 0 || (line->cycles == 0) != is_refused) {
        return weft_fail(error, WEFT_DECISIONS, line->number,
                         "line %" PRIu64 ": %" PRId64
                         " cycles, expected more than 0, or 0 and why it was refused",
                         line->number, line->cycles);
    }
    if (!read_config(c, line, &config, error)) {
        return false;
    }
    struct codesign_machine *machine = codesign_add(c, &config, error);
    if (machine == NULL) {
        return false;
    }
    machine->compiled = machine->tuned = (uint64_t)line->cycles;
    machine->is_refused = is_refused;
    (void)snprintf(machine->message, sizeof machine->message, "%s", line->refused);
    codesign_know(c, machine);
    return true;
}

static bool take_better(struct codesign *c, const struct codesign_log_line *line,
                        struct weft_error *error) {
    if (line->machine < 0 || line->machine >= (int64_t)c->count ||
        c->machines[line->machine].is_refused) {
        return weft_fail(error, WEFT_DECISIONS, line->number,
                         "line %" PRIu64 ": \"on_machine\" is %" PRId64
                         ", expected one that is above, and was not refused",
                         line->number, line->machine);
    }
    struct codesign_machine *machine = &c->machines[line->machine];
    if (line->total <= 0 || (uint64_t)line->total > machine->tuned || line->better->tried < 0 ||
        line->better->tried > TUNE_MOST_TRIED) {
        return weft_fail(error, WEFT_DECISIONS, line->number,
                         "line %" PRIu64 ": %" PRId64 " cycles after %" PRId64
                         " schedules, expected 1 to %" PRIu64 " cycles after 0 to %" PRId64,
                         line->number, line->total, line->better->tried, machine->tuned,
                         (int64_t)TUNE_MOST_TRIED);
    }
    machine->tuned = (uint64_t)line->total;
    machine->tried = (uint64_t)line->better->tried;
    return true;
}

/* ---- what is tuned further ---- */

/* What the log holds of one machine, as the log of tuning it alone. */
static struct tune_log log_of(struct weft_arena *arena, const struct codesign_log *log,
                              size_t machine) {
    struct tune_log of = {0};
    size_t capacity = 0;
    for (size_t i = 0; i < log->line_count; i++) {
        const struct codesign_log_line *line = &log->lines[i];
        if (!line->is_machine && line->machine == (int64_t)machine) {
            of.lines = weft_arena_grow(arena, of.lines, of.line_count, &capacity, sizeof *of.lines);
            of.lines[of.line_count++] = *line->better;
        }
    }
    return of;
}

static bool differs(const struct codesign_machine *machine, size_t index, const char *what,
                    uint64_t cycles, struct weft_error *error) {
    return weft_fail(error, WEFT_DECISIONS, 0,
                     "machine %zu takes %" PRIu64 " cycles %s, not the %" PRIu64
                     " that the log says; another version of weft wrote it, or it was changed",
                     index, cycles, what,
                     strcmp(what, "tuned") == 0 ? machine->tuned : machine->compiled);
}

/* Compiles the model for a machine again, and makes its schedules. */
static bool tune_again(struct codesign *c, struct weft_arena *arena, const struct codesign_log *log,
                       size_t index, struct weft_error *error) {
    const struct codesign_machine machine = c->machines[index];
    const struct tune_log of = log_of(arena, log, index);
    struct weft_module *module = NULL;
    if (!c->options.compile(c->options.context, &machine.config, &module, error)) {
        return weft_fail_context(error, "machine %zu of the log", index);
    }
    uint64_t cycles = weft_module_cycles(module);
    bool good =
        (cycles == machine.compiled || differs(&machine, index, "as compiled", cycles, error)) &&
        codesign_check_host(c, module, error) &&
        codesign_add_candidate(c, index, module, &of, error);
    if (!good) {
        weft_module_free(module);
        return false;
    }
    cycles = c->machines[index].tuned;
    return cycles == machine.tuned || differs(&machine, index, "tuned", cycles, error);
}

static bool is_candidate(const struct codesign *c, size_t machine) {
    for (size_t i = 0; i < c->candidate_count; i++) {
        if (c->candidates[i].machine == machine) {
            return true;
        }
    }
    return false;
}

/* The best machine within the limit that is not tuned yet; false: there is none. */
static bool best_other(const struct codesign *c, size_t *index) {
    bool found = false;
    for (size_t i = 0; i < c->count; i++) {
        if (codesign_is_within(c, &c->machines[i]) && !is_candidate(c, i) &&
            (!found || codesign_is_better(&c->machines[i], &c->machines[*index]))) {
            *index = i;
            found = true;
        }
    }
    return found;
}

static bool resume(struct codesign *c, struct weft_arena *arena, const char *text, size_t length,
                   size_t *whole, struct weft_error *error) {
    struct codesign_log log;
    size_t index = 0;
    if (!codesign_log_parse(arena, text, length, &log, error) || !check_head(c, &log.head, error)) {
        return false;
    }
    for (size_t i = 0; i < log.line_count; i++) {
        const struct codesign_log_line *line = &log.lines[i];
        if (!(line->is_machine ? take_machine : take_better)(c, line, error)) {
            return false;
        }
    }
    codesign_close_candidates(c);
    while (c->candidate_count < CODESIGN_TUNED && best_other(c, &index)) {
        if (!tune_again(c, arena, &log, index, error)) {
            return false;
        }
    }
    c->state += c->count + codesign_tried(c); /* it draws others than at first */
    c->turn = c->candidate_count;
    *whole = log.whole;
    return true;
}

bool codesign_resume(struct codesign *c, const char *text, size_t length, size_t *whole,
                     struct weft_error *error) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        return weft_arena_failed(&arena, error);
    }
    bool good = resume(c, &arena, text, length, whole, error);
    weft_arena_free(&arena);
    return good;
}
