/* The targets rtl, and lockstep, which runs cycle and rtl and compares them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/rtl_library.h"
#include "driver/target.h"

enum {
    LATE_CYCLES = 100000, /* that a run may take longer than on the cycle model: no hang yet */
};

struct machine {
    struct weft_config config;
    struct weft_rtl_library library;
    struct weft_rtl_machine *rtl;
    struct weft_state state; /* lockstep: of the cycle simulator */
    bool fresh;              /* in reset, or the last run ended with HALT */
};

/* ---- opening ---- */

static void rtl_close(void *machine) {
    struct machine *made = machine;
    if (made->rtl != NULL) {
        made->library.interface->destroy(made->rtl);
    }
    weft_rtl_unload(&made->library);
    weft_state_free(&made->state);
    free(made);
}

static bool open_both(struct machine *made, const struct weft_session_options *options,
                      bool lockstep, struct weft_error *error) {
    if (!weft_rtl_load(&made->config, options->wave != NULL, &made->library, error)) {
        return false;
    }
    if (!made->library.interface->create(&made->rtl, error)) {
        return weft_fail_context(error, "the RTL of %s", made->config.name);
    }
    made->fresh = true;
    return !lockstep || weft_state_create(&made->config, &made->state, error);
}

static bool open_machine(const struct weft_config *config,
                         const struct weft_session_options *options, bool lockstep, void **machine,
                         struct weft_error *error) {
    struct machine *made = weft_allocate(1, sizeof *made, "a machine", error);
    if (made == NULL) {
        return false;
    }
    made->config = *config;
    if (!open_both(made, options, lockstep, error)) {
        rtl_close(made);
        return false;
    }
    *machine = made;
    return true;
}

static bool rtl_open(const struct weft_config *config, const struct weft_session_options *options,
                     void **machine, struct weft_error *error) {
    return open_machine(config, options, false, machine, error);
}

static bool lockstep_open(const struct weft_config *config,
                          const struct weft_session_options *options, void **machine,
                          struct weft_error *error) {
    if (options->lockstep == NULL) {
        return weft_fail(error, WEFT_TARGET, 0, "target lockstep needs a place for its report");
    }
    return open_machine(config, options, true, machine, error);
}

/* ---- rtl ---- */

/* Between the RTL and the session's observer: numbers of instructions are not trusted. */
struct guard {
    const struct target_run *run;
    const struct weft_observer *observer;
    uint64_t last; /* cycle, as the cycle model says */
    bool failed;
    uint32_t number;
};

static bool known(struct guard *guard, uint32_t number) {
    if (number >= guard->run->count && !guard->failed) {
        guard->failed = true;
        guard->number = number;
    }
    return number < guard->run->count;
}

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct guard *guard = context;
    const struct weft_observer *observer = guard->observer;
    if (known(guard, number) && observer->dispatched != NULL) {
        observer->dispatched(observer->context, number, cycle);
    }
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct guard *guard = context;
    const struct weft_observer *observer = guard->observer;
    (void)instruction;
    if (known(guard, number) && observer->started != NULL) {
        observer->started(observer->context, number, &guard->run->instructions[number], cycle);
    }
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct guard *guard = context;
    const struct weft_observer *observer = guard->observer;
    const struct weft_session_options *options = guard->run->options;
    if (known(guard, number) && observer->finished != NULL) {
        observer->finished(observer->context, number, cycle);
    }
    if (options->progress != NULL) {
        options->progress(options->progress_context, cycle, guard->last);
    }
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    const struct guard *guard = context;
    const struct weft_observer *observer = guard->observer;
    if (observer->burst != NULL) {
        observer->burst(observer->context, master, address, bytes, cycle, first);
    }
}

/* The cycle in which the run ends, so that one that does not is given up: the cycle model knows. */
static bool find_end(const struct machine *machine, const struct target_run *run, uint64_t *last,
                     struct weft_error *error) {
    struct weft_timing_settings settings = {
        .regions = run->regions, .memory = run->options->memory, .watchdog = run->watchdog};
    struct weft_run_result result;
    if (!weft_timing_run(&machine->config, run->instructions, run->count, &settings, NULL, &result,
                         error)) {
        return false;
    }
    *last = result.counters.cycles;
    return true;
}

