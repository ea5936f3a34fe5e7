#include "tests/cpu/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

static uint32_t *word_at(struct machine *machine, uint32_t address) {
    const uint32_t index = (address - MACHINE_WORDS) / 4;
    return index < MACHINE_WORD_COUNT ? &machine->words[index] : NULL;
}

static void accessed(struct machine *machine, uint32_t address, uint32_t bytes) {
    machine->last_address = address;
    machine->last_bytes = bytes;
    if (machine->accessed != NULL) {
        machine->accessed(machine);
    }
}

static bool read_mmio(void *context, uint32_t address, uint32_t bytes, uint32_t *value) {
    struct machine *machine = context;
    const uint32_t *word = word_at(machine, address);
    if (word == NULL && address != MACHINE_UART + 5) {
        return false;
    }
    *value = word == NULL ? 0x60 : *word >> 8 * (address % 4); /* the UART is ready to send */
    accessed(machine, address, bytes);
    return true;
}

static bool write_mmio(void *context, uint32_t address, uint32_t bytes, uint32_t value) {
    struct machine *machine = context;
    uint32_t *word = word_at(machine, address);
    if (word != NULL) {
        const uint32_t mask = UINT32_MAX >> (32 - 8 * bytes) << 8 * (address % 4);
        *word = (*word & ~mask) | value << 8 * (address % 4);
    } else if (address == MACHINE_UART && machine->uart_count < MACHINE_UART_BYTES) {
        machine->uart[machine->uart_count++] = (uint8_t)value;
    } else if (address == MACHINE_FINISHER) {
        machine->finisher = value;
        weft_cpu_stop(machine->cpu);
    } else {
        return false;
    }
    accessed(machine, address, bytes);
    return true;
}

static uint64_t cycles(void *context) {
    return ((const struct machine *)context)->cycles;
}

static uint64_t time_of(void *context) {
    return ((const struct machine *)context)->cycles / 10;
}

struct machine *machine_create(uint32_t ram_bytes) {
    struct machine *machine = calloc(1, sizeof *machine);
    struct weft_error error;
    struct weft_cpu_options options = {.ram_base = MACHINE_RAM,
                                       .ram_bytes = ram_bytes,
                                       .reset_vector = MACHINE_RAM,
                                       .hart = 3,
                                       .context = machine,
                                       .read = read_mmio,
                                       .write = write_mmio,
                                       .cycles = cycles,
                                       .time = time_of};
    if (machine != NULL) {
        machine->ram = calloc(1, ram_bytes);
        machine->ram_bytes = ram_bytes;
        options.ram = machine->ram;
    }
    if (machine == NULL || machine->ram == NULL ||
        !weft_cpu_create(&options, &machine->cpu, &error)) {
        fprintf(stderr, "no memory for a machine\n");
        exit(1);
    }
    return machine;
}

void machine_free(struct machine *machine) {
    weft_cpu_destroy(machine->cpu);
    free(machine->ram);
    free(machine);
}

void machine_clear(struct machine *machine) {
    struct weft_cpu *cpu = machine->cpu;
    const struct machine cleared = {
        .cpu = cpu, .ram = machine->ram, .ram_bytes = machine->ram_bytes};
    memset(cleared.ram, 0, cleared.ram_bytes);
    *machine = cleared;
    weft_cpu_set_interrupt(cpu, WEFT_CPU_SOFTWARE, false);
    weft_cpu_set_interrupt(cpu, WEFT_CPU_TIMER, false);
    weft_cpu_set_interrupt(cpu, WEFT_CPU_EXTERNAL, false);
    weft_cpu_reset(cpu);
}

void machine_load(struct machine *machine, uint32_t offset, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        weft_write_u32(machine->ram + offset + 4 * i, words[i]);
    }
    weft_cpu_code_changed(machine->cpu);
}

uint32_t machine_word(const struct machine *machine, uint32_t offset) {
    return weft_read_u32(machine->ram + offset);
}

uint32_t machine_csr(const struct machine *machine, uint32_t number) {
    uint32_t value = 0xdeadbeef;
    (void)weft_cpu_csr(machine->cpu, number, &value);
    return value;
}
