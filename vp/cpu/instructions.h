/* What carries out each instruction; files as in instructions.def. */
#ifndef WEFT_VP_CPU_INSTRUCTIONS_H
#define WEFT_VP_CPU_INSTRUCTIONS_H

#include "vp/cpu/state.h"

#define CPU_INSTRUCTION(name, mask, match, format) cpu_run_instruction cpu_run_##name;
#include "vp/cpu/instructions.def"
#undef CPU_INSTRUCTION

/* Stands where no instruction can be fetched. */
cpu_run_instruction cpu_run_fetch_fault;

#endif