static bool rtl_run(void *machine, const struct target_run *run, struct weft_run_result *result,
                    struct weft_error *error) {
    struct machine *made = machine;
    const struct weft_rtl_interface *rtl = made->library.interface;
    static const struct weft_observer silent = {0};
    struct guard guard = {.run = run, .observer = run->observer == NULL ? &silent : run->observer};
    struct weft_observer observer = {.context = &guard,
                                     .dispatched = dispatched,
                                     .started = started,
                                     .finished = finished,
                                     .burst = burst};
    struct weft_rtl_run start = {.regions = run->regions,
                                 .memory = run->options->memory,
                                 .watchdog = run->watchdog,
                                 .observer = &observer,
                                 .wave = run->wave,
                                 .wave_from = run->options->wave_from,
                                 .wave_to = run->options->wave_to};
    memcpy(start.bytes, run->bytes, sizeof start.bytes);
    if (!weft_rtl_takes_memory(rtl, &start.memory, error) ||
        !find_end(made, run, &guard.last, error) ||
        (!made->fresh && !rtl->reset(made->rtl, error))) {
        return false;
    }
    start.give_up = guard.last + LATE_CYCLES;
    made->fresh = false;
    if (!rtl->run(made->rtl, &start, result, error)) {
        return weft_fail_context(error, "the RTL");
    }
    if (guard.failed) {
        return weft_fail(error, WEFT_INTERNAL, guard.number,
                         "the RTL: instruction %" PRIu32 " on the trace port, the program has %zu",
                         guard.number, run->count);
    }
    made->fresh = result->fault == WEFT_FAULT_NONE;
    return true;
}

/* ---- lockstep ---- */

static bool lockstep_run(void *machine, const struct target_run *run,
                         struct weft_run_result *result, struct weft_error *error) {
    struct machine *made = machine;
    const struct weft_session_options *options = run->options;
    struct weft_lockstep lockstep = {made->library.interface, made->rtl};
    struct weft_lockstep_settings settings = {.host = options->host,
                                              .memory_limit = run->memory_limit,
                                              .memory = options->memory,
                                              .watchdog = run->watchdog,
                                              .timing_only = options->timing_only,
                                              .without_reset = made->fresh,
                                              .progress = options->progress,
                                              .progress_context = options->progress_context,
                                              .wave = run->wave,
                                              .wave_from = options->wave_from,
                                              .wave_to = options->wave_to};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        made->state.region[i].bytes = run->bytes[i];
        made->state.region[i].limit = run->regions.limit[i];
    }
    made->state.writable = run->regions.writable;
    made->fresh = false;
    if (!weft_lockstep_run(&lockstep, &made->state, &settings, options->lockstep, error)) {
        return false;
    }
    *result = options->lockstep->expected;
    if (options->lockstep->divergence != WEFT_SAME) {
        return weft_fail(error, WEFT_DIVERGENCE, options->lockstep->cycle,
                         "cycle simulator and RTL differ from cycle %" PRIu64 " on (%s)",
                         options->lockstep->cycle,
                         weft_divergence_names[options->lockstep->divergence]);
    }
    made->fresh = result->fault == WEFT_FAULT_NONE;
    return true;
}

/* ---- memories ---- */

static bool rtl_read(void *machine, void *const memories[WEFT_MEMORIES], struct weft_error *error) {
    const struct machine *made = machine;
    return made->library.interface->read_memories(made->rtl, memories, error) ||
           weft_fail_context(error, "the RTL");
}

static bool lockstep_read(void *machine, void *const memories[WEFT_MEMORIES],
                          struct weft_error *error) {
    const struct machine *made = machine;
    (void)error;
    state_read(&made->state, memories);
    return true;
}

const struct target target_rtl = {.name = "rtl",
                                  .has_time = true,
                                  .has_wave = true,
                                  .open = rtl_open,
                                  .run = rtl_run,
                                  .read_memories = rtl_read,
                                  .close = rtl_close};
const struct target target_lockstep = {.name = "lockstep",
                                       .has_time = true,
                                       .has_wave = true,
                                       .open = lockstep_open,
                                       .run = lockstep_run,
                                       .read_memories = lockstep_read,
                                       .close = rtl_close};
