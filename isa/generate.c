/* Turns the .def files of isa into everything that follows from them.
 *
 * usage: generate header|source|sv|encoding|markdown|registers > FILE
 * Built and run first by CMake. It has no dependencies: the rest of Weft includes what it writes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    INSTRUCTION_BITS = 512,
    OPCODE_BITS = 4,
    WORD_BITS = 64,
    MAX_SLOTS = 64
};

struct unit {
    const char *name;
    int index;
    const char *doc;
};
struct memory {
    const char *name;
    int banks;
    const char *doc;
};
struct opcode {
    const char *name;
    int value;
    const char *unit;
    const char *doc;
};
struct enumerator {
    const char *type;
    const char *name;
    int value;
    const char *doc;
};
struct field {
    const char *opcode; /* NULL: common */
    const char *name;
    const char *kind;
    int width;
    int repeat;
    const char *doc;
};
struct parameter {
    const char *name;
    long low;
    long high;
    const char *doc;
};
struct fault {
    const char *name;
    int value;
    const char *text;
};
struct machine_register {
    const char *name;
    unsigned address;
    const char *doc;
};
struct counter {
    const char *name;
    const char *doc;
};

static const struct unit units[] = {
#define WEFT_UNIT(name, index, doc) {#name, index, doc},
#include "instructions.def"
};
static const struct memory memories[] = {
#define WEFT_MEMORY(name, banks, doc) {#name, banks, doc},
#include "instructions.def"
};
static const struct opcode opcodes[] = {
#define WEFT_OPCODE(name, value, unit, doc) {#name, value, #unit, doc},
#include "instructions.def"
};
static const struct enumerator enumerators[] = {
#define WEFT_ENUM(type, name, value, doc) {#type, #name, value, doc},
#include "instructions.def"
};
static const struct field fields[] = {
#define WEFT_COMMON(name, kind, width, doc) {NULL, #name, #kind, width, 1, doc},
#include "instructions.def"
#define WEFT_FIELD(opcode, name, kind, width, repeat, doc)                                         \
    {#opcode, #name, #kind, width, repeat, doc},
#include "instructions.def"
};
static const struct parameter parameters[] = {
#define WEFT_PARAMETER(name, low, high, doc) {#name, low, high, doc},
#include "config.def"
#undef WEFT_PARAMETER
};
static const struct fault faults[] = {
#define WEFT_FAULT_CODE(name, value, text) {#name, value, text},
#include "faults.def"
#undef WEFT_FAULT_CODE
};
static const struct machine_register registers[] = {
#define WEFT_REGISTER(name, address, doc) {#name, address, doc},
#include "registers.def"
#undef WEFT_REGISTER
};
static const struct counter counters[] = {
#define WEFT_COUNTER(name, doc) {#name, doc},
#include "counters.def"
#undef WEFT_COUNTER
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* A field of one opcode with its place. */
struct slot {
    const struct field *field;
    int lsb;
};

static bool runs_on_unit(const struct opcode *opcode) {
    return strcmp(opcode->unit, "NONE") != 0;
}

/* Lays out the fields of an opcode from bit OPCODE_BITS upwards; returns how many there are and the
 * first free bit in *end. */
static int layout(const struct opcode *opcode, struct slot slots[MAX_SLOTS], int *end) {
    int count = 0;
    int lsb = OPCODE_BITS;
    for (int i = 0; i < COUNT(fields); i++) {
        const struct field *field = &fields[i];
        bool mine =
            field->opcode == NULL ? runs_on_unit(opcode) : strcmp(field->opcode, opcode->name) == 0;
        if (mine) {
            slots[count].field = field;
            slots[count].lsb = lsb;
            count++;
            lsb += field->width * field->repeat;
        }
    }
    *end = lsb;
    return count;
}

/* Writes `name` in lower case. */
static void lower(FILE *out, const char *name) {
    for (; *name != '\0'; name++) {
        fputc(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name, out);
    }
}

static void upper(FILE *out, const char *name) {
    for (; *name != '\0'; name++) {
        fputc(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name, out);
    }
}

static bool first_of_type(int index) {
    return index == 0 || strcmp(enumerators[index].type, enumerators[index - 1].type) != 0;
}

/* FNV-1a over everything that fixes the meaning of an encoded instruction. */
static uint64_t layout_hash(void) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        char line[128];
        for (int j = -1; j < count; j++) {
            if (j < 0) {
                (void)snprintf(line, sizeof line, "%s=%d;", opcodes[i].name, opcodes[i].value);
            } else {
                (void)snprintf(line, sizeof line, "%s:%s@%d*%d;", slots[j].field->name,
                               slots[j].field->kind, slots[j].lsb, slots[j].field->width);
            }
            for (const char *c = line; *c != '\0'; c++) {
                hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
            }
        }
    }
    return hash;
}

