/* weft evaluate */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cli/cli.h"
#include "cli/dataset.h"
#include "cli/json_file.h"
#include "cli/step_progress.h"

#define HOST "host" /* the target that is no machine */

enum {
    TOP = 5
};

/* A model, and what each thread runs it with. */
struct subject {
    const char *path;
    const char *target;
    uint8_t *bytes;
    struct weft_module *module;
    struct dataset *dataset;
    struct weft_session *sessions[WEFT_MOST_THREADS];
    void **inputs[WEFT_MOST_THREADS]; /* the elements of each input, one block */
};

/* What samples add up to. */
struct tally {
    uint64_t samples, labelled, top1, top5, agree, other_top1;
    uint64_t unknown;     /* labels that are none of the model's classes */
    double signal, noise; /* sums of squares: of the other model's outputs, of differences */
};

struct evaluation {
    const struct given *given;
    struct open_options open;
    struct subject model, other; /* other.path NULL: there is none */
    struct tally parts[WEFT_SAMPLE_PARTS];
};

/* ---- models ---- */

static bool open_subject(const struct evaluation *e, struct subject *subject, const char *path,
                         const char *target) {
    struct weft_error error;
    struct dataset_options data;
    const char *file = given_value(e->given, OPTION_DATA);
    struct open_options open = e->open;
    open.takes_floats = true;
    subject->path = path;
    subject->target = strcmp(target, HOST) == 0 ? "func" : target;
    subject->module = open_model(
        path, &open, (struct weft_compile_options){.host_only = strcmp(target, HOST) == 0},
        &subject->bytes);
    if (subject->module == NULL) {
        subject->bytes = NULL;
        return false;
    }
    if (!dataset_options_read(e->given, "test", &data)) {
        return false;
    }
    data.bytes = e->open.limits.bytes;
    const struct weft_graph *graph = subject->module->graph;
    if (!dataset_open(file, graph->input_count, graph->inputs, &data, &subject->dataset, &error)) {
        report(file, &error);
        return false;
    }
    return true;
}

static void close_subject(struct subject *subject) {
    for (size_t i = 0; i < WEFT_MOST_THREADS; i++) {
        weft_session_close(subject->sessions[i]);
        free(subject->inputs[i]);
    }
    dataset_close(subject->dataset);
    weft_module_free(subject->module);
    free(subject->bytes);
}

static bool allocate_inputs(struct subject *subject, unsigned thread, struct weft_error *error) {
    enum {
        ALIGNMENT = 64
    };
    const struct weft_graph *graph = subject->module->graph;
    size_t bytes = graph->input_count * sizeof(void *) + ALIGNMENT;
    for (size_t i = 0; i < graph->input_count; i++) {
        bytes += weft_type_bytes(&graph->inputs[i]->type) + ALIGNMENT;
    }
    void **inputs = weft_allocate(bytes, 1, "inputs", error);
    if (inputs == NULL) {
        return false;
    }
    uint8_t *at = (uint8_t *)(inputs + graph->input_count);
    for (size_t i = 0; i < graph->input_count; i++) {
        at += ALIGNMENT - (uintptr_t)at % ALIGNMENT;
        inputs[i] = at;
        at += weft_type_bytes(&graph->inputs[i]->type);
    }
    subject->inputs[thread] = inputs;
    return true;
}

/* A session for the thread, if it has none yet. */
static bool begin_subject(struct subject *subject, unsigned thread, struct weft_error *error) {
    struct weft_session_options options = weft_session_defaults();
    if (subject->path == NULL || subject->sessions[thread] != NULL) {
        return true;
    }
    return (subject->inputs[thread] != NULL || allocate_inputs(subject, thread, error)) &&
           weft_session_open(subject->target, subject->module, &options, &subject->sessions[thread],
                             error);
}

static bool run_subject(struct subject *subject, unsigned thread, size_t sample,
                        struct weft_error *error) {
    const struct weft_samples *samples = dataset_samples(subject->dataset);
    const struct weft_graph *graph = subject->module->graph;
    void **inputs = subject->inputs[thread];
    struct weft_session *session = subject->sessions[thread];
    bool good = samples->fill(samples->context, sample, inputs, error);
    for (size_t i = 0; good && i < graph->input_count; i++) {
        good = weft_session_set_input(session, i, inputs[i],
                                      weft_type_bytes(&graph->inputs[i]->type), error);
    }
    return good && weft_session_run(session, error);
}

/* ---- outputs ---- */

/* An output as real numbers. */
struct output {
    const struct weft_type *type;
    const uint8_t *bytes;
    int64_t count;
};

