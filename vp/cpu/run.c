#include "vp/cpu/cpu.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "vp/cpu/blocks.h"
#include "vp/cpu/csr.h"
#include "vp/cpu/state.h"
#include "vp/cpu/trap.h"

static bool check_options(const struct weft_cpu_options *options, struct weft_error *error) {
    if (options->ram == NULL || options->ram_bytes == 0 ||
        options->ram_base % CPU_CODE_PIECE != 0 || options->ram_bytes % CPU_CODE_PIECE != 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "RAM of %u bytes at 0x%08x: expected some, both multiples of %d",
                         options->ram_bytes, options->ram_base, CPU_CODE_PIECE);
    }
    if (options->ram_bytes - 1 > UINT32_MAX - options->ram_base) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "RAM of %u bytes at 0x%08x ends beyond 4 GB",
                         options->ram_bytes, options->ram_base);
    }
    if (options->reset_vector % 2 != 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "reset vector 0x%08x: expected an even address",
                         options->reset_vector);
    }
    if (options->read == NULL || options->write == NULL || options->cycles == NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "processor without callbacks to read, to write or for cycles");
    }
    return true;
}

bool weft_cpu_create(const struct weft_cpu_options *options, struct weft_cpu **cpu,
                     struct weft_error *error) {
    if (!check_options(options, error)) {
        return false;
    }
    struct weft_cpu *created = calloc(1, sizeof *created);
    if (created == NULL) {
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for a processor");
    }
    created->options = *options;
    if (!cpu_make_blocks(created)) {
        weft_cpu_destroy(created);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0,
                         "no memory for the decoded instructions of a processor");
    }
    weft_cpu_reset(created);
    *cpu = created;
    return true;
}

void weft_cpu_destroy(struct weft_cpu *cpu) {
    if (cpu != NULL) {
        cpu_free_blocks(cpu);
        free(cpu);
    }
}

void weft_cpu_reset(struct weft_cpu *cpu) {
    cpu_forget_blocks(cpu);
    memset(cpu->x, 0, sizeof cpu->x);
    cpu->pc = cpu->options.reset_vector;
    cpu->events = 0;
    cpu->mie = 0;
    cpu->mstatus = 0;
    cpu->mtvec = 0;
    cpu->mscratch = 0;
    cpu->mepc = 0;
    cpu->mcause = 0;
    cpu->mtval = 0;
    cpu->waits = false;
    cpu->cycle_offset = 0;
    cpu->instret_offset = 0;
}

/* Runs a block, at most `most` instructions of it; how many. */
static uint64_t run_block(struct weft_cpu *cpu, const struct cpu_block *block, uint64_t most) {
    const struct cpu_instruction *instruction = block->first;
    const struct cpu_instruction *end = instruction + (block->count < most ? block->count : most);
    cpu->counted = instruction;
    while (instruction->run(cpu, instruction)) {
        instruction++;
        if (instruction == end) {
            cpu->pc = instruction[-1].pc + instruction[-1].length;
            break;
        }
    }
    const struct cpu_instruction *behind = instruction == end ? end : instruction + 1;
    cpu->executed += (uint64_t)(behind - cpu->counted);
    return (uint64_t)(behind - block->first);
}

/* What happened in a block; true: the run ends, for *stop. */
static bool ends_run(struct weft_cpu *cpu, enum weft_cpu_stop *stop) {
    const uint32_t events = cpu->events;
    cpu->events = 0;
    if ((events & CPU_EVENT_CODE_CHANGED) != 0) {
        cpu_forget_blocks(cpu);
    }
    if ((events & CPU_EVENT_STOPPED) != 0) {
        *stop = WEFT_CPU_STOPPED;
    } else if ((events & CPU_EVENT_WROTE) != 0) {
        *stop = WEFT_CPU_WROTE;
    } else if ((events & CPU_EVENT_WAITS) != 0) {
        *stop = WEFT_CPU_WAITS;
    }
    return (events & ~(uint32_t)CPU_EVENT_CODE_CHANGED) != 0;
}

enum weft_cpu_stop weft_cpu_run(struct weft_cpu *cpu, uint64_t instructions) {
    enum weft_cpu_stop stop = WEFT_CPU_INSTRUCTIONS;
    (void)ends_run(cpu, &stop); /* code that was changed between runs */
    stop = WEFT_CPU_INSTRUCTIONS;
    if (cpu->waits && (cpu->lines & cpu->mie) == 0) {
        return WEFT_CPU_WAITS;
    }
    cpu->waits = false;
    while (instructions > 0) {
        cpu_take_interrupt(cpu);
        instructions -= run_block(cpu, cpu_block_at(cpu, cpu->pc), instructions);
        if (cpu->events != 0 && ends_run(cpu, &stop)) {
            break;
        }
    }
    return stop;
}

void weft_cpu_stop(struct weft_cpu *cpu) {
    cpu->events |= CPU_EVENT_STOPPED;
}

void weft_cpu_set_interrupt(struct weft_cpu *cpu, enum weft_cpu_interrupt line, bool level) {
    const uint32_t bit = UINT32_C(1) << line;
    cpu->lines = level ? cpu->lines | bit : cpu->lines & ~bit;
}

uint64_t weft_cpu_executed(const struct weft_cpu *cpu) {
    return cpu->executed;
}

bool weft_cpu_waits(const struct weft_cpu *cpu) {
    return cpu->waits;
}

void weft_cpu_code_changed(struct weft_cpu *cpu) {
    cpu->events |= CPU_EVENT_CODE_CHANGED;
}

uint32_t weft_cpu_register(const struct weft_cpu *cpu, uint32_t number) {
    return cpu->x[number % WEFT_CPU_REGISTERS];
}

void weft_cpu_set_register(struct weft_cpu *cpu, uint32_t number, uint32_t value) {
    if (number != 0) {
        cpu->x[number % WEFT_CPU_REGISTERS] = value;
    }
}

uint32_t weft_cpu_pc(const struct weft_cpu *cpu) {
    return cpu->pc;
}

void weft_cpu_set_pc(struct weft_cpu *cpu, uint32_t pc) {
    cpu->pc = pc & ~UINT32_C(1);
}

bool weft_cpu_csr(struct weft_cpu *cpu, uint32_t number, uint32_t *value) {
    return cpu_read_csr(cpu, number, value);
}
