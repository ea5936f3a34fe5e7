/* Picks the kernel of an instruction for the host. */
#include "base/processor.h"
#include "sim/exec/instructions.h"

const char *const weft_host_names[WEFT_HOSTS] = {"plain", "c", "avx2", "avx512", "neon"};

struct kernels {
    void (*matrix)(struct weft_state *state, const struct weft_matrix_fields *matrix);
    void (*vector)(struct weft_state *state, const struct weft_vector_fields *vector);
};

static const struct kernels kernels[WEFT_HOSTS] = {
    [WEFT_HOST_PLAIN] = {weft_execute_matrix, weft_execute_vector},
    [WEFT_HOST_C] = {weft_execute_matrix_c, weft_execute_vector_c},
#ifdef WEFT_X86
    [WEFT_HOST_AVX2] = {weft_execute_matrix_avx2, weft_execute_vector_avx2},
    [WEFT_HOST_AVX512] = {weft_execute_matrix_avx512, weft_execute_vector_avx512},
#endif
#ifdef WEFT_ARM64
    [WEFT_HOST_NEON] = {weft_execute_matrix_neon, weft_execute_vector_neon},
#endif
};

bool weft_host_available(enum weft_host host) {
    switch (host) {
    case WEFT_HOST_PLAIN:
    case WEFT_HOST_C:
        return true;
#ifdef WEFT_X86
    case WEFT_HOST_AVX2:
        return weft_vectors_available(WEFT_VECTORS_AVX2);
    case WEFT_HOST_AVX512:
        return weft_vectors_available(WEFT_VECTORS_AVX512) && __builtin_cpu_supports("avx512vnni");
#endif
#ifdef WEFT_ARM64
    case WEFT_HOST_NEON:
        return weft_vectors_available(WEFT_VECTORS_DOT);
#endif
    default:
        return false;
    }
}

enum weft_host weft_host_best(void) {
    for (enum weft_host host = WEFT_HOSTS - 1; host > WEFT_HOST_C; host--) {
        if (weft_host_available(host)) {
            return host;
        }
    }
    return WEFT_HOST_C;
}

void weft_execute(struct weft_state *state, enum weft_host host,
                  const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        weft_execute_load(state, &instruction->load);
        break;
    case WEFT_OPCODE_FILL:
        weft_execute_fill(state, &instruction->fill);
        break;
    case WEFT_OPCODE_STORE:
        weft_execute_store(state, &instruction->store);
        break;
    case WEFT_OPCODE_MATRIX:
        kernels[host].matrix(state, &instruction->matrix);
        break;
    case WEFT_OPCODE_VECTOR:
        kernels[host].vector(state, &instruction->vector);
        break;
    default: /* FENCE and HALT do nothing to memory */
        break;
    }
}
