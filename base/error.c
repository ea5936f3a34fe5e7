#include "base/error.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

void weft_error_set(struct weft_error *error, enum weft_error_code code, uint64_t position,
                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    error->position = position;
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    weft_make_printable(error->message); /* it quotes what files and arguments hold */
}

void weft_error_prefix(struct weft_error *error, const char *format, ...) {
    char joined[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(joined, sizeof joined, format, arguments);
    va_end(arguments);
    size_t used = length < 0 ? 0 : (size_t)length;
    if (used < sizeof joined) {
        (void)snprintf(joined + used, sizeof joined - used, ": %.*s", (int)(sizeof joined - used),
                       error->message);
    }
    weft_make_printable(joined);
    memcpy(error->message, joined, sizeof joined);
}

void weft_error_settle(struct weft_error *error, const struct weft_error *said,
                       enum weft_error_code code) {
    bool is_code = said->code != WEFT_OK && (unsigned)said->code < WEFT_ERROR_CODES;
    size_t length = strnlen(said->message, sizeof said->message);
    weft_error_set(error, is_code ? said->code : code, said->position, "%.*s",
                   length == 0 ? INT_MAX : (int)length,
                   length == 0 ? "it failed, and does not say why" : said->message);
}

static const struct {
    const char *name;
    const char *text;
} codes[WEFT_ERROR_CODES] = {
    [WEFT_OK] = {"OK", "no error"},
#define WEFT_ERROR(name, text) [WEFT_##name] = {#name, text},
#include "base/error_codes.def"
#undef WEFT_ERROR
};

const char *weft_error_name(enum weft_error_code code) {
    return (unsigned)code < WEFT_ERROR_CODES ? codes[code].name : "unknown";
}

const char *weft_error_text(enum weft_error_code code) {
    return (unsigned)code < WEFT_ERROR_CODES ? codes[code].text : "unknown error";
}
