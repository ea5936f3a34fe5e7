/* What a log says about a model: the one it is of, or one with layers like those of it. */
#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/tune/log.h"

bool tune_log_is_of(const struct tune_log *log, const struct tune_log_head *head) {
    return strcmp(log->head.model_fingerprint, head->model_fingerprint) == 0 &&
           strcmp(log->head.config_fingerprint, head->config_fingerprint) == 0 &&
           log->head.frames == head->frames && log->head.one_by_one == head->one_by_one &&
           weft_max(log->head.effort, 1) == weft_max(head->effort, 1) &&
           log->head.cycles == head->cycles;
}

static enum field_of owner_named(const char *name) {
    enum field_of of = 0;
    while (of < FIELD_OWNERS && strcmp(field_owner_names[of], name) != 0) {
        of++;
    }
    return of;
}

/* ---- the same model ---- */

/* Can the field be changed so? Values of those that are no flags are checked when they are planned.
 */
static bool check_flag(const struct tune_log_change *change, enum field_of of, int field,
                       uint64_t line, struct weft_error *error) {
    bool is_good = change->from >= 0 && change->from <= 1 && change->to >= 0 && change->to <= 1;
    return is_good || !field_is_flag(of, field) ||
           weft_fail(error, WEFT_DECISIONS, line,
                     "line %" PRIu64 ": \"%.40s\" from %" PRId64 " to %" PRId64
                     ", expected 0 and 1",
                     line, change->field, change->from, change->to);
}

/* A change of a log as one of decisions. Error: there is no such field, layer or tensor, or it has
 * another value before. */
static bool read_change(const struct tune_log_change *from, const struct decisions *decisions,
                        uint64_t line, struct field_change *to, struct weft_error *error) {
    *to = (struct field_change){.of = owner_named(from->of), .from = from->from, .to = from->to};
    if (to->of == FIELD_OWNERS) {
        return weft_fail(error, WEFT_DECISIONS, line,
                         "line %" PRIu64 ": expected a layer, a tensor or a region, not \"%.40s\"",
                         line, from->of);
    }
    to->field = field_named(to->of, from->field);
    if (to->field < 0) {
        return weft_fail(error, WEFT_DECISIONS, line,
                         "line %" PRIu64 ": a %s has no field \"%.40s\"", line, from->of,
                         from->field);
    }
    int items = field_items(decisions, to->of);
    to->item = (int)from->item;
    if (from->item < 0 || from->item >= items) {
        return weft_fail(error, WEFT_DECISIONS, line,
                         "line %" PRIu64 ": %s %" PRId64 ", expected 0 to %d", line, from->of,
                         from->item, items - 1);
    }
    int64_t now = decision_get(decisions, to->of, to->item, to->field);
    return check_flag(from, to->of, to->field, line, error) &&
           (from->from == now ||
            weft_fail(error, WEFT_DECISIONS, line,
                      "line %" PRIu64 ": \"%.40s\" of %s %" PRId64 " from %" PRId64
                      ", but it is %" PRId64 " before",
                      line, from->field, from->of, from->item, from->from, now));
}

/* All changes of a region, those of all lines up to `line_count`, in order; the number of the line
 * of the last, and the cycles it says. */
static bool changes_of(struct weft_arena *arena, const struct tune_log *log, uint32_t region,
                       const struct decisions *decisions, struct field_change **changes,
                       size_t *count, const struct tune_log_line **last, struct weft_error *error) {
    size_t capacity = 0;
    struct decisions now = decisions_copy(arena, decisions);
    *count = 0;
    *last = NULL;
    for (size_t i = 0; i < log->line_count; i++) {
        const struct tune_log_line *line = &log->lines[i];
        for (size_t k = 0; k < line->change_count && line->region == region; k++) {
            *changes = weft_arena_grow(arena, *changes, *count, &capacity, sizeof **changes);
            struct field_change *change = &(*changes)[*count];
            if (!read_change(&line->changes[k], &now, line->number, change, error)) {
                return false;
            }
            decision_set(&now, change->of, change->item, change->field, change->to);
            (*count)++;
        }
        *last = line->region == region ? line : *last;
    }
    return true;
}

/* Are all lines of regions that there are, and in the order in which schedules were tried? */
static bool check_lines(const struct tune_log *log, const struct tuning *tuning,
                        struct weft_error *error) {
    int64_t tried = 0;
    for (size_t i = 0; i < log->line_count; i++) {
        const struct tune_log_line *line = &log->lines[i];
        if (line->tried < tried || line->tried > TUNE_MOST_TRIED || line->milliseconds < 0) {
            return weft_fail(error, WEFT_DECISIONS, line->number,
                             "line %" PRIu64 ": %" PRId64 " schedules after %" PRId64
                             " milliseconds, expected %" PRId64 " to %" PRId64 " after 0 or more",
                             line->number, line->tried, line->milliseconds, tried,
                             (int64_t)TUNE_MOST_TRIED);
        }
        tried = line->tried;
        if (log->lines[i].region < 0 || log->lines[i].region >= tuning_regions(tuning)) {
            return weft_fail(error, WEFT_DECISIONS, log->lines[i].number,
                             "line %" PRIu64 ": region %" PRId64 ", expected 0 to %" PRIu32,
                             log->lines[i].number, log->lines[i].region,
                             tuning_regions(tuning) - 1);
        }
    }
    return true;
}

