/* Words of the text form: what the parts of its reader share (parse.c, parse_value.c). */
#ifndef WEFT_COMPILER_IR_SCAN_H
#define WEFT_COMPILER_IR_SCAN_H

#include "compiler/ir/ir.h"

enum {
    SCAN_LIST = 1 << 24, /* elements of a list in the text, at most */
};

struct scanner {
    struct weft_arena *arena;
    const char *at;
    const char *end;
    uint64_t line;
    const struct weft_constant_reader *reader; /* of constants in files, or NULL */
    struct weft_error *error;
};

/* Fails with WEFT_GRAPH: "line N: expected ... at '...'". */
bool scan_wrong(const struct scanner *scanner, const char *expected);
/* The same where a list has `count` elements already: "expected at most N WHAT before '...'". */
bool scan_more(const struct scanner *scanner, size_t count, const char *what);

/* Skips spaces, lines and comments, which begin with `//` and end with the line. */
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
    const char *path; /* of the file that holds them, or NULL */
    uint64_t line;    /* that names it */
    uint32_t count;
    size_t capacity;
    struct literal_element *elements;
};

/* A type before the tables of scales are known. */
struct type_literal {
    struct weft_type type; /* with a table: of its quantisation the axis alone */
    const char *table;     /* or NULL */
    uint64_t line;         /* where it begins */
    int32_t tensor;        /* index of the tensor in the model, after `#`, or -1 */
};
bool parse_type(struct scanner *scanner, struct type_literal *literal);

/* One or more `scale, zero`, separated by `;`. The axis stays. */
bool parse_scales(struct scanner *scanner, struct weft_quantization *q);

/* A whole number from -1 to INT32_MAX. */
bool parse_index(struct scanner *scanner, int32_t *index);

/* What follows the `=` of the attribute `attribute->key`. The elements of a constant go to `data`.
 */
bool parse_attribute(struct scanner *scanner, struct weft_attribute *attribute,
                     struct literal *data);

/* The bytes of a constant that is no blob, now that its type is known. */
bool parse_data(struct scanner *scanner, const struct weft_type *type,
                const struct literal *literal, const uint8_t **data);

/* ---- parse_tail.c ---- */

/* What the text uses before it says what that is: tables of scales, and blobs. */
struct tail {
    size_t use_count, use_capacity;
    struct tail_use *uses;
    size_t blob_count, blob_capacity;
    struct weft_blob *blob;
};

/* A value whose scales are in a table; the elements of a constant that are in a blob. */
void tail_use_table(struct scanner *scanner, struct tail *tail, struct weft_value *value,
                    const struct type_literal *type);
void tail_use_blob(struct scanner *scanner, struct tail *tail, struct weft_node *node, size_t blob);

/* Reads what follows the graph to the end of the text, and gives the uses what they wait for.
 * `blobs`: those that there are beside the text, or NULL. */
bool parse_tail(struct scanner *scanner, struct tail *tail, const struct weft_blobs *blobs);

#endif
