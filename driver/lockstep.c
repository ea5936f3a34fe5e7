#include "driver/lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "driver/lockstep_report.h"
#include "driver/rtl_library.h"
#include "isa/footprint.h"
#include "sim/sim.h"

enum {
    LATE_CYCLES = 1000, /* that the RTL may run on, so that a report shows where it ends */
};

/* A run on both sides. */
struct run {
    const struct weft_lockstep *lockstep;
    const struct weft_lockstep_settings *settings;
    struct weft_state *state;
    struct weft_instruction *instructions; /* decoded; owned */
    size_t count;
    uint8_t *regions[WEFT_REGIONS]; /* of the RTL; owned */
    struct events expected;
    struct events found;
    bool is_broken; /* the RTL broke its contract: */
    struct weft_error broken;
    struct weft_lockstep_report *report;
};

/* ---- before the run ---- */

/* Instructions of the program region. One that is not legal gets an opcode that does not exist: the
 * cycle model faults there. */
static bool decode(struct run *run, struct weft_error *error) {
    const uint8_t *bytes = run->state->region[WEFT_REGION_PROGRAM].bytes;
    run->count = run->state->region[WEFT_REGION_PROGRAM].limit / WEFT_INSTRUCTION_BYTES;
    run->instructions = weft_allocate(run->count, sizeof *run->instructions, "a program", error);
    for (size_t i = 0; run->instructions != NULL && i < run->count; i++) {
        struct weft_error illegal;
        if (!weft_decode(bytes + i * WEFT_INSTRUCTION_BYTES, &run->instructions[i], &illegal)) {
            run->instructions[i].opcode = WEFT_FORMATS;
        }
    }
    return run->instructions != NULL;
}

static bool copy_regions(struct run *run, struct weft_error *error) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        size_t limit = (size_t)run->state->region[i].limit;
        run->regions[i] = limit == 0 ? NULL : weft_allocate(limit, 1, "external memory", error);
        if (limit != 0 && run->regions[i] == NULL) {
            return false;
        }
        if (limit != 0) {
            memcpy(run->regions[i], run->state->region[i].bytes, limit);
        }
    }
    return true;
}

static bool check(const struct run *run, struct weft_error *error) {
    const struct weft_rtl_interface *rtl = run->lockstep->rtl;
    const struct weft_config *config = run->state->config;
    if (rtl->fingerprint != weft_config_fingerprint(config)) {
        return weft_fail(error, WEFT_FINGERPRINT, 0,
                         "the RTL is that of configuration %s, not of this %s", rtl->config_name,
                         config->name);
    }
    if (run->settings->wave != NULL && !rtl->has_wave) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "this library of the RTL of %s writes no waveforms", rtl->config_name);
    }
    return weft_rtl_takes_memory(rtl, &run->settings->memory, error);
}

/* Gives the RTL what the state holds. */
static bool prepare_rtl(struct run *run, struct weft_error *error) {
    const struct weft_lockstep *lockstep = run->lockstep;
    if (!run->settings->without_reset && !lockstep->rtl->reset(lockstep->machine, error)) {
        return weft_fail_context(error, "reset of the RTL");
    }
    if (run->settings->timing_only) {
        return true;
    }
    uint8_t *memories[WEFT_MEMORIES];
    weft_state_memories(run->state, memories);
    return lockstep->rtl->write_memories(lockstep->machine, (const void *const *)memories, error);
}

/* ---- the runs ---- */

static bool run_cycle(struct run *run, struct weft_error *error) {
    const struct weft_lockstep_settings *settings = run->settings;
    struct weft_run_result *result = &run->report->expected;
    struct weft_timing_settings timing = {.regions = weft_state_regions(run->state),
                                          .memory = settings->memory,
                                          .watchdog = settings->watchdog};
    run->expected.adds_region = true;
    struct weft_observer observer = events_observer(&run->expected);
    bool good = settings->timing_only
                    ? weft_timing_run(run->state->config, run->instructions, run->count, &timing,
                                      &observer, result, error)
                    : weft_cycle_run(run->state, settings->host, run->instructions, run->count,
                                     &timing, &observer, result, error);
    events_add_end(&run->expected, result);
    return good;
}

