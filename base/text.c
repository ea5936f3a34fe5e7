#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"

/* Makes room for `extra` bytes and the terminating NUL. */
static bool reserve(struct weft_text *text, size_t extra) {
    if (text->failed) {
        return false;
    }
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity < 256 ? 256 : text->capacity;
    while (capacity < needed) {
        capacity *= 2;
    }
    if (text->limit != 0 && capacity > text->limit) {
        text->failed = text->is_limited = true;
        return false;
    }
    char *bytes = realloc(text->bytes, capacity);
    if (bytes == NULL) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void weft_text_add(struct weft_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && reserve(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void weft_text_add_bytes(struct weft_text *text, const char *bytes, size_t length) {
    if (reserve(text, length)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        text->bytes[text->length] = '\0';
    }
}

bool weft_text_finish(struct weft_text *text, struct weft_error *error) {
    weft_text_add_bytes(text, "", 0);
    if (text->failed) {
        return text->is_limited
                   ? weft_limit_passed(error, "the text", 2 * text->capacity, text->limit)
                   : weft_no_memory(error, "a text");
    }
    return true;
}

void weft_text_free(struct weft_text *text) {
    free(text->bytes);
    *text = (struct weft_text){0};
}

bool weft_read_number(const char *text, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > most / 10 || digit > most - value * 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (at == text || *at != '\0') {
        return false;
    }
    *number = value;
    return true;
}
