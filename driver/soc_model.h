/* A RISC-V CPU with RAM and the machine as RTL: what a shared library weft_soc_CPU_CONFIG.so hands
 * out.
 *
 * The library is the SystemVerilog of hw/soc and hw/rtl with a CPU, translated by Verilator. It has
 * one symbol, WEFT_SOC_SYMBOL, a weft_soc_interface_function. driver/soc_library.h loads it. No
 * function prints, exits or waits for ever; runs share nothing. */
#ifndef WEFT_DRIVER_SOC_MODEL_H
#define WEFT_DRIVER_SOC_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Changes with every change of this file. */
#define WEFT_SOC_VERSION 1

#define WEFT_SOC_SYMBOL "weft_soc_interface"

enum {
    WEFT_SOC_RAM_LEAST = 1 << 21,   /* bytes of RAM */
    WEFT_SOC_RAM_MULTIPLE = 1 << 10 /* of which they are a multiple; less than 2^31 */
};

/* From reset to a write to the test finisher. */
struct weft_soc_run {
    uint8_t *ram; /* what the CPU and the machine have at 0x80000000 */
    uint64_t ram_bytes;
    /* Cycles from an address of the machine on the bus to its first beat; at least 2. */
    uint32_t memory_latency;
    uint64_t most_cycles; /* not to have ended after so many is an error */
    /* What the UART sends; may be NULL. */
    void (*send)(void *context, uint8_t letter);
    void *context;
};

struct weft_soc_result {
    uint32_t finish; /* the word written to the test finisher */
    uint64_t cycles; /* of the whole run */
};

struct weft_soc_interface {
    uint32_t version;        /* WEFT_SOC_VERSION; nothing else may be looked at when it differs */
    uint64_t fingerprint;    /* weft_config_fingerprint() of the configuration */
    const char *config_name; /* its name */
    const char *cpu_name;

    /* Errors: WEFT_ARGUMENT (sizes of RAM), WEFT_OUT_OF_MEMORY, WEFT_LIMIT (most_cycles),
     * WEFT_INTERNAL (the CPU stopped, an assertion failed). The message says what and in which
     * cycle, position = the cycle. */
    bool (*run)(const struct weft_soc_run *run, struct weft_soc_result *result,
                struct weft_error *error);
};

typedef const struct weft_soc_interface *weft_soc_interface_function(void);

#endif
