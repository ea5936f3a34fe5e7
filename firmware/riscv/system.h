/* The devices of a system with QEMU virt's memory map (firmware/boot.h). */
#ifndef WEFT_FIRMWARE_RISCV_SYSTEM_H
#define WEFT_FIRMWARE_RISCV_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/boot.h"

static inline uint32_t read_word(uint32_t address) {
    return *(const volatile uint32_t *)(uintptr_t)address;
}

static inline void write_word(uint32_t address, uint32_t value) {
    *(volatile uint32_t *)(uintptr_t)address = value;
}

/* Cycles of the processor since it started. */
uint64_t system_cycles(void);

/* A letter over the UART (uart.c). Text (print.c): strings, and numbers in decimal and hexadecimal
 * of `digits` digits.
 */
void put_letter(char letter);
void print(const char *text);
void print_number(uint64_t number);
void print_hexadecimal(uint32_t number, int digits);

/* Sends traps to trap() (interrupt.c); and lets the accelerator's interrupt be one. */
void traps_start(void);
void interrupts_start(void);

/* Waits until *flag is not 0, for a while at most. Interrupts are taken between the look at the
 * flag and the return, never between the look and the sleep. With `limited` it wakes up now and
 * then. */
void interrupts_wait(const volatile uint32_t *flag, bool limited);

/* What happens at a trap: an interrupt of the accelerator calls accelerator_interrupt(), everything
 * else unexpected_trap(), which does not return; both are the image's. */
void trap(uint32_t cause, uint32_t pc, uint32_t value);
void accelerator_interrupt(void);
_Noreturn void unexpected_trap(uint32_t cause, uint32_t pc, uint32_t value);

/* Tells the finisher, and stops. */
_Noreturn void finish(uint32_t word);

#endif
