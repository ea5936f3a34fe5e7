#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "sweep/definition.h"

uint64_t sweep_grid_size(const struct sweep_definition *definition) {
    uint64_t size = definition->common_config_count;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        uint64_t count = definition->axes[axis].count;
        if (count > 0) {
            size = size > UINT64_MAX / count ? UINT64_MAX : size * count;
        }
    }
    return size;
}

bool sweep_grid_check(const struct sweep_definition *definition, struct weft_error *error) {
    return sweep_grid_size(definition) < UINT64_MAX ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "the grid has 2^64 combinations or more, which have no numbers of 64 bits; "
                     "give its axes fewer values");
}

void sweep_grid_point(const struct sweep_definition *definition, uint64_t number,
                      struct sweep_point *point) {
    uint64_t rest = number;
    uint32_t chosen[SWEEP_AXES] = {0};
    for (unsigned axis = SWEEP_AXES; axis-- > 0;) { /* the last one changes from point to point */
        uint64_t count = definition->axes[axis].count;
        chosen[axis] = count == 0 ? 0 : (uint32_t)(rest % count);
        rest = count == 0 ? rest : rest / count;
    }
    uint32_t config = definition->common_configs[rest % definition->common_config_count];
    sweep_point_begin(&definition->configs[config], point);
    point->config = config;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        if (definition->axes[axis].count > 0) {
            point->values[axis] = definition->axes[axis].list[chosen[axis]];
        }
    }
    sweep_point_end(point);
}

/* Does the sweep have combinations of axes, beside or without points that are listed? */
static bool has_combinations(const struct sweep_definition *d) {
    return d->has_grid || d->listed_count == 0;
}

static uint64_t combination_count(const struct sweep_definition *d) {
    uint64_t size = sweep_grid_size(d);
    if (!has_combinations(d) || d->guided > 0) {
        return 0;
    }
    return d->random > 0 && d->random < size ? d->random : size;
}

static uint64_t point_count(const struct sweep_definition *d) {
    uint64_t most = SWEEP_MOST_POINTS + UINT64_C(1);
    uint64_t combinations = combination_count(d) + (d->guided < most ? d->guided : most);
    uint64_t count = 0;
    for (size_t i = 0; i < d->listed_count; i++) {
        count += d->listed[i].model < 0 ? d->common_model_count : 1;
    }
    return combinations > most ? most : count + combinations * d->common_model_count;
}

bool sweep_definition_check(struct sweep_definition *definition, struct weft_error *error) {
    bool any_for_all = has_combinations(definition);
    for (size_t i = 0; i < definition->listed_count; i++) {
        any_for_all = any_for_all || definition->listed[i].model < 0;
    }
    if (any_for_all && definition->common_model_count == 0) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         definition->listed_count == 0
                             ? "there is no model to run"
                             : "there is no model to run but those of listed points, which are for "
                               "these points alone");
    }
    if (definition->common_config_count == 0 && !sweep_add_config(definition, "ref16", error)) {
        return false;
    }
    if (!has_combinations(definition) && (definition->random > 0 || definition->guided > 0)) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         "random and guided points are combinations of a grid, and there is none "
                         "beside the listed points");
    }
    if (definition->random > 0 && definition->guided > 0) {
        return weft_fail(error, WEFT_SWEEP, 0, "points are random or guided, not both");
    }
    if (definition->has_seed && definition->random == 0 && definition->guided == 0) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         "a seed is for random and guided points, of which there are none");
    }
    if (definition->has_objective && definition->guided == 0) {
        return weft_fail(error, WEFT_SWEEP, 0,
                         "an objective is for guided points, of which there are none");
    }
    if (!sweep_grid_check(definition, error)) {
        return false;
    }
    if (definition->guided > sweep_grid_size(definition)) {
        definition->guided = sweep_grid_size(definition);
    }
    return point_count(definition) <= SWEEP_MOST_POINTS ||
           weft_fail(error, WEFT_LIMIT, 0, "more than %d points; draw some of them with random",
                     SWEEP_MOST_POINTS);
}

/* Notes whether a point of these values has a clock (sweep_point_end()). */
static void note_clock(uint32_t dram, uint32_t clock, bool *any_own, bool *any_without) {
    bool own = dram != 0 || clock != 0;
    *any_own = *any_own || own;
    *any_without = *any_without || !own;
}

