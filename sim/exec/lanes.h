/* Vectors of the host for the fast versions (matrix_fast.c, vector_fast.c), which are compiled once
 * for each kind of host: WEFT_KERNEL(name) adds the host's suffix to the name of a function. */
#ifndef WEFT_SIM_EXEC_LANES_H
#define WEFT_SIM_EXEC_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif
#ifdef __ARM_FEATURE_DOTPROD
#include <arm_neon.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* `lanes` is a vector of LANES int32, and a kernel keeps at most REGISTERS sums in such vectors.
 *
 * lanes_dot() adds DOT products to each lane: those of DOT factors, which are the same for all
 * lanes, with DOT weights for each lane. Both are as take_factors() and join_weights() make them of
 * int8: either whole, as int16, with the weights' zero point subtracted, or as bytes, with which
 * the zero point remains (weights_keep_zero); factors that are bytes may be flipped to 0 to 255, so
 * that zero_factors is what stands for DOT zeros and zero_factor for one. lanes_multiply() adds one
 * product of int16 to each lane, that of lanes_extend()ed bytes with lanes_low() of int32. */
#if defined(__AVX512VNNI__)
#define WEFT_KERNEL(name) name##_avx512
enum {
    LANES = 16,
    REGISTERS = 24,
    DOT = 4
};
typedef __m512i lanes;
typedef uint8_t factor;
static const bool weights_keep_zero = true;
static const int32_t zero_factors = INT32_MIN | 0x808080;
static const uint32_t zero_factor = 128;
static inline lanes lanes_load(const void *from) {
    return _mm512_loadu_si512(from);
}
static inline void lanes_store(void *to, lanes value) {
    _mm512_storeu_si512(to, value);
}
static inline lanes lanes_all(int32_t value) {
    return _mm512_set1_epi32(value);
}
static inline lanes lanes_add(lanes a, lanes b) {
    return _mm512_add_epi32(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b) {
    return _mm512_sub_epi32(a, b);
}
static inline lanes lanes_dot(lanes acc, int32_t factors, lanes weights) {
    return _mm512_dpbusd_epi32(acc, _mm512_set1_epi32(factors), weights);
}
static inline lanes lanes_extend(const int8_t *from) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}
static inline lanes lanes_low(const int32_t *from) {
    return _mm512_and_si512(_mm512_loadu_si512(from), _mm512_set1_epi32(0xffff));
}
static inline lanes lanes_multiply(lanes acc, lanes a, lanes low) {
    return _mm512_dpwssd_epi32(acc, a, low);
}
#elif defined(__AVX2__)
#define WEFT_KERNEL(name) name##_avx2
enum {
    LANES = 8,
    REGISTERS = 12,
    DOT = 2
};
typedef __m256i lanes;
typedef int16_t factor;
static const bool weights_keep_zero = false;
static const int32_t zero_factors = 0;
static const uint32_t zero_factor = 0;
static inline lanes lanes_load(const void *from) {
    return _mm256_loadu_si256(from);
}
static inline void lanes_store(void *to, lanes value) {
    _mm256_storeu_si256(to, value);
}
static inline lanes lanes_all(int32_t value) {
    return _mm256_set1_epi32(value);
}
static inline lanes lanes_add(lanes a, lanes b) {
    return _mm256_add_epi32(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b) {
    return _mm256_sub_epi32(a, b);
}
static inline lanes lanes_dot(lanes acc, int32_t factors, lanes weights) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_set1_epi32(factors), weights));
}
static inline lanes lanes_extend(const int8_t *from) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}
static inline lanes lanes_low(const int32_t *from) {
    return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)from),
                            _mm256_set1_epi32(0xffff));
}
static inline lanes lanes_multiply(lanes acc, lanes a, lanes low) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, low));
}
#elif defined(__ARM_FEATURE_DOTPROD)
#define WEFT_KERNEL(name) name##_neon
enum {
    LANES = 4,
    REGISTERS = 20,
    DOT = 4
};
typedef int32x4_t lanes;
typedef int8_t factor;
static const bool weights_keep_zero = true;
static const int32_t zero_factors = 0;
static const uint32_t zero_factor = 0;
static inline lanes lanes_load(const void *from) {
    return vreinterpretq_s32_u8(vld1q_u8(from));
}
static inline void lanes_store(void *to, lanes value) {
    vst1q_u8(to, vreinterpretq_u8_s32(value));
}
static inline lanes lanes_all(int32_t value) {
    return vdupq_n_s32(value);
}
static inline lanes lanes_add(lanes a, lanes b) {
    return vaddq_s32(a, b);
}
static inline lanes lanes_subtract(lanes a, lanes b) {
    return vsubq_s32(a, b);
}
static inline lanes lanes_dot(lanes acc, int32_t factors, lanes weights) {
    return vdotq_s32(acc, vreinterpretq_s8_s32(weights),
                     vreinterpretq_s8_s32(vdupq_n_s32(factors)));
}
static inline lanes lanes_extend(const int8_t *from) {
    int32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    int8x8_t four = vreinterpret_s8_s32(vdup_n_s32(bytes));
    return vmovl_s16(vget_low_s16(vmovl_s8(four)));
}
static inline lanes lanes_low(const int32_t *from) {
    return vld1q_s32(from);
}
static inline lanes lanes_multiply(lanes acc, lanes a, lanes low) {
    return vmlaq_s32(acc, a, low);
}
#else
#define WEFT_KERNEL(name) name##_c
enum {
    LANES = 8,
    REGISTERS = 8,
    DOT = 2
};
typedef struct {
    int32_t lane[LANES];
} lanes;
typedef int16_t factor;
static const bool weights_keep_zero = false;
static const int32_t zero_factors = 0;
static const uint32_t zero_factor = 0;
static inline lanes lanes_load(const void *from) {
    lanes value;
    memcpy(&value, from, sizeof value);
    return value;
}
static inline void lanes_store(void *to, lanes value) {
    memcpy(to, &value, sizeof value);
}
static inline lanes lanes_all(int32_t value) {
    lanes all;
    for (int i = 0; i < LANES; i++) {
        all.lane[i] = value;
    }
    return all;
}
static inline lanes lanes_add(lanes a, lanes b) {
    for (int i = 0; i < LANES; i++) {
        a.lane[i] = (int32_t)((uint32_t)a.lane[i] + (uint32_t)b.lane[i]);
    }
    return a;
}
static inline lanes lanes_subtract(lanes a, lanes b) {
    for (int i = 0; i < LANES; i++) {
        a.lane[i] = (int32_t)((uint32_t)a.lane[i] - (uint32_t)b.lane[i]);
    }
    return a;
}
static inline lanes lanes_dot(lanes acc, int32_t factors, lanes weights) {
    int32_t low = (int16_t)factors;
    int32_t high = factors >> 16;
    for (int i = 0; i < LANES; i++) {
        int32_t dot = low * (int16_t)weights.lane[i] + high * (weights.lane[i] >> 16);
        acc.lane[i] = (int32_t)((uint32_t)acc.lane[i] + (uint32_t)dot);
    }
    return acc;
}
static inline lanes lanes_extend(const int8_t *from) {
    lanes value;
    for (int i = 0; i < LANES; i++) {
        value.lane[i] = (int16_t)from[i]; /* not a character */
    }
    return value;
}
static inline lanes lanes_low(const int32_t *from) {
    return lanes_load(from);
}
static inline lanes lanes_multiply(lanes acc, lanes a, lanes low) {
    for (int i = 0; i < LANES; i++) {
        acc.lane[i] = (int32_t)((uint32_t)acc.lane[i] + (uint32_t)(a.lane[i] * low.lane[i]));
    }
    return acc;
}
#endif

