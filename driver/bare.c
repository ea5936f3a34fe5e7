#include "driver/bare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"
#include "driver/divergence.h"
#include "driver/targets.h"
#include "sim/timing/bound.h"

struct weft_bare {
    struct weft_bare_setup setup;
    const struct target *target;
    struct weft_session_options options;
    void *machine;
    uint8_t *regions[WEFT_REGIONS]; /* owned */
    bool is_rejected;
    struct weft_error rejection;
    struct weft_segment_run run; /* the last one */
    bool reached;
    bool succeeded; /* with data */
};

/* ---- what is asked for ---- */

struct weft_regions weft_bare_regions(const struct weft_bare_setup *setup) {
    const uint32_t read_only =
        1U << WEFT_REGION_PROGRAM | 1U << WEFT_REGION_CONSTANTS | 1U << WEFT_REGION_INPUTS;
    struct weft_regions regions = {.writable = ((1U << WEFT_REGIONS) - 1) & ~read_only};
    memcpy(regions.limit, setup->region_bytes, sizeof regions.limit);
    regions.limit[WEFT_REGION_PROGRAM] = setup->program->count * WEFT_INSTRUCTION_BYTES;
    return regions;
}

/* Bytes of program, regions and on-chip memories. */
static uint64_t memory_of(const struct weft_bare_setup *setup) {
    const struct weft_regions regions = weft_bare_regions(setup);
    uint64_t memory = setup->program->count * sizeof *setup->program->instructions;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        memory = weft_add_saturated(memory, regions.limit[i]);
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        memory = weft_add_saturated(memory, weft_memory_bytes(setup->config, (enum weft_memory)i));
    }
    return memory;
}

bool weft_bare_check(const struct weft_bare_setup *setup, struct weft_error *error) {
    const struct weft_regions regions = weft_bare_regions(setup);
    uint64_t memory = memory_of(setup);
    uint64_t limit = weft_memory_limit(setup->memory_limit);
    if (setup->program->count == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "the program has no instructions");
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (regions.limit[i] > WEFT_REGION_LIMIT) {
            return weft_fail(error, WEFT_LIMIT, i,
                             "region %s has %" PRIu64 " bytes, at most %d are possible",
                             weft_region_names[i], regions.limit[i], WEFT_REGION_LIMIT);
        }
    }
    return memory <= limit ||
           weft_limit_passed(error, "the program with its regions", memory, limit);
}

static uint64_t bound_of(const struct weft_bare_setup *setup,
                         const struct weft_session_options *options) {
    const struct weft_timing_settings settings = {.memory = options->memory};
    return weft_bound(setup->config, &settings, setup->program->instructions,
                      setup->program->count);
}

static bool check_cycles(const struct weft_bare_setup *setup, uint64_t bound,
                         struct weft_error *error) {
    return weft_limit_asked("cycles that the program may take:", bound, setup->cycle_limit,
                            WEFT_CYCLE_LIMIT, "cycle-limit", error);
}

static bool verify(const struct weft_bare_setup *setup, struct weft_proof *proof,
                   struct weft_error *error) {
    const struct weft_regions regions = weft_bare_regions(setup);
    return weft_verify(setup->config, setup->program->instructions, setup->program->count, &regions,
                       proof, error);
}

bool weft_bare_verify(const struct weft_bare_setup *setup,
                      const struct weft_session_options *options, struct weft_proof *proof,
                      uint64_t *bound, struct weft_error *error) {
    struct weft_proof made;
    if (!weft_bare_check(setup, error) || !verify(setup, &made, error)) {
        return false;
    }
    uint64_t cycles = bound_of(setup, options);
    if (!check_cycles(setup, cycles, error)) {
        return false;
    }
    *proof = made;
    *bound = cycles;
    return true;
}

/* ---- opening ---- */

static bool make_regions(struct weft_bare *bare, struct weft_error *error) {
    for (unsigned i = WEFT_REGION_PROGRAM + 1; i < WEFT_REGIONS; i++) {
        uint64_t bytes = bare->setup.region_bytes[i];
        if (bytes != 0) {
            bare->regions[i] = weft_allocate((size_t)bytes, 1, "a region", error);
            if (bare->regions[i] == NULL) {
                return false;
            }
        }
    }
    return weft_program_encode(bare->setup.program, &bare->regions[WEFT_REGION_PROGRAM], error);
}

/* Proves the program, or notes why not. */
static bool judge(struct weft_bare *bare, struct weft_error *error) {
    struct weft_proof proof;
    bare->is_rejected = !verify(&bare->setup, &proof, &bare->rejection);
    if (bare->is_rejected && bare->rejection.code == WEFT_OUT_OF_MEMORY) {
        *error = bare->rejection;
        return false;
    }
    if (bare->is_rejected) {
        uint64_t limit = bare->setup.cycle_limit;
        bare->run.bound = limit == 0 ? WEFT_CYCLE_LIMIT : limit;
        /* Without time there is nothing to be seen of it but data. */
        bare->target = bare->target->has_time ? bare->target : &target_cycle;
        return true;
    }
    bare->run.bound = bound_of(&bare->setup, &bare->options);
    return check_cycles(&bare->setup, bare->run.bound, error);
}

bool weft_bare_open(const char *target, const struct weft_bare_setup *setup,
                    const struct weft_session_options *options, struct weft_bare **bare,
                    struct weft_error *error) {
    const struct target *found = target_find(target, error);
    if (found == NULL || !target_check(found, options, error) || !weft_bare_check(setup, error)) {
        return false;
    }
    struct weft_bare *made = weft_allocate(1, sizeof *made, "a program's machine", error);
    if (made == NULL) {
        return false;
    }
    made->setup = *setup;
    made->target = found;
    made->options = *options;
    if (!judge(made, error) || !make_regions(made, error) ||
        !made->target->open(setup->config, &made->options, &made->machine, error)) {
        weft_bare_close(made);
        return false;
    }
    *bare = made;
    return true;
}

