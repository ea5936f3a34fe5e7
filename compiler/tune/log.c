#include "compiler/tune/log.h"

#include <inttypes.h>
#include <string.h>

#include "base/form.h"

/* ---- the form of the lines ---- */

static const struct weft_form_field head_fields[] = {
    WEFT_FORM_INTEGER_OF(struct tune_log_head, version, "weft_tune_log"),
    WEFT_FORM_STRING_OF(struct tune_log_head, model, "model"),
    WEFT_FORM_STRING_OF(struct tune_log_head, model_fingerprint, "model_fingerprint"),
    WEFT_FORM_STRING_OF(struct tune_log_head, config, "config"),
    WEFT_FORM_STRING_OF(struct tune_log_head, config_fingerprint, "config_fingerprint"),
    WEFT_FORM_STRING_OF(struct tune_log_head, compiler, "compiler"),
    WEFT_FORM_STRING_OF(struct tune_log_head, strategy, "strategy"),
    WEFT_FORM_INTEGER_OF(struct tune_log_head, seed, "seed"),
    WEFT_FORM_INTEGER_OF(struct tune_log_head, frames, "frames"),
    WEFT_FORM_BOOLEAN_OF(struct tune_log_head, one_by_one, "one_by_one"),
    WEFT_FORM_INTEGER_OF(struct tune_log_head, effort, "effort"),
    WEFT_FORM_INTEGER_OF(struct tune_log_head, cycles, "cycles"),
};
static const struct weft_form head_form = WEFT_FORM_OF(struct tune_log_head, head_fields);

static const struct weft_form_field change_fields[] = {
    WEFT_FORM_STRING_OF(struct tune_log_change, of, "of"),
    WEFT_FORM_INTEGER_OF(struct tune_log_change, item, "item"),
    WEFT_FORM_STRING_OF(struct tune_log_change, like, "like"),
    WEFT_FORM_STRING_OF(struct tune_log_change, field, "field"),
    WEFT_FORM_INTEGER_OF(struct tune_log_change, from, "from"),
    WEFT_FORM_INTEGER_OF(struct tune_log_change, to, "to"),
};
static const struct weft_form change_form = WEFT_FORM_OF(struct tune_log_change, change_fields);

static const struct weft_form_field line_fields[] = {
    WEFT_FORM_INTEGER_OF(struct tune_log_line, region, "region"),
    WEFT_FORM_INTEGER_OF(struct tune_log_line, tried, "tried"),
    WEFT_FORM_INTEGER_OF(struct tune_log_line, milliseconds, "milliseconds"),
    WEFT_FORM_INTEGER_OF(struct tune_log_line, cycles, "cycles"),
    WEFT_FORM_STRING_OF(struct tune_log_line, what, "what"),
    WEFT_FORM_LIST_OF(struct tune_log_line, changes, change_count, "changes", &change_form),
};
const struct weft_form tune_log_line_form = WEFT_FORM_OF(struct tune_log_line, line_fields);

/* ---- printing ---- */

void tune_log_print_head(struct weft_text *out, const struct tune_log_head *head) {
    weft_form_print(out, &head_form, head, 0);
    weft_text_add(out, "\n");
}

const char *tune_likeness(struct weft_arena *arena, const struct region *region, enum field_of of,
                          int64_t item) {
    if (of == FIELD_OF_REGION) {
        return "";
    }
    if (of == FIELD_OF_TENSOR) {
        const struct tensor *tensor = &region->tensors[item];
        int reader = region->first_user[item] < region->first_user[item + 1]
                         ? region->users[region->first_user[item]]
                         : 0;
        int layer = tensor->producer >= 0 ? tensor->producer : reader;
        return weft_arena_print(arena, "%s of %s", tensor->producer >= 0 ? "result" : "operand",
                                tune_likeness(arena, region, FIELD_OF_LAYER, layer));
    }
    const struct layer *layer = &region->layers[item];
    const struct shape *in = &layer->in;
    const struct shape *to = &layer->out;
    return weft_arena_print(arena,
                            "%s %" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 " to %" PRId64
                            "x%" PRId64 "x%" PRId64 "x%" PRId64 ", window %" PRId64 "x%" PRId64
                            " stride %" PRId64 "x%" PRId64 ", groups %" PRId64 "%s",
                            operations_of(layer)->name, in->n, in->h, in->w, in->c, to->n, to->h,
                            to->w, to->c, layer->kernel[0], layer->kernel[1], layer->stride[0],
                            layer->stride[1], layer->groups,
                            layer->behind >= 0 ? ", with arithmetic behind" : "");
}

