/* weft soc: a model on a RISC-V CPU with the machine, all of it RTL. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/integer.h"
#include "cli/command_line.h"
#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/system.h"
#include "driver/session.h"
#include "driver/soc_library.h"

struct simulation {
    const struct given *given;
    const char *cpu;
    struct weft_session_options options; /* of the machine, that were given */
    uint32_t latency;                    /* 0: the configuration's */
    uint64_t contract;                   /* cycles, by the contract with this latency */
    uint32_t runs;
    struct system_model system;
    struct weft_soc_library library;
    struct weft_soc_result result;
    double seconds;
};

/* ---- arguments ---- */

/* PicoRV32 has interrupts of its own kind, which the firmware does not know. */
static bool has_interrupts(const char *cpu) {
    return strcmp(cpu, "picorv32") != 0;
}

/* ---- the run ---- */

static bool simulate(struct simulation *simulation, struct weft_error *error) {
    const struct system_model *system = &simulation->system;
    const struct weft_soc_run run = {
        .ram = system->image.ram,
        .ram_bytes = system->image.ram_bytes,
        .memory_latency = simulation->latency,
        .most_cycles = system_most_cycles(system),
        .send = system_print,
    };
    const double start = weft_clock_seconds();
    bool good = simulation->library.interface->run(&run, &simulation->result, error);
    simulation->seconds = weft_clock_seconds() - start;
    return good && weft_system_image_check(&system->image, simulation->result.finish, error);
}

/* What the programs take by the contract with a memory of this latency, without a bus. */
static bool find_contract(struct simulation *simulation, struct weft_error *error) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    options.timing_only = true;
    options.memory.latency = simulation->latency;
    if (!weft_session_open("cycle", simulation->system.module, &options, &session, error)) {
        return false;
    }
    bool good = weft_session_run(session, error);
    simulation->contract = weft_session_counter(session, WEFT_COUNTER_INDEX_cycles);
    weft_session_close(session);
    return good;
}

/* ---- what is shown ---- */

static void print_summary(const struct simulation *simulation) {
    const struct system_model *system = &simulation->system;
    const struct weft_boot boot = weft_system_image_boot(&system->image);
    const uint64_t contract = simulation->contract;
    printf("%s on %s with %s, %s: %" PRIu64 " cycles of the system, %" PRIu64
           " of the processor in %" PRIu32 " run%s\n",
           system->module->model_name, simulation->cpu, system->module->config.name,
           has_interrupts(simulation->cpu) ? "by interrupt" : "polling", simulation->result.cycles,
           boot.processor_cycles, boot.runs, boot.runs == 1 ? "" : "s");
    printf("accelerator: %" PRIu64 " cycles", boot.cycles);
    if (contract > 0) {
        printf(", %" PRIu64 " by the contract without a bus (%+.2f %%)", contract,
               100 * ((double)boot.cycles / (double)contract - 1));
    }
    printf("\n");
}

/* The rate is of the simulation alone. */
static double cycles_a_second(const struct simulation *simulation) {
    return simulation->seconds > 0 ? (double)simulation->result.cycles / simulation->seconds : 0;
}

static json_t *summary_json(const struct simulation *simulation) {
    const struct system_model *system = &simulation->system;
    const struct weft_boot boot = weft_system_image_boot(&system->image);
    const struct origin origin = origin_of_command(&simulation->options);
    json_begin(system->module, system->image.ram_bytes);
    json_t *root = json_object();
    add_origin_json(root, system->module, &origin);
    json_object_set_new(root, "cpu", json_string(simulation->cpu));
    json_object_set_new(root, "interrupt", json_boolean(has_interrupts(simulation->cpu)));
    json_object_set_new(root, "memory_latency", json_integer(simulation->latency));
    json_object_set_new(root, "runs", json_integer(boot.runs));
    json_object_set_new(root, "cycles", json_integer((json_int_t)simulation->result.cycles));
    json_object_set_new(root, "processor_cycles", json_integer((json_int_t)boot.processor_cycles));
    json_object_set_new(root, "accelerator_cycles", json_integer((json_int_t)boot.cycles));
    json_object_set_new(root, "contract_cycles", json_integer((json_int_t)simulation->contract));
    json_object_set_new(root, "wall_seconds", json_real(simulation->seconds));
    json_object_set_new(root, "simulated_cycles_per_second",
                        json_real(cycles_a_second(simulation)));
    return root;
}

/* ---- weft soc ---- */

static int run_loaded(struct simulation *simulation) {
    struct weft_error error;
    const struct system_options options = {.interrupt = has_interrupts(simulation->cpu),
                                           .runs = simulation->runs,
                                           .latency = simulation->latency};
    if (!system_make_image(&simulation->system, &options)) {
        return STATUS_ERROR;
    }
    if (!simulate(simulation, &error) || !find_contract(simulation, &error)) {
        return report(simulation->given->operand, &error);
    }
    struct weft_file_batch batch = {0};
    bool has_json = given_value(simulation->given, OPTION_JSON) != NULL;
    int status =
        system_write_files(&simulation->system, &batch, has_json ? summary_json(simulation) : NULL);
    if (status == STATUS_GOOD) {
        print_summary(simulation);
    }
    return status;
}

static int run_system(struct simulation *simulation) {
    struct weft_error error;
    const struct weft_config *const config = &simulation->system.module->config;
    if (simulation->latency == 0) {
        simulation->latency = config->memory_latency < 2 ? 2 : config->memory_latency;
    }
    if (!weft_soc_load(simulation->cpu, config, &simulation->library, &error)) {
        return report(simulation->given->operand, &error);
    }
    int status = run_loaded(simulation);
    weft_soc_unload(&simulation->library);
    return status;
}

int command_soc(const struct given *given) {
    struct simulation simulation = {
        .given = given, .cpu = given_value(given, OPTION_CPU), .runs = 1};
    const struct machine_options machine = machine_options_of(given);
    struct weft_error error;
    if (simulation.cpu == NULL) {
        return usage_error("soc", "--cpu is missing: picorv32 or vexriscv");
    }
    if (!check_name("soc", "CPU", weft_soc_cpus, simulation.cpu) ||
        !system_read_number(given, OPTION_LATENCY, 2, UINT16_MAX, &simulation.latency) ||
        !system_read_number(given, OPTION_RUNS, 1, UINT32_MAX, &simulation.runs)) {
        return STATUS_ERROR;
    }
    if (!machine_options_apply(&machine, &simulation.options, &error)) {
        return usage_error("soc", "%s", error.message);
    }
    int status = system_open(given, &simulation.system) ? run_system(&simulation) : STATUS_ERROR;
    system_close(&simulation.system);
    return status;
}
