/* Multipliers and shifts, and the proof that they are exact. */
#include <math.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/lower/layer.h"

/* What the reference computes for FULLY_CONNECTED: the accumulator times a double, rounded half
 * away from zero. */
static int64_t reference(int64_t acc, double scale) {
    double scaled = round((double)acc * scale);
    return scaled > 1e15    ? INT64_C(1) << 50
           : scaled < -1e15 ? -(INT64_C(1) << 50)
                            : (int64_t)scaled;
}

/* Both sides never decrease with the accumulator, so they agree everywhere if every result that
 * survives the clamp begins at the same accumulator. */
static bool agrees(double scale, int32_t multiplier, int shift, int32_t out_zero, int32_t low,
                   int32_t high) {
    for (int32_t result = low + 1; result <= high; result++) {
        int64_t wanted = result - out_zero;
        double estimate = ((double)wanted - 0.5) / scale;
        if (fabs(estimate) > (double)INT32_MAX + 4.0) {
            continue; /* no accumulator reaches it, or all do; the neighbours show that both sides
                         agree */
        }
        int64_t first = (int64_t)floor(estimate) - 2;
        while (reference(first, scale) < wanted) {
            first++;
        }
        bool below = first - 1 < INT32_MIN || first - 1 > INT32_MAX ||
                     weft_scale_single((int32_t)(first - 1), multiplier, shift) < wanted;
        bool above = first < INT32_MIN || first > INT32_MAX ||
                     weft_scale_single((int32_t)first, multiplier, shift) >= wanted;
        if (!below || !above) {
            return false;
        }
    }
    return true;
}

/* The nearest multiplier is exact for nearly every scale; else one of its neighbours may be. */
static bool find_single(double scale, int32_t out_zero, int32_t low, int32_t high,
                        int32_t *multiplier, int *shift) {
    static const int32_t offsets[] = {0, 1, -1, 2, -2};
    int32_t nearest = 0;
    weft_quantize_multiplier(scale, &nearest, shift);
    if (*shift > 31 || nearest == 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        int64_t candidate = (int64_t)nearest + offsets[i];
        if (candidate <= INT32_MAX &&
            agrees(scale, (int32_t)candidate, *shift, out_zero, low, high)) {
            *multiplier = (int32_t)candidate;
            return true;
        }
    }
    return false;
}

bool requant_find(struct weft_arena *arena, enum weft_rounding rounding, int64_t count,
                  const double *from, double to, int32_t out_zero, int32_t low, int32_t high,
                  struct requant *requant) {
    *requant = (struct requant){.rounding = rounding};
    requant->multiplier = WEFT_NEW_ARRAY(arena, (size_t)count, int32_t);
    requant->shift = WEFT_NEW_ARRAY(arena, (size_t)count, int);
    for (int64_t i = 0; i < count; i++) {
        int32_t *multiplier = &requant->multiplier[i];
        int *shift = &requant->shift[i];
        if (i > 0 && from[i] == from[i - 1]) {
            *multiplier = requant->multiplier[i - 1];
            *shift = requant->shift[i - 1];
            continue;
        }
        switch (rounding) {
        case WEFT_ROUNDING_GEMMLOWP:
            weft_quantize_multiplier(from[i] / to, multiplier, shift);
            if (*shift > 31) {
                return false;
            }
            break;
        case WEFT_ROUNDING_SINGLE:
            if (!find_single(from[i] / to, out_zero, low, high, multiplier, shift)) {
                return false;
            }
            break;
        case WEFT_ROUNDING_FLOAT:
            weft_float_multiplier(from[i], to, multiplier, shift);
            break;
        }
        requant->per_channel = requant->per_channel || *multiplier != requant->multiplier[0] ||
                               *shift != requant->shift[0];
    }
    return true;
}
