/* NumPy's .npy files: read in any order of axes and bytes, written in C order, little-endian. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/streams.h"

static const char *descr_of(enum weft_dtype dtype) {
    static const char *const names[WEFT_DTYPES] = {
        [WEFT_I8] = "|i1",  [WEFT_U8] = "|u1",  [WEFT_I16] = "<i2",  [WEFT_I32] = "<i4",
        [WEFT_I64] = "<i8", [WEFT_F32] = "<f4", [WEFT_BOOL] = "|b1", [WEFT_U16] = "<u2",
        [WEFT_U32] = "<u4", [WEFT_U64] = "<u8", [WEFT_F16] = "<f2",  [WEFT_F64] = "<f8",
    };
    return names[dtype];
}

/* ---- reading ---- */

/* The header: a Python dictionary of three known keys. */
struct header {
    const char *at;
    const char *end;
    char descr[8];
    bool fortran;
    uint32_t rank;
    int64_t shape[WEFT_MAX_RANK];
    unsigned seen;
};

static bool bad(struct weft_error *error, uint64_t position, const char *what) {
    return weft_fail(error, WEFT_NPY, position, "byte %" PRIu64 ": %s", position, what);
}

static void skip_space(struct header *header) {
    while (header->at < header->end && isspace((unsigned char)*header->at)) {
        header->at++;
    }
}

static bool take(struct header *header, const char *word) {
    skip_space(header);
    size_t length = strlen(word);
    if ((size_t)(header->end - header->at) < length || memcmp(header->at, word, length) != 0) {
        return false;
    }
    header->at += length;
    return true;
}

/* A string in single or double quotes, into `text` of `size` bytes. */
static bool take_string(struct header *header, char *text, size_t size) {
    skip_space(header);
    if (header->at == header->end || (*header->at != '\'' && *header->at != '"')) {
        return false;
    }
    char quote = *header->at++;
    size_t length = 0;
    while (header->at < header->end && *header->at != quote && length + 1 < size) {
        text[length++] = *header->at++;
    }
    text[length] = '\0';
    return header->at < header->end && *header->at++ == quote;
}

static bool take_shape(struct header *header) {
    if (!take(header, "(")) {
        return false;
    }
    while (!take(header, ")")) {
        int64_t size = 0;
        skip_space(header);
        if (header->rank == WEFT_MAX_RANK || header->at == header->end ||
            !isdigit((unsigned char)*header->at)) {
            return false;
        }
        while (header->at < header->end && isdigit((unsigned char)*header->at) &&
               size <= WEFT_MAX_ELEMENTS) {
            size = size * 10 + (*header->at++ - '0');
        }
        header->shape[header->rank++] = size;
        if (!take(header, ",") && (header->at == header->end || *header->at != ')')) {
            return false;
        }
    }
    return true;
}

static bool take_entry(struct header *header) {
    char key[16];
    if (!take_string(header, key, sizeof key) || !take(header, ":")) {
        return false;
    }
    if (strcmp(key, "descr") == 0 && (header->seen & 1) == 0) {
        header->seen |= 1;
        return take_string(header, header->descr, sizeof header->descr);
    }
    if (strcmp(key, "fortran_order") == 0 && (header->seen & 2) == 0) {
        header->seen |= 2;
        header->fortran = take(header, "True");
        return header->fortran || take(header, "False");
    }
    if (strcmp(key, "shape") == 0 && (header->seen & 4) == 0) {
        header->seen |= 4;
        return take_shape(header);
    }
    return false;
}

static bool parse_header(struct header *header) {
    if (!take(header, "{")) {
        return false;
    }
    while (!take(header, "}")) {
        if (!take_entry(header) ||
            (!take(header, ",") && (header->at == header->end || *header->at != '}'))) {
            return false;
        }
    }
    skip_space(header);
    return header->at == header->end && header->seen == 7;
}

