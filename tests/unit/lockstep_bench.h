/* What the tests of lockstep share: a program on the cycle simulator and on a fake RTL. */
#ifndef WEFT_TESTS_UNIT_LOCKSTEP_BENCH_H
#define WEFT_TESTS_UNIT_LOCKSTEP_BENCH_H

#include "driver/lockstep.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/good_program.h"
#include "tests/unit/recording.h"
#include "tests/unit/states.h"

/* A program on a state whose regions belong to the test, and a fake beside it. */
struct bench {
    struct weft_config config;
    struct weft_state state;
    uint8_t *regions[WEFT_REGIONS];
    struct weft_lockstep lockstep;
    struct weft_lockstep_settings settings;
    struct weft_lockstep_report report;
    struct weft_error error;
};

/* The program with random bytes in its regions, which begins at a fake_plan of no difference.
 * Released with bench_free(). */
struct bench *bench_of(const char *config, const struct weft_instruction *program, size_t count,
                       const struct weft_regions *regions);

/* The same of good_program(). */
struct bench *good_bench(const char *config);
void bench_free(struct bench *bench);

bool bench_run(struct bench *bench);
void assert_runs(struct bench *bench);

/* Runs, and asserts what the report says. */
void assert_report(struct bench *bench, enum weft_divergence divergence, uint64_t cycle,
                   uint32_t instruction, const char *part);
void assert_same(struct bench *bench);

/* What the cycle model alone says about the good program on ref16. */
const struct recording *good_recording(void);

#endif
