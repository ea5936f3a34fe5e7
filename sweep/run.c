#include "sweep/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sanitizer.h"
#include "sweep/guide.h"
#include "sweep/pool.h"
#include "sweep/slurm.h"
#include "sweep/store.h"

struct run {
    const struct sweep_definition *definition;
    const struct sweep_options *options;
    const char *path;
    struct sweep_models models;
    struct sweep_store *store;
    struct sweep_tally *tally;
    struct sweep_point *pending; /* points that are being run */
    size_t pending_count;
    struct sweep_cache cache; /* of a worker */
    struct weft_error *error;
};

static bool tell(const struct run *run) {
    return run->options->progress == NULL ||
           run->options->progress(run->options->context, run->tally, run->error);
}

/* ---- which points are to be run ---- */

/* A point, and its model: by name, or by what is in it. */
struct sorted {
    uint64_t model;
    const struct sweep_point *point;
};

static int order_of_points(const void *a, const void *b) {
    const struct sorted *x = a;
    const struct sorted *y = b;
    int order = (x->model > y->model) - (x->model < y->model);
    order =
        order != 0 ? order : memcmp(x->point->values, y->point->values, sizeof x->point->values);
    return order != 0 ? order : (x->point > y->point) - (x->point < y->point);
}

/* Which points are the same as one before them, of the same model by its name or, `by_content`, by
 * its fingerprint. */
static bool find_repeated(const struct run *run, const struct sweep_point *points, size_t count,
                          bool by_content, bool *is_repeated) {
    struct sorted *order = weft_allocate(count, sizeof *order, "points", run->error);
    if (order == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t model = points[i].model;
        order[i] =
            (struct sorted){by_content ? run->models.list[model].fingerprint : model, &points[i]};
    }
    qsort(order, count, sizeof *order, order_of_points);
    for (size_t i = 1; i < count; i++) {
        const struct sweep_point *point = order[i].point;
        is_repeated[point - points] =
            order[i].model == order[i - 1].model &&
            memcmp(point->values, order[i - 1].point->values, sizeof point->values) == 0;
    }
    free(order);
    return true;
}

/* Leaves the first of points that are the same; *count becomes how many there are. */
static bool drop_repeated(const struct run *run, struct sweep_point *points, size_t *count) {
    size_t kept = 0;
    bool *is_repeated = weft_allocate(*count, sizeof *is_repeated, "points", run->error);
    bool good = is_repeated != NULL && find_repeated(run, points, *count, false, is_repeated);
    for (size_t i = 0; good && i < *count; i++) {
        points[kept] = points[i];
        kept += !is_repeated[i];
    }
    free(is_repeated);
    *count = good ? kept : *count;
    return good;
}

/* Adds energy and area, as far as they are asked for. */
static void add_estimates(const struct sweep_options *options, struct sweep_row *row) {
    if (options->technology != NULL) {
        sweep_row_energy(row, options->technology, options->clock);
    }
    if (options->area != NULL) {
        sweep_row_area(row, options->area);
    }
}

/* Gives a row that is there what it lacks of them. */
static bool fill_in(struct run *run, struct sweep_row *row) {
    bool lacks = (run->options->technology != NULL && isnan(row->energy)) ||
                 (run->options->area != NULL && isnan(row->area));
    if (row->error_code[0] != '\0' || !lacks) {
        return true;
    }
    add_estimates(run->options, row);
    return sweep_store_put(run->store, row, run->error);
}

/* Is the point to be run: has the file no row of it, or one that is an error and tried again? */
static bool is_wanted(struct run *run, const struct sweep_point *point, bool *wanted) {
    struct sweep_row row;
    bool found = false;
    sweep_row_begin(&run->models, point, &row);
    if (!sweep_store_find(run->store, &row, &found, run->error)) {
        return false;
    }
    *wanted = !found || (run->options->retry && row.error_code[0] != '\0');
    return !found || fill_in(run, &row);
}

/* Leaves the points of the options' part that the file does not have. One whose model is another
 * name of that of one before it is there when that one is. */
static bool keep_unknown(struct run *run, struct sweep_point *points, size_t *count) {
    const struct sweep_options *options = run->options;
    size_t kept = 0;
    bool *is_repeated = weft_allocate(*count, sizeof *is_repeated, "points", run->error);
    bool good = is_repeated != NULL && find_repeated(run, points, *count, true, is_repeated);
    for (size_t i = 0; good && i < *count; i++) {
        bool wanted = false;
        if (options->parts > 0 && i % options->parts != options->part - 1) {
            continue;
        }
        good = is_repeated[i] || is_wanted(run, &points[i], &wanted);
        run->tally->points++;
        run->tally->known += !wanted;
        points[kept] = points[i];
        kept += wanted;
    }
    free(is_repeated);
    *count = kept;
    return good;
}

