/* An image that tries what firmware/riscv has and says on the UART what came of it: numbers, the
 * processor's counter, waiting without an interrupt, an exception. The finisher is told by its
 * handler. */
#include "firmware/riscv/system.h"

enum {
    MIE_TIMER = 1 << 7,
    MSTATUS_MIE = 8
};

static volatile uint32_t in_bss;
static volatile uint32_t in_data = 12345;
static volatile uint32_t interrupts;

void accelerator_interrupt(void) {
    interrupts++;
}

static void say(const char *what, bool good) {
    print(what);
    print(good ? ": good\n" : ": wrong\n");
}

/* Wakes up by itself, with interrupts on again, and nobody's handler ran. */
static void try_waiting(void) {
    static const volatile uint32_t never = 0;
    static const volatile uint32_t already = 1;
    uint32_t mie;
    uint32_t mstatus;
    interrupts_start();
    for (int i = 0; i < 3; i++) {
        interrupts_wait(&never, true);
    }
    interrupts_wait(&already, false);
    __asm__ volatile("csrr %0, mie" : "=r"(mie));
    __asm__ volatile("csrr %0, mstatus" : "=r"(mstatus));
    say("waiting", (mie & MIE_TIMER) == 0 && (mstatus & MSTATUS_MIE) != 0 && interrupts == 0);
}

void unexpected_trap(uint32_t cause, uint32_t pc, uint32_t value) {
    (void)pc;
    print("trap ");
    print_hexadecimal(cause, 2);
    print(", value ");
    print_hexadecimal(value, 8);
    print("\n");
    finish(WEFT_FINISHER_FAIL | UINT32_C(42) << 16);
}

int main(void) {
    print_number(0);
    print(" ");
    print_number(UINT64_MAX);
    print(" ");
    print_hexadecimal(0x00fedc0a, 8);
    print("\n");
    say("sections", in_bss == 0 && in_data == 12345);
    const uint64_t before = system_cycles();
    const uint64_t after = system_cycles();
    say("counter", after > before);
    try_waiting();
    __asm__ volatile(".word 0xffffffff");
    return (int)WEFT_FINISHER_PASS; /* not reached */
}
