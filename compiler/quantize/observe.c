/* Runs of the float graph that say what its tensors hold. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "compiler/quantize/simulate.h"
#include "compiler/quantize/steps.h"

/* What threads share. */
struct observation {
    struct plan *plan;
    struct tensors tensors[WEFT_MOST_THREADS];
    struct weft_limits *limits[WEFT_SAMPLE_PARTS]; /* by number of the value; NULL: second walk */
    /* Second walk, by thread, then by number of the value: */
    struct weft_histogram *histograms[WEFT_MOST_THREADS];
    const float *edges; /* of all values, bins + 1 each */
};

/* ---- memory ---- */

static bool has_histograms(const struct observation *o) {
    return o->edges != NULL;
}

/* Histograms of a thread, in one block; those of values inside of layers are left out. */
static struct weft_histogram *new_histograms(const struct observation *o,
                                             struct weft_error *error) {
    const struct plan *plan = o->plan;
    size_t bins = plan->options->bins;
    size_t count = plan->table->count;
    struct weft_histogram *made =
        weft_allocate(count, sizeof *made + bins * sizeof(uint64_t), "histograms", error);
    uint64_t *counts = made == NULL ? NULL : (uint64_t *)(void *)(made + count);
    for (size_t i = 0; made != NULL && i < count; i++) {
        made[i] = (struct weft_histogram){.bins = (uint32_t)bins,
                                          .absolute = plan->options->calibration ==
                                                      WEFT_CALIBRATE_PERCENTILE,
                                          .edges = o->edges + i * (bins + 1),
                                          .counts = counts + i * bins,
                                          .observed = plan->limits[i].observed};
    }
    return made;
}

static bool begin(void *context, unsigned thread, size_t part, struct weft_error *error) {
    struct observation *o = context;
    size_t count = o->plan->table->count;
    if (o->tensors[thread].block == NULL) {
        tensors_free(&o->tensors[thread]);
        if (!tensors_allocate(o->plan->table, o->plan->options->bytes, &o->tensors[thread],
                              error)) {
            return false;
        }
    }
    if (has_histograms(o)) {
        if (o->histograms[thread] == NULL) {
            o->histograms[thread] = new_histograms(o, error);
        }
        return o->histograms[thread] != NULL;
    }
    o->limits[part] = weft_allocate(count, sizeof *o->limits[part], "limits of tensors", error);
    for (size_t i = 0; o->limits[part] != NULL && i < count; i++) {
        o->limits[part][i] = weft_limits_none();
    }
    return o->limits[part] != NULL;
}

static void release(struct observation *o) {
    for (size_t i = 0; i < WEFT_MOST_THREADS; i++) {
        tensors_free(&o->tensors[i]);
        free(o->histograms[i]);
    }
    for (size_t i = 0; i < WEFT_SAMPLE_PARTS; i++) {
        free(o->limits[i]);
    }
}

/* ---- one sample ---- */

static bool observe(void *context, unsigned thread, size_t part, size_t sample,
                    struct weft_error *error) {
    struct observation *o = context;
    const struct plan *plan = o->plan;
    const struct tensors *tensors = &o->tensors[thread];
    if (!simulate_float(plan, tensors, sample, error)) {
        return false;
    }
    for (size_t i = 0; i < plan->table->count; i++) {
        size_t count = (size_t)weft_type_elements(&plan->table->values[i]->type);
        if (!plan_is_between(plan, i)) {
            continue;
        }
        size_t as = plan->observed_as[i];
        if (has_histograms(o)) {
            weft_histogram_add(&o->histograms[thread][as], tensors->at[i], count);
        } else {
            weft_limits_add(&o->limits[part][as], tensors->at[i], count);
        }
    }
    return true;
}

/* ---- both walks ---- */

static void tell(void *context, size_t done, size_t count) {
    const struct observation *o = context;
    const struct weft_quantize_options *options = o->plan->options;
    if (options->progress != NULL) {
        options->progress(options->context, has_histograms(o) ? "histograms" : "ranges", done,
                          count);
    }
}

