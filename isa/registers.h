/* The registers of isa/registers.def for C: addresses in bytes, and what their bits mean
 * (docs/registers.md). */
#ifndef WEFT_ISA_REGISTERS_H
#define WEFT_ISA_REGISTERS_H

enum weft_register {
#define WEFT_REGISTER(name, address, doc) WEFT_REGISTER_##name = (address),
#include "isa/registers.def"
#undef WEFT_REGISTER
    WEFT_REGISTER_BYTES = 0x1000, /* that they take on a bus */
};

enum {
    WEFT_START_RUN = 1 << 0,
    WEFT_ABORT_RUN = 1 << 0,
    WEFT_STATUS_RUNNING = 1 << 0,
    WEFT_STATUS_ENDED = 1 << 1,
    WEFT_STATUS_FAULT_SHIFT = 8,
    WEFT_STATUS_FAULT_MASK = 0xf << WEFT_STATUS_FAULT_SHIFT,
    WEFT_INTERRUPT_PENDING = 1 << 0,
    WEFT_INTERRUPT_ENABLED = 1 << 1,
};

/* Register 0, low half: "WEFT" as it lies in memory; the high half is
 * WEFT_REGISTER_MAP_VERSION. */
#define WEFT_REGISTER_MAGIC 0x54464557U

#endif
