/* A processor with RAM, a finisher, a UART that keeps what it is sent, and words of MMIO, for
 * tests. */
#ifndef WEFT_TESTS_CPU_MACHINE_H
#define WEFT_TESTS_CPU_MACHINE_H

#include <stddef.h>

#include "vp/cpu/cpu.h"

#define MACHINE_RAM      UINT32_C(0x80000000)
#define MACHINE_UART     UINT32_C(0x10000000)
#define MACHINE_FINISHER UINT32_C(0x00100000)
#define MACHINE_WORDS    UINT32_C(0x40000000) /* MACHINE_WORD_COUNT words to read and write */

enum {
    MACHINE_RAM_BYTES = 1 << 21, /* what most tests take */
    MACHINE_WORD_COUNT = 16,
    MACHINE_UART_BYTES = 1 << 16
};

struct machine {
    struct weft_cpu *cpu;
    uint8_t *ram;
    uint32_t ram_bytes;
    uint64_t cycles; /* what the clock shows; `time` shows a tenth */
    uint32_t words[MACHINE_WORD_COUNT];
    uint32_t last_address; /* of the last access outside RAM */
    uint32_t last_bytes;
    uint32_t finisher; /* what was written there */
    uint8_t uart[MACHINE_UART_BYTES];
    size_t uart_count;
    /* Called after each access outside RAM, if it is there. */
    void (*accessed)(struct machine *machine);
};

/* Ends the process when there is no memory. */
struct machine *machine_create(uint32_t ram_bytes);
void machine_free(struct machine *machine);

/* A reset, RAM of zeros, nothing in the other fields. */
void machine_clear(struct machine *machine);

/* Writes words to RAM at an offset, for a processor that runs there next. */
void machine_load(struct machine *machine, uint32_t offset, const uint32_t *words, size_t count);

/* The word at an offset of RAM. */
uint32_t machine_word(const struct machine *machine, uint32_t offset);

/* A register of the processor. */
uint32_t machine_csr(const struct machine *machine, uint32_t number);

#endif