static bool walk(struct observation *o, struct weft_error *error) {
    const struct weft_sample_walk all = {.samples = o->plan->options->samples,
                                         .begin = begin,
                                         .sample = observe,
                                         .context = o,
                                         .progress = tell,
                                         .progress_context = o};
    return weft_walk_samples(&all, error);
}

static void join_limits(struct observation *o) {
    const struct plan *plan = o->plan;
    for (size_t i = 0; i < plan->table->count; i++) {
        plan->limits[i] = weft_limits_none();
        for (size_t part = 0; part < WEFT_SAMPLE_PARTS; part++) {
            weft_limits_join(&plan->limits[i], &o->limits[part][plan->observed_as[i]]);
        }
    }
}

/* Adds the counts of all threads to those of the first one that has any. */
static struct weft_histogram *join_histograms(struct observation *o) {
    struct weft_histogram *sum = NULL;
    size_t count = o->plan->table->count;
    for (size_t thread = 0; thread < WEFT_MOST_THREADS; thread++) {
        struct weft_histogram *more = o->histograms[thread];
        if (sum == NULL || more == NULL) {
            sum = sum == NULL ? more : sum;
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            sum[i].zeros += more[i].zeros;
            for (uint32_t bin = 0; bin < sum[i].bins; bin++) {
                sum[i].counts[bin] += more[i].counts[bin];
            }
        }
    }
    return sum;
}

static bool calibrate(const struct plan *plan, const struct weft_histogram *histogram,
                      struct weft_range *range, struct weft_error *error) {
    const struct weft_quantize_options *options = plan->options;
    const uint32_t all_levels = 256;
    switch (options->calibration) {
    case WEFT_CALIBRATE_PERCENTILE:
        *range = weft_calibrate_percentile(histogram, options->percentile);
        return true;
    case WEFT_CALIBRATE_ENTROPY:
        return weft_calibrate_entropy(histogram, options->levels, range, error);
    default:
        *range = weft_calibrate_mse(histogram, all_levels, options->is_symmetric);
        return true;
    }
}

/* The second walk, with edges that the first one's limits give. */
static bool use_histograms(struct observation *o, struct weft_error *error) {
    struct plan *plan = o->plan;
    size_t room = (size_t)plan->options->bins + 1;
    float *edges = weft_allocate(plan->table->count, room * sizeof *edges, "edges", error);
    if (edges == NULL) {
        return false;
    }
    for (size_t i = 0; i < plan->table->count; i++) {
        weft_histogram_edges(weft_calibration_range(plan->options->calibration, &plan->limits[i]),
                             plan->options->bins, edges + i * room);
    }
    o->edges = edges;
    bool good = walk(o, error);
    const struct weft_histogram *histograms = good ? join_histograms(o) : NULL;
    for (size_t i = 0; good && i < plan->table->count; i++) {
        good = !plan_is_between(plan, i) || plan->limits[i].samples == 0 ||
               plan->observed_as[i] != i ||
               calibrate(plan, &histograms[i], &plan->ranges[i], error);
    }
    for (size_t i = 0; i < plan->table->count; i++) {
        plan->ranges[i] = plan->ranges[plan->observed_as[i]];
    }
    o->edges = NULL;
    free(edges);
    return good;
}

static void use_limits(const struct plan *plan) {
    bool mean = plan->options->calibration == WEFT_CALIBRATE_MOVING_AVERAGE;
    for (size_t i = 0; i < plan->table->count; i++) {
        plan->ranges[i] =
            mean ? weft_calibrate_moving_average(&plan->limits[i]) : plan->limits[i].observed;
    }
}

bool quantize_observe(struct plan *plan, struct weft_error *error) {
    struct observation o = {.plan = plan};
    bool by_limits = plan->options->calibration == WEFT_CALIBRATE_MIN_MAX ||
                     plan->options->calibration == WEFT_CALIBRATE_MOVING_AVERAGE;
    plan_find_steps(plan);
    bool good = walk(&o, error);
    if (good) {
        join_limits(&o);
        use_limits(plan);
        good = by_limits || use_histograms(&o, error);
    }
    if (good) {
        plan_share_tables(plan);
    }
    release(&o);
    return good;
}