/* ---- running them ---- */

static void work(void *context, const void *request, void *reply) {
    struct run *run = context;
    sweep_measure(&run->models, request, &run->cache, reply);
}

/* What a worker could not say itself. */
static void take_outcome(const struct run *run, enum sweep_outcome outcome, int detail,
                         struct sweep_result *result) {
    if (outcome == SWEEP_LATE) {
        *result = (struct sweep_result){.code = WEFT_TIMEOUT, .seconds = run->options->seconds};
        (void)snprintf(result->message, sizeof result->message, "it took longer than %g seconds",
                       run->options->seconds);
    } else {
        *result = (struct sweep_result){.code = WEFT_INTERNAL};
        (void)snprintf(result->message, sizeof result->message,
                       detail > 0 ? "its process ended by signal %d" : "its process ended", detail);
    }
}

static bool done(void *context, size_t index, enum sweep_outcome outcome, int detail,
                 const void *reply, struct weft_error *error) {
    struct run *run = context;
    struct sweep_row row;
    struct sweep_result result;
    if (outcome == SWEEP_DONE) {
        memcpy(&result, reply, sizeof result);
    } else {
        take_outcome(run, outcome, detail, &result);
    }
    sweep_row_begin(&run->models, &run->pending[index], &row);
    sweep_row_take(&row, &result);
    add_estimates(run->options, &row);
    if (!sweep_store_put(run->store, &row, error)) {
        return false;
    }
    run->tally->ran++;
    run->tally->refused += row.error_code[0] != '\0';
    return tell(run);
}

/* Of the address space of a worker: what a compilation may take, and what a process has anyway. */
static uint64_t address_limit(uint64_t bytes) {
    return WEFT_LIMITS_ADDRESSES != 0 ? 2 * weft_memory_limit(bytes) + (UINT64_C(1) << 30) : 0;
}

static bool run_here(struct run *run) {
    const struct sweep_options *options = run->options;
    const struct sweep_pool pool = {.workers =
                                        options->workers == 0 ? weft_cores() : options->workers,
                                    .seconds = options->seconds,
                                    .bytes = address_limit(options->bytes),
                                    .request_size = sizeof(struct sweep_point),
                                    .reply_size = sizeof(struct sweep_result),
                                    .context = run,
                                    .work = work,
                                    .done = done};
    return sweep_pool_run(&pool, run->pending, run->pending_count, run->error);
}

static bool run_on_slurm(struct run *run) {
    if (!sweep_slurm_run(run->definition, run->pending, run->pending_count, run->path, run->options,
                         run->store, run->error)) {
        return false;
    }
    for (size_t i = 0; i < run->pending_count; i++) {
        struct sweep_row row;
        bool found = false;
        sweep_row_begin(&run->models, &run->pending[i], &row);
        if (!sweep_store_find(run->store, &row, &found, run->error)) {
            return false;
        }
        run->tally->ran += found;
        run->tally->refused += found && row.error_code[0] != '\0';
        if (!found) {
            return weft_fail(run->error, WEFT_TARGET, 0,
                             "Slurm's job ended without all points; %.200s.slurm has what its "
                             "tasks said",
                             run->path);
        }
    }
    return tell(run);
}

/* Runs those of the points that the file does not have; the list becomes theirs. */
static bool run_points(struct run *run, struct sweep_point *points, size_t count) {
    if (!drop_repeated(run, points, &count) || !keep_unknown(run, points, &count)) {
        return false;
    }
    run->pending = points;
    run->pending_count = count;
    if (!tell(run)) {
        return false;
    }
    return count == 0 || (run->options->slurm > 0 ? run_on_slurm(run) : run_here(run));
}

/* ---- guided points ---- */

static double metric_of(const struct sweep_row *row, enum sweep_objective objective) {
    double cycles = log(sweep_row_cycles(row));
    switch (objective) {
    case SWEEP_OBJECTIVE_CYCLES:
        return cycles;
    case SWEEP_OBJECTIVE_ENERGY:
        return log(sweep_row_microjoules(row));
    case SWEEP_OBJECTIVE_CYCLES_AREA:
        return cycles + log(row->area);
    case SWEEP_OBJECTIVE_CYCLES_ENERGY:
        return cycles + log(sweep_row_microjoules(row));
    case SWEEP_OBJECTIVE_COUNT:
        break;
    }
    return NAN;
}

