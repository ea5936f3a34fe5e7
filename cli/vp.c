/* weft vp: a model on a virtual platform with a RISC-V processor. */
#include "vp/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command_line.h"
#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/streams.h"
#include "cli/system.h"

enum {
    PAGE_BYTES = 4096,
    MOST_QUANTUM = 1000000000, /* ns */
};

#define DEFAULT_CLOCK 100.0 /* MHz */

const char *const vp_target_names[] = {"cycle", "rtl", NULL};

struct simulation {
    const struct given *given;
    const char *target;
    struct weft_session_options options; /* of the machine, that were given */
    double clock;                        /* MHz */
    uint32_t runs;
    uint32_t quantum; /* ns */
    struct system_model system;
    struct weft_vp vp;
    FILE *waves;             /* NULL: none */
    uint64_t cycles;         /* of the machine, as weft run counts them */
    double bare_cpu_seconds; /* that the same runs take without a platform */
};

/* ---- the run ---- */

/* Image and platform each have a memory: what the platform did not touch stays untouched. */
static void load_memory(struct simulation *simulation) {
    static const uint8_t zeros[PAGE_BYTES];
    const struct weft_system_image *image = &simulation->system.image;
    for (uint64_t at = 0; at < image->ram_bytes; at += PAGE_BYTES) {
        const uint64_t left = image->ram_bytes - at;
        const size_t bytes = left < PAGE_BYTES ? (size_t)left : PAGE_BYTES;
        if (memcmp(image->ram + at, zeros, bytes) != 0) {
            memcpy(simulation->vp.ram + at, image->ram + at, bytes);
        }
    }
}

static void fetch_range(struct simulation *simulation, uint32_t address, size_t bytes) {
    const size_t at = address - WEFT_SYSTEM_RAM;
    memcpy(simulation->system.image.ram + at, simulation->vp.ram + at, bytes);
}

static void fetch_results(struct simulation *simulation) {
    const struct weft_boot *boot = &simulation->system.image.boot;
    fetch_range(simulation, WEFT_BOOT_ADDRESS, sizeof *boot);
    for (uint32_t i = 0; i < boot->output_count; i++) {
        fetch_range(simulation, boot->outputs[i].address, boot->outputs[i].bytes);
    }
}

static void print_letters(void *context, const char *bytes, size_t length) {
    (void)context;
    for (size_t i = 0; i < length; i++) {
        system_print(NULL, (uint8_t)bytes[i]);
    }
}

