/* One multiplier of 31 bits, with one rounding, that makes of every product of two bytes what
 * ONNX Runtime computes in floats. */
#include <math.h>
#include <string.h>

#include "base/fixed_point.h"
#include "base/float_element.h"
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/passes/exact.h"

enum {
    MOST = 255 * 255,     /* of a product */
    MOST_SHIFT = 14,      /* to the left, of a product in 32 bits */
    NEAR = 64,            /* multipliers around the nearest one, */
    NEAR_SHARE = 1 << 10, /* and such a share of it, among which one may do */
};

struct by_element {
    const struct weft_type *to;
    float factor;
};

/* Products, a bit each. */
struct products {
    uint8_t bits[(2 * MOST + 8) / 8];
};

static bool occurs(const struct products *products, int32_t product) {
    return (products->bits[(product + MOST) / 8] >> ((product + MOST) % 8) & 1) != 0;
}

static void find_products(const struct weft_type *const types[2], const struct byte_set bytes[2],
                          struct products *products) {
    int32_t least[2];
    for (int k = 0; k < 2; k++) {
        least[k] = (int32_t)weft_dtype_min(types[k]->dtype) - weft_type_zero(types[k], 0);
    }
    memset(products, 0, sizeof *products);
    for (int32_t i = 0; i < BYTE_VALUES; i++) {
        for (int32_t j = 0; bytes[0].has[i] && j < BYTE_VALUES; j++) {
            int32_t at = (least[0] + i) * (least[1] + j) + MOST;
            products->bits[at / 8] |= (uint8_t)(bytes[1].has[j] << (at % 8));
        }
    }
}

/* ---- a multiplier ---- */

/* What QLinearMul computes. */
static int32_t wanted(const struct by_element *by, int32_t product) {
    float exact = weft_float_product(product, by->factor, weft_type_zero(by->to, 0));
    return weft_float_to_byte(by->to->dtype, exact, 0);
}

/* The multipliers among which one is searched; none when `low` is above `high`. */
struct multipliers {
    int64_t low, high;
    int shift;
};

/* Grows with the multiplier, whatever the product's sign. */
static int32_t made(const struct by_element *by, int32_t product, int64_t multiplier, int shift) {
    int32_t scaled = weft_scale_gemmlowp(product, (int32_t)multiplier, shift);
    int32_t result = exact_limited(by->to->dtype, (int64_t)scaled + weft_type_zero(by->to, 0));
    return product < 0 ? -result : result;
}

/* The first multiplier that makes at least `result`; the one behind the last: none does. */
static int64_t first_of(const struct by_element *by, const struct multipliers *among,
                        int32_t product, int32_t result) {
    int64_t low = among->low;
    int64_t end = among->high + 1;
    while (low < end) {
        int64_t middle = low + (end - low) / 2;
        if (made(by, product, middle, among->shift) >= result) {
            end = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

double exact_product(const struct weft_type *const types[3], const struct byte_set bytes[2]) {
    const struct by_element by = {types[2], weft_product_scale(weft_type_scale(types[0], 0),
                                                               weft_type_scale(types[1], 0),
                                                               weft_type_scale(types[2], 0))};
    int exponent = 0;
    (void)frexpf(by.factor, &exponent);
    if (!isfinite(by.factor) || exponent > MOST_SHIFT) {
        return 0;
    }
    struct multipliers among = {.shift = exponent > 0 ? exponent : 0};
    int64_t nearest = llround(ldexp((double)by.factor, 31 - among.shift));
    among.low = weft_max(nearest - nearest / NEAR_SHARE - NEAR, 1);
    among.high = weft_min(nearest + nearest / NEAR_SHARE + NEAR, INT32_MAX);
    struct products products;
    find_products(types, bytes, &products);
    for (int32_t product = -MOST; product <= MOST && among.low <= among.high; product++) {
        if (!occurs(&products, product)) {
            continue;
        }
        int32_t result = product < 0 ? -wanted(&by, product) : wanted(&by, product);
        if (made(&by, product, among.low, among.shift) != result ||
            made(&by, product, among.high, among.shift) != result) {
            int64_t end = first_of(&by, &among, product, result + 1);
            among.low = first_of(&by, &among, product, result);
            among.high = end - 1;
        }
    }
    return among.low <= among.high
               ? ldexp((double)weft_clamp(nearest, among.low, among.high), among.shift - 31)
               : 0;
}
