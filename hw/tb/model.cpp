/* The RTL of one configuration behind driver/rtl_model.h: weft_bench.sv as Verilator translates it,
 * driven by clock.cpp; what it calls is in calls.cpp. */
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>

extern "C" {
#include "sim/timing/duration.h"
}
#include "Vweft_bench__Syms.h"
#include "hw/tb/machine.h"
#include "weft_rtl_config.h"

using namespace rtl;

namespace {

enum {
    RESET_CYCLES = 4,
    GIVE_UP_CYCLES = 1000,   /* after the machine's own watchdog */
    RESERVE_BYTES = 1 << 18, /* beside the translated RTL itself, several times what it allocates */
};

/* ---- the calls of the interface ---- */

void destroy(weft_rtl_machine *machine) {
    weft_reserve reserve = machine->reserve;
    weft_reserve *before = weft_reserve_use(&reserve);
    machine->bench.reset();
    machine->context.reset();
    delete machine;
    weft_reserve_use(before);
    weft_reserve_close(&reserve);
}

void reset_now(weft_rtl_machine *machine) {
    static uint8_t *const regions[WEFT_REGIONS] = {};
    static const uint64_t limits[WEFT_REGIONS] = {};
    static const weft_memory_settings unset = {};
    weft_port_open(&machine->port, &rtl_config, regions, limits, &unset);
    machine->now = phase::idle;
    machine->observer = weft_observer{};
    machine->bench->reset = 1;
    for (int i = 0; i < RESET_CYCLES; i++) {
        tick(machine);
    }
    machine->bench->reset = 0;
    machine->bench->eval();
}

bool reset(weft_rtl_machine *machine, weft_error *error) {
    return guarded(machine, error, [=] { reset_now(machine); });
}

void check_identity(weft_rtl_machine *machine) {
    uint64_t identity = read_register(machine, register_identity);
    uint64_t configuration = read_register(machine, register_configuration);
    char name[4];
    memcpy(name, &identity, sizeof name);
    if (memcmp(name, "WEFT", sizeof name) != 0 || identity >> 32 != WEFT_REGISTER_MAP_VERSION) {
        fail(machine,
             "register IDENTITY holds 0x%" PRIx64
             ", expected \"WEFT\" in its first bytes and %d after them",
             identity, WEFT_REGISTER_MAP_VERSION);
    } else if (configuration != rtl_fingerprint) {
        fail(machine, "register CONFIGURATION holds 0x%" PRIx64 ", expected 0x%" PRIx64,
             configuration, rtl_fingerprint);
    }
}

bool create(weft_rtl_machine **machine, weft_error *error) {
    weft_reserve reserve{};
    void *memory = malloc(sizeof(weft_rtl_machine));
    if (memory == nullptr ||
        !weft_reserve_open(&reserve, sizeof(Vweft_bench__Syms) + RESERVE_BYTES)) {
        free(memory);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
    }
    auto *raw = new (memory) weft_rtl_machine;
    raw->reserve = reserve;
    bool good = guarded(raw, error, [raw] {
        raw->context = std::make_unique<VerilatedContext>();
        Verilated::threadContextp(raw->context.get());
        raw->context->threads(1); /* the caller's: no others are made */
        raw->context->traceEverOn(true);
        raw->bench = std::make_unique<Vweft_bench>(raw->context.get(), "bench");
        raw->bench->model = reinterpret_cast<uintptr_t>(raw);
        raw->bench->eval();
        prepare_clock(raw);
        reset_now(raw);
        check_identity(raw);
    });
    if (!good) {
        destroy(raw);
        return false;
    }
    *machine = raw;
    return true;
}

/* ---- a run ---- */

bool check_run(const weft_rtl_run *run, weft_error *error) {
    if (run->watchdog == 0 && run->give_up == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "a run of the RTL needs an end: no watchdog");
    }
#ifndef WEFT_RTL_WAVE
    if (run->wave != nullptr) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "this library of the RTL writes no waveforms");
    }
#endif
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (run->regions.limit[i] >> WEFT_PORT_REGION_SHIFT != 0) {
            return weft_fail(error, WEFT_ARGUMENT, i, "region %u has more than 2^40 bytes", i);
        }
    }
    return true;
}

#ifdef WEFT_RTL_WAVE
void open_wave(weft_rtl_machine *machine, const weft_rtl_run *run) {
    if (run->wave == nullptr) {
        return;
    }
    machine->wave = std::make_unique<VerilatedFstC>();
    machine->bench->trace(machine->wave.get(), 99);
    machine->wave->open(run->wave);
    machine->wave_from = run->wave_from;
    machine->wave_to = run->wave_to;
    if (!machine->wave->isOpen()) {
        machine->failed = true;
        weft_error_set(&machine->error, WEFT_IO, 0, "waveform file %.200s cannot be written",
                       run->wave);
    }
}

void close_wave(weft_rtl_machine *machine) {
    if (machine->wave != nullptr) {
        machine->wave->close();
        machine->wave.reset();
    }
}
#else
void open_wave(weft_rtl_machine *, const weft_rtl_run *) {
}

void close_wave(weft_rtl_machine *) {
}
#endif