void tune_log_print_line(struct weft_text *out, const struct region *region,
                         const struct tune_better *better, int64_t milliseconds) {
    struct weft_arena arena = {0};
    if (setjmp(arena.on_failure)) {
        weft_arena_free(&arena);
        out->failed = true;
        return;
    }
    weft_text_add(out,
                  "{\"region\": %" PRIu32 ", \"tried\": %" PRIu64 ", \"milliseconds\": %" PRId64
                  ", \"cycles\": %" PRIu64 ", \"what\": ",
                  better->region, better->tried, milliseconds, better->cycles);
    weft_json_add_string(out, better->what);
    weft_text_add(out, ", \"changes\": [");
    for (size_t i = 0; i < better->count; i++) {
        const struct field_change *change = &better->changes[i];
        const struct tune_log_change line = {
            .of = field_owner_names[change->of],
            .item = change->item,
            .like = tune_likeness(&arena, region, change->of, change->item),
            .field = field_name(change->of, change->field),
            .from = change->from,
            .to = change->to};
        weft_text_add(out, i > 0 ? ", " : "");
        weft_form_print(out, &change_form, &line, 0);
    }
    weft_text_add(out, "]}\n");
    weft_arena_free(&arena);
}

/* ---- reading ---- */

bool tune_log_begins(const char *text, const char *end, const char *name) {
    size_t length = strlen(name);
    return (size_t)(end - text) > length + 2 && text[0] == '{' && text[1] == '"' &&
           memcmp(text + 2, name, length) == 0;
}

static bool parse_line(struct weft_arena *arena, const char *text, const char *end, uint64_t line,
                       struct tune_log *log, size_t *capacity, struct weft_error *error) {
    struct weft_json in = {text, end, line, WEFT_DECISIONS, error};
    if (line == 1 && tune_log_begins(text, end, "weft_machines_log")) {
        return weft_fail(error, WEFT_DECISIONS, line,
                         "line 1: a log of machines, with which weft tune --hardware goes on");
    }
    if (line == 1) {
        return weft_form_parse(arena, &in, &head_form, &log->head) && weft_json_finish(&in) &&
               (log->head.version == TUNE_LOG_VERSION ||
                weft_fail(error, WEFT_DECISIONS, line,
                          "line 1: \"weft_tune_log\" is %" PRId64 ", expected %d",
                          log->head.version, TUNE_LOG_VERSION));
    }
    struct tune_log_line read = {.number = line};
    if (!weft_form_parse(arena, &in, &tune_log_line_form, &read) || !weft_json_finish(&in)) {
        return false;
    }
    log->lines = weft_arena_grow(arena, log->lines, log->line_count, capacity, sizeof *log->lines);
    log->lines[log->line_count++] = read;
    return true;
}

bool tune_log_parse(struct weft_arena *arena, const char *text, size_t length, struct tune_log *log,
                    struct weft_error *error) {
    size_t capacity = 0;
    uint64_t line = 0;
    const char *end = NULL;
    *log = (struct tune_log){.whole = 0};
    while ((end = memchr(text + log->whole, '\n', length - log->whole)) != NULL) {
        if (!parse_line(arena, text + log->whole, end, ++line, log, &capacity, error)) {
            return false;
        }
        log->whole = (size_t)(end + 1 - text);
    }
    return line > 0 || weft_fail(error, WEFT_DECISIONS, 1,
                                 "line 1: expected the first line of a log of weft tune");
}
