/* The C source of the instruction set: names, fields and formats as tables. */
#include "isa/definitions.h"

#include <string.h>

/* The offsetof expression of a field in struct weft_instruction. */
static void write_offset(FILE *out, const struct opcode *opcode, const struct field *field) {
    fprintf(out, "offsetof(struct weft_instruction, ");
    if (strcmp(field->kind, "BANKS") == 0) {
        fprintf(out, "banks[WEFT_MEMORY_");
        for (const char *c = field->name; *c != '_'; c++) {
            fputc(*c - 'a' + 'A', out);
        }
        fputc(']', out);
    } else if (field->opcode == NULL) {
        fprintf(out, "%s", field->name);
    } else {
        lower(out, opcode->name);
        fprintf(out, ".%s", field->name);
    }
    fputc(')', out);
}

static void write_fields(FILE *out, const struct opcode *opcode) {
    struct slot slots[MAX_SLOTS];
    int end = 0;
    int count = layout(opcode, slots, &end);
    if (count == 0) {
        return;
    }
    fprintf(out, "static const struct weft_field ");
    lower(out, opcode->name);
    fprintf(out, "_fields[] = {\n");
    for (int i = 0; i < count; i++) {
        const struct field *field = slots[i].field;
        int names = enumerators_of(field->kind);
        fprintf(out, "    {\"%s\", WEFT_KIND_%s, %d, %d, %d, ", field->name,
                names > 0 ? "ENUM" : field->kind, slots[i].lsb, field->width, field->repeat);
        write_offset(out, opcode, field);
        fprintf(out, ", ");
        if (names > 0) {
            lower(out, field->kind);
            fprintf(out, "_names, %d},\n", names);
        } else {
            fprintf(out, "NULL, 0},\n");
        }
    }
    fprintf(out, "};\n\n");
}

/* An instruction with every count 1 and all else 0. */
static void write_new(FILE *out, const struct opcode *opcode) {
    struct slot slots[MAX_SLOTS];
    int end = 0;
    int count = layout(opcode, slots, &end);
    fprintf(out, "    [WEFT_OPCODE_%s] = {.opcode = WEFT_OPCODE_%s", opcode->name, opcode->name);
    for (int i = 0; i < count; i++) {
        const struct field *field = slots[i].field;
        for (int j = 0; strcmp(field->kind, "COUNT") == 0 && j < field->repeat; j++) {
            fprintf(out, ", .");
            lower(out, opcode->name);
            fprintf(out, field->repeat > 1 ? ".%s[%d] = 1" : ".%s = 1", field->name, j);
        }
    }
    fprintf(out, "},\n");
}

static void write_names(FILE *out) {
    for (int i = 0; i < COUNT(enumerators); i++) {
        if (first_of_type(i)) {
            fprintf(out, "static const char *const ");
            lower(out, enumerators[i].type);
            fprintf(out, "_names[] = {");
        }
        fprintf(out, "\"");
        lower(out, enumerators[i].name);
        bool last = i + 1 == COUNT(enumerators) || first_of_type(i + 1);
        fprintf(out, last ? "\"};\n\n" : "\", ");
    }
    fprintf(out, "const char *const weft_unit_names[WEFT_UNITS] = {");
    for (int i = 0; i < COUNT(units); i++) {
        fprintf(out, "\"");
        lower(out, units[i].name);
        fprintf(out, "\"%s", i + 1 < COUNT(units) ? ", " : "};\n");
    }
    fprintf(out, "const char *const weft_memory_names[WEFT_MEMORIES] = {");
    for (int i = 0; i < COUNT(memories); i++) {
        fprintf(out, "\"");
        lower(out, memories[i].name);
        fprintf(out, "\"%s", i + 1 < COUNT(memories) ? ", " : "};\n");
    }
    fprintf(out, "const uint32_t weft_memory_banks[WEFT_MEMORIES] = {");
    for (int i = 0; i < COUNT(memories); i++) {
        fprintf(out, "%d%s", memories[i].banks, i + 1 < COUNT(memories) ? ", " : "};\n");
    }
    fprintf(out, "const char *const weft_fault_names[WEFT_FAULTS] = {\n");
    for (int i = 0; i < COUNT(faults); i++) {
        fprintf(out, "    \"%s\",\n", faults[i].text);
    }
    fprintf(out, "};\n\n");
}

/* A feature of one opcode. */
static void write_feature(FILE *out, const struct opcode *opcode, const struct feature *feature) {
    struct slot slots[MAX_SLOTS];
    int end = 0;
    int count = layout(opcode, slots, &end);
    fprintf(out, "    {\"%s\", offsetof(struct weft_config, %s), WEFT_OPCODE_%s, {",
            feature->parameter, feature->parameter, opcode->name);
    for (int i = 0; i < 2 && feature->conditions[i].field != NULL; i++) {
        const struct condition *condition = &feature->conditions[i];
        fprintf(out, "%s{&", i > 0 ? ", " : "");
        lower(out, opcode->name);
        fprintf(out, "_fields[%d], %s, %d}", slot_of(slots, count, condition->field),
                condition->is ? "true" : "false", condition_value(condition));
    }
    fprintf(out, "}},\n");
}

static void write_features(FILE *out) {
    fprintf(out, "const struct weft_feature weft_features[] = {\n");
    for (int i = 0; i < COUNT(features); i++) {
        for (int k = 0; k < COUNT(opcodes); k++) {
            if (feature_is_of(&features[i], &opcodes[k])) {
                write_feature(out, &opcodes[k], &features[i]);
            }
        }
    }
    fprintf(out, "    {NULL, 0, 0, {{NULL, false, 0}}},\n};\n\n");
}

void write_source(FILE *out) {
    fprintf(out, "/* Generated by isa/generate.c. */\n#include \"isa/config.h\"\n\n"
                 "#include <stddef.h>\n\n");
    write_names(out);
    for (int i = 0; i < COUNT(opcodes); i++) {
        write_fields(out, &opcodes[i]);
    }
    fprintf(out, "const struct weft_format weft_formats[WEFT_FORMATS] = {\n");
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        fprintf(out, "    [WEFT_OPCODE_%s] = {\"", opcodes[i].name);
        lower(out, opcodes[i].name);
        if (runs_on_unit(&opcodes[i])) {
            fprintf(out, "\", WEFT_UNIT_%s, ", opcodes[i].unit);
            lower(out, opcodes[i].name);
            fprintf(out, "_fields, %d, %d},\n", count, end);
        } else {
            fprintf(out, "\", WEFT_UNITS, NULL, 0, %d},\n", end);
        }
    }
    fprintf(out, "};\n\nconst struct weft_instruction weft_new_instructions[WEFT_FORMATS] = {\n");
    for (int i = 0; i < COUNT(opcodes); i++) {
        write_new(out, &opcodes[i]);
    }
    fprintf(out, "};\n\n");
    write_features(out);
    fprintf(out, "const struct weft_parameter weft_parameter_list[WEFT_PARAMETERS] = {\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "    {\"%s\", offsetof(struct weft_config, %s), %ld, %ld},\n",
                parameters[i].name, parameters[i].name, parameters[i].low, parameters[i].high);
    }
    fprintf(out, "};\n");
}
