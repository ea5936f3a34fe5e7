/* weft_axi_machine with its clock, its external memory and the driver's side of its registers. */
#ifndef WEFT_HW_TB_AXI_BENCH_H
#define WEFT_HW_TB_AXI_BENCH_H

#include <memory>

#include "hw/tb/axi/memory.h"

namespace axi {

enum : uint32_t {
#define WEFT_REGISTER(name, address, doc) register_##name = (address),
#include "isa/registers.def"
#undef WEFT_REGISTER
};

/* How the driver uses the register slave. */
struct manners {
    bool halves = false; /* 32 bits at a time, in either order, as well as 64 */
    unsigned wait = 0;   /* chance in 256 that a channel waits in a cycle */
};

class bench {
    VerilatedContext context;
    std::unique_ptr<Vweft_axi_machine> machine;
    uint64_t started = 0;

  public:
    bench();

    random numbers;
    memory external;
    manners how;

    /* One cycle. Fails when the machine asserts something. */
    void tick();
    /* aresetn with m_axi_aresetn, or the latter alone. */
    void reset();
    void reset_bus(unsigned cycles);

    /* Accesses of the register slave; each must be over within a few cycles, whatever the bus to
     * memory does. */
    void write(uint32_t address, uint64_t value);
    uint64_t read(uint32_t address);
    /* A write with any strobes; returns the response. */
    unsigned write_strobes(uint32_t address, uint64_t value, unsigned strobes);

    bool interrupt() const {
        return machine->interrupt_request != 0;
    }
    /* Something of the machine is on the bus to memory in this cycle. */
    bool sends() const {
        return machine->m_axi_arvalid != 0 || machine->m_axi_awvalid != 0 ||
               machine->m_axi_wvalid != 0;
    }
    uint64_t cycle() const {
        return external.now;
    }
    /* The cycle in which the last write to START was taken, and cycles from then on. */
    uint64_t started_at() const {
        return started;
    }
    uint64_t since_start() const {
        return external.now - started;
    }

  private:
    bool waits();
    uint64_t read_once(uint32_t address);
};

} // namespace axi

#endif