/* ---- C ---- */

static void header_enums(FILE *out) {
    fprintf(out, "enum weft_unit {\n");
    for (int i = 0; i < COUNT(units); i++) {
        fprintf(out, "    WEFT_UNIT_%s = %d, /* %s */\n", units[i].name, units[i].index,
                units[i].doc);
    }
    fprintf(out, "    WEFT_UNITS = %d\n};\n\n", COUNT(units));
    fprintf(out, "enum weft_memory {\n");
    for (int i = 0; i < COUNT(memories); i++) {
        fprintf(out, "    WEFT_MEMORY_%s = %d, /* %s */\n", memories[i].name, i, memories[i].doc);
    }
    fprintf(out, "    WEFT_MEMORIES = %d\n};\n\n", COUNT(memories));
    fprintf(out, "enum {\n");
    for (int i = 0; i < COUNT(memories); i++) {
        fprintf(out, "    WEFT_%s_BANKS = %d,\n", memories[i].name, memories[i].banks);
    }
    fprintf(out, "};\n\nenum weft_opcode {\n");
    for (int i = 0; i < COUNT(opcodes); i++) {
        fprintf(out, "    WEFT_OPCODE_%s = %d, /* %s */\n", opcodes[i].name, opcodes[i].value,
                opcodes[i].doc);
    }
    fprintf(out, "};\n");
    for (int i = 0; i < COUNT(enumerators); i++) {
        if (first_of_type(i)) {
            fprintf(out, "\nenum weft_");
            lower(out, enumerators[i].type);
            fprintf(out, " {\n");
        }
        fprintf(out, "    WEFT_%s_%s = %d, /* %s */\n", enumerators[i].type, enumerators[i].name,
                enumerators[i].value, enumerators[i].doc);
        if (i + 1 == COUNT(enumerators) || first_of_type(i + 1)) {
            fprintf(out, "};\n");
        }
    }
    fprintf(out, "\nenum weft_fault {\n");
    for (int i = 0; i < COUNT(faults); i++) {
        fprintf(out, "    WEFT_FAULT_%s = %d, /* %s */\n", faults[i].name, faults[i].value,
                faults[i].text);
    }
    fprintf(out, "    WEFT_FAULTS = %d\n};\n\n", COUNT(faults));
    int formats = 0;
    for (int i = 0; i < COUNT(opcodes); i++) {
        formats = opcodes[i].value >= formats ? opcodes[i].value + 1 : formats;
    }
    fprintf(out, "enum {\n    WEFT_FORMATS = %d, /* one more than the largest opcode */\n",
            formats);
    fprintf(out, "    WEFT_PARAMETERS = %d,\n", COUNT(parameters));
    fprintf(out, "    WEFT_INSTRUCTION_BITS = %d,\n    WEFT_OPCODE_BITS = %d,\n};\n\n",
            INSTRUCTION_BITS, OPCODE_BITS);
}

static void header_structures(FILE *out) {
    for (int i = 0; i < COUNT(opcodes); i++) {
        if (!runs_on_unit(&opcodes[i])) {
            continue;
        }
        fprintf(out, "/* %s: %s. */\nstruct weft_", opcodes[i].name, opcodes[i].doc);
        lower(out, opcodes[i].name);
        fprintf(out, "_fields {\n");
        for (int j = 0; j < COUNT(fields); j++) {
            if (fields[j].opcode == NULL || strcmp(fields[j].opcode, opcodes[i].name) != 0) {
                continue;
            }
            fprintf(out, "    %s %s",
                    strcmp(fields[j].kind, "SIGNED") == 0 ? "int32_t" : "uint32_t", fields[j].name);
            if (fields[j].repeat > 1) {
                fprintf(out, "[%d]", fields[j].repeat);
            }
            fprintf(out, "; /* %s */\n", fields[j].doc);
        }
        fprintf(out, "};\n\n");
    }
    fprintf(out, "/* A decoded instruction. Signed and unsigned fields all take 32 bits. */\n"
                 "struct weft_instruction {\n    uint32_t opcode; /* enum weft_opcode */\n");
    for (int j = 0; j < COUNT(fields); j++) {
        if (fields[j].opcode == NULL && strcmp(fields[j].kind, "BANKS") != 0) {
            fprintf(out, "    uint32_t %s; /* %s */\n", fields[j].name, fields[j].doc);
        }
    }
    fprintf(out,
            "    uint32_t banks[WEFT_MEMORIES]; /* banks owned from start to finish, a mask for "
            "each memory */\n    union {\n");
    for (int i = 0; i < COUNT(opcodes); i++) {
        if (runs_on_unit(&opcodes[i])) {
            fprintf(out, "        struct weft_");
            lower(out, opcodes[i].name);
            fprintf(out, "_fields ");
            lower(out, opcodes[i].name);
            fprintf(out, ";\n");
        }
    }
    fprintf(out, "    };\n};\n\n");
}

