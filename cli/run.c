/* weft run */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/integer.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/inputs.h"
#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/operand.h"
#include "cli/remote_target.h"
#include "cli/run_program.h"
#include "cli/table.h"
#include "cli/technology.h"
#include "report/area.h"
#include "report/energy.h"
#include "report/statistics.h"

enum {
    TOP = 5
};

/* The target that is no machine: the host carries out every operator. */
#define HOST "host"

struct arguments {
    const struct given *given;
    const char *model, *target, *json, *dump;
    bool timing_only;
    struct open_options open;
    struct machine_options machine;
    struct origin origin;
    struct weft_technology technology;
};

/* ---- arguments ---- */

const char *const run_target_names[] = {"func", "cycle", "rtl", "linux", HOST, NULL};

/* On a target that counts no cycles nothing may be asked for that is made of them. */
static bool check_no_cycles(const struct arguments *a) {
    const char *of_cycles = a->machine.clock != NULL                       ? "clock"
                            : given_count(a->given, OPTION_TECHNOLOGY) > 0 ? "technology"
                                                                           : NULL;
    if (of_cycles != NULL) {
        usage_error("run", "--%s needs a target that counts cycles, not %.60s", of_cycles,
                    a->target);
    }
    return of_cycles == NULL;
}

/* What would have no effect is a mistake: nothing that was asked for is dropped silently. */
static bool check_combination(const struct arguments *a) {
    bool has_data = given_count(a->given, OPTION_INPUT) > 0 ||
                    given_count(a->given, OPTION_OUT_NPY) > 0 || a->dump != NULL ||
                    given_count(a->given, OPTION_SHOW) > 0;
    if (a->timing_only && has_data) {
        usage_error("run", "--timing-only neither reads nor computes data");
        return false;
    }
    if (a->timing_only && given_count(a->given, OPTION_NO_FUSION) > 0) {
        usage_error("run", "--timing-only carries out no operator of the host");
        return false;
    }
    bool counts_cycles = strcmp(a->target, "func") != 0 && strcmp(a->target, HOST) != 0;
    if (!counts_cycles && !check_no_cycles(a)) {
        return false;
    }
    return (is_remote(a->target) || check_name("run", "target", run_target_names, a->target)) &&
           inputs_check(a->given);
}

static bool read_arguments(const struct given *given, struct arguments *a) {
    const char *target = given_value(given, OPTION_TARGET);
    *a = (struct arguments){.given = given,
                            .model = given->operand,
                            .target = target == NULL ? "cycle" : target,
                            .json = given_value(given, OPTION_JSON),
                            .dump = given_value(given, OPTION_DUMP_TENSORS),
                            .timing_only = given_count(given, OPTION_TIMING_ONLY) > 0,
                            .machine = machine_options_of(given)};
    return open_options_read(given, &a->open) && check_combination(a);
}

static bool session_options(const struct arguments *a, struct weft_session_options *options,
                            struct weft_error *error) {
    *options = weft_session_defaults();
    options->timing_only = a->timing_only;
    options->no_fusion = given_count(a->given, OPTION_NO_FUSION) > 0;
    const char *kernels = given_value(a->given, OPTION_HOST);
    if (kernels != NULL) {
        int host = 0;
        while (host < WEFT_HOSTS && strcmp(weft_host_names[host], kernels) != 0) {
            host++;
        }
        if (host == WEFT_HOSTS) {
            return weft_fail(error, WEFT_ARGUMENT, 0, "there are no kernels '%.20s'", kernels);
        }
        options->host = (enum weft_host)host;
    }
    machine_show_progress(options);
    return machine_options_apply(&a->machine, options, error);
}

/* ---- outputs ---- */

static bool stage_output(struct weft_file_batch *batch, const struct weft_session *session,
                         const struct weft_module *module, size_t index, const char *path,
                         struct weft_error *error) {
    const void *bytes = NULL;
    size_t length = 0;
    return weft_session_output(session, index, &bytes, &length, error) &&
           npy_stage(batch, path, &module->graph->outputs[index]->type, bytes, error);
}

/* An output, and its number in the model's file. */
struct numbered {
    int number;
    size_t output;
};

static int by_number(const void *a, const void *b) {
    const struct numbered *x = a;
    const struct numbered *y = b;
    int order = (x->number > y->number) - (x->number < y->number);
    return order != 0 ? order : x->output < y->output ? -1 : x->output > y->output;
}

/* The number of each output; of what has none, or that of one before it, as in graphs as text, one
 * behind all others. Freed by the caller. */
