/* Structures as JSON text, described by tables: one table says how a structure is printed and how
 * it is read.
 *
 *     static const struct weft_form_field fields[] = {
 *         WEFT_FORM_INTEGER_OF(struct point, x, "x"),
 *         WEFT_FORM_INTEGER_OF(struct point, y, "y"),
 *     };
 *     static const struct weft_form point_form = WEFT_FORM_OF(struct point, fields);
 */
#ifndef WEFT_BASE_FORM_H
#define WEFT_BASE_FORM_H

#include "base/arena.h"
#include "base/json.h"

enum weft_form_type {
    WEFT_FORM_INTEGER, /* int64_t */
    WEFT_FORM_VERSION, /* int64_t, which is as the table says */
    WEFT_FORM_BOOLEAN, /* bool */
    WEFT_FORM_STRING,  /* const char *, never NULL */
    WEFT_FORM_LIST,    /* a pointer to structures, and a size_t of how many */
};

struct weft_form_field {
    const char *name;
    enum weft_form_type type;
    size_t offset;
    size_t count_offset;          /* LIST */
    const struct weft_form *form; /* LIST: of one element */
    int64_t version;              /* VERSION */
};

struct weft_form {
    size_t size;        /* of the structure */
    size_t field_count; /* at most WEFT_FORM_FIELDS */
    const struct weft_form_field *fields;
};
enum {
    WEFT_FORM_FIELDS = 32
};

/* Entries of tables; `path` may lead into a structure inside the structure. */
#define WEFT_FORM_INTEGER_OF(structure, path, key)                                                 \
    { .name = (key), .type = WEFT_FORM_INTEGER, .offset = offsetof(structure, path) }
/* Where this comes first, text of another version is refused for that, whatever else it has. */
#define WEFT_FORM_VERSION_OF(structure, path, key, number)                                         \
    {                                                                                              \
        .name = (key), .type = WEFT_FORM_VERSION, .offset = offsetof(structure, path),             \
        .version = (number)                                                                        \
    }
#define WEFT_FORM_BOOLEAN_OF(structure, path, key)                                                 \
    { .name = (key), .type = WEFT_FORM_BOOLEAN, .offset = offsetof(structure, path) }
#define WEFT_FORM_STRING_OF(structure, path, key)                                                  \
    { .name = (key), .type = WEFT_FORM_STRING, .offset = offsetof(structure, path) }
#define WEFT_FORM_LIST_OF(structure, path, count, key, of)                                         \
    {                                                                                              \
        .name = (key), .type = WEFT_FORM_LIST, .offset = offsetof(structure, path),                \
        .count_offset = offsetof(structure, count), .form = (of)                                   \
    }
#define WEFT_FORM_OF(structure, table)                                                             \
    { .size = sizeof(structure), .field_count = sizeof(table) / sizeof *(table), .fields = (table) }

/* Appends the structure. One without lists is a line; others have a line for each field and
 * element, `indent` spaces deep. */
void weft_form_print(struct weft_text *out, const struct weft_form *form, const void *structure,
                     unsigned indent);

/* Reads a structure, whose fields may come in any order; each must be there once. Strings and lists
 * are in the arena, and take no more than some times the text. Errors: in->code, position = line.
 */
bool weft_form_parse(struct weft_arena *arena, struct weft_json *in, const struct weft_form *form,
                     void *structure);

#endif
