/* What follows the graph in its text form: tables of scales, and the elements of long constants. */
#include <inttypes.h>
#include <string.h>

#include "compiler/ir/scan.h"
#include "compiler/ir/scope.h"

/* Waits for a table or, where there is a node, for a blob. */
struct tail_use {
    uint64_t line;
    struct weft_value *value;
    const char *table;
    struct weft_node *node;
    size_t blob;
};

static struct tail_use *add_use(struct scanner *scanner, struct tail *tail) {
    tail->uses = weft_arena_grow(scanner->arena, tail->uses, tail->use_count, &tail->use_capacity,
                                 sizeof *tail->uses);
    return &tail->uses[tail->use_count++];
}

void tail_use_table(struct scanner *scanner, struct tail *tail, struct weft_value *value,
                    const struct type_literal *type) {
    struct tail_use *use = add_use(scanner, tail);
    use->line = type->line;
    use->value = value;
    use->table = type->table;
}

void tail_use_blob(struct scanner *scanner, struct tail *tail, struct weft_node *node,
                   size_t blob) {
    struct tail_use *use = add_use(scanner, tail);
    use->line = node->line;
    use->node = node;
    use->blob = blob;
}

/* ---- tables ---- */

/* `NAME = {scale, zero; ...}` */
static bool parse_table(struct scanner *scanner, struct scope *tables) {
    struct weft_quantization *q = WEFT_NEW(scanner->arena, struct weft_quantization);
    const char *name = "";
    if (!scan_word(scanner, &name) || !scan_expect(scanner, "=") || !scan_expect(scanner, "{") ||
        !parse_scales(scanner, q) || !scan_expect(scanner, "}")) {
        return false;
    }
    return scope_add(scanner->arena, tables, name, q) ||
           weft_fail(scanner->error, WEFT_GRAPH, scanner->line,
                     "line %" PRIu64 ": the table of scales %.64s is there twice", scanner->line,
                     name);
}

static bool give_table(struct scanner *scanner, const struct scope *tables,
                       const struct tail_use *use) {
    const struct weft_quantization *q = scope_get(tables, use->table);
    if (q == NULL) {
        return weft_fail(scanner->error, WEFT_GRAPH, use->line,
                         "line %" PRIu64 ": expected a table of scales %.64s behind the graph; "
                         "there is none",
                         use->line, use->table);
    }
    uint32_t axis = use->value->type.quantization.axis;
    use->value->type.quantization = *q;
    use->value->type.quantization.axis = q->count == 1 ? 0 : axis;
    return true;
}

/* ---- blobs ---- */

/* The value of a character; 64 of one that is none. */
static uint32_t digit_of(char c) {
    if (c >= 'A' && c <= 'Z') {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z') {
        return (uint32_t)(c - 'a') + 26;
    }
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0') + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Four characters as up to three bytes; 0 when they are none. */
static size_t decode(const char *text, uint8_t bytes[3]) {
    size_t count = text[3] != '=' ? 3 : text[2] != '=' ? 2 : 1;
    uint32_t group = 0;
    for (size_t i = 0; i < 4; i++) {
        uint32_t digit = i <= count ? digit_of(text[i]) : 0;
        if (digit == 64) {
            return 0;
        }
        group = group << 6 | digit;
    }
    for (size_t i = 0; i < 3; i++) {
        bytes[i] = (uint8_t)(group >> (16 - 8 * i));
    }
    return (group & ((UINT32_C(1) << (24 - 8 * count)) - 1)) == 0 ? count : 0;
}

/* The lines of a blob, each in quotes, to `out`, which may be NULL; *length: bytes. A group that is
 * not full ends the blob. */
static bool parse_lines(struct scanner *scanner, uint8_t *out, size_t *length) {
    bool is_last = false;
    *length = 0;
    while (scan_take(scanner, "\"")) {
        while (scanner->at < scanner->end && *scanner->at != '"') {
            uint8_t bytes[3];
            size_t count =
                is_last || scanner->end - scanner->at < 4 ? 0 : decode(scanner->at, bytes);
            if (count == 0) {
                return scan_wrong(scanner, "groups of four characters in base 64");
            }
            if (out != NULL) {
                memcpy(out + *length, bytes, count);
            }
            *length += count;
            is_last = count < 3;
            scanner->at += 4;
        }
        if (!scan_expect(scanner, "\"")) {
            return false;
        }
    }
    return true;
}

/* `N = "..." "..."`: blobs are numbered from 0 in their order. */
static bool parse_blob(struct scanner *scanner, struct tail *tail) {
    int32_t index = -1;
    size_t length = 0;
    if (!parse_index(scanner, &index)) {
        return false;
    }
    if (index < 0 || (size_t)index != tail->blob_count) {
        return scan_wrong(scanner, "blobs numbered from 0 in their order before");
    }
    if (!scan_expect(scanner, "=")) {
        return false;
    }
    struct scanner again = *scanner;
    if (!parse_lines(scanner, NULL, &length)) {
        return false;
    }
    uint8_t *bytes = weft_arena_allocate(scanner->arena, length + 1, 1);
    tail->blob = weft_arena_grow(scanner->arena, tail->blob, tail->blob_count, &tail->blob_capacity,
                                 sizeof *tail->blob);
    tail->blob[tail->blob_count++] = (struct weft_blob){bytes, length};
    return parse_lines(&again, bytes, &length);
}

static bool give_blob(struct scanner *scanner, const struct weft_blobs *blobs,
                      const struct tail_use *use) {
    const struct weft_type *type = &use->node->results[0]->type;
    if (use->blob >= blobs->count) {
        return weft_fail(scanner->error, WEFT_GRAPH, use->line,
                         "line %" PRIu64 ": expected a blob %zu; there are %zu", use->line,
                         use->blob, blobs->count);
    }
    const struct weft_blob *blob = &blobs->blob[use->blob];
    if (weft_type_elements(type) < 0 || blob->length != weft_type_bytes(type)) {
        return weft_fail(scanner->error, WEFT_GRAPH, use->line,
                         "line %" PRIu64 ": blob %zu has %zu bytes, expected as many as its "
                         "constant has",
                         use->line, use->blob, blob->length);
    }
    for (uint32_t i = 0; i < use->node->attribute_count; i++) {
        if (use->node->attributes[i].key == WEFT_ATTR_data) {
            use->node->attributes[i].data = blob->bytes;
        }
    }
    return true;
}

/* ---- all ---- */

static bool parse_entries(struct scanner *scanner, struct tail *tail, struct scope *tables) {
    for (scan_space(scanner); scanner->at != scanner->end; scan_space(scanner)) {
        if (scan_take(scanner, "scales ") ? !parse_table(scanner, tables)
            : scan_take(scanner, "blob ") ? !parse_blob(scanner, tail)
                                          : !scan_wrong(scanner, "scales, a blob or nothing")) {
            return false;
        }
    }
    return true;
}

bool parse_tail(struct scanner *scanner, struct tail *tail, const struct weft_blobs *blobs) {
    struct scope tables = {0};
    if (!parse_entries(scanner, tail, &tables)) {
        return false;
    }
    const struct weft_blobs own = {tail->blob_count, tail->blob_capacity, tail->blob};
    if (blobs != NULL && own.count > 0) {
        return scan_wrong(scanner, "no blobs in a text that has them beside it");
    }
    for (size_t i = 0; i < tail->use_count; i++) {
        const struct tail_use *use = &tail->uses[i];
        if (use->node == NULL ? !give_table(scanner, &tables, use)
                              : !give_blob(scanner, blobs == NULL ? &own : blobs, use)) {
            return false;
        }
    }
    return true;
}
