#include "sweep/guide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "sweep/least_squares.h"

enum {
    DRAWN = 4096,     /* candidates that are drawn */
    BEST = 8,         /* known ones whose neighbours are candidates */
    DRAWN_IN = 4,     /* one in so many is chosen blindly */
    MOST_INPUTS = 16, /* axes, and configurations but one, that the polynomial knows */
    MOST_TERMS = 1 + 2 * MOST_INPUTS + MOST_INPUTS * (MOST_INPUTS - 1) / 2,
};

/* Of the sum of squares of a term: keeps what is seldom seen small. */
#define RIDGE 1e-3

struct candidate {
    uint64_t number;
    double refused; /* as predicted: about 0 or 1 */
    double objective;
};

struct guide {
    const struct sweep_definition *definition;
    const struct sweep_known *known;
    size_t known_count;
    const struct sweep_guide_rule *rule;
    uint64_t size;
    size_t input_count;
    size_t term_count;
    double *squares; /* [term_count][term_count]: sums of products of terms, then their root */
    double objective[MOST_TERMS];
    double refused[MOST_TERMS];
    struct candidate *candidates;
    size_t candidate_count;
    size_t candidate_room;
};

/* ---- terms ---- */

/* Where a value is between the smallest and the largest of its axis, as logarithms: 0 to 1. */
static double place_of(const struct sweep_values *values, uint32_t value) {
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t i = 0; i < values->count; i++) {
        double logarithm = log2((double)values->list[i] + 1);
        low = fmin(low, logarithm);
        high = fmax(high, logarithm);
    }
    return high > low ? (log2((double)value + 1) - low) / (high - low) : 0;
}

static size_t inputs_of(const struct sweep_definition *d, const struct sweep_point *point,
                        double inputs[MOST_INPUTS]) {
    size_t count = 0;
    for (unsigned axis = 0; axis < SWEEP_AXES && count < MOST_INPUTS; axis++) {
        if (d->axes[axis].count > 1) {
            inputs[count++] = place_of(&d->axes[axis], point->values[axis]);
        }
    }
    for (size_t i = 1; i < d->common_config_count && count < MOST_INPUTS; i++) {
        inputs[count++] = point->config == d->common_configs[i];
    }
    return count;
}

static size_t terms_of(const struct sweep_definition *d, uint64_t number,
                       double terms[MOST_TERMS]) {
    struct sweep_point point;
    double inputs[MOST_INPUTS];
    sweep_grid_point(d, number, &point);
    size_t inputs_count = inputs_of(d, &point, inputs);
    size_t count = 0;
    terms[count++] = 1;
    for (size_t i = 0; i < inputs_count; i++) {
        terms[count++] = inputs[i];
        for (size_t k = 0; k <= i; k++) {
            terms[count++] = inputs[i] * inputs[k];
        }
    }
    return count;
}

/* ---- the fit ---- */

/* Fits weights of terms to the known ones for which `value` gives a number. */
static void fit(struct guide *g, double (*value)(const struct sweep_known *known),
                double weights[MOST_TERMS]) {
    size_t n = g->term_count;
    memset(g->squares, 0, n * n * sizeof *g->squares);
    memset(weights, 0, MOST_TERMS * sizeof *weights);
    for (size_t i = 0; i < g->known_count; i++) {
        double terms[MOST_TERMS] = {0};
        double y = value(&g->known[i]);
        if (isnan(y)) {
            continue;
        }
        (void)terms_of(g->definition, g->known[i].number, terms);
        for (size_t a = 0; a < n; a++) {
            weights[a] += terms[a] * y;
            for (size_t b = 0; b < n; b++) {
                g->squares[a * n + b] += terms[a] * terms[b];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        g->squares[i * n + i] += RIDGE * (1 + g->squares[i * n + i]);
    }
    least_squares_solve(g->squares, n, weights);
}

static double predict(const struct guide *g, const double *weights, const double *terms) {
    double sum = 0;
    for (size_t i = 0; i < g->term_count; i++) {
        sum += weights[i] * terms[i];
    }
    return sum;
}

static double objective_of(const struct sweep_known *known) {
    return known->objective;
}

static double refused_of(const struct sweep_known *known) {
    return isnan(known->objective) ? 1 : 0;
}

/* ---- candidates ---- */

static bool is_known(const struct guide *g, uint64_t number) {
    for (size_t i = 0; i < g->known_count; i++) {
        if (g->known[i].number == number) {
            return true;
        }
    }
    return false;
}

static bool is_among(const uint64_t *numbers, size_t count, uint64_t number) {
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == number) {
            return true;
        }
    }
    return false;
}

static bool is_allowed(const struct guide *g, uint64_t number) {
    return g->rule->allowed == NULL || g->rule->allowed(g->rule->context, number);
}

static void add_candidate(struct guide *g, uint64_t number) {
    double terms[MOST_TERMS] = {0};
    if (g->candidate_count == g->candidate_room || is_known(g, number) || !is_allowed(g, number)) {
        return;
    }
    (void)terms_of(g->definition, number, terms);
    g->candidates[g->candidate_count++] = (struct candidate){
        number, predict(g, g->refused, terms) > 0.5 ? 1 : 0, predict(g, g->objective, terms)};
}

