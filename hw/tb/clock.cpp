/* The clock and the register slave of the bench. In cycle t the inputs are set and the clock is
 * low; tick() is the rising edge that ends t. */
#include <iterator>

#include "Vweft_bench___024root.h"
#include "hw/tb/machine.h"

using namespace rtl;

/* What edges trigger, and which do, in the code that Verilator 5.006 makes; that of another version
 * may have no such functions. */
__attribute__((weak)) void Vweft_bench___024root___eval_nba(Vweft_bench___024root *root);
__attribute__((weak)) void Vweft_bench___024root___eval_triggers__act(Vweft_bench___024root *root);

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
 * of the time of a cycle. So the triggers are set as the edge would set them: that of the clock,
 * and those behind the gates that are open. False where the code that Verilator made is not such.
 */
template <class Root>
auto pulse(weft_rtl_machine *machine, Root &root, int)
    -> decltype(bool(root.__VnbaTriggered.at(0))) {
    if (!machine->pulses) {
        return false;
    }
    root.__VnbaTriggered.at(machine->clock_trigger) = true;
    for (size_t i = 0; i < machine->gate_count; i++) {
        root.__VnbaTriggered.at(machine->gates[i].trigger) = *machine->gates[i].open != 0;
    }
    Vweft_bench___024root___eval_nba(&root);
    return true;
}

/* ---- which triggers are which ---- */

/* What a rising edge of `clock` alone triggers, which must be one thing. */
template <class Root> bool find_trigger(Root &root, CData &clock, size_t triggers, size_t *found) {
    size_t count = 0;
    clock = 1;
    Vweft_bench___024root___eval_triggers__act(&root);
    for (size_t i = 0; i < triggers; i++) {
        if (root.__VactTriggered.at(i)) {
            *found = i;
            count++;
        }
    }
    clock = 0;
    Vweft_bench___024root___eval_triggers__act(&root);
    return count == 1;
}

#define OPEN(name)  root.weft_bench__DOT__machine__DOT__clocks__DOT__open_##name
#define CLOCK(name) root.weft_bench__DOT__machine__DOT__##name##_clock
#define GATE(name)                                                                                 \
    rtl::clock_gate {                                                                              \
        &OPEN(name), &CLOCK(name), 0                                                               \
    }

/* The gates of hw/tb/stand_ins/weft_clocks.sv. */
template <class Root>
auto list_gates(weft_rtl_machine *machine, Root &root, int)
    -> decltype(OPEN(control), OPEN(load), OPEN(matrix), OPEN(vector), OPEN(store), CLOCK(control),
                CLOCK(load), CLOCK(matrix), CLOCK(vector), CLOCK(store), void()) {
    const rtl::clock_gate gates[] = {GATE(control), GATE(load), GATE(matrix), GATE(vector),
                                     GATE(store)};
    static_assert(sizeof gates == sizeof machine->gates, "a place for each gate");
    memcpy(machine->gates, gates, sizeof gates);
    machine->gate_count = std::size(gates);
}

/* The machine on one clock. */
template <class Root> void list_gates(weft_rtl_machine *, Root &, long) {
}

/* All triggers must be known: the clock, `dump`, `preset` and the gates. */
template <class Root>
auto find_triggers(weft_rtl_machine *machine, Root &root, int)
    -> decltype(bool(root.__VactTriggered.at(0)), void()) {
    enum {
        OTHERS = 3
    };
    list_gates(machine, root, 0);
    size_t triggers = sizeof root.__VactTriggered / sizeof(bool);
    machine->pulses = Vweft_bench___024root___eval_nba != nullptr &&
                      Vweft_bench___024root___eval_triggers__act != nullptr &&
                      triggers == OTHERS + machine->gate_count &&
                      find_trigger(root, root.clock, triggers, &machine->clock_trigger);
    for (size_t i = 0; i < machine->gate_count && machine->pulses; i++) {
        rtl::clock_gate *gate = &machine->gates[i];
        machine->pulses = find_trigger(root, *gate->clock, triggers, &gate->trigger);
    }
}
#endif

template <class Root> bool pulse(weft_rtl_machine *, Root &, long) {
    return false;
}

template <class Root> void find_triggers(weft_rtl_machine *, Root &, long) {
}

} // namespace

void rtl::prepare_clock(weft_rtl_machine *machine) {
    find_triggers(machine, *machine->bench->rootp, 0);
}

void rtl::tick(weft_rtl_machine *machine) {
    if (pulse(machine, *machine->bench->rootp, 0)) {
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
