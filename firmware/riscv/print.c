/* Text, letter by letter. */
#include "firmware/riscv/system.h"

void print(const char *text) {
    while (*text != '\0') {
        put_letter(*text++);
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
        put_letter(digits[--count]);
    }
}

void print_hexadecimal(uint32_t number, int digits) {
    while (digits > 0) {
        put_letter("0123456789abcdef"[number >> 4 * --digits & 15]);
    }
}
