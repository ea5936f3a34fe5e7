// The test finisher of SiFive and QEMU virt: a 32-bit write at 0 ends the simulation.
#ifndef WEFT_VP_PLATFORM_FINISHER_H
#define WEFT_VP_PLATFORM_FINISHER_H

#include "vp/platform/peripheral.h"

namespace weft::vp {

class finisher : public peripheral {
  public:
    explicit finisher(sc_core::sc_module_name name) : peripheral(name) {
    }

    bool ended = false;
    std::uint32_t value = 0; // that was written
    sc_core::sc_time time;   // at which

  protected:
    bool read(std::uint32_t, unsigned, std::uint64_t &, const sc_core::sc_time &) override {
        return false;
    }
    bool write(std::uint32_t offset, unsigned bytes, std::uint64_t written,
               const sc_core::sc_time &delay) override {
        if (offset != 0 || bytes != sizeof value || ended) {
            return false;
        }
        ended = true;
        value = static_cast<std::uint32_t>(written);
        time = sc_core::sc_time_stamp() + delay;
        sc_core::sc_pause(); // sc_stop() prints a line
        return true;
    }
};

} // namespace weft::vp

#endif
