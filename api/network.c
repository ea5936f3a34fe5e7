#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "api/options.h"
#include "base/file.h"
#include "base/memory.h"
#include "isa/verify/verify.h"

/* ---- making ---- */

void stem_of(const char *path, char *stem, size_t size) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(stem, size, "%s", slash == NULL ? path : slash + 1);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
}

bool folder_of(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    int bytes = length == 0 ? snprintf(folder, size, ".")
                            : snprintf(folder, size, "%.*s", (int)length, path);
    return bytes >= 0 && (size_t)bytes < size;
}

uint8_t *copy_model(const void *bytes, size_t length, struct weft_error *error) {
    if (length >= WEFT_FILE_LIMIT) {
        (void)weft_fail(error, WEFT_LIMIT, 0, "%zu bytes of a model, expected fewer than %zu",
                        length, WEFT_FILE_LIMIT);
        return NULL;
    }
    uint8_t *copy = weft_allocate(length + 1, 1, "a model", error);
    if (copy != NULL && length > 0) {
        memcpy(copy, bytes, length);
    }
    return copy;
}

/* What a file is about: its own name and its folder; NULL of bytes. */
struct origin {
    const char *stem;
    const char *folder;
};

static void network_destroy(struct weft_network *network) {
    weft_module_free(network->module);
    if (network->backing.release != NULL) {
        network->backing.release(network->backing.object);
    }
    free(network->inputs.list);
    free(network->outputs.list);
    free(network);
}

bool network_of(struct weft_module *module, const struct backing *backing,
                struct weft_network **network, struct weft_error *error) {
    const struct weft_graph *graph = module->graph;
    struct weft_network *made = weft_allocate(1, sizeof *made, "a network", error);
    if (made == NULL ||
        !tensors_make(graph->input_count, graph->inputs, module->inputs, &made->inputs, error) ||
        !tensors_make(graph->output_count, graph->outputs, module->outputs, &made->outputs,
                      error)) {
        if (made != NULL) {
            network_destroy(made);
        }
        return false;
    }
    atomic_init(&made->users, 1);
    made->module = module;
    made->backing = *backing;
    made->machine.config = module->config;
    *network = made;
    return true;
}

void network_hold(struct weft_network *network) {
    atomic_fetch_add(&network->users, 1);
}

void weft_network_free(struct weft_network *network) {
    if (network != NULL && atomic_fetch_sub(&network->users, 1) == 1) {
        network_destroy(network);
    }
}

static bool read_module(const uint8_t *bytes, size_t length, const struct weft_machine *machine,
                        const struct weft_options *options, struct weft_module **module,
                        struct weft_error *error) {
    struct weft_read_options read = {0};
    if (!options_check(options, READ, error)) {
        return false;
    }
    options_to_read(options, &read);
    if (!weft_module_read(bytes, length, &read, module, error)) {
        return false;
    }
    const struct weft_config *config = &(*module)->config;
    if (machine != NULL &&
        weft_config_fingerprint(&machine->config) != weft_config_fingerprint(config)) {
        weft_error_set(error, WEFT_FINGERPRINT, 0, "compiled for configuration %s, not for %s",
                       config->name, machine->config.name);
        weft_module_free(*module);
        return false;
    }
    return true;
}

static bool compile_model(const uint8_t *bytes, size_t length, const struct weft_machine *machine,
                          const struct weft_options *options, const struct origin *origin,
                          struct weft_module **module, struct weft_error *error) {
    struct weft_config config;
    struct weft_dim dims[WEFT_MOST_DIMS];
    struct weft_compile_options compile = {.model_name = origin->stem,
                                           .import = {.folder = origin->folder}};
    return options_check(options, COMPILE, error) && options_to_compile(options, &compile, error) &&
           options_to_import(options, dims, &compile.import, error) &&
           machine_config(machine, &config, error) &&
           weft_compile(bytes, length, &config, &compile, module, error);
}

/* Takes the bytes over. */
static bool make(uint8_t *bytes, size_t length, const struct weft_machine *machine,
                 const struct weft_options *options, const struct origin *origin,
                 struct weft_network **network, struct weft_error *error) {
    const struct backing backing = {bytes, free};
    struct weft_module *module = NULL;
    bool good = weft_is_module(bytes, length)
                    ? read_module(bytes, length, machine, options, &module, error)
                    : compile_model(bytes, length, machine, options, origin, &module, error);
    if (!good || !network_of(module, &backing, network, error)) {
        weft_module_free(good ? module : NULL);
        free(bytes);
        return false;
    }
    return true;
}

bool weft_network_make(const void *bytes, size_t length, const struct weft_machine *machine,
                       const struct weft_options *options, struct weft_network **network,
                       struct weft_failure *failure) {
    struct weft_error error;
    const struct origin origin = {NULL, NULL};
    uint8_t *copy = copy_model(bytes, length, &error);
    return (copy != NULL && make(copy, length, machine, options, &origin, network, &error)) ||
           failed(failure, &error);
}

bool weft_network_load(const char *path, const struct weft_machine *machine,
                       const struct weft_options *options, struct weft_network **network,
                       struct weft_failure *failure) {
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    char stem[128];
    char folder[4096];
    struct origin origin = {stem, folder};
    stem_of(path, stem, sizeof stem);
    if (!folder_of(path, folder, sizeof folder)) {
        origin.folder = NULL;
    }
    return (weft_file_read(path, &bytes, &length, &error) &&
            make(bytes, length, machine, options, &origin, network, &error)) ||
           failed(failure, &error);
}

/* ---- what it is ---- */

const char *weft_network_name(const struct weft_network *network) {
    return network->module->model_name;
}

