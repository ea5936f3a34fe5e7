// A 16550 UART with registers of one byte. What is sent is handed on at once, so it is always ready
// for more; nothing is connected to its receiver.
#ifndef WEFT_VP_PLATFORM_UART_H
#define WEFT_VP_PLATFORM_UART_H

#include <functional>

#include "vp/platform/peripheral.h"

namespace weft::vp {

class uart : public peripheral {
  public:
    sc_core::sc_out<bool> interrupt{"interrupt"};

    uart(sc_core::sc_module_name name, std::function<void(char)> print);

  protected:
    bool read(std::uint32_t offset, unsigned bytes, std::uint64_t &value,
              const sc_core::sc_time &delay) override;
    bool write(std::uint32_t offset, unsigned bytes, std::uint64_t value,
               const sc_core::sc_time &delay) override;

  private:
    std::function<void(char)> print;
    std::uint8_t enable = 0;       // IER
    std::uint8_t line_control = 0; // LCR
    std::uint8_t modem_control = 0;
    std::uint8_t scratch = 0;
    std::uint8_t divisor[2] = {1, 0};
    bool fifo = false;
    bool is_empty = false; // interrupt: the transmitter has become empty
    sc_core::sc_event changed;

    void drive();
};

} // namespace weft::vp

#endif
