/* Inputs for many runs of a model, from files: a .npz file of one array for each input, or a folder
 * of .npy files and pictures, one for each run of a model of one input. */
#ifndef WEFT_CLI_DATASET_H
#define WEFT_CLI_DATASET_H

#include "cli/arguments.h"
#include "compiler/ir/ir.h"
#include "compiler/quantize/samples.h"

struct dataset_options {
    const char *array; /* of a .npz file, for a model of one input; NULL: `usual`, else the only
                          one that has the input's size */
    const char *usual;
    const char *labels; /* the array of labels; NULL: the array's name and _labels, else labels */
    const char *mean;   /* values are (x - mean) / std: one number, or one for each channel */
    const char *std;
    size_t most;    /* samples at most; 0: all */
    uint64_t bytes; /* of memory at most; 0: WEFT_MEMORY_LIMIT */
};

/* Reads --array, --labels, --mean, --std and --samples; `usual` as above. False after a message. */
bool dataset_options_read(const struct given *given, const char *usual,
                          struct dataset_options *options);

struct dataset;

/* Opens data for a model that takes `inputs`; the path must outlive the data set. Arrays have the
 * names of inputs, or else their order. They have the axes of an input, after one for the samples;
 * axes of 1 element count for nothing; of an input of rows, columns and channels the channels may
 * come first, or last, in the array alone. Errors: WEFT_NPY, WEFT_TENSOR, WEFT_ARGUMENT,
 * WEFT_IMAGE, WEFT_LIMIT, WEFT_OUT_OF_MEMORY, those of files. */
bool dataset_open(const char *path, size_t input_count, struct weft_value *const *inputs,
                  const struct dataset_options *options, struct dataset **dataset,
                  struct weft_error *error);
void dataset_close(struct dataset *dataset);

/* Its samples; they belong to it. */
const struct weft_samples *dataset_samples(const struct dataset *dataset);

/* The class of a sample, as `label` of struct weft_quantize_options; -1: it has none. */
int64_t dataset_label(void *dataset, size_t i);
bool dataset_has_labels(const struct dataset *dataset);

#endif