static void write_header(FILE *out) {
    fprintf(out, "/* Generated by isa/generate.c from isa/instructions.def, isa/config.def and "
                 "isa/faults.def. */\n"
                 "#ifndef WEFT_ISA_GENERATED_H\n#define WEFT_ISA_GENERATED_H\n\n"
                 "#include <stdint.h>\n\n");
    header_enums(out);
    header_structures(out);
    fprintf(out, "/* Hardware parameters; isa/config.def says what each means and its range. */\n"
                 "struct weft_config {\n    char name[32];\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "    uint32_t %s;\n", parameters[i].name);
    }
    fprintf(out,
            "};\n\n/* Changes whenever the encoding does. */\n"
            "#define WEFT_ISA_HASH UINT64_C(0x%016" PRIx64 ")\n\n#endif\n",
            layout_hash());
}

/* Is a field of kind BANKS the mask of the memory: act_banks of ACT? */
static bool is_mask(const struct field *field, const struct memory *memory) {
    size_t length = strlen(memory->name);
    for (size_t i = 0; i < length; i++) {
        if (field->name[i] != memory->name[i] - 'A' + 'a') {
            return false;
        }
    }
    return strcmp(field->name + length, "_banks") == 0;
}

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

static int enumerators_of(const char *type) {
    int count = 0;
    for (int i = 0; i < COUNT(enumerators); i++) {
        count += strcmp(enumerators[i].type, type) == 0;
    }
    return count;
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

static void write_source(FILE *out) {
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
    fprintf(out, "};\n\nconst struct weft_parameter weft_parameter_list[WEFT_PARAMETERS] = {\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "    {\"%s\", offsetof(struct weft_config, %s), %ld, %ld},\n",
                parameters[i].name, parameters[i].name, parameters[i].low, parameters[i].high);
    }
    fprintf(out, "};\n");
}

/* ---- SystemVerilog ---- */

static void sv_constant(FILE *out, const char *prefix, const char *name, const char *suffix,
                        int value) {
    fprintf(out, "  localparam [31:0] ");
    upper(out, prefix);
    fprintf(out, "_");
    upper(out, name);
    fprintf(out, "%s = 32'd%d;\n", suffix, value);
}

static int unit_index(const char *name) {
    for (int i = 0; i < COUNT(units); i++) {
        if (strcmp(units[i].name, name) == 0) {
            return units[i].index;
        }
    }
    return COUNT(units);
}

static void write_sv(FILE *out) {
    fprintf(out, "// Generated by isa/generate.c from isa/instructions.def and isa/faults.def.\n"
                 "package weft_isa_pkg;\n");
    for (int i = 0; i < COUNT(units); i++) {
        sv_constant(out, "UNIT", units[i].name, "", units[i].index);
    }
    for (int i = 0; i < COUNT(faults); i++) {
        sv_constant(out, "FAULT", faults[i].name, "", faults[i].value);
    }
    for (int i = 0; i < COUNT(enumerators); i++) {
        sv_constant(out, enumerators[i].type, enumerators[i].name, "", enumerators[i].value);
    }
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        fprintf(out, "\n  // %s: %s\n", opcodes[i].name, opcodes[i].doc);
        sv_constant(out, "OPCODE", opcodes[i].name, "", opcodes[i].value);
        sv_constant(out, opcodes[i].name, "END", "", end);
        for (int j = 0; j < count; j++) {
            sv_constant(out, opcodes[i].name, slots[j].field->name, "_LSB", slots[j].lsb);
            sv_constant(out, opcodes[i].name, slots[j].field->name, "_WIDTH",
                        slots[j].field->width);
        }
    }
    fprintf(out, "endpackage\n");
}

