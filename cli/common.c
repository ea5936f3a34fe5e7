/* Options, messages, and opening models. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/cli.h"
#include "cli/constants.h"
#include "cli/hint.h"
#include "cli/operand_kind.h"
#include "cli/plugins.h"
#include "cli/progress.h"
#include "cli/same_file.h"
#include "cli/streams.h"
#include "compiler/import/import_model.h"

int report(const char *file, const struct weft_error *error) {
    if (file == NULL) {
        fprintf(stderr, "weft: %s\n", error->message);
    } else {
        fprintf(stderr, "weft: %s: %s\n", file, error->message);
    }
    return STATUS_ERROR;
}

bool check_name(const char *command, const char *what, const char *const *names, const char *name) {
    char text[HINT_BYTES];
    struct hint hint = hint_of(name);
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
        hint_consider(&hint, names[i]);
    }
    usage_error(command, "there is no %s '%.40s'%s", what, name, hint_text(&hint, "", text));
    return false;
}

/* Notes that wait for the command's end, a line each. */
static char notes[4096];

void note(const char *file, const char *format, ...) {
    va_list arguments;
    char text[1024];
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t used = strlen(notes);
    (void)snprintf(notes + used, sizeof notes - used, "weft: %.300s: note: %s\n", file, text);
}

void notes_print(void) {
    fputs(notes, stderr);
    notes[0] = '\0';
}

bool own_path(char *path, size_t size, struct weft_error *error) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) {
        return weft_fail(error, WEFT_IO, 0, "the path of this program cannot be read");
    }
    path[length] = '\0';
    return true;
}

void file_stem(const char *path, char *stem, size_t size) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", is_stream(path) ? "stdin" : slash == NULL ? path : slash + 1);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
    weft_make_printable(stem);
}

bool find_config(const char *name, struct weft_config *config, struct weft_error *error) {
    char text[HINT_BYTES];
    if (weft_config_find(name, config, error)) {
        return true;
    }
    if (error->code == WEFT_IO) {
        struct hint hint = hint_of(name);
        for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
            hint_consider(&hint, weft_builtin_configs[i].name);
        }
        size_t used = strlen(error->message);
        (void)snprintf(error->message + used, sizeof error->message - used, "%s",
                       hint_text(&hint, "", text));
    }
    return false;
}

/* A compiled program runs on the configuration it was compiled for. */
static bool check_config(const struct weft_module *module, const char *name,
                         struct weft_error *error) {
    struct weft_config config;
    if (!find_config(name, &config, error)) {
        return false;
    }
    bool is_other = strcmp(config.name, module->config.name) == 0;
    return weft_config_fingerprint(&config) == weft_config_fingerprint(&module->config) ||
           weft_fail(error, WEFT_FINGERPRINT, 0, "compiled for %sconfiguration %s, not for %s",
                     is_other ? "another " : "", module->config.name, name);
}

/* What was asked of the compiler must not be asked of what is compiled already. */
static bool check_compiled(const struct weft_module *module,
                           const struct weft_compile_options *options, const char *config_name,
                           struct weft_error *error) {
    if (options->host_only && module->segment_count + module->external_count > 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a compiled program runs on what it was compiled for; give the model");
    }
    return config_name == NULL || check_config(module, config_name, error);
}

/* A plain number from 1 to `most`; 0 where it is not given. */
static bool read_limit(const struct given *given, enum option_id id, uint64_t most,
                       uint64_t *number) {
    const char *text = given_value(given, id);
    *number = 0;
    if (text != NULL && (!read_number(text, most, number) || *number == 0)) {
        usage_error(given->command->name, "--%s '%s': expected a number above 0, at most %" PRIu64,
                    option_list[id].name, text, most);
        return false;
    }
    return true;
}

/* NAME=N */
static bool read_dim(const struct given *given, const char *text, struct open_options *open) {
    const char *equals = strrchr(text, '=');
    size_t length = equals == NULL ? 0 : (size_t)(equals - text);
    struct weft_dim *dim = &open->dims[open->dim_count];
    uint64_t size = 0;
    if (length == 0 || length >= sizeof dim->name || !read_number(equals + 1, INT32_MAX, &size) ||
        size == 0) {
        usage_error(given->command->name, "--dim '%.60s': expected NAME=N, N a number above 0",
                    text);
        return false;
    }
    memcpy(dim->name, text, length);
    dim->name[length] = '\0';
    dim->size = (int64_t)size;
    open->dim_count++;
    return true;
}