static int64_t *number_outputs(const struct weft_graph *graph, struct weft_error *error) {
    size_t count = graph->output_count;
    struct numbered *sorted = weft_allocate(count, sizeof *sorted, "numbers", error);
    int64_t *numbers =
        sorted == NULL ? NULL : weft_allocate(count, sizeof *numbers, "numbers", error);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        sorted[i] = (struct numbered){graph->outputs[i]->tensor, i};
    }
    if (numbers != NULL && count > 0) {
        qsort(sorted, count, sizeof *sorted, by_number);
        int64_t next = (int64_t)sorted[count - 1].number + 1;
        for (size_t i = 0; i < count; i++) {
            bool is_taken =
                sorted[i].number < 0 || (i > 0 && sorted[i].number == sorted[i - 1].number);
            numbers[sorted[i].output] = is_taken ? next++ : sorted[i].number;
        }
    }
    free(sorted);
    return numbers;
}

/* The names of the files that --dump-tensors writes, in the order of the outputs; freed by the
 * caller. */
static char **dump_paths(const char *folder, const struct weft_graph *graph,
                         struct weft_error *error) {
    size_t room = strlen(folder) + 32;
    int64_t *numbers = number_outputs(graph, error);
    char **paths = numbers == NULL ? NULL
                                   : weft_allocate(graph->output_count, room + sizeof *paths,
                                                   "names of files", error);
    for (size_t i = 0; paths != NULL && i < graph->output_count; i++) {
        paths[i] = (char *)(paths + graph->output_count) + i * room;
        (void)snprintf(paths[i], room, "%s/%" PRId64 ".npy", folder, numbers[i]);
    }
    free(numbers);
    return paths;
}

/* Everything that the run writes goes into one batch: all files are there in the end, or none. */
static int stage_files(const struct arguments *a, const struct weft_module *module,
                       const struct weft_session *session, const struct model_figures *figures,
                       double wall, char *const *dump, struct weft_file_batch *batch) {
    struct weft_error error;
    const char *const *outputs = given_values(a->given, OPTION_OUT_NPY);
    for (size_t i = 0; i < given_count(a->given, OPTION_OUT_NPY); i++) {
        if (!stage_output(batch, session, module, i, outputs[i], &error)) {
            return report(outputs[i], &error);
        }
    }
    for (size_t i = 0; dump != NULL && i < module->graph->output_count; i++) {
        if (!stage_output(batch, session, module, i, dump[i], &error)) {
            return report(dump[i], &error);
        }
    }
    if (a->json != NULL &&
        !stage_json_file(batch, a->json,
                         statistics_json(session, module, figures, &a->origin, a->target, wall),
                         &error)) {
        return report(a->json, &error);
    }
    const char *wrong = NULL;
    return weft_file_commit(batch, &wrong, &error) ? STATUS_GOOD : report(wrong, &error);
}

static int write_files(const struct arguments *a, const struct weft_module *module,
                       const struct weft_session *session, const struct model_figures *figures,
                       double wall) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    char **dump = NULL;
    bool made = false;
    if (a->dump != NULL) {
        dump = dump_paths(a->dump, module->graph, &error);
        if (dump == NULL) {
            return report(a->dump, &error);
        }
        made = mkdir(a->dump, 0777) == 0; /* if it is not there now, writing says so */
    }
    int status = stage_files(a, module, session, figures, wall, dump, &batch);
    weft_file_discard(&batch);
    if (status != STATUS_GOOD && made) {
        (void)rmdir(a->dump);
    }
    free(dump);
    return status;
}

/* An element of an 8-bit tensor. */
static int value_at(const struct weft_type *type, const void *bytes, size_t index) {
    return type->dtype == WEFT_I8 ? ((const int8_t *)bytes)[index]
                                  : ((const uint8_t *)bytes)[index];
}