static void print_shape(char *text, size_t size, uint32_t rank, const int64_t *dims) {
    size_t used = 0;
    (void)snprintf(text, size, "%s", rank == 0 ? "a scalar" : "");
    for (uint32_t i = 0; i < rank && used < size; i++) {
        int length = snprintf(text + used, size - used, "%s%" PRId64, i == 0 ? "" : "x", dims[i]);
        used += length < 0 ? 0 : (size_t)length;
    }
}

/* Is it the type, but for the order of its bytes? Of one byte there is none, whatever is written.
 */
static bool same_elements(const char *descr, enum weft_dtype dtype) {
    return strchr("<>|", descr[0]) != NULL && strcmp(descr + 1, descr_of(dtype) + 1) == 0 &&
           (descr[0] != '|' || weft_dtype_bytes(dtype) == 1);
}

static bool check_type(const struct header *header, const struct weft_type *type,
                       struct weft_error *error) {
    bool same = header->rank == type->rank;
    for (uint32_t i = 0; same && i < type->rank; i++) {
        same = header->shape[i] == type->dim[i];
    }
    if (!same || header->descr[0] == '\0' || !same_elements(header->descr, type->dtype)) {
        char got[96];
        char wanted[96];
        print_shape(got, sizeof got, header->rank, header->shape);
        print_shape(wanted, sizeof wanted, type->rank, type->dim);
        return weft_fail(error, WEFT_TENSOR, 0, "holds %s of type %s, expected %s of type %s (%s)",
                         got, header->descr, wanted, descr_of(type->dtype),
                         weft_dtype_file_name(type->dtype));
    }
    return true;
}

/* Copies the elements, of `size` bytes each, into C order: of the file, the first axis moves
 * fastest. */
static void copy_fortran(const struct weft_type *type, size_t size, const uint8_t *from,
                         uint8_t *to) {
    size_t strides[WEFT_MAX_RANK]; /* in the file, in elements */
    int64_t at[WEFT_MAX_RANK] = {0};
    size_t source = 0;
    size_t stride = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        strides[i] = stride;
        stride *= (size_t)type->dim[i];
    }
    for (size_t i = 0; i < (size_t)weft_type_elements(type); i++) {
        memcpy(to + i * size, from + source * size, size);
        for (uint32_t axis = type->rank; axis-- > 0;) {
            source += strides[axis];
            if (++at[axis] < type->dim[axis]) {
                break;
            }
            source -= strides[axis] * (size_t)type->dim[axis];
            at[axis] = 0;
        }
    }
}

static void reverse_bytes(size_t count, size_t size, uint8_t *bytes) {
    for (size_t i = 0; i < count; i++) {
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            uint8_t kept = bytes[i * size + low];
            bytes[i * size + low] = bytes[i * size + high];
            bytes[i * size + high] = kept;
        }
    }
}

static void copy_elements(const struct header *header, const struct weft_type *type,
                          const uint8_t *from, uint8_t *to) {
    size_t size = weft_dtype_bytes(type->dtype);
    if (header->fortran) {
        copy_fortran(type, size, from, to);
    } else {
        memcpy(to, from, weft_type_bytes(type));
    }
    if (header->descr[0] == '>') {
        reverse_bytes((size_t)weft_type_elements(type), size, to);
    }
}

/* Reads the header; *data: where the elements begin. */
static bool read_header(const uint8_t *file, size_t length, struct header *header, size_t *data,
                        struct weft_error *error) {
    if (length < 10 || memcmp(file, "\x93NUMPY", 6) != 0) {
        return bad(error, 0, "not a .npy file (no \\x93NUMPY)");
    }
    if (file[6] < 1 || file[6] > 3 || file[7] != 0) {
        return bad(error, 6, "unknown version, expected 1.0, 2.0 or 3.0");
    }
    size_t start = file[6] == 1 ? 10 : 12;
    size_t size = (size_t)file[8] | (size_t)file[9] << 8;
    if (file[6] > 1 && length >= 12) {
        size |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    }
    if (length < start || size > length - start) {
        return bad(error, 8, "the header is longer than the file");
    }
    *header =
        (struct header){.at = (const char *)file + start, .end = (const char *)file + start + size};
    *data = start + size;
    return parse_header(header) ||
           bad(error, (uint64_t)(header->at - (const char *)file),
               "expected a header {'descr': ..., 'fortran_order': ..., 'shape': ...}");
}

