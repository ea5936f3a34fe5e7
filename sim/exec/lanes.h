/* Vectors of the host for the fast versions (matrix_fast.c, vector_fast.c), which are compiled once
 * for each kind of host: WEFT_KERNEL(name) adds the host's suffix to the name of a function. */
#ifndef WEFT_SIM_EXEC_LANES_H
#define WEFT_SIM_EXEC_LANES_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* `lanes` is a vector of LANES int32, and a kernel keeps at most REGISTERS sums in such vectors.
 * lanes_dot() gives acc[i] + a.low * b[2i] + a.high * b[2i+1], int16 times int16. */
#if defined(__AVX512VNNI__)
#define WEFT_KERNEL(name) name##_avx512
enum {
    LANES = 16,
    REGISTERS = 24
};
typedef __m512i lanes;
static inline lanes lanes_load(const void *from) {
    return _mm512_loadu_si512(from);
}
static inline void lanes_store(void *to, lanes value) {
    _mm512_storeu_si512(to, value);
}
static inline lanes lanes_dot(lanes acc, int32_t a, lanes b) {
    return _mm512_dpwssd_epi32(acc, _mm512_set1_epi32(a), b);
}
#elif defined(__AVX2__)
#define WEFT_KERNEL(name) name##_avx2
enum {
    LANES = 8,
    REGISTERS = 12
};
typedef __m256i lanes;
static inline lanes lanes_load(const void *from) {
    return _mm256_loadu_si256(from);
}
static inline void lanes_store(void *to, lanes value) {
    _mm256_storeu_si256(to, value);
}
static inline lanes lanes_dot(lanes acc, int32_t a, lanes b) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_set1_epi32(a), b));
}
#else
#define WEFT_KERNEL(name) name##_c
enum {
    LANES = 8,
    REGISTERS = 8
};
typedef struct {
    int32_t lane[LANES];
} lanes;
static inline lanes lanes_load(const void *from) {
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}
static inline void lanes_store(void *to, lanes value) {
    memcpy(to, &value, sizeof value);
}
static inline lanes lanes_dot(lanes acc, int32_t a, lanes b) {
    int32_t low = (int16_t)a;
    int32_t high = a >> 16;
    for (int i = 0; i < LANES; i++) {
        int32_t dot = low * (int16_t)b.lane[i] + high * (b.lane[i] >> 16);
        acc.lane[i] = (int32_t)((uint32_t)acc.lane[i] + (uint32_t)dot);
    }
    return acc;
}
#endif

/* ---- int8 to int16, WIDEN_BYTES at once ---- */

enum {
    WIDEN_BYTES = 8 /* a whole line of the smallest machine */
};

#ifdef __AVX2__
static inline void widen_bytes(const int8_t *from, int16_t *to) {
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_cvtepi8_epi16(bytes));
}
static inline void widen_pairs(const int8_t *low, const int8_t *high, int16_t zero, int16_t *to) {
    __m128i bytes = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)low),
                                      _mm_loadl_epi64((const __m128i *)(const void *)high));
    __m256i pairs = _mm256_sub_epi16(_mm256_cvtepi8_epi16(bytes), _mm256_set1_epi16(zero));
    _mm256_storeu_si256((__m256i *)(void *)to, pairs);
}
#else
static inline void widen_bytes(const int8_t *from, int16_t *to) {
    for (int i = 0; i < WIDEN_BYTES; i++) {
        to[i] = (int16_t)from[i];
    }
}
/* to[2i] = low[i] - zero, to[2i+1] = high[i] - zero */
static inline void widen_pairs(const int8_t *low, const int8_t *high, int16_t zero, int16_t *to) {
    for (int i = 0; i < WIDEN_BYTES; i++) {
        to[2 * i] = (int16_t)(low[i] - zero);
        to[2 * i + 1] = (int16_t)(high[i] - zero);
    }
}
#endif

/* ---- int32 times float, FLOATS at once ---- */

enum {
    FLOATS = 8
};

/* value[i] * factor[i] as weft_scale_float() defines it, in the host's own float32, of which that
 * is the model; what lies far beyond a byte becomes +-2^16. */
#ifdef __AVX2__
static inline void scale_floats(int32_t *value, const float *factor) {
    __m256i integers = _mm256_loadu_si256((const __m256i *)(const void *)value);
    __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(integers), _mm256_loadu_ps(factor));
    scaled = _mm256_max_ps(scaled, _mm256_set1_ps(-65536.0F));
    scaled = _mm256_min_ps(scaled, _mm256_set1_ps(65536.0F));
    _mm256_storeu_si256((__m256i *)(void *)value, _mm256_cvtps_epi32(scaled));
}
#else
static inline void scale_floats(int32_t *value, const float *factor) {
    const float rounder = 12582912.0F; /* 1.5 * 2^23 leaves no bits below 1 */
    for (int i = 0; i < FLOATS; i++) {
        float scaled = (float)value[i] * factor[i];
        scaled = scaled < -65536.0F ? -65536.0F : scaled;
        scaled = scaled > 65536.0F ? 65536.0F : scaled;
        value[i] = (int32_t)(scaled + rounder - rounder);
    }
}
#endif

#endif
