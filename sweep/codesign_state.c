#include "sweep/codesign_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "sweep/codesign_log.h"

/* ---- machines ---- */

bool codesign_is_within(const struct codesign *c, const struct codesign_machine *machine) {
    return !machine->is_refused && machine->area <= c->options.most_area;
}

bool codesign_is_better(const struct codesign_machine *a, const struct codesign_machine *b) {
    return a->tuned != b->tuned ? a->tuned < b->tuned
           : a->area != b->area ? a->area < b->area
                                : a < b;
}

/* Room for one more machine. */
static bool make_room(struct codesign *c, struct weft_error *error) {
    if (c->count < c->capacity) {
        return true;
    }
    size_t capacity = c->capacity == 0 ? 64 : 2 * c->capacity;
    void *machines = realloc(c->machines, capacity * sizeof *c->machines);
    c->machines = machines == NULL ? c->machines : machines;
    void *known = realloc(c->known, capacity * sizeof *c->known);
    c->known = known == NULL ? c->known : known;
    if (machines == NULL || known == NULL) {
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for %zu machines", capacity);
    }
    c->capacity = capacity;
    return true;
}

struct codesign_machine *codesign_add(struct codesign *c, const struct weft_config *config,
                                      struct weft_error *error) {
    if (!make_room(c, error)) {
        return NULL;
    }
    struct codesign_machine *machine = &c->machines[c->count++];
    *machine = (struct codesign_machine){.config = *config,
                                         .area = weft_area_of(c->options.area, config).total};
    return machine;
}

bool codesign_check_host(struct codesign *c, const struct weft_module *module,
                         struct weft_error *error) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    if (c->count == 1) {
        c->host_macs = host.macs;
        c->host_elements = host.elements;
    }
    return (host.macs <= c->host_macs && host.elements <= c->host_elements) ||
           weft_fail(error, WEFT_CAPACITY, 0, "it leaves more to the host than the first machine");
}

/* Where in the grid a machine is; false: nowhere. */
static bool find_number(const struct sweep_definition *grid, const struct weft_config *config,
                        uint64_t *number) {
    struct sweep_point point;
    sweep_point_begin(config, &point);
    *number = 0;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        const struct sweep_values *values = &grid->axes[axis];
        size_t i = 0;
        while (i < values->count && values->list[i] != point.values[axis]) {
            i++;
        }
        if (values->count > 0 && i == values->count) {
            return false;
        }
        *number = values->count > 0 ? *number * values->count + i : *number;
    }
    return true;
}

bool codesign_is_new(const struct codesign *c, uint64_t number) {
    for (size_t i = 0; i < c->known_count; i++) {
        if (c->known[i].number == number) {
            return false;
        }
    }
    for (size_t i = 0; i < c->pending_count; i++) {
        if (c->pending[i] == number) {
            return false;
        }
    }
    return true;
}

void codesign_know(struct codesign *c, const struct codesign_machine *machine) {
    bool is_good = !machine->is_refused && machine->compiled > 0;
    uint64_t number = 0;
    if (find_number(c->options.grid, &machine->config, &number) && codesign_is_new(c, number)) {
        c->known[c->known_count++] =
            (struct sweep_known){number, is_good ? log((double)machine->compiled) : (double)NAN};
    }
}

/* ---- candidates ---- */

static void close_candidate(struct candidate *candidate) {
    tuning_close(candidate->tuning);
    weft_module_free(candidate->module);
    weft_text_free(&candidate->log);
    *candidate = (struct candidate){0};
}

/* Takes over what made the best candidate faster, as far as it makes this one faster. */
static bool take_over(const struct codesign *c, struct weft_arena *arena,
                      struct candidate *candidate, struct weft_error *error) {
    const struct candidate *from = NULL;
    struct tune_log log;
    for (size_t i = 0; i < c->candidate_count; i++) {
        const struct candidate *other = &c->candidates[i];
        if (from == NULL ||
            codesign_is_better(&c->machines[other->machine], &c->machines[from->machine])) {
            from = other;
        }
    }
    return from == NULL || (tune_log_parse(arena, from->log.bytes, from->log.length, &log, error) &&
                            tune_log_transfer(arena, &log, candidate->tuning, error));
}

