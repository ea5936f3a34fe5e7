// The platform of `weft vp`: docs/vp.md has its picture.
#ifndef WEFT_VP_PLATFORM_PLATFORM_H
#define WEFT_VP_PLATFORM_PLATFORM_H

#include "vp/job.h"
#include "vp/platform/bus.h"
#include "vp/platform/clint.h"
#include "vp/platform/finisher.h"
#include "vp/platform/plic.h"
#include "vp/platform/processor.h"
#include "vp/platform/ram.h"
#include "vp/platform/uart.h"
#include "vp/platform/waves.h"
#include "vp/weft_tlm.h"

namespace weft::vp {

class platform : public sc_core::sc_module {
  public:
    // `memory` has job.ram_bytes and is RAM; what the UART sends goes to standard output.
    platform(sc_core::sc_module_name name, const weft_vp_job &job, std::uint8_t *memory);

    waves recorded;
    bus interconnect;
    ram main_memory;
    uart serial;
    clint timer;
    plic interrupts;
    finisher end;
    weft::accelerator accelerator;
    processor cpu;

  private:
    sc_core::sc_signal<bool> accelerator_line{"accelerator_line"};
    sc_core::sc_signal<bool> serial_line{"serial_line"};
    sc_core::sc_signal<bool> external_line{"external_line"};
    sc_core::sc_signal<bool> timer_line{"timer_line"};
    sc_core::sc_signal<bool> software_line{"software_line"};
    std::size_t waves_of_lines;

    void connect();
    void record_lines();
};

} // namespace weft::vp

#endif