static bool read_output(const struct subject *subject, unsigned thread, size_t index,
                        struct output *output, struct weft_error *error) {
    const void *bytes = NULL;
    size_t length = 0;
    const struct weft_type *type = &subject->module->graph->outputs[index]->type;
    if (!weft_session_output(subject->sessions[thread], index, &bytes, &length, error)) {
        return false;
    }
    *output = (struct output){type, bytes, weft_type_elements(type)};
    return true;
}

static double real_at(const struct output *output, int64_t i) {
    float single = 0;
    if (output->type->dtype == WEFT_F32) {
        memcpy(&single, output->bytes + 4 * i, sizeof single);
        return (double)single;
    }
    int64_t element = weft_element(output->type->dtype, output->bytes, i);
    return output->type->quantization.count == 1
               ? weft_type_scale(output->type, 0) *
                     (double)(element - weft_type_zero(output->type, 0))
               : (double)element;
}

/* The first one of the largest elements. */
static int64_t class_of(const struct output *output) {
    int64_t best = 0;
    for (int64_t i = 1; i < output->count; i++) {
        best = real_at(output, i) > real_at(output, best) ? i : best;
    }
    return best;
}

/* How many elements come before the one of the label, of equal ones the first first. */
static int64_t rank_of(const struct output *output, int64_t label) {
    int64_t before = 0;
    for (int64_t i = 0; i < output->count; i++) {
        double more = real_at(output, i) - real_at(output, label);
        before += more > 0 || (more == 0 && i < label);
    }
    return before;
}

static void add_label(const struct output *output, int64_t label, struct tally *tally) {
    if (label < 0 || label >= output->count) {
        tally->unknown += label >= 0;
        return;
    }
    int64_t rank = rank_of(output, label);
    tally->labelled++;
    tally->top1 += rank == 0;
    tally->top5 += rank < TOP;
}

static bool compare_outputs(const struct evaluation *e, unsigned thread, int64_t label,
                            struct tally *tally, struct weft_error *error) {
    for (size_t k = 0; k < e->model.module->graph->output_count; k++) {
        struct output mine;
        struct output theirs;
        if (!read_output(&e->model, thread, k, &mine, error) ||
            !read_output(&e->other, thread, k, &theirs, error)) {
            return false;
        }
        for (int64_t i = 0; i < mine.count; i++) {
            double exact = real_at(&theirs, i);
            double difference = exact - real_at(&mine, i);
            tally->signal += exact * exact;
            tally->noise += difference * difference;
        }
        if (k == 0 && mine.count > 0) {
            int64_t class = class_of(&theirs);
            tally->agree += class_of(&mine) == class;
            tally->other_top1 += class == label; /* never of a label that is none of the classes */
        }
    }
    return true;
}

/* ---- samples ---- */

static bool begin(void *context, unsigned thread, size_t part, struct weft_error *error) {
    struct evaluation *e = context;
    (void)part;
    return begin_subject(&e->model, thread, error) && begin_subject(&e->other, thread, error);
}

static bool evaluate_sample(void *context, unsigned thread, size_t part, size_t sample,
                            struct weft_error *error) {
    struct evaluation *e = context;
    struct tally *tally = &e->parts[part];
    struct output output;
    int64_t label = dataset_label(e->model.dataset, sample);
    if (!run_subject(&e->model, thread, sample, error) ||
        !read_output(&e->model, thread, 0, &output, error)) {
        return false;
    }
    tally->samples++;
    add_label(&output, label, tally);
    return e->other.path == NULL || (run_subject(&e->other, thread, sample, error) &&
                                     compare_outputs(e, thread, label, tally, error));
}

static void tell(void *context, size_t done, size_t count) {
    step_progress(context, "samples", done, count);
}

static struct tally join(const struct tally *parts) {
    struct tally sum = {0};
    for (size_t i = 0; i < WEFT_SAMPLE_PARTS; i++) {
        sum.samples += parts[i].samples;
        sum.labelled += parts[i].labelled;
        sum.top1 += parts[i].top1;
        sum.top5 += parts[i].top5;
        sum.agree += parts[i].agree;
        sum.other_top1 += parts[i].other_top1;
        sum.unknown += parts[i].unknown;
        sum.signal += parts[i].signal;
        sum.noise += parts[i].noise;
    }
    return sum;
}

/* ---- results ---- */

static double percent(uint64_t part, uint64_t all) {
    return all == 0 ? 0 : 100 * (double)part / (double)all;
}

/* Infinite: nothing differs; of what is not a number nothing is left but noise. */
static double decibels(const struct tally *tally) {
    return tally->noise == 0  ? (double)INFINITY
           : tally->noise > 0 ? 10 * log10(tally->signal / tally->noise)
                              : -(double)INFINITY;
}