static bool run_rtl(struct run *run, struct weft_error *error) {
    const struct weft_lockstep_settings *settings = run->settings;
    struct weft_observer observer = events_observer(&run->found);
    run->found.progress = settings->progress;
    run->found.progress_context = settings->progress_context;
    run->found.last = run->report->expected.counters.cycles;
    struct weft_rtl_run start = {
        .regions = weft_state_regions(run->state),
        .memory = settings->memory,
        .watchdog = settings->watchdog,
        .give_up = run->report->expected.counters.cycles + LATE_CYCLES,
        .observer = &observer,
        .wave = settings->wave,
        .wave_from = settings->wave_from,
        .wave_to = settings->wave_to,
    };
    memcpy(start.bytes, run->regions, sizeof start.bytes);
    if (run->lockstep->rtl->run(run->lockstep->machine, &start, &run->report->found,
                                &run->broken)) {
        events_add_end(&run->found, &run->report->found);
        return true;
    }
    run->report->found = (struct weft_run_result){0};
    run->is_broken = run->broken.code == WEFT_INTERNAL;
    if (!run->is_broken) {
        *error = run->broken;
    }
    return run->is_broken;
}

/* ---- comparing ---- */

/* A start that one side alone reports, as it may: in the cycle of a fault; and the RTL alone one of
 * an instruction that has not finished before the watchdog, whatever ended the run. */
static bool may_be_alone(const struct run *run, const struct event *event, bool on_rtl) {
    const struct weft_run_result *expected = &run->report->expected;
    if (event->kind != WEFT_DIVERGENCE_STARTED || expected->fault == WEFT_FAULT_NONE) {
        return false;
    }
    if (event->cycle == expected->counters.cycles) {
        return true;
    }
    const struct event *finish =
        events_find(&run->expected, WEFT_DIVERGENCE_FINISHED, event->number);
    return on_rtl && run->settings->watchdog != 0 &&
           (finish == NULL || finish->cycle >= run->settings->watchdog);
}

/* Walks both lists, up to the cycle in which the RTL broke its contract. */
static bool same_events(const struct run *run, const struct comparison *comparison) {
    uint64_t end = run->is_broken ? run->broken.position : UINT64_MAX;
    size_t i = 0;
    size_t k = 0;
    while (true) {
        const struct event *expected = i < run->expected.count ? &run->expected.list[i] : NULL;
        const struct event *found = k < run->found.count ? &run->found.list[k] : NULL;
        expected = expected != NULL && expected->cycle < end ? expected : NULL;
        found = found != NULL && found->cycle < end ? found : NULL;
        int order = expected == NULL && found == NULL ? 0
                    : expected == NULL                ? 1
                    : found == NULL                   ? -1
                                                      : event_compare(expected, found);
        if (order > 0 && may_be_alone(run, found, true)) {
            k++;
        } else if (order < 0 && may_be_alone(run, expected, false)) {
            i++;
        } else if (order != 0) {
            report_events(comparison, expected, found);
            return false;
        } else if (expected == NULL) {
            return true;
        } else {
            i++;
            k++;
        }
    }
}

static bool same_memories(struct run *run, const struct comparison *comparison,
                          struct weft_error *error) {
    struct weft_state rtl;
    uint8_t *expected[WEFT_MEMORIES];
    uint8_t *found[WEFT_MEMORIES];
    if (!weft_state_create(run->state->config, &rtl, error)) {
        return false;
    }
    weft_state_memories(run->state, expected);
    weft_state_memories(&rtl, found);
    bool good =
        run->lockstep->rtl->read_memories(run->lockstep->machine, (void *const *)found, error);
    for (unsigned i = 0; good && i < WEFT_MEMORIES; i++) {
        size_t bytes = weft_memory_bytes(run->state->config, (enum weft_memory)i);
        if (!report_bytes(comparison, i, 0, expected[i], found[i], bytes)) {
            break;
        }
    }
    weft_state_free(&rtl);
    return good;
}