bool tune_log_cycles(const struct tune_log *log, const struct tuning *tuning, uint64_t *cycles,
                     struct weft_error *error) {
    *cycles = 0;
    if (!check_lines(log, tuning, error)) {
        return false;
    }
    for (uint32_t region = 0; region < tuning_regions(tuning); region++) {
        int64_t last = (int64_t)tuning_region_cycles(tuning, region);
        for (size_t i = 0; i < log->line_count; i++) {
            const struct tune_log_line *line = &log->lines[i];
            if (line->region == region && (line->cycles <= 0 || line->cycles > last)) {
                return weft_fail(error, WEFT_DECISIONS, line->number,
                                 "line %" PRIu64 ": %" PRId64 " cycles, expected 1 to %" PRId64,
                                 line->number, line->cycles, last);
            }
            last = line->region == region ? line->cycles : last;
        }
        *cycles += (uint64_t)last;
    }
    return true;
}

static bool resume_region(struct weft_arena *arena, const struct tune_log *log,
                          struct tuning *tuning, uint32_t region, struct weft_error *error) {
    struct field_change *changes = NULL;
    size_t count = 0;
    const struct tune_log_line *last = NULL;
    bool taken = false;
    const struct decisions *decisions = tuning_best(tuning, region);
    if (!changes_of(arena, log, region, decisions, &changes, &count, &last, error)) {
        return false;
    }
    if (last == NULL) {
        return true;
    }
    uint64_t line = last->number;
    *error = (struct weft_error){0};
    if (!tuning_take(tuning, region, changes, count, tuning_region_cycles(tuning, region), &taken,
                     error)) {
        return false;
    }
    if (!taken && error->code != 0) {
        error->code = WEFT_DECISIONS;
        error->position = line;
        return weft_fail_context(error, "line %" PRIu64, line);
    }
    return (taken && (int64_t)tuning_region_cycles(tuning, region) == last->cycles) ||
           weft_fail(error, WEFT_DECISIONS, line,
                     "line %" PRIu64 ": it says %" PRId64
                     " cycles, but its changes do not come to that here; another version of weft "
                     "wrote it, or it was changed",
                     line, last->cycles);
}

bool tune_log_resume(struct weft_arena *arena, const struct tune_log *log, struct tuning *tuning,
                     struct weft_error *error) {
    if (!check_lines(log, tuning, error)) {
        return false;
    }
    for (uint32_t region = 0; region < tuning_regions(tuning); region++) {
        if (!resume_region(arena, log, tuning, region, error)) {
            return false;
        }
    }
    return true;
}

/* ---- another model ---- */

/* Adds what the log holds for things like one of the region; later lines count. */
static size_t add_changes(struct weft_arena *arena, const struct tune_log *log,
                          const struct region *region, enum field_of of, int item,
                          struct field_change *changes) {
    size_t count = 0;
    const char *like = tune_likeness(arena, region, of, item);
    for (size_t i = 0; i < log->line_count; i++) {
        for (size_t k = 0; k < log->lines[i].change_count; k++) {
            const struct tune_log_change *change = &log->lines[i].changes[k];
            int field = owner_named(change->of) == of ? field_named(of, change->field) : -1;
            if (field < 0 || strcmp(change->like, like) != 0) {
                continue;
            }
            size_t at = 0;
            while (at < count && changes[at].field != field) {
                at++;
            }
            changes[at] = (struct field_change){of, item, field, change->from, change->to};
            count += at == count;
        }
    }
    return count;
}

/* All that the log holds for a layer, its result and its operands. */
static size_t changes_for(struct weft_arena *arena, const struct tune_log *log,
                          const struct region *region, int layer, struct field_change *changes) {
    size_t count = add_changes(arena, log, region, FIELD_OF_LAYER, layer, changes);
    for (uint32_t k = 0; k <= region->layers[layer].input_count && k < 3; k++) {
        int slot = k == region->layers[layer].input_count ? 2 : (int)k;
        count += add_changes(arena, log, region, FIELD_OF_TENSOR, region->tensors_of[layer][slot],
                             &changes[count]);
    }
    return count;
}

static bool transfer_region(struct weft_arena *arena, const struct tune_log *log,
                            struct tuning *tuning, uint32_t index, struct weft_error *error) {
    const struct region *region = tuning_region(tuning, index);
    for (int layer = 0; layer < region->layer_count; layer++) {
        struct field_change changes[CUT_FIELDS + 3 * KEEP_FIELDS];
        bool taken = false;
        size_t count =
            layer_is_idle(region, layer) ? 0 : changes_for(arena, log, region, layer, changes);
        if (count > 0 && !tuning_take(tuning, index, changes, count,
                                      tuning_region_cycles(tuning, index), &taken, error)) {
            return false;
        }
    }
    return true;
}

/* Have all fields that are known values that they can have? */
static bool check_flags(const struct tune_log *log, struct weft_error *error) {
    for (size_t i = 0; i < log->line_count; i++) {
        for (size_t k = 0; k < log->lines[i].change_count; k++) {
            const struct tune_log_change *change = &log->lines[i].changes[k];
            enum field_of of = owner_named(change->of);
            int field = of == FIELD_OWNERS ? -1 : field_named(of, change->field);
            if (field >= 0 && !check_flag(change, of, field, log->lines[i].number, error)) {
                return false;
            }
        }
    }
    return true;
}

bool tune_log_transfer(struct weft_arena *arena, const struct tune_log *log, struct tuning *tuning,
                       struct weft_error *error) {
    if (!check_flags(log, error)) {
        return false;
    }
    for (uint32_t region = 0; region < tuning_regions(tuning); region++) {
        if (!transfer_region(arena, log, tuning, region, error)) {
            return false;
        }
    }
    return true;
}
