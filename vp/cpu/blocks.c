#include "vp/cpu/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "vp/cpu/decode.h"

enum {
    BLOCKS = 1 << 14, /* one of them for each pc of the same lowest bits */
    POOL = 1 << 16,   /* instructions of all blocks */
    LONGEST = 64      /* of one block */
};

static uint32_t pieces(const struct weft_cpu *cpu) {
    return cpu->options.ram_bytes / CPU_CODE_PIECE;
}

bool cpu_make_blocks(struct weft_cpu *cpu) {
    cpu->code = calloc(pieces(cpu), 1);
    cpu->blocks = calloc(BLOCKS, sizeof *cpu->blocks);
    cpu->pool = calloc(POOL, sizeof *cpu->pool);
    return cpu->code != NULL && cpu->blocks != NULL && cpu->pool != NULL;
}

void cpu_free_blocks(struct weft_cpu *cpu) {
    free(cpu->code);
    free(cpu->blocks);
    free(cpu->pool);
}

/* Says of the pieces of RAM that hold an instruction whether one is decoded there. */
static void mark(struct weft_cpu *cpu, const struct cpu_instruction *instruction, uint8_t decoded) {
    for (uint32_t byte = 0; byte < instruction->length; byte += 2) {
        const uint32_t offset = instruction->pc + byte - cpu->options.ram_base;
        if (offset < cpu->options.ram_bytes) {
            cpu->code[offset / CPU_CODE_PIECE] = decoded;
        }
    }
}

/* Goes through what is decoded, not through RAM, which is large. */
void cpu_forget_blocks(struct weft_cpu *cpu) {
    for (uint32_t i = 0; i < cpu->pool_used; i++) {
        mark(cpu, &cpu->pool[i], 0);
    }
    memset(cpu->blocks, 0, BLOCKS * sizeof *cpu->blocks);
    cpu->pool_used = 0;
}

static void decode_block(struct weft_cpu *cpu, uint32_t pc, struct cpu_block *block) {
    struct cpu_instruction *first = cpu->pool + cpu->pool_used;
    uint32_t count = 0;
    uint32_t next = pc;
    bool goes_on = true;
    while (goes_on && count < LONGEST) {
        goes_on = cpu_decode(cpu, next, &first[count]);
        mark(cpu, &first[count], 1);
        next += first[count].length;
        count++;
    }
    cpu->pool_used += count;
    *block = (struct cpu_block){.pc = pc, .count = count, .first = first};
}

const struct cpu_block *cpu_block_at(struct weft_cpu *cpu, uint32_t pc) {
    struct cpu_block *block = &cpu->blocks[pc >> 1 & (BLOCKS - 1)];
    if (block->count == 0 || block->pc != pc) {
        if (cpu->pool_used + LONGEST > POOL) {
            cpu_forget_blocks(cpu);
        }
        decode_block(cpu, pc, block);
    }
    return block;
}
