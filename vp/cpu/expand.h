/* Compressed instructions. */
#ifndef WEFT_VP_CPU_EXPAND_H
#define WEFT_VP_CPU_EXPAND_H

#include <stdint.h>

/* The instruction of 32 bits that does what one of 16 bits does; 0, which is illegal, for those
 * that are reserved or of extensions that are not there. */
uint32_t cpu_expand(uint32_t halfword);

#endif
