/* Traps of machine mode: the accelerator by way of the PLIC, the timer of the CLINT to wake up. */
#include "firmware/riscv/system.h"

/* The PLIC's registers for context 0, machine mode of hart 0. */
#define PLIC_PRIORITY  (WEFT_SYSTEM_PLIC + 4 * WEFT_SYSTEM_INTERRUPT)
#define PLIC_ENABLE    (WEFT_SYSTEM_PLIC + 0x2000 + 4 * (WEFT_SYSTEM_INTERRUPT / 32))
#define PLIC_THRESHOLD (WEFT_SYSTEM_PLIC + 0x200000)
#define PLIC_CLAIM     (WEFT_SYSTEM_PLIC + 0x200004)

/* The CLINT's timer: an interrupt while mtime >= mtimecmp. */
#define CLINT_MTIMECMP (WEFT_SYSTEM_CLINT + 0x4000)
#define CLINT_MTIME    (WEFT_SYSTEM_CLINT + 0xbff8)

enum {
    MSTATUS_MIE = 8,
    TIMER_BIT = 1 << 7,     /* of mie */
    EXTERNAL_BIT = 1 << 11, /* of mie */
    NAP = 1000 /* ticks of mtime until it wakes up: 100 us at the 10 MHz of QEMU's virt */
};

#define INTERRUPT_EXTERNAL UINT32_C(0x8000000b)

void trap_entry(void); /* start.S */

void traps_start(void) {
    __asm__ volatile("csrw mtvec, %0" : : "r"(trap_entry));
}

void interrupts_start(void) {
    traps_start();
    write_word(PLIC_PRIORITY, 1);
    write_word(PLIC_ENABLE, UINT32_C(1) << WEFT_SYSTEM_INTERRUPT % 32);
    write_word(PLIC_THRESHOLD, 0);
    __asm__ volatile("csrw mie, %0" : : "r"(EXTERNAL_BIT));
    __asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
}

/* Lets the timer's interrupt be pending in NAP ticks. The middle write is one that never matches.
 */
static void set_timer(void) {
    const uint32_t now = read_word(CLINT_MTIME);
    const uint32_t high = read_word(CLINT_MTIME + 4);
    const uint32_t then = now + NAP;
    write_word(CLINT_MTIMECMP, UINT32_MAX);
    write_word(CLINT_MTIMECMP + 4, high + (then < now));
    write_word(CLINT_MTIMECMP, then);
}

/* WFI goes on with a pending interrupt of mie while mstatus.MIE is 0, too. The timer's is never
 * taken: its bit is 0 again before MIE is 1. A carry of mtime between its two halves only makes one
 * nap short. */
void interrupts_wait(const volatile uint32_t *flag, bool limited) {
    __asm__ volatile("csrc mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
    if (*flag == 0) {
        if (limited) {
            set_timer();
            __asm__ volatile("csrs mie, %0" : : "r"(TIMER_BIT));
        }
        __asm__ volatile("wfi" : : : "memory");
        __asm__ volatile("csrc mie, %0" : : "r"(TIMER_BIT));
    }
    __asm__ volatile("csrs mstatus, %0" : : "r"(MSTATUS_MIE) : "memory");
}

void trap(uint32_t cause, uint32_t pc, uint32_t value) {
    if (cause != INTERRUPT_EXTERNAL) {
        unexpected_trap(cause, pc, value);
    }
    const uint32_t source = read_word(PLIC_CLAIM);
    if (source == WEFT_SYSTEM_INTERRUPT) {
        accelerator_interrupt();
    }
    if (source != 0) {
        write_word(PLIC_CLAIM, source);
    }
}