static bool make_platform(struct simulation *simulation, struct weft_error *error) {
    const struct weft_system_image *image = &simulation->system.image;
    const uint64_t pages = (image->ram_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    if (!weft_vp_create(pages * PAGE_BYTES, &simulation->vp, error)) {
        return false;
    }
    struct weft_vp_job *job = simulation->vp.job;
    job->config = simulation->system.module->config;
    (void)snprintf(job->target, sizeof job->target, "%s", simulation->target);
    job->cycle_ps = (uint64_t)llround(1e6 / simulation->clock);
    job->quantum_ns = simulation->quantum;
    job->memory_limit = simulation->system.open.limits.bytes;
    job->cycle_limit = simulation->system.open.limits.cycles;
    job->last_cycle = system_most_cycles(&simulation->system);
    job->waves = simulation->waves == NULL ? -1 : fileno(simulation->waves);
    load_memory(simulation);
    return true;
}

static bool simulate(struct simulation *simulation, struct weft_error *error) {
    const struct weft_system_image *image = &simulation->system.image;
    if (!make_platform(simulation, error) ||
        !weft_vp_run(&simulation->vp, print_letters, NULL, error)) {
        return false;
    }
    fetch_results(simulation);
    return weft_system_image_check(image, simulation->vp.job->finisher, error);
}

/* ---- comparing ---- */

static bool compare_output(const struct simulation *simulation, const struct weft_session *session,
                           size_t index, struct weft_error *error) {
    const void *expected = NULL;
    const void *bytes = NULL;
    size_t length = 0;
    size_t count = 0;
    if (!weft_session_output(session, index, &expected, &length, error) ||
        !weft_system_image_output(&simulation->system.image, index, &bytes, &count, error)) {
        return false;
    }
    return (count == length && memcmp(expected, bytes, length) == 0) ||
           weft_fail(error, WEFT_DIVERGENCE, index,
                     "output %zu is not that of weft run --target cycle", index);
}

/* The same inputs, as often, on the cycle simulator alone. */
static bool run_session(struct simulation *simulation, struct weft_session *session,
                        struct weft_error *error) {
    const struct weft_system_image *image = &simulation->system.image;
    for (uint32_t i = 0; i < image->boot.input_count; i++) {
        const struct weft_boot_range *range = &image->boot.inputs[i];
        if (!weft_session_set_input(session, i, image->ram + (range->address - WEFT_SYSTEM_RAM),
                                    range->bytes, error)) {
            return false;
        }
    }
    bool good = true;
    const clock_t begin = clock();
    for (uint32_t run = 0; good && run < simulation->runs; run++) {
        good = weft_session_run(session, error);
    }
    simulation->bare_cpu_seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    return good;
}

static bool compare_session(struct simulation *simulation, struct weft_session *session,
                            struct weft_error *error) {
    const struct weft_boot boot = weft_system_image_boot(&simulation->system.image);
    if (!run_session(simulation, session, error)) {
        return false;
    }
    for (uint32_t i = 0; i < boot.output_count; i++) {
        if (!compare_output(simulation, session, i, error)) {
            return false;
        }
    }
    simulation->cycles = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    return boot.cycles == simulation->cycles ||
           weft_fail(error, WEFT_DIVERGENCE, 0,
                     "the machine took %" PRIu64 " cycles, %" PRIu64
                     " with weft run --target cycle",
                     boot.cycles, simulation->cycles);
}

static bool compare(struct simulation *simulation, struct weft_error *error) {
    const struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    if (!weft_session_open("cycle", simulation->system.module, &options, &session, error)) {
        return false;
    }
    bool good = compare_session(simulation, session, error);
    weft_session_close(session);
    return good;
}

/* ---- what is shown ---- */

static double instructions_a_second(const struct weft_vp_job *job) {
    return job->seconds > 0 ? (double)job->instructions / job->seconds : 0;
}

static void print_summary(const struct simulation *simulation) {
    const struct weft_module *module = simulation->system.module;
    const struct weft_vp_job *job = simulation->vp.job;
    const struct weft_boot boot = weft_system_image_boot(&simulation->system.image);
    printf("%s on the virtual platform with %s, target %s: %" PRIu64
           " cycles of both together, %.4g ms at %g MHz, in %" PRIu32 " run%s\n",
           module->model_name, module->config.name, simulation->target, job->cycles,
           (double)job->cycles / simulation->clock / 1e3, simulation->clock, boot.runs,
           boot.runs == 1 ? "" : "s");
    printf("processor: %" PRIu64 " instructions; %" PRIu64
           " cycles from the first run to the last\n",
           job->instructions, boot.processor_cycles);
    printf("accelerator: %" PRIu64 " cycles in each run\n", boot.cycles);
    printf("outputs and cycles of the accelerator: the same as with weft run --target cycle\n");
    printf("%.3g s, %.3g million instructions a second\n", job->seconds,
           instructions_a_second(job) / 1e6);
}

static json_t *summary_json(const struct simulation *simulation) {
    const struct system_model *system = &simulation->system;
    const struct weft_vp_job *job = simulation->vp.job;
    const struct weft_boot boot = weft_system_image_boot(&system->image);
    const struct origin origin = origin_of_command(&simulation->options);
    json_begin(system->module, system->image.ram_bytes);
    json_t *root = json_object();
    add_origin_json(root, system->module, &origin);
    json_object_set_new(root, "target", json_string(simulation->target));
    json_object_set_new(root, "clock_mhz", json_real(simulation->clock));
    json_object_set_new(root, "quantum_ns", json_integer(simulation->quantum));
    json_object_set_new(root, "runs", json_integer(boot.runs));
    json_object_set_new(root, "cycles", json_integer((json_int_t)job->cycles));
    json_object_set_new(root, "instructions", json_integer((json_int_t)job->instructions));
    json_object_set_new(root, "processor_cycles", json_integer((json_int_t)boot.processor_cycles));
    json_object_set_new(root, "accelerator_cycles", json_integer((json_int_t)boot.cycles));
    json_object_set_new(root, "wall_seconds", json_real(job->seconds));
    json_object_set_new(root, "cpu_seconds", json_real(job->cpu_seconds));
    json_object_set_new(root, "bare_cpu_seconds", json_real(simulation->bare_cpu_seconds));
    json_object_set_new(root, "instructions_per_second", json_real(instructions_a_second(job)));
    return root;
}

/* Waveforms are as long as the run: they are copied piece by piece. */
static bool copy_waves(void *context, FILE *file, struct weft_error *error) {
    FILE *waves = context;
    char bytes[1 << 16];
    size_t count = 0;
    rewind(waves);
    while ((count = fread(bytes, 1, sizeof bytes, waves)) > 0) {
        (void)fwrite(bytes, 1, count, file);
    }
    return !ferror(waves) || weft_fail(error, WEFT_IO, 0, "the waveforms cannot be read again");
}

static int write_files(const struct simulation *simulation) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *const waves = given_value(simulation->given, OPTION_VCD);
    bool has_json = given_value(simulation->given, OPTION_JSON) != NULL;
    if (waves != NULL &&
        !stream_stage_content(&batch, waves, copy_waves, simulation->waves, &error)) {
        weft_file_discard(&batch);
        return report(waves, &error);
    }
    return system_write_files(&simulation->system, &batch,
                              has_json ? summary_json(simulation) : NULL);
}

