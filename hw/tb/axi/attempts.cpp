#include "hw/tb/axi/attempts.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

extern "C" {
#include "sim/timing/memory.h"
}

using namespace axi;

namespace {

enum {
    POLL_CYCLES = 20,       /* between two looks at STATUS, at most */
    QUIET_CYCLES = 100,     /* after an end, in which nothing may happen */
    STANDING_CYCLES = 300,  /* of a bus that does not move */
    DRAIN_CYCLES = 2000000, /* in which any bus has come to its end */
    RESET_CYCLES = 8,       /* of the bus */
    BASE_BITS = 10,         /* of a region's base that are 0 */
};

uint64_t base_of(unsigned region) {
    return static_cast<uint64_t>(region) << WEFT_PORT_REGION_SHIFT;
}

} // namespace

/* ---- a run ---- */

void attempts::set_registers() {
    enum {
        WATCHDOG = 2 * WEFT_REGIONS,
        WRITABLE,
        COUNT
    };
    unsigned order[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        order[i] = i;
    }
    std::shuffle(order, order + COUNT, machine.numbers);
    for (unsigned i : order) {
        if (i < WEFT_REGIONS) {
            uint64_t ignored = machine.numbers() % (1U << BASE_BITS);
            machine.write(register_region_base + 8 * i, base_of(i) + ignored);
        } else if (i < WATCHDOG) {
            machine.write(register_region_limit + 8 * (i - WEFT_REGIONS),
                          run.regions.limit[i - WEFT_REGIONS]);
        } else if (i == WATCHDOG) {
            machine.write(register_watchdog, run.watchdog);
        } else {
            machine.write(register_region_writable, run.regions.writable);
        }
    }
}

void attempts::check_registers() {
    bool good = machine.read(register_watchdog) == run.watchdog &&
                machine.read(register_region_writable) == run.regions.writable;
    for (unsigned i = 0; i < WEFT_REGIONS && good; i++) {
        good = machine.read(register_region_base + 8 * i) == base_of(i) &&
               machine.read(register_region_limit + 8 * i) == run.regions.limit[i];
    }
    if (!good) {
        fail("a register does not hold what was written");
    }
}

void attempts::start() {
    machine.external.begin();
    machine.write(register_interrupt, 3); /* none pending, enabled */
    machine.write(register_start, 1);
}

status attempts::wait_for_end(bool by_interrupt) {
    while (machine.since_start() <= run.give_up + DRAIN_CYCLES) {
        if (by_interrupt) {
            machine.tick();
            if (machine.interrupt()) {
                return status(machine.read(register_status));
            }
        } else {
            run_cycles(machine.numbers() % POLL_CYCLES);
            status now(machine.read(register_status));
            if (!now.running) {
                return now;
            }
        }
    }
    fail("the machine does not end within %" PRIu64 " cycles", machine.since_start());
}

void attempts::run_cycles(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; i++) {
        machine.tick();
    }
}

void attempts::check_quiet(const char *when) {
    if (!machine.external.is_quiet()) {
        fail("%s, something is still on its way", when);
    }
    for (unsigned i = 0; i < QUIET_CYCLES; i++) {
        machine.tick();
        if (machine.sends()) {
            fail("%s, something happens on the bus", when);
        }
    }
}

weft_run_result attempts::result(const status &end) {
    weft_run_result found{};
    if (end.running || !end.ended || !machine.interrupt()) {
        fail("at the end running is %d, ended %d, the interrupt %d", end.running, end.ended,
             machine.interrupt());
    }
    if (end.code >= WEFT_FAULTS) {
        fail("fault code %" PRIu64, end.code);
    }
    check_quiet("after the end");
    found.fault = static_cast<weft_fault>(end.code);
    found.fault_instruction = end.number;
    for (uint32_t i = 0; i < WEFT_COUNTERS; i++) {
        uint64_t value = machine.read(register_counter + 8 * i);
        memcpy(reinterpret_cast<char *>(&found.counters) + 8 * i, &value, sizeof value);
    }
    machine.write(register_interrupt, 3);
    if (machine.interrupt() || machine.read(register_interrupt) != 2) {
        fail("an interrupt that was cleared is still there");
    }
    return found;
}

weft_run_result attempts::to_the_end(bool by_interrupt) {
    start();
    weft_run_result found = result(wait_for_end(by_interrupt));
    read_beats = machine.external.read_beats;
    responses = machine.external.responses;
    return found;
}

/* ---- something in its way ---- */

/* Anywhere in a run, and a little after it. */
uint64_t attempts::some_cycle(const weft_run_result &clean) {
    return machine.numbers() % (clean.counters.cycles + clean.counters.cycles / 8 + 20);
}

/* Whatever the bus does, the machine forgets the run at once. */
void attempts::abort() {
    happened.aborts++;
    machine.write(register_abort, 1);
    status now(machine.read(register_status));
    if (now.ended || now.code != 0 || now.number != 0 || machine.interrupt() ||
        machine.read(register_interrupt) != 2) {
        fail("after an abort there is an end, code %" PRIu64 ", number %u, interrupt %d", now.code,
             now.number, machine.interrupt());
    }
    if (machine.read(register_counter + 8 * WEFT_COUNTER_INDEX_cycles) != 0) {
        fail("after an abort there are cycles");
    }
}

