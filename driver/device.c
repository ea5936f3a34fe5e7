#include "driver/device.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"
#include "driver/device_program.h"
#include "driver/targets.h"
#include "sim/timing/bound.h"

enum {
    REGION_ALIGNMENT = 1024, /* bytes; of the bases */
    SLACK = 64,              /* bytes after a region that kernels may read, too */
};

/* Private memory that stays from run to run. */
struct memory {
    void *bytes; /* owned */
    size_t capacity;
};

/* The bytes of a region that a run reaches, in private memory. */
struct reached {
    struct memory now;    /* as the run leaves them */
    struct memory before; /* as they were on the bus */
    uint64_t count;
    bool is_written;
};

struct weft_device {
    struct weft_config config;
    struct weft_device_bus bus;
    struct weft_device_settings settings;
    const struct target *target;
    void *machine;
    struct device_programs programs;
    uint64_t now; /* of the latest call */
    /* Registers. */
    bool running;
    bool ended;
    bool pending;
    bool enabled;
    uint64_t watchdog;
    uint64_t base[WEFT_REGIONS];
    struct weft_regions regions;
    struct weft_run_result result; /* of the last run; its counters are registers */
    /* While running: */
    uint64_t start;
    uint64_t end;
    struct weft_run_result outcome; /* `result` from `end` on */
    uint32_t passed;                /* instructions, with HALT, when it ends without a fault */
    struct reached reached[WEFT_REGIONS];
};

struct weft_device_settings weft_device_defaults(void) {
    return (struct weft_device_settings){.host = weft_host_best()};
}

/* ---- opening ---- */

static struct weft_session_options options_of(const struct weft_device *device) {
    return (struct weft_session_options){.host = device->settings.host,
                                         .memory = device->settings.memory};
}

static bool open_target(struct weft_device *device, const char *name, struct weft_error *error) {
    const struct weft_session_options options = options_of(device);
    device->target = target_find(name, error);
    if (device->target == NULL || !target_check(device->target, &options, error)) {
        return false;
    }
    if (!device->target->has_time) {
        return weft_fail(error, WEFT_TARGET, 0,
                         "target %s knows no time: a device needs cycle or rtl", name);
    }
    return device->target->open(&device->config, &options, &device->machine, error);
}

bool weft_device_open(const char *target, const struct weft_config *config,
                      const struct weft_device_bus *bus,
                      const struct weft_device_settings *settings, struct weft_device **device,
                      struct weft_error *error) {
    struct weft_device *made = weft_allocate(1, sizeof *made, "a device", error);
    if (made == NULL) {
        return false;
    }
    made->config = *config;
    made->bus = *bus;
    made->settings = settings == NULL ? weft_device_defaults() : *settings;
    if (!open_target(made, target, error)) {
        free(made);
        return false;
    }
    *device = made;
    return true;
}

void weft_device_close(struct weft_device *device) {
    if (device != NULL) {
        for (unsigned i = 0; i < WEFT_REGIONS; i++) {
            free(device->reached[i].now.bytes);
            free(device->reached[i].before.bytes);
        }
        device_programs_free(&device->programs);
        device->target->close(device->machine);
        free(device);
    }
}

/* ---- the end of a run ---- */

/* Writes what has changed of a region, and nothing else. */
static bool write_changes(const struct weft_device *device, unsigned region) {
    const struct reached *reached = &device->reached[region];
    const uint8_t *bytes = reached->now.bytes;
    const uint8_t *before = reached->before.bytes;
    bool good = true;
    uint64_t i = 0;
    while (reached->is_written && i < reached->count) {
        uint64_t first = i;
        while (i < reached->count && bytes[i] != before[i]) {
            i++;
        }
        if (i > first) {
            good = device->bus.write(device->bus.context, device->base[region] + first,
                                     bytes + first, (size_t)(i - first)) &&
                   good;
        } else {
            i++;
        }
    }
    return good;
}

static void finish(struct weft_device *device) {
    bool good = true;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        good = write_changes(device, i) && good;
    }
    device->result = device->outcome;
    if (!good && device->result.fault == WEFT_FAULT_NONE) {
        device->result.fault = WEFT_FAULT_BUS;
        device->result.fault_instruction = device->passed;
    }
    device->running = false;
    device->ended = true;
    device->pending = true;
}