/* Guided points, and what each of them comes to for each model: metric_of(), NAN where it is
 * refused, -INFINITY where the machine has nothing to do. */
struct guided {
    size_t count;
    struct sweep_known *known;
    double *metrics; /* [count][models] */
};

static bool find_metrics(struct run *run, uint64_t number, double *metrics) {
    struct sweep_point point;
    sweep_grid_point(run->definition, number, &point);
    for (size_t model = 0; model < run->definition->common_model_count; model++) {
        struct sweep_row row;
        bool found = false;
        point.model = run->definition->common_models[model];
        sweep_row_begin(&run->models, &point, &row);
        if (!sweep_store_find(run->store, &row, &found, run->error)) {
            return false;
        }
        if (found) {
            add_estimates(run->options, &row);
        }
        bool has_figures = found && row.error_code[0] == '\0';
        metrics[model] = !has_figures      ? (double)NAN
                         : row.cycles == 0 ? -(double)INFINITY
                                           : metric_of(&row, run->definition->objective);
    }
    return true;
}

/* Does no machine that is known do anything of a model? It then says nothing about machines. */
static bool is_idle(const struct guided *guided, size_t models, size_t model) {
    for (size_t i = 0; i < guided->count; i++) {
        double metric = guided->metrics[i * models + model];
        if (!isnan(metric) && !isinf(metric)) {
            return false;
        }
    }
    return true;
}

/* The objectives of all combinations, from the rows of all models; refused where one of them is, or
 * leaves all of a model to the host that others run: it would win by doing nothing. */
static void find_objectives(struct guided *guided, size_t models) {
    for (size_t i = 0; i < guided->count; i++) {
        guided->known[i].objective = 0;
    }
    for (size_t model = 0; model < models; model++) {
        bool idle = is_idle(guided, models, model);
        for (size_t i = 0; i < guided->count; i++) {
            double metric = guided->metrics[i * models + model];
            guided->known[i].objective += !isinf(metric) ? metric : idle ? 0 : (double)NAN;
        }
    }
}

static bool run_batch(struct run *run, const uint64_t *numbers, size_t count) {
    const struct sweep_definition *d = run->definition;
    size_t models = d->common_model_count;
    struct sweep_point *points =
        weft_allocate(count * models, sizeof *points, "points", run->error);
    if (points == NULL) {
        return false;
    }
    for (size_t i = 0; i < count * models; i++) {
        sweep_grid_point(d, numbers[i / models], &points[i]);
        points[i].model = d->common_models[i % models];
    }
    bool good = run_points(run, points, count * models);
    free(points);
    return good;
}

