#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "sweep/codesign_log.h"
#include "sweep/codesign_state.h"

enum {
    GUIDED = 2,      /* new machines of a round: by what a fit says of the whole grid; others are
                        like the best */
    CHANGES = 3,     /* axes in which such a one differs, at most */
    DRAWS = 1000,    /* until there is one that is new, and allowed */
    LOOKS = 100000,  /* at a grid, for a machine that can be */
    PATIENCE = 256,  /* schedules of each in a round */
    WORSE_IN_100 = 5 /* a new machine is tuned if it takes, as compiled, so much more at most */
};

const char *const codesign_default_grid[CODESIGN_DEFAULT_AXES] = {"block=8..32",
                                                                  "act_bytes=16K..1M",
                                                                  "wgt_bytes=16K..512K",
                                                                  "acc_bytes=16K..256K",
                                                                  "par_bytes=4K..64K",
                                                                  "act_banks=4..32",
                                                                  "act_rams=1..32",
                                                                  "wgt_banks=2..8",
                                                                  "acc_banks=2..4",
                                                                  "par_banks=1..2",
                                                                  "fetch_buffer=8..64",
                                                                  "queue_depth=2..32",
                                                                  "load_instructions=2..16",
                                                                  "store_instructions=2..16",
                                                                  "matrix_instructions=2..8"};

/* Where a search of a grid begins. */
static const struct weft_config *first_of(const struct sweep_definition *grid) {
    return &grid->configs[grid->common_configs[0]];
}

/* ---- machines ---- */

static void config_of(const struct codesign *c, uint64_t number, struct weft_config *config) {
    struct sweep_point point;
    sweep_grid_point(c->options.grid, number, &point);
    sweep_point_config(&point, first_of(c->options.grid), config);
}

/* A machine that can be, and is not too large: of the others nothing is tried. */
static bool is_allowed(const void *context, uint64_t number) {
    const struct codesign *c = context;
    struct weft_config config;
    struct weft_error error;
    config_of(c, number, &config);
    return weft_config_check(&config, &error) &&
           weft_area_of(c->options.area, &config).total <= c->options.most_area;
}

static void refuse(struct codesign_machine *machine, const struct weft_error *error) {
    machine->is_refused = true;
    memcpy(machine->message, error->message, sizeof machine->message);
}

/* Compiles the model for one more machine. *module: NULL, it is refused. */
static bool compile(struct codesign *c, const struct weft_config *config,
                    struct weft_module **module, struct weft_error *error) {
    struct weft_error refused;
    struct codesign_machine *machine = codesign_add(c, config, error);
    *module = NULL;
    if (machine == NULL) {
        return false;
    }
    if (!c->options.compile(c->options.context, config, module, &refused)) {
        *module = NULL;
        if (refused.code == WEFT_OUT_OF_MEMORY || refused.code == WEFT_INTERNAL || c->count == 1) {
            *error = refused;
            return false;
        }
        refuse(machine, &refused);
    } else if (!codesign_check_host(c, *module, &refused)) {
        weft_module_free(*module);
        *module = NULL;
        refuse(machine, &refused);
    } else {
        machine->compiled = machine->tuned = weft_module_cycles(*module);
    }
    return true;
}

bool codesign_best(const struct codesign *c, size_t *index) {
    bool found = false;
    for (size_t i = 0; i < c->count; i++) {
        const struct codesign_machine *machine = &c->machines[i];
        if (codesign_is_within(c, machine) &&
            (!found || codesign_is_better(machine, &c->machines[*index]))) {
            *index = i;
            found = true;
        }
    }
    return found;
}

/* Is a new machine worth to be tuned? What tuning won for others counts for neither. */
static bool is_promising(const struct codesign *c, const struct codesign_machine *machine) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < c->candidate_count; i++) {
        const struct codesign_machine *other = &c->machines[c->candidates[i].machine];
        least = other->compiled < least ? other->compiled : least;
    }
    return codesign_is_within(c, machine) && machine->compiled > 0 &&
           (double)machine->compiled <= (double)least * (100 + WORSE_IN_100) / 100;
}

/* ---- the beginning ---- */

