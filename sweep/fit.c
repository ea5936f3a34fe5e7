#include "sweep/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/least_squares.h"

enum {
    MOST_TERMS = 256
};

struct fit {
    size_t kin_count; /* models, each by each version of Weft */
    const struct sweep_row *kin[MOST_TERMS];
    size_t first[SWEEP_AXES]; /* the term of the second value of an axis: the first one has none */
    size_t value_count[SWEEP_AXES];
    uint32_t *values[SWEEP_AXES];
    size_t term_count;
    double *matrix;
    double right[MOST_TERMS];
    bool is_dependent[MOST_TERMS];
    size_t row_count; /* that it was fitted to */
    size_t rank;
};

static size_t index_of(const uint32_t *list, size_t count, uint32_t value) {
    size_t i = 0;
    while (i < count && list[i] != value) {
        i++;
    }
    return i;
}

static size_t kin_of(const struct fit *fit, const struct sweep_row *row) {
    size_t i = 0;
    while (i < fit->kin_count && sweep_compare_kin(fit->kin[i], row) != 0) {
        i++;
    }
    return i;
}

/* The terms of a row, each once: of its model, and of its values. */
static size_t terms_of(const struct fit *fit, const struct sweep_row *row,
                       size_t terms[SWEEP_AXES + 1]) {
    size_t count = 0;
    terms[count++] = kin_of(fit, row);
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        size_t i = index_of(fit->values[axis], fit->value_count[axis], sweep_row_value(row, axis));
        if (i > 0) {
            terms[count++] = fit->first[axis] + i - 1;
        }
    }
    return count;
}

/* Counts the terms. False: they are too many, or there is no memory. */
static bool prepare(const struct sweep_row *rows, size_t count, struct fit *fit,
                    struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (sweep_row_is_good(&rows[i]) && kin_of(fit, &rows[i]) == fit->kin_count) {
            if (fit->kin_count == MOST_TERMS) {
                return true;
            }
            fit->kin[fit->kin_count++] = &rows[i];
        }
    }
    fit->term_count = fit->kin_count;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        fit->values[axis] = weft_allocate(count, sizeof *fit->values[axis], "values", error);
        if (fit->values[axis] == NULL) {
            return false;
        }
        fit->value_count[axis] = sweep_values_of(rows, count, axis, fit->values[axis]);
        fit->first[axis] = fit->term_count;
        fit->term_count += fit->value_count[axis] == 0 ? 0 : fit->value_count[axis] - 1;
    }
    fit->matrix =
        weft_allocate((size_t)MOST_TERMS * MOST_TERMS, sizeof *fit->matrix, "a fit", error);
    return fit->matrix != NULL;
}

static void add_row(struct fit *fit, const struct sweep_row *row) {
    size_t terms[SWEEP_AXES + 1];
    size_t count = terms_of(fit, row, terms);
    for (size_t i = 0; i < count; i++) {
        fit->right[terms[i]] += log(sweep_row_cycles(row));
        for (size_t k = 0; k < count; k++) {
            fit->matrix[terms[i] * fit->term_count + terms[k]] += 1;
        }
    }
}

static void solve(const struct sweep_row *rows, size_t count, struct fit *fit) {
    for (size_t i = 0; i < count; i++) {
        if (sweep_row_is_good(&rows[i]) && rows[i].cycles > 0) {
            add_row(fit, &rows[i]);
            fit->row_count++;
        }
    }
    least_squares_solve_singular(fit->matrix, fit->term_count, fit->right, fit->is_dependent,
                                 &fit->rank);
}

/* Adds to the weight of the term of a value; the first one of an axis has none. */
static void weigh(const struct fit *fit, unsigned axis, uint32_t value, double weight,
                  double weights[MOST_TERMS]) {
    size_t i = index_of(fit->values[axis], fit->value_count[axis], value);
    if (i > 0) {
        weights[fit->first[axis] + i - 1] += weight;
    }
}

/* NAN: no rows tell the step from those of other axes, which change with it in all of them. */
static double step_of(const struct fit *fit, const struct sweep_effect *effect) {
    double weights[MOST_TERMS] = {0};
    double sum = 0;
    weigh(fit, effect->axis, effect->to, 1, weights);
    weigh(fit, effect->axis, effect->from, -1, weights);
    if (!least_squares_determines(fit->matrix, fit->term_count, fit->is_dependent, weights)) {
        return NAN;
    }
    for (size_t i = 0; i < fit->term_count; i++) {
        sum += weights[i] * fit->right[i];
    }
    return exp(sum);
}

bool sweep_fit_steps(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                     size_t effect_count, struct weft_error *error) {
    struct fit *fit = weft_allocate(1, sizeof *fit, "a fit", error);
    bool good = fit != NULL && prepare(rows, count, fit, error);
    bool has_terms = good && fit->term_count > 0 && fit->term_count <= MOST_TERMS;
    if (has_terms) {
        solve(rows, count, fit);
    }
    bool is_known = has_terms && fit->rank < fit->row_count;
    for (size_t i = 0; good && i < effect_count; i++) {
        effects[i].fitted = is_known ? step_of(fit, &effects[i]) : (double)NAN;
    }
    for (unsigned axis = 0; fit != NULL && axis < SWEEP_AXES; axis++) {
        free(fit->values[axis]);
    }
    if (fit != NULL) {
        free(fit->matrix);
    }
    free(fit);
    return good;
}
