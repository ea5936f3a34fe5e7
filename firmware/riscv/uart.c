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

static void put(char letter) {
    while ((*uart(STATUS) & STATUS_EMPTY) == 0) {
    }
    *uart(HOLDING) = (uint8_t)letter;
}

void print(const char *text) {
    while (*text != '\0') {
        put(*text++);
    }
}

void print_number(uint64_t number) {
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0) {
        put(digits[--count]);
    }
}

void print_hexadecimal(uint32_t number, int digits) {
    while (digits > 0) {
        put("0123456789abcdef"[number >> 4 * --digits & 15]);
    }
}
