/* The clock and the register slave of the bench. In cycle t the inputs are set and the clock is
 * low; tick() is the rising edge that ends t. */
#include "Vweft_bench___024root.h"
#include "hw/tb/machine.h"

using namespace rtl;

/* What edges trigger, in the code that Verilator 5.006 makes; that of another version may have no
 * such function. */
__attribute__((weak)) void Vweft_bench___024root___eval_nba(Vweft_bench___024root *root);

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

/* A rising edge, and the clock is low again. An evaluation looks for edges of all clocks, before
 * and after what they trigger, and once more where the clock falls, which triggers nothing: a tenth
 * of the time of a cycle. The clock is the first of the bench's triggers; were it another one, no
 * register would answer, and nothing would ever run. False where the code that Verilator made is
 * not such. */
template <class Root> auto pulse(Root &root, int) -> decltype(bool(root.__VnbaTriggered.at(0))) {
    bool &triggered = root.__VnbaTriggered.at(0);
    triggered = Vweft_bench___024root___eval_nba != nullptr;
    if (triggered) {
        Vweft_bench___024root___eval_nba(&root);
    }
    return triggered;
}
#endif

template <class Root> bool pulse(Root &, long) {
    return false;
}

} // namespace

void rtl::tick(weft_rtl_machine *machine) {
    if (pulse(*machine->bench->rootp, 0)) {
        machine->cycle++;
        return;
    }
    machine->bench->clock = 1;
    machine->bench->eval();
    machine->cycle++;
    write_wave(machine, 0);
    machine->bench->clock = 0;
    machine->bench->eval();
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
