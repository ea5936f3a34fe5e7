#include <string.h>

#include "kernels/limit_float.h"
#include "kernels/lstm_step.h"
#include "kernels/sums_float.h"

/* One row is added to the sums before it is limited, of several rows products are limited. */
static void add_product(const struct weft_lstm_step *step, struct weft_product_sizes sizes,
                        const weft_unaligned_float *input, int32_t tensor, float *sums) {
    weft_eigen_product(sizes, input, lstm_tensor(step, tensor), step->product);
    for (int64_t i = 0; i < (int64_t)sizes.rows * sizes.columns; i++) {
        float product = step->product[i];
        sums[i] = sizes.rows == 1 ? limit_to_finite(product + sums[i])
                                  : limit_to_finite(product) + sums[i];
    }
}

static void add_products(const struct weft_lstm_step *step, enum weft_lstm_gate gate, float *sums) {
    const struct weft_lstm_parameters *p = step->parameters;
    if (!is_all_zero(step->input, (int64_t)step->rows * p->inputs)) {
        add_product(step, (struct weft_product_sizes){step->rows, p->inputs, p->cells}, step->input,
                    WEFT_LSTM_INPUT_WEIGHTS + (int32_t)gate, sums);
    }
    add_product(step, (struct weft_product_sizes){step->rows, p->outputs, p->cells}, step->state,
                WEFT_LSTM_STATE_WEIGHTS + (int32_t)gate, sums);
}

static void project(const struct weft_lstm_step *step) {
    const struct weft_lstm_parameters *p = step->parameters;
    add_product(step, (struct weft_product_sizes){step->rows, p->cells, p->outputs}, step->hidden,
                WEFT_LSTM_PROJECTION, step->state);
}

static const struct weft_lstm_products products = {.add = add_products, .project = project};

size_t weft_kernel_lstm_scratch(const struct weft_lstm_parameters *parameters) {
    return weft_lstm_scratch(parameters, &products);
}

size_t weft_kernel_lstm_state(const struct weft_lstm_parameters *parameters) {
    return weft_lstm_state(parameters);
}

void weft_kernel_lstm_reset(const struct weft_lstm_parameters *parameters, void *state) {
    memset(state, 0, weft_lstm_state(parameters));
}

enum weft_kernel_status weft_kernel_lstm(const struct weft_lstm_parameters *parameters,
                                         const void *const *inputs, float *output, void *state,
                                         void *scratch) {
    return weft_lstm_run(parameters, &products, inputs, output, state, scratch);
}
