/* Source: TFLite reference_ops::Softmax. Written to be small: it is what most networks ask of
 * firmware. */
#include <stdbool.h>

#include "kernels/exponential.h"
#include "kernels/normalize.h"
#include "kernels/scale.h"

enum {
    LARGEST = 255, /* of a byte */
};

/* A row: bytes whose top bits are flipped where they are int8, so that both types are 0 to 255. */
struct row {
    const struct weft_qnn_softmax_parameters *parameters;
    const uint8_t *input;
    uint32_t flip;
    int32_t largest;
};

static int32_t element(const struct row *row, int32_t i) {
    return (int32_t)(row->input[i] ^ row->flip);
}

/* 0 where it counts as nothing. */
int32_t weft_softmax_exponential(const struct weft_qnn_softmax_parameters *parameters,
                                 int32_t difference) {
    if (difference < parameters->least_difference) {
        return 0;
    }
    int32_t shifted = (int32_t)((uint32_t)difference << parameters->factor.shift);
    return weft_fixed_exp_on_negative(weft_fixed_product(shifted, parameters->factor.multiplier));
}

static int32_t exponential(const struct row *row, int32_t i) {
    return weft_softmax_exponential(row->parameters, element(row, i) - row->largest);
}

/* The sum of the exponentials, which wraps. */
static int32_t sum_of_row(const struct row *row) {
    uint32_t sum = 0;
    for (int32_t i = 0; i < row->parameters->shape.depth; i++) {
        sum += weft_softmax_term(exponential(row, i));
    }
    return (int32_t)sum;
}

static int32_t largest_of_row(const struct row *row) {
    int32_t largest = 0;
    for (int32_t i = 0; i < row->parameters->shape.depth; i++) {
        int32_t value = element(row, i);
        largest = value > largest ? value : largest;
    }
    return largest;
}

/* False when the sum of the exponentials is 512 or more, 2^28 in Q12: the reference shifts by more
 * than 31 bits then and aborts, so there is no answer to be equal to. */
static bool softmax_row(struct row *row, uint8_t *output) {
    row->largest = largest_of_row(row);
    int32_t sum = sum_of_row(row);
    if (sum < 0 || sum >= 1 << WEFT_SOFTMAX_SUM_BITS) {
        return false;
    }
    int shift = 0;
    int32_t scale =
        weft_fixed_reciprocal_of_one_plus(weft_softmax_normalised((uint32_t)sum, &shift));
    for (int32_t i = 0; i < row->parameters->shape.depth; i++) {
        int32_t value = weft_rounding_shift(weft_fixed_product(scale, exponential(row, i)), shift);
        value = value < 0 ? 0 : value > LARGEST ? LARGEST : value;
        output[i] = (uint8_t)((uint32_t)value ^ row->flip);
    }
    return true;
}

enum weft_kernel_status
weft_kernel_qnn_softmax(const struct weft_qnn_softmax_parameters *parameters, const void *input,
                        void *output) {
    struct row row = {
        .parameters = parameters, .input = input, .flip = parameters->dtype == WEFT_I8 ? 0x80 : 0};
    uint8_t *to = output;
    for (int32_t i = 0; i < parameters->shape.rows; i++) {
        if (!softmax_row(&row, to)) {
            return WEFT_KERNEL_UNDEFINED;
        }
        row.input += parameters->shape.depth;
        to += parameters->shape.depth;
    }
    return WEFT_KERNEL_OK;
}
