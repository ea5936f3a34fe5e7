/* The targets func and cycle: the simulators of this process. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "driver/target.h"
#include "sim/sim.h"

struct machine {
    struct weft_config config;
    struct weft_state state;
};

static bool simulator_open(const struct weft_config *config,
                           const struct weft_session_options *options, void **machine,
                           struct weft_error *error) {
    (void)options;
    struct machine *made = weft_allocate(1, sizeof *made, "a machine", error);
    if (made == NULL) {
        return false;
    }
    made->config = *config;
    if (!weft_state_create(&made->config, &made->state, error)) {
        free(made);
        return false;
    }
    *machine = made;
    return true;
}

static void simulator_close(void *machine) {
    struct machine *made = machine;
    weft_state_free(&made->state);
    free(made);
}

void state_read(const struct weft_state *state, void *const memories[WEFT_MEMORIES]) {
    uint8_t *from[WEFT_MEMORIES];
    weft_state_memories(state, from);
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if (memories[i] != NULL) {
            memcpy(memories[i], from[i], weft_memory_bytes(state->config, (enum weft_memory)i));
        }
    }
}

bool target_is_real(const struct target *target, const void *machine) {
    return target->is_real_machine == NULL ? target->is_real : target->is_real_machine(machine);
}

void target_turn_acc(uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i += sizeof(uint32_t)) {
        uint32_t entry;
        memcpy(&entry, bytes + i, sizeof entry);
        weft_write_u32(bytes + i, entry);
    }
}

static bool simulator_read(void *machine, void *const memories[WEFT_MEMORIES],
                           struct weft_error *error) {
    const struct machine *made = machine;
    (void)error;
    state_read(&made->state, memories);
    return true;
}

static void set_regions(struct machine *machine, const struct target_run *run) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        machine->state.region[i].bytes = run->bytes[i];
        machine->state.region[i].limit = run->regions.limit[i];
    }
    machine->state.writable = run->regions.writable;
}

static struct weft_timing_settings settings_of(const struct target_run *run) {
    return (struct weft_timing_settings){
        .regions = run->regions, .memory = run->options->memory, .watchdog = run->watchdog};
}

static bool func_run(void *machine, const struct target_run *run, struct weft_run_result *result,
                     struct weft_error *error) {
    struct machine *made = machine;
    struct weft_timing_settings settings = settings_of(run);
    set_regions(made, run);
    return weft_func_run(&made->state, run->options->host, run->instructions, run->count, &settings,
                         result, error);
}

static bool cycle_run(void *machine, const struct target_run *run, struct weft_run_result *result,
                      struct weft_error *error) {
    struct machine *made = machine;
    struct weft_timing_settings settings = settings_of(run);
    set_regions(made, run);
    if (run->options->timing_only) {
        return weft_timing_run(&made->config, run->instructions, run->count, &settings,
                               run->observer, result, error);
    }
    return weft_cycle_run(&made->state, run->options->host, run->instructions, run->count,
                          &settings, run->observer, result, error);
}

const struct target target_func = {.name = "func",
                                   .open = simulator_open,
                                   .run = func_run,
                                   .read_memories = simulator_read,
                                   .close = simulator_close};
const struct target target_cycle = {.name = "cycle",
                                    .has_time = true,
                                    .skips_data = true,
                                    .open = simulator_open,
                                    .run = cycle_run,
                                    .read_memories = simulator_read,
                                    .close = simulator_close};
