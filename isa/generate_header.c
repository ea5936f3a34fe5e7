/* The C header of the instruction set: enumerations and structures. */
#include "isa/definitions.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

/* The hash (base/hash.h) of everything that fixes the meaning of an encoded instruction. */
static uint64_t layout_hash(void) {
    uint64_t hash = WEFT_HASH_START;
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
            hash = weft_hash_bytes(hash, line, strlen(line));
        }
    }
    return hash;
}

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
    fprintf(out, "enum weft_opcode {\n");
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
    /* Not enumerators of their own types, so that a switch over all values needs no case for them.
     */
    fprintf(out, "\nenum {\n");
    for (int i = 0; i < COUNT(enumerators); i++) {
        if (first_of_type(i)) {
            fprintf(out, "    WEFT_%sS = %d,\n", enumerators[i].type,
                    enumerators_of(enumerators[i].type));
        }
    }
    fprintf(out, "};\n");
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

void write_header(FILE *out) {
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
