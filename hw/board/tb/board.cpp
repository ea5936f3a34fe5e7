// Runs weft_ulx3s from configuration on: prints what comes out of ftdi_rxd, decoded at the rate
// that the clock says, until the firmware has ended (an LED) and the line is quiet. Status 0 when
// it says that all is well.
//
// usage: weft_board_bench [CYCLES]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vweft_ulx3s.h"
#include "verilated.h"

double sc_time_stamp() {
    return 0;
}

int main(int argc, char **argv) {
    const uint64_t most = argc > 1 ? strtoull(argv[1], nullptr, 10) : 100000000;
    const uint64_t bit = (WEFT_BOARD_CLOCK_HZ + 57600) / 115200; // cycles
    auto top = std::make_unique<Vweft_ulx3s>();
    uint64_t start = 0; // cycle of the edge of a start bit; 0: none
    uint64_t quiet = 0;
    unsigned byte = 0;
    unsigned bits = 0;
    top->fire1 = 0;
    for (uint64_t cycle = 1; cycle <= most; cycle++) {
        top->clk_25mhz = 1;
        top->eval();
        top->clk_25mhz = 0;
        top->eval();
        const unsigned line = top->ftdi_rxd;
        const unsigned led = top->led;
        if (start == 0 && line == 0 && (led & 0x80) != 0) {
            start = cycle;
            bits = 0;
            byte = 0;
        } else if (start != 0 && cycle == start + bit / 2 + bit * (bits + 1)) {
            if (bits == 8) {
                if (line == 0) {
                    (void)fprintf(stderr, "weft_board_bench: a byte without a stop bit\n");
                    return 1;
                }
                (void)putchar(static_cast<int>(byte));
                start = 0;
                quiet = cycle;
            } else {
                byte |= line << bits;
                bits++;
            }
        }
        if ((led & 0x80) != 0 && (led & 0x40) == 0) {
            (void)fprintf(stderr, "weft_board_bench: the CPU has stopped in cycle %llu\n",
                          static_cast<unsigned long long>(cycle));
            return 1;
        }
        if ((led & 0x20) != 0 && start == 0 && cycle > quiet + 12 * bit) {
            (void)fprintf(stderr, "%llu cycles\n", static_cast<unsigned long long>(cycle));
            return (led & 0x10) != 0 ? 0 : 1;
        }
    }
    (void)fprintf(stderr, "weft_board_bench: no end in %llu cycles\n",
                  static_cast<unsigned long long>(most));
    return 1;
}