static void advance(struct weft_device *device, uint64_t now) {
    device->now = now > device->now ? now : device->now;
    if (device->running && device->now >= device->end) {
        finish(device);
    }
}

/* ---- a run ---- */

/* Room for what is reached of a region, and its bytes from the bus; *refused is set where that
 * answers with an error. */
static bool read_region(struct weft_device *device, unsigned region, uint64_t count, bool *refused,
                        struct weft_error *error) {
    struct reached *reached = &device->reached[region];
    const uint64_t base = device->base[region];
    if (!weft_reserve(&reached->now.bytes, &reached->now.capacity, (size_t)count + SLACK, 1,
                      "a region", error)) {
        return false;
    }
    reached->count = count;
    memset((uint8_t *)reached->now.bytes + count, 0, SLACK);
    if (count > 0) {
        *refused = count - 1 > UINT64_MAX - base ||
                   !device->bus.read(device->bus.context, base, reached->now.bytes, (size_t)count);
    }
    return true;
}

/* A run that the bus ends before anything has happened. */
static void refuse_run(struct weft_device *device) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        device->reached[i].is_written = false;
    }
    uint64_t latency = device->settings.memory.latency;
    device->outcome = (struct weft_run_result){.fault = WEFT_FAULT_BUS};
    device->outcome.counters.cycles = latency == 0 ? device->config.memory_latency : latency;
}

static bool check_memory(const struct weft_device *device, uint64_t bytes,
                         struct weft_error *error) {
    uint64_t limit = weft_memory_limit(device->settings.memory_limit);
    return bytes <= limit || weft_limit_passed(error, "a run of the device", bytes, limit);
}

/* The program region: whole instructions. */
static bool read_program(struct weft_device *device, bool *refused, struct weft_error *error) {
    uint64_t count = device->regions.limit[WEFT_REGION_PROGRAM] / WEFT_INSTRUCTION_BYTES;
    uint64_t each = 2 * WEFT_INSTRUCTION_BYTES + sizeof(struct weft_instruction);
    return check_memory(device, weft_mul_saturated(count, each), error) &&
           read_region(device, WEFT_REGION_PROGRAM, count * WEFT_INSTRUCTION_BYTES, refused, error);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* All that the program reaches, as it is now. */
static bool read_regions(struct weft_device *device, const struct device_program *program,
                         bool *refused, struct weft_error *error) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t bytes = larger(program->read_bytes[i], program->written_bytes[i]);
        sum = weft_add_saturated(sum, weft_mul_saturated(2, bytes));
    }
    if (!check_memory(device, sum, error)) {
        return false;
    }
    for (unsigned i = WEFT_REGION_PROGRAM + 1; i < WEFT_REGIONS && !*refused; i++) {
        uint64_t bytes = larger(program->read_bytes[i], program->written_bytes[i]);
        if (!read_region(device, i, bytes, refused, error)) {
            return false;
        }
    }
    return true;
}

/* Keeps what can be written, to find what changes. */
static bool keep_regions(struct weft_device *device, const struct device_program *program,
                         struct weft_error *error) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        struct reached *reached = &device->reached[i];
        reached->is_written =
            program->written_bytes[i] > 0 && weft_region_is_writable(&device->regions, i);
        if (!reached->is_written) {
            continue;
        }
        if (!weft_reserve(&reached->before.bytes, &reached->before.capacity, (size_t)reached->count,
                          1, "a region", error)) {
            return false;
        }
        memcpy(reached->before.bytes, reached->now.bytes, (size_t)reached->count);
    }
    return true;
}