static bool begin(struct codesign *c, struct weft_error *error) {
    const struct weft_config *config = first_of(c->options.grid);
    struct weft_module *module = NULL;
    if (!compile(c, config, &module, error)) {
        return false;
    }
    (void)snprintf(c->model, sizeof c->model, "%s", module->model_name);
    c->model_fingerprint = module->fingerprint;
    c->frames = module->frames;
    c->one_by_one = module->one_by_one;
    if (c->options.most_area == 0) {
        c->options.most_area = c->machines[0].area;
    }
    codesign_know(c, &c->machines[0]);
    if (c->machines[0].area > c->options.most_area) {
        weft_module_free(module);
        return true;
    }
    if (!codesign_add_candidate(c, 0, module, NULL, error)) {
        weft_module_free(module);
        return false;
    }
    return true;
}

/* Is there a machine in the grid that can be, as far as one looks? What can not is not tried. */
static bool has_machine(const struct sweep_definition *grid, struct weft_error *error) {
    uint64_t size = sweep_grid_size(grid);
    bool found = false;
    for (uint64_t i = 0; !found && i < size && i < LOOKS; i++) {
        struct weft_config config;
        struct sweep_point point;
        sweep_grid_point(grid, i, &point);
        sweep_point_config(&point, first_of(grid), &config);
        found = weft_config_check(&config, error);
    }
    return found || size > LOOKS || weft_fail_context(error, "no machine of the grid can be");
}

bool codesign_open(const struct codesign_options *options, struct codesign **codesign,
                   struct weft_error *error) {
    const struct sweep_definition *grid = options->grid;
    if (grid->common_config_count != 1) {
        return weft_fail(error, WEFT_SWEEP, 0, "%zu configurations to begin with, expected 1",
                         grid->common_config_count);
    }
    if (grid->common_model_count > 0) {
        return weft_fail(error, WEFT_SWEEP, 0, "model is no parameter of the machine");
    }
    for (unsigned axis = WEFT_PARAMETERS; axis < SWEEP_AXES; axis++) {
        if (grid->axes[axis].count > 0) {
            return weft_fail(error, WEFT_SWEEP, 0, "%s is no parameter of the machine",
                             sweep_axis_name(axis));
        }
    }
    if (!sweep_grid_check(grid, error) || !has_machine(grid, error)) {
        return false;
    }
    struct codesign *made = weft_allocate(1, sizeof *made, "a search of machines", error);
    if (made == NULL) {
        return false;
    }
    made->options = *options;
    made->state = options->tune.seed;
    if (!begin(made, error)) {
        codesign_close(made);
        return false;
    }
    made->turn = made->candidate_count; /* the first round begins with other machines */
    *codesign = made;
    return true;
}

void codesign_close(struct codesign *c) {
    if (c != NULL) {
        codesign_close_candidates(c);
        weft_text_free(&c->lines);
        free(c->machines);
        free(c->known);
        free(c);
    }
}

/* ---- new machines ---- */

/* The combination with another value of an axis that is drawn. */
static uint64_t change_axis(struct codesign *c, uint64_t number) {
    const struct sweep_definition *grid = c->options.grid;
    uint64_t axes = 0;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        axes += grid->axes[axis].count > 1;
    }
    uint64_t left = axes == 0 ? 0 : weft_random(&c->state) % axes;
    uint64_t step = 1;
    for (unsigned axis = SWEEP_AXES; axes > 0 && axis-- > 0;) { /* the last one has the step 1 */
        uint64_t count = grid->axes[axis].count;
        if (count > 1 && left-- == 0) {
            uint64_t now = number / step % count;
            uint64_t other = weft_random(&c->state) % (count - 1);
            return number - now * step + (other + (other >= now)) * step;
        }
        step *= count > 0 ? count : 1;
    }
    return number;
}

/* Adds a machine that differs a little from the best one of the grid. */
static void add_like_the_best(struct codesign *c) {
    const struct sweep_known *best = NULL;
    for (size_t i = 0; i < c->known_count; i++) {
        if (!isnan(c->known[i].objective) &&
            (best == NULL || c->known[i].objective < best->objective)) {
            best = &c->known[i];
        }
    }
    for (int i = 0; best != NULL && i < DRAWS; i++) {
        uint64_t number = best->number;
        for (uint64_t changes = 1 + weft_random(&c->state) % CHANGES; changes > 0; changes--) {
            number = change_axis(c, number);
        }
        if (codesign_is_new(c, number) && is_allowed(c, number)) {
            c->pending[c->pending_count++] = number;
            return;
        }
    }
}

/* ---- going on ---- */

