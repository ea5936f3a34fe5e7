// Errors of the C library on their way to Python, where they are weft.Error.
#ifndef WEFT_PYTHON_FAILURE_H
#define WEFT_PYTHON_FAILURE_H

#include <nanobind/nanobind.h>

#include "python/internal.h"

struct Failure {
    weft_error error;
};

// A call of the C library returned `good`: throws its error where that is false.
inline void check(bool good, const weft_error &error) {
    if (!good) {
        throw Failure{error};
    }
}

[[noreturn]] void fail(weft_error_code code, uint64_t position, const char *message);

// Makes Python's weft.Error of every Failure that leaves a function of the module.
void register_failure(nanobind::module_ &module);

#endif
