#include "cli/dataset.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/npz.h"
#include "cli/sample.h"
#include "cli/streams.h"

enum {
    MOST_FILES = 1 << 20,
    MOST_LABEL = 1 << 30,
    PICTURE_CHANNELS = 3,
};

/* Where the samples of an input come from. */
struct source {
    struct sample_form form;
    uint8_t *elements; /* of all samples; NULL: one file for each */
};

struct dataset {
    const char *path; /* the caller's, who keeps it */
    struct weft_samples samples;
    size_t source_count;
    struct source *sources;
    char *folder;
    char **files; /* sorted; NULL: arrays */
    size_t file_count;
    int64_t *labels; /* NULL: none */
    struct sample_scaling scaling;
    struct dataset_options options;
};

/* ---- options ---- */

bool dataset_options_read(const struct given *given, const char *usual,
                          struct dataset_options *options) {
    const char *text = given_value(given, OPTION_SAMPLES);
    uint64_t samples = 0;
    *options = (struct dataset_options){.array = given_value(given, OPTION_ARRAY),
                                        .usual = usual,
                                        .labels = given_value(given, OPTION_LABELS),
                                        .mean = given_value(given, OPTION_DATA_MEAN),
                                        .std = given_value(given, OPTION_DATA_STD)};
    if (text != NULL && (!read_number(text, SIZE_MAX, &samples) || samples == 0)) {
        usage_error(given->command->name, "--samples '%.40s': expected a number above 0", text);
        return false;
    }
    options->most = (size_t)samples;
    return true;
}

/* ---- folders ---- */

/* The type that a picture is read as: bytes, rows, columns, channels of the input. */
static bool picture_type(const struct weft_type *input, struct weft_type *picture) {
    int64_t dims[4] = {1, 0, 0, 0};
    if (input->rank != 4) {
        return false;
    }
    bool last = input->dim[3] == 1 || input->dim[3] == PICTURE_CHANNELS;
    dims[1] = input->dim[last ? 1 : 2];
    dims[2] = input->dim[last ? 2 : 3];
    dims[3] = input->dim[last ? 3 : 1];
    static const double one = 1;
    static const int32_t zero = 0;
    *picture = weft_type_make(WEFT_U8, 4, dims);
    picture->quantization = (struct weft_quantization){.count = 1, .scale = &one, .zero = &zero};
    return dims[3] == 1 || dims[3] == PICTURE_CHANNELS;
}

static bool read_sample(const struct dataset *dataset, const char *path, struct source *source,
                        uint8_t **sample, struct weft_error *error) {
    const struct weft_type *input = &source->form.input;
    struct image_options picture = {.memory_limit = dataset->options.bytes};
    uint8_t *file = NULL;
    size_t length = 0;
    bool good = stream_read(path, &file, &length, error);
    if (good && is_image(path)) {
        good = picture_type(input, &source->form.data) ||
               weft_fail(error, WEFT_TENSOR, 0, "a picture, which is no input of this model");
        good = good && image_parse(file, length, &source->form.data, &picture, sample, error);
    } else if (good) {
        good = npy_type(file, length, &source->form.data, error) &&
               npy_parse(file, length, &source->form.data, sample, error);
    }
    free(file);
    if (good && !sample_find_order(input, &source->form.data, 0, &source->form.order)) {
        free(*sample);
        good = weft_fail(error, WEFT_TENSOR, 0, "its shape is not that of the model's input");
    }
    return good;
}

static bool fill_from_file(const struct dataset *dataset, size_t i, void *input,
                           struct weft_error *error) {
    struct source source = dataset->sources[0];
    uint8_t *sample = NULL;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", dataset->folder, dataset->files[i]);
    if (!read_sample(dataset, path, &source, &sample, error)) {
        return weft_fail_context(error, "%s", dataset->files[i]);
    }
    sample_convert(&source.form, &dataset->scaling, sample, input);
    free(sample);
    return true;
}

static bool fill_from_arrays(const struct dataset *dataset, size_t i, void *const *inputs,
                             struct weft_error *error) {
    bool good = true;
    for (size_t k = 0; good && k < dataset->source_count; k++) {
        const struct source *source = &dataset->sources[k];
        sample_convert(&source->form, &dataset->scaling,
                       source->elements + i * weft_type_bytes(&source->form.data), inputs[k]);
        good = weft_sample_check(i, &source->form.input, inputs[k], error);
    }
    return good;
}

