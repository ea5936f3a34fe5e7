#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "api/options.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/memory.h"
#include "compiler/import/import_model.h"

struct weft_quantizer {
    atomic_uint users; /* the caller, and networks that were made of it */
    struct weft_arena arena;
    uint8_t *bytes; /* owned: of the model, which the graph refers to */
    struct weft_options *options;
    char stem[128];
    struct weft_graph *graph;
    struct weft_model_names names;
    struct tensors inputs;
    struct weft_quantized *quantized; /* NULL: not yet */
};

void weft_quantizer_free(struct weft_quantizer *quantizer) {
    if (quantizer != NULL && atomic_fetch_sub(&quantizer->users, 1) == 1) {
        weft_arena_free(&quantizer->arena);
        weft_options_free(quantizer->options);
        free(quantizer->inputs.list);
        free(quantizer->bytes);
        free(quantizer);
    }
}

static void release(void *quantizer) {
    weft_quantizer_free(quantizer);
}

/* ---- making ---- */

static bool name_inputs(struct weft_quantizer *q, struct weft_error *error) {
    const struct weft_graph *graph = q->graph;
    if (!tensors_make(graph->input_count, graph->inputs, NULL, &q->inputs, error)) {
        return false;
    }
    for (size_t i = 0; i < graph->input_count; i++) {
        const char *name = weft_model_name_of(&q->names, graph->inputs[i]->tensor, -1);
        q->inputs.list[i].name = name == NULL ? q->inputs.list[i].name : name;
    }
    return true;
}

static bool read_graph(struct weft_quantizer *q, size_t length, const char *folder,
                       struct weft_error *error) {
    struct weft_dim dims[WEFT_MOST_DIMS];
    struct weft_import_options import = {.folder = folder};
    struct weft_quantize_options quantize = weft_quantize_defaults();
    if (setjmp(q->arena.on_failure) != 0) {
        return weft_arena_failed(&q->arena, error);
    }
    if (!options_to_import(q->options, dims, &import, error) ||
        !options_to_quantize(q->options, &quantize, error)) {
        return false;
    }
    q->arena.limit = (size_t)weft_memory_limit(quantize.bytes);
    return weft_import_or_read(&q->arena, q->bytes, length, &import, NULL, NULL, &q->graph,
                               &q->names, error);
}

/* Takes the bytes over. */
static bool make(uint8_t *bytes, size_t length, const struct weft_options *options,
                 const char *stem, const char *folder, struct weft_quantizer **quantizer,
                 struct weft_error *error) {
    struct weft_quantizer *made = weft_allocate(1, sizeof *made, "a quantizer", error);
    if (made == NULL) {
        free(bytes);
        return false;
    }
    atomic_init(&made->users, 1);
    made->bytes = bytes;
    stem_of(stem, made->stem, sizeof made->stem);
    if (!options_check(options, QUANTIZE, error) || !options_copy(options, &made->options, error) ||
        !read_graph(made, length, folder, error) || !name_inputs(made, error)) {
        weft_quantizer_free(made);
        return false;
    }
    *quantizer = made;
    return true;
}

bool weft_quantizer_make(const void *bytes, size_t length, const struct weft_options *options,
                         struct weft_quantizer **quantizer, struct weft_failure *failure) {
    struct weft_error error;
    uint8_t *copy = copy_model(bytes, length, &error);
    return (copy != NULL && make(copy, length, options, "model", NULL, quantizer, &error)) ||
           failed(failure, &error);
}

bool weft_quantizer_load(const char *path, const struct weft_options *options,
                         struct weft_quantizer **quantizer, struct weft_failure *failure) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    char folder[4096];
    bool has_folder = folder_of(path, folder, sizeof folder);
    return (weft_file_read(path, &bytes, &length, &error) &&
            make(bytes, length, options, path, has_folder ? folder : NULL, quantizer, &error)) ||
           failed(failure, &error);
}

size_t weft_quantizer_inputs(const struct weft_quantizer *quantizer) {
    return quantizer->inputs.count;
}

const struct weft_tensor *weft_quantizer_input(const struct weft_quantizer *quantizer,
                                               size_t index) {
    return tensors_at(&quantizer->inputs, index);
}

/* ---- quantising ---- */

struct filler {
    bool (*fill)(void *context, size_t sample, void *const *inputs);
    void *context;
};

