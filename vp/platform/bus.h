// The bus: hands transactions of initiators to the target whose addresses they are for, with
// addresses that begin at 0 there, and records them as waveforms.
#ifndef WEFT_VP_PLATFORM_BUS_H
#define WEFT_VP_PLATFORM_BUS_H

#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "vp/platform/waves.h"

namespace weft::vp {

class bus : public sc_core::sc_module {
  public:
    using from_socket = tlm_utils::simple_target_socket_tagged<bus>;
    using to_socket = tlm_utils::simple_initiator_socket_tagged<bus>;

    bus(sc_core::sc_module_name name, waves &recorded);

    // To be bound by an initiator. One that can do without direct memory pointers gets none while
    // waveforms are on, so that all that it does is seen.
    from_socket &add_initiator(const char *name, bool needs_direct);

    // Binds a target at `size` addresses from `base` on.
    template <typename target_socket>
    void add_target(const char *name, std::uint64_t base, std::uint64_t size,
                    target_socket &socket) {
        add_range(name, base, size).bind(socket);
    }

  private:
    struct initiator {
        std::unique_ptr<from_socket> socket;
        bool needs_direct;
        std::size_t address, data, bytes, write, error, count; // waveforms
        std::uint64_t transactions = 0;
    };
    struct range {
        std::unique_ptr<to_socket> socket;
        std::uint64_t base;
        std::uint64_t size;
    };
    waves &recorded;
    std::vector<initiator> initiators;
    std::vector<range> ranges;

    to_socket &add_range(const char *name, std::uint64_t base, std::uint64_t size);
    range *find(std::uint64_t address, std::uint64_t length);
    void record(initiator &from, const tlm::tlm_generic_payload &payload, std::uint64_t address,
                const sc_core::sc_time &begin);
    void transport(int from, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned debug(int from, tlm::tlm_generic_payload &payload);
    bool offer(int from, tlm::tlm_generic_payload &payload, tlm::tlm_dmi &offered);
    void invalidate(int to, sc_dt::uint64 first, sc_dt::uint64 last);
};

} // namespace weft::vp

#endif
