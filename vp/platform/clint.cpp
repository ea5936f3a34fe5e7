#include "vp/platform/clint.h"

#include <cstring>

namespace weft::vp {

namespace {

enum : std::uint32_t {
    MSIP = 0,
    MTIMECMP = 0x4000,
    MTIME = 0xbff8,
    WORD = 4,
};

const sc_core::sc_time &tick() {
    static const sc_core::sc_time length(100, sc_core::SC_NS);
    return length;
}

// Is the access to a 64-bit register, or to one of its halves?
bool is_in(std::uint32_t offset, unsigned bytes, std::uint32_t place) {
    return offset >= place && offset - place + bytes <= sizeof(std::uint64_t) && bytes >= WORD;
}

} // namespace

clint::clint(sc_core::sc_module_name name) : peripheral(name) {
    SC_HAS_PROCESS(clint);
    SC_METHOD(drive);
    sensitive << changed;
}

std::uint64_t clint::ticks(const sc_core::sc_time &delay) const {
    return origin + (sc_core::sc_time_stamp() + delay).value() / tick().value();
}

void clint::drive() {
    const std::uint64_t now = ticks(sc_core::SC_ZERO_TIME);
    timer.write(now >= compare);
    software.write(pending);
    if (now < compare && compare - now < UINT64_MAX / tick().value() / 2) {
        // To the beginning of the tick.
        const std::uint64_t left =
            (compare - now) * tick().value() - sc_core::sc_time_stamp().value() % tick().value();
        changed.notify(sc_core::sc_time::from_value(left));
    }
}

bool clint::read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
                 const sc_core::sc_time &delay) {
    std::uint64_t whole = 0;
    if (offset == MSIP && bytes == WORD) {
        value = pending ? 1 : 0;
        return true;
    }
    if (is_in(offset, bytes, MTIME)) {
        whole = ticks(delay);
    } else if (is_in(offset, bytes, MTIMECMP)) {
        whole = compare;
    } else {
        return false;
    }
    value = whole >> (offset % sizeof whole * 8);
    return true;
}

bool clint::write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
                  const sc_core::sc_time &delay) {
    if (offset == MSIP && bytes == WORD) {
        pending = (value & 1) != 0;
    } else if (is_in(offset, bytes, MTIME)) {
        std::uint64_t whole = ticks(delay);
        std::memcpy(reinterpret_cast<unsigned char *>(&whole) + offset % sizeof whole, &value,
                    bytes);
        origin += whole - ticks(delay);
    } else if (is_in(offset, bytes, MTIMECMP)) {
        std::memcpy(reinterpret_cast<unsigned char *>(&compare) + offset % sizeof compare, &value,
                    bytes);
    } else {
        return false;
    }
    changed.cancel();
    changed.notify(delay);
    return true;
}

} // namespace weft::vp
