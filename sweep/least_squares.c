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

void least_squares_solve(double *matrix, size_t n, double *right) {
    find_root(matrix, n);
    solve(matrix, n, right);
}
