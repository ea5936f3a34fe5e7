// The platform-level interrupt controller at QEMU virt's offsets, with one context: machine mode of
// hart 0. Inputs are levels: a source is pending from when its level rises until it is claimed, and
// again when its level is still there at its completion.
#ifndef WEFT_VP_PLATFORM_PLIC_H
#define WEFT_VP_PLATFORM_PLIC_H

#include <array>
#include <vector>

#include "vp/platform/peripheral.h"

namespace weft::vp {

class plic : public peripheral {
  public:
    sc_core::sc_vector<sc_core::sc_in<bool>> inputs; // in the order of `sources`
    sc_core::sc_out<bool> external{"external"};

    // `sources`: the number of each input, 1 to SOURCES - 1.
    plic(sc_core::sc_module_name name, const std::vector<unsigned> &sources);

    enum : unsigned {
        SOURCES = 96
    };

  protected:
    bool read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
              const sc_core::sc_time &delay) override;
    bool write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
               const sc_core::sc_time &delay) override;

  private:
    struct source {
        std::uint32_t priority = 0;
        bool level = false;
        bool pending = false;
        bool enabled = false;
        bool claimed = false;
    };
    std::vector<unsigned> numbers;
    std::array<source, SOURCES> sources;
    std::uint32_t threshold = 0;
    sc_core::sc_event changed;

    void sample();
    void drive();
    [[nodiscard]] unsigned best() const;
    unsigned claim();
    void complete(unsigned number);
};

} // namespace weft::vp

#endif