static bool begin_round(struct codesign *c, struct weft_error *error) {
    const struct sweep_guide_rule rule = {is_allowed, c};
    codesign_prune(c);
    c->turn = 0;
    c->spent = 0;
    if (c->is_over || c->count >= CODESIGN_MOST_MACHINES) {
        return true;
    }
    if (!sweep_guide(c->options.grid, c->known, c->known_count, &rule, &c->state, GUIDED,
                     c->pending, &c->pending_count, error)) {
        return false;
    }
    while (c->pending_count > 0 && c->pending_count < CODESIGN_NEW) {
        size_t before = c->pending_count;
        add_like_the_best(c);
        if (c->pending_count == before) {
            break;
        }
    }
    c->is_over = c->pending_count == 0;
    return true;
}

static bool try_machine(struct codesign *c, uint64_t number, struct weft_error *error) {
    struct weft_config config;
    struct weft_module *module = NULL;
    config_of(c, number, &config);
    if (!compile(c, &config, &module, error)) {
        return false;
    }
    size_t index = c->count - 1;
    const struct codesign_machine *machine = &c->machines[index];
    codesign_know(c, machine);
    if (c->options.write != NULL) {
        codesign_log_print_machine(&c->lines, index, machine, &c->machines[0].config);
    }
    if (module == NULL || !is_promising(c, machine)) {
        weft_module_free(module);
        return true;
    }
    if (!codesign_add_candidate(c, index, module, NULL, error)) {
        weft_module_free(module);
        return false;
    }
    return true;
}

struct noted {
    struct codesign *codesign;
    struct candidate *candidate;
};

static void note_better(void *context, const struct tune_better *better) {
    const struct noted *noted = context;
    codesign_note(noted->codesign, noted->candidate, better, true);
}

static bool tune(struct codesign *c, uint64_t most, struct weft_error *error) {
    struct candidate *candidate = &c->candidates[c->turn];
    struct codesign_machine *machine = &c->machines[candidate->machine];
    uint64_t before = tuning_tried(candidate->tuning);
    struct noted noted = {c, candidate};
    if (!tuning_step(candidate->tuning, most, note_better, &noted, error) ||
        !weft_text_finish(&candidate->log, error)) {
        return false;
    }
    uint64_t tried = tuning_tried(candidate->tuning) - before;
    machine->tuned = tuning_cycles(candidate->tuning);
    machine->tried += tried;
    c->spent += tried;
    if (c->spent >= PATIENCE) {
        c->turn++;
        c->spent = 0;
    }
    return true;
}

static bool step(struct codesign *c, uint64_t most, bool *more, struct weft_error *error) {
    *more = true;
    if (c->pending_count == 0 && c->turn >= c->candidate_count && !begin_round(c, error)) {
        return false;
    }
    if (c->pending_count > 0) {
        return try_machine(c, c->pending[--c->pending_count], error);
    }
    if (c->candidate_count > 0) {
        return tune(c, most < CODESIGN_SCHEDULES ? most : CODESIGN_SCHEDULES, error);
    }
    *more = false; /* the grid has no more machines, and none that can be tuned */
    return true;
}

bool codesign_step(struct codesign *c, uint64_t most, bool *more, struct weft_error *error) {
    bool good = step(c, most, more, error);
    if (good && c->lines.length > 0) {
        good = weft_text_finish(&c->lines, error) &&
               c->options.write(c->options.write_context, &c->lines, error);
    }
    weft_text_free(&c->lines);
    return good;
}

/* ---- what was found ---- */

size_t codesign_count(const struct codesign *c) {
    return c->count;
}

const struct codesign_machine *codesign_machine(const struct codesign *c, size_t index) {
    return &c->machines[index];
}

double codesign_most_area(const struct codesign *c) {
    return c->options.most_area;
}

uint64_t codesign_tried(const struct codesign *c) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        sum += c->machines[i].tried;
    }
    return sum;
}

bool codesign_decisions(const struct codesign *c, struct weft_text *text,
                        struct weft_error *error) {
    size_t best = 0;
    bool found = codesign_best(c, &best);
    for (size_t i = 0; found && i < c->candidate_count; i++) {
        if (c->candidates[i].machine == best) {
            return tuning_decisions(c->candidates[i].tuning, text, error);
        }
    }
    return weft_fail(error, WEFT_ARGUMENT, 0, "no machine of the grid is within %.0f %s",
                     c->options.most_area, c->options.area->unit);
}