/* ---- int8 to factors and weights of lanes_dot(), TAKEN_BYTES at once ---- */

/* join_weights(): to[DOT * i + d] is row[d * stride + i], less the zero point if that is not kept.
 */
#if defined(__AVX512VNNI__)
enum {
    TAKEN_BYTES = 16
};
static inline void take_factors(const int8_t *from, factor *to) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_xor_si128(bytes, _mm_set1_epi8(INT8_MIN)));
}
static inline void join_weights(const int8_t *row, size_t stride, int16_t zero, void *to) {
    (void)zero;
    __m128i rows[DOT];
    for (size_t d = 0; d < DOT; d++) {
        rows[d] = _mm_loadu_si128((const __m128i *)(const void *)(row + d * stride));
    }
    __m128i low[2] = {_mm_unpacklo_epi8(rows[0], rows[1]), _mm_unpackhi_epi8(rows[0], rows[1])};
    __m128i high[2] = {_mm_unpacklo_epi8(rows[2], rows[3]), _mm_unpackhi_epi8(rows[2], rows[3])};
    __m128i *out = to;
    for (size_t i = 0; i < 2; i++) {
        _mm_storeu_si128(&out[2 * i], _mm_unpacklo_epi16(low[i], high[i]));
        _mm_storeu_si128(&out[2 * i + 1], _mm_unpackhi_epi16(low[i], high[i]));
    }
}
#elif defined(__AVX2__)
enum {
    TAKEN_BYTES = 8 /* a whole line of the smallest machine */
};
static inline void take_factors(const int8_t *from, factor *to) {
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_cvtepi8_epi16(bytes));
}
static inline void join_weights(const int8_t *row, size_t stride, int16_t zero, void *to) {
    __m128i bytes =
        _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)row),
                          _mm_loadl_epi64((const __m128i *)(const void *)(row + stride)));
    __m256i pairs = _mm256_sub_epi16(_mm256_cvtepi8_epi16(bytes), _mm256_set1_epi16(zero));
    _mm256_storeu_si256((__m256i *)to, pairs);
}
#elif defined(__ARM_FEATURE_DOTPROD)
enum {
    TAKEN_BYTES = 8
};
static inline void take_factors(const int8_t *from, factor *to) {
    vst1_s8(to, vld1_s8(from));
}
static inline void join_weights(const int8_t *row, size_t stride, int16_t zero, void *to) {
    (void)zero;
    const int8x8x4_t rows = {{vld1_s8(row), vld1_s8(row + stride), vld1_s8(row + 2 * stride),
                              vld1_s8(row + 3 * stride)}};
    vst4_s8(to, rows);
}
#else
enum {
    TAKEN_BYTES = 8
};
static inline void take_factors(const int8_t *from, factor *to) {
    for (int i = 0; i < TAKEN_BYTES; i++) {
        to[i] = (factor)from[i];
    }
}
static inline void join_weights(const int8_t *row, size_t stride, int16_t zero, void *to) {
    int16_t pairs[DOT * TAKEN_BYTES];
    for (size_t i = 0; i < TAKEN_BYTES; i++) {
        pairs[2 * i] = (int16_t)(row[i] - zero);
        pairs[2 * i + 1] = (int16_t)(row[stride + i] - zero);
    }
    memcpy(to, pairs, sizeof pairs);
}
#endif

