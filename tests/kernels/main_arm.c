/* The same for a Cortex-M4 on QEMU's mps2-an386, started by picolibc: vectors in its PSRAM, text
 * over its first UART, the end by semihosting. */
#include "firmware/riscv/system.h"
#include "tests/kernels/report.h"

#define VECTORS UINT32_C(0x21000000) /* 16 MB of PSRAM */
#define MEMORY  UINT32_C(0x21800000)
#define UART    UINT32_C(0x40004000)

enum {
    UART_STATE = 4,
    UART_CONTROL = 8,
    UART_DIVISOR = 16,
    UART_FULL = 1,
    UART_SEND = 1,
    SEMIHOSTING_EXIT = 0x18
};

#define APPLICATION_EXIT UINT32_C(0x20026)
#define RUN_TIME_ERROR   UINT32_C(0x20023)

void put_letter(char letter) {
    while ((read_word(UART + UART_STATE) & UART_FULL) != 0) {
    }
    write_word(UART, (uint8_t)letter);
}

static void end(uint32_t reason) {
    register uint32_t operation __asm__("r0") = SEMIHOSTING_EXIT;
    register uint32_t argument __asm__("r1") = reason;
    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
}

int main(void) {
    write_word(UART + UART_DIVISOR, 16);
    write_word(UART + UART_CONTROL, UART_SEND);
    const bool good =
        repeat_and_report((const uint8_t *)(uintptr_t)VECTORS, (uint8_t *)(uintptr_t)MEMORY);
    end(good ? APPLICATION_EXIT : RUN_TIME_ERROR);
    return 0;
}
