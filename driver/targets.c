#include "driver/targets.h"

#include <string.h>

#include "base/clock.h"

static const struct target *const targets[] = {
    &target_func,  &target_cycle,  &target_rtl, &target_lockstep,
    &target_linux, &target_remote, NULL};
const char *const weft_target_names[] = {"func",  "cycle",  "rtl", "lockstep",
                                         "linux", "remote", NULL};

const struct target *target_find(const char *name, struct weft_error *error) {
    for (size_t i = 0; targets[i] != NULL; i++) {
        if (strcmp(targets[i]->name, name) == 0) {
            return targets[i];
        }
    }
    (void)weft_fail(error, WEFT_TARGET, 0, "there is no target '%.40s'", name);
    return NULL;
}

static bool check_dram(const struct weft_memory_settings *memory, struct weft_error *error) {
    if ((unsigned)memory->dram >= WEFT_DRAMS) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "there is no DRAM %u", (unsigned)memory->dram);
    }
    if (memory->dram == WEFT_DRAM_NONE && memory->clock != 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "a clock of %.3f MHz, which is for DRAM, and there is none",
                         memory->clock / 1e3);
    }
    bool is_possible =
        memory->clock >= WEFT_DRAM_LEAST_CLOCK && memory->clock <= WEFT_DRAM_MOST_CLOCK;
    return memory->dram == WEFT_DRAM_NONE || is_possible ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "%s needs a clock of the machine of %d to %d MHz, not %.3f",
                     weft_dram_names[memory->dram], WEFT_DRAM_LEAST_CLOCK / 1000,
                     WEFT_DRAM_MOST_CLOCK / 1000, memory->clock / 1e3);
}

bool target_check(const struct target *target, const struct weft_session_options *options,
                  struct weft_error *error) {
    bool needs_time = options->timing_only || options->watchdog != 0 ||
                      options->memory.latency != 0 || options->memory.interval != 0 ||
                      options->memory.dram != WEFT_DRAM_NONE;
    if (needs_time && !target->has_time) {
        return weft_fail(error, WEFT_TARGET, 0, "target %s knows no time", target->name);
    }
    if (options->timing_only && !target->skips_data) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "target %s cannot leave out the data; timing alone is for target cycle",
                         target->name);
    }
    if (options->wave != NULL && !target->has_wave) {
        return weft_fail(error, WEFT_TARGET, 0, "target %s writes no waveforms; target rtl does",
                         target->name);
    }
    if (!check_dram(&options->memory, error)) {
        return false;
    }
    return weft_host_available(options->host) ||
           weft_fail(error, WEFT_TARGET, 0, "this processor cannot run the %s kernels",
                     weft_host_names[options->host]);
}

bool target_start(const struct target *target, void *machine, const struct target_run *run,
                  struct weft_segment_run *did, bool *reached, struct weft_error *error) {
    double start = weft_clock_seconds();
    if (!target->run(machine, run, &did->result, error)) {
        return false;
    }
    did->seconds = weft_clock_seconds() - start;
    *reached = true;
    return did->result.fault == WEFT_FAULT_NONE ||
           weft_fail(error, WEFT_FAULT, did->result.fault_instruction,
                     "fault at instruction %u: %s", did->result.fault_instruction,
                     weft_fault_names[did->result.fault]);
}
