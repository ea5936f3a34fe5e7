#include "sweep/analyse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool sweep_row_is_good(const struct sweep_row *row) {
    return row->error_code[0] == '\0';
}

static uint32_t value_of(const struct sweep_row *row, const char *axis) {
    return row->values[sweep_axis_find(axis, strlen(axis))];
}

double sweep_row_memory(const struct sweep_row *row) {
    return (double)value_of(row, "act_bytes") + (double)value_of(row, "wgt_bytes") +
           (double)value_of(row, "acc_bytes") + (double)value_of(row, "par_bytes");
}

uint64_t sweep_varying_axes(const struct sweep_row *rows, size_t count) {
    uint64_t varying = 0;
    for (size_t i = 1; i < count; i++) {
        for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
            varying |= (uint64_t)(rows[i].values[axis] != rows[0].values[axis]) << axis;
        }
    }
    return varying;
}

static int order_of_values(const void *a, const void *b) {
    uint32_t x = 0;
    uint32_t y = 0;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

size_t sweep_values_of(const struct sweep_row *rows, size_t count, unsigned axis, uint32_t *list) {
    size_t all = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (sweep_row_is_good(&rows[i])) {
            list[all++] = sweep_row_value(&rows[i], axis);
        }
    }
    qsort(list, all, sizeof *list, order_of_values);
    for (size_t i = 0; i < all; i++) {
        if (kept == 0 || list[kept - 1] != list[i]) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

bool sweep_check_energies(const struct sweep_row *rows, size_t count, struct weft_error *error) {
    size_t before = 0;
    size_t index = sweep_find_other_energy(rows, count, &before);
    bool any_own = false;
    for (size_t i = 0; i < count; i++) {
        any_own = any_own || sweep_row_has_clock(&rows[i]);
    }
    /* Without a clock for the other rows, those with one of their own alone have leakage. */
    return index == count ||
           weft_fail(
               error, WEFT_SWEEP, (uint64_t)rows[index].id,
               "rows have energies of %.40s and of %.40s: weft sweep show --technology NAME%s "
               "takes one for all",
               rows[before].technology, rows[index].technology,
               any_own ? " --clock MHZ, the clock of rows that have none,"
                       : ", with --clock or without,");
}

bool sweep_check_areas(const struct sweep_row *rows, size_t count, struct weft_error *error) {
    const char *unit = "";
    for (size_t i = 0; i < count; i++) {
        const struct sweep_row *row = &rows[i];
        unit = unit[0] == '\0' ? row->area_unit : unit;
        if (row->area_unit[0] != '\0' && strcmp(row->area_unit, unit) != 0) {
            return weft_fail(error, WEFT_SWEEP, (uint64_t)row->id,
                             "rows have areas of several targets, %.60s and %.60s: weft sweep show "
                             "--area NAME takes one for all",
                             unit, row->area_unit);
        }
    }
    return true;
}

int sweep_compare_kin(const struct sweep_row *a, const struct sweep_row *b) {
    int order = strcmp(a->model_fingerprint, b->model_fingerprint);
    return order != 0 ? order : strcmp(a->version, b->version);
}

/* ---- the front ---- */

enum {
    OBJECTIVES = 7
};

static void objectives_of(const struct sweep_row *row, double objectives[OBJECTIVES]) {
    bool has_area = !isnan(row->area);
    objectives[0] = sweep_row_cycles(row);
    /* What is unknown beats nothing that is known. */
    objectives[1] = isnan(row->energy) ? (double)INFINITY : sweep_row_microjoules(row);
    objectives[2] = has_area ? row->area : (double)INFINITY;
    objectives[3] = has_area ? 0 : value_of(row, "block");
    objectives[4] = has_area ? 0 : sweep_row_memory(row);
    /* What the host does is in no cycles: who leaves more to it is not better for that. */
    objectives[5] = sweep_row_host_macs(row);
    objectives[6] = sweep_row_host_elements(row);
}

/* Is `a` no worse than `b` in anything, and better in something? */
static bool beats(const struct sweep_row *a, const struct sweep_row *b) {
    double x[OBJECTIVES];
    double y[OBJECTIVES];
    bool better = false;
    objectives_of(a, x);
    objectives_of(b, y);
    for (int i = 0; i < OBJECTIVES; i++) {
        if (x[i] > y[i]) {
            return false;
        }
        better = better || x[i] < y[i];
    }
    return better;
}

/* By kin, and then so that no row beats one before it. */
static int order_for_front(const void *a, const void *b) {
    const struct sweep_row *const *x = a;
    const struct sweep_row *const *y = b;
    double first[OBJECTIVES];
    double second[OBJECTIVES];
    int order = sweep_compare_kin(*x, *y);
    objectives_of(*x, first);
    objectives_of(*y, second);
    for (int i = 0; order == 0 && i < OBJECTIVES; i++) {
        order = (first[i] > second[i]) - (first[i] < second[i]);
    }
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Pointers to the rows that have figures, in an order; the caller frees them. */
static const struct sweep_row **sort_good(const struct sweep_row *rows, size_t count, size_t *good,
                                          int (*order)(const void *a, const void *b),
                                          struct weft_error *error) {
    const struct sweep_row **sorted = weft_allocate(count, sizeof *sorted, "rows", error);
    *good = 0;
    for (size_t i = 0; sorted != NULL && i < count; i++) {
        if (sweep_row_is_good(&rows[i])) {
            sorted[(*good)++] = &rows[i];
        }
    }
    if (sorted != NULL) {
        qsort(sorted, *good, sizeof *sorted, order);
    }
    return sorted;
}

bool sweep_find_front(const struct sweep_row *rows, size_t count, bool *is_front,
                      struct weft_error *error) {
    size_t good = 0;
    size_t first = 0; /* of the front of the kin at hand, whose rows are moved to here */
    size_t front = 0;
    const struct sweep_row **sorted = sort_good(rows, count, &good, order_for_front, error);
    if (sorted == NULL) {
        return false;
    }
    memset(is_front, 0, count * sizeof *is_front);
    for (size_t i = 0; i < good; i++) {
        const struct sweep_row *row = sorted[i];
        bool beaten = false;
        if (front > first && sweep_compare_kin(sorted[first], row) != 0) {
            first = front;
        }
        for (size_t k = first; k < front && !beaten; k++) {
            beaten = beats(sorted[k], row);
        }
        if (!beaten) {
            is_front[row - rows] = true;
            sorted[front++] = row;
        }
    }
    free(sorted);
    return true;
}

/* ---- what a step of an axis comes to ---- */

static _Thread_local unsigned sorted_axis; /* that qsort's order leaves for last */

/* By everything but the axis. */
static int compare_rest(const struct sweep_row *a, const struct sweep_row *b) {
    int order = sweep_compare_kin(a, b);
    for (unsigned axis = 0; order == 0 && axis < SWEEP_AXES; axis++) {
        if (axis != sorted_axis) {
            uint32_t x = sweep_row_value(a, axis);
            uint32_t y = sweep_row_value(b, axis);
            order = (x > y) - (x < y);
        }
    }
    return order;
}

static int order_for_axis(const void *a, const void *b) {
    const struct sweep_row *const *x = a;
    const struct sweep_row *const *y = b;
    int order = compare_rest(*x, *y);
    uint32_t first = sweep_row_value(*x, sorted_axis);
    uint32_t second = sweep_row_value(*y, sorted_axis);
    return order != 0 ? order : (first > second) - (first < second);
}

/* The effect of a step, which is made where there is none; NULL: there is no room. */
static struct sweep_effect *effect_of(struct sweep_effect *effects, size_t first, size_t *count,
                                      uint32_t from, uint32_t to) {
    size_t i = first;
    while (i < *count && (effects[i].from != from || effects[i].to != to)) {
        i++;
    }
    if (i == SWEEP_MOST_EFFECTS) {
        return NULL;
    }
    if (i == *count) {
        effects[(*count)++] =
            (struct sweep_effect){.axis = sorted_axis, .from = from, .to = to, .fitted = NAN};
    }
    return &effects[i];
}

/* Sums of logarithms, until they are means. */
static void add_pair(struct sweep_effect *effects, size_t first, size_t *count,
                     const struct sweep_row *from, const struct sweep_row *to) {
    bool same_clock = strcmp(from->technology, to->technology) == 0;
    struct sweep_effect *effect =
        effect_of(effects, first, count, sweep_row_value(from, sorted_axis),
                  sweep_row_value(to, sorted_axis));
    if (effect == NULL || from->cycles == 0 || to->cycles == 0) {
        return;
    }
    effect->pairs++;
    effect->cycles += log(sweep_row_cycles(to) / sweep_row_cycles(from));
    /* Another clock is another leakage, which is no doing of another axis. */
    effect->energy += same_clock || sorted_axis == SWEEP_AXIS_clock
                          ? log(sweep_row_microjoules(to) / sweep_row_microjoules(from))
                          : (double)NAN;
    effect->area += log(to->area / from->area);
}

/* The different values of the axis, in order, have a step each, with pairs or without: the list is
 * sorted by everything else first. */
static bool add_steps(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                      size_t first, size_t *effect_count, struct weft_error *error) {
    uint32_t *list = weft_allocate(count, sizeof *list, "values", error);
    if (list == NULL) {
        return false;
    }
    size_t values = sweep_values_of(rows, count, sorted_axis, list);
    for (size_t i = 1; i < values; i++) {
        (void)effect_of(effects, first, effect_count, list[i - 1], list[i]);
    }
    free(list);
    return true;
}

static int order_of_effects(const void *a, const void *b) {
    const struct sweep_effect *x = a;
    const struct sweep_effect *y = b;
    int order = (x->axis > y->axis) - (x->axis < y->axis);
    order = order != 0 ? order : (x->from > y->from) - (x->from < y->from);
    return order != 0 ? order : (x->to > y->to) - (x->to < y->to);
}

static void make_means(struct sweep_effect *effects, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double pairs = (double)effects[i].pairs;
        effects[i].cycles = exp(effects[i].cycles / pairs);
        effects[i].energy = exp(effects[i].energy / pairs);
        effects[i].area = exp(effects[i].area / pairs);
    }
}

bool sweep_find_effects(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                        size_t *effect_count, struct weft_error *error) {
    uint64_t varying = sweep_varying_axes(rows, count);
    *effect_count = 0;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        size_t good = 0;
        size_t first = *effect_count;
        if ((varying >> axis & 1) == 0) {
            continue;
        }
        sorted_axis = axis;
        const struct sweep_row **sorted = sort_good(rows, count, &good, order_for_axis, error);
        if (sorted == NULL) {
            return false;
        }
        for (size_t i = 1; i < good; i++) {
            bool is_pair = compare_rest(sorted[i - 1], sorted[i]) == 0 &&
                           sweep_row_value(sorted[i - 1], axis) != sweep_row_value(sorted[i], axis);
            if (is_pair) {
                add_pair(effects, first, effect_count, sorted[i - 1], sorted[i]);
            }
        }
        free(sorted);
        if (!add_steps(rows, count, effects, first, effect_count, error)) {
            return false;
        }
    }
    make_means(effects, *effect_count);
    qsort(effects, *effect_count, sizeof *effects, order_of_effects);
    return true;
}
