// Memory on an array of somebody else's, with direct memory pointers.
#ifndef WEFT_VP_PLATFORM_RAM_H
#define WEFT_VP_PLATFORM_RAM_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace weft::vp {

class ram : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<ram> socket{"socket"};

    ram(sc_core::sc_module_name name, std::uint8_t *bytes, std::uint64_t size);

    [[nodiscard]] std::uint64_t bytes_in_all() const {
        return size;
    }

  private:
    std::uint8_t *bytes;
    std::uint64_t size;

    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned debug(tlm::tlm_generic_payload &payload);
    bool offer(tlm::tlm_generic_payload &payload, tlm::tlm_dmi &offered);
    [[nodiscard]] bool covers(const tlm::tlm_generic_payload &payload) const;
};

} // namespace weft::vp

#endif
