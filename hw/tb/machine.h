/* The RTL of one configuration as an object: for the files of hw/tb that make a library of it. */
#ifndef WEFT_HW_TB_MACHINE_H
#define WEFT_HW_TB_MACHINE_H

#include <cinttypes>
#include <cstring>
#include <memory>
#include <string>

extern "C" {
#include "driver/rtl_model.h"
#include "sim/timing/memory.h"
}
#include "Vweft_bench.h"
#include "hw/tb/reserve.h"
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

/* An evaluation that Verilator's run time could not go on with. */
struct broken {
    std::string message;
};

} // namespace rtl

struct weft_rtl_machine {
    weft_reserve reserve{};                    /* for all that follows */
    std::unique_ptr<VerilatedContext> context; /* before what lives in it */
    std::unique_ptr<Vweft_bench> bench;
    weft_memory_port port{};
    weft_observer observer{};
    rtl::phase now = rtl::phase::idle;
    uint64_t cycle = 0;     /* that the next rising edge ends; counts from start */
    uint64_t happened[3]{}; /* events, by kind */
    bool failed = false;    /* in the call that is going on: */
    weft_error error{};     /* with this */
    bool is_broken = false; /* for good */
    std::string printed;    /* by the RTL, not looked at yet */
    uint8_t write_data[WEFT_PORT_WIDTH]{};
    uint8_t read_data[WEFT_PORT_WIDTH]{};
    const void *const *preset = nullptr; /* what the on-chip memories are to hold */
    void *const *dump = nullptr;
#ifdef WEFT_RTL_WAVE
    std::unique_ptr<VerilatedFstC> wave;
    uint64_t wave_from = 0;
    uint64_t wave_to = 0;
#endif
};

namespace rtl {

/* Notes in the machine what went wrong, unless something did before. */
__attribute__((format(printf, 2, 3))) void fail(weft_rtl_machine *machine, const char *format, ...);

/* ---- calls.cpp ---- */

/* The machine that this thread evaluates, for what the evaluation calls; NULL: none. */
void set_current(weft_rtl_machine *machine);

/* ---- clock.cpp ---- */

/* The rising edge that ends a cycle. */
void tick(weft_rtl_machine *machine);
/* Requests of the register slave; a read that fails is 0. */
void write_register(weft_rtl_machine *machine, uint64_t address, uint64_t value);
uint64_t read_register(weft_rtl_machine *machine, uint64_t address);

} // namespace rtl

#endif
