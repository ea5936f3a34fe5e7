/* One function for each instruction and kind of kernel; used in sim/exec alone. */
#ifndef WEFT_SIM_EXEC_INSTRUCTIONS_H
#define WEFT_SIM_EXEC_INSTRUCTIONS_H

#include "sim/exec/exec.h"

void weft_execute_load(struct weft_state *state, const struct weft_load_fields *load);
void weft_execute_fill(struct weft_state *state, const struct weft_fill_fields *fill);
void weft_execute_store(struct weft_state *state, const struct weft_store_fields *store);
void weft_execute_matrix(struct weft_state *state, const struct weft_matrix_fields *matrix);
void weft_execute_vector(struct weft_state *state, const struct weft_vector_fields *vector);
void weft_execute_softmax(struct weft_state *state, const struct weft_vector_fields *vector);

/* The fast versions: matrix_fast.c and vector_fast.c are compiled once for each kind of host. */
void weft_execute_matrix_c(struct weft_state *state, const struct weft_matrix_fields *matrix);
void weft_execute_vector_c(struct weft_state *state, const struct weft_vector_fields *vector);
#ifdef WEFT_X86
void weft_execute_matrix_avx2(struct weft_state *state, const struct weft_matrix_fields *matrix);
void weft_execute_vector_avx2(struct weft_state *state, const struct weft_vector_fields *vector);
void weft_execute_matrix_avx512(struct weft_state *state, const struct weft_matrix_fields *matrix);
void weft_execute_vector_avx512(struct weft_state *state, const struct weft_vector_fields *vector);
#endif
#ifdef WEFT_ARM64
void weft_execute_matrix_neon(struct weft_state *state, const struct weft_matrix_fields *matrix);
void weft_execute_vector_neon(struct weft_state *state, const struct weft_vector_fields *vector);
#endif

#endif
