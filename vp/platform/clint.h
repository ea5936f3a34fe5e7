// The core-local interruptor at QEMU virt's offsets: msip at 0, mtimecmp at 0x4000, mtime at
// 0xbff8. mtime counts ticks of simulated time, 10 MHz as there.
#ifndef WEFT_VP_PLATFORM_CLINT_H
#define WEFT_VP_PLATFORM_CLINT_H

#include "vp/platform/peripheral.h"

namespace weft::vp {

class clint : public peripheral {
  public:
    sc_core::sc_out<bool> timer{"timer"};
    sc_core::sc_out<bool> software{"software"};

    explicit clint(sc_core::sc_module_name name);

    // mtime for who is `delay` ahead.
    [[nodiscard]] std::uint64_t ticks(const sc_core::sc_time &delay) const;

  protected:
    bool read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
              const sc_core::sc_time &delay) override;
    bool write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
               const sc_core::sc_time &delay) override;

  private:
    std::uint64_t origin = 0; // what mtime was at time 0, modulo 2^64
    std::uint64_t compare = UINT64_MAX;
    bool pending = false; // msip
    sc_core::sc_event changed;

    void drive();
};

} // namespace weft::vp

#endif
