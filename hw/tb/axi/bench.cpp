#include "hw/tb/axi/bench.h"

#include <cinttypes>

#include "verilated.h"

using namespace axi;

namespace {

enum {
    RESET_CYCLES = 4,
    /* In which an access to a register is over: more when the driver's own channels wait. */
    ANSWER_CYCLES = 8,
    WAITING_CYCLES = 2000,
    WHOLE = 0xff,
    LOW = 0x0f,
    HIGH = 0xf0,
};

thread_local bool has_failed = false;

} // namespace

/* What Verilator's run time does when an assertion of the RTL fails: it has been printed. */
void vl_stop(const char *, int, const char *) {
    has_failed = true;
}

bench::bench()
    : machine(std::make_unique<Vweft_axi_machine>(&context)), external(*machine, numbers) {
    machine->aclk = 0;
    machine->s_axi_awvalid = 0;
    machine->s_axi_wvalid = 0;
    machine->s_axi_arvalid = 0;
    machine->s_axi_bready = 0;
    machine->s_axi_rready = 0;
    machine->m_axi_rid = 0;
    machine->m_axi_bid = 0;
    reset();
}

/* Inputs change while the clock is low; the rising edge ends the cycle. */
void bench::tick() {
    external.drive();
    machine->eval();
    external.sample();
    machine->aclk = 1;
    machine->eval();
    machine->aclk = 0;
    if (has_failed) {
        has_failed = false;
        fail("an assertion of the RTL failed; it was printed");
    }
}

void bench::reset() {
    external.reset();
    machine->aresetn = 0;
    machine->m_axi_aresetn = 0;
    for (int i = 0; i < RESET_CYCLES; i++) {
        machine->aclk = 1;
        machine->eval();
        machine->aclk = 0;
        machine->eval();
    }
    machine->aresetn = 1;
    machine->m_axi_aresetn = 1;
}

void bench::reset_bus(unsigned cycles) {
    machine->m_axi_aresetn = 0;
    for (unsigned i = 0; i < cycles; i++) {
        external.reset();
        machine->eval();
        machine->aclk = 1;
        machine->eval();
        machine->aclk = 0;
    }
    machine->m_axi_aresetn = 1;
}

/* ---- the driver's side of the registers ---- */

bool bench::waits() {
    return how.wait != 0 && numbers() % 256 < how.wait;
}

/* Address and data come in any order; the machine is not asked to answer faster than asked. */
unsigned bench::write_strobes(uint32_t address, uint64_t value, unsigned strobes) {
    bool address_taken = false;
    bool data_taken = false;
    machine->s_axi_awaddr = static_cast<SData>(address);
    machine->s_axi_wdata = value;
    machine->s_axi_wstrb = static_cast<CData>(strobes);
    for (unsigned i = 0; i < (how.wait == 0 ? ANSWER_CYCLES : WAITING_CYCLES); i++) {
        machine->s_axi_awvalid = machine->s_axi_awvalid != 0 || (!address_taken && !waits());
        machine->s_axi_wvalid = machine->s_axi_wvalid != 0 || (!data_taken && !waits());
        machine->s_axi_bready = !waits();
        machine->eval();
        bool takes_address = machine->s_axi_awvalid != 0 && machine->s_axi_awready != 0;
        bool takes_data = machine->s_axi_wvalid != 0 && machine->s_axi_wready != 0;
        bool over = machine->s_axi_bvalid != 0 && machine->s_axi_bready != 0;
        unsigned response = machine->s_axi_bresp;
        tick();
        if (over) {
            machine->s_axi_bready = 0;
            return response;
        }
        machine->s_axi_awvalid = machine->s_axi_awvalid != 0 && !takes_address;
        machine->s_axi_wvalid = machine->s_axi_wvalid != 0 && !takes_data;
        bool before = address_taken && data_taken;
        address_taken = address_taken || takes_address;
        data_taken = data_taken || takes_data;
        if (!before && address_taken && data_taken && address == register_start) {
            started = external.now; /* the cycle in which it is taken */
        }
    }
    fail("a write to register 0x%x is not answered", address);
}

uint64_t bench::read_once(uint32_t address) {
    bool taken = false;
    machine->s_axi_araddr = static_cast<SData>(address);
    for (unsigned i = 0; i < (how.wait == 0 ? ANSWER_CYCLES : WAITING_CYCLES); i++) {
        machine->s_axi_arvalid = machine->s_axi_arvalid != 0 || (!taken && !waits());
        machine->s_axi_rready = !waits();
        machine->eval();
        bool takes = machine->s_axi_arvalid != 0 && machine->s_axi_arready != 0;
        bool over = machine->s_axi_rvalid != 0 && machine->s_axi_rready != 0;
        uint64_t value = machine->s_axi_rdata;
        tick();
        if (over) {
            machine->s_axi_rready = 0;
            return value;
        }
        machine->s_axi_arvalid = machine->s_axi_arvalid != 0 && !takes;
        taken = taken || takes;
    }
    fail("a read of register 0x%x is not answered", address);
}

/* A 32-bit master sees a converter copy its word to both halves of the bus. */
void bench::write(uint32_t address, uint64_t value) {
    bool whole = !how.halves || numbers() % 2 == 0;
    bool effect =
        address == register_start || address == register_abort || address == register_interrupt;
    unsigned response = 0;
    if (whole) {
        response = write_strobes(address, value, WHOLE);
    } else if (effect) {
        response = write_strobes(address, (value & UINT32_MAX) * ((UINT64_C(1) << 32) + 1), LOW);
    } else {
        bool high_first = numbers() % 2 == 0;
        for (unsigned i = 0; i < 2; i++) {
            bool high = (i == 0) == high_first;
            uint64_t word = high ? value >> 32 : value & UINT32_MAX;
            response |=
                write_strobes(address + (high ? 4 : 0), word << 32 | word, high ? HIGH : LOW);
        }
    }
    if (response != 0) {
        fail("a write to register 0x%x is answered with %u", address, response);
    }
}

uint64_t bench::read(uint32_t address) {
    if (!how.halves || numbers() % 2 == 0) {
        return read_once(address);
    }
    uint64_t high = 0;
    bool high_first = numbers() % 2 == 0;
    if (high_first) {
        high = read_once(address + 4) >> 32;
    }
    uint64_t low = read_once(address) & UINT32_MAX;
    return (high_first ? high : read_once(address + 4) >> 32) << 32 | low;
}