/* The parameter of a configuration of this name; NULL when there is none. */
static const struct parameter *parameter_of(const char *name) {
    for (int i = 0; i < COUNT(parameters); i++) {
        if (strcmp(parameters[i].name, name) == 0) {
            return &parameters[i];
        }
    }
    return NULL;
}

/* One condition that a field of a legal instruction must meet; nothing for fields of any value. */
static void sv_condition(FILE *out, const struct opcode *opcode, const struct slot *slot) {
    const struct field *field = slot->field;
    for (int i = 0; i < field->repeat; i++) {
        int lsb = slot->lsb + i * field->width;
        int high = lsb + field->width - 1;
        if (strcmp(field->kind, "COUNT") == 0) {
            fprintf(out, "\n            && instruction[%d:%d] != 0", high, lsb);
        } else if (strcmp(field->kind, "UNITS") == 0) {
            fprintf(out, "\n            && !instruction[%d]", lsb + unit_index(opcode->unit));
        } else if (strcmp(field->kind, "BANKS") == 0 && parameter_of(field->name) != NULL) {
            fprintf(out, "\n            && instruction[%d:%d] >> weft_config_pkg::", high, lsb);
            upper(out, field->name);
            fprintf(out, " == 0");
        } else if (enumerators_of(field->kind) > 0 &&
                   enumerators_of(field->kind) < 1 << field->width) {
            fprintf(out, "\n            && instruction[%d:%d] < %d'd%d", high, lsb, field->width,
                    enumerators_of(field->kind));
        }
    }
}

static void write_encoding(FILE *out) {
    fprintf(
        out,
        "// Generated by isa/generate.c from isa/instructions.def.\n"
        "// Is an instruction legal: a known opcode, counts not zero, known enumeration values,\n"
        "// no semaphore of the own unit, no bank that the configuration does not have, reserved\n"
        "// bits zero? Combinational.\n"
        "module weft_encoding (\n    input  logic [%d:0] instruction,\n"
        "    output logic legal\n);\n"
        "  always_comb begin\n    case (instruction[%d:0])\n",
        INSTRUCTION_BITS - 1, OPCODE_BITS - 1);
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        fprintf(out, "      %d'd%d:  // %s\n        legal = instruction[%d:%d] == 0", OPCODE_BITS,
                opcodes[i].value, opcodes[i].name, INSTRUCTION_BITS - 1, end);
        for (int j = 0; j < count; j++) {
            sv_condition(out, &opcodes[i], &slots[j]);
        }
        fprintf(out, ";\n");
    }
    fprintf(out, "      default: legal = 1'b0;\n    endcase\n  end\nendmodule\n");
}

/* ---- Markdown ---- */

/* One box of the bit picture: a field, one element of an array, or reserved bits. */
struct box {
    char label[48];
    int lsb;
    int width;
};

static int make_boxes(const struct opcode *opcode, struct box *boxes) {
    struct slot slots[MAX_SLOTS];
    int end = 0;
    int count = layout(opcode, slots, &end);
    int made = 0;
    boxes[made++] = (struct box){"opcode", 0, OPCODE_BITS};
    for (int i = 0; i < count; i++) {
        const struct field *field = slots[i].field;
        for (int j = 0; j < field->repeat; j++) {
            struct box *box = &boxes[made++];
            box->lsb = slots[i].lsb + j * field->width;
            box->width = field->width;
            if (field->repeat > 1) {
                (void)snprintf(box->label, sizeof box->label, "%s[%d]", field->name, j);
            } else {
                (void)snprintf(box->label, sizeof box->label, "%s", field->name);
            }
        }
    }
    boxes[made++] = (struct box){"0", end, INSTRUCTION_BITS - end};
    return made;
}

/* Prints the part of the boxes that lies in one 64-bit word, high bits first. Box widths follow the
 * labels, not the bits; a box that crosses words appears in both. */
static void picture_word(FILE *out, const struct box *boxes, int count, int word) {
    char numbers[1024] = "";
    char border[1024] = "";
    char labels[1024] = "";
    for (int i = count - 1; i >= 0; i--) {
        int low = boxes[i].lsb > word * WORD_BITS ? boxes[i].lsb : word * WORD_BITS;
        int high = boxes[i].lsb + boxes[i].width - 1;
        high = high < word * WORD_BITS + WORD_BITS - 1 ? high : word * WORD_BITS + WORD_BITS - 1;
        if (low > high) {
            continue;
        }
        char range[24];
        if (low == high) {
            (void)snprintf(range, sizeof range, "%d", low);
        } else {
            (void)snprintf(range, sizeof range, "%d:%d", high, low);
        }
        int width = (int)strlen(boxes[i].label);
        width = (int)strlen(range) > width ? (int)strlen(range) : width;
        size_t used = strlen(border);
        (void)snprintf(numbers + used, sizeof numbers - used, "  %-*s", width + 1, range);
        (void)snprintf(labels + used, sizeof labels - used, "| %-*s", width + 1, boxes[i].label);
        border[used++] = '+';
        memset(border + used, '-', (size_t)width + 2);
        border[used + (size_t)width + 2] = '\0';
    }
    fprintf(out, "%s\n%s+\n%s|\n%s+\n", numbers, border, labels, border);
}

