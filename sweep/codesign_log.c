#include "sweep/codesign_log.h"

#include <inttypes.h>
#include <string.h>

#include "base/form.h"

/* A line that begins so is of a schedule. */
#define BETTER_BEGINS "{\"on_machine\": "

/* ---- the form of the lines ---- */

static const struct weft_form_field head_fields[] = {
    WEFT_FORM_INTEGER_OF(struct codesign_log_head, version, "weft_machines_log"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, model, "model"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, model_fingerprint, "model_fingerprint"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, config, "config"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, config_fingerprint, "config_fingerprint"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, area, "area"),
    WEFT_FORM_STRING_OF(struct codesign_log_head, compiler, "compiler"),
    WEFT_FORM_INTEGER_OF(struct codesign_log_head, frames, "frames"),
    WEFT_FORM_BOOLEAN_OF(struct codesign_log_head, one_by_one, "one_by_one"),
    WEFT_FORM_INTEGER_OF(struct codesign_log_head, effort, "effort"),
    WEFT_FORM_INTEGER_OF(struct codesign_log_head, cycles, "cycles"),
};
static const struct weft_form head_form = WEFT_FORM_OF(struct codesign_log_head, head_fields);

static const struct weft_form_field parameter_fields[] = {
    WEFT_FORM_STRING_OF(struct codesign_log_parameter, name, "name"),
    WEFT_FORM_INTEGER_OF(struct codesign_log_parameter, value, "value"),
};
static const struct weft_form parameter_form =
    WEFT_FORM_OF(struct codesign_log_parameter, parameter_fields);

static const struct weft_form_field machine_fields[] = {
    WEFT_FORM_INTEGER_OF(struct codesign_log_line, machine, "machine"),
    WEFT_FORM_LIST_OF(struct codesign_log_line, parameters, parameter_count, "parameters",
                      &parameter_form),
    WEFT_FORM_INTEGER_OF(struct codesign_log_line, cycles, "cycles"),
    WEFT_FORM_STRING_OF(struct codesign_log_line, refused, "refused"),
};
static const struct weft_form machine_form = WEFT_FORM_OF(struct codesign_log_line, machine_fields);

static const struct weft_form_field better_fields[] = {
    WEFT_FORM_INTEGER_OF(struct codesign_log_line, machine, "on_machine"),
    WEFT_FORM_INTEGER_OF(struct codesign_log_line, total, "total"),
    WEFT_FORM_LIST_OF(struct codesign_log_line, better, better_count, "better",
                      &tune_log_line_form),
};
static const struct weft_form better_form = WEFT_FORM_OF(struct codesign_log_line, better_fields);

/* ---- printing ---- */

void codesign_log_print_head(struct weft_text *out, const struct codesign_log_head *head) {
    weft_form_print(out, &head_form, head, 0);
    weft_text_add(out, "\n");
}

void codesign_log_print_machine(struct weft_text *out, size_t index,
                                const struct codesign_machine *machine,
                                const struct weft_config *first) {
    const char *between = "";
    weft_text_add(out, "{\"machine\": %zu, \"parameters\": [", index);
    for (unsigned i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        const struct codesign_log_parameter now = {parameter->name,
                                                   weft_parameter_get(&machine->config, parameter)};
        if (now.value != weft_parameter_get(first, parameter)) {
            weft_text_add(out, "%s", between);
            weft_form_print(out, &parameter_form, &now, 0);
            between = ", ";
        }
    }
    weft_text_add(out, "], \"cycles\": %" PRIu64 ", \"refused\": ", machine->compiled);
    weft_json_add_string(out, machine->message);
    weft_text_add(out, "}\n");
}

void codesign_log_print_better(struct weft_text *out, size_t index, uint64_t total,
                               const struct region *region, const struct tune_better *better) {
    weft_text_add(out, BETTER_BEGINS "%zu, \"total\": %" PRIu64 ", \"better\": [", index, total);
    tune_log_print_line(out, region, better, 0);
    if (!out->failed) {
        out->length--; /* its end */
    }
    weft_text_add(out, "]}\n");
}

/* ---- reading ---- */

static bool parse_line(struct weft_arena *arena, const char *text, const char *end, uint64_t number,
                       struct codesign_log *log, size_t *capacity, struct weft_error *error) {
    struct weft_json in = {text, end, number, WEFT_DECISIONS, error};
    size_t length = strlen(BETTER_BEGINS);
    if (number == 1 && tune_log_begins(text, end, "weft_tune_log")) {
        return weft_fail(error, WEFT_DECISIONS, number,
                         "line 1: a log of schedules, with which weft tune goes on without "
                         "--hardware");
    }
    if (number == 1) {
        return weft_form_parse(arena, &in, &head_form, &log->head) && weft_json_finish(&in) &&
               (log->head.version == CODESIGN_LOG_VERSION ||
                weft_fail(error, WEFT_DECISIONS, number,
                          "line 1: \"weft_machines_log\" is %" PRId64 ", expected %d",
                          log->head.version, CODESIGN_LOG_VERSION));
    }
    bool is_better = (size_t)(end - text) >= length && memcmp(text, BETTER_BEGINS, length) == 0;
    struct codesign_log_line read = {.is_machine = !is_better, .number = number};
    if (!weft_form_parse(arena, &in, is_better ? &better_form : &machine_form, &read) ||
        !weft_json_finish(&in)) {
        return false;
    }
    if (is_better && read.better_count != 1) {
        return weft_fail(error, WEFT_DECISIONS, number,
                         "line %" PRIu64 ": \"better\" has %zu elements, expected 1", number,
                         read.better_count);
    }
    if (is_better) {
        read.better->number = number;
    }
    log->lines = weft_arena_grow(arena, log->lines, log->line_count, capacity, sizeof *log->lines);
    log->lines[log->line_count++] = read;
    return true;
}

bool codesign_log_parse(struct weft_arena *arena, const char *text, size_t length,
                        struct codesign_log *log, struct weft_error *error) {
    size_t capacity = 0;
    uint64_t number = 0;
    const char *end = NULL;
    *log = (struct codesign_log){.whole = 0};
    while ((end = memchr(text + log->whole, '\n', length - log->whole)) != NULL) {
        if (!parse_line(arena, text + log->whole, end, ++number, log, &capacity, error)) {
            return false;
        }
        log->whole = (size_t)(end + 1 - text);
    }
    return number > 0 || weft_fail(error, WEFT_DECISIONS, 1,
                                   "line 1: expected the first line of a log of weft tune "
                                   "--hardware");
}