static bool guide_batch(struct run *run, struct guided *guided, uint64_t *state) {
    uint64_t numbers[SWEEP_GUIDE_BATCH];
    const struct sweep_guide_rule all = {.allowed = NULL};
    size_t models = run->definition->common_model_count;
    size_t left = (size_t)run->definition->guided - guided->count;
    size_t count = 0;
    if (!sweep_guide(run->definition, guided->known, guided->count, &all, state,
                     left < SWEEP_GUIDE_BATCH ? left : SWEEP_GUIDE_BATCH, numbers, &count,
                     run->error) ||
        !run_batch(run, numbers, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        guided->known[guided->count].number = numbers[i];
        if (!find_metrics(run, numbers[i], guided->metrics + guided->count * models)) {
            return false;
        }
        guided->count++;
    }
    find_objectives(guided, models);
    return true;
}

/* Chooses again what was chosen before: only rows of these points say what comes next, so a sweep
 * that was killed goes on where it was. */
static bool run_guided(struct run *run) {
    size_t most = (size_t)run->definition->guided;
    uint64_t state = run->definition->seed;
    struct guided guided = {
        .known = weft_allocate(most, sizeof *guided.known, "known points", run->error),
        .metrics = weft_allocate(most * run->definition->common_model_count, sizeof *guided.metrics,
                                 "known points", run->error)};
    bool good = guided.known != NULL && guided.metrics != NULL;
    while (good && guided.count < most) {
        good = guide_batch(run, &guided, &state);
    }
    free(guided.known);
    free(guided.metrics);
    return good;
}

/* ---- the way in ---- */

/* Can a row of the file stand beside those that the sweep will make, which are like `own` (with a
 * clock of its own) and `other`? Where a sweep makes no such rows their technology is "". */
static bool check_beside(const struct sweep_row *row, const struct sweep_row *own,
                         const struct sweep_row *other, struct weft_error *error) {
    const struct sweep_row all[3] = {*row, *own, *other};
    size_t before = 0;
    size_t index = sweep_find_other_energy(all, 3, &before);
    if (index < 3) {
        return weft_fail(error, WEFT_SWEEP, (uint64_t)row->id,
                         "it has energies of %.60s, and these would be of %.60s: give the same "
                         "technology and clock, or another file",
                         row->technology, all[index].technology);
    }
    return row->area_unit[0] == '\0' || own->area_unit[0] == '\0' ||
           strcmp(row->area_unit, own->area_unit) == 0 ||
           weft_fail(error, WEFT_SWEEP, (uint64_t)row->id,
                     "it has areas of %.60s, and these would be of %.60s: give the same target, or "
                     "another file",
                     row->area_unit, own->area_unit);
}

/* Are the energies and areas that the sweep adds such as can stand in one file, and in this one? */
static bool check_estimates(struct run *run) {
    const struct sweep_options *options = run->options;
    struct sweep_row own = {.values[SWEEP_AXIS_clock] = SWEEP_CLOCK_OF_DRAM};
    struct sweep_row other = {.id = 0};
    struct sweep_row *kinds = NULL;
    size_t count = 0;
    bool any_own = false;
    bool any_other = false;
    sweep_clocks(run->definition, &any_own, &any_other);
    if (options->technology != NULL && options->clock == 0 && any_own && any_other) {
        return weft_fail(run->error, WEFT_SWEEP, 0,
                         "points with a clock of their own have leakage in their energy, and "
                         "others have not: give a clock for these");
    }
    if (options->technology != NULL && any_own) {
        sweep_row_name_energy(&own, options->technology, options->clock);
    }
    if (options->technology != NULL && any_other) {
        sweep_row_name_energy(&other, options->technology, options->clock);
    }
    if (options->area != NULL) {
        sweep_row_name_area(&own, options->area);
    }
    if (!sweep_store_kinds(run->store, &kinds, &count, run->error)) {
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = check_beside(&kinds[i], &own, &other, run->error);
    }
    free(kinds);
    return good;
}

static bool run_all(struct run *run) {
    struct sweep_point *points = NULL;
    size_t count = 0;
    if (!check_estimates(run)) {
        return false;
    }
    if (run->options->slurm > 0 && !sweep_slurm_resume(run->path, run->store, run->error)) {
        return false;
    }
    if (!sweep_points(run->definition, &points, &count, run->error)) {
        return false;
    }
    bool good = run_points(run, points, count);
    free(points);
    return good && (run->definition->guided == 0 || run_guided(run));
}

bool sweep_run(const struct sweep_definition *definition, const char *path,
               const struct sweep_options *options, struct sweep_tally *tally,
               struct weft_error *error) {
    struct run run = {
        .definition = definition, .options = options, .path = path, .tally = tally, .error = error};
    *tally = (struct sweep_tally){0};
    if (options->parts > 0 && definition->guided > 0) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         "guided points depend on each other: they have no parts");
    }
    if (options->clock > 0 && options->technology == NULL) {
        return weft_fail(
            error, WEFT_SWEEP, 0,
            "a clock is for the leakage of a technology, and there is none; weft sweep "
            "show --clock shows times");
    }
    bool needs_energy = definition->objective == SWEEP_OBJECTIVE_ENERGY ||
                        definition->objective == SWEEP_OBJECTIVE_CYCLES_ENERGY;
    bool needs_area = definition->objective == SWEEP_OBJECTIVE_CYCLES_AREA;
    if (definition->guided > 0 &&
        ((needs_energy && options->technology == NULL) || (needs_area && options->area == NULL))) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         "points cannot be guided by %s, which is not known without a %s",
                         needs_area ? "area" : "energy", needs_area ? "target" : "technology");
    }
    if (!sweep_models_read(definition, options->bytes, options->read_constant, &run.models,
                           error)) {
        return false;
    }
    tally->models = run.models.count;
    for (size_t i = 0; i < run.models.count; i++) {
        tally->unread += run.models.list[i].bytes == NULL;
    }
    bool good = sweep_store_open(path, true, &run.store, error) && run_all(&run);
    sweep_store_close(run.store);
    sweep_models_free(&run.models);
    return good;
}
