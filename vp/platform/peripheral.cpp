#include "vp/platform/peripheral.h"

#include <cstring>

namespace weft::vp {

peripheral::peripheral(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &peripheral::transport);
}

void peripheral::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    const unsigned length = payload.get_data_length();
    const std::uint64_t offset = payload.get_address();
    const bool whole = length != 0 && length <= sizeof(std::uint64_t) &&
                       (length & (length - 1)) == 0 && offset % length == 0 &&
                       payload.get_streaming_width() >= length;
    if (!whole || payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(whole ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE
                                          : tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const auto place = static_cast<std::uint32_t>(offset);
    std::uint64_t value = 0;
    bool good = false;
    if (payload.is_read()) {
        good = read(place, length, value, delay);
        std::memcpy(payload.get_data_ptr(), &value, length);
    } else if (payload.is_write()) {
        std::memcpy(&value, payload.get_data_ptr(), length);
        good = write(place, length, value, delay);
    }
    payload.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

} // namespace weft::vp
