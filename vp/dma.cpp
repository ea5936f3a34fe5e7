#include "vp/dma.h"

#include <algorithm>
#include <cstring>

namespace weft {

// Copies what one direct pointer covers from `address` on; 0: none does.
std::size_t dma::copy(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                      std::size_t length) const {
    for (const tlm::tlm_dmi &range : direct) {
        const bool allowed =
            command == tlm::TLM_READ_COMMAND ? range.is_read_allowed() : range.is_write_allowed();
        if (!allowed || address < range.get_start_address() || address > range.get_end_address()) {
            continue;
        }
        const std::uint64_t left = range.get_end_address() - address;
        const std::size_t piece = left >= length ? length : static_cast<std::size_t>(left) + 1;
        unsigned char *memory = range.get_dmi_ptr() + (address - range.get_start_address());
        if (command == tlm::TLM_READ_COMMAND) {
            std::memcpy(bytes, memory, piece);
        } else {
            std::memcpy(memory, bytes, piece);
        }
        return piece;
    }
    return 0;
}

// One transaction; 0: an error.
std::size_t dma::transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                           std::size_t length, sc_core::sc_time delay) {
    const std::size_t piece = std::min(length, static_cast<std::size_t>(burst - address % burst));
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(static_cast<unsigned>(piece));
    payload.set_streaming_width(static_cast<unsigned>(piece));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(payload, delay);
    if (!payload.is_response_ok()) {
        return 0;
    }
    tlm::tlm_dmi offered;
    if (payload.is_dmi_allowed() && socket->get_direct_mem_ptr(payload, offered)) {
        direct.push_back(offered);
    }
    return piece;
}

bool dma::transfer(tlm::tlm_command command, std::uint64_t address, std::uint8_t *bytes,
                   std::size_t length, sc_core::sc_time delay) {
    while (length > 0) {
        std::size_t piece = copy(command, address, bytes, length);
        if (piece == 0) {
            piece = transport(command, address, bytes, length, delay);
        }
        if (piece == 0) {
            return false;
        }
        address += piece;
        bytes += piece;
        length -= piece;
    }
    return true;
}

void dma::invalidate(std::uint64_t first, std::uint64_t last) {
    direct.erase(std::remove_if(direct.begin(), direct.end(),
                                [&](const tlm::tlm_dmi &range) {
                                    return range.get_start_address() <= last &&
                                           range.get_end_address() >= first;
                                }),
                 direct.end());
}

} // namespace weft
