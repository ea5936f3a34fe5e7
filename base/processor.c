#include "base/processor.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

bool weft_vectors_available(enum weft_vectors vectors) {
    switch (vectors) {
    case WEFT_VECTORS_ANY:
        return true;
#ifdef __x86_64__
    case WEFT_VECTORS_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
    case WEFT_VECTORS_AVX512:
        return weft_vectors_available(WEFT_VECTORS_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
#if defined(__aarch64__) && defined(__linux__)
    case WEFT_VECTORS_DOT: {
        const unsigned long asimddp = 1UL << 20; /* HWCAP_ASIMDDP of the kernel's interface */
        return (getauxval(AT_HWCAP) & asimddp) != 0;
    }
#endif
    default:
        return false;
    }
}

enum weft_vectors weft_vectors_best(void) {
    enum weft_vectors best = WEFT_VECTORS_ANY;
    for (enum weft_vectors vectors = best; vectors < WEFT_VECTORS; vectors++) {
        best = weft_vectors_available(vectors) ? vectors : best;
    }
    return best;
}