void set_registers(weft_rtl_machine *machine, const weft_rtl_run *run) {
    write_register(machine, register_watchdog, run->watchdog);
    for (uint64_t i = 0; i < WEFT_REGIONS; i++) {
        write_register(machine, register_region_base + 8 * i, i << WEFT_PORT_REGION_SHIFT);
        write_register(machine, register_region_limit + 8 * i, run->regions.limit[i]);
    }
    write_register(machine, register_region_writable, run->regions.writable);
    write_register(machine, register_interrupt, 3); /* none pending, enabled */
}

/* From start to the interrupt. */
void run_to_end(weft_rtl_machine *machine, uint64_t give_up) {
    const Vweft_bench &bench = *machine->bench;
    write_register(machine, register_start, 1);
    while (bench.interrupt_request == 0 && !machine->failed && machine->cycle <= give_up) {
        tick(machine);
    }
    if (bench.interrupt_request == 0) {
        fail(machine,
             "the machine does not end; %" PRIu64 " instructions passed dispatch, %" PRIu64
             " started, %" PRIu64 " finished",
             machine->happened[KIND_DISPATCHED], machine->happened[KIND_STARTED],
             machine->happened[KIND_FINISHED]);
    }
}

/* Lets the beats come that are on their way: fetch reads ahead of HALT. */
void drain(weft_rtl_machine *machine) {
    uint64_t end = machine->port.model.free + WEFT_STORE_DRAIN + 2;
    machine->now = phase::draining;
    while (machine->cycle < end && !machine->failed) {
        tick(machine);
    }
}

void read_result(weft_rtl_machine *machine, weft_run_result *result) {
    uint64_t status = read_register(machine, register_status);
    uint64_t code = status >> 8 & 15;
    if ((status & 3) != 2 || code >= WEFT_FAULTS) {
        fail(machine, "STATUS is 0x%" PRIx64 " after the interrupt, expected an end", status);
        return;
    }
    result->fault = static_cast<weft_fault>(code);
    result->fault_instruction = static_cast<uint32_t>(status >> 32);
    for (uint64_t i = 0; i < WEFT_COUNTERS; i++) {
        uint64_t value = read_register(machine, register_counter + 8 * i);
        memcpy(reinterpret_cast<char *>(&result->counters) + 8 * i, &value, sizeof value);
    }
}

bool run(weft_rtl_machine *machine, const weft_rtl_run *run, weft_run_result *result,
         weft_error *error) {
    if (!check_run(run, error)) {
        return false;
    }
    weft_run_result found{};
    bool good = guarded(machine, error, [&] {
        weft_port_open(&machine->port, &rtl_config, run->bytes, run->regions.limit, &run->memory);
        machine->observer = run->observer == nullptr ? weft_observer{} : *run->observer;
        memset(machine->happened, 0, sizeof machine->happened);
        machine->cycle = 0;
        open_wave(machine, run);
        set_registers(machine, run);
        run_to_end(machine, run->give_up == 0 ? run->watchdog + GIVE_UP_CYCLES : run->give_up);
        drain(machine);
        read_result(machine, &found);
        machine->now = phase::idle;
    });
    close_wave(machine);
    if (good) {
        *result = found;
    }
    return good;
}

/* ---- on-chip memories ---- */

/* Rows of the deepest RAM; weft_bench.sv has the division of each memory into RAMs. */
uint32_t most_rows() {
    const uint32_t lines[] = {rtl_config.act_bytes / weft_act_rams(&rtl_config) / 4,
                              rtl_config.wgt_bytes / rtl_config.wgt_banks / 2,
                              rtl_config.acc_bytes / rtl_config.acc_banks / 4,
                              rtl_config.par_bytes / rtl_config.par_banks / 2,
                              rtl_config.lookup != 0 ? 256 * rtl_config.block : 0};
    return *std::max_element(std::begin(lines), std::end(lines)) / rtl_config.block;
}

/* A rising edge of `dump` or `preset` for every row. */
void walk_rows(weft_rtl_machine *machine, CData &clock) {
    for (uint32_t row = 0; row < most_rows(); row++) {
        machine->bench->row = row;
        clock = 1;
        machine->bench->eval();
        clock = 0;
        machine->bench->eval();
    }
}

bool write_memories(weft_rtl_machine *machine, const void *const memories[WEFT_MEMORIES],
                    weft_error *error) {
    return guarded(machine, error, [=] {
        machine->preset = memories;
        walk_rows(machine, machine->bench->preset);
    });
}

bool read_memories(weft_rtl_machine *machine, void *const memories[WEFT_MEMORIES],
                   weft_error *error) {
    return guarded(machine, error, [=] {
        machine->dump = memories;
        walk_rows(machine, machine->bench->dump);
    });
}

const weft_rtl_interface interface = {
    WEFT_RTL_VERSION,
    rtl_fingerprint,
    rtl_config.name,
#ifdef WEFT_RTL_WAVE
    true,
#else
    false,
#endif
    true,
    create,
    destroy,
    reset,
    run,
    write_memories,
    read_memories,
};

} // namespace

extern "C" __attribute__((visibility("default"))) const weft_rtl_interface *weft_rtl_interface() {
    return &interface;
}
