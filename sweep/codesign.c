#include "sweep/codesign.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/version.h"
#include "compiler/tune/log.h"
#include "sweep/guide.h"

enum {
    NEW_MACHINES = 4, /* of a round, at most */
    GUIDED = 2,       /* of these: by what a fit says of the whole grid; others are like the best */
    CHANGES = 3,      /* axes in which such a one differs, at most */
    DRAWS = 1000,     /* until there is one that is new, and allowed */
    TUNED = 4,        /* machines that go on to the next round */
    PATIENCE = 256,   /* schedules of each in a round */
    WORSE_IN_100 = 5, /* a new machine is tuned if it takes, as compiled, so much more at most */
    MOST_MACHINES = 1 << 20 /* after so many only schedules are tried */
};

/* A machine that is being tuned. */
struct candidate {
    size_t machine; /* index */
    struct weft_module *module;
    struct tuning *tuning;
    struct weft_text log; /* of what made it faster, for others */
};

struct codesign {
    struct codesign_options options;
    size_t count, capacity;
    struct codesign_machine *machines;
    struct sweep_known *known; /* of the grid; by machine, but the first may not be in it */
    size_t known_count;
    uint64_t state;
    int64_t host_macs, host_elements; /* that the first machine leaves to the host */
    size_t candidate_count;
    struct candidate candidates[TUNED + NEW_MACHINES];
    /* A round: machines that it still has to compile, then candidates in turn. */
    size_t pending_count;
    uint64_t pending[NEW_MACHINES];
    size_t turn;
    uint64_t spent; /* schedules of the candidate whose turn it is */
    bool is_over;   /* the grid has no more */
};

/* ---- machines ---- */

static void config_of(const struct codesign *c, uint64_t number, struct weft_config *config) {
    struct sweep_point point;
    sweep_grid_point(c->options.grid, number, &point);
    sweep_point_config(&point, &c->options.grid->configs[0], config);
}

static double area_of(const struct codesign *c, const struct weft_config *config) {
    return weft_area_of(c->options.area, config).total;
}

/* A machine that can be, and is not too large: of the others nothing is tried. */
static bool is_allowed(const void *context, uint64_t number) {
    const struct codesign *c = context;
    struct weft_config config;
    struct weft_error error;
    config_of(c, number, &config);
    return weft_config_check(&config, &error) && area_of(c, &config) <= c->options.most_area;
}

static bool is_within(const struct codesign *c, const struct codesign_machine *machine) {
    return machine->refused == WEFT_OK && machine->area <= c->options.most_area;
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

static void refuse(struct codesign_machine *machine, const struct weft_error *error) {
    machine->refused = error->code;
    memcpy(machine->message, error->message, sizeof machine->message);
}

/* What the first machine does must be done by the others: cycles of the host are in nobody's. */
static bool check_host(struct codesign *c, const struct weft_module *module,
                       struct weft_error *error) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    if (c->count == 0) {
        c->host_macs = host.macs;
        c->host_elements = host.elements;
    }
    return (host.macs <= c->host_macs && host.elements <= c->host_elements) ||
           weft_fail(error, WEFT_CAPACITY, 0, "it leaves more to the host than the first machine");
}

/* Compiles the model for the next machine. *module: NULL, it is refused. */
static bool compile(struct codesign *c, const struct weft_config *config,
                    struct weft_module **module, struct weft_error *error) {
    struct weft_error refused;
    if (!make_room(c, error)) {
        return false;
    }
    struct codesign_machine *machine = &c->machines[c->count];
    *machine = (struct codesign_machine){.config = *config, .area = area_of(c, config)};
    if (!c->options.compile(c->options.context, config, module, &refused)) {
        *module = NULL;
        if (refused.code == WEFT_OUT_OF_MEMORY || refused.code == WEFT_INTERNAL || c->count == 0) {
            *error = refused;
            return false;
        }
        refuse(machine, &refused);
    } else if (!check_host(c, *module, &refused)) {
        weft_module_free(*module);
        *module = NULL;
        refuse(machine, &refused);
    } else {
        machine->compiled = machine->tuned = weft_module_cycles(*module);
    }
    c->count++;
    return true;
}

/* ---- candidates ---- */

static void close_candidate(struct candidate *candidate) {
    tuning_close(candidate->tuning);
    weft_module_free(candidate->module);
    weft_text_free(&candidate->log);
    *candidate = (struct candidate){0};
}

/* Of two of the list; of equal ones it is the first. */
static bool is_better(const struct codesign_machine *a, const struct codesign_machine *b) {
    return a->tuned != b->tuned ? a->tuned < b->tuned
           : a->area != b->area ? a->area < b->area
                                : a < b;
}

