/* A RISC-V processor as a model of instructions: RV32IMC, Zicsr, Zicntr, Zifencei, machine mode
 * alone.
 *
 * It owns registers and decoded instructions, nothing else. Memory is the embedder's: RAM through a
 * plain pointer, everything else through two callbacks. Time is the embedder's, too: the counters
 * `cycle` and `time` ask for it, so they follow simulated time while the processor waits as well.
 * Instructions are decoded once, by basic blocks; stores to decoded RAM make the model decode
 * again.
 *
 * What the architecture leaves open:
 * - Instructions are fetched from RAM alone; elsewhere, an instruction access fault.
 * - Loads and stores that are not aligned trap (causes 4 and 6), in RAM and elsewhere, as VexRiscv
 * and PicoRV32 do. Checked before the address is.
 * - Where nothing answers: load access fault (5), store access fault (7).
 * - An instruction that does not exist, or a CSR that does not exist, is for no one to use so or to
 *   write: illegal instruction (2), mtval is the instruction, zero-extended where it has 16 bits.
 *   Reserved encodings of compressed instructions are illegal, hints do nothing. FENCE with any
 * fields does nothing; FENCE.I makes the model decode again.
 * - mtval is the address of a load, a store or a fetch that trapped; 0 for ECALL and EBREAK.
 * - Interrupts are taken between instructions, as soon as one is pending and allowed: external (11)
 *   before software (3) before timer (7). mip shows the lines; writing it does nothing.
 * - mtvec: direct and vectored, base aligned to 4. mepc: bit 0 is 0. mcause and mtval keep all
 * bits. mstatus has MIE and MPIE, MPP reads 3. misa reads RV32IMC. Writing misa, mstatush,
 * mcountinhibit, mhpmcounter3 to 31 and mhpmevent3 to 31 does nothing; all but misa read 0, and so
 * do mvendorid, marchid, mimpid and mconfigptr.
 * - minstret does not count an instruction that traps. Writing it, or mcycle, sets what the next
 *   instruction reads, time apart. Both move the user's counters with them.
 * - WFI waits until an interrupt is pending that mie allows, whatever mstatus.MIE says.
 * - After a reset all registers are 0, mstatus.MIE is 0, and the lines are as they were.
 */
#ifndef WEFT_VP_CPU_CPU_H
#define WEFT_VP_CPU_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_cpu;

enum {
    WEFT_CPU_REGISTERS = 32
};

/* The interrupt lines: their bits in mip and mie. */
enum weft_cpu_interrupt {
    WEFT_CPU_SOFTWARE = 3,
    WEFT_CPU_TIMER = 7,
    WEFT_CPU_EXTERNAL = 11
};

/* Why weft_cpu_run() returned. */
enum weft_cpu_stop {
    WEFT_CPU_INSTRUCTIONS, /* as many instructions as were asked for */
    WEFT_CPU_WROTE,  /* the last instruction was a store outside RAM: what it did to interrupts,
                        the embedder has to work out before more instructions run */
    WEFT_CPU_WAITS,  /* WFI, and nothing is pending that mie allows */
    WEFT_CPU_STOPPED /* a callback called weft_cpu_stop() */
};

/* All callbacks get `context`. They may call the functions of this file but for weft_cpu_run(),
 * weft_cpu_reset() and weft_cpu_destroy(). */
struct weft_cpu_options {
    uint8_t *ram;          /* the embedder's, for as long as the processor is there */
    uint32_t ram_base;     /* address of its first byte; a multiple of 16 */
    uint32_t ram_bytes;    /* a multiple of 16, at least 16; base + bytes at most 2^32 */
    uint32_t reset_vector; /* even */
    uint32_t hart;         /* mhartid */
    void *context;
    /* A load or a store outside RAM; address is a multiple of bytes, which are 1, 2 or 4. False: an
     * access fault. Values are little-endian in the lowest bytes, the rest of what is written is 0.
     */
    bool (*read)(void *context, uint32_t address, uint32_t bytes, uint32_t *value);
    bool (*write)(void *context, uint32_t address, uint32_t bytes, uint32_t value);
    /* Now, in cycles of the processor and in ticks of `time`; weft_cpu_executed() says how far a
     * run has come. Never less than before. */
    uint64_t (*cycles)(void *context);
    uint64_t (*time)(void *context); /* NULL: time and timeh are illegal */
};

/* Makes a processor, reset. Fails with ARGUMENT when an option is outside its range or a callback
 * but `time` is NULL, with OUT_OF_MEMORY. */
bool weft_cpu_create(const struct weft_cpu_options *options, struct weft_cpu **cpu,
                     struct weft_error *error);

/* NULL is nothing. */
void weft_cpu_destroy(struct weft_cpu *cpu);

void weft_cpu_reset(struct weft_cpu *cpu);

/* Runs at most `instructions`; an instruction that traps counts, taking an interrupt does not. A
 * processor that waits goes on once its reason to wait is gone. */
enum weft_cpu_stop weft_cpu_run(struct weft_cpu *cpu, uint64_t instructions);

/* Ends the run after the instruction in progress; for callbacks. */
void weft_cpu_stop(struct weft_cpu *cpu);

/* The level of a line. In a callback it counts from the next instruction on. */
void weft_cpu_set_interrupt(struct weft_cpu *cpu, enum weft_cpu_interrupt line, bool level);

/* Instructions since the processor was made, those that trapped too, exact in callbacks: without
 * the instruction in progress. */
uint64_t weft_cpu_executed(const struct weft_cpu *cpu);

/* Whether WFI waits. */
bool weft_cpu_waits(const struct weft_cpu *cpu);

/* To be called when somebody else has changed RAM that may hold instructions. */
void weft_cpu_code_changed(struct weft_cpu *cpu);

/* Registers, 0 to 31; writing 0 does nothing. */
uint32_t weft_cpu_register(const struct weft_cpu *cpu, uint32_t number);
void weft_cpu_set_register(struct weft_cpu *cpu, uint32_t number, uint32_t value);

/* Where the next instruction is. In a callback: the instruction in progress. */
uint32_t weft_cpu_pc(const struct weft_cpu *cpu);
void weft_cpu_set_pc(struct weft_cpu *cpu, uint32_t pc);

/* Reads a CSR as an instruction would; false: there is none of this number. */
bool weft_cpu_csr(struct weft_cpu *cpu, uint32_t number, uint32_t *value);

#ifdef __cplusplus
}
#endif

#endif
