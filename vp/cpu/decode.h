/* From bits to decoded instructions. */
#ifndef WEFT_VP_CPU_DECODE_H
#define WEFT_VP_CPU_DECODE_H

#include "vp/cpu/state.h"

/* Decodes the instruction at pc, whatever is there. False: it can go elsewhere, so it ends its
 * block. */
bool cpu_decode(const struct weft_cpu *cpu, uint32_t pc, struct cpu_instruction *instruction);

#endif
