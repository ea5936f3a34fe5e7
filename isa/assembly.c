/* The text form of instructions: both directions walk the field tables of isa/instructions.def. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

/* ---- instruction to text ---- */

static void print_units(struct weft_text *text, int64_t mask) {
    const char *separator = "";
    for (unsigned i = 0; i < WEFT_UNITS; i++) {
        if ((mask >> i & 1) != 0) {
            weft_text_add(text, "%s%s", separator, weft_unit_names[i]);
            separator = "+";
        }
    }
}

static void print_banks(struct weft_text *text, int64_t mask) {
    const char *separator = "";
    for (unsigned i = 0; i < 32; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        unsigned last = i;
        while (last < 31 && (mask >> (last + 1) & 1) != 0) {
            last++;
        }
        weft_text_add(text, "%s%u", separator, i);
        if (last > i) {
            weft_text_add(text, "-%u", last);
        }
        separator = "+";
        i = last;
    }
}

static void print_value(struct weft_text *text, const struct weft_field *field, int64_t value) {
    switch (field->kind) {
    case WEFT_KIND_ENUM:
        weft_text_add(text, "%s", field->names[value]);
        break;
    case WEFT_KIND_UNITS:
        print_units(text, value);
        break;
    case WEFT_KIND_BANKS:
        print_banks(text, value);
        break;
    case WEFT_KIND_UNSIGNED:
    case WEFT_KIND_SIGNED:
    case WEFT_KIND_COUNT:
        weft_text_add(text, "%" PRId64, value);
        break;
    }
}

static int64_t default_of(const struct weft_field *field) {
    return field->kind == WEFT_KIND_COUNT ? 1 : 0;
}

/* An enumeration is always written, so that a line says what it does. */
static bool is_written(const struct weft_instruction *instruction, const struct weft_field *field) {
    for (unsigned i = 0; i < field->repeat; i++) {
        if (weft_field_get(instruction, field, i) != default_of(field)) {
            return true;
        }
    }
    return field->kind == WEFT_KIND_ENUM;
}

void weft_disassemble(const struct weft_instruction *instruction, struct weft_text *text) {
    const struct weft_format *format = weft_format_of(instruction->opcode);
    if (format == NULL) {
        weft_text_add(text, "; opcode %" PRIu32, instruction->opcode);
        return;
    }
    weft_text_add(text, "%s", format->name);
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        if (!is_written(instruction, field)) {
            continue;
        }
        weft_text_add(text, " %s=", field->name);
        for (unsigned j = 0; j < field->repeat; j++) {
            weft_text_add(text, "%s", j == 0 ? "" : ",");
            print_value(text, field, weft_field_get(instruction, field, j));
        }
    }
}

/* ---- text to instruction ---- */

/* What isspace() takes, but for the newline, which ends a line: lines may end in CRLF. */
#define SPACES " \t\r\v\f"

struct reader {
    const char *at;
    const char *end; /* of the line */
    uint64_t line;
    struct weft_error *error;
};

struct word {
    const char *start;
    size_t length;
};

static bool word_is(struct word word, const char *name) {
    return strlen(name) == word.length && memcmp(word.start, name, word.length) == 0;
}

static bool fail(const struct reader *reader, const char *what, struct word word) {
    int shown = word.length > 40 ? 40 : (int)word.length;
    return weft_fail(reader->error, WEFT_ASSEMBLY, reader->line, "line %" PRIu64 ": %s '%.*s'",
                     reader->line, what, shown, word.start);
}

/* Takes the longest run of characters up to one of `stops`. */
static struct word take_word(struct reader *reader, const char *stops) {
    struct word word = {reader->at, 0};
    while (reader->at < reader->end && strchr(stops, *reader->at) == NULL) {
        reader->at++;
        word.length++;
    }
    return word;
}

static bool take(struct reader *reader, char c) {
    if (reader->at < reader->end && *reader->at == c) {
        reader->at++;
        return true;
    }
    return false;
}