static bool fill(void *context, size_t i, void *const *inputs, struct weft_error *error) {
    const struct dataset *dataset = context;
    bool good = dataset->files == NULL
                    ? fill_from_arrays(dataset, i, inputs, error)
                    : fill_from_file(dataset, i, inputs[0], error) &&
                          weft_sample_check(i, &dataset->sources[0].form.input, inputs[0], error);
    return good || weft_fail_context(error, "%s", dataset->path);
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_sample(const char *name) {
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && (is_image(name) || (dot != NULL && strcmp(dot, ".npy") == 0));
}

static bool add_file(struct dataset *dataset, const char *name, size_t *capacity,
                     struct weft_error *error) {
    size_t count = dataset->file_count;
    if (count == MOST_FILES) {
        return weft_fail(error, WEFT_LIMIT, 0, "the folder has more than %d files", MOST_FILES);
    }
    if (!weft_reserve((void **)&dataset->files, capacity, count + 1, sizeof *dataset->files,
                      "names of files", error)) {
        return false;
    }
    dataset->files[count] = weft_allocate(strlen(name) + 1, 1, "a name", error);
    if (dataset->files[count] == NULL) {
        return false;
    }
    memcpy(dataset->files[count], name, strlen(name) + 1);
    dataset->file_count++;
    return true;
}

static bool open_folder(struct dataset *dataset, DIR *folder, const char *path,
                        struct weft_error *error) {
    size_t capacity = 0;
    bool good = true;
    for (struct dirent *entry = readdir(folder); good && entry != NULL; entry = readdir(folder)) {
        good = !is_sample(entry->d_name) || add_file(dataset, entry->d_name, &capacity, error);
    }
    if (!good) {
        return false;
    }
    if (dataset->options.array != NULL || dataset->options.labels != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a folder, which has no arrays: --%s is for a .npz file",
                         dataset->options.array != NULL ? "array" : "labels");
    }
    dataset->samples.count = dataset->file_count;
    if (dataset->source_count != 1 || dataset->samples.count == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         dataset->samples.count == 0
                             ? "the folder has no .npy files and no pictures"
                             : "a folder is data for models of one input; give a .npz file");
    }
    qsort(dataset->files, dataset->samples.count, sizeof *dataset->files, compare_names);
    dataset->folder = weft_allocate(strlen(path) + 1, 1, "a name", error);
    if (dataset->folder != NULL) {
        memcpy(dataset->folder, path, strlen(path) + 1);
    }
    return dataset->folder != NULL;
}

/* ---- arrays ---- */

/* An array with its elements in C order. */
static bool load_array(const struct dataset *dataset, const struct npz *npz,
                       const struct npz_array *array, struct weft_type *type, uint8_t **elements,
                       struct weft_error *error) {
    uint8_t *file = NULL;
    if (!npz_read(npz, array, dataset->options.bytes, &file, error)) {
        return false;
    }
    bool good = npy_type(file, array->raw, type, error) &&
                npy_parse(file, array->raw, type, elements, error);
    free(file);
    return good || weft_fail_context(error, "%s.npy", array->name);
}

/* The array that an input's samples are in. */
static const struct npz_array *choose_array(const struct dataset *dataset, const struct npz *npz,
                                            const struct weft_value *input, size_t index,
                                            struct weft_error *error) {
    const struct dataset_options *o = &dataset->options;
    const struct npz_array *found = NULL;
    if (dataset->source_count == 1) {
        found = o->array != NULL   ? npz_find(npz, o->array)
                : o->usual == NULL ? NULL
                                   : npz_find(npz, o->usual);
    }
    if (found == NULL && o->array == NULL) {
        found = npz_find(npz, input->name == NULL ? "" : input->name);
    }
    if (found == NULL && o->array == NULL && index < npz->count) {
        found = &npz->arrays[index];
    }
    if (found == NULL) {
        weft_error_set(error, WEFT_ARGUMENT, 0, "there is no array '%.60s'",
                       o->array != NULL      ? o->array
                       : input->name == NULL ? ""
                                             : input->name);
    }
    return found;
}

static bool check_array(struct dataset *dataset, const char *name, struct source *source,
                        const struct weft_type *type, struct weft_error *error) {
    bool readable = !weft_dtype_is_storage(type->dtype) || type->dtype == WEFT_F64;
    if (type->rank < 1 || !readable ||
        !sample_find_order(&source->form.input, type, 1, &source->form.order)) {
        return weft_fail(error, WEFT_TENSOR, 0,
                         "array %s: its samples do not have the shape of the model's input", name);
    }
    size_t count = (size_t)type->dim[0];
    if (dataset->samples.count > 0 && dataset->samples.count != count) {
        return weft_fail(error, WEFT_TENSOR, 0, "array %s has %zu samples, another one %zu", name,
                         count, dataset->samples.count);
    }
    dataset->samples.count = count;
    source->form.data = *type;
    source->form.data.dim[0] = 1;
    return true;
}

