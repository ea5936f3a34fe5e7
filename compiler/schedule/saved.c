#include "compiler/schedule/saved.h"

#include <inttypes.h>
#include <string.h>

#include "base/form.h"

/* ---- the form of the text ---- */

#define FIELD_int64_t WEFT_FORM_INTEGER_OF
#define FIELD_bool    WEFT_FORM_BOOLEAN_OF

static const struct weft_form_field division_fields[] = {
    WEFT_FORM_INTEGER_OF(struct saved_division, layer, "layer"),
#define WEFT_DIVISION(type, name, doc) FIELD_##type(struct saved_division, division.name, #name),
#include "compiler/plan/decisions.def"
};
static const struct weft_form_field run_fields[] = {
    WEFT_FORM_INTEGER_OF(struct saved_run, first, "first"),
    WEFT_FORM_INTEGER_OF(struct saved_run, last, "last"),
};
static const struct weft_form_field layer_fields[] = {
    WEFT_FORM_STRING_OF(struct saved_layer, name, "name"),
    WEFT_FORM_STRING_OF(struct saved_layer, result, "result"),
    WEFT_FORM_INTEGER_OF(struct saved_layer, source, "operator"),
#define WEFT_CUT(type, name, doc) FIELD_##type(struct saved_layer, cut.name, #name),
#include "compiler/plan/decisions.def"
};
static const struct weft_form_field tensor_fields[] = {
    WEFT_FORM_INTEGER_OF(struct saved_tensor, producer, "producer"),
#define WEFT_KEEP(type, name, doc) FIELD_##type(struct saved_tensor, keep.name, #name),
#include "compiler/plan/decisions.def"
};
static const struct weft_form_field try_fields[] = {
    WEFT_FORM_INTEGER_OF(struct saved_try, layer, "layer"),
    WEFT_FORM_STRING_OF(struct saved_try, what, "what"),
    WEFT_FORM_INTEGER_OF(struct saved_try, cycles, "cycles"),
    WEFT_FORM_INTEGER_OF(struct saved_try, best, "best"),
    WEFT_FORM_BOOLEAN_OF(struct saved_try, won, "won"),
};
static const struct weft_form division_form = WEFT_FORM_OF(struct saved_division, division_fields);
static const struct weft_form run_form = WEFT_FORM_OF(struct saved_run, run_fields);
static const struct weft_form layer_form = WEFT_FORM_OF(struct saved_layer, layer_fields);
static const struct weft_form tensor_form = WEFT_FORM_OF(struct saved_tensor, tensor_fields);
static const struct weft_form try_form = WEFT_FORM_OF(struct saved_try, try_fields);

static const struct weft_form_field schedule_fields[] = {
    WEFT_FORM_INTEGER_OF(struct saved_schedule, cycles, "cycles"),
    WEFT_FORM_INTEGER_OF(struct saved_schedule, groups, "groups"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, behind, "behind"),
    WEFT_FORM_INTEGER_OF(struct saved_schedule, parts, "parts"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, halve_loads, "halve_loads"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, whole_rams, "whole_rams"),
    WEFT_FORM_INTEGER_OF(struct saved_schedule, kept_banks, "kept_banks"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, keep_longest, "keep_longest"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, keep_in_group, "keep_in_group"),
    WEFT_FORM_BOOLEAN_OF(struct saved_schedule, plain_weights, "plain_weights"),
#define WEFT_AS_IF(type, name, doc) FIELD_##type(struct saved_schedule, as_if.name, #name),
#include "compiler/plan/decisions.def"
    WEFT_FORM_LIST_OF(struct saved_schedule, runs, run_count, "order", &run_form),
    WEFT_FORM_LIST_OF(struct saved_schedule, divisions, division_count, "divisions",
                      &division_form),
    WEFT_FORM_LIST_OF(struct saved_schedule, layers, layer_count, "layers", &layer_form),
    WEFT_FORM_LIST_OF(struct saved_schedule, tensors, tensor_count, "tensors", &tensor_form),
    WEFT_FORM_LIST_OF(struct saved_schedule, tries, try_count, "tried", &try_form),
};
static const struct weft_form schedule_form = WEFT_FORM_OF(struct saved_schedule, schedule_fields);

static const struct weft_form_field file_fields[] = {
    WEFT_FORM_VERSION_OF(struct saved_file, version, "weft_decisions", SAVED_VERSION),
    WEFT_FORM_STRING_OF(struct saved_file, model, "model"),
    WEFT_FORM_STRING_OF(struct saved_file, config, "config"),
    WEFT_FORM_LIST_OF(struct saved_file, schedules, schedule_count, "regions", &schedule_form),
};
static const struct weft_form file_form = WEFT_FORM_OF(struct saved_file, file_fields);