/* The cycle in which the target gives up: the watchdog, or the limit of this device. */
static bool choose_watchdog(const struct weft_device *device, const struct device_program *program,
                            uint64_t *watchdog, struct weft_error *error) {
    uint64_t limit =
        device->settings.cycle_limit == 0 ? WEFT_CYCLE_LIMIT : device->settings.cycle_limit;
    const struct weft_timing_settings settings = {
        .memory = device->settings.memory,
    };
    *watchdog = device->watchdog;
    if (device->watchdog != 0 && device->watchdog <= limit) {
        return true;
    }
    if (program->is_rejected) { /* there is no bound */
        *watchdog = limit;
        return true;
    }
    uint64_t bound =
        weft_bound(&device->config, &settings, program->instructions, program->proved_count);
    return bound <= limit ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "the program may take %" PRIu64 " cycles, the device allows %" PRIu64, bound,
                     limit);
}

/* What the verifier rejects runs for its fault alone, as in driver/bare.h. */
static bool check_outcome(const struct weft_device *device, const struct device_program *program,
                          uint64_t watchdog, struct weft_error *error) {
    const struct weft_run_result *outcome = &device->outcome;
    if (!program->is_rejected) {
        return true;
    }
    if (outcome->fault == WEFT_FAULT_WATCHDOG && watchdog != device->watchdog) {
        return weft_fail(error, WEFT_LIMIT, outcome->fault_instruction,
                         "the program does not end within %" PRIu64
                         " cycles, which the device allows",
                         watchdog);
    }
    if (outcome->fault == WEFT_FAULT_NONE) {
        *error = program->rejection;
        return weft_fail_context(error, "no fault, but the verifier rejects the program");
    }
    return true;
}

static bool run_program(struct weft_device *device, const struct device_program *program,
                        struct weft_error *error) {
    struct weft_session_options options = options_of(device);
    struct target_run run = {.instructions = program->instructions,
                             .count = program->count,
                             .regions = device->regions,
                             .options = &options,
                             .memory_limit = device->settings.memory_limit};
    options.timing_only = program->is_rejected;
    device->passed = (uint32_t)program->proved_count;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        run.bytes[i] = device->reached[i].now.bytes;
    }
    return choose_watchdog(device, program, &run.watchdog, error) &&
           device->target->run(device->machine, &run, &device->outcome, error) &&
           check_outcome(device, program, run.watchdog, error);
}

/* Reads, runs, and leaves the results in private memory. */
static bool carry_out(struct weft_device *device, struct weft_error *error) {
    struct reached *code = &device->reached[WEFT_REGION_PROGRAM];
    bool refused = false;
    if (!read_program(device, &refused, error)) {
        return false;
    }
    if (!refused) {
        const struct device_program *program =
            device_programs_get(&device->programs, &device->config, code->now.bytes,
                                (size_t)code->count, &device->regions, error);
        if (program == NULL || !read_regions(device, program, &refused, error)) {
            return false;
        }
        if (!refused) {
            return keep_regions(device, program, error) && run_program(device, program, error);
        }
    }
    refuse_run(device);
    return true;
}

static bool start_run(struct weft_device *device, struct weft_error *error) {
    if (!carry_out(device, error)) {
        return false;
    }
    device->running = true;
    device->ended = false;
    device->result = (struct weft_run_result){0};
    device->start = device->now;
    device->end = weft_add_saturated(device->now, device->outcome.counters.cycles);
    return true;
}

static void abort_run(struct weft_device *device) {
    device->running = false;
    device->ended = false;
    device->pending = false;
    device->result = (struct weft_run_result){0};
}

/* ---- registers ---- */

static uint64_t status_of(const struct weft_device *device) {
    const struct weft_run_result *result = &device->result;
    return (device->running ? WEFT_STATUS_RUNNING : 0U) | (device->ended ? WEFT_STATUS_ENDED : 0U) |
           (uint64_t)result->fault << WEFT_STATUS_FAULT_SHIFT |
           (uint64_t)result->fault_instruction << 32;
}

static uint64_t counter_of(const struct weft_device *device, unsigned index) {
    if (index == WEFT_COUNTER_INDEX_cycles && device->running) {
        return device->now - device->start;
    }
    return index < WEFT_COUNTERS ? weft_counter_get(&device->result.counters, index) : 0;
}

/* The number of the register in a row of them; false: it is not in this row. */
static bool in_row(uint32_t offset, enum weft_register first, unsigned count, unsigned *index) {
    *index = (offset - (uint32_t)first) / sizeof(uint64_t);
    return offset >= (uint32_t)first && *index < count;
}

