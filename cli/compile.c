/* weft compile */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/constants.h"
#include "cli/hint.h"
#include "cli/plugins.h"
#include "cli/progress.h"
#include "cli/streams.h"
#include "cli/use_log.h"

/* What is to be seen of passes. */
struct watch {
    const char *pass; /* whose graph is printed; NULL: none */
    bool seen;
    bool times; /* what each took is noted */
    double since;
    struct weft_text table;
};

/* Prints the graph as a text that can be compiled; a terminal does not get the bytes of long
 * constants. */
static bool print_graph(const char *pass, const struct weft_graph *graph,
                        struct weft_error *error) {
    struct weft_text text = {0};
    struct weft_blobs blobs = {0};
    if (isatty(STDOUT_FILENO)) {
        weft_graph_print(graph, &text, &blobs);
    } else {
        weft_graph_write(graph, &text);
    }
    bool good = weft_text_finish(&text, error);
    if (good) {
        printf("// after %s\n%s", pass, text.bytes);
    }
    weft_text_free(&text);
    return good;
}

static bool watch_pass(void *context, const char *pass, const struct weft_graph *graph,
                       struct weft_error *error) {
    struct watch *watch = context;
    bool good = true;
    if (watch->times) {
        weft_text_add(&watch->table, "%-24s %9.2f ms %8zu nodes\n", pass,
                      1e3 * (weft_clock_seconds() - watch->since), graph->node_count);
    }
    if (watch->pass != NULL &&
        (strcmp(watch->pass, pass) == 0 || strcmp(watch->pass, "all") == 0)) {
        good = print_graph(pass, graph, error);
        watch->seen = good;
    }
    watch->since = weft_clock_seconds(); /* printing takes longer than some passes */
    return good;
}

static bool print_times(struct watch *watch, struct weft_error *error) {
    bool good = !watch->times || weft_text_finish(&watch->table, error);
    if (good && watch->times) {
        fputs(watch->table.bytes, stdout);
    }
    weft_text_free(&watch->table);
    return good;
}

/* A name that is looked for among passes. */
struct search {
    const char *name;
    bool found;
    struct hint hint;
    char list[1024];
};

static void consider(struct search *search, const char *name) {
    size_t used = strlen(search->list);
    (void)snprintf(search->list + used, sizeof search->list - used, "%s, ", name);
    search->found = search->found || strcmp(search->name, name) == 0;
    hint_consider(&search->hint, name);
}

static void consider_own(void *context, const struct weft_user_pass *pass, const char *behind) {
    (void)behind;
    consider(context, pass->name);
}

/* Is it the name of a pass, or "all"? Prints what is wrong with it, or with a pass of a plugin. */
static bool check_pass(const char *name) {
    struct weft_error error;
    char text[HINT_BYTES];
    struct weft_compile_options options = {.keep_tensors = false};
    struct search search = {.name = name, .found = strcmp(name, "all") == 0, .hint = hint_of(name)};
    plugins_use(&options);
    for (size_t i = 0; weft_pass_names[i] != NULL; i++) {
        consider(&search, weft_pass_names[i]);
    }
    if (!weft_place_passes(&options, consider_own, &search, &error)) {
        report(NULL, &error);
        return false;
    }
    if (!search.found) {
        usage_error("compile", "there is no pass '%s'%s (passes: %sor all)", name,
                    hint_text(&search.hint, "", text), search.list);
    }
    return search.found;
}

struct arguments {
    const char *model, *out, *decisions, *use, *use_log;
    bool keep;
    struct open_options open;
    struct watch watch;
};

static bool stage_module(struct weft_file_batch *batch, struct weft_module *module,
                         const struct arguments *a) {
    struct weft_error error;
    uint8_t *packed = NULL;
    size_t length = 0;
    if (a->out == NULL) {
        return true;
    }
    if (!weft_module_write(module, &packed, &length, &error)) {
        report(a->model, &error);
        return false;
    }
    bool good = stream_stage(batch, a->out, packed, length, &error);
    free(packed);
    if (!good) {
        report(a->out, &error);
    }
    return good;
}

static bool stage_decisions(struct weft_file_batch *batch, const struct weft_module *module,
                            const struct arguments *a) {
    struct weft_error error;
    struct weft_text text = {0};
    bool good = a->decisions == NULL ||
                (weft_module_decisions(module, &text, &error) &&
                 stream_stage(batch, a->decisions, text.bytes, text.length, &error));
    weft_text_free(&text);
    if (!good) {
        report(a->decisions, &error);
    }
    return good;
}

/* Writes what was asked for, all or nothing; prints its own errors. */
static int write_files(struct weft_module *module, const struct arguments *a) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *path = NULL;
    if (!stage_module(&batch, module, a) || !stage_decisions(&batch, module, a)) {
        weft_file_discard(&batch);
        return STATUS_ERROR;
    }
    return weft_file_commit(&batch, &path, &error) ? STATUS_GOOD : report(path, &error);
}

/* Compiles without decisions, for the log to say which; they are in *logged. Prints its own errors.
 */
