#include "base/form.h"

#include <inttypes.h>
#include <string.h>

/* Lists are reached through memcpy(): a pointer to one structure is not read as one to another. */
static void *list_at(const struct weft_form_field *field, const void *structure, size_t *count) {
    void *list;
    memcpy(&list, (const char *)structure + field->offset, sizeof list);
    memcpy(count, (const char *)structure + field->count_offset, sizeof *count);
    return list;
}

/* ---- printing ---- */

static bool has_lists(const struct weft_form *form) {
    bool found = false;
    for (size_t i = 0; i < form->field_count; i++) {
        found = found || form->fields[i].type == WEFT_FORM_LIST;
    }
    return found;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static void print_list(struct weft_text *out, const struct weft_form_field *field,
                       const void *structure, unsigned indent) {
    size_t count = 0;
    const char *list = list_at(field, structure, &count);
    weft_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        weft_text_add(out, "%s\n%*s", i == 0 ? "" : ",", (int)indent + 1, "");
        weft_form_print(out, field->form, list + i * field->form->size, indent + 1);
    }
    weft_text_add(out, count == 0 ? "]" : "\n%*s]", (int)indent, "");
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static void print_field(struct weft_text *out, const struct weft_form_field *field,
                        const void *structure, unsigned indent) {
    const char *at = (const char *)structure + field->offset;
    switch (field->type) {
    case WEFT_FORM_INTEGER:
    case WEFT_FORM_VERSION:
        weft_text_add(out, "%" PRId64, *(const int64_t *)(const void *)at);
        break;
    case WEFT_FORM_BOOLEAN:
        weft_text_add(out, *(const bool *)at ? "true" : "false");
        break;
    case WEFT_FORM_STRING:
        weft_json_add_string(out, *(const char *const *)(const void *)at);
        break;
    case WEFT_FORM_LIST:
        print_list(out, field, structure, indent);
        break;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
void weft_form_print(struct weft_text *out, const struct weft_form *form, const void *structure,
                     unsigned indent) {
    bool lines = has_lists(form);
    weft_text_add(out, "{");
    for (size_t i = 0; i < form->field_count; i++) {
        weft_text_add(out, i == 0 ? "" : lines ? "," : ", ");
        if (lines) {
            weft_text_add(out, "\n%*s", (int)indent + 1, "");
        }
        weft_json_add_string(out, form->fields[i].name);
        weft_text_add(out, ": ");
        print_field(out, &form->fields[i], structure, indent + 1);
    }
    if (lines) {
        weft_text_add(out, "\n%*s", (int)indent, "");
    }
    weft_text_add(out, "}");
}

/* ---- reading ---- */

enum {
    KEY_BYTES = 64 /* of a key that are kept */
};

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static bool parse_list(struct weft_arena *arena, struct weft_json *in,
                       const struct weft_form_field *field, void *structure) {
    char *list = NULL;
    size_t count = 0;
    size_t capacity = 0;
    if (!weft_json_take(in, '[')) {
        return weft_json_malformed(in, "'['");
    }
    bool more = weft_json_peek(in) != ']';
    while (more) {
        list = weft_arena_grow(arena, list, count, &capacity, field->form->size);
        if (!weft_form_parse(arena, in, field->form, list + count * field->form->size)) {
            return false;
        }
        count++;
        more = weft_json_take(in, ',');
    }
    memcpy((char *)structure + field->offset, &list, sizeof list);
    memcpy((char *)structure + field->count_offset, &count, sizeof count);
    return weft_json_take(in, ']') || weft_json_malformed(in, "',' or ']'");
}

static bool parse_integer(struct weft_json *in, const char *name, int64_t *value) {
    return weft_json_take_integer(in, value) ||
           weft_fail(in->error, in->code, in->line, "line %" PRIu64 ": \"%s\" is not an integer",
                     in->line, name);
}

static bool parse_version(struct weft_json *in, const struct weft_form_field *field,
                          int64_t *value) {
    return parse_integer(in, field->name, value) &&
           (*value == field->version ||
            weft_fail(in->error, in->code, in->line,
                      "line %" PRIu64 ": \"%s\" is %" PRId64 ", expected %" PRId64, in->line,
                      field->name, *value, field->version));
}

static bool parse_string(struct weft_arena *arena, struct weft_json *in, char *at) {
    size_t size = weft_json_string_room(in) + 1;
    char *text = weft_arena_allocate(arena, size, 1);
    memcpy(at, &text, sizeof text);
    return weft_json_take_string(in, text, size);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static bool parse_value(struct weft_arena *arena, struct weft_json *in,
                        const struct weft_form_field *field, void *structure) {
    char *at = (char *)structure + field->offset;
    switch (field->type) {
    case WEFT_FORM_INTEGER:
        return parse_integer(in, field->name, (int64_t *)(void *)at);
    case WEFT_FORM_VERSION:
        return parse_version(in, field, (int64_t *)(void *)at);
    case WEFT_FORM_BOOLEAN:
        return weft_json_take_boolean(in, (bool *)at) ||
               weft_fail(in->error, in->code, in->line,
                         "line %" PRIu64 ": \"%s\" is neither true nor false", in->line,
                         field->name);
    case WEFT_FORM_STRING:
        return parse_string(arena, in, at);
    default:
        return parse_list(arena, in, field, structure);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
static bool parse_entry(struct weft_arena *arena, struct weft_json *in,
                        const struct weft_form *form, void *structure, uint32_t *seen) {
    char key[KEY_BYTES];
    size_t i = 0;
    if (!weft_json_take_string(in, key, sizeof key)) {
        return false;
    }
    while (i < form->field_count && strcmp(form->fields[i].name, key) != 0) {
        i++;
    }
    if (i == form->field_count || (*seen >> i & 1) != 0) {
        return weft_fail(in->error, in->code, in->line, "line %" PRIu64 ": %s \"%.60s\"", in->line,
                         i == form->field_count ? "there is no field" : "a second", key);
    }
    *seen |= UINT32_C(1) << i;
    return (weft_json_take(in, ':') || weft_json_malformed(in, "':'")) &&
           parse_value(arena, in, &form->fields[i], structure);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables */
bool weft_form_parse(struct weft_arena *arena, struct weft_json *in, const struct weft_form *form,
                     void *structure) {
    uint32_t seen = 0;
    if (!weft_json_take(in, '{')) {
        return weft_json_malformed(in, "'{'");
    }
    bool more = weft_json_peek(in) != '}';
    while (more) {
        if (!parse_entry(arena, in, form, structure, &seen)) {
            return false;
        }
        more = weft_json_take(in, ',');
    }
    if (!weft_json_take(in, '}')) {
        return weft_json_malformed(in, "',' or '}'");
    }
    for (size_t i = 0; i < form->field_count; i++) {
        if ((seen >> i & 1) == 0) {
            return weft_fail(in->error, in->code, in->line,
                             "line %" PRIu64 ": \"%s\" is missing in what ends here", in->line,
                             form->fields[i].name);
        }
    }
    return true;
}
