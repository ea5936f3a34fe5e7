/* Decoded instructions, kept by blocks. */
#ifndef WEFT_VP_CPU_BLOCKS_H
#define WEFT_VP_CPU_BLOCKS_H

#include "vp/cpu/state.h"

/* Memory for blocks; false: there is none. What was made so far is cpu_free_blocks()'s. */
bool cpu_make_blocks(struct weft_cpu *cpu);

void cpu_free_blocks(struct weft_cpu *cpu);

/* Forgets all blocks. */
void cpu_forget_blocks(struct weft_cpu *cpu);

/* The block at pc, decoded if it was not. Holds until the next call, or until blocks are forgotten.
 */
const struct cpu_block *cpu_block_at(struct weft_cpu *cpu, uint32_t pc);

#endif
