/* One thing to run on both simulators: a program with everything that its run depends on. */
#ifndef WEFT_TESTS_COSIM_CASE_H
#define WEFT_TESTS_COSIM_CASE_H

#include "sim/timing/timing.h"

enum {
    CASE_RAWS = 4,
};

/* The bytes of an instruction that does not decode. */
struct cosim_raw {
    uint32_t number;
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
};

struct cosim_case {
    const struct weft_config *config;
    struct weft_program program; /* owned; opcode 0 stands for an instruction of `raw` */
    struct cosim_raw raw[CASE_RAWS];
    unsigned raws;
    struct weft_regions regions;
    uint64_t memory_latency;  /* cycles, not 0 */
    uint64_t memory_interval; /* cycles, not 0 */
    uint64_t memory_dram;     /* enum weft_dram */
    uint64_t memory_clock;    /* kHz; 0 without DRAM */
    uint64_t watchdog;        /* 0: none */
    uint64_t data_seed;       /* of the initial contents of all memories */
    /* The verifier need not accept the program: only times and faults can be compared. */
    bool timing_only;
    uint64_t seed; /* that the case was made from; 0: none */
    /* Raised in the same cycle as the fault that is reported, and not reported itself. */
    enum weft_fault also;
};

/* A configuration of hw/configs or of this folder by its name; else, a file of that name. Errors:
 * those of weft_config_read(). */
bool case_config(const char *name, struct weft_config *config, struct weft_error *error);

void case_free(struct cosim_case *test);
bool case_copy(const struct cosim_case *from, struct cosim_case *to, struct weft_error *error);

/* The raw bytes that stand at a number, or NULL. */
const struct cosim_raw *case_raw_at(const struct cosim_case *test, uint32_t number);

/* Puts bytes that do not decode in the place of an instruction. */
void case_set_raw(struct cosim_case *test, uint32_t number,
                  const uint8_t bytes[WEFT_INSTRUCTION_BYTES]);

/* Writes the program as it stands in memory: count * 64 bytes. Error: WEFT_ENCODING. */
bool case_encode(const struct cosim_case *test, uint8_t *bytes, struct weft_error *error);

struct weft_memory_settings case_memory(const struct cosim_case *test);
struct weft_timing_settings case_settings(const struct cosim_case *test);

/* Does the verifier accept the program? */
bool case_verify(const struct cosim_case *test, struct weft_error *error);

/* The case as assembly, its settings in comments that begin with `;!`; case_parse() reads it back
 * to the same case. The configuration is known by its name. */
void case_print(const struct cosim_case *test, struct weft_text *text);

/* *config is filled and must outlive the case. Errors: WEFT_ASSEMBLY, those of case_config().
 */
bool case_parse(const char *source, size_t length, struct weft_config *config,
                struct cosim_case *test, struct weft_error *error);

#endif