void weft_bare_close(struct weft_bare *bare) {
    if (bare == NULL) {
        return;
    }
    if (bare->machine != NULL) {
        bare->target->close(bare->machine);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(bare->regions[i]);
    }
    free(bare);
}

uint8_t *weft_bare_region(struct weft_bare *bare, enum weft_region region) {
    return bare->regions[region];
}

const struct weft_error *weft_bare_rejection(const struct weft_bare *bare) {
    return bare->is_rejected ? &bare->rejection : NULL;
}

bool weft_bare_is_modelled(const struct weft_bare *bare) {
    return !target_is_real(bare->target, bare->machine);
}

uint64_t weft_bare_memory(const struct weft_bare *bare) {
    return memory_of(&bare->setup);
}

/* ---- running ---- */

static void append(struct weft_error *error, const char *between, const char *text, int length) {
    size_t used = strlen(error->message);
    (void)snprintf(error->message + used, sizeof error->message - used, "%s%.*s", between, length,
                   text);
}

/* Did the RTL stop at what it is not made for, an assertion most often? Of a comparison the report
 * says it, in its first line. */
static bool is_broken_rtl(const struct weft_bare *bare, const struct weft_error *error) {
    const struct weft_lockstep_report *report = bare->options.lockstep;
    return error->code == WEFT_INTERNAL ||
           (error->code == WEFT_DIVERGENCE && report != NULL && report->text.bytes != NULL &&
            report->divergence == WEFT_DIVERGENCE_RTL);
}

/* The verifier's reason beside the machine's. */
static bool add_reason(const struct weft_bare *bare, struct weft_error *error) {
    if (bare->is_rejected && error->code == WEFT_FAULT) {
        append(error, "; the verifier: ", bare->rejection.message,
               (int)strlen(bare->rejection.message));
    } else if (bare->is_rejected && is_broken_rtl(bare, error)) {
        const struct weft_error found = *error;
        const char *text =
            found.code == WEFT_DIVERGENCE ? bare->options.lockstep->text.bytes : found.message;
        *error = bare->rejection;
        append(error, "; ", text, (int)strcspn(text, "\n"));
        return weft_fail_context(error, "the verifier rejects it");
    }
    return false;
}

static uint64_t watchdog_of(const struct weft_bare *bare) {
    return bare->options.watchdog == 0 ? bare->run.bound : bare->options.watchdog;
}

bool weft_bare_run(struct weft_bare *bare, struct weft_error *error) {
    struct weft_session_options options = bare->options;
    options.timing_only = options.timing_only || bare->is_rejected;
    struct target_run run = {.instructions = bare->setup.program->instructions,
                             .count = bare->setup.program->count,
                             .regions = weft_bare_regions(&bare->setup),
                             .options = &options,
                             .memory_limit = bare->setup.memory_limit,
                             .watchdog = watchdog_of(bare),
                             .wave = options.wave};
    memcpy(run.bytes, bare->regions, sizeof run.bytes);
    run.given = ((1U << WEFT_REGIONS) - 1) & ~(1U << WEFT_REGION_PROGRAM);
    run.wanted = run.regions.writable;
    bare->reached = false;
    bare->succeeded = false;
    if (!target_start(bare->target, bare->machine, &run, &bare->run, &bare->reached, error)) {
        return add_reason(bare, error);
    }
    if (bare->is_rejected && !bare->options.timing_only) {
        *error = bare->rejection;
        return weft_fail_context(error, "no fault, but the verifier rejects it");
    }
    bare->succeeded = !options.timing_only;
    return true;
}

const struct weft_segment_run *weft_bare_result(const struct weft_bare *bare) {
    return bare->reached ? &bare->run : NULL;
}

bool weft_bare_counters(const struct weft_bare *bare, struct weft_counters *counters,
                        bool *is_counted, struct weft_error *error) {
    const struct weft_run_result *read = &bare->run.result;
    const struct weft_config config = weft_counting(bare->setup.config);
    const struct weft_timing_settings settings = {.regions = weft_bare_regions(&bare->setup),
                                                  .memory = bare->options.memory,
                                                  .watchdog = watchdog_of(bare)};
    struct weft_run_result again;
    *counters = read->counters;
    *is_counted = bare->setup.config->performance_counters != 0;
    if (*is_counted || read->counters.cycles == 0) {
        return true;
    }
    if (!weft_timing_run(&config, bare->setup.program->instructions, bare->setup.program->count,
                         &settings, NULL, &again, error)) {
        return false;
    }
    if (again.counters.cycles == read->counters.cycles && again.fault == read->fault) {
        *counters = again.counters;
        *is_counted = true;
    }
    return true;
}

bool weft_bare_read(const struct weft_bare *bare, enum weft_memory memory, uint8_t *bytes,
                    struct weft_error *error) {
    void *memories[WEFT_MEMORIES] = {NULL};
    if (!bare->succeeded) {
        return weft_fail(error, WEFT_STATE, memory, "no run has left anything in %s",
                         weft_memory_names[memory]);
    }
    memories[memory] = bytes;
    if (!bare->target->read_memories(bare->machine, memories, error)) {
        return false;
    }
    if (memory == WEFT_MEMORY_ACC) {
        target_turn_acc(bytes, weft_memory_bytes(bare->setup.config, memory));
    }
    return true;
}