void saved_print(struct weft_text *out, const struct saved_file *file) {
    weft_form_print(out, &file_form, file, 0);
    weft_text_add(out, "\n");
}

bool saved_parse(struct weft_arena *arena, const char *text, size_t length, struct saved_file *file,
                 struct weft_error *error) {
    struct weft_json in = {text, text + length, 1, WEFT_DECISIONS, error};
    struct saved_file read = {0};
    if (!weft_form_parse(arena, &in, &file_form, &read) || !weft_json_finish(&in)) {
        return false;
    }
    *file = read;
    return true;
}

/* ---- from a schedule ---- */

static const char *result_of(const struct layer *layer) {
    return layer->output == NULL || layer->output->name == NULL ? "" : layer->output->name;
}

static void save_divisions(struct weft_arena *arena, const struct region *region,
                           struct saved_schedule *saved) {
    const struct division *divisions = region->divisions;
    saved->divisions = WEFT_NEW_ARRAY(arena, (size_t)region->listed_count, struct saved_division);
    for (int i = 0; i < region->listed_count && divisions != NULL; i++) {
        if (is_divided(&divisions[i]) || divisions[i].multiplied != MULTIPLIED_DENSE) {
            saved->divisions[saved->division_count++] = (struct saved_division){i, divisions[i]};
        }
    }
}

/* The order as few runs; none when it is the one in which the layers were listed. */
static void save_order(struct weft_arena *arena, const struct region *region,
                       struct saved_schedule *saved) {
    size_t count = (size_t)region->listed_count;
    saved->runs = WEFT_NEW_ARRAY(arena, count, struct saved_run);
    for (size_t i = 0; i < count && region->order != NULL; i++) {
        int64_t layer = region->order[i];
        if (saved->run_count == 0 || saved->runs[saved->run_count - 1].last + 1 != layer) {
            saved->runs[saved->run_count++] = (struct saved_run){layer, layer};
        }
        saved->runs[saved->run_count - 1].last = layer;
    }
    saved->run_count = saved->run_count == 1 ? 0 : saved->run_count;
}

struct saved_schedule *saved_schedule(struct weft_arena *arena, const struct region *region,
                                      const struct decisions *decisions, uint64_t cycles) {
    struct saved_schedule *saved = WEFT_NEW(arena, struct saved_schedule);
    *saved = (struct saved_schedule){
        .cycles = (int64_t)cycles,
        .groups = region->groups,
        .behind = decisions->behind,
        .parts = region->parts,
        .halve_loads = decisions->halve_loads,
        .whole_rams = decisions->whole_rams,
        .kept_banks = decisions->kept_banks,
        .keep_longest = decisions->keep_longest,
        .keep_in_group = decisions->keep_in_group,
        .plain_weights = decisions->plain_weights,
        .as_if = decisions->as_if,
        .layer_count = (size_t)region->layer_count,
        .layers = WEFT_NEW_ARRAY(arena, (size_t)region->layer_count, struct saved_layer),
        .tensor_count = (size_t)region->tensor_count,
        .tensors = WEFT_NEW_ARRAY(arena, (size_t)region->tensor_count, struct saved_tensor)};
    save_order(arena, region, saved);
    save_divisions(arena, region, saved);
    for (int i = 0; i < region->layer_count; i++) {
        const struct layer *layer = &region->layers[i];
        saved->layers[i] = (struct saved_layer){.name = layer->name,
                                                .result = result_of(layer),
                                                .source = layer->source,
                                                .cut = decisions->cuts[i]};
    }
    for (int t = 0; t < region->tensor_count; t++) {
        saved->tensors[t] = (struct saved_tensor){.producer = region->tensors[t].producer,
                                                  .keep = decisions->keeps[t]};
    }
    return saved;
}

/* ---- back to decisions ---- */

/* Is a run one of layers, no more of them than are still to come? */
static bool check_run(const struct saved_run *run, size_t index, int count, int to_come,
                      struct weft_error *error) {
    return (run->first >= 0 && run->last >= run->first && run->last < count &&
            run->last - run->first < to_come) ||
           weft_fail(error, WEFT_DECISIONS, index,
                     "\"order\": run %zu is of the layers %" PRId64 " to %" PRId64
                     ", expected at most %d more of 0 to %d",
                     index, run->first, run->last, to_come, count - 1);
}