/* ---- weft vp ---- */

static int run_platform(struct simulation *simulation) {
    struct weft_error error;
    const struct system_options options = {.interrupt = true, .runs = simulation->runs};
    if (!system_make_image(&simulation->system, &options)) {
        return STATUS_ERROR;
    }
    if (!simulate(simulation, &error) || !compare(simulation, &error)) {
        return report(simulation->given->operand, &error);
    }
    int status = write_files(simulation);
    if (status == STATUS_GOOD) {
        print_summary(simulation);
    }
    return status;
}

static bool take_options(struct simulation *simulation) {
    const struct given *given = simulation->given;
    const char *target = given_value(given, OPTION_ACCELERATOR);
    struct weft_error error;
    double clock = 0;
    struct machine_options machine = machine_options_of(given);
    machine.clock = given_value(given, OPTION_SYSTEM_CLOCK);
    if (!machine_options_apply(&machine, &simulation->options, &error) ||
        !machine_clock(&machine, &clock, &error)) {
        usage_error("vp", "%s", error.message);
        return false;
    }
    simulation->clock = clock > 0 ? clock : DEFAULT_CLOCK;
    simulation->target = target == NULL ? vp_target_names[0] : target;
    return check_name("vp", "target", vp_target_names, simulation->target) &&
           system_read_number(given, OPTION_RUNS, 1, UINT32_MAX, &simulation->runs) &&
           system_read_number(given, OPTION_QUANTUM, 0, MOST_QUANTUM, &simulation->quantum);
}

static bool open_waves(struct simulation *simulation) {
    const char *path = given_value(simulation->given, OPTION_VCD);
    struct weft_error error;
    if (path == NULL) {
        return true;
    }
    simulation->waves = tmpfile();
    if (simulation->waves == NULL) {
        (void)weft_fail(&error, WEFT_IO, 0, "no temporary file for the waveforms");
        report(path, &error);
        return false;
    }
    return true;
}

int command_vp(const struct given *given) {
    struct simulation simulation = {.given = given, .runs = 1, .quantum = 10000};
    if (!take_options(&simulation) || !open_waves(&simulation)) {
        return STATUS_ERROR;
    }
    int status = system_open(given, &simulation.system) ? run_platform(&simulation) : STATUS_ERROR;
    system_close(&simulation.system);
    weft_vp_free(&simulation.vp);
    if (simulation.waves != NULL) {
        (void)fclose(simulation.waves);
    }
    return status;
}