static uint64_t read_register(const struct weft_device *device, uint32_t offset) {
    unsigned index = 0;
    switch (offset) {
    case WEFT_REGISTER_identity:
        return WEFT_REGISTER_MAGIC | (uint64_t)WEFT_REGISTER_MAP_VERSION << 32;
    case WEFT_REGISTER_configuration:
        return weft_config_fingerprint(&device->config);
    case WEFT_REGISTER_status:
        return status_of(device);
    case WEFT_REGISTER_interrupt:
        return (device->pending ? WEFT_INTERRUPT_PENDING : 0U) |
               (device->enabled ? WEFT_INTERRUPT_ENABLED : 0U);
    case WEFT_REGISTER_watchdog:
        return device->watchdog;
    case WEFT_REGISTER_region_writable:
        return device->regions.writable;
    default:
        break;
    }
    if (in_row(offset, WEFT_REGISTER_region_base, WEFT_REGIONS, &index)) {
        return device->base[index];
    }
    if (in_row(offset, WEFT_REGISTER_region_limit, WEFT_REGIONS, &index)) {
        return device->regions.limit[index];
    }
    return in_row(offset, WEFT_REGISTER_counter, WEFT_COUNTERS, &index) ? counter_of(device, index)
                                                                        : 0;
}

static bool is_upper(uint32_t offset) {
    return (offset & 4) != 0;
}

uint32_t weft_device_read32(struct weft_device *device, uint32_t offset, uint64_t now) {
    advance(device, now);
    if (offset % 4 != 0) {
        return 0;
    }
    uint64_t value = read_register(device, offset & ~4U);
    return (uint32_t)(is_upper(offset) ? value >> 32 : value);
}

static void write_half(uint64_t *value, uint32_t offset, uint32_t half) {
    *value = is_upper(offset) ? (*value & UINT32_MAX) | (uint64_t)half << 32
                              : (*value & ~(uint64_t)UINT32_MAX) | half;
}

/* What can be written at any time; false: it is not one of these. */
static bool write_control(struct weft_device *device, uint32_t offset, uint32_t value) {
    if (offset == WEFT_REGISTER_interrupt) {
        device->enabled = (value & WEFT_INTERRUPT_ENABLED) != 0;
        device->pending = device->pending && (value & WEFT_INTERRUPT_PENDING) == 0;
        return true;
    }
    if (offset == WEFT_REGISTER_abort && (value & WEFT_ABORT_RUN) != 0) {
        abort_run(device);
        return true;
    }
    return false;
}

static void write_setting(struct weft_device *device, uint32_t offset, uint32_t value) {
    unsigned index = 0;
    uint32_t base = offset & ~4U;
    if (base == WEFT_REGISTER_watchdog) {
        write_half(&device->watchdog, offset, value);
    } else if (offset == WEFT_REGISTER_region_writable) {
        device->regions.writable = value & ((1U << WEFT_REGIONS) - 1);
    } else if (in_row(base, WEFT_REGISTER_region_base, WEFT_REGIONS, &index)) {
        write_half(&device->base[index], offset, value);
        device->base[index] &= ~(uint64_t)(REGION_ALIGNMENT - 1);
    } else if (in_row(base, WEFT_REGISTER_region_limit, WEFT_REGIONS, &index)) {
        write_half(&device->regions.limit[index], offset, value);
    }
}

bool weft_device_write32(struct weft_device *device, uint32_t offset, uint32_t value, uint64_t now,
                         struct weft_error *error) {
    advance(device, now);
    if (offset % 4 != 0 || write_control(device, offset, value) || device->running) {
        return true;
    }
    if (offset == WEFT_REGISTER_start) {
        return (value & WEFT_START_RUN) == 0 || start_run(device, error);
    }
    write_setting(device, offset, value);
    return true;
}

uint64_t weft_device_next_event(const struct weft_device *device) {
    return device->running ? device->end : UINT64_MAX;
}

bool weft_device_interrupt(struct weft_device *device, uint64_t now) {
    advance(device, now);
    return device->pending && device->enabled;
}
