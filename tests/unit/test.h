/* cmocka with the headers that it needs. */
#ifndef WEFT_TESTS_UNIT_TEST_H
#define WEFT_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"

/* Asserts that a call succeeds; shows the message when it does not. */
#define ASSERT_GOOD(call, error)                                                                   \
    do {                                                                                           \
        if (!(call)) {                                                                             \
            print_error("%s: %s\n", weft_error_name((error).code), (error).message);               \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* Asserts that a call fails with a code. */
#define ASSERT_FAILS(call, error, expected)                                                        \
    do {                                                                                           \
        assert_false(call);                                                                        \
        assert_string_equal(weft_error_name((error).code), weft_error_name(expected));             \
    } while (0)

#endif
