#include "sweep/values.h"

#include <string.h>

#include "sim/timing/timing.h"

/* Digits, and K, M or G behind them; *at moves behind. */
static bool take_number(const char **at, const char *end, uint32_t *number) {
    static const char suffixes[] = "KMG";
    uint64_t value = 0;
    const char *start = *at;
    while (*at < end && **at >= '0' && **at <= '9' && value <= UINT32_MAX) {
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    }
    const char *suffix = *at < end && **at != '\0' ? strchr(suffixes, **at) : NULL;
    if (suffix != NULL && *at > start) {
        unsigned shift = 10 * (unsigned)(suffix - suffixes + 1);
        value = value > UINT32_MAX >> shift ? UINT64_MAX : value << shift;
        (*at)++;
    }
    *number = (uint32_t)value;
    return *at > start && value <= UINT32_MAX;
}

bool sweep_take_value(unsigned axis, const char **at, const char *end, uint32_t *value) {
    for (unsigned i = 0; axis == SWEEP_AXIS_dram && i < WEFT_DRAMS; i++) {
        size_t length = strlen(weft_dram_names[i]);
        if (length == (size_t)(end - *at) && memcmp(*at, weft_dram_names[i], length) == 0) {
            *at = end;
            *value = i;
            return true;
        }
    }
    return take_number(at, end, value);
}

static bool bad_values(const char *start, const char *end, struct weft_error *error) {
    return weft_fail(error, WEFT_SWEEP, 0,
                     "'%.*s': expected numbers, with K, M or G behind them perhaps, as 65536, 64K, "
                     "16K..1M (doubling) or 8..32+4 (in steps of 4)",
                     (int)(end - start < 60 ? end - start : 60), start);
}

bool sweep_add_value(struct sweep_values *values, struct weft_arena *arena, unsigned axis,
                     uint32_t value, struct weft_error *error) {
    for (size_t i = 0; i < values->count; i++) {
        if (values->list[i] == value) {
            return true; /* once is enough */
        }
    }
    if (values->count == SWEEP_MOST_VALUES) {
        return weft_fail(error, WEFT_LIMIT, 0, "%s: more than %d values", sweep_axis_name(axis),
                         SWEEP_MOST_VALUES);
    }
    if (values->list == NULL) {
        values->list = WEFT_NEW_ARRAY(arena, SWEEP_MOST_VALUES, uint32_t);
    }
    values->list[values->count++] = value;
    return true;
}

/* From `low` to `high`: doubling where the step is 0. */
static bool add_range(struct sweep_values *values, struct weft_arena *arena, unsigned axis,
                      uint32_t low, uint32_t high, uint32_t step, struct weft_error *error) {
    for (uint64_t value = low; value <= high; value = step == 0 ? 2 * value : value + step) {
        if (!sweep_add_value(values, arena, axis, (uint32_t)value, error)) {
            return false;
        }
    }
    return true;
}

bool sweep_add_values(struct sweep_values *values, struct weft_arena *arena, unsigned axis,
                      const char *start, const char *end, struct weft_error *error) {
    const char *at = start;
    uint32_t low = 0;
    if (!sweep_take_value(axis, &at, end, &low)) {
        return bad_values(start, end, error);
    }
    uint32_t high = low;
    uint32_t step = 0;
    bool is_range = end - at > 2 && at[0] == '.' && at[1] == '.';
    if (is_range) {
        at += 2;
        if (!take_number(&at, end, &high) || high < low) {
            return bad_values(start, end, error);
        }
        if (at < end && *at == '+') {
            at++;
            if (!take_number(&at, end, &step) || step == 0) {
                return bad_values(start, end, error);
            }
        } else if (low == 0) {
            return bad_values(start, end, error); /* 0 does not double */
        }
    }
    return at == end ? is_range ? add_range(values, arena, axis, low, high, step, error)
                                : sweep_add_value(values, arena, axis, low, error)
                     : bad_values(start, end, error);
}
