// What all peripherals of the platform share: registers of 1, 2, 4 or 8 bytes behind a TLM socket.
#ifndef WEFT_VP_PLATFORM_PERIPHERAL_H
#define WEFT_VP_PLATFORM_PERIPHERAL_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace weft::vp {

class peripheral : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<peripheral> socket{"socket"};

  protected:
    explicit peripheral(sc_core::sc_module_name name);

    // An access to `bytes` at an offset that is a multiple of them; `delay` is how far the
    // initiator is ahead. False: there is no such register, or not of this size.
    virtual bool read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
                      const sc_core::sc_time &delay) = 0;
    virtual bool write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
                       const sc_core::sc_time &delay) = 0;

  private:
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
};

} // namespace weft::vp

#endif