/* Labels are there or not; if they are, one for each sample. */
static bool read_labels(struct dataset *dataset, const struct npz *npz, const char *array,
                        struct weft_error *error) {
    const struct dataset_options *o = &dataset->options;
    char name[NPZ_NAME + 8];
    struct weft_type type;
    uint8_t *elements = NULL;
    (void)snprintf(name, sizeof name, "%s_labels", array);
    const struct npz_array *found = npz_find(npz, o->labels != NULL ? o->labels : name);
    found = found == NULL && o->labels == NULL ? npz_find(npz, "labels") : found;
    if (found == NULL) {
        return o->labels == NULL ||
               weft_fail(error, WEFT_ARGUMENT, 0, "there is no array '%.60s'", o->labels);
    }
    if (!load_array(dataset, npz, found, &type, &elements, error)) {
        return false;
    }
    bool good = weft_type_elements(&type) == (int64_t)dataset->samples.count;
    dataset->labels =
        good ? weft_allocate(dataset->samples.count, sizeof(int64_t), "labels", error) : NULL;
    bool whole = true;
    for (size_t i = 0; whole && dataset->labels != NULL && i < dataset->samples.count; i++) {
        double label = sample_element(type.dtype, elements, (int64_t)i);
        whole = fabs(label) <= (double)MOST_LABEL && label == floor(label);
        dataset->labels[i] = whole ? (int64_t)label : -1;
    }
    free(elements);
    if (!good || !whole) {
        return weft_fail(error, WEFT_TENSOR, 0, "array %s: expected %s", found->name,
                         good ? "whole numbers, the numbers of classes"
                              : "a label for each sample");
    }
    return dataset->labels != NULL;
}

static bool load_arrays(struct dataset *dataset, const struct npz *npz,
                        struct weft_value *const *inputs, struct weft_error *error) {
    const struct npz_array *array = NULL;
    if (dataset->options.array != NULL && dataset->source_count > 1) {
        return weft_fail(
            error, WEFT_ARGUMENT, 0,
            "--array is for a model of one input; each of several has the array of its "
            "name");
    }
    for (size_t i = 0; i < dataset->source_count; i++) {
        struct source *source = &dataset->sources[i];
        struct weft_type type;
        array = choose_array(dataset, npz, inputs[i], i, error);
        if (array == NULL || !load_array(dataset, npz, array, &type, &source->elements, error) ||
            !check_array(dataset, array->name, source, &type, error)) {
            return false;
        }
    }
    return array == NULL || read_labels(dataset, npz, array->name, error);
}

static bool open_arrays(struct dataset *dataset, const char *path, struct weft_value *const *inputs,
                        struct weft_error *error) {
    uint8_t *file = NULL;
    size_t length = 0;
    if (!stream_read(path, &file, &length, error)) {
        return false;
    }
    struct npz *npz = weft_allocate(1, sizeof *npz, "a directory", error);
    bool good = npz != NULL;
    if (good && !npz_is(file, length)) {
        good = weft_fail(error, WEFT_NPY, 0, "expected a .npz file, or a folder");
    }
    good = good && npz_open(file, length, npz, error) && load_arrays(dataset, npz, inputs, error);
    free(npz);
    free(file);
    return good;
}

/* ---- the way in ---- */

bool dataset_open(const char *path, size_t input_count, struct weft_value *const *inputs,
                  const struct dataset_options *options, struct dataset **dataset,
                  struct weft_error *error) {
    struct dataset *made = weft_allocate(1, sizeof *made, "a data set", error);
    if (made == NULL) {
        return false;
    }
    made->path = path;
    made->options = *options;
    made->samples = (struct weft_samples){.fill = fill, .context = made};
    made->sources = weft_allocate(input_count, sizeof *made->sources, "a data set", error);
    made->source_count = made->sources == NULL ? 0 : input_count;
    bool good = made->sources != NULL &&
                sample_read_scaling(options->mean, options->std, &made->scaling, error);
    for (size_t i = 0; i < made->source_count; i++) {
        made->sources[i].form.input = inputs[i]->type;
        good = good && sample_check_channels(&made->scaling, &inputs[i]->type, error);
    }
    DIR *folder = good ? opendir(path) : NULL;
    if (folder != NULL) {
        good = open_folder(made, folder, path, error);
        closedir(folder);
    } else {
        good = good && open_arrays(made, path, inputs, error);
    }
    if (good && made->samples.count == 0) {
        good = weft_fail(error, WEFT_ARGUMENT, 0, "there are no samples");
    }
    if (!good) {
        dataset_close(made);
        return false;
    }
    if (options->most > 0 && options->most < made->samples.count) {
        made->samples.count = options->most;
    }
    *dataset = made;
    return true;
}

void dataset_close(struct dataset *dataset) {
    if (dataset == NULL) {
        return;
    }
    for (size_t i = 0; i < dataset->source_count; i++) {
        free(dataset->sources[i].elements);
    }
    for (size_t i = 0; i < dataset->file_count; i++) {
        free(dataset->files[i]);
    }
    free(dataset->files);
    free(dataset->folder);
    free(dataset->labels);
    free(dataset->sources);
    free(dataset);
}

const struct weft_samples *dataset_samples(const struct dataset *dataset) {
    return &dataset->samples;
}

int64_t dataset_label(void *dataset, size_t i) {
    const struct dataset *of = dataset;
    return of->labels == NULL ? -1 : of->labels[i];
}

bool dataset_has_labels(const struct dataset *dataset) {
    return dataset->labels != NULL;
}
