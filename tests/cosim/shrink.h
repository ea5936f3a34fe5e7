/* Makes a failing case small: fewer instructions, smaller counts, simpler numbers. */
#ifndef WEFT_TESTS_COSIM_SHRINK_H
#define WEFT_TESTS_COSIM_SHRINK_H

#include "tests/cosim/case.h"

/* Does the case still fail in the way that is looked for? */
typedef bool shrink_predicate(void *context, const struct cosim_case *test);

struct shrink_result {
    unsigned calls; /* of the predicate */
    bool stopped;   /* at the most calls: it might get smaller */
};

/* Replaces *test by smaller cases for which the predicate holds, as long as there are any, with at
 * most `most_calls` calls. A case that the verifier accepts stays one that it accepts; of one with
 * timing_only no instruction gets an error that it did not have. Error: WEFT_OUT_OF_MEMORY; *test
 * is then as small as it was. */
bool shrink(struct cosim_case *test, shrink_predicate *fails, void *context, unsigned most_calls,
            struct shrink_result *result, struct weft_error *error);

/* Removes the instructions [first, first + count) and the tokens that they give and take; with
 * `bridge`, what waited for one of them waits for what that one waited for. HALT can be removed. */
void case_remove(struct cosim_case *test, uint32_t first, uint32_t count, bool bridge);

/* Removes the token that an instruction gives to a consumer, at both its ends. */
void case_unlink(struct cosim_case *test, uint32_t number, unsigned consumer);

#endif
