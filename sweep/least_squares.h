/* Least squares by normal equations. */
#ifndef WEFT_SWEEP_LEAST_SQUARES_H
#define WEFT_SWEEP_LEAST_SQUARES_H

#include <stddef.h>

/* Solves matrix * x = right for a symmetric matrix[n][n] without negative eigenvalues; x takes the
 * place of `right`, and the matrix is lost. */
void least_squares_solve(double *matrix, size_t n, double *right);

#endif