static bool read_dims(const struct given *given, struct open_options *open) {
    for (size_t i = 0; i < given_count(given, OPTION_DIM); i++) {
        if (!read_dim(given, given_values(given, OPTION_DIM)[i], open)) {
            return false;
        }
    }
    return true;
}

/* --frames N or --batch N */
static bool read_frames(const struct given *given, struct open_options *open) {
    uint64_t frames = 0;
    uint64_t batch = 0;
    if (!read_limit(given, OPTION_FRAMES, WEFT_MOST_FRAMES, &frames) ||
        !read_limit(given, OPTION_BATCH, WEFT_MOST_FRAMES, &batch)) {
        return false;
    }
    if (frames > 0 && batch > 0) {
        usage_error(given->command->name, "--frames and --batch are two orders of the same");
        return false;
    }
    open->one_by_one = frames > 0;
    open->frames = (uint32_t)(frames + batch);
    return true;
}

static bool read_effort(const struct given *given, struct open_options *open) {
    uint64_t effort = 0;
    if (!read_limit(given, OPTION_EFFORT, WEFT_MOST_EFFORT, &effort)) {
        return false;
    }
    open->effort = (uint32_t)effort;
    return true;
}

void import_options_fill(const struct open_options *open, const char *path, char *folder,
                         size_t size, struct weft_import_options *options) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    bool has_folder = !is_stream(path) && length < size;
    (void)snprintf(folder, size, "%.*s", length < size ? (int)length : 0, path);
    if (length == 0) {
        (void)snprintf(folder, size, ".");
    }
    options->folder = has_folder ? folder : NULL;
    options->dim_count = open->dim_count;
    options->dims = open->dims;
    options->may_read = check_beside;
    options->reader = open->given;
}

bool open_options_read(const struct given *given, struct open_options *open) {
    _Static_assert(WEFT_CYCLE_LIMIT == 200000000 && WEFT_HOST_LIMIT == 536870912,
                   "cli/options.def says other limits");
    *open = (struct open_options){.given = given,
                                  .config = given_value(given, OPTION_CONFIG),
                                  .has_weft_limits = given_count(given, OPTION_CYCLE_LIMIT) > 0 ||
                                                     given_count(given, OPTION_HOST_LIMIT) > 0};
    plugins_use_to_read(&open->limits);
    return read_memory_limit(given->command->name, given_value(given, OPTION_MEMORY_LIMIT),
                             &open->limits.bytes) &&
           read_limit(given, OPTION_CYCLE_LIMIT, UINT64_MAX, &open->limits.cycles) &&
           read_limit(given, OPTION_HOST_LIMIT, UINT64_MAX, &open->limits.host_steps) &&
           read_dims(given, open) && read_frames(given, open) && read_effort(given, open);
}

/* A program was made for so many frames in an order. */
static bool check_frames(const struct weft_module *module, const struct open_options *open,
                         struct weft_error *error) {
    return open->frames == 0 ||
           (open->frames == module->frames && open->one_by_one == module->one_by_one) ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "compiled for %" PRIu32 " frame%s%s; give the model for another number or "
                     "order",
                     module->frames, module->frames == 1 ? "" : "s",
                     module->frames == 1  ? ""
                     : module->one_by_one ? ", one after the other (--frames)"
                                          : ", in the fastest order (--batch)");
}

static bool read_module(const struct open_options *open, const struct weft_compile_options *options,
                        const uint8_t *bytes, size_t length, struct weft_module **module,
                        struct weft_error *error) {
    if (options->keep_tensors) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a compiled program has no tensors left; give the model");
    }
    if (open->effort > 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--effort is for a search, and a compiled program has its schedules; give "
                         "the model");
    }
    if (open->dim_count > 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--dim is for models of ONNX; a compiled program has its dimensions");
    }
    if (options->decisions != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a compiled program has its decisions; give the model");
    }
    if (!weft_module_read(bytes, length, &open->limits, module, error)) {
        return false;
    }
    if (!check_compiled(*module, options, open->config, error) ||
        !check_frames(*module, open, error)) {
        weft_module_free(*module);
        return false;
    }
    return true;
}

