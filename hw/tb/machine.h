/* The RTL of one configuration as an object: for the files of hw/tb that make a library of it. */
#ifndef WEFT_HW_TB_MACHINE_H
#define WEFT_HW_TB_MACHINE_H

#include <cinttypes>
#include <cstring>
#include <memory>

extern "C" {
#include "driver/rtl_model.h"
#include "sim/timing/memory.h"
}
#include "Vweft_bench.h"
#include "hw/tb/evaluation.h"
#ifdef WEFT_RTL_WAVE
#include "verilated_fst_c.h"
#endif

namespace rtl {

enum : uint64_t {
#define WEFT_REGISTER(name, address, doc) register_##name = (address),
#include "isa/registers.def"
#undef WEFT_REGISTER
};

enum {
    KIND_DISPATCHED = 0, /* of weft_bench_trace() */
    KIND_STARTED = 1,
    KIND_FINISHED = 2,
};

enum class phase {
    idle,     /* before start: nothing may happen on the memory port */
    running,  /* from start to the interrupt */
    draining, /* after it: beats that are on their way still come */
};

/* One of hw/tb/stand_ins/weft_clocks.sv, in the translated RTL. */
struct clock_gate {
    const CData *open;
    CData *clock;   /* behind it */
    size_t trigger; /* what a rising edge of that triggers */
};

} // namespace rtl

/* Cycles count from start. */
struct weft_rtl_machine : rtl::evaluation {
    std::unique_ptr<Vweft_bench> bench;
    weft_memory_port port{};
    weft_observer observer{};
    rtl::phase now = rtl::phase::idle;
    uint64_t happened[3]{}; /* events, by kind */
    uint8_t write_data[WEFT_PORT_WIDTH]{};
    uint8_t read_data[WEFT_PORT_WIDTH]{};
    const void *const *preset = nullptr; /* what the on-chip memories are to hold */
    void *const *dump = nullptr;
    bool pulses = false; /* triggers are known, and set without an evaluation of the clock */
    size_t clock_trigger = 0;
    rtl::clock_gate gates[5]{};
    size_t gate_count = 0; /* 0: the machine is on one clock */
#ifdef WEFT_RTL_WAVE
    std::unique_ptr<VerilatedFstC> wave;
    uint64_t wave_from = 0;
    uint64_t wave_to = 0;
#endif
};

namespace rtl {

/* ---- clock.cpp ---- */

/* Once, before the first tick. */
void prepare_clock(weft_rtl_machine *machine);
/* The rising edge that ends a cycle. */
void tick(weft_rtl_machine *machine);
/* Requests of the register slave; a read that fails is 0. */
void write_register(weft_rtl_machine *machine, uint64_t address, uint64_t value);
uint64_t read_register(weft_rtl_machine *machine, uint64_t address);

} // namespace rtl

#endif
