#include "sweep/least_squares.h"

#include <math.h>

/* The lower root of the matrix in its own place (Cholesky); the ridge keeps it positive. */
static void find_root(double *matrix, size_t n) {
    for (size_t column = 0; column < n; column++) {
        for (size_t row = column; row < n; row++) {
            double sum = matrix[row * n + column];
            for (size_t k = 0; k < column; k++) {
                sum -= matrix[row * n + k] * matrix[column * n + k];
            }
            matrix[row * n + column] =
                row == column ? sqrt(fmax(sum, 1e-12)) : sum / matrix[column * n + column];
        }
    }
}

/* Solves root * root' * x = right; x takes the place of `right`. */
static void solve(const double *root, size_t n, double *right) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            right[i] -= root[i * n + k] * right[k];
        }
        right[i] /= root[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) {
            right[i] -= root[k * n + i] * right[k];
        }
        right[i] /= root[i * n + i];
    }
}

/* Of what a sum was: less than this is what rounding leaves of nothing. */
#define NOTHING 1e-9

/* Eliminates a column from all rows but its own, which becomes that of the solution (Gauss and
 * Jordan). */
static void eliminate(double *matrix, size_t n, double *right, size_t column) {
    double *own = matrix + column * n;
    double pivot = own[column];
    for (size_t k = 0; k < n; k++) {
        own[k] /= pivot;
    }
    right[column] /= pivot;
    for (size_t row = 0; row < n; row++) {
        double factor = row == column ? 0 : matrix[row * n + column];
        for (size_t k = 0; factor != 0 && k < n; k++) {
            matrix[row * n + k] -= factor * own[k];
        }
        right[row] -= factor * right[column];
    }
}

void least_squares_solve_singular(double *matrix, size_t n, double *right, bool *is_dependent,
                                  size_t *rank) {
    double most = 0;
    *rank = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, matrix[i * n + i]);
    }
    for (size_t i = 0; i < n; i++) {
        is_dependent[i] = matrix[i * n + i] <= NOTHING * most;
        if (!is_dependent[i]) {
            eliminate(matrix, n, right, i);
            (*rank)++;
        }
    }
    for (size_t i = 0; i < n; i++) {
        right[i] = is_dependent[i] ? 0 : right[i];
    }
}

/* A dependent x may be anything, if those that stand for it make up for it: its column says by how
 * much each. The sum must not change by that. */
bool least_squares_determines(const double *matrix, size_t n, const bool *is_dependent,
                              const double *weights) {
    for (size_t column = 0; column < n; column++) {
        double change = weights[column];
        for (size_t row = 0; row < n; row++) {
            change -= is_dependent[row] ? 0 : weights[row] * matrix[row * n + column];
        }
        if (is_dependent[column] && fabs(change) > 1e-6) {
            return false;
        }
    }
    return true;
}

void least_squares_solve(double *matrix, size_t n, double *right) {
    find_root(matrix, n);
    solve(matrix, n, right);
}
