#include "kernels/inverse_root.h"

#include "base/fixed_point.h"
#include "kernels/exponential.h"

/* Newton's iteration in Q3 from a start of 1, after x is brought to [1/4, 1).
 * Source: TFLite's GetInvSqrtQuantizedMultiplierExp(). */
struct weft_factor weft_inverse_root(int32_t x) {
    const int32_t half_root_of_two = 1518500250; /* Q0 */
    const int32_t three_halves = (1 << 28) + (1 << 27);
    int shift = 11;
    if (x <= 1) {
        return (struct weft_factor){INT32_MAX, 0};
    }
    for (; x >= 1 << 29; x /= 4) {
        shift++;
    }
    int pairs = (__builtin_clz((uint32_t)x) - 1) / 2 - 1;
    shift -= pairs;
    int32_t half = weft_rounding_shift((int32_t)((uint32_t)x << (2 * pairs)) >> 1, 1);
    int32_t y = 1 << 28;
    for (int i = 0; i < 5; i++) {
        /* y^3 has 9 integer bits, the products below 6. */
        int32_t cube = fixed_shift_left(weft_high_mul(weft_high_mul(y, y), y), 6);
        int32_t next = weft_high_mul(three_halves, y) - weft_high_mul(half, cube);
        y = fixed_shift_left(next, 3);
    }
    y = weft_high_mul(y, half_root_of_two);
    return shift < 0 ? (struct weft_factor){(int32_t)((uint32_t)y << -shift), 0}
                     : (struct weft_factor){y, -shift};
}