void sweep_clocks(const struct sweep_definition *definition, bool *any_own, bool *any_without) {
    static uint32_t none = 0;
    const struct sweep_values unsaid = {1, &none};
    const struct sweep_values *drams = &definition->axes[SWEEP_AXIS_dram];
    const struct sweep_values *clocks = &definition->axes[SWEEP_AXIS_clock];
    drams = drams->count == 0 ? &unsaid : drams;
    clocks = clocks->count == 0 ? &unsaid : clocks;
    *any_own = *any_without = false;
    for (size_t i = 0; has_combinations(definition) && i < drams->count * clocks->count; i++) {
        note_clock(drams->list[i / clocks->count], clocks->list[i % clocks->count], any_own,
                   any_without);
    }
    for (size_t i = 0; i < definition->listed_count; i++) {
        const uint32_t *values = definition->listed[i].values; /* 0 where nothing is given */
        note_clock(values[SWEEP_AXIS_dram], values[SWEEP_AXIS_clock], any_own, any_without);
    }
}

/* ---- a set of numbers ---- */

struct number_set {
    uint64_t *slots; /* numbers + 1; 0: free */
    size_t mask;
};

static bool set_add(struct number_set *set, uint64_t number) {
    uint64_t state = number;
    size_t slot = (size_t)weft_random(&state) & set->mask;
    while (set->slots[slot] != 0) {
        if (set->slots[slot] == number + 1) {
            return false;
        }
        slot = (slot + 1) & set->mask;
    }
    set->slots[slot] = number + 1;
    return true;
}

/* `count` different numbers below `size`. */
static bool draw(uint64_t seed, uint64_t size, size_t count, uint64_t *numbers,
                 struct weft_error *error) {
    size_t room = 16;
    while (room < 2 * count) {
        room *= 2;
    }
    struct number_set set = {weft_allocate(room, sizeof(uint64_t), "points", error), room - 1};
    uint64_t state = seed;
    if (set.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < count;) {
        uint64_t number = weft_random(&state) % size;
        if (set_add(&set, number)) {
            numbers[i++] = number;
        }
    }
    free(set.slots);
    return true;
}

/* ---- the list of points ---- */

static struct sweep_point *put_models(const struct sweep_definition *d, struct sweep_point *at,
                                      const struct sweep_point *point) {
    for (size_t i = 0; i < d->common_model_count; i++) {
        *at = *point;
        at++->model = d->common_models[i];
    }
    return at;
}

static struct sweep_point *put_listed(const struct sweep_definition *d, struct sweep_point *at,
                                      const struct sweep_listed *listed) {
    struct sweep_point point;
    uint32_t config = listed->config < 0 ? d->common_configs[0] : (uint32_t)listed->config;
    sweep_point_begin(&d->configs[config], &point);
    point.config = config;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        if ((listed->given >> axis & 1) != 0) {
            point.values[axis] = listed->values[axis];
        }
    }
    sweep_point_end(&point);
    if (listed->model < 0) {
        return put_models(d, at, &point);
    }
    point.model = (uint32_t)listed->model;
    *at = point;
    return at + 1;
}

static bool put_combinations(const struct sweep_definition *d, struct sweep_point *at,
                             struct weft_error *error) {
    uint64_t size = sweep_grid_size(d);
    size_t count = (size_t)combination_count(d);
    bool is_drawn = count < size;
    uint64_t *numbers = weft_allocate(count, sizeof *numbers, "points", error);
    if (numbers == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    bool good = !is_drawn || draw(d->seed, size, count, numbers, error);
    for (size_t i = 0; good && i < count; i++) {
        struct sweep_point point;
        sweep_grid_point(d, numbers[i], &point);
        at = put_models(d, at, &point);
    }
    free(numbers);
    return good;
}

bool sweep_points(const struct sweep_definition *definition, struct sweep_point **points,
                  size_t *count, struct weft_error *error) {
    size_t guided = (size_t)definition->guided * definition->common_model_count;
    size_t made = (size_t)point_count(definition) - guided;
    struct sweep_point *list = weft_allocate(made, sizeof *list, "points", error);
    if (list == NULL) {
        return false;
    }
    struct sweep_point *at = list;
    for (size_t i = 0; i < definition->listed_count; i++) {
        at = put_listed(definition, at, &definition->listed[i]);
    }
    if (!put_combinations(definition, at, error)) {
        free(list);
        return false;
    }
    *points = list;
    *count = made;
    return true;
}
