#include "tests/unit/fake_rtl.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim.h"
#include "sim/timing/memory.h"

struct fake_plan fake_plan;
struct weft_rtl_run fake_last_run;
unsigned fake_resets;

static struct weft_config fake_config;

struct weft_rtl_machine {
    struct weft_state state;
};

/* ---- what the observer is told ---- */

/* Stands between the cycle simulator and the observer of a run. */
struct between {
    const struct weft_observer *observer;
    struct weft_instruction *instructions;
    uint64_t burst;                /* number of the next one */
    uint64_t region[WEFT_MASTERS]; /* of the next bursts */
    uint64_t end;                  /* nothing is told from this cycle on */
};

static bool tells(const struct between *between, uint64_t cycle) {
    return between->observer != NULL && cycle < between->end;
}

static uint64_t late(enum fake what, uint32_t number) {
    return fake_plan.what == what && fake_plan.which == number ? 1 : 0;
}

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    const struct between *between = context;
    if (tells(between, cycle)) {
        between->observer->dispatched(between->observer->context, number,
                                      cycle + late(FAKE_LATE_DISPATCH, number));
    }
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct between *between = context;
    const struct weft_observer *observer = between->observer;
    if (instruction->opcode == WEFT_OPCODE_LOAD) {
        between->region[WEFT_MASTER_LOAD] = instruction->load.region;
    } else if (instruction->opcode == WEFT_OPCODE_STORE) {
        between->region[WEFT_MASTER_STORE] = instruction->store.region;
    }
    if (!tells(between, cycle) || late(FAKE_NO_START, number) != 0) {
        return;
    }
    uint32_t told = late(FAKE_UNKNOWN_START, number) != 0 ? 1000000 : number;
    observer->started(observer->context, told, NULL, cycle + late(FAKE_LATE_START, number));
    if (late(FAKE_START_TWICE, number) != 0) {
        observer->started(observer->context, number, NULL, cycle);
    }
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    const struct between *between = context;
    if (tells(between, cycle) && late(FAKE_NO_FINISH, number) == 0) {
        between->observer->finished(between->observer->context, number,
                                    cycle + late(FAKE_LATE_FINISH, number));
    }
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct between *between = context;
    const struct weft_observer *observer = between->observer;
    bool chosen = between->burst++ == fake_plan.which;
    enum fake what = chosen ? fake_plan.what : FAKE_NOTHING;
    if (!tells(between, cycle) || what == FAKE_NO_BURST) {
        return;
    }
    uint64_t region = between->region[master] + (what == FAKE_BURST_REGION ? 1 : 0);
    uint64_t whole = region << WEFT_PORT_REGION_SHIFT | address;
    observer->burst(
        observer->context,
        what == FAKE_BURST_MASTER ? (enum weft_master)((master + 1) % WEFT_MASTERS) : master,
        whole + (what == FAKE_BURST_ADDRESS ? 64 : 0), bytes + (what == FAKE_BURST_BYTES ? 1 : 0),
        cycle + (what == FAKE_LATE_BURST ? 1 : 0), first);
    if (what == FAKE_EXTRA_BURST) {
        observer->burst(observer->context, master, whole, bytes, cycle + 1, first);
    }
}

/* ---- the interface ---- */

static bool create(struct weft_rtl_machine **machine, struct weft_error *error) {
    if (fake_plan.what == FAKE_NO_CREATE) {
        return weft_fail(error, WEFT_INTERNAL, 0, "told to");
    }
    struct weft_rtl_machine *made = weft_allocate(1, sizeof *made, "a fake", error);
    if (made == NULL || !weft_state_create(&fake_config, &made->state, error)) {
        free(made);
        return false;
    }
    *machine = made;
    return true;
}

static void destroy(struct weft_rtl_machine *machine) {
    weft_state_free(&machine->state);
    free(machine);
}

static bool reset(struct weft_rtl_machine *machine, struct weft_error *error) {
    (void)machine;
    fake_resets++;
    return fake_plan.what != FAKE_NO_RESET || weft_fail(error, WEFT_INTERNAL, 0, "told to");
}

static void *memory_of(struct weft_rtl_machine *machine, unsigned memory) {
    void *const memories[WEFT_MEMORIES] = {machine->state.act, machine->state.wgt,
                                           machine->state.acc, machine->state.par,
                                           machine->state.lut};
    return memories[memory];
}

static bool write_memories(struct weft_rtl_machine *machine,
                           const void *const memories[WEFT_MEMORIES], struct weft_error *error) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        memcpy(memory_of(machine, i), memories[i],
               weft_memory_bytes(&fake_config, (enum weft_memory)i));
    }
    return fake_plan.what != FAKE_NO_PRESET || weft_fail(error, WEFT_INTERNAL, 0, "told to");
}