/* ---- int32 times float, LANES at once ---- */

/* value[i] * factors[i] as weft_scale_float() defines it, in the host's own float32, of which that
 * is the model; what lies far beyond a byte becomes +-2^16. */
#if defined(__AVX512VNNI__)
static inline void scale_floats(int32_t *value, const float *factors) {
    __m512 scaled = _mm512_cvtepi32_ps(_mm512_loadu_si512(value));
    scaled = _mm512_mul_ps(scaled, _mm512_loadu_ps(factors));
    scaled = _mm512_max_ps(scaled, _mm512_set1_ps(-65536.0F));
    scaled = _mm512_min_ps(scaled, _mm512_set1_ps(65536.0F));
    _mm512_storeu_si512(value, _mm512_cvtps_epi32(scaled));
}
#elif defined(__AVX2__)
static inline void scale_floats(int32_t *value, const float *factors) {
    __m256i integers = _mm256_loadu_si256((const __m256i *)(const void *)value);
    __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(integers), _mm256_loadu_ps(factors));
    scaled = _mm256_max_ps(scaled, _mm256_set1_ps(-65536.0F));
    scaled = _mm256_min_ps(scaled, _mm256_set1_ps(65536.0F));
    _mm256_storeu_si256((__m256i *)(void *)value, _mm256_cvtps_epi32(scaled));
}
#elif defined(__ARM_FEATURE_DOTPROD)
static inline void scale_floats(int32_t *value, const float *factors) {
    float32x4_t scaled = vmulq_f32(vcvtq_f32_s32(vld1q_s32(value)), vld1q_f32(factors));
    scaled = vmaxq_f32(scaled, vdupq_n_f32(-65536.0F));
    scaled = vminq_f32(scaled, vdupq_n_f32(65536.0F));
    vst1q_s32(value, vcvtnq_s32_f32(scaled));
}
#else
static inline void scale_floats(int32_t *value, const float *factors) {
    const float rounder = 12582912.0F; /* 1.5 * 2^23 leaves no bits below 1 */
    for (int i = 0; i < LANES; i++) {
        float scaled = (float)value[i] * factors[i];
        scaled = scaled < -65536.0F ? -65536.0F : scaled;
        scaled = scaled > 65536.0F ? 65536.0F : scaled;
        value[i] = (int32_t)(scaled + rounder - rounder);
    }
}
#endif

