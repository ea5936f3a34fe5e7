/* Ways to run a case twice and compare. */
#ifndef WEFT_TESTS_COSIM_COMPARE_H
#define WEFT_TESTS_COSIM_COMPARE_H

#include "tests/cosim/case.h"

enum verdict {
    VERDICT_SAME,
    VERDICT_DIFFERENT,
    VERDICT_SKIPPED, /* more than this comparison can do */
};

struct comparison {
    const char *name;
    /* Makes ready for cases of a configuration. False: this comparison is not to be had; the error
     * says why. */
    bool (*open)(const struct weft_config *config, void **context, struct weft_error *error);
    /* Compares; says in `text` what differs. False: the case could not be run. */
    bool (*run)(void *context, const struct cosim_case *test, enum verdict *verdict,
                struct weft_text *text, struct weft_error *error);
    void (*close)(void *context);
};

/* The cycle simulator with plain kernels, with each other kind and without data, and the functional
 * simulator. */
extern const struct comparison compare_kernels;

/* The cycle model and tests/unit/reference_timing, docs/timing.md cycle by cycle. */
extern const struct comparison compare_reference;

#endif