static void markdown_opcode(FILE *out, const struct opcode *opcode) {
    struct box boxes[2 * MAX_SLOTS];
    int count = make_boxes(opcode, boxes);
    fprintf(out, "\n## %s (opcode %d)\n\n%s%s%s: %s.\n\n```text\n", opcode->name, opcode->value,
            runs_on_unit(opcode) ? "Unit " : "", runs_on_unit(opcode) ? opcode->unit : "Dispatch",
            "", opcode->doc);
    for (int word = 0; word < INSTRUCTION_BITS / WORD_BITS; word++) {
        bool empty = boxes[count - 1].lsb <= word * WORD_BITS;
        if (empty && word > 0) {
            fprintf(out, "bits %d to %d: 0\n", word * WORD_BITS, INSTRUCTION_BITS - 1);
            break;
        }
        picture_word(out, boxes, count, word);
    }
    fprintf(out, "```\n");
    struct slot slots[MAX_SLOTS];
    int end = 0;
    int slot_count = layout(opcode, slots, &end);
    if (slot_count == 0) {
        return;
    }
    fprintf(out, "\n| field | bits | width | kind | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < slot_count; i++) {
        const struct field *field = slots[i].field;
        char width[24];
        (void)snprintf(width, sizeof width, field->repeat > 1 ? "%d x %d" : "%d",
                       field->repeat > 1 ? field->repeat : field->width, field->width);
        fprintf(out, "| %s | %d:%d | %s | %s | %s |\n", field->name,
                slots[i].lsb + field->width * field->repeat - 1, slots[i].lsb, width, field->kind,
                field->doc);
    }
}

static void markdown_lists(FILE *out) {
    fprintf(out, "\n## Enumerations\n\n| type | name | value | meaning |\n|---|---|---|---|\n");
    for (int i = 0; i < COUNT(enumerators); i++) {
        fprintf(out, "| %s | %s | %d | %s |\n", enumerators[i].type, enumerators[i].name,
                enumerators[i].value, enumerators[i].doc);
    }
    fprintf(out, "\n## Faults\n\n| name | code | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(faults); i++) {
        fprintf(out, "| %s | %d | %s |\n", faults[i].name, faults[i].value, faults[i].text);
    }
    fprintf(out,
            "\n## Parameters of a configuration\n\n| name | range | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "| %s | %ld to %ld | %s |\n", parameters[i].name, parameters[i].low,
                parameters[i].high, parameters[i].doc);
    }
}

static void write_markdown(FILE *out) {
    fprintf(
        out,
        "# Instruction set\n\n"
        "Generated by `isa/generate.c` from `isa/instructions.def`, `isa/config.def` and\n"
        "`isa/faults.def`; do not edit. An instruction has 512 bits (64 bytes, little-endian). "
        "Bits\n"
        "that no field names are reserved and must be zero. Widths do not depend on the\n"
        "configuration. Of an array field, element 0 has the lowest bits and is the outermost "
        "loop\n"
        "level. Kinds: UNSIGNED; SIGNED, two's complement; COUNT, unsigned and not zero; UNITS, "
        "one\n"
        "bit for each unit (bit 0 is LOAD), the own unit's bit must be zero; BANKS, one bit for "
        "each\n"
        "bank that a memory can have, those of banks that the configuration does not have must be\n"
        "zero; otherwise an enumeration. What breaks one of these rules is an illegal encoding. "
        "What an\n"
        "instruction does is in `sim/exec`, how long it takes in `docs/timing.md`.\n\n"
        "| unit | index | work |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(units); i++) {
        fprintf(out, "| %s | %d | %s |\n", units[i].name, units[i].index, units[i].doc);
    }
    fprintf(out, "\n| memory | banks at most | content |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(memories); i++) {
        fprintf(out, "| %s | %d | %s |\n", memories[i].name, memories[i].banks, memories[i].doc);
    }
    for (int i = 0; i < COUNT(opcodes); i++) {
        markdown_opcode(out, &opcodes[i]);
    }
    markdown_lists(out);
}