void codesign_note(struct codesign *c, struct candidate *candidate,
                   const struct tune_better *better, bool is_new) {
    const struct region *region = tuning_region(candidate->tuning, better->region);
    struct tune_better all = *better;
    all.tried += candidate->tried;
    tune_log_print_line(&candidate->log, region, &all, 0);
    if (is_new && c->options.write != NULL) {
        codesign_log_print_better(&c->lines, candidate->machine, tuning_cycles(candidate->tuning),
                                  region, &all);
    }
}

/* Begins with a log of its own, or with that of another. */
static bool begin_candidate(struct codesign *c, struct candidate *candidate,
                            const struct tune_log *log, struct weft_error *error) {
    struct weft_arena arena = {0};
    uint32_t count = tuning_regions(candidate->tuning);
    if (setjmp(arena.on_failure)) {
        return weft_arena_failed(&arena, error);
    }
    struct decisions *begun = WEFT_NEW_ARRAY(&arena, count, struct decisions);
    for (uint32_t i = 0; i < count; i++) {
        begun[i] = decisions_copy(&arena, tuning_best(candidate->tuning, i));
    }
    bool good = log == NULL ? take_over(c, &arena, candidate, error)
                            : tune_log_resume(&arena, log, candidate->tuning, error);
    for (uint32_t i = 0; good && i < count; i++) {
        struct field_change *changes = NULL;
        struct tune_better taken = {.region = i,
                                    .cycles = tuning_region_cycles(candidate->tuning, i),
                                    .what = "taken over"};
        taken.count =
            decisions_compare(&arena, &begun[i], tuning_best(candidate->tuning, i), &changes);
        taken.changes = changes;
        if (taken.count > 0) {
            codesign_note(c, candidate, &taken, log == NULL);
        }
    }
    weft_arena_free(&arena);
    return good && weft_text_finish(&candidate->log, error);
}

bool codesign_add_candidate(struct codesign *c, size_t index, struct weft_module *module,
                            const struct tune_log *log, struct weft_error *error) {
    struct codesign_machine *machine = &c->machines[index];
    struct candidate made = {.machine = index, .module = module, .tried = machine->tried};
    const struct tune_log_head head = {.version = TUNE_LOG_VERSION,
                                       .model = module->model_name,
                                       .model_fingerprint = "",
                                       .config = module->config.name,
                                       .config_fingerprint = "",
                                       .compiler = weft_version,
                                       .strategy = "climb",
                                       .frames = 1,
                                       .effort = 1,
                                       .cycles = (int64_t)machine->compiled};
    struct tune_options options = c->options.tune;
    options.seed += index + machine->tried;
    tune_log_print_head(&made.log, &head);
    if (!tuning_open(module, &options, &made.tuning, error) ||
        !begin_candidate(c, &made, log, error)) {
        made.module = NULL; /* the caller's */
        close_candidate(&made);
        return false;
    }
    machine->tuned = tuning_cycles(made.tuning);
    c->candidates[c->candidate_count++] = made;
    return true;
}

void codesign_close_candidates(struct codesign *c) {
    for (size_t i = 0; i < c->candidate_count; i++) {
        close_candidate(&c->candidates[i]);
    }
    c->candidate_count = 0;
}

void codesign_prune(struct codesign *c) {
    while (c->candidate_count > CODESIGN_TUNED) {
        size_t worst = 0;
        for (size_t i = 1; i < c->candidate_count; i++) {
            if (codesign_is_better(&c->machines[c->candidates[worst].machine],
                                   &c->machines[c->candidates[i].machine])) {
                worst = i;
            }
        }
        close_candidate(&c->candidates[worst]);
        c->candidates[worst] = c->candidates[--c->candidate_count];
        c->candidates[c->candidate_count] = (struct candidate){0};
    }
}