static void same_regions(struct run *run, const struct comparison *comparison) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (!report_bytes(comparison, WEFT_EXTERNAL, i, run->state->region[i].bytes,
                          run->regions[i], (size_t)run->state->region[i].limit)) {
            return;
        }
    }
}

/* Compares everything in the order of the report; false only when that could not be done. */
static bool compare(struct run *run, struct weft_error *error) {
    struct weft_lockstep_report *report = run->report;
    struct comparison comparison = {.config = run->state->config,
                                    .instructions = run->instructions,
                                    .count = run->count,
                                    .expected = &run->expected,
                                    .found = &run->found,
                                    .broken = run->is_broken ? run->broken.message : NULL,
                                    .report = report};
    events_sort(&run->expected);
    events_sort(&run->found);
    if (!same_events(run, &comparison)) {
        return true;
    }
    if (run->is_broken) {
        report_broken(&comparison, run->broken.position);
        return true;
    }
    bool data = report->expected.fault == WEFT_FAULT_NONE && !run->settings->timing_only;
    if (!report_counters(&comparison) || !data) {
        return true;
    }
    if (!same_memories(run, &comparison, error)) {
        return false;
    }
    if (report->divergence == WEFT_SAME) {
        same_regions(run, &comparison);
    }
    return true;
}

/* Instructions that dispatch took; where the machine does not count them, all up to the fault,
 * which may be that there is no next one. */
static uint64_t passed(const struct run *run) {
    const struct weft_run_result *result = &run->report->expected;
    if (run->state->config->performance_counters != 0) {
        return result->counters.instructions;
    }
    uint64_t after =
        result->fault == WEFT_FAULT_NONE ? run->count : result->fault_instruction + UINT64_C(1);
    return after < run->count ? after : run->count;
}

static void count_same(const struct run *run) {
    struct weft_lockstep_report *report = run->report;
    report->programs++;
    report->instructions += passed(run);
    report->cycles += report->expected.counters.cycles;
    for (size_t i = 0; i < run->expected.count; i++) {
        report->bursts += run->expected.list[i].kind == WEFT_DIVERGENCE_BURST;
    }
    if (report->expected.fault != WEFT_FAULT_NONE || run->settings->timing_only) {
        return;
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        report->bytes += weft_memory_bytes(run->state->config, (enum weft_memory)i);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        report->bytes += run->state->region[i].limit;
    }
}

static bool run_and_compare(struct run *run, struct weft_error *error) {
    if (!check(run, error) || !decode(run, error) || !copy_regions(run, error) ||
        !prepare_rtl(run, error) || !run_cycle(run, error) || !run_rtl(run, error)) {
        return false;
    }
    if (run->expected.failed || run->found.failed) {
        *error = run->expected.failed ? run->expected.error : run->found.error;
        return false;
    }
    if (!compare(run, error)) {
        return false;
    }
    if (run->report->divergence == WEFT_SAME) {
        count_same(run);
    }
    return weft_text_finish(&run->report->text, error);
}

bool weft_lockstep_run(const struct weft_lockstep *lockstep, struct weft_state *state,
                       const struct weft_lockstep_settings *settings,
                       struct weft_lockstep_report *report, struct weft_error *error) {
    struct run run = {.lockstep = lockstep, .settings = settings, .state = state, .report = report};
    /* Two lists, each twice as long as it must be while it grows. */
    run.expected.most = run.found.most =
        (size_t)weft_memory_limit(settings->memory_limit) / 4 / sizeof(struct event);
    report->divergence = WEFT_SAME;
    report->cycle = 0;
    report->instruction = UINT32_MAX;
    weft_text_free(&report->text);
    bool good = run_and_compare(&run, error);
    events_free(&run.expected);
    events_free(&run.found);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(run.regions[i]);
    }
    free(run.instructions);
    return good;
}

void weft_lockstep_report_free(struct weft_lockstep_report *report) {
    weft_text_free(&report->text);
    *report = (struct weft_lockstep_report){0};
}
