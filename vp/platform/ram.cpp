#include "vp/platform/ram.h"

#include <cstring>

namespace weft::vp {

ram::ram(sc_core::sc_module_name name, std::uint8_t *bytes, std::uint64_t size)
    : sc_module(name), bytes(bytes), size(size) {
    socket.register_b_transport(this, &ram::transport);
    socket.register_transport_dbg(this, &ram::debug);
    socket.register_get_direct_mem_ptr(this, &ram::offer);
}

bool ram::covers(const tlm::tlm_generic_payload &payload) const {
    return payload.get_address() <= size &&
           payload.get_data_length() <= size - payload.get_address();
}

// Copies under the byte enables, which repeat.
static void copy(const tlm::tlm_generic_payload &payload, std::uint8_t *place) {
    const unsigned char *enables = payload.get_byte_enable_ptr();
    unsigned char *data = payload.get_data_ptr();
    const unsigned length = payload.get_data_length();
    const bool reads = payload.is_read();
    if (enables == nullptr) {
        std::memcpy(reads ? data : place, reads ? place : data, length);
        return;
    }
    for (unsigned i = 0; i < length; i++) {
        if (enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED) {
            (reads ? data[i] : place[i]) = reads ? place[i] : data[i];
        }
    }
}

void ram::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &) {
    if (!covers(payload)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (payload.get_streaming_width() < payload.get_data_length()) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        copy(payload, bytes + payload.get_address());
    }
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned ram::debug(tlm::tlm_generic_payload &payload) {
    if (!covers(payload)) {
        return 0;
    }
    copy(payload, bytes + payload.get_address());
    return payload.get_data_length();
}

bool ram::offer(tlm::tlm_generic_payload &, tlm::tlm_dmi &offered) {
    offered.set_dmi_ptr(bytes);
    offered.set_start_address(0);
    offered.set_end_address(size - 1);
    offered.allow_read_write();
    return true;
}

} // namespace weft::vp
