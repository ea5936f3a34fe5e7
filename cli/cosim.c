/* weft cosim: cycle simulator and RTL on the same model and inputs, compared. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/machine.h"
#include "driver/lockstep.h"

enum {
    MOST_FILES = 64,
};

/* cosim's own exit status: both ran, and differ. */
enum {
    STATUS_DIFFERENT = 1,
};

struct arguments {
    const char *model;
    const char *inputs[MOST_FILES];
    size_t input_count;
    struct open_options open;
    struct image_options image;
    struct machine_options machine;
};

static bool read_arguments(int argc, char **argv, struct arguments *a) {
    const struct option_spec specs[] = {
        {.name = "input", .list = a->inputs, .count = &a->input_count, .most = MOST_FILES},
        OPEN_OPTION_SPECS(&a->open),
        {.name = "mean", .value = &a->image.mean},
        {.name = "std", .value = &a->image.std},
        {.name = "watchdog", .value = &a->machine.watchdog},
        {.name = "latency", .value = &a->machine.latency},
        {.name = "interval", .value = &a->machine.interval},
        {.name = "wave", .value = &a->machine.wave},
        {.name = "from", .value = &a->machine.from},
        {.name = "to", .value = &a->machine.to},
        {.name = "segment", .value = &a->machine.segment},
    };
    const char *words[1];
    size_t count = 0;
    if (!read_options(argc, argv, specs, sizeof specs / sizeof specs[0], words, &count, 1) ||
        !read_limits("cosim", &a->open)) {
        return false;
    }
    if (count != 1) {
        usage_error("cosim", "give a model or a .weft file");
        return false;
    }
    bool has_picture = false;
    for (size_t i = 0; i < a->input_count; i++) {
        has_picture = has_picture || is_image(a->inputs[i]);
    }
    if (!has_picture && (a->image.mean != NULL || a->image.std != NULL)) {
        usage_error("cosim", "--mean and --std need a picture as --input");
        return false;
    }
    a->model = words[0];
    return true;
}

static int set_inputs(const struct arguments *a, const struct weft_module *module,
                      struct weft_session *session) {
    struct weft_error error;
    struct image_options image = a->image;
    image.memory_limit = a->open.limits.bytes;
    size_t count = module->graph->input_count;
    image.memory_used = weft_session_memory(session);
    if (a->input_count != count) {
        return usage_error("cosim", "the model has %zu inputs, %zu are given", count,
                           a->input_count);
    }
    for (size_t i = 0; i < count; i++) {
        const struct weft_type *type = &module->graph->inputs[i]->type;
        const char *path = a->inputs[i];
        uint8_t *bytes = NULL;
        bool good = (is_image(path) ? image_read(path, type, &image, &bytes, &error)
                                    : npy_read(path, type, &bytes, &error)) &&
                    weft_session_set_input(session, i, bytes, weft_type_bytes(type), &error);
        free(bytes);
        if (!good) {
            return report(path, &error);
        }
    }
    return STATUS_GOOD;
}

static int run_session(const struct arguments *a, const struct weft_module *module,
                       struct weft_session *session, const struct weft_lockstep_report *compared) {
    struct weft_error error;
    int status = set_inputs(a, module, session);
    if (status != STATUS_GOOD) {
        return status;
    }
    bool good = weft_session_run(session, &error);
    machine_end_progress();
    if (!good && error.code == WEFT_DIVERGENCE) {
        printf("segment %" PRIu64 ": %s", compared->programs, compared->text.bytes);
        return STATUS_DIFFERENT;
    }
    if (!good && error.code == WEFT_OUT_OF_MEMORY) {
        return report(a->model, &error); /* nothing was compared to the end */
    }
    printf("0 cycles apart: %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64
           " bursts, %" PRIu64 " cycles, %" PRIu64 " bytes of memory are the same\n",
           compared->programs, compared->instructions, compared->bursts, compared->cycles,
           compared->bytes);
    return good ? STATUS_GOOD : report(a->model, &error);
}

static int compare_module(const struct arguments *a, const struct weft_module *module) {
    struct weft_error error;
    struct weft_lockstep_report compared = {0};
    struct weft_session *session = NULL;
    struct weft_session_options options = weft_session_defaults();
    options.lockstep = &compared;
    machine_show_progress(&options);
    int status = STATUS_ERROR;
    if (!machine_options_apply(&a->machine, &options, &error)) {
        status = report("cosim", &error);
    } else if (!weft_session_open("lockstep", module, &options, &session, &error)) {
        status = report(a->model, &error);
    } else {
        status = run_session(a, module, session, &compared);
    }
    weft_session_close(session);
    weft_lockstep_report_free(&compared);
    return status;
}

int command_cosim(int argc, char **argv) {
    struct arguments a = {0};
    uint8_t *bytes = NULL;
    if (!read_arguments(argc, argv, &a)) {
        return STATUS_ERROR;
    }
    struct weft_module *module = open_module(a.model, &a.open, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    int status = compare_module(&a, module);
    weft_module_free(module);
    free(bytes);
    return status;
}
