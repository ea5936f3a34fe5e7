/* What a host puts into the memory of a system for the generic firmware image, and what it finds
 * there afterwards. The image is linked to WEFT_BOOT_IMAGE and has all memory up to
 * WEFT_BOOT_ADDRESS; there stands struct weft_boot, and behind it, wherever the structure says,
 * blob, inputs, outputs and arena. The processor starts at WEFT_BOOT_IMAGE. The image ends by a
 * write to the test finisher: WEFT_FINISHER_PASS when status is 0, else WEFT_FINISHER_FAIL with the
 * status as its code; before it does, all that it writes is in memory.
 *
 * The host is trusted: addresses and bytes are taken as they are, but for what weft_model_check()
 * and weft_firmware_init() look at. All numbers are little-endian.
 */
#ifndef WEFT_FIRMWARE_BOOT_H
#define WEFT_FIRMWARE_BOOT_H

#include <stdint.h>

/* The memory map, that of QEMU's machine `virt`, with the accelerator beside it. */
#define WEFT_SYSTEM_FINISHER    UINT32_C(0x00100000)
#define WEFT_SYSTEM_CLINT       UINT32_C(0x02000000)
#define WEFT_SYSTEM_PLIC        UINT32_C(0x0c000000)
#define WEFT_SYSTEM_UART        UINT32_C(0x10000000)
#define WEFT_SYSTEM_ACCELERATOR UINT32_C(0x40000000)
#define WEFT_SYSTEM_RAM         UINT32_C(0x80000000)
#define WEFT_BOOT_IMAGE         WEFT_SYSTEM_RAM
#define WEFT_BOOT_ADDRESS       UINT32_C(0x80200000)

/* What a 32-bit write to the finisher says. */
#define WEFT_FINISHER_PASS UINT32_C(0x5555)
#define WEFT_FINISHER_FAIL UINT32_C(0x3333) /* a code from 1 on in the upper 16 bits */

/* The first eight bytes. */
#define WEFT_BOOT_MAGIC "WEFTBOOT"

enum {
    WEFT_BOOT_VERSION = 1,
    WEFT_BOOT_TENSORS = 16,         /* inputs, and outputs, at most */
    WEFT_SYSTEM_INTERRUPT = 40,     /* the accelerator's source at the PLIC */
    WEFT_SYSTEM_REGISTERS = 0x1000, /* bytes of the accelerator's registers */

    /* Flags. INTERRUPT: the processor has machine mode and the system a PLIC; the end of a program
     * is waited for with WFI. Without it: the image executes no instruction beyond RV32IMC but
     * RDCYCLE and RDCYCLEH, and reads the accelerator's status again and again. */
    WEFT_BOOT_INTERRUPT = 1,

    /* Values of `status` beside those of firmware/status.def: what is wrong with this structure,
     * and an exception that nobody expected. */
    WEFT_BOOT_BAD_BLOCK = 240,
    WEFT_BOOT_BAD_TENSOR = 241, /* counts or bytes are not the model's */
    WEFT_BOOT_TRAP = 242,
    WEFT_BOOT_UNFINISHED = 255 /* what the host writes, if nothing replaces it */
};

/* Bytes at an address of the processor, which is the same on the bus. */
struct weft_boot_range {
    uint32_t address;
    uint32_t bytes;
};

struct weft_boot {
    /* What the host says. */
    uint8_t magic[8]; /* WEFT_BOOT_MAGIC */
    uint32_t version; /* WEFT_BOOT_VERSION */
    uint32_t flags;
    uint32_t runs; /* how often the model runs, each time with these inputs; at least 1 */
    uint32_t watchdog_factor;     /* as in struct weft_platform */
    uint64_t patience;            /* cycles of the processor for each program; 0: for ever */
    struct weft_boot_range blob;  /* at a multiple of 1024 */
    struct weft_boot_range arena; /* at a multiple of 1024 */
    uint32_t input_count;
    uint32_t output_count;
    struct weft_boot_range
        inputs[WEFT_BOOT_TENSORS]; /* in the model's order, of the tensors' bytes */
    struct weft_boot_range outputs[WEFT_BOOT_TENSORS];

    /* What the image says. */
    uint32_t status;           /* 0: everything done */
    uint32_t runs_done;        /* those that ended well */
    uint64_t cycles;           /* of the accelerator in the last run, as its counter says */
    uint64_t processor_cycles; /* from the start of the first run to the end of the last one */
    uint32_t step;             /* of the model, where the last run ended */
    uint32_t instruction;      /* at which the accelerator faulted; 0 otherwise */
    uint32_t trap_cause;       /* WEFT_BOOT_TRAP: mcause, mepc and mtval */
    uint32_t trap_pc;
    uint32_t trap_value;
    uint32_t reserved; /* 0 */
};

#endif
