// Transfers of any length over an initiator socket: by direct memory pointers where the target
// offers them, by bursts where it does not.
#ifndef WEFT_VP_DMA_H
#define WEFT_VP_DMA_H

#include <cstdint>
#include <vector>

#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace weft {

class dma {
  public:
    // `burst`: bytes of a transaction at most, which crosses no multiple of it.
    dma(tlm::tlm_initiator_socket<> &socket, std::uint64_t burst) : socket(socket), burst(burst) {
    }

    // False when the target answers with an error. Only for processes that may wait.
    bool transfer(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                  std::size_t length, sc_core::sc_time delay);

    // Forgets direct pointers into this range.
    void invalidate(std::uint64_t first, std::uint64_t last);

  private:
    tlm::tlm_initiator_socket<> &socket;
    std::uint64_t burst;
    std::vector<tlm::tlm_dmi> direct;
    tlm::tlm_generic_payload payload; // not on a stack: that of a process is not unwound

    std::size_t copy(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                     std::size_t length) const;
    std::size_t transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                          std::size_t length, sc_core::sc_time delay);
};

} // namespace weft

#endif