static bool parse_number(const struct reader *reader, struct word word, int64_t *value) {
    char digits[32];
    if (word.length == 0 || word.length >= sizeof digits) {
        return fail(reader, "expected a number, not", word);
    }
    memcpy(digits, word.start, word.length);
    digits[word.length] = '\0';
    char *end = NULL;
    const char *first = digits[0] == '-' ? digits + 1 : digits;
    *value = strtoll(digits, &end, first[0] == '0' && first[1] == 'x' ? 16 : 10);
    if (*end != '\0' || !isxdigit((unsigned char)first[0])) {
        return fail(reader, "expected a number, not", word);
    }
    return true;
}

static bool parse_name(const struct reader *reader, struct word word, const char *const *names,
                       unsigned count, int64_t *value) {
    for (unsigned i = 0; i < count; i++) {
        if (word_is(word, names[i])) {
            *value = i;
            return true;
        }
    }
    return fail(reader, "unknown name", word);
}

static bool parse_units(struct reader *reader, int64_t *mask) {
    *mask = 0;
    do {
        int64_t unit = 0;
        if (!parse_name(reader, take_word(reader, "+," SPACES), weft_unit_names, WEFT_UNITS,
                        &unit)) {
            return false;
        }
        *mask |= INT64_C(1) << unit;
    } while (take(reader, '+'));
    return true;
}

static bool parse_banks(struct reader *reader, int64_t *mask) {
    *mask = 0;
    do {
        int64_t first = 0;
        struct word word = take_word(reader, "+-," SPACES);
        if (!parse_number(reader, word, &first)) {
            return false;
        }
        int64_t last = first;
        if (take(reader, '-')) {
            word = take_word(reader, "+-," SPACES);
            if (!parse_number(reader, word, &last)) {
                return false;
            }
        }
        if (first < 0 || last < first || last > 31) {
            return fail(reader, "expected banks in 0 to 31, not", word);
        }
        for (int64_t bank = first; bank <= last; bank++) {
            *mask |= INT64_C(1) << bank;
        }
    } while (take(reader, '+'));
    return true;
}

static bool parse_value(struct reader *reader, const struct weft_field *field, int64_t *value) {
    switch (field->kind) {
    case WEFT_KIND_UNITS:
        return parse_units(reader, value);
    case WEFT_KIND_BANKS:
        return parse_banks(reader, value);
    case WEFT_KIND_ENUM:
        return parse_name(reader, take_word(reader, "," SPACES), field->names, field->name_count,
                          value);
    case WEFT_KIND_UNSIGNED:
    case WEFT_KIND_SIGNED:
    case WEFT_KIND_COUNT:
        break;
    }
    struct word word = take_word(reader, "," SPACES);
    if (!parse_number(reader, word, value)) {
        return false;
    }
    /* The structure holds 32 bits; the field's own width is checked once the line is complete. */
    if (*value < INT32_MIN || *value > (int64_t)UINT32_MAX) {
        return fail(reader, "expected a number of 32 bits, not", word);
    }
    return true;
}

/* Behind the values of a field; a comma there is one too many, or stands where a plus should. */
static bool parse_end(struct reader *reader, const struct weft_field *field) {
    if (reader->at == reader->end || isspace((unsigned char)*reader->at)) {
        return true;
    }
    const char *expected =
        *reader->at != ',' ? "expected a space at"
        : field->kind == WEFT_KIND_UNITS
            ? "units are joined by +, as in load+vector; expected + or a space at"
        : field->kind == WEFT_KIND_BANKS
            ? "banks are joined by + and -, as in 0+2-3; expected these or a space at"
        : field->repeat == 1 ? "it has one value; expected a space at"
                             : "too many values; expected a space at";
    return fail(reader, expected, take_word(reader, SPACES));
}

static bool parse_field(struct reader *reader, const struct weft_format *format,
                        struct weft_instruction *instruction, uint64_t *seen) {
    struct word name = take_word(reader, "=" SPACES);
    if (!take(reader, '=')) {
        return fail(reader, "expected name=value at", name);
    }
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        if (!word_is(name, field->name)) {
            continue;
        }
        if ((*seen >> i & 1) != 0) {
            return fail(reader, "field given twice:", name);
        }
        *seen |= UINT64_C(1) << i;
        for (unsigned j = 0; j < field->repeat; j++) {
            int64_t value = 0;
            if (j > 0 && !take(reader, ',')) {
                return fail(reader, "too few values for", name);
            }
            if (!parse_value(reader, field, &value)) {
                return false;
            }
            uint32_t bits = (uint32_t)value;
            if (field->kind == WEFT_KIND_SIGNED ? value != (int32_t)bits : value != bits) {
                return fail(reader, "value out of range for", name);
            }
            memcpy((char *)instruction + field->offset + (size_t)j * sizeof bits, &bits,
                   sizeof bits);
        }
        return parse_end(reader, field);
    }
    return fail(reader, "no such field:", name);
}

