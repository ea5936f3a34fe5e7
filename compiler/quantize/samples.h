/* Inputs for many runs of a model, and walking over them on all cores. */
#ifndef WEFT_COMPILER_QUANTIZE_SAMPLES_H
#define WEFT_COMPILER_QUANTIZE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/ir/ir.h"

/* Where inputs come from: what calibrates, what is evaluated. */
struct weft_samples {
    size_t count;
    /* Writes the elements of every input of the graph for sample `i`, as their types say; threads
     * call it at the same time. */
    bool (*fill)(void *context, size_t i, void *const *inputs, struct weft_error *error);
    void *context;
};

/* Are all elements of an input of a sample numbers? What is not one, or infinite, has no range, and
 * is nothing that outputs can be compared by. Error: WEFT_ARGUMENT. */
bool weft_sample_check(size_t sample, const struct weft_type *input, const void *elements,
                       struct weft_error *error);

/* The work of weft_walk_samples(). */
struct weft_sample_walk {
    const struct weft_samples *samples;
    size_t limit; /* samples at most; 0: all */
    /* Called for each part before its first sample and after its last one; may be NULL. */
    bool (*begin)(void *context, unsigned thread, size_t part, struct weft_error *error);
    void (*end)(void *context, unsigned thread, size_t part);
    /* Called for each sample, in order inside of a part. */
    bool (*sample)(void *context, unsigned thread, size_t part, size_t i, struct weft_error *error);
    void *context;
    /* Told how many samples are done, now and then, by any thread, one at a time; may be NULL. */
    void (*progress)(void *context, size_t done, size_t count);
    void *progress_context;
};

enum {
    WEFT_SAMPLE_PARTS =
        16 /* samples are divided into so many parts, however many cores there are */
};

/* Walks over all samples on all cores. Sums that are made for each part and added up in their order
 * do not depend on how many cores there are. Stops at the first error. */
bool weft_walk_samples(const struct weft_sample_walk *walk, struct weft_error *error);

#endif
