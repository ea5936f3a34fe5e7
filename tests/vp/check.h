/* Assertions of tests that run as a simulation: a failure is printed and ends the process. */
#ifndef WEFT_TESTS_VP_CHECK_H
#define WEFT_TESTS_VP_CHECK_H

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    } while (0)

#define CHECK_EQUAL(actual, expected) check_equal(__FILE__, __LINE__, #actual, actual, expected)

inline void check_equal(const char *file, int line, const char *text, std::uint64_t actual,
                        std::uint64_t expected) {
    if (actual != expected) {
        std::fprintf(stderr, "%s:%d: %s is 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", file, line,
                     text, actual, expected);
        std::exit(1);
    }
}

#endif
