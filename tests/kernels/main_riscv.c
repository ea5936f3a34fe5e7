/* An image that repeats the vectors at VECTORS and says on the UART which calls came to something
 * else; the finisher gets how many. */
#include <stddef.h>

#include "firmware/riscv/system.h"
#include "kernels/kernels.h"
#include "tests/kernels/vectors.h"

#define VECTORS UINT32_C(0x81000000)
#define MEMORY  UINT32_C(0x82000000)

enum {
    MEMORY_BYTES = 16 << 20
};

static void print_report(const struct vector_report *report) {
    print(weft_kernels[report->kernel].name);
    print(": call ");
    print_number(report->vector);
    print(", status ");
    print_number(report->status);
    print(", differ ");
    print_number(report->differ);
    print(", beyond ");
    print_number(report->beyond);
    print(", most ");
    print_number(report->most);
    print("\n");
}

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

uint32_t main(void) {
    traps_start();
    const uint32_t wrong = run_vectors((const uint8_t *)(uintptr_t)VECTORS,
                                       (uint8_t *)(uintptr_t)MEMORY, MEMORY_BYTES, print_report);
    if (wrong == UINT32_MAX) {
        print("no vectors, or no room for them\n");
        return WEFT_FINISHER_FAIL | 1U << 16;
    }
    print_number(((const struct vectors *)(uintptr_t)VECTORS)->count);
    print(" calls, ");
    print_number(wrong);
    print(" came to something else\n");
    return WEFT_FINISHER_PASS;
}