/* The largest values of a classifier's result [1, N]; of equal ones the first come first. */
static void add_top(const struct weft_session *session, const struct weft_module *module,
                    struct weft_text *text) {
    struct weft_error error;
    const void *bytes = NULL;
    size_t length = 0;
    const struct weft_type *type = &module->graph->outputs[0]->type;
    bool vector = type->rank > 0 && type->dim[type->rank - 1] == weft_type_elements(type);
    if (!vector || type->quantization.count != 1 || weft_dtype_bytes(type->dtype) != 1 ||
        !weft_session_output(session, 0, &bytes, &length, &error)) {
        return;
    }
    size_t last = length;
    int last_value = INT32_MAX;
    for (size_t rank = 0; rank < TOP && rank < length; rank++) {
        size_t best = length;
        int best_value = INT32_MIN;
        for (size_t i = 0; i < length; i++) {
            int value = value_at(type, bytes, i);
            bool shown = value > last_value || (value == last_value && i <= last);
            if (!shown && value > best_value) {
                best = i;
                best_value = value;
            }
        }
        last = best;
        last_value = best_value;
        weft_text_add(text, "%s class %4zu  %9.5f\n", rank == 0 ? "result" : "      ", best,
                      weft_type_scale(type, 0) * (best_value - weft_type_zero(type, 0)));
    }
}

/* Time at the clock that was given, of the machine alone. */
static void add_time(const struct arguments *a, const struct weft_module *module, uint64_t cycles,
                     struct weft_text *text) {
    double clock = a->origin.clock;
    if (cycles > 0 && clock > 0) {
        weft_text_add(text,
                      "at %g MHz: %.4g ms%s, %.4g inferences a second, of the machine alone\n",
                      clock, inference_milliseconds(module, cycles, clock),
                      module->frames > 1 ? " an inference" : "",
                      inferences_per_second(module, cycles, clock));
    }
}

/* What a frame takes, of several. */
static void add_frames(const struct weft_module *module, uint64_t cycles,
                       const struct model_figures *figures, struct weft_text *text) {
    if (module->frames == 1 || cycles == 0) {
        return;
    }
    weft_text_add(text, "%" PRIu32 " frames, %s: %.1f cycles a frame", module->frames,
                  module->one_by_one ? "one after the other" : "in the fastest order",
                  inference_cycles(module, cycles));
    if (figures->frame_period > 0) {
        weft_text_add(text, "; in the steady state one every %.1f", figures->frame_period);
    }
    weft_text_add(text, "\n");
}

/* What each layer cost; `missing` says why there are no figures, if there are none. */
static void add_layers(const struct weft_module *module, const struct model_figures *figures,
                       const char *missing, struct weft_text *text) {
    if (missing == NULL) {
        layer_table(module, figures, text);
    } else {
        weft_text_add(text, "no table of layers: %s\n", missing);
    }
}

static void add_summary(const struct arguments *a, const struct weft_session *session,
                        const struct weft_module *module, const struct model_figures *figures,
                        const char *missing, struct weft_text *text) {
    uint64_t cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    weft_text_add(text, "%s on %s, target %s: ", module->model_name, module->config.name,
                  a->target);
    if (cycles > 0) {
        weft_text_add(text, "%" PRIu64 " cycles, %.1f %% of peak", cycles,
                      100 * weft_utilisation(&module->config, machine.macs, cycles));
        if (machine.cut_macs > 0) {
            weft_text_add(text, " (%.1f %% of the multiplications are cut: nothing needs them)",
                          100 * (double)machine.cut_macs / (double)machine.macs);
        }
    } else {
        weft_text_add(text, "%" PRIu64 " instructions",
                      weft_session_counter(session, WEFT_COUNTER_INDEX_instructions));
    }
    weft_text_add(text, "; ");
    add_host_work(module, text);
    weft_text_add(text, "\n");
    bool is_modelled = cycles > 0 && weft_session_is_modelled(session);
    if (is_modelled || machine.operators == 0) {
        add_layers(module, figures, missing, text);
    }
    if (is_modelled) {
        uint64_t bound = bound_cycles(session, module);
        weft_text_add(text, "at most %" PRIu64 " cycles, of which it took %.1f %%\n", bound,
                      100.0 * (double)cycles / (double)bound);
    }
    add_frames(module, cycles, figures, text);
    add_time(a, module, cycles, text);
    if (is_modelled && a->origin.technology != NULL) {
        const struct weft_energy energy =
            module_energy(module, figures->counters, a->origin.technology, a->origin.clock);
        add_energy(&energy, a->origin.technology, a->origin.clock, module->frames, text);
    }
    if (a->origin.area != NULL) {
        add_area(a->origin.area, &module->config, text);
    }
}

/* ---- the run ---- */

