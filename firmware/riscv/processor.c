/* The processor's counter, and its end. */
#include "firmware/riscv/system.h"

/* RDCYCLE and RDCYCLEH are there in processors without machine mode, too. */
uint64_t system_cycles(void) {
    uint32_t low;
    uint32_t high;
    uint32_t again;
    do {
        __asm__ volatile("rdcycleh %0" : "=r"(high));
        __asm__ volatile("rdcycle %0" : "=r"(low));
        __asm__ volatile("rdcycleh %0" : "=r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
}

void finish(uint32_t word) {
    write_word(WEFT_SYSTEM_FINISHER, word);
    for (;;) {
    }
}
