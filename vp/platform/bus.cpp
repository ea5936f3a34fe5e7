#include "vp/platform/bus.h"

#include <algorithm>
#include <cstring>

namespace weft::vp {

bus::bus(sc_core::sc_module_name name, waves &recorded) : sc_module(name), recorded(recorded) {
}

bus::from_socket &bus::add_initiator(const char *name, bool needs_direct) {
    const int tag = static_cast<int>(initiators.size());
    auto socket = std::make_unique<from_socket>(name);
    socket->register_b_transport(this, &bus::transport, tag);
    socket->register_transport_dbg(this, &bus::debug, tag);
    socket->register_get_direct_mem_ptr(this, &bus::offer, tag);
    initiators.push_back({std::move(socket), needs_direct, recorded.add(name, "address", 64),
                          recorded.add(name, "data", 64), recorded.add(name, "bytes", 32),
                          recorded.add(name, "write", 1), recorded.add(name, "error", 1),
                          recorded.add(name, "count", 32)});
    return *initiators.back().socket;
}

bus::to_socket &bus::add_range(const char *name, std::uint64_t base, std::uint64_t size) {
    auto socket = std::make_unique<to_socket>(name);
    socket->register_invalidate_direct_mem_ptr(this, &bus::invalidate,
                                               static_cast<int>(ranges.size()));
    ranges.push_back({std::move(socket), base, size});
    return *ranges.back().socket;
}

bus::range *bus::find(std::uint64_t address, std::uint64_t length) {
    for (range &range : ranges) {
        if (address >= range.base && address - range.base < range.size &&
            length <= range.size - (address - range.base)) {
            return &range;
        }
    }
    return nullptr;
}

// The first bytes stand for the data of long transactions.
void bus::record(initiator &from, const tlm::tlm_generic_payload &payload, std::uint64_t address,
                 const sc_core::sc_time &begin) {
    std::uint64_t data = 0;
    std::memcpy(&data, payload.get_data_ptr(),
                std::min<std::size_t>(sizeof data, payload.get_data_length()));
    recorded.change(from.address, begin, address);
    recorded.change(from.data, begin, data);
    recorded.change(from.bytes, begin, payload.get_data_length());
    recorded.change(from.write, begin, payload.is_write() ? 1 : 0);
    recorded.change(from.error, begin, payload.is_response_ok() ? 0 : 1);
    recorded.change(from.count, begin, ++from.transactions);
    recorded.settle(sc_core::sc_time_stamp());
}

void bus::transport(int from, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    initiator &initiator = initiators[static_cast<std::size_t>(from)];
    const std::uint64_t address = payload.get_address();
    range *target = find(address, payload.get_data_length());
    if (target == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    } else {
        payload.set_address(address - target->base);
        (*target->socket)->b_transport(payload, delay);
        payload.set_address(address);
    }
    if (recorded.are_on()) {
        payload.set_dmi_allowed(payload.is_dmi_allowed() && initiator.needs_direct);
        record(initiator, payload, address, sc_core::sc_time_stamp() + delay);
    }
}

unsigned bus::debug(int, tlm::tlm_generic_payload &payload) {
    const std::uint64_t address = payload.get_address();
    range *target = find(address, payload.get_data_length());
    if (target == nullptr) {
        return 0;
    }
    payload.set_address(address - target->base);
    const unsigned count = (*target->socket)->transport_dbg(payload);
    payload.set_address(address);
    return count;
}

bool bus::offer(int from, tlm::tlm_generic_payload &payload, tlm::tlm_dmi &offered) {
    const std::uint64_t address = payload.get_address();
    range *target = find(address, 1);
    const bool needs_direct = initiators[static_cast<std::size_t>(from)].needs_direct;
    if (target == nullptr || (recorded.are_on() && !needs_direct)) {
        return false;
    }
    payload.set_address(address - target->base);
    const bool good = (*target->socket)->get_direct_mem_ptr(payload, offered);
    payload.set_address(address);
    // A target may offer more than it has addresses.
    offered.set_end_address(std::min<std::uint64_t>(offered.get_end_address(), target->size - 1) +
                            target->base);
    offered.set_start_address(offered.get_start_address() + target->base);
    return good;
}

void bus::invalidate(int to, sc_dt::uint64 first, sc_dt::uint64 last) {
    const range &range = ranges[static_cast<std::size_t>(to)];
    const sc_dt::uint64 end = std::min<sc_dt::uint64>(last, range.size - 1);
    for (initiator &initiator : initiators) {
        (*initiator.socket)->invalidate_direct_mem_ptr(first + range.base, end + range.base);
    }
}

} // namespace weft::vp