static void skip_space(struct reader *reader) {
    while (reader->at < reader->end && isspace((unsigned char)*reader->at)) {
        reader->at++;
    }
}

/* WEFT_FORMATS: there is none. */
static uint32_t opcode_named(struct word mnemonic) {
    uint32_t opcode = 0;
    while (opcode < WEFT_FORMATS &&
           (weft_format_of(opcode) == NULL || !word_is(mnemonic, weft_formats[opcode].name))) {
        opcode++;
    }
    return opcode;
}

/* Reads one line; *found tells whether it held an instruction. */
static bool parse_line(struct reader *reader, struct weft_instruction *instruction, bool *found) {
    skip_space(reader);
    *found = reader->at < reader->end;
    if (!*found) {
        return true;
    }
    struct word mnemonic = take_word(reader, SPACES);
    uint32_t opcode = opcode_named(mnemonic);
    const struct weft_format *format = weft_format_of(opcode);
    if (format == NULL) {
        return fail(reader, "unknown instruction", mnemonic);
    }
    *instruction = weft_instruction_new((enum weft_opcode)opcode);
    uint64_t seen = 0;
    for (skip_space(reader); reader->at < reader->end; skip_space(reader)) {
        if (!parse_field(reader, format, instruction, &seen)) {
            return false;
        }
    }
    if (!weft_instruction_check(instruction, reader->error)) {
        reader->error->code = WEFT_ASSEMBLY;
        reader->error->position = reader->line;
        return weft_fail_context(reader->error, "line %" PRIu64, reader->line);
    }
    return true;
}

/* Goes to the next line of the text before `end`, without its comment; false: there is none. */
static bool next_line(struct reader *reader, const char **next, const char *end) {
    const char *at = *next;
    if (at >= end) {
        return false;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *line_end = newline == NULL ? end : newline;
    const char *comment = memchr(at, ';', (size_t)(line_end - at));
    reader->at = at;
    reader->end = comment == NULL ? line_end : comment;
    reader->line++;
    *next = newline == NULL ? end : newline + 1;
    return true;
}

bool weft_assemble(const char *source, size_t length, struct weft_program *program,
                   struct weft_error *error) {
    struct reader reader = {.error = error};
    *program = (struct weft_program){0};
    if (!weft_program_reserve(program, weft_assembly_count(source, length), error)) {
        return false;
    }
    for (const char *next = source; next_line(&reader, &next, source + length);) {
        struct weft_instruction instruction;
        bool found = false;
        if (!parse_line(&reader, &instruction, &found) ||
            (found && !weft_program_add(program, &instruction, error))) {
            weft_program_free(program);
            return false;
        }
    }
    return true;
}

size_t weft_assembly_count(const char *source, size_t length) {
    struct reader reader = {.error = NULL};
    size_t count = 0;
    for (const char *next = source; next_line(&reader, &next, source + length);) {
        skip_space(&reader);
        count += reader.at < reader.end;
    }
    return count;
}

bool weft_is_assembly(const char *source, size_t length) {
    struct reader reader = {.error = NULL};
    for (const char *next = source; next_line(&reader, &next, source + length);) {
        skip_space(&reader);
        if (reader.at < reader.end) {
            return opcode_named(take_word(&reader, SPACES)) != WEFT_FORMATS;
        }
    }
    return false;
}

uint64_t weft_assembly_line(const char *source, size_t length, size_t number) {
    struct reader reader = {.error = NULL};
    for (const char *next = source; next_line(&reader, &next, source + length);) {
        skip_space(&reader);
        if (reader.at < reader.end && number-- == 0) {
            return reader.line;
        }
    }
    return 0;
}
