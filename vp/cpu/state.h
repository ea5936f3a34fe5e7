/* What the files of the processor share: its state, and a decoded instruction. */
#ifndef WEFT_VP_CPU_STATE_H
#define WEFT_VP_CPU_STATE_H

#include "vp/cpu/cpu.h"

enum {
    /* Writes of register 0 go to an element of its own, which nobody reads. */
    CPU_NO_REGISTER = WEFT_CPU_REGISTERS,
    /* Stores are compared with decoded instructions by pieces of RAM of so many bytes. */
    CPU_CODE_PIECE = 16
};

/* Bits of mstatus. */
#define CPU_MSTATUS_MIE  UINT32_C(0x00000008)
#define CPU_MSTATUS_MPIE UINT32_C(0x00000080)
#define CPU_MSTATUS_MPP  UINT32_C(0x00001800)

/* Exceptions, as mcause numbers them. */
enum cpu_cause {
    CPU_FETCH_FAULT = 1,
    CPU_ILLEGAL = 2,
    CPU_BREAKPOINT = 3,
    CPU_LOAD_MISALIGNED = 4,
    CPU_LOAD_FAULT = 5,
    CPU_STORE_MISALIGNED = 6,
    CPU_STORE_FAULT = 7,
    CPU_ECALL = 11
};

/* Why a run leaves its loop between two blocks. */
enum {
    CPU_EVENT_WROTE = 1,
    CPU_EVENT_STOPPED = 2,
    CPU_EVENT_WAITS = 4,
    CPU_EVENT_CODE_CHANGED = 8
};

/* Carries out an instruction. True: the next one is the one behind it. False: pc says where it is,
 * and the block ends. */
struct cpu_instruction;
typedef bool cpu_run_instruction(struct weft_cpu *cpu, const struct cpu_instruction *instruction);

struct cpu_instruction {
    cpu_run_instruction *run;
    uint32_t pc;
    uint32_t immediate; /* sign-extended; of an instruction on a CSR its number */
    uint32_t bits;      /* as fetched: 16 bits zero-extended, or 32 */
    uint8_t rd;         /* CPU_NO_REGISTER: none */
    uint8_t rs1;        /* of csrr*i: the immediate */
    uint8_t rs2;
    uint8_t length; /* 2 or 4 */
};

/* Instructions that follow each other up to one that can go elsewhere. */
struct cpu_block {
    uint32_t pc;
    uint32_t count; /* 0: none */
    const struct cpu_instruction *first;
};

struct weft_cpu {
    uint32_t x[WEFT_CPU_REGISTERS + 1];
    uint32_t pc; /* while a block runs: of the block, or of the instruction of a callback */
    uint32_t events;
    uint32_t lines; /* mip */
    uint32_t mie;
    uint32_t mstatus; /* MIE and MPIE */
    uint32_t mtvec;
    uint32_t mscratch;
    uint32_t mepc;
    uint32_t mcause;
    uint32_t mtval;
    bool waits;
    uint64_t executed; /* up to `counted` */
    uint64_t trapped;
    uint64_t cycle_offset;   /* what mcycle reads more than the embedder's clock says */
    uint64_t instret_offset; /* likewise, than executed - trapped */
    const struct cpu_instruction *counted; /* of the block that runs: the first not in `executed` */

    uint8_t *code; /* for each piece of RAM: whether instructions of it are decoded */
    struct cpu_block *blocks;
    struct cpu_instruction *pool;
    uint32_t pool_used;
    struct weft_cpu_options options;
};

/* Brings `executed` and pc up to an instruction in progress, for whoever can look at them now. */
static inline void cpu_arrive(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->executed += (uint64_t)(instruction - cpu->counted);
    cpu->counted = instruction;
    cpu->pc = instruction->pc;
}

/* Ends the block behind an instruction. */
static inline bool cpu_leave(struct weft_cpu *cpu, const struct cpu_instruction *instruction) {
    cpu->pc = instruction->pc + instruction->length;
    return false;
}

#endif