static bool fill_sample(void *context, size_t i, void *const *inputs, struct weft_error *error) {
    const struct filler *filler = context;
    return filler->fill(filler->context, i, inputs) ||
           weft_fail(error, WEFT_ARGUMENT, i, "sample %zu was not filled", i);
}

static bool quantize(struct weft_quantizer *q, const struct weft_samples *samples,
                     struct weft_error *error) {
    struct weft_quantize_options options = weft_quantize_defaults();
    if (setjmp(q->arena.on_failure) != 0) {
        return weft_arena_failed(&q->arena, error);
    }
    options.samples = samples;
    return options_to_quantize(q->options, &options, error) &&
           weft_quantize(&q->arena, q->graph, &q->names, &options, &q->quantized, error);
}

bool weft_quantizer_run(struct weft_quantizer *quantizer, size_t count,
                        bool (*fill)(void *context, size_t sample, void *const *inputs),
                        void *context, struct weft_failure *failure) {
    struct weft_error error;
    struct filler filler = {fill, context};
    const struct weft_samples samples = {count, fill_sample, &filler};
    if (quantizer->quantized != NULL) {
        weft_error_set(&error, WEFT_STATE, 0, "the model is quantised already");
        return failed(failure, &error);
    }
    return quantize(quantizer, &samples, &error) || failed(failure, &error);
}

static bool check_done(const struct weft_quantizer *quantizer, struct weft_error *error) {
    return quantizer->quantized != NULL ||
           weft_fail(error, WEFT_STATE, 0, "the model is not quantised yet");
}

bool weft_quantizer_sqnr(const struct weft_quantizer *quantizer, double *sqnr, size_t *kept_float,
                         struct weft_failure *failure) {
    struct weft_error error;
    if (!check_done(quantizer, &error)) {
        return failed(failure, &error);
    }
    *sqnr = quantizer->quantized->outputs.distance.sqnr;
    if (kept_float != NULL) {
        *kept_float = quantizer->quantized->kept_float;
    }
    return true;
}

/* The model has been read: there is nothing left open. */
static bool check_no_dims(const struct weft_options *options, struct weft_error *error) {
    return !options_have(options, OPTION_dim) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "option dim is for the reading of the model, which the quantizer did");
}

bool weft_quantizer_compile(struct weft_quantizer *quantizer, const struct weft_machine *machine,
                            const struct weft_options *options, struct weft_network **network,
                            struct weft_failure *failure) {
    struct weft_error error;
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_compile_options compile = {.model_name = quantizer->stem};
    if (!check_done(quantizer, &error) || !options_check(options, COMPILE, &error) ||
        !check_no_dims(options, &error) || !options_to_compile(options, &compile, &error) ||
        !machine_config(machine, &config, &error) ||
        !weft_compile_graph(quantizer->quantized->graph, &config, &compile, &module, &error)) {
        return failed(failure, &error);
    }
    const struct backing backing = {quantizer, release};
    if (!network_of(module, &backing, network, &error)) {
        weft_module_free(module);
        return failed(failure, &error);
    }
    atomic_fetch_add(&quantizer->users, 1);
    return true;
}

static bool write_onnx(struct weft_quantizer *q, uint8_t **bytes, size_t *length,
                       struct weft_error *error) {
    if (setjmp(q->arena.on_failure) != 0) {
        return weft_arena_failed(&q->arena, error);
    }
    return check_done(q, error) && weft_quantized_onnx(q->quantized, bytes, length, error);
}

bool weft_quantizer_onnx(struct weft_quantizer *quantizer, void **bytes, size_t *length,
                         struct weft_failure *failure) {
    struct weft_error error;
    uint8_t *written = NULL;
    size_t count = 0;
    if (!write_onnx(quantizer, &written, &count, &error)) {
        return failed(failure, &error);
    }
    *bytes = written;
    *length = count;
    return true;
}

static bool write_text(struct weft_quantizer *q, struct weft_text *text, struct weft_error *error) {
    if (setjmp(q->arena.on_failure) != 0) {
        return weft_arena_failed(&q->arena, error);
    }
    if (!check_done(q, error)) {
        return false;
    }
    weft_graph_write(q->quantized->graph, text);
    return weft_text_finish(text, error);
}

bool weft_quantizer_text(struct weft_quantizer *quantizer, char **text,
                         struct weft_failure *failure) {
    struct weft_error error;
    struct weft_text written = {0};
    if (!write_text(quantizer, &written, &error)) {
        weft_text_free(&written);
        return failed(failure, &error);
    }
    *text = written.bytes;
    return true;
}
