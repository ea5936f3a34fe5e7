#include "cli/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One number, or several that commas join. */
static bool parse_numbers(const char *text, double *numbers, int64_t *count,
                          struct weft_error *error) {
    const char *at = text;
    bool more = true;
    *count = 0;
    while (more && *count < SAMPLE_MOST_CHANNELS) {
        char *end = NULL;
        numbers[*count] = strtod(at, &end);
        if (end == at || !isfinite(numbers[*count])) {
            break;
        }
        (*count)++;
        more = *end == ',';
        at = more ? end + 1 : end;
    }
    return (!more && *at == '\0' && *count > 0) ||
           weft_fail(error, WEFT_ARGUMENT, 0, "'%.40s': expected numbers that commas join", text);
}

bool sample_read_scaling(const char *mean, const char *std, struct sample_scaling *scaling,
                         struct weft_error *error) {
    int64_t means = 1;
    int64_t deviations = 1;
    scaling->is_scaled = mean != NULL || std != NULL;
    if (!parse_numbers(mean == NULL ? "0" : mean, scaling->mean, &means, error) ||
        !parse_numbers(std == NULL ? "1" : std, scaling->std, &deviations, error)) {
        return false;
    }
    if (means != deviations && means != 1 && deviations != 1) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "--mean and --std have different channels");
    }
    scaling->channels = means > deviations ? means : deviations;
    for (int64_t i = scaling->channels; i-- > 0;) {
        scaling->mean[i] = scaling->mean[means == 1 ? 0 : i];
        scaling->std[i] = scaling->std[deviations == 1 ? 0 : i];
        if (scaling->std[i] == 0) {
            return weft_fail(error, WEFT_ARGUMENT, 0, "--std: nothing can be divided by 0");
        }
    }
    return true;
}

bool sample_check_channels(const struct sample_scaling *scaling, const struct weft_type *input,
                           struct weft_error *error) {
    bool is_last = input->rank > 0 && input->dim[input->rank - 1] == scaling->channels;
    bool is_second = input->rank > 1 && input->dim[1] == scaling->channels;
    return scaling->channels == 1 || is_last || is_second ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "--mean or --std: %" PRId64
                     " numbers, expected one, or one for each channel of the input",
                     scaling->channels);
}

double sample_element(enum weft_dtype dtype, const uint8_t *data, int64_t i) {
    float single = 0;
    double number = 0;
    if (dtype == WEFT_F32) {
        memcpy(&single, data + 4 * i, sizeof single);
        number = (double)single;
    } else if (dtype == WEFT_F64) {
        memcpy(&number, data + 8 * i, sizeof number);
    } else {
        number = (double)weft_element(dtype, data, i);
    }
    return number;
}

/* ---- shapes ---- */

/* The axes of more than one element, from axis `first` on. */
static uint32_t long_axes(const struct weft_type *type, uint32_t first, int64_t *dims) {
    uint32_t count = 0;
    for (uint32_t i = first; i < type->rank; i++) {
        if (type->dim[i] != 1) {
            dims[count++] = type->dim[i];
        }
    }
    return count;
}

static bool same(const int64_t *a, const int64_t *b, uint32_t count) {
    bool equal = true;
    for (uint32_t i = 0; i < count; i++) {
        equal = equal && a[i] == b[i];
    }
    return equal;
}

bool sample_find_order(const struct weft_type *input, const struct weft_type *data, uint32_t first,
                       struct sample_order *order) {
    int64_t to[WEFT_MAX_RANK];
    int64_t from[WEFT_MAX_RANK];
    uint32_t count = long_axes(input, 0, to);
    *order = (struct sample_order){.is_moved = false};
    if (count != long_axes(data, first, from)) {
        return false;
    }
    if (same(to, from, count)) {
        return true;
    }
    if (count != 3) {
        return false;
    }
    const int64_t last[3] = {from[1], from[2], from[0]}; /* channels first in the data */
    const int64_t front[3] = {from[2], from[0], from[1]};
    if (same(to, last, 3)) {
        *order = (struct sample_order){true, to[0], to[1], to[2], true};
        return true;
    }
    *order = (struct sample_order){true, to[1], to[2], to[0], false};
    return same(to, front, 3);
}

/* Elements of a channel that lie together in the input: one where channels come last. */
static size_t channel_step(const struct weft_type *type, int64_t channels) {
    int64_t plane = 1;
    if (channels <= 1 || type->rank < 2 || type->dim[type->rank - 1] == channels) {
        return 1;
    }
    for (uint32_t i = 2; i < type->rank; i++) {
        plane *= type->dim[i];
    }
    return (size_t)plane;
}

/* Where element `i` of the input lies in a sample. */
static int64_t place_of(const struct sample_order *order, int64_t i) {
    int64_t plane = order->rows * order->columns;
    if (!order->is_moved) {
        return i;
    }
    return order->channels_first ? i % order->channels * plane + i / order->channels
                                 : i % plane * order->channels + i / plane;
}

/* ---- one sample ---- */

/* Writes a real number as an element of a type. */
static void put(const struct weft_type *type, uint8_t *bytes, int64_t i, double number) {
    float single = (float)number;
    size_t size = weft_dtype_bytes(type->dtype);
    if (type->dtype == WEFT_F32) {
        memcpy(bytes + 4 * i, &single, sizeof single);
        return;
    }
    if (type->quantization.count == 1) {
        number = round(number / weft_type_scale(type, 0)) + weft_type_zero(type, 0);
    }
    double low = (double)weft_dtype_min(type->dtype);
    double high = (double)weft_dtype_max(type->dtype);
    int64_t value = (int64_t)fmax(low, fmin(high, number));
    for (size_t k = 0; k < size; k++) {
        bytes[(size_t)i * size + k] = (uint8_t)((uint64_t)value >> (8 * k));
    }
}

void sample_convert(const struct sample_form *form, const struct sample_scaling *scaling,
                    const uint8_t *sample, uint8_t *bytes) {
    const struct weft_type *type = &form->input;
    enum weft_dtype dtype = form->data.dtype;
    bool raw =
        dtype == type->dtype && !scaling->is_scaled; /* elements as they are, perhaps moved */
    struct weft_type plain = *type;
    plain.quantization.count = raw ? 0 : plain.quantization.count;
    if (raw && !form->order.is_moved) {
        memcpy(bytes, sample, weft_type_bytes(type));
        return;
    }
    size_t step = channel_step(type, scaling->channels);
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        double value = sample_element(dtype, sample, place_of(&form->order, i));
        if (scaling->is_scaled) {
            size_t channel = (size_t)i / step % (size_t)scaling->channels;
            value = (value - scaling->mean[channel]) / scaling->std[channel];
        }
        put(&plain, bytes, i, value);
    }
}
