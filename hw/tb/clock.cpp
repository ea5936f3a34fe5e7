/* The clock and the register slave of the bench. In cycle t the inputs are set and the clock is
 * low; tick() is the rising edge that ends t. */
#include "Vweft_bench___024root.h"
#include "hw/tb/machine.h"

using namespace rtl;

namespace {

enum {
    REGISTER_CYCLES = 64, /* in which a register access is over */
};

#ifdef WEFT_RTL_WAVE
void write_wave(weft_rtl_machine *machine, unsigned half) {
    if (machine->wave != nullptr && machine->now == phase::running &&
        machine->cycle >= machine->wave_from && machine->cycle <= machine->wave_to) {
        machine->wave->dump(2 * machine->cycle + half);
    }
}
#else
void write_wave(weft_rtl_machine *, unsigned) {
}

/* Nothing happens at the falling edge: all that an evaluation there does is to note that the clock is low. This does it, where
 * Verilator's note has the name that it has in 5.006. */
template <class Root> auto forget_edge(Root &root, int) -> decltype(root.__Vtrigrprev__TOP__clock == 0) {
    root.__Vtrigrprev__TOP__clock = 0;
    return true;
}
#endif

template <class Root> bool forget_edge(Root &, long) {
    return false;
}

} // namespace

void rtl::tick(weft_rtl_machine *machine) {
    machine->bench->clock = 1;
    machine->bench->eval();
    machine->cycle++;
    write_wave(machine, 0);
    machine->bench->clock = 0;
    if (!forget_edge(*machine->bench->rootp, 0)) {
        machine->bench->eval();
    }
    write_wave(machine, 1);
}

namespace {

/* Shows a request to the register slave until it is taken; the answer to a read is there then. */
bool request_register(weft_rtl_machine *machine, bool write, uint64_t address, uint64_t value) {
    Vweft_bench &bench = *machine->bench;
    bool taken = false;
    bench.register_valid = 1;
    bench.register_write = write ? 1 : 0;
    bench.register_address = static_cast<SData>(address);
    bench.register_write_data = value;
    bench.eval();
    for (int i = 0; i < REGISTER_CYCLES && !taken && !machine->failed; i++) {
        taken = bench.register_ready != 0;
        if (taken && write && address == register_start) {
            machine->cycle = 0; /* by definition */
            machine->now = phase::running;
        }
        tick(machine);
    }
    bench.register_valid = 0;
    bench.eval();
    if (!taken) {
        fail(machine, "the register slave takes no request for address 0x%" PRIx64, address);
    }
    return taken && !machine->failed;
}

} // namespace

void rtl::write_register(weft_rtl_machine *machine, uint64_t address, uint64_t value) {
    request_register(machine, true, address, value);
}

uint64_t rtl::read_register(weft_rtl_machine *machine, uint64_t address) {
    if (!request_register(machine, false, address, 0)) {
        return 0;
    }
    if (machine->bench->register_read_valid == 0) {
        fail(machine, "the register slave has no data for address 0x%" PRIx64, address);
    }
    return machine->bench->register_read_data;
}