bool npy_parse(const uint8_t *file, size_t length, const struct weft_type *type, uint8_t **bytes,
               struct weft_error *error) {
    struct header header;
    size_t data = 0;
    if (!read_header(file, length, &header, &data, error) || !check_type(&header, type, error)) {
        return false;
    }
    if (length - data != weft_type_bytes(type)) {
        return weft_fail(error, WEFT_NPY, data, "byte %zu: %zu bytes of data, the shape needs %zu",
                         data, length - data, weft_type_bytes(type));
    }
    uint8_t *copy = weft_allocate(weft_type_bytes(type), 1, "an array", error);
    if (copy == NULL) {
        return false;
    }
    copy_elements(&header, type, file + data, copy);
    *bytes = copy;
    return true;
}

bool npy_type(const uint8_t *file, size_t length, struct weft_type *type,
              struct weft_error *error) {
    struct header header;
    size_t data = 0;
    enum weft_dtype dtype = 0;
    if (!read_header(file, length, &header, &data, error)) {
        return false;
    }
    while (dtype < WEFT_DTYPES &&
           (descr_of(dtype) == NULL || !same_elements(header.descr, dtype))) {
        dtype++;
    }
    if (dtype == WEFT_DTYPES) {
        return weft_fail(error, WEFT_TENSOR, 0, "holds elements of type %s, which are not read",
                         header.descr);
    }
    *type = weft_type_make(dtype, header.rank, header.shape);
    return weft_type_elements(type) >= 0 ||
           weft_fail(error, WEFT_NPY, 0, "its shape has more than %d elements", WEFT_MAX_ELEMENTS);
}

bool npy_read(const char *path, const struct weft_type *type, uint8_t **bytes,
              struct weft_error *error) {
    uint8_t *file = NULL;
    size_t length = 0;
    if (!stream_read(path, &file, &length, error)) {
        return false;
    }
    bool good = npy_parse(file, length, type, bytes, error);
    free(file);
    return good;
}

/* ---- writing ---- */

bool npy_stage(struct weft_file_batch *batch, const char *path, const struct weft_type *type,
               const void *bytes, struct weft_error *error) {
    struct weft_text text = {0};
    weft_text_add(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  descr_of(type->dtype));
    for (uint32_t i = 0; i < type->rank; i++) {
        weft_text_add(&text,
                      type->rank == 1 ? "%" PRId64 ","
                      : i == 0        ? "%" PRId64
                                      : ", %" PRId64,
                      type->dim[i]);
    }
    weft_text_add(&text, "), }");
    /* numpy pads the header with spaces to a multiple of 64, newline included. */
    while ((10 + text.length + 1) % 64 != 0 && !text.failed) {
        weft_text_add(&text, " ");
    }
    weft_text_add(&text, "\n");
    struct weft_text file = {0};
    const char prefix[10] = {'\x93',
                             'N',
                             'U',
                             'M',
                             'P',
                             'Y',
                             1,
                             0,
                             (char)(text.length & 0xff),
                             (char)(text.length >> 8)};
    weft_text_add_bytes(&file, prefix, sizeof prefix);
    if (weft_text_finish(&text, error)) {
        weft_text_add_bytes(&file, text.bytes, text.length);
        weft_text_add_bytes(&file, bytes, weft_type_bytes(type));
    }
    bool good = !text.failed && weft_text_finish(&file, error) &&
                stream_stage(batch, path, file.bytes, file.length, error);
    weft_text_free(&text);
    weft_text_free(&file);
    return good;
}
