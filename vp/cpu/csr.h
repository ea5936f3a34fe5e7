/* Control and status registers. */
#ifndef WEFT_VP_CPU_CSR_H
#define WEFT_VP_CPU_CSR_H

#include "vp/cpu/state.h"

/* Reads a register as it is before the instruction in progress, which has arrived (cpu_arrive()).
 * False: there is none of this number. */
bool cpu_read_csr(const struct weft_cpu *cpu, uint32_t number, uint32_t *value);

#endif
