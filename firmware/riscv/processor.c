/* The processor's counter, and its end. */
#include "firmware/riscv/system.h"

/* RDCYCLE and RDCYCLEH are there in processors without machine mode, too. */
static uint32_t low_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("rdcycle %0" : "=r"(cycles));
    return cycles;
}

static uint32_t high_cycles(void) {
    uint32_t cycles;
    __asm__ volatile("rdcycleh %0" : "=r"(cycles));
    return cycles;
}

uint64_t system_cycles(void) {
    uint32_t low;
    uint32_t high;
    do {
        high = high_cycles();
        low = low_cycles();
    } while (high != high_cycles());
    return (uint64_t)high << 32 | low;
}

void finish(uint32_t word) {
    write_word(WEFT_SYSTEM_FINISHER, word);
    for (;;) {
    }
}
