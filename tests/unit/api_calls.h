/* Calls of api/weft.h in tests, and the digits network through them. */
#ifndef WEFT_TESTS_UNIT_API_CALLS_H
#define WEFT_TESTS_UNIT_API_CALLS_H

#include "api/weft.h"
#include "tests/unit/modules.h"

#define MODEL DIGITS_FOLDER "/digits.tflite"

#define ASSERT_DONE(call, failure)                                                                 \
    do {                                                                                           \
        if (!(call)) {                                                                             \
            print_error("%s: %s\n", weft_failure_name((failure).code), (failure).message);         \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* Fails unless the failure has the code, and its message the part. */
void assert_failure(const struct weft_failure *failure, enum weft_failure_code code,
                    const char *part);

#define ASSERT_REFUSED(call, failure, code, part)                                                  \
    do {                                                                                           \
        assert_false(call);                                                                        \
        assert_failure(&(failure), code, part);                                                    \
    } while (0)

/* Options with one of them set; the caller releases them. */
struct weft_options *options_of(const char *name, const char *value);

/* The digits network for ref16, and a runner of a network; the caller releases them. */
struct weft_network *load(void);
struct weft_runner *open_runner(struct weft_network *network, const char *target);

#endif