static void write_registers(FILE *out) {
    fprintf(out, "# Registers\n\n"
                 "Generated by `isa/generate.c` from `isa/registers.def`, `isa/counters.def` and\n"
                 "`isa/faults.def`; do not edit. A register has 64 bits, addresses are in bytes.\n"
                 "A write of 1 to start clears the counters and starts the machine; cycle 0 is the "
                 "cycle of\n"
                 "this write. While the machine runs, all writes but those to interrupt are "
                 "ignored. Addresses\n"
                 "that name no register read 0.\n\n"
                 "| address | register | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(registers); i++) {
        fprintf(out, "| 0x%03x | %s | %s |\n", registers[i].address, registers[i].name,
                registers[i].doc);
    }
    fprintf(out, "\n## Fault codes\n\n| code | name | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(faults); i++) {
        fprintf(out, "| %d | %s | %s |\n", faults[i].value, faults[i].name, faults[i].text);
    }
    const struct machine_register *window = &registers[COUNT(registers) - 1];
    fprintf(out, "\n## Counters\n\n"
                 "What they count is defined in `docs/timing.md`.\n\n"
                 "| address | counter | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(counters); i++) {
        fprintf(out, "| 0x%03x | %s | %s |\n", window->address + 8 * (unsigned)i, counters[i].name,
                counters[i].doc);
    }
}

/* Registers must not overlap; the counters are the last. */
static bool check_registers(void) {
    for (int i = 0; i < COUNT(registers); i++) {
        bool last = i == COUNT(registers) - 1;
        if (registers[i].address % 8 != 0 ||
            (!last && registers[i].address >= registers[i + 1].address) ||
            (last && strcmp(registers[i].name, "counter") != 0)) {
            fprintf(stderr, "generate: register %s is out of order\n", registers[i].name);
            return false;
        }
    }
    return true;
}

/* Enumerations must count from 0 (name tables are indexed by value), layouts must fit, and names
 * must be unique within an opcode. */
static bool check(void) {
    for (int i = 0, expected = 0; i < COUNT(enumerators); i++) {
        expected = first_of_type(i) ? 0 : expected + 1;
        if (enumerators[i].value != expected) {
            fprintf(stderr, "generate: %s_%s must be %d\n", enumerators[i].type,
                    enumerators[i].name, expected);
            return false;
        }
    }
    for (int i = 0; i < COUNT(opcodes); i++) {
        struct slot slots[MAX_SLOTS];
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        if (end > INSTRUCTION_BITS) {
            fprintf(stderr, "generate: %s takes %d bits of %d\n", opcodes[i].name, end,
                    INSTRUCTION_BITS);
            return false;
        }
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < j; k++) {
                if (strcmp(slots[j].field->name, slots[k].field->name) == 0) {
                    fprintf(stderr, "generate: %s has two fields %s\n", opcodes[i].name,
                            slots[j].field->name);
                    return false;
                }
            }
        }
    }
    return true;
}

/* A memory has as many banks at most as its mask has bits, and as a configuration may say. */
static bool check_banks(void) {
    for (int i = 0; i < COUNT(memories); i++) {
        int width = 0;
        long most = memories[i].banks;
        for (int j = 0; j < COUNT(fields); j++) {
            if (strcmp(fields[j].kind, "BANKS") == 0 && is_mask(&fields[j], &memories[i])) {
                const struct parameter *parameter = parameter_of(fields[j].name);
                width = fields[j].width;
                most = parameter != NULL ? parameter->high : most;
            }
        }
        if (width != memories[i].banks || most != memories[i].banks) {
            fprintf(stderr, "generate: %s has %d banks, its mask %d bits, a configuration %ld\n",
                    memories[i].name, memories[i].banks, width, most);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } outputs[] = {
        {"header", write_header},     {"source", write_source},     {"sv", write_sv},
        {"encoding", write_encoding}, {"markdown", write_markdown}, {"registers", write_registers},
    };
    if (!check() || !check_banks() || !check_registers()) {
        return 1;
    }
    for (int i = 0; argc == 2 && i < COUNT(outputs); i++) {
        if (strcmp(argv[1], outputs[i].name) == 0) {
            outputs[i].write(stdout);
            return ferror(stdout) ? 1 : 0;
        }
    }
    fprintf(stderr, "usage: generate header|source|sv|encoding|markdown|registers > FILE\n");
    return 2;
}