static bool use_log(const struct arguments *a, const uint8_t *bytes, size_t length,
                    const struct weft_config *config, struct weft_compile_options *options,
                    struct weft_text *logged) {
    struct weft_error error;
    struct weft_module *module = NULL;
    struct weft_compile_options quiet = *options;
    quiet.after_pass = NULL;
    if (!weft_compile(bytes, length, config, &quiet, &module, &error)) {
        report(a->model, &error);
        return false;
    }
    bool good = decisions_of_log(module, a->use_log, options->effort, logged, &error);
    weft_module_free(module);
    if (!good) {
        report(a->use_log, &error);
        weft_text_free(logged);
        return false;
    }
    options->decisions = logged->bytes;
    options->decisions_length = logged->length;
    return true;
}

/* Compiles the bytes of a model; prints its own errors. */
static int compile_bytes(struct arguments *a, const uint8_t *bytes, size_t length,
                         const struct weft_config *config, struct weft_compile_options *options) {
    struct weft_error error;
    struct weft_module *module = NULL;
    int status = STATUS_GOOD;
    struct progress progress;
    struct weft_text logged = {0};
    progress_start(&progress, options);
    if (a->use_log != NULL && !use_log(a, bytes, length, config, options, &logged)) {
        progress_end(&progress);
        return STATUS_ERROR;
    }
    a->watch.since = weft_clock_seconds();
    bool good = weft_compile(bytes, length, config, options, &module, &error);
    progress_end(&progress);
    weft_text_free(&logged);
    if (!good) {
        status = report(error.code == WEFT_DECISIONS ? a->use : a->model, &error);
    } else if (a->watch.pass != NULL && !a->watch.seen) {
        status = usage_error("compile", "pass '%s' does not run %s --keep-tensors", a->watch.pass,
                             a->keep ? "with" : "without");
    } else {
        note_left_out(a->model, bytes, length);
        note_float_model(a->model, module);
        status = write_files(module, a);
    }
    if (status == STATUS_GOOD && !print_times(&a->watch, &error)) {
        status = report(a->model, &error);
    }
    weft_text_free(&a->watch.table);
    weft_module_free(module);
    return status;
}

/* Reads, compiles and writes; prints its own errors. */
static int compile(struct arguments *a) {
    struct weft_error error;
    struct weft_config config;
    uint8_t *bytes = NULL;
    uint8_t *decisions = NULL;
    size_t length = 0;
    char stem[128];
    char model_folder[4096];
    struct constant_folder folder;
    int status = STATUS_ERROR;
    file_stem(a->model, stem, sizeof stem);
    struct weft_compile_options options = {.model_name = stem,
                                           .keep_tensors = a->keep,
                                           .after_pass = watch_pass,
                                           .context = &a->watch,
                                           .constants =
                                               constant_folder_of(a->model, a->open.given, &folder),
                                           .frames = a->open.frames,
                                           .one_by_one = a->open.one_by_one,
                                           .effort = a->open.effort,
                                           .bytes = a->open.limits.bytes};
    import_options_fill(&a->open, a->model, model_folder, sizeof model_folder, &options.import);
    plugins_use(&options);
    if (!find_config(a->open.config == NULL ? DEFAULT_CONFIG : a->open.config, &config, &error)) {
        return report(a->model, &error);
    }
    if (a->use != NULL && !stream_read(a->use, &decisions, &options.decisions_length, &error)) {
        return report(a->use, &error);
    }
    options.decisions = (const char *)decisions;
    if (stream_read(a->model, &bytes, &length, &error)) {
        status = compile_bytes(a, bytes, length, &config, &options);
    } else {
        report(a->model, &error);
    }
    free(bytes);
    free(decisions);
    return status;
}

int command_compile(const struct given *given) {
    struct arguments a = {.model = given->operand,
                          .out = given_value(given, OPTION_OUT_WEFT),
                          .decisions = given_value(given, OPTION_DECISIONS),
                          .use = given_value(given, OPTION_USE),
                          .use_log = given_value(given, OPTION_USE_LOG),
                          .keep = given_count(given, OPTION_KEEP_TENSORS) > 0,
                          .watch = {.pass = given_value(given, OPTION_DUMP_AFTER),
                                    .times = given_count(given, OPTION_TIME_PASSES) > 0}};
    if (!open_options_read(given, &a.open)) {
        return STATUS_ERROR;
    }
    if (a.out == NULL && a.decisions == NULL && a.watch.pass == NULL && !a.watch.times) {
        return usage_error("compile", "give %s", given->command->needs);
    }
    if (a.use != NULL && a.open.effort > 0) {
        return usage_error("compile", "--effort is for a search, and --use takes its place");
    }
    if (a.use != NULL && a.use_log != NULL) {
        return usage_error("compile", "--use and --use-log both say what is decided; give one");
    }
    if (a.watch.pass != NULL && !check_pass(a.watch.pass)) {
        return STATUS_ERROR;
    }
    return compile(&a);
}