bool codesign_best(const struct codesign *c, size_t *index) {
    bool found = false;
    for (size_t i = 0; i < c->count; i++) {
        const struct codesign_machine *machine = &c->machines[i];
        if (is_within(c, machine) && (!found || is_better(machine, &c->machines[*index]))) {
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
    return is_within(c, machine) && machine->compiled > 0 &&
           (double)machine->compiled <= (double)least * (100 + WORSE_IN_100) / 100;
}

/* Takes over what made the best candidate faster, as far as it makes this one faster. */
static bool take_over(const struct codesign *c, struct candidate *candidate,
                      struct weft_error *error) {
    const struct candidate *from = NULL;
    struct weft_arena arena = {0};
    struct tune_log log;
    for (size_t i = 0; i < c->candidate_count; i++) {
        const struct candidate *other = &c->candidates[i];
        if (from == NULL || is_better(&c->machines[other->machine], &c->machines[from->machine])) {
            from = other;
        }
    }
    if (from == NULL) {
        return true;
    }
    if (setjmp(arena.on_failure)) {
        return weft_arena_failed(&arena, error);
    }
    bool good = tune_log_parse(&arena, from->log.bytes, from->log.length, &log, error) &&
                tune_log_transfer(&arena, &log, candidate->tuning, error);
    weft_arena_free(&arena);
    return good;
}

/* The last machine is to be tuned; the module becomes its own. */
static bool add_candidate(struct codesign *c, struct weft_module *module,
                          struct weft_error *error) {
    struct candidate made = {.machine = c->count - 1, .module = module};
    struct codesign_machine *machine = &c->machines[made.machine];
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
    options.seed += made.machine;
    tune_log_print_head(&made.log, &head);
    if (!weft_text_finish(&made.log, error) ||
        !tuning_open(module, &options, &made.tuning, error) || !take_over(c, &made, error)) {
        close_candidate(&made);
        return false;
    }
    machine->tuned = tuning_cycles(made.tuning);
    c->candidates[c->candidate_count++] = made;
    return true;
}

/* Leaves the best ones: the others only get better, so one that is left behind stays there. */
static void prune(struct codesign *c) {
    while (c->candidate_count > TUNED) {
        size_t worst = 0;
        for (size_t i = 1; i < c->candidate_count; i++) {
            if (is_better(&c->machines[c->candidates[worst].machine],
                          &c->machines[c->candidates[i].machine])) {
                worst = i;
            }
        }
        close_candidate(&c->candidates[worst]);
        c->candidates[worst] = c->candidates[--c->candidate_count];
        c->candidates[c->candidate_count] = (struct candidate){0};
    }
}

/* ---- the beginning ---- */

/* Where in the grid the first machine is; false: nowhere. */
static bool find_number(const struct sweep_definition *grid, uint64_t *number) {
    struct sweep_point point;
    sweep_point_begin(&grid->configs[0], &point);
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

static void know(struct codesign *c, uint64_t number, const struct codesign_machine *machine) {
    bool is_good = machine->refused == WEFT_OK && machine->compiled > 0;
    c->known[c->known_count++] =
        (struct sweep_known){number, is_good ? log((double)machine->compiled) : (double)NAN};
}

static bool begin(struct codesign *c, struct weft_error *error) {
    const struct weft_config *config = &c->options.grid->configs[0];
    struct weft_module *module = NULL;
    uint64_t number = 0;
    if (!compile(c, config, &module, error)) {
        return false;
    }
    if (c->options.most_area == 0) {
        c->options.most_area = c->machines[0].area;
    }
    if (find_number(c->options.grid, &number)) {
        know(c, number, &c->machines[0]);
    }
    if (c->machines[0].area > c->options.most_area) {
        weft_module_free(module);
        return true;
    }
    return add_candidate(c, module, error);
}

bool codesign_open(const struct codesign_options *options, struct codesign **codesign,
                   struct weft_error *error) {
    const struct sweep_definition *grid = options->grid;
    if (grid->config_count != 1) {
        return weft_fail(error, WEFT_SWEEP, 0, "%zu configurations to begin with, expected 1",
                         grid->config_count);
    }
    for (unsigned axis = WEFT_PARAMETERS; axis < SWEEP_AXES; axis++) {
        if (grid->axes[axis].count > 0) {
            return weft_fail(error, WEFT_SWEEP, 0, "%s is no parameter of the machine",
                             sweep_axis_name(axis));
        }
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
        for (size_t i = 0; i < c->candidate_count; i++) {
            close_candidate(&c->candidates[i]);
        }
        free(c->machines);
        free(c->known);
        free(c);
    }
}

/* ---- new machines ---- */

static bool is_new(const struct codesign *c, uint64_t number) {
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
        if (is_new(c, number) && is_allowed(c, number)) {
            c->pending[c->pending_count++] = number;
            return;
        }
    }
}

/* ---- going on ---- */

static bool begin_round(struct codesign *c, struct weft_error *error) {
    const struct sweep_guide_rule rule = {is_allowed, c};
    prune(c);
    c->turn = 0;
    c->spent = 0;
    if (c->is_over || c->count >= MOST_MACHINES) {
        return true;
    }
    if (!sweep_guide(c->options.grid, c->known, c->known_count, &rule, &c->state, GUIDED,
                     c->pending, &c->pending_count, error)) {
        return false;
    }
    while (c->pending_count > 0 && c->pending_count < NEW_MACHINES) {
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
    const struct codesign_machine *machine = &c->machines[c->count - 1];
    know(c, number, machine);
    if (module == NULL || !is_promising(c, machine)) {
        weft_module_free(module);
        return true;
    }
    return add_candidate(c, module, error);
}

static void note_better(void *context, const struct tune_better *better) {
    struct candidate *candidate = context;
    tune_log_print_line(&candidate->log, tuning_region(candidate->tuning, better->region), better,
                        0);
}

static bool tune(struct codesign *c, uint64_t most, struct weft_error *error) {
    struct candidate *candidate = &c->candidates[c->turn];
    struct codesign_machine *machine = &c->machines[candidate->machine];
    uint64_t before = tuning_tried(candidate->tuning);
    if (!tuning_step(candidate->tuning, most, note_better, candidate, error) ||
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

bool codesign_step(struct codesign *c, uint64_t most, bool *more, struct weft_error *error) {
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
