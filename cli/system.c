#include "cli/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/checked.h"
#include "cli/inputs.h"
#include "cli/json_file.h"
#include "cli/streams.h"
#include "compiler/export/export.h"
#include "driver/shared_library.h"

/* What a system may take at most: of a bound of the machine, whose bus adds to its memory, of a
 * step of the host, and of a byte of the model, which the firmware checks before the first run, or
 * of what a run copies and sums up. */
enum {
    BOUND_FACTOR = 4,
    CYCLES_A_STEP = 1000,
    CYCLES_A_BYTE = 400,
};

#define LEAST_MOST_CYCLES UINT64_C(20000000)

/* The CPUs and platforms take the same one. */
#define FIRMWARE "weft_firmware_rv32imc.bin"

bool system_read_number(const struct given *given, enum option_id option, uint32_t least,
                        uint32_t most, uint32_t *value) {
    const char *text = given_value(given, option);
    uint64_t number = 0;
    if (text == NULL) {
        return true;
    }
    if (!read_number(text, most, &number) || number < least) {
        usage_error(given->command->name, "--%s %.40s: expected %" PRIu32 " to %" PRIu32,
                    option_list[option].name, text, least, most);
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

/* ---- what is put together ---- */

static bool find_firmware(char path[WEFT_SHARED_LIBRARY_PATH], struct weft_error *error) {
    if (!weft_path_find(FIRMWARE, path, error)) {
        return false;
    }
    if (access(path, F_OK) == 0) {
        return true;
    }
    return weft_fail(error, WEFT_TARGET, 0,
                     "the firmware of RISC-V systems is not built (no file %.200s): "
                     "scripts/setup system installs its compiler, scripts/build builds it",
                     path);
}

static bool read_firmware(uint8_t **bytes, size_t *length, struct weft_error *error) {
    char path[WEFT_SHARED_LIBRARY_PATH];
    return find_firmware(path, error) && weft_file_read(path, bytes, length, error);
}

/* How many of its bounds a program may take. */
static uint64_t bound_factor(const struct system_model *system, uint64_t latency) {
    const uint64_t usual = system->module->config.memory_latency;
    return BOUND_FACTOR + (latency > usual ? BOUND_FACTOR * latency / (usual == 0 ? 1 : usual) : 0);
}

static uint64_t longest_bound(const struct weft_module *module) {
    uint64_t bound = 0;
    for (uint32_t i = 0; i < module->segment_count; i++) {
        bound = module->segments[i].bound > bound ? module->segments[i].bound : bound;
    }
    return bound;
}

static bool fill_image(struct system_model *system, const struct system_options *options,
                       const struct weft_export *made, struct weft_error *error) {
    const uint64_t factor = bound_factor(system, options->latency);
    const uint64_t patience = weft_mul_saturated(longest_bound(system->module), factor);
    struct weft_system_setup setup = {
        .blob = made->bytes,
        .blob_bytes = made->length,
        .interrupt = options->interrupt,
        .runs = options->runs,
        .patience = patience > INT32_MAX ? 0 : patience, /* the firmware's ticks have 32 bits */
        .watchdog_factor = factor > UINT32_MAX ? 0 : (uint32_t)factor,
    };
    uint8_t *firmware = NULL;
    if (!read_firmware(&firmware, &setup.image_bytes, error)) {
        return false;
    }
    setup.image = firmware;
    bool good = weft_system_image_make(&setup, &system->image, error);
    free(firmware);
    return good;
}

static bool export_image(struct system_model *system, const struct system_options *options,
                         struct weft_error *error) {
    struct weft_export made = {0};
    if (!weft_export(system->module, &made, error)) {
        return false;
    }
    bool good = fill_image(system, options, &made, error);
    weft_export_free(&made);
    return good;
}

static bool set_input(void *context, size_t index, const void *bytes, size_t length,
                      struct weft_error *error) {
    return weft_system_image_set_input(context, index, bytes, length, error);
}

static bool check_outputs(const struct system_model *system) {
    if (given_count(system->given, OPTION_OUT_NPY) <= system->module->graph->output_count) {
        return true;
    }
    usage_error(system->given->command->name, "the model has %zu outputs",
                system->module->graph->output_count);
    return false;
}

bool system_open(const struct given *given, struct system_model *system) {
    const struct weft_compile_options compile = {.keep_tensors = false};
    *system = (struct system_model){.given = given};
    if (!open_options_read(given, &system->open) || !inputs_check(given)) {
        return false;
    }
    uint8_t *bytes = NULL;
    system->module = open_model(given->operand, &system->open, compile, &bytes);
    if (system->module == NULL) {
        return false; /* the bytes are released already */
    }
    system->bytes = bytes;
    return check_outputs(system);
}

bool system_make_image(struct system_model *system, const struct system_options *options) {
    struct weft_error error;
    if (!export_image(system, options, &error)) {
        report(system->given->operand, &error);
        return false;
    }
    const struct input_taker taker = {set_input, &system->image, system->image.ram_bytes};
    return inputs_read(system->given, system->module, system->open.limits.bytes, &taker) ==
           STATUS_GOOD;
}

void system_close(struct system_model *system) {
    weft_system_image_free(&system->image);
    weft_module_free(system->module);
    free(system->bytes);
}

/* Bytes of a run outside the machine. */
static uint64_t run_bytes(const struct weft_boot *boot) {
    uint64_t bytes = boot->arena.bytes;
    for (uint32_t i = 0; i < boot->input_count; i++) {
        bytes += boot->inputs[i].bytes;
    }
    for (uint32_t i = 0; i < boot->output_count; i++) {
        bytes += boot->outputs[i].bytes;
    }
    return bytes;
}

uint64_t system_most_cycles(const struct system_model *system) {
    const struct weft_boot *boot = &system->image.boot;
    uint64_t cycles = weft_mul_saturated(weft_module_bound(system->module), boot->watchdog_factor);
    cycles = weft_add_saturated(
        cycles, weft_mul_saturated(weft_module_host_steps(system->module), CYCLES_A_STEP));
    cycles = weft_add_saturated(cycles, run_bytes(boot) * CYCLES_A_BYTE);
    cycles = weft_mul_saturated(cycles, boot->runs);
    cycles = weft_add_saturated(cycles, (uint64_t)boot->blob.bytes * CYCLES_A_BYTE);
    return weft_add_saturated(cycles, LEAST_MOST_CYCLES);
}

/* ---- what comes out ---- */

static bool stage_outputs(const struct system_model *system, struct weft_file_batch *batch) {
    struct weft_error error;
    const char *const *paths = given_values(system->given, OPTION_OUT_NPY);
    for (size_t i = 0; i < given_count(system->given, OPTION_OUT_NPY); i++) {
        const void *bytes = NULL;
        size_t length = 0;
        if (!weft_system_image_output(&system->image, i, &bytes, &length, &error) ||
            !npy_stage(batch, paths[i], &system->module->graph->outputs[i]->type, bytes, &error)) {
            report(paths[i], &error);
            return false;
        }
    }
    return true;
}

int system_write_files(const struct system_model *system, struct weft_file_batch *batch,
                       json_t *figures) {
    struct weft_error error;
    const char *const json = given_value(system->given, OPTION_JSON);
    const char *wrong = NULL;
    int status = STATUS_ERROR;
    if (!stage_outputs(system, batch)) {
        json_decref(figures);
    } else if (json != NULL && !stage_json_file(batch, json, figures, &error)) {
        status = report(json, &error);
    } else {
        status = weft_file_commit(batch, &wrong, &error) ? STATUS_GOOD : report(wrong, &error);
    }
    weft_file_discard(batch);
    return status;
}

/* Names of models are bytes of a file: what is no text does not reach the terminal. */
void system_print(void *context, uint8_t letter) {
    (void)context;
    putchar(letter == '\n' || (letter >= ' ' && letter <= '~') ? letter : '?');
    if (letter == '\n') {
        (void)fflush(stdout);
    }
}