/* Prints what the run gave, and writes the files. */
static int show_run(const struct arguments *a, const struct weft_module *module,
                    const struct weft_session *session, double wall) {
    struct weft_error error;
    struct weft_text text = {0}; /* made before files are there, since it may fail */
    struct model_figures figures = {0};
    bool counts = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) > 0 &&
                  weft_session_is_modelled(session);
    bool has_figures = counts && figures_of_session(module, session, a->origin.options,
                                                    a->open.limits.bytes, &figures, &error);
    bool is_missing = counts && !has_figures;
    char missing[sizeof error.message] = "";
    bool is_asked_for = a->json != NULL || a->origin.technology != NULL;
    if (is_missing && (error.code != WEFT_LIMIT || is_asked_for)) {
        return report(a->model, &error);
    }
    if (is_missing) { /* the results are there all the same */
        memcpy(missing, error.message, sizeof missing);
    }
    add_top(session, module, &text);
    add_summary(a, session, module, &figures, is_missing ? missing : NULL, &text);
    int status = weft_text_finish(&text, &error)
                     ? write_files(a, module, session, has_figures ? &figures : NULL, wall)
                     : report(a->model, &error);
    if (status == STATUS_GOOD) {
        fputs(text.bytes, stdout);
    }
    weft_text_free(&text);
    model_figures_free(&figures);
    return status;
}

static int run_session(const struct arguments *a, const struct weft_module *module,
                       struct weft_session *session) {
    struct weft_error error;
    int status =
        a->timing_only ? STATUS_GOOD : inputs_set(a->given, module, a->open.limits.bytes, session);
    double start = weft_clock_seconds();
    if (status != STATUS_GOOD) {
        return status;
    }
    bool good = weft_session_run(session, &error);
    machine_end_progress();
    /* What a server's target counts it does not say before. */
    bool has_cycles =
        module->segment_count == 0 || weft_session_counter(session, WEFT_COUNTER_INDEX_cycles) > 0;
    if (good && !has_cycles && !check_no_cycles(a)) {
        return STATUS_ERROR;
    }
    return good ? show_run(a, module, session, weft_clock_seconds() - start)
                : report(a->model, &error);
}

static int run_model(const struct arguments *a, const struct weft_session_options *options,
                     const struct operand *operand) {
    struct weft_error error;
    bool host_only = strcmp(a->target, HOST) == 0;
    struct weft_compile_options compile = {
        .keep_tensors = a->dump != NULL,
        .host_only = host_only,
        .import = {.known = inputs_known, .context = (void *)(uintptr_t)a->given}};
    struct weft_module *module =
        make_model(a->model, operand->bytes, operand->length, &a->open, compile);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    struct weft_session *session = NULL;
    int status = STATUS_GOOD;
    if (given_count(a->given, OPTION_OUT_NPY) > module->graph->output_count) {
        status = usage_error("run", "the model has %zu outputs", module->graph->output_count);
    } else if (!weft_session_open(host_only ? "func" : target_name(a->target), module, options,
                                  &session, &error)) {
        status = report(a->model, &error);
    } else {
        status = run_session(a, module, session);
    }
    weft_session_close(session);
    weft_module_free(module);
    return status;
}

static int run_assembled(const struct arguments *a, const struct weft_session_options *options,
                         const struct operand *operand) {
    const struct program_run run = {.given = a->given,
                                    .operand = operand,
                                    .open = &a->open,
                                    .options = options,
                                    .origin = &a->origin,
                                    .target = a->target,
                                    .json = a->json};
    if (strcmp(a->target, HOST) == 0) {
        return usage_error("run", "an assembled program runs on the machine, not on the host");
    }
    return run_assembled_program(&run);
}

int command_run(const struct given *given) {
    struct arguments a;
    struct weft_error error;
    struct weft_session_options options;
    struct operand operand;
    if (!read_arguments(given, &a)) {
        return STATUS_ERROR;
    }
    bool has_technology = false;
    const struct weft_area_model *area = NULL;
    if (!technology_read(given, &a.technology, &has_technology) || !area_read(given, NULL, &area)) {
        return STATUS_ERROR;
    }
    a.origin = origin_of_command(&options);
    a.origin.technology = has_technology ? &a.technology : NULL;
    a.origin.area = area;
    if (!session_options(&a, &options, &error) ||
        !machine_clock(&a.machine, &a.origin.clock, &error) ||
        !machine_one_clock(&options.memory, &a.origin.clock, &error)) {
        return report("run", &error);
    }
    if (!remote_target_apply(given, a.target, &options)) {
        return STATUS_ERROR;
    }
    if (!operand_read(given, &operand)) {
        return STATUS_ERROR;
    }
    int status = operand.kind == OPERAND_MODEL ? run_model(&a, &options, &operand)
                                               : run_assembled(&a, &options, &operand);
    operand_free(&operand);
    return status;
}
