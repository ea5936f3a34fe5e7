/* Runs of the cycle model with everything that its observer is told. */
#ifndef WEFT_TESTS_UNIT_RECORDING_H
#define WEFT_TESTS_UNIT_RECORDING_H

#include "sim/timing/timing.h"
#include "tests/unit/helpers.h"

enum {
    RECORDED_INSTRUCTIONS = 256,
    RECORDED_BURSTS = 4096,
};

struct recorded_burst {
    uint64_t address;
    uint64_t cycle;
    uint64_t first;
    uint32_t bytes;
    enum weft_master master;
};

/* Cycles of what happened to each instruction; 0: it did not. */
struct recording {
    struct weft_run_result result;
    uint64_t dispatched[RECORDED_INSTRUCTIONS];
    uint64_t started[RECORDED_INSTRUCTIONS];
    uint64_t finished[RECORDED_INSTRUCTIONS];
    struct recorded_burst burst[RECORDED_BURSTS];
    unsigned bursts;
    uint64_t last_call;
};

/* Runs a program whose region has exactly its size; the other regions have a megabyte. Asserts that
 * the observer is called in the order of cycles and that every cycle of a unit is counted once. */
const struct recording *record(const struct weft_config *config,
                               const struct weft_instruction *program, size_t count);

/* As record(), with memory and watchdog set; a limit of 0 stands for those of record(). */
const struct recording *record_with(const struct weft_config *config,
                                    const struct weft_instruction *program, size_t count,
                                    const struct weft_timing_settings *settings);

/* Asserts that a run ended without fault in a cycle. */
void assert_halted(const struct recording *run, uint64_t cycle);
void assert_fault(const struct recording *run, enum weft_fault fault, uint32_t instruction,
                  uint64_t cycle);

/* ---- instructions that own no banks ---- */

struct weft_instruction load_of(uint32_t bytes);
struct weft_instruction store_of(uint32_t bytes);
/* Writes `lines` whole lines. */
struct weft_instruction fill_of(const struct weft_config *config, uint32_t lines);
/* One weight tile, or `tiles` of them, for rows * columns pixels. */
struct weft_instruction dense_of(uint32_t tiles, uint32_t rows, uint32_t columns);
/* FILL of `slots` vectors: takes as many slots. */
struct weft_instruction slots_of(uint32_t slots);
struct weft_instruction fence_of(void);
struct weft_instruction halt_of(void);

#endif
