#include "vp/platform/uart.h"

#include <utility>

namespace weft::vp {

namespace {

enum : std::uint32_t {
    DATA = 0, // or the divisor's low byte
    IER = 1,  // or its high byte
    IIR = 2,  // FCR when written
    LCR = 3,
    MCR = 4,
    LSR = 5,
    MSR = 6,
    SCR = 7,
};

enum : std::uint8_t {
    IER_MASK = 0x0f,
    IER_EMPTY = 1 << 1,
    IIR_NONE = 0x01,
    IIR_EMPTY = 0x02,
    IIR_FIFO = 0xc0,
    FCR_FIFO = 1 << 0,
    LCR_DIVISOR = 1 << 7,
    MCR_MASK = 0x1f,
    LSR_READY = 0x60, // holding and shift register are empty
    MSR_READY = 0xb0, // carrier, data set ready, clear to send
};

} // namespace

uart::uart(sc_core::sc_module_name name, std::function<void(char)> print)
    : peripheral(name), print(std::move(print)) {
    SC_HAS_PROCESS(uart);
    SC_METHOD(drive);
    sensitive << changed;
}

void uart::drive() {
    interrupt.write(is_empty && (enable & IER_EMPTY) != 0);
}

bool uart::read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
                const sc_core::sc_time &delay) {
    const bool divided = (line_control & LCR_DIVISOR) != 0;
    if (bytes != 1) {
        return false;
    }
    switch (offset) {
    case DATA:
        value = divided ? divisor[0] : 0;
        return true;
    case IER:
        value = divided ? divisor[1] : enable;
        return true;
    case IIR:
        value = is_empty && (enable & IER_EMPTY) != 0 ? IIR_EMPTY : IIR_NONE;
        is_empty = is_empty && value != IIR_EMPTY;
        value |= fifo ? std::uint32_t{IIR_FIFO} : 0U;
        changed.notify(delay);
        return true;
    case LCR:
        value = line_control;
        return true;
    case MCR:
        value = modem_control;
        return true;
    case LSR:
        value = LSR_READY;
        return true;
    case MSR:
        value = MSR_READY;
        return true;
    case SCR:
        value = scratch;
        return true;
    default:
        return false;
    }
}

bool uart::write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
                 const sc_core::sc_time &delay) {
    const bool divided = (line_control & LCR_DIVISOR) != 0;
    const auto byte = static_cast<std::uint8_t>(value);
    if (bytes != 1 || offset > SCR) {
        return false;
    }
    if (divided && offset <= IER) {
        divisor[offset] = byte;
    } else if (offset == DATA) {
        print(static_cast<char>(byte));
        is_empty = true;
    } else if (offset == IER) {
        is_empty = is_empty || ((byte & IER_EMPTY) != 0 && (enable & IER_EMPTY) == 0);
        enable = byte & IER_MASK;
    } else if (offset == IIR) {
        fifo = (byte & FCR_FIFO) != 0;
    } else if (offset == LCR) {
        line_control = byte;
    } else if (offset == MCR) {
        modem_control = byte & MCR_MASK;
    } else if (offset == SCR) {
        scratch = byte;
    }
    changed.notify(delay);
    return true;
}

} // namespace weft::vp