static bool read_memories(struct weft_rtl_machine *machine, void *const memories[WEFT_MEMORIES],
                          struct weft_error *error) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if (memories[i] != NULL) {
            memcpy(memories[i], memory_of(machine, i),
                   weft_memory_bytes(&fake_config, (enum weft_memory)i));
        }
        if (memories[i] != NULL && fake_plan.what == FAKE_MEMORY && fake_plan.which == i) {
            ((uint8_t *)memories[i])[fake_plan.at] ^= 1;
        }
    }
    return fake_plan.what != FAKE_NO_DUMP || weft_fail(error, WEFT_INTERNAL, 0, "told to");
}

static bool decode(const struct weft_rtl_run *run, struct between *between, size_t *count,
                   struct weft_error *error) {
    *count = (size_t)run->regions.limit[WEFT_REGION_PROGRAM] / WEFT_INSTRUCTION_BYTES;
    between->instructions =
        weft_allocate(*count, sizeof *between->instructions, "a program", error);
    for (size_t i = 0; between->instructions != NULL && i < *count; i++) {
        struct weft_error illegal;
        if (!weft_decode(run->bytes[WEFT_REGION_PROGRAM] + i * WEFT_INSTRUCTION_BYTES,
                         &between->instructions[i], &illegal)) {
            between->instructions[i].opcode = 0;
        }
    }
    return between->instructions != NULL;
}

/* What the plan makes of the end of a run. */
static bool end_run(const struct weft_rtl_run *run, const struct between *between,
                    struct weft_run_result *result, struct weft_error *error) {
    uint64_t *counters = (uint64_t *)&result->counters;
    switch (fake_plan.what) {
    case FAKE_EXTRA_START:
        between->observer->started(between->observer->context, (uint32_t)fake_plan.which, NULL,
                                   fake_plan.at);
        return true;
    case FAKE_COUNTER:
        counters[fake_plan.which]++;
        return true;
    case FAKE_FAULT:
        result->fault = (enum weft_fault)fake_plan.which;
        return true;
    case FAKE_FAULT_INSTRUCTION:
        result->fault_instruction++;
        return true;
    case FAKE_REGION:
        run->bytes[fake_plan.which][fake_plan.at] ^= 1;
        return true;
    case FAKE_ASSERTION:
        return weft_fail(error, WEFT_INTERNAL, fake_plan.at, "cycle %u: an assertion",
                         (unsigned)fake_plan.at);
    case FAKE_NO_END:
        return weft_fail(error, WEFT_INTERNAL, run->give_up + 1, "the machine does not end");
    case FAKE_NO_WAVE_FILE:
        return weft_fail(error, WEFT_IO, 0, "told to");
    case FAKE_NO_MEMORY:
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "told to");
    default:
        return true;
    }
}

static bool run_fake(struct weft_rtl_machine *machine, const struct weft_rtl_run *run,
                     struct weft_run_result *result, struct weft_error *error) {
    struct between between = {.observer = run->observer,
                              .end = fake_plan.what == FAKE_ASSERTION ? fake_plan.at : UINT64_MAX};
    struct weft_observer observer = {.context = &between,
                                     .dispatched = dispatched,
                                     .started = started,
                                     .finished = finished,
                                     .burst = burst};
    struct weft_timing_settings settings = {.memory = run->memory, .watchdog = run->watchdog};
    struct weft_run_result found;
    size_t count = 0;
    fake_last_run = *run;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        machine->state.region[i].bytes = run->bytes[i];
        machine->state.region[i].limit = run->regions.limit[i];
    }
    machine->state.writable = run->regions.writable;
    bool good = decode(run, &between, &count, error) &&
                weft_cycle_run(&machine->state, WEFT_HOST_PLAIN, between.instructions, count,
                               &settings, &observer, &found, error) &&
                end_run(run, &between, &found, error);
    free(between.instructions);
    if (good) {
        *result = found;
    }
    return good;
}

const struct weft_rtl_interface *fake_rtl_interface(const struct weft_config *config) {
    static struct weft_rtl_interface interface;
    fake_config = *config;
    interface = (struct weft_rtl_interface){
        .version = WEFT_RTL_VERSION + (fake_plan.what == FAKE_VERSION ? 1 : 0),
        .fingerprint =
            weft_config_fingerprint(config) + (fake_plan.what == FAKE_FINGERPRINT ? 1 : 0),
        .config_name = fake_config.name,
        .has_wave = false,
        .has_dram = true,
        .create = create,
        .destroy = destroy,
        .reset = reset,
        .run = run_fake,
        .write_memories = write_memories,
        .read_memories = read_memories,
    };
    return &interface;
}