/* ---- int32 as VECTOR scales and writes them, LANES at once ---- */

/* Scaling parameters of lanes, as weft_scale_gemmlowp() takes them. */
struct gemmlowp {
    const int32_t *multiplier;
    const int32_t *left;
    const int32_t *right;
    const int32_t *mask; /* 2^right - 1 */
};

/* scale_gemmlowp(): weft_scale_gemmlowp() of each lane; only multiplier = shifted value = INT32_MIN
 * saturates. narrow(): the lanes between `low` and `high`, plus `zero`, which gives bytes. */
#if defined(__AVX512VNNI__)
static inline void scale_gemmlowp(int32_t *value, const struct gemmlowp *by) {
    const __m512i half = _mm512_set1_epi64(INT64_C(1) << 30);
    const __m512i least = _mm512_set1_epi32(INT32_MIN);
    __m512i multiplier = _mm512_loadu_si512(by->multiplier);
    __m512i shifted = _mm512_sllv_epi32(_mm512_loadu_si512(value), _mm512_loadu_si512(by->left));
    __m512i even = _mm512_mul_epi32(shifted, multiplier);
    __m512i odd =
        _mm512_mul_epi32(_mm512_srli_epi64(shifted, 32), _mm512_srli_epi64(multiplier, 32));
    even = _mm512_srli_epi64(_mm512_add_epi64(even, half), 31);
    odd = _mm512_slli_epi64(_mm512_add_epi64(odd, half), 1);
    __m512i high = _mm512_mask_blend_epi32(0xaaaa, even, odd);
    __mmask16 saturates =
        _mm512_mask_cmpeq_epi32_mask(_mm512_cmpeq_epi32_mask(multiplier, least), shifted, least);
    high = _mm512_mask_set1_epi32(high, saturates, INT32_MAX);
    __m512i mask = _mm512_loadu_si512(by->mask);
    __m512i threshold = _mm512_add_epi32(_mm512_srli_epi32(mask, 1), _mm512_srli_epi32(high, 31));
    __mmask16 up = _mm512_cmpgt_epi32_mask(_mm512_and_si512(high, mask), threshold);
    __m512i scaled = _mm512_srav_epi32(high, _mm512_loadu_si512(by->right));
    scaled = _mm512_mask_add_epi32(scaled, up, scaled, _mm512_set1_epi32(1));
    _mm512_storeu_si512(value, scaled);
}
static inline void narrow(const int32_t *value, int32_t low, int32_t high, int32_t zero,
                          int8_t *out) {
    __m512i v = _mm512_max_epi32(_mm512_loadu_si512(value), _mm512_set1_epi32(low));
    v = _mm512_min_epi32(v, _mm512_set1_epi32(high));
    v = _mm512_add_epi32(v, _mm512_set1_epi32(zero));
    _mm_storeu_si128((__m128i *)(void *)out, _mm512_cvtepi32_epi8(v));
}
#elif defined(__AVX2__)
static inline __m256i lanes_of(const int32_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}
static inline void scale_gemmlowp(int32_t *value, const struct gemmlowp *by) {
    const __m256i half = _mm256_set1_epi64x(INT64_C(1) << 30);
    const __m256i least = _mm256_set1_epi32(INT32_MIN);
    __m256i multiplier = lanes_of(by->multiplier);
    __m256i shifted = _mm256_sllv_epi32(lanes_of(value), lanes_of(by->left));
    __m256i even = _mm256_mul_epi32(shifted, multiplier);
    __m256i odd =
        _mm256_mul_epi32(_mm256_srli_epi64(shifted, 32), _mm256_srli_epi64(multiplier, 32));
    even = _mm256_srli_epi64(_mm256_add_epi64(even, half), 31);
    odd = _mm256_slli_epi64(_mm256_add_epi64(odd, half), 1);
    __m256i high = _mm256_blend_epi32(even, odd, 0xaa);
    __m256i saturates =
        _mm256_and_si256(_mm256_cmpeq_epi32(multiplier, least), _mm256_cmpeq_epi32(shifted, least));
    high = _mm256_blendv_epi8(high, _mm256_set1_epi32(INT32_MAX), saturates);
    __m256i mask = lanes_of(by->mask);
    __m256i threshold = _mm256_add_epi32(_mm256_srli_epi32(mask, 1), _mm256_srli_epi32(high, 31));
    __m256i up = _mm256_cmpgt_epi32(_mm256_and_si256(high, mask), threshold);
    __m256i scaled = _mm256_srav_epi32(high, lanes_of(by->right));
    _mm256_storeu_si256((__m256i *)(void *)value, _mm256_sub_epi32(scaled, up));
}
static inline void narrow(const int32_t *value, int32_t low, int32_t high, int32_t zero,
                          int8_t *out) {
    __m256i v = _mm256_max_epi32(lanes_of(value), _mm256_set1_epi32(low));
    v = _mm256_min_epi32(v, _mm256_set1_epi32(high));
    v = _mm256_add_epi32(v, _mm256_set1_epi32(zero));
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)(void *)out, _mm_packs_epi16(words, words));
}
#elif defined(__ARM_FEATURE_DOTPROD)
static inline void scale_gemmlowp(int32_t *value, const struct gemmlowp *by) {
    int32x4_t shifted = vshlq_s32(vld1q_s32(value), vld1q_s32(by->left));
    int32x4_t high = vqrdmulhq_s32(shifted, vld1q_s32(by->multiplier));
    int32x4_t mask = vld1q_s32(by->mask);
    int32x4_t negative = vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(high), 31));
    int32x4_t threshold = vaddq_s32(vshrq_n_s32(mask, 1), negative);
    int32x4_t up = vreinterpretq_s32_u32(vcgtq_s32(vandq_s32(high, mask), threshold));
    int32x4_t scaled = vshlq_s32(high, vnegq_s32(vld1q_s32(by->right)));
    vst1q_s32(value, vsubq_s32(scaled, up));
}
static inline void narrow(const int32_t *value, int32_t low, int32_t high, int32_t zero,
                          int8_t *out) {
    int32x4_t v = vmaxq_s32(vld1q_s32(value), vdupq_n_s32(low));
    v = vaddq_s32(vminq_s32(v, vdupq_n_s32(high)), vdupq_n_s32(zero));
    int16x4_t words = vmovn_s32(v);
    int32_t bytes = vget_lane_s32(vreinterpret_s32_s8(vmovn_s16(vcombine_s16(words, words))), 0);
    memcpy(out, &bytes, sizeof bytes);
}
#else
static inline int32_t scale_lane(int32_t value, const struct gemmlowp *by, int lane) {
    int32_t multiplier = by->multiplier[lane];
    int32_t shifted = (int32_t)((uint32_t)value << by->left[lane]);
    int64_t product = (int64_t)shifted * multiplier + (INT64_C(1) << 30);
    int32_t high = (int32_t)(uint32_t)((uint64_t)product >> 31);
    high = (shifted == INT32_MIN && multiplier == INT32_MIN) ? INT32_MAX : high;
    int32_t threshold = (by->mask[lane] >> 1) + (high < 0 ? 1 : 0);
    return (high >> by->right[lane]) + ((high & by->mask[lane]) > threshold ? 1 : 0);
}
static inline void scale_gemmlowp(int32_t *value, const struct gemmlowp *by) {
    for (int i = 0; i < LANES; i++) {
        value[i] = scale_lane(value[i], by, i);
    }
}
static inline void narrow(const int32_t *value, int32_t low, int32_t high, int32_t zero,
                          int8_t *out) {
    for (int i = 0; i < LANES; i++) {
        int32_t v = value[i] < low ? low : value[i];
        v = v > high ? high : v;
        out[i] = (int8_t)(v + zero);
    }
}
#endif

#endif
