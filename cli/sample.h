/* Elements of data sets as elements of inputs; used by cli/dataset.c alone. */
#ifndef WEFT_CLI_SAMPLE_H
#define WEFT_CLI_SAMPLE_H

#include "compiler/ir/ir.h"

enum {
    SAMPLE_MOST_CHANNELS = 16, /* with a mean and a deviation each */
};

/* Where the elements of a sample come from, axis by axis of the input. */
struct sample_order {
    bool is_moved;
    int64_t rows, columns, channels; /* of the input, when it is */
    bool channels_first;             /* in the data, when it is: last in the input */
};

/* Values are (x - mean) / std, by channel. */
struct sample_scaling {
    bool is_scaled;
    int64_t channels; /* that mean and std are for */
    double mean[SAMPLE_MOST_CHANNELS];
    double std[SAMPLE_MOST_CHANNELS];
};

/* Reads --mean and --std, one number or one for each channel, joined by commas; NULL: not given.
 * Error: WEFT_ARGUMENT. */
bool sample_read_scaling(const char *mean, const char *std, struct sample_scaling *scaling,
                         struct weft_error *error);

/* Has an input as many channels, in its last axis or its second one, as mean and std are for?
 * Error: WEFT_ARGUMENT. */
bool sample_check_channels(const struct sample_scaling *scaling, const struct weft_type *input,
                           struct weft_error *error);

/* How samples, from axis `first` of the data on, become the input; false: they cannot. */
bool sample_find_order(const struct weft_type *input, const struct weft_type *data, uint32_t first,
                       struct sample_order *order);

/* An element of a type as a real number. */
double sample_element(enum weft_dtype dtype, const uint8_t *data, int64_t i);

/* What one sample is, and what it becomes. */
struct sample_form {
    struct weft_type input;
    struct weft_type data; /* of one sample */
    struct sample_order order;
};

/* Makes the elements of an input out of those of a sample. */
void sample_convert(const struct sample_form *form, const struct sample_scaling *scaling,
                    const uint8_t *sample, uint8_t *bytes);

#endif