bool saved_order(const struct saved_schedule *schedule, const struct region *listed,
                 const int **order, struct weft_error *error) {
    int count = listed->layer_count;
    int *made = WEFT_NEW_ARRAY(listed->arena, (size_t)count, int);
    int filled = 0;
    *order = NULL;
    if (schedule->run_count == 0) {
        return true;
    }
    for (size_t i = 0; i < schedule->run_count; i++) {
        const struct saved_run *run = &schedule->runs[i];
        if (!check_run(run, i, count, count - filled, error)) {
            return false;
        }
        for (int64_t layer = run->first; layer <= run->last; layer++) {
            made[filled++] = (int)layer;
        }
    }
    if (filled < count) {
        return weft_fail(error, WEFT_DECISIONS, (uint64_t)filled,
                         "\"order\" has %d layers, the model %d", filled, count);
    }
    int wrong = order_wrong_at(listed, made);
    *order = made;
    return wrong < 0 ||
           weft_fail(error, WEFT_DECISIONS, (uint64_t)made[wrong],
                     "\"order\": layer %d (%s), as it is listed, is there twice, or before one "
                     "that makes what it reads",
                     made[wrong], listed->layers[made[wrong]].name);
}

bool saved_divisions(struct weft_arena *arena, const struct saved_schedule *schedule,
                     const struct region *listed, struct division **divisions,
                     struct weft_error *error) {
    int64_t before = -1;
    *divisions = NULL;
    if (schedule->division_count > 0) {
        *divisions = WEFT_NEW_ARRAY(arena, (size_t)listed->layer_count, struct division);
    }
    for (size_t i = 0; i < schedule->division_count; i++) {
        const struct saved_division *saved = &schedule->divisions[i];
        if (saved->layer <= before || saved->layer >= listed->layer_count) {
            return weft_fail(error, WEFT_DECISIONS, (uint64_t)saved->layer,
                             "division %zu is of layer %" PRId64 ", expected %" PRId64 " to %d", i,
                             saved->layer, before + 1, listed->layer_count - 1);
        }
        before = saved->layer;
        (*divisions)[before] = saved->division;
    }
    return true;
}

/* Is a layer of the file the region's? */
static bool check_layer(const struct saved_layer *saved, const struct layer *layer, int index,
                        struct weft_error *error) {
    return (strcmp(saved->name, layer->name) == 0 && strcmp(saved->result, result_of(layer)) == 0 &&
            saved->source == layer->source) ||
           weft_fail(error, WEFT_DECISIONS, (uint64_t)index,
                     "layer %d is %.40s \"%.80s\" of operator %" PRId64
                     " in the decisions, and %.40s \"%.80s\" of operator %d in the model",
                     index, saved->name, saved->result, saved->source, layer->name,
                     result_of(layer), layer->source);
}

static bool check_counts(const struct saved_schedule *schedule, const struct region *region,
                         struct weft_error *error) {
    return (schedule->layer_count == (size_t)region->layer_count &&
            schedule->tensor_count == (size_t)region->tensor_count) ||
           weft_fail(error, WEFT_DECISIONS, 0,
                     "the decisions have %zu layers and %zu tensors, the model %d and %d",
                     schedule->layer_count, schedule->tensor_count, region->layer_count,
                     region->tensor_count);
}

bool saved_decisions(struct weft_arena *arena, const struct saved_schedule *schedule,
                     const struct region *region, struct decisions *decisions,
                     struct weft_error *error) {
    if (!check_counts(schedule, region, error)) {
        return false;
    }
    *decisions =
        (struct decisions){.behind = schedule->behind,
                           .halve_loads = schedule->halve_loads,
                           .whole_rams = schedule->whole_rams,
                           .kept_banks = schedule->kept_banks,
                           .keep_longest = schedule->keep_longest,
                           .keep_in_group = schedule->keep_in_group,
                           .plain_weights = schedule->plain_weights,
                           .as_if = schedule->as_if,
                           .layer_count = region->layer_count,
                           .tensor_count = region->tensor_count,
                           .cuts = WEFT_NEW_ARRAY(arena, schedule->layer_count, struct cut),
                           .keeps = WEFT_NEW_ARRAY(arena, schedule->tensor_count, struct keep)};
    for (int i = 0; i < region->layer_count; i++) {
        if (!check_layer(&schedule->layers[i], &region->layers[i], i, error)) {
            return false;
        }
        decisions->cuts[i] = schedule->layers[i].cut;
    }
    for (int t = 0; t < region->tensor_count; t++) {
        if (schedule->tensors[t].producer != region->tensors[t].producer) {
            return weft_fail(error, WEFT_DECISIONS, (uint64_t)t,
                             "tensor %d is made by layer %" PRId64
                             " in the decisions, by layer %d in the model",
                             t, schedule->tensors[t].producer, region->tensors[t].producer);
        }
        decisions->keeps[t] = schedule->tensors[t].keep;
    }
    return true;
}
