/* A program that uses every opcode and every semaphore, and that verifies. */
#ifndef WEFT_TESTS_UNIT_GOOD_PROGRAM_H
#define WEFT_TESTS_UNIT_GOOD_PROGRAM_H

#include "isa/isa.h"
#include "tests/unit/helpers.h"

/* Where each instruction of the program stands. A letter pair is the semaphore whose token the
 * instruction takes or gives: LM is from load to matrix. */
enum {
    GOOD_LOAD_INPUT,            /* ACT 0 */
    GOOD_LOAD_WEIGHTS,          /* WGT 0; gives LM */
    GOOD_LOAD_PARAMETERS,       /* PAR 0 */
    GOOD_LOAD_TABLE,            /* LUT; gives LV */
    GOOD_FILL,                  /* ACT 3; gives LV */
    GOOD_DENSE,                 /* ACT 0, WGT 0, ACC 0; takes LM, gives MV */
    GOOD_DEPTHWISE,             /* ACT 0, WGT 0, ACC 1; gives ML, MV */
    GOOD_REQUANT_DENSE,         /* ACC 0, PAR 0 to ACT 1; takes LV, MV, gives VM */
    GOOD_REQUANT_DEPTHWISE,     /* ACC 1, PAR 0 to ACT 2; takes MV */
    GOOD_ADD,                   /* ACT 1, ACT 3, PAR 0 to ACT 4; takes LV, gives VL, VS */
    GOOD_LOOK_UP,               /* ACT 1, LUT to ACT 5; gives VS */
    GOOD_POOL,                  /* ACT 2 to ACT 6 */
    GOOD_STORE_SUM,             /* ACT 4 to outputs; takes VS, gives SV */
    GOOD_STORE_SCRATCH,         /* ACT 5 to scratch; takes VS, gives SL, SM */
    GOOD_LOAD_AGAIN,            /* ACT 0; takes ML, gives LM */
    GOOD_LOAD_PARAMETERS_AGAIN, /* PAR 0; takes VL */
    GOOD_LOAD_SCRATCH,          /* scratch to ACT 7; takes SL, gives LV */
    GOOD_MAX,                   /* ACT 2, ACT 6 to ACT 4; takes SV */
    GOOD_RESCALE,               /* ACT 7 to ACT 11; takes LV, gives VS */
    GOOD_ACCUMULATE,            /* ACT 0, WGT 0, ACC 0; takes LM, VM */
    GOOD_DENSE_AGAIN,           /* ACT 5, WGT 0, ACC 2; takes SM, gives MS */
    GOOD_STORE_TABLE,           /* ACT 5 to outputs; takes MS */
    GOOD_STORE_RESCALED,        /* ACT 11 to outputs; takes VS */
    GOOD_FENCE,
    GOOD_REQUANT_AGAIN,       /* ACC 2, PAR 0 to ACT 5 */
    GOOD_REQUANT_ACCUMULATED, /* ACC 0, PAR 0 to ACT 6; gives VS */
    GOOD_STORE_AGAIN,         /* ACT 5 to outputs; takes VS */
    GOOD_STORE_ACCUMULATED,   /* ACT 6 to outputs */
    GOOD_HALT,
    GOOD_COUNT,
};

struct good {
    struct weft_instruction program[GOOD_COUNT];
    struct weft_regions regions; /* of exactly the bytes that are used */
};

struct good good_program(const struct weft_config *config);

/* Asserts that the good program with instruction `at` replaced by `mutant` breaks a rule there, and
 * that the message has the instruction's number and `part`. */
void assert_mutant_breaks(const struct weft_config *config, size_t at,
                          const struct weft_instruction *mutant, enum weft_error_code code,
                          const char *part);

/* Mutants of one field, for ref16. */
struct field_case {
    size_t at;
    const char *field;
    unsigned index;
    int64_t value;
    const char *part;
};
void assert_fields_break(const struct field_case *cases, size_t count, enum weft_error_code code);

/* Inputs, constants and cleared other regions of the program's sizes; released together. */
struct good_regions {
    uint8_t *bytes[WEFT_REGIONS];
};
struct good_regions good_regions_new(const struct good *good, uint64_t seed);
void good_regions_free(struct good_regions *regions);

#endif
