/* A 16550: registers of one byte each; baud rate and line control are as the loader left them. */
#include "firmware/riscv/system.h"

enum {
    HOLDING = 0, /* what is written is sent */
    STATUS = 5,
    STATUS_EMPTY = 0x20 /* there is room in the holding register */
};

static volatile uint8_t *uart(uint32_t offset) {
    return (volatile uint8_t *)(uintptr_t)(WEFT_SYSTEM_UART + offset);
}

void put_letter(char letter) {
    while ((*uart(STATUS) & STATUS_EMPTY) == 0) {
    }
    *uart(HOLDING) = (uint8_t)letter;
}