bool try_model(const char *path, const uint8_t *bytes, size_t length,
               const struct open_options *open, struct weft_compile_options options,
               struct weft_module **module, struct weft_error *error) {
    struct weft_config config;
    struct progress progress;
    struct constant_folder folder;
    char stem[128];
    char model_folder[4096];
    if (weft_is_module(bytes, length)) {
        return read_module(open, &options, bytes, length, module, error);
    }
    if (operand_kind_of(path, bytes, length) != OPERAND_MODEL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "an assembled program, which run, verify, cosim and trace take");
    }
    if (open->has_weft_limits) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "--cycle-limit and --host-limit are for .weft files; a model is compiled "
                         "as it is");
    }
    file_stem(path, stem, sizeof stem);
    options.model_name = stem;
    import_options_fill(open, path, model_folder, sizeof model_folder, &options.import);
    options.constants = constant_folder_of(path, open->given, &folder);
    options.bytes = open->limits.bytes;
    options.frames = open->frames;
    options.one_by_one = open->one_by_one;
    options.effort = open->effort;
    plugins_use(&options);
    if (open->machine != NULL) {
        config = *open->machine;
    } else if (!find_config(open->config == NULL ? DEFAULT_CONFIG : open->config, &config, error)) {
        return false;
    }
    progress_start(&progress, &options);
    bool good = weft_compile(bytes, length, &config, &options, module, error);
    progress_end(&progress);
    if (good) {
        note_left_out(path, bytes, length);
    }
    if (good && !options.host_only && !open->takes_floats) {
        note_float_model(path, *module);
    }
    return good;
}

struct weft_module *make_model(const char *path, const uint8_t *bytes, size_t length,
                               const struct open_options *open,
                               struct weft_compile_options options) {
    struct weft_error error;
    struct weft_module *module = NULL;
    if (!try_model(path, bytes, length, open, options, &module, &error)) {
        if (error.code == WEFT_DECISIONS) {
            (void)weft_fail_context(&error, "in the decisions");
        }
        report(path, &error);
        return NULL;
    }
    return module;
}

struct weft_module *open_model(const char *path, const struct open_options *open,
                               struct weft_compile_options options, uint8_t **bytes) {
    struct weft_error error;
    size_t length = 0;
    if (!stream_read(path, bytes, &length, &error)) {
        report(path, &error);
        return NULL;
    }
    struct weft_module *module = make_model(path, *bytes, length, open, options);
    if (module == NULL) {
        free(*bytes);
    }
    return module;
}

struct weft_module *open_module(const char *path, const struct open_options *open,
                                uint8_t **bytes) {
    return open_model(path, open, (struct weft_compile_options){.keep_tensors = false}, bytes);
}

struct weft_module *open_given(const struct given *given, struct weft_compile_options options,
                               uint8_t **bytes) {
    struct open_options open;
    return open_options_read(given, &open) ? open_model(given->operand, &open, options, bytes)
                                           : NULL;
}

/* Has a tensor of the graph a type that the machine computes with? */
static bool has_machine_types(const struct weft_graph *graph) {
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct weft_node *node = graph->nodes[i];
        for (uint32_t k = 0; k < node->result_count && node->op != WEFT_OP_CONSTANT; k++) {
            enum weft_dtype dtype = node->results[k]->type.dtype;
            if (dtype == WEFT_I8 || dtype == WEFT_U8) {
                return true;
            }
        }
    }
    return false;
}

void note_left_out(const char *path, const uint8_t *bytes, size_t length) {
    char text[400];
    if (weft_is_model(bytes, length) && !weft_is_onnx(bytes, length) &&
        weft_tflite_left_out(bytes, text, sizeof text)) {
        weft_make_printable(text); /* it quotes what the file holds */
        note(path, "%s", text);
    }
}

void note_float_model(const char *path, const struct weft_module *module) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    bool has_floats = module->graph->outputs[0]->type.dtype == WEFT_F32;
    if (host.operators > 0 && module->external_count == 0 && has_floats &&
        !has_machine_types(module->graph)) {
        note(path, "a model of FLOAT32 runs on the host as a whole; the machine takes models that "
                   "are quantised to INT8 or UINT8");
    }
}
