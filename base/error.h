/* The one error type of Weft.
 *
 * A function that can fail returns bool, true for success, and takes a `struct weft_error *` as its
 * last argument, which must not be NULL. On failure it fills the error and leaves every output
 * argument as it was; on success it does not touch the error. Library code never prints or exits.
 */
#ifndef WEFT_BASE_ERROR_H
#define WEFT_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum weft_error_code {
    WEFT_OK = 0,
#define WEFT_ERROR(name, text) WEFT_##name,
#include "base/error_codes.def"
#undef WEFT_ERROR
    WEFT_ERROR_CODES
};

struct weft_error {
    enum weft_error_code code;
    /* Where: a byte offset in a binary file, a line number in a text file, an instruction number in
     * a program, an operator index in a graph; the message says which. 0 where there is no place.
     */
    uint64_t position;
    /* What is wrong, where, and what was expected; one line, no trailing newline, no file name. */
    char message[512];
};

/* Fills *error with the code, the position and the printf-style message (cut at the end of the
 * buffer; control characters become '?'). */
void weft_error_set(struct weft_error *error, enum weft_error_code code, uint64_t position,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* weft_error_set(), with the value false, so that a caller can write `return weft_fail(...)`. A
 * macro, so that compilers and analysers see the value.
 * NOLINTNEXTLINE(readability-identifier-naming) */
#define weft_fail(...) (weft_error_set(__VA_ARGS__), false)

/* Puts "CONTEXT: " before the message of an error that is already filled. */
void weft_error_prefix(struct weft_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* weft_error_prefix(), with the value false. NOLINTNEXTLINE(readability-identifier-naming) */
#define weft_fail_context(...) (weft_error_prefix(__VA_ARGS__), false)

/* Fills *error with what code from outside said, which need not keep to the above: without a code
 * that there is, `code`, and without a message one that says so. */
void weft_error_settle(struct weft_error *error, const struct weft_error *said,
                       enum weft_error_code code);

/* The name of a code as written in base/error_codes.def ("OK" for WEFT_OK), or "unknown". */
const char *weft_error_name(enum weft_error_code code);

/* The general text of a code as written in base/error_codes.def. */
const char *weft_error_text(enum weft_error_code code);

#ifdef __cplusplus
}
#endif

#endif
