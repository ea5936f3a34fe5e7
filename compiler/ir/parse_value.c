/* Types, attributes and constants of the text form. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/ir/scan.h"

/* ---- types ---- */

/* One `scale, zero`. */
static bool parse_scale(struct scanner *scanner, double *scale, int32_t *zero) {
    int64_t point = 0;
    if (!scan_float(scanner, scale) || !scan_expect(scanner, ",") || !scan_int(scanner, &point)) {
        return false;
    }
    *zero = (int32_t)point;
    return (point >= INT32_MIN && point <= INT32_MAX) ||
           scan_wrong(scanner, "a zero point of 32 bits before");
}

static bool parse_axis(struct scanner *scanner, uint32_t *axis) {
    int64_t value = 0;
    *axis = 0;
    if (scan_take(scanner, "axis=") && (!scan_int(scanner, &value) || !scan_expect(scanner, ";"))) {
        return false;
    }
    *axis = (uint32_t)value;
    return (value >= 0 && value < WEFT_MAX_RANK) || scan_wrong(scanner, "an axis below 8 before");
}

bool parse_scales(struct scanner *scanner, struct weft_quantization *q) {
    double *scales = NULL;
    int32_t *zeros = NULL;
    size_t scale_capacity = 0;
    size_t zero_capacity = 0;
    q->count = 0;
    do {
        scales = weft_arena_grow(scanner->arena, scales, q->count, &scale_capacity, sizeof *scales);
        zeros = weft_arena_grow(scanner->arena, zeros, q->count, &zero_capacity, sizeof *zeros);
        if (!scan_more(scanner, q->count, "scales") ||
            !parse_scale(scanner, &scales[q->count], &zeros[q->count])) {
            return false;
        }
        q->count++;
    } while (scan_take(scanner, ";"));
    q->scale = scales;
    q->zero = zeros;
    return true;
}

static bool parse_quantization(struct scanner *scanner, struct type_literal *literal) {
    struct weft_quantization *q = &literal->type.quantization;
    if (!scan_take(scanner, "{")) {
        return true;
    }
    if (!parse_axis(scanner, &q->axis)) {
        return false;
    }
    if (scan_take(scanner, "scales ") ? !scan_word(scanner, &literal->table)
                                      : !parse_scales(scanner, q)) {
        return false;
    }
    return scan_expect(scanner, "}");
}

static bool parse_dtype(struct scanner *scanner, enum weft_dtype *dtype) {
    for (int i = 0; i < WEFT_DTYPES; i++) {
        const char *name = weft_dtype_name((enum weft_dtype)i);
        size_t length = strlen(name);
        if ((size_t)(scanner->end - scanner->at) >= length &&
            memcmp(scanner->at, name, length) == 0 &&
            (scanner->at + length == scanner->end || !scan_is_word(scanner->at[length]))) {
            scanner->at += length;
            *dtype = (enum weft_dtype)i;
            return true;
        }
    }
    return scan_wrong(scanner, "an element type");
}

static bool parse_dims(struct scanner *scanner, struct weft_type *type) {
    scan_space(scanner);
    while (scanner->at < scanner->end && isdigit((unsigned char)*scanner->at)) {
        int64_t dim = 0;
        while (scanner->at < scanner->end && isdigit((unsigned char)*scanner->at) &&
               dim <= WEFT_MAX_ELEMENTS) {
            dim = dim * 10 + (*scanner->at++ - '0');
        }
        if (type->rank == WEFT_MAX_RANK || scanner->at == scanner->end || *scanner->at != 'x') {
            return scan_wrong(scanner, "at most 8 dimensions, each followed by 'x',");
        }
        scanner->at++;
        type->dim[type->rank++] = dim;
    }
    return true;
}

bool parse_index(struct scanner *scanner, int32_t *index) {
    int64_t value = -1;
    if (!scan_int(scanner, &value)) {
        return false;
    }
    *index = (int32_t)value;
    return (value >= -1 && value <= INT32_MAX) || scan_wrong(scanner, "an index of 31 bits before");
}

bool parse_type(struct scanner *scanner, struct type_literal *literal) {
    scan_space(scanner);
    *literal = (struct type_literal){.line = scanner->line, .tensor = -1};
    if (!parse_dims(scanner, &literal->type) || !parse_dtype(scanner, &literal->type.dtype) ||
        !parse_quantization(scanner, literal)) {
        return false;
    }
    const struct scanner behind = *scanner;
    if (scan_take(scanner, "#")) {
        return parse_index(scanner, &literal->tensor);
    }
    *scanner = behind; /* messages name this line */
    return true;
}

/* ---- constants ---- */

/* An element as it is written: which of the two holds depends on the type. */
struct literal_element {
    double number;
    int64_t integer;
    bool is_number, is_integer;
};

static bool parse_element(struct scanner *scanner, struct literal_element *element) {
    char text[64];
    char *end = text;
    scan_space(scanner);
    const char *start = scanner->at;
    if (scan_number(scanner, text)) {
        element->number = strtod(text, &end);
    }
    element->is_number = end != text && *end == '\0';
    element->is_integer = scan_is_int(text, &element->integer);
    if (!element->is_number) {
        scanner->at = start;
        return scan_wrong(scanner, "a number");
    }
    return true;
}

