/* Vectors on a processor without an operating system. */
#ifndef WEFT_TESTS_KERNELS_REPORT_H
#define WEFT_TESTS_KERNELS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

/* Repeats the vectors, and prints (firmware/riscv/print.c) which calls came to something else, and
 * how many did. `memory` has 8 MB. False: these are no vectors, or there is no room for them. */
bool repeat_and_report(const uint8_t *vectors, uint8_t *memory);

#endif
