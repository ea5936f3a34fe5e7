/* Words of the text form: what the parts of its reader share (parse.c, parse_value.c). */
#ifndef WEFT_COMPILER_IR_SCAN_H
#define WEFT_COMPILER_IR_SCAN_H

#include "compiler/ir/ir.h"

enum {
    SCAN_LIST = 1 << 16, /* elements of a list in the text, at most */
};

struct scanner {
    struct weft_arena *arena;
    const char *at;
    const char *end;
    uint64_t line;
    const struct weft_blobs *blobs;
    struct weft_error *error;
};

/* Fails with WEFT_GRAPH: "line N: expected ... at '...'". */
bool scan_wrong(const struct scanner *scanner, const char *expected);

void scan_space(struct scanner *scanner);
/* Is this the next character, after spaces? */
bool scan_sees(struct scanner *scanner, char c);
/* Takes `word` if it comes next. */
bool scan_take(struct scanner *scanner, const char *word);
bool scan_expect(struct scanner *scanner, const char *word);

/* A character of names and numbers. */
bool scan_is_word(char c);
/* A name: letters, digits, `_` and `.`. */
bool scan_word(struct scanner *scanner, const char **word);
/* A whole number of 64 bits. */
bool scan_int(struct scanner *scanner, int64_t *value);
bool scan_float(struct scanner *scanner, double *value);
/* A text in quotes; a backslash takes the next character as it is. */
bool scan_string(struct scanner *scanner, const char **string);

/* The characters that can belong to a number, for strtoll() and strtod(), which need an end. Moves
 * on. */
bool scan_number(struct scanner *scanner, char text[64]);
/* Is the text a whole number of 64 bits? */
bool scan_is_int(const char *text, int64_t *value);

/* ---- parse_value.c ---- */

/* A constant's elements before its type is known. */
struct literal {
    bool is_blob;
    size_t blob;
    uint32_t count;
    size_t capacity;
    struct literal_element *elements;
};

/* A type and, after `#`, the index of the tensor in the model. */
bool parse_type(struct scanner *scanner, struct weft_type *type, int32_t *tensor);

/* What follows the `=` of the attribute `attribute->key`. The elements of a constant go to `data`.
 */
bool parse_attribute(struct scanner *scanner, struct weft_attribute *attribute,
                     struct literal *data);

/* The bytes of a constant, now that its type is known. */
bool parse_data(struct scanner *scanner, const struct weft_type *type,
                const struct literal *literal, const uint8_t **data);

#endif
