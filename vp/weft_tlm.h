// The Weft accelerator as a SystemC module for loosely timed TLM-2.0 platforms (SystemC 2.3.4,
// C++17).
//
//     weft::accelerator_options options;
//     options.config = "small8";
//     weft::accelerator accelerator("accelerator", options);
//     bus.port_to_registers.bind(accelerator.registers); // 4 KB, docs/registers.md
//     accelerator.memory.bind(bus.port_from_accelerator); // where it reads and writes by itself
//     accelerator.interrupt.bind(line);
//
// Link with libweft_tlm.a, libweft.a and SystemC; `pkg-config weft_tlm` says how. examples/ has a
// whole platform in one file. docs/vp.md says what is timed and what is not.
#ifndef WEFT_VP_WEFT_TLM_H
#define WEFT_VP_WEFT_TLM_H

#include <cstdint>
#include <memory>
#include <string>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

struct weft_config; // isa/config.h of the source

namespace weft {

struct accelerator_options {
    // The hardware: the name of a built-in configuration ("small8", "ref16", "large32") or of a
    // JSON file, or the configuration itself, which is copied and goes before the name.
    std::string config = "ref16";
    const weft_config *parameters = nullptr;
    // "cycle", the cycle model, or "rtl", the Verilated hardware: both give the same bytes after
    // the same cycles. The RTL is loaded from the folder WEFT_RTL_PATH, or ../lib of the
    // executable.
    std::string target = "cycle";
    // The length of a cycle of the machine.
    sc_core::sc_time cycle = sc_core::sc_time(10, sc_core::SC_NS);
    // Its external memory: cycles of latency (0: as the configuration says), and cycles from beat
    // to beat (0: 1). Delays that targets of `memory` annotate do not count.
    std::uint64_t memory_latency = 0;
    std::uint64_t memory_interval = 0;
    // What a run may take at most: bytes (0: 1 GiB) and cycles (0: 200,000,000).
    std::uint64_t memory_limit = 0;
    std::uint64_t cycle_limit = 0;
};

class accelerator : public sc_core::sc_module {
  public:
    // The registers. Reads and writes of 4 or 8 bytes at multiples of 4, of whole 32-bit halves by
    // byte enables; others are answered with an error and change nothing. Accesses take no time;
    // one with a delay counts as at the time to come. No direct memory, no debug transport.
    tlm_utils::simple_target_socket<accelerator> registers;
    // Its way to memory. It asks for direct memory pointers where it is offered them, and
    // transports bursts otherwise; the target may wait. An error response is fault BUS.
    tlm_utils::simple_initiator_socket<accelerator> memory;
    // Pending and enabled. One process drives it.
    sc_core::sc_out<bool> interrupt;

    // Errors (no such configuration, RTL that is not built, ...) are reported with SC_ERROR and the
    // message type "/weft/accelerator", which throws unless the platform has chosen other actions.
    // So is a START that the model cannot carry out (driver/device.h), which then is answered with
    // an error.
    accelerator(sc_core::sc_module_name name, const accelerator_options &options);
    ~accelerator() override;
    accelerator(const accelerator &) = delete;
    accelerator &operator=(const accelerator &) = delete;

  private:
    class implementation;
    std::unique_ptr<implementation> m;

    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
    void work();  // the process that transfers and runs
    void drive(); // the process that drives the interrupt
};

} // namespace weft

#endif