static bool parse_blob(struct scanner *scanner, struct literal *literal) {
    int32_t index = 0;
    literal->is_blob = true;
    if (!parse_index(scanner, &index)) {
        return false;
    }
    literal->blob = (size_t)index;
    return index >= 0 || scan_wrong(scanner, "the index of a blob before");
}

/* `blob N`, the name of a file, or a list of elements. */
static bool parse_literal(struct scanner *scanner, struct literal *literal) {
    if (scan_take(scanner, "blob ")) {
        return parse_blob(scanner, literal);
    }
    if (scan_sees(scanner, '"')) {
        literal->line = scanner->line;
        return scan_string(scanner, &literal->path);
    }
    if (!scan_expect(scanner, "[")) {
        return false;
    }
    while (!scan_take(scanner, "]")) {
        if (literal->count > 0 && !scan_expect(scanner, ",")) {
            return false;
        }
        literal->elements = weft_arena_grow(scanner->arena, literal->elements, literal->count,
                                            &literal->capacity, sizeof *literal->elements);
        if (!scan_more(scanner, literal->count, "elements") ||
            !parse_element(scanner, &literal->elements[literal->count])) {
            return false;
        }
        literal->count++;
    }
    return true;
}

/* Writes an element as its type says; false when it does not fit. */
static bool write_element(enum weft_dtype dtype, uint8_t *data,
                          const struct literal_element *element) {
    if (dtype == WEFT_F32) {
        bool fits = !isfinite(element->number) || fabs(element->number) < 3.4028235677973366e38;
        float number = fits ? (float)element->number : 0.0F;
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        weft_write_u32(data, bits);
        return fits;
    }
    size_t bytes = weft_dtype_bytes(dtype);
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (uint8_t)((uint64_t)element->integer >> (8 * i));
    }
    return element->is_integer && element->integer >= weft_dtype_min(dtype) &&
           element->integer <= weft_dtype_max(dtype);
}

/* Elements in a file of their own. */
static bool read_data(struct scanner *scanner, const struct weft_type *type,
                      const struct literal *literal, const uint8_t **data) {
    if (scanner->reader == NULL) {
        return scan_wrong(scanner, "no constant in a file, which nobody can read here, before");
    }
    if (weft_type_elements(type) < 0) {
        return scan_wrong(scanner, "a constant of a valid shape before");
    }
    uint8_t *bytes = weft_arena_allocate(scanner->arena, weft_type_bytes(type) + 1, 1);
    if (!scanner->reader->read(scanner->reader->context, literal->path, type, bytes,
                               scanner->error)) {
        scanner->error->position = literal->line;
        return weft_fail_context(scanner->error, "line %" PRIu64 ": %.200s", literal->line,
                                 literal->path);
    }
    *data = bytes;
    return true;
}

bool parse_data(struct scanner *scanner, const struct weft_type *type,
                const struct literal *literal, const uint8_t **data) {
    int64_t elements = weft_type_elements(type);
    size_t bytes = weft_dtype_bytes(type->dtype);
    if (literal->path != NULL) {
        return read_data(scanner, type, literal, data);
    }
    if (elements != (int64_t)literal->count) {
        return scan_wrong(scanner, "a constant with as many elements as its type before");
    }
    uint8_t *made = weft_arena_allocate(scanner->arena, literal->count + 1, bytes);
    for (uint32_t i = 0; i < literal->count; i++) {
        if (!write_element(type->dtype, made + i * bytes, &literal->elements[i])) {
            return scan_wrong(scanner, "elements that fit the constant's type before");
        }
    }
    *data = made;
    return true;
}

/* ---- attributes ---- */

static bool parse_ints(struct scanner *scanner, struct weft_attribute *attribute) {
    int64_t *ints = NULL;
    uint32_t count = 0;
    size_t capacity = 0;
    if (!scan_expect(scanner, "[")) {
        return false;
    }
    while (!scan_take(scanner, "]")) {
        if (count > 0 && !scan_expect(scanner, ",")) {
            return false;
        }
        ints = weft_arena_grow(scanner->arena, ints, count, &capacity, sizeof *ints);
        if (!scan_more(scanner, count, "numbers") || !scan_int(scanner, &ints[count])) {
            return false;
        }
        count++;
    }
    *attribute = weft_attr_ints(scanner->arena, attribute->key, count, ints);
    return true;
}

bool parse_attribute(struct scanner *scanner, struct weft_attribute *attribute,
                     struct literal *data) {
    int64_t integer = 0;
    switch (weft_attribute_kind(attribute->key)) {
    case WEFT_ATTRIBUTE_INT:
        if (!scan_int(scanner, &integer)) {
            return false;
        }
        *attribute = weft_attr_int(scanner->arena, attribute->key, integer);
        return true;
    case WEFT_ATTRIBUTE_INTS:
        return parse_ints(scanner, attribute);
    case WEFT_ATTRIBUTE_FLOAT:
        return scan_float(scanner, &attribute->number);
    case WEFT_ATTRIBUTE_TEXT:
        return scan_string(scanner, &attribute->text);
    case WEFT_ATTRIBUTE_DATA:
        return parse_literal(scanner, data);
    }
    return false;
}
