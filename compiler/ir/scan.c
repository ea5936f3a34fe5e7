/* Characters, words and numbers of the text form. */
#include "compiler/ir/scan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scan_wrong(const struct scanner *scanner, const char *expected) {
    int length = (int)(scanner->end - scanner->at < 24 ? scanner->end - scanner->at : 24);
    const char *newline = memchr(scanner->at, '\n', (size_t)length);
    length = newline == NULL ? length : (int)(newline - scanner->at);
    return weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                     "line %" PRIu64 ": expected %s at '%.*s'", scanner->line, expected, length,
                     scanner->at);
}

bool scan_more(const struct scanner *scanner, size_t count, const char *what) {
    char expected[80];
    if (count < SCAN_LIST) {
        return true;
    }
    (void)snprintf(expected, sizeof expected, "at most %d %s before", SCAN_LIST, what);
    return scan_wrong(scanner, expected);
}

/* To the end of the line, if a comment comes next. */
static bool skip_comment(struct scanner *scanner) {
    if (scanner->end - scanner->at < 2 || scanner->at[0] != '/' || scanner->at[1] != '/') {
        return false;
    }
    while (scanner->at < scanner->end && *scanner->at != '\n') {
        scanner->at++;
    }
    return true;
}

void scan_space(struct scanner *scanner) {
    do {
        while (scanner->at < scanner->end && isspace((unsigned char)*scanner->at)) {
            scanner->line += *scanner->at == '\n';
            scanner->at++;
        }
    } while (skip_comment(scanner));
}

bool scan_sees(struct scanner *scanner, char c) {
    scan_space(scanner);
    return scanner->at < scanner->end && *scanner->at == c;
}

bool scan_take(struct scanner *scanner, const char *word) {
    scan_space(scanner);
    size_t length = strlen(word);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0) {
        return false;
    }
    scanner->at += length;
    return true;
}

bool scan_expect(struct scanner *scanner, const char *word) {
    return scan_take(scanner, word) || scan_wrong(scanner, word);
}

bool scan_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool scan_word(struct scanner *scanner, const char **word) {
    scan_space(scanner);
    const char *start = scanner->at;
    while (scanner->at < scanner->end && scan_is_word(*scanner->at)) {
        scanner->at++;
    }
    if (scanner->at == start) {
        return scan_wrong(scanner, "a name");
    }
    *word = weft_arena_string(scanner->arena, start, (size_t)(scanner->at - start));
    return true;
}

bool scan_number(struct scanner *scanner, char text[64]) {
    scan_space(scanner);
    size_t length = 0;
    while (scanner->at < scanner->end && length < 63 &&
           (scan_is_word(*scanner->at) || *scanner->at == '-' || *scanner->at == '+')) {
        text[length++] = *scanner->at++;
    }
    text[length] = '\0';
    return length > 0;
}

bool scan_is_int(const char *text, int64_t *value) {
    char *end = NULL;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0;
}

bool scan_int(struct scanner *scanner, int64_t *value) {
    char text[64];
    scan_space(scanner);
    const char *start = scanner->at;
    if (!scan_number(scanner, text) || !scan_is_int(text, value)) {
        scanner->at = start;
        return scan_wrong(scanner, "a whole number of 64 bits");
    }
    return true;
}

bool scan_float(struct scanner *scanner, double *value) {
    char text[64];
    char *end = text;
    scan_space(scanner);
    const char *start = scanner->at;
    if (scan_number(scanner, text)) {
        *value = strtod(text, &end);
    }
    if (end == text || *end != '\0' || !isfinite(*value)) {
        scanner->at = start;
        return scan_wrong(scanner, "a finite number");
    }
    return true;
}

bool scan_string(struct scanner *scanner, const char **string) {
    if (!scan_expect(scanner, "\"")) {
        return false;
    }
    const char *start = scanner->at;
    while (scanner->at < scanner->end && *scanner->at != '"' && *scanner->at != '\n') {
        scanner->at += *scanner->at == '\\' && scanner->end - scanner->at > 1 ? 2 : 1;
    }
    if (scanner->at >= scanner->end || *scanner->at != '"') {
        return scan_wrong(scanner, "a closing quote");
    }
    char *copy = weft_arena_string(scanner->arena, start, (size_t)(scanner->at - start));
    size_t length = 0;
    for (const char *c = start; c < scanner->at; c++) {
        c += *c == '\\';
        copy[length++] = *c;
    }
    copy[length] = '\0';
    scanner->at++;
    *string = copy;
    return true;
}