const struct weft_machine *weft_network_machine(const struct weft_network *network) {
    return &network->machine;
}

size_t weft_network_inputs(const struct weft_network *network) {
    return network->inputs.count;
}

size_t weft_network_outputs(const struct weft_network *network) {
    return network->outputs.count;
}

const struct weft_tensor *weft_network_input(const struct weft_network *network, size_t index) {
    return tensors_at(&network->inputs, index);
}

const struct weft_tensor *weft_network_output(const struct weft_network *network, size_t index) {
    return tensors_at(&network->outputs, index);
}

/* ---- figures ---- */

static uint64_t count_instructions(const struct weft_module *module) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        count += module->segments[i].program.count;
    }
    return count;
}

enum figure {
    FIGURE_CYCLES,
    FIGURE_BOUND,
    FIGURE_FRAMES,
    FIGURE_SEGMENTS,
    FIGURE_INSTRUCTIONS,
    FIGURE_LAYERS,
    FIGURE_MACS,
    FIGURE_CUT_MACS,
    FIGURE_HOST_OPERATORS,
    FIGURE_HOST_MACS,
    FIGURE_HOST_ELEMENTS,
    FIGURE_FINGERPRINT,
    FIGURES
};

static const char *const figure_names[FIGURES] = {
    "cycles", "bound",    "frames",         "segments",  "instructions",  "layers",
    "macs",   "cut_macs", "host_operators", "host_macs", "host_elements", "fingerprint",
};

static uint64_t figure_of(const struct weft_module *module, enum figure figure) {
    struct weft_work machine;
    struct weft_work host;
    weft_module_work(module, &machine, &host);
    const uint64_t values[FIGURES] = {
        [FIGURE_CYCLES] = weft_module_cycles(module),
        [FIGURE_BOUND] = weft_module_bound(module),
        [FIGURE_FRAMES] = module->frames,
        [FIGURE_SEGMENTS] = module->segment_count,
        [FIGURE_INSTRUCTIONS] = count_instructions(module),
        [FIGURE_LAYERS] = machine.operators,
        [FIGURE_MACS] = (uint64_t)machine.macs,
        [FIGURE_CUT_MACS] = (uint64_t)machine.cut_macs,
        [FIGURE_HOST_OPERATORS] = host.operators,
        [FIGURE_HOST_MACS] = (uint64_t)host.macs,
        [FIGURE_HOST_ELEMENTS] = (uint64_t)host.elements,
        [FIGURE_FINGERPRINT] = module->fingerprint,
    };
    return values[figure];
}

const char *weft_network_figure_name(size_t index) {
    return index < FIGURES ? figure_names[index] : NULL;
}

bool weft_network_figure(const struct weft_network *network, const char *name, uint64_t *value,
                         struct weft_failure *failure) {
    struct weft_error error;
    for (int i = 0; i < FIGURES; i++) {
        if (strcmp(figure_names[i], name) == 0) {
            *value = figure_of(network->module, (enum figure)i);
            return true;
        }
    }
    weft_error_set(&error, WEFT_ARGUMENT, 0, "there is no figure '%.40s'", name);
    return failed(failure, &error);
}

/* ---- what can be made of it ---- */

/* Hands a text over, or releases it. */
static bool hand_over(struct weft_text *text, bool good, char **bytes,
                      const struct weft_error *error, struct weft_failure *failure) {
    if (!good) {
        weft_text_free(text);
        return failed(failure, error);
    }
    *bytes = text->bytes;
    return true;
}

bool weft_network_verify(const struct weft_network *network, char **text,
                         struct weft_failure *failure) {
    struct weft_error error;
    struct weft_text lines = {0};
    const struct weft_module *module = network->module;
    bool good = true;
    for (uint32_t i = 0; good && i < module->segment_count; i++) {
        const struct weft_segment *segment = &module->segments[i];
        struct weft_regions regions;
        struct weft_proof proof;
        weft_segment_regions(segment, &regions);
        good = weft_verify(&module->config, segment->program.instructions, segment->program.count,
                           &regions, &proof, &error);
        if (good && text != NULL) {
            weft_text_add(&lines,
                          "program %" PRIu32 ": proved for %s: %zu instructions never fault, race "
                          "or deadlock; at most %" PRIu64 " cycles\n",
                          i, module->config.name, proof.instructions, segment->bound);
        }
    }
    if (text == NULL) {
        return good || failed(failure, &error);
    }
    return hand_over(&lines, good && weft_text_finish(&lines, &error), text, &error, failure);
}

bool weft_network_write(struct weft_network *network, void **bytes, size_t *length,
                        struct weft_failure *failure) {
    struct weft_error error;
    uint8_t *packed = NULL;
    size_t count = 0;
    if (!weft_module_write(network->module, &packed, &count, &error)) {
        return failed(failure, &error);
    }
    *bytes = packed;
    *length = count;
    return true;
}

bool weft_network_save(struct weft_network *network, const char *path,
                       struct weft_failure *failure) {
    struct weft_error error;
    void *bytes = NULL;
    size_t length = 0;
    if (!weft_network_write(network, &bytes, &length, failure)) {
        return false;
    }
    bool good = weft_file_write(path, bytes, length, &error);
    free(bytes);
    return good || failed(failure, &error);
}

bool weft_network_decisions(const struct weft_network *network, char **json,
                            struct weft_failure *failure) {
    struct weft_error error;
    struct weft_text text = {0};
    bool good =
        weft_module_decisions(network->module, &text, &error) && weft_text_finish(&text, &error);
    return hand_over(&text, good, json, &error, failure);
}