static void print_comparison(const struct evaluation *e, const struct tally *tally) {
    double ratio = decibels(tally);
    printf("the same class as %s: %.2f %%", e->other.path, percent(tally->agree, tally->samples));
    if (tally->labelled > 0) {
        printf(", which has top-1 %.2f %%", percent(tally->other_top1, tally->labelled));
    }
    if (isfinite(ratio)) {
        printf("\nsignal-to-noise ratio of the outputs %.2f dB\n", ratio);
    } else {
        printf("\n%s\n", ratio > 0 ? "all outputs are the same" : "the outputs are noise alone");
    }
}

static void print(const struct evaluation *e, const struct tally *tally) {
    printf("%" PRIu64 " samples\n", tally->samples);
    if (tally->unknown > 0) {
        printf("%" PRIu64 " labels are none of the model's classes, and do not count\n",
               tally->unknown);
    }
    if (tally->labelled > 0) {
        printf("top-1 %.2f %%, top-5 %.2f %%\n", percent(tally->top1, tally->labelled),
               percent(tally->top5, tally->labelled));
    }
    if (e->other.path != NULL) {
        print_comparison(e, tally);
    }
}

static int write_json(const struct evaluation *e, const struct tally *tally) {
    struct weft_error error;
    const char *path = given_value(e->given, OPTION_JSON);
    if (path == NULL) {
        return STATUS_GOOD;
    }
    json_begin(e->model.module, 0);
    json_t *root = json_pack("{s:I, s:I, s:I, s:I}", "samples", (json_int_t)tally->samples,
                             "labelled", (json_int_t)tally->labelled, "top1",
                             (json_int_t)tally->top1, "top5", (json_int_t)tally->top5);
    if (e->other.path != NULL && root != NULL) {
        double ratio = decibels(tally);
        json_t *sqnr = isfinite(ratio) ? json_real(ratio) : json_null();
        json_note(sqnr);
        bool set =
            json_object_set_new(root, "agree", json_integer((json_int_t)tally->agree)) == 0 &&
            json_object_set_new(root, "other_top1", json_integer((json_int_t)tally->other_top1)) ==
                0 &&
            json_object_set_new(root, "sqnr", sqnr) == 0;
        json_note(set ? root : NULL);
    }
    return write_json_file(path, root, &error) ? STATUS_GOOD : report(path, &error);
}

/* Do both models have the same outputs, but for their types of elements? */
static bool check_outputs(const struct evaluation *e) {
    const struct weft_graph *mine = e->model.module->graph;
    const struct weft_graph *theirs = e->other.module->graph;
    bool same = mine->output_count == theirs->output_count;
    for (size_t i = 0; same && i < mine->output_count; i++) {
        same = weft_type_elements(&mine->outputs[i]->type) ==
               weft_type_elements(&theirs->outputs[i]->type);
    }
    if (!same) {
        usage_error("evaluate", "both models must have the same outputs");
    }
    return same;
}

static int evaluate(struct evaluation *e) {
    struct weft_error error;
    const struct weft_sample_walk walk = {.samples = dataset_samples(e->model.dataset),
                                          .begin = begin,
                                          .sample = evaluate_sample,
                                          .context = e,
                                          .progress = tell};
    bool good = weft_walk_samples(&walk, &error);
    step_progress_end();
    if (!good) {
        return report(e->model.path, &error);
    }
    struct tally tally = join(e->parts);
    int status = write_json(e, &tally);
    if (status == STATUS_GOOD) {
        print(e, &tally);
    }
    return status;
}

int command_evaluate(const struct given *given) {
    struct weft_error error;
    const char *target = given_value(given, OPTION_DATA_TARGET);
    const char *against = given_value(given, OPTION_AGAINST);
    struct evaluation *e = weft_allocate(1, sizeof *e, "an evaluation", &error);
    if (e == NULL) {
        return report(given->operand, &error);
    }
    e->given = given;
    target = target == NULL ? "func" : target;
    int status = STATUS_ERROR;
    if (given_value(given, OPTION_DATA) == NULL) {
        status = usage_error("evaluate", "give %s", given->command->needs);
    } else if (check_name("evaluate", "target", run_target_names, target) &&
               open_options_read(given, &e->open) &&
               open_subject(e, &e->model, given->operand, target) &&
               (against == NULL ||
                (open_subject(e, &e->other, against, "func") && check_outputs(e)))) {
        status = evaluate(e);
    }
    close_subject(&e->model);
    close_subject(&e->other);
    free(e);
    return status;
}
