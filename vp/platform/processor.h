// The processor (vp/cpu) as an initiator: one instruction a cycle, RAM by a direct memory pointer,
// everything else by transactions. It runs ahead of the kernel for a quantum; an access outside RAM
// ends the quantum, so that interrupts have been seen before the next instruction.
#ifndef WEFT_VP_PLATFORM_PROCESSOR_H
#define WEFT_VP_PLATFORM_PROCESSOR_H

#include <cstdint>
#include <functional>
#include <memory>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include "vp/cpu/cpu.h"

namespace weft::vp {

class processor : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<processor> socket{"socket"};
    sc_core::sc_in<bool> external{"external"};
    sc_core::sc_in<bool> timer{"timer"};
    sc_core::sc_in<bool> software{"software"};

    // Begins at `reset`, in RAM. `ticks` is the time that the CSR `time` shows. The quantum is that
    // of tlm::tlm_global_quantum, at least a cycle.
    processor(sc_core::sc_module_name name, std::uint32_t reset, sc_core::sc_time cycle,
              std::function<std::uint64_t(const sc_core::sc_time &delay)> ticks);

    [[nodiscard]] std::uint64_t instructions() const {
        return weft_cpu_executed(cpu.get());
    }
    [[nodiscard]] bool waits() const {
        return weft_cpu_waits(cpu.get());
    }
    [[nodiscard]] std::uint32_t pc() const {
        return weft_cpu_pc(cpu.get());
    }

  protected:
    void start_of_simulation() override;

  private:
    struct destroy {
        void operator()(weft_cpu *made) const {
            weft_cpu_destroy(made);
        }
    };
    std::uint32_t reset;
    sc_core::sc_time cycle;
    std::function<std::uint64_t(const sc_core::sc_time &)> ticks;
    std::unique_ptr<weft_cpu, destroy> cpu;
    tlm_utils::tlm_quantumkeeper quantum;
    std::uint64_t counted = 0; // instructions that the quantum keeper knows of
    sc_core::sc_event lines_changed;
    tlm::tlm_generic_payload payload; // not on a stack: that of a process is not unwound

    void run();
    void see_lines();
    [[nodiscard]] sc_core::sc_time ahead() const;
    bool access(tlm::tlm_command command, std::uint32_t address, std::uint32_t bytes,
                std::uint32_t *value);
    static bool read(void *context, std::uint32_t address, std::uint32_t bytes,
                     std::uint32_t *value);
    static bool write(void *context, std::uint32_t address, std::uint32_t bytes,
                      std::uint32_t value);
    static std::uint64_t cycles(void *context);
    static std::uint64_t time(void *context);
};

} // namespace weft::vp

#endif
