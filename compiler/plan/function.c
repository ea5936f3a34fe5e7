/* Functions of one byte that VECTOR computes without a table: those that only clamp, COPY, and
 * those that only scale and clamp, RESCALE, as most ReLUs do. LUT, which holds one table, is free
 * for others then, and nothing is loaded for them. */
#include <math.h>
#include <string.h>

#include "base/fixed_point.h"
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/plan/region.h"

static int32_t value_at(const uint8_t *table, int32_t byte) {
    return (int8_t)table[(uint8_t)byte];
}

static bool is_monotonic(const uint8_t *table) {
    bool good = true;
    for (int32_t x = INT8_MIN; x < INT8_MAX; x++) {
        good = good && value_at(table, x) <= value_at(table, x + 1);
    }
    return good;
}

/* Does it do what the table does, byte for byte? As WEFT_FUNCTION_COPY and _RESCALE. */
static bool is_table(const struct scaling *scaling, const uint8_t *table) {
    bool good = true;
    for (int32_t x = INT8_MIN; x <= INT8_MAX && good; x++) {
        int64_t value = x;
        if (scaling->function == WEFT_FUNCTION_RESCALE) {
            value = (int64_t)weft_scale_gemmlowp(x - scaling->in_zero, scaling->multiplier,
                                                 scaling->shift) +
                    scaling->out_zero;
        }
        good = weft_clamp(value, scaling->low, scaling->high) == value_at(table, x);
    }
    return good;
}

/* Real factors. */
struct range {
    double least, most;
};

/* Those of a range that, times `distance`, are in [low, high]. */
static struct range within(struct range range, double distance, double low, double high) {
    double first = (distance > 0 ? low : high) / distance;
    double last = (distance > 0 ? high : low) / distance;
    return (struct range){first > range.least ? first : range.least,
                          last < range.most ? last : range.most};
}

/* The integers [*low, *high] that a division by 2 to the power of `exponent`, rounded with ties
 * away from zero, makes `value`: weft_rounding_shift(). */
static void shifted_to(int64_t value, int exponent, int64_t *low, int64_t *high) {
    int64_t one = INT64_C(1) << exponent;
    *low = value * one - one / 2 + (value <= 0 && one > 1);
    *high = value * one + one / 2 - (value >= 0 && one > 1);
}

/* The factors with which `distance` from the zero point becomes the value of every byte; values
 * that are the lowest or highest may have been more than that. As multiplier / 2^31 * 2^shift: the
 * product is rounded once before a shift to the right, and once by it. */
static struct range find_factors(const struct scaling *scaling, const uint8_t *table, int shift) {
    const double much = 1e6;
    int right = shift < 0 ? -shift : 0;
    double one = (double)(INT64_C(1) << right);
    struct range range = {scalbn(0.5, shift), scalbn(1, shift)};
    for (int32_t x = INT8_MIN; x <= INT8_MAX && range.least <= range.most; x++) {
        int32_t value = value_at(table, x);
        int64_t low = 0;
        int64_t high = 0;
        shifted_to(value - scaling->out_zero, right, &low, &high);
        if (x != scaling->in_zero) {
            range = within(range, x - scaling->in_zero,
                           value > scaling->low ? ((double)low - 0.5) / one : -much,
                           value < scaling->high ? ((double)high + 0.5) / one : much);
        }
    }
    return range;
}

/* The factors that are possible by how far the values rise between the last of the lowest and the
 * first of the highest: each is at most a step and two roundings off. */
static struct range rise_of(const uint8_t *table) {
    int32_t first = INT8_MIN;
    int32_t last = INT8_MAX;
    while (first < last && value_at(table, first + 1) == value_at(table, INT8_MIN)) {
        first++;
    }
    while (last > first + 1 && value_at(table, last - 1) == value_at(table, INT8_MAX)) {
        last--;
    }
    double steps = last - first;
    double rise = value_at(table, last) - value_at(table, first);
    return (struct range){(rise - 3) / (steps + 1), steps > 2 ? (rise + 3) / (steps - 2) : 512};
}

/* Finds the multiplier from a zero point of the operand on, if there is one. */
static bool find_multiplier(const uint8_t *table, const struct range *rise, int32_t zero,
                            struct scaling *scaling) {
    enum {
        LEAST_SHIFT = -16, /* less makes nothing of a byte */
        MOST_SHIFT = 9
    };
    bool found = false;
    scaling->in_zero = zero;
    scaling->out_zero = value_at(table, zero);
    for (int shift = LEAST_SHIFT; shift <= MOST_SHIFT && !found; shift++) {
        if (scalbn(1, shift) < rise->least || scalbn(0.5, shift) > rise->most) {
            continue;
        }
        const struct range range = find_factors(scaling, table, shift);
        int exact = 0;
        weft_quantize_multiplier((range.least + range.most) / 2, &scaling->multiplier, &exact);
        scaling->shift = exact;
        found = range.least <= range.most && is_table(scaling, table);
    }
    return found;
}

/* Finds what gives the same as a table; false: nothing does. */
static bool find_scaling(const struct weft_config *config, const uint8_t *table,
                         struct scaling *scaling) {
    *scaling = (struct scaling){.function = WEFT_FUNCTION_COPY,
                                .low = value_at(table, INT8_MIN),
                                .high = value_at(table, INT8_MAX)};
    if (!is_monotonic(table)) {
        return false;
    }
    bool found = is_table(scaling, table);
    scaling->function = found ? WEFT_FUNCTION_COPY : WEFT_FUNCTION_RESCALE;
    const struct range rise = rise_of(table);
    for (int32_t zero = INT8_MIN; zero <= INT8_MAX && !found && config->gemmlowp != 0; zero++) {
        found = find_multiplier(table, &rise, zero, scaling);
    }
    return found;
}

/* Finds out about a table once. */
static const struct scaling *scaling_for(struct region *region, const uint8_t *table) {
    struct byte_function *functions = region->functions;
    for (size_t i = 0; i < region->function_count; i++) {
        if (functions[i].table == table || memcmp(functions[i].table, table, 256) == 0) {
            return functions[i].scaling;
        }
    }
    struct scaling *scaling = WEFT_NEW(region->arena, struct scaling);
    if (!find_scaling(region->config, table, scaling)) {
        scaling = NULL;
    }
    region->functions = weft_arena_grow(region->arena, functions, region->function_count,
                                        &region->function_capacity, sizeof *functions);
    region->functions[region->function_count++] = (struct byte_function){table, scaling};
    return scaling;
}

void region_find_scalings(struct region *region) {
    for (int i = 0; i < region->layer_count; i++) {
        struct layer *layer = &region->layers[i];
        layer->scaling = layer->kind == LAYER_TABLE ? scaling_for(region, layer->table) : NULL;
    }
    for (int t = 0; t < region->tensor_count; t++) {
        struct tensor *tensor = &region->tensors[t];
        tensor->scaling = tensor->table == NULL ? NULL : scaling_for(region, tensor->table);
    }
}
