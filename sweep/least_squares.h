/* Least squares by normal equations. */
#ifndef WEFT_SWEEP_LEAST_SQUARES_H
#define WEFT_SWEEP_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

/* Solves matrix * x = right for a symmetric matrix[n][n] without negative eigenvalues; x takes the
 * place of `right`, and the matrix is lost. */
void least_squares_solve(double *matrix, size_t n, double *right);

/* The same of a matrix that may be singular: an x that those before it stand for as well becomes 0,
 * and is marked in is_dependent[n]. *rank: how many are not. The matrix is what
 * least_squares_determines() needs then. */
void least_squares_solve_singular(double *matrix, size_t n, double *right, bool *is_dependent,
                                  size_t *rank);

/* Do all solutions have the same sum of weights[n] times x? */
bool least_squares_determines(const double *matrix, size_t n, const bool *is_dependent,
                              const double *weights);

#endif
