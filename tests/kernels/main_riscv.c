/* An image that repeats the vectors at VECTORS and says on the UART which calls came to something
 * else. */
#include "firmware/riscv/system.h"
#include "tests/kernels/report.h"

#define VECTORS UINT32_C(0x81000000)
#define MEMORY  UINT32_C(0x82000000)

void accelerator_interrupt(void) {
}

void unexpected_trap(uint32_t cause, uint32_t pc, uint32_t value) {
    print("trap ");
    print_hexadecimal(cause, 8);
    print(" at ");
    print_hexadecimal(pc, 8);
    print(", value ");
    print_hexadecimal(value, 8);
    print("\n");
    finish(WEFT_FINISHER_FAIL | 1U << 16);
}

int main(void) {
    traps_start();
    const bool good =
        repeat_and_report((const uint8_t *)(uintptr_t)VECTORS, (uint8_t *)(uintptr_t)MEMORY);
    return (int)(good ? WEFT_FINISHER_PASS : WEFT_FINISHER_FAIL | 1U << 16);
}