void attempts::wait_until_quiet() {
    uint64_t from = machine.cycle();
    happened.busy_aborts += machine.external.is_quiet() ? 0 : 1;
    while (status(machine.read(register_status)).running) {
        if (machine.cycle() - from > DRAIN_CYCLES) {
            fail("the bus stays busy after an abort");
        }
    }
    if (machine.read(register_status) != 0 || machine.interrupt()) {
        fail("an abort ends with status 0x%" PRIx64, machine.read(register_status));
    }
    check_quiet("after an abort");
    check_registers();
}

void attempts::aborted(const weft_run_result &clean) {
    start();
    run_cycles(some_cycle(clean));
    abort();
    wait_until_quiet();
}

/* Registers answer, and what must wait for the bus is ignored. */
void attempts::check_standing_bus() {
    run_cycles(STANDING_CYCLES);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        machine.read(register_counter + 8 * i);
    }
    if (!status(machine.read(register_status)).running) {
        return;
    }
    happened.standing++;
    machine.write(register_start, 1);
    machine.write(register_region_base, base_of(1));
    machine.write(register_watchdog, 1);
    check_registers();
    run_cycles(STANDING_CYCLES);
}

void attempts::aborted_on_standing_bus(const weft_run_result &clean) {
    start();
    machine.external.stops_at = machine.cycle() + some_cycle(clean);
    run_cycles(some_cycle(clean));
    if (machine.numbers() % 2 == 0) {
        run_cycles(STANDING_CYCLES);
    }
    abort();
    /* It stands from here on at the latest: where it moved, it could get quiet between the look at
     * it and a START, which would be taken. */
    machine.external.stops_at = std::min(machine.external.stops_at, machine.cycle());
    check_standing_bus();
    if (machine.numbers() % 2 == 0) {
        machine.reset_bus(RESET_CYCLES);
    }
    machine.external.stops_at = UINT64_MAX;
    wait_until_quiet();
}

/* The bus alone is reset in the middle of a run: fault BUS, unless the run had ended. */
void attempts::bus_is_reset(const weft_run_result &clean) {
    start();
    uint64_t cycle = some_cycle(clean);
    machine.external.stops_at = machine.cycle() + cycle;
    run_cycles(cycle + machine.numbers() % STANDING_CYCLES);
    bool on = status(machine.read(register_status)).running;
    happened.bus_resets += on ? 1 : 0;
    machine.reset_bus(RESET_CYCLES);
    machine.external.stops_at = UINT64_MAX;
    weft_run_result found = result(wait_for_end(true));
    if (found.fault != (on ? WEFT_FAULT_BUS : WEFT_FAULT_NONE)) {
        fail("fault %d after a reset of the bus", found.fault);
    }
}

void attempts::machine_is_reset(const weft_run_result &clean) {
    start();
    run_cycles(some_cycle(clean));
    happened.resets++;
    machine.reset();
    if (machine.read(register_status) != 0 || machine.read(register_interrupt) != 0 ||
        machine.read(register_region_limit) != 0) {
        fail("after a reset registers are not 0");
    }
    set_registers();
}

/* An error on R counts while the machine runs; one on B always. */
void attempts::error_on_the_bus() {
    bool of_write = responses != 0 && machine.numbers() % 2 == 0;
    machine.external.begin();
    if (of_write) {
        machine.external.write_error = machine.numbers() % responses;
    } else {
        machine.external.read_error = machine.numbers() % read_beats;
    }
    machine.write(register_interrupt, 3);
    machine.write(register_start, 1);
    weft_run_result found = result(wait_for_end(machine.numbers() % 2 == 0));
    uint64_t last = machine.started_at() + found.counters.cycles;
    uint64_t error = machine.external.error_at;
    happened.errors += found.fault == WEFT_FAULT_BUS ? 1 : 0;
    happened.late_errors += found.fault == WEFT_FAULT_BUS && error > last ? 1 : 0;
    bool must = error != UINT64_MAX && (of_write || error + 2 < last);
    bool may = error != UINT64_MAX && (of_write || error <= last);
    if ((must && found.fault != WEFT_FAULT_BUS) || (!may && found.fault != WEFT_FAULT_NONE)) {
        fail("fault %d; an error on %s in cycle %" PRIu64 ", the run ended in %" PRIu64,
             found.fault, of_write ? "B" : "R", error, last);
    }
    machine.external.begin();
}

void attempts::watchdog(const weft_run_result &clean) {
    uint64_t limit = 1 + machine.numbers() % clean.counters.cycles;
    machine.write(register_watchdog, limit);
    start();
    weft_run_result found = result(wait_for_end(machine.numbers() % 2 == 0));
    happened.watchdogs += found.fault == WEFT_FAULT_WATCHDOG ? 1 : 0;
    bool ended = found.counters.cycles < limit ||
                 (found.counters.cycles == limit && found.fault == WEFT_FAULT_NONE);
    if (found.fault != (ended ? WEFT_FAULT_NONE : WEFT_FAULT_WATCHDOG) ||
        found.counters.cycles > limit) {
        fail("fault %d in cycle %" PRIu64 " with watchdog %" PRIu64, found.fault,
             found.counters.cycles, limit);
    }
    machine.write(register_watchdog, run.watchdog);
}

void attempts::disturbed(const weft_run_result &clean) {
    switch (machine.numbers() % 8) {
    case 0:
    case 1:
        return aborted(clean);
    case 2:
    case 3:
        return aborted_on_standing_bus(clean);
    case 4:
        return bus_is_reset(clean);
    case 5:
        return machine_is_reset(clean);
    case 6:
        return error_on_the_bus();
    default:
        return watchdog(clean);
    }
}