/* Those that differ in one axis, by one value up or down its list. */
static void add_neighbours(struct guide *g, uint64_t number) {
    const struct sweep_definition *d = g->definition;
    uint64_t step = 1;
    for (unsigned axis = SWEEP_AXES; axis-- > 0;) {
        uint64_t count = d->axes[axis].count;
        if (count > 0) {
            uint64_t chosen = number / step % count;
            if (chosen > 0) {
                add_candidate(g, number - step);
            }
            if (chosen + 1 < count) {
                add_candidate(g, number + step);
            }
            step *= count;
        }
    }
}

static int better_known(const void *a, const void *b) {
    double x = ((const struct sweep_known *)a)->objective;
    double y = ((const struct sweep_known *)b)->objective;
    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static int better_candidate(const void *a, const void *b) {
    const struct candidate *x = a;
    const struct candidate *y = b;
    int order = (x->refused > y->refused) - (x->refused < y->refused);
    order = order != 0 ? order : (x->objective > y->objective) - (x->objective < y->objective);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool list_candidates(struct guide *g, uint64_t *state, struct weft_error *error) {
    struct sweep_known *sorted =
        weft_allocate(g->known_count, sizeof *sorted, "known points", error);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, g->known, g->known_count * sizeof *sorted);
    qsort(sorted, g->known_count, sizeof *sorted, better_known);
    for (size_t i = 0; i < g->known_count && i < BEST && !isnan(sorted[i].objective); i++) {
        add_neighbours(g, sorted[i].number);
    }
    free(sorted);
    if (g->size <= DRAWN) {
        for (uint64_t number = 0; number < g->size; number++) {
            add_candidate(g, number);
        }
    }
    for (size_t i = 0; g->size > DRAWN && i < DRAWN; i++) {
        add_candidate(g, weft_random(state) % g->size);
    }
    qsort(g->candidates, g->candidate_count, sizeof *g->candidates, better_candidate);
    return true;
}

/* ---- the choice ---- */

/* One that is drawn, or the first free one behind it: there is one. False: none of those drawn is
 * allowed. */
static bool draw(const struct guide *g, uint64_t *state, const uint64_t *numbers, size_t count,
                 uint64_t *chosen) {
    for (int i = 0; i < DRAWN; i++) {
        uint64_t number = weft_random(state) % g->size;
        while (is_known(g, number) || is_among(numbers, count, number)) {
            number = number + 1 == g->size ? 0 : number + 1;
        }
        if (is_allowed(g, number)) {
            *chosen = number;
            return true;
        }
    }
    return false;
}

/* The next best that is not chosen yet; drawn where there is none. */
static bool take_best(const struct guide *g, size_t *next, uint64_t *state, const uint64_t *numbers,
                      size_t count, uint64_t *chosen) {
    while (*next < g->candidate_count) {
        uint64_t number = g->candidates[(*next)++].number;
        if (!is_among(numbers, count, number)) {
            *chosen = number;
            return true;
        }
    }
    return draw(g, state, numbers, count, chosen);
}

static bool predict_all(struct guide *g, uint64_t *state, struct weft_error *error) {
    double terms[MOST_TERMS] = {0};
    g->term_count = terms_of(g->definition, g->known[0].number, terms);
    g->candidate_room = DRAWN + 2 * BEST * SWEEP_AXES;
    g->squares = weft_allocate(g->term_count * g->term_count, sizeof *g->squares, "a fit", error);
    g->candidates = weft_allocate(g->candidate_room, sizeof *g->candidates, "candidates", error);
    if (g->squares == NULL || g->candidates == NULL) {
        return false;
    }
    fit(g, objective_of, g->objective);
    fit(g, refused_of, g->refused);
    return list_candidates(g, state, error);
}

bool sweep_guide(const struct sweep_definition *definition, const struct sweep_known *known,
                 size_t known_count, const struct sweep_guide_rule *rule, uint64_t *state,
                 size_t wanted, uint64_t *numbers, size_t *count, struct weft_error *error) {
    struct guide g = {.definition = definition,
                      .known = known,
                      .known_count = known_count,
                      .rule = rule,
                      .size = sweep_grid_size(definition)};
    uint64_t left = g.size - known_count;
    size_t most = wanted < left ? wanted : (size_t)left;
    size_t next = 0;
    bool good = known_count == 0 || predict_all(&g, state, error);
    bool more = true;
    size_t chosen = 0;
    while (good && more && chosen < most) {
        bool blind = known_count == 0 || chosen % DRAWN_IN == DRAWN_IN - 1;
        more = blind ? draw(&g, state, numbers, chosen, &numbers[chosen])
                     : take_best(&g, &next, state, numbers, chosen, &numbers[chosen]);
        chosen += more;
    }
    free(g.squares);
    free(g.candidates);
    *count = chosen;
    return good;
}
