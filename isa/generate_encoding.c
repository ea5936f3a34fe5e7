/* The SystemVerilog module that says whether an instruction is legal. */
#include "isa/definitions.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_OPCODES = 16,
    MAX_CONDITIONS = 256,
    CONDITION_LENGTH = 192
};

/* What bits of an instruction must meet, each once, and which of it an opcode asks for. */
struct conditions {
    char text[MAX_CONDITIONS][CONDITION_LENGTH];
    bool of_opcode[MAX_CONDITIONS][MAX_OPCODES];
    int count;
    int opcode; /* that conditions are added for */
};

static int unit_index(const char *name) {
    for (int i = 0; i < COUNT(units); i++) {
        if (strcmp(units[i].name, name) == 0) {
            return units[i].index;
        }
    }
    return COUNT(units);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
ask(struct conditions *conditions, const char *format, ...) {
    char text[CONDITION_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int i = 0;
    while (i < conditions->count && strcmp(conditions->text[i], text) != 0) {
        i++;
    }
    if (i == MAX_CONDITIONS) {
        fprintf(stderr, "weft_generate: more than %d conditions of encodings\n", MAX_CONDITIONS);
        exit(EXIT_FAILURE);
    }
    if (i == conditions->count) {
        memcpy(conditions->text[i], text, sizeof text);
        conditions->count++;
    }
    conditions->of_opcode[i][conditions->opcode] = true;
}

/* The name of a parameter as the package of configurations has it. */
static const char *constant_of(const char *parameter, char name[64]) {
    size_t length = 0;
    for (; parameter[length] != '\0' && length < 63; length++) {
        char c = parameter[length];
        name[length] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    name[length] = '\0';
    return name;
}

/* Nothing for fields of any value. */
static void ask_field(struct conditions *conditions, const struct opcode *opcode,
                      const struct slot *slot) {
    const struct field *field = slot->field;
    for (int i = 0; i < field->repeat; i++) {
        int lsb = slot->lsb + i * field->width;
        int high = lsb + field->width - 1;
        if (strcmp(field->kind, "COUNT") == 0) {
            ask(conditions, "instruction[%d:%d] != 0", high, lsb);
        } else if (strcmp(field->kind, "UNITS") == 0) {
            ask(conditions, "!instruction[%d]", lsb + unit_index(opcode->unit));
        } else if (strcmp(field->kind, "BANKS") == 0 && parameter_of(field->name) != NULL) {
            char name[64];
            ask(conditions, "instruction[%d:%d] >> CONFIG[weft_config_pkg::AT_%s+:32] == 0", high,
                lsb, constant_of(field->name, name));
        } else if (enumerators_of(field->kind) > 0 &&
                   enumerators_of(field->kind) < 1 << field->width) {
            ask(conditions, "instruction[%d:%d] < %d'd%d", high, lsb, field->width,
                enumerators_of(field->kind));
        }
    }
}

/* That the configuration has a feature, or the instruction does not need it. */
static void ask_feature(struct conditions *conditions, const struct slot *slots, int count,
                        const struct feature *feature) {
    char text[CONDITION_LENGTH];
    char name[64];
    int length = snprintf(text, sizeof text, "CONFIG[weft_config_pkg::AT_%s+:32] != 0",
                          constant_of(feature->parameter, name));
    for (int i = 0; i < 2 && feature->conditions[i].field != NULL; i++) {
        const struct condition *condition = &feature->conditions[i];
        const struct slot *slot = &slots[slot_of(slots, count, condition->field)];
        length += snprintf(text + length, sizeof text - (size_t)length,
                           " || instruction[%d:%d] %s %d'd%d", slot->lsb + slot->field->width - 1,
                           slot->lsb, condition->is ? "!=" : "==", slot->field->width,
                           condition_value(condition));
    }
    ask(conditions, "%s", text);
}

/* The reserved bits of all opcodes in pieces: from the end of one to the next higher end of
 * another. */
static void ask_reserved(struct conditions *conditions, const int *ends, int end) {
    while (end < INSTRUCTION_BITS) {
        int next = INSTRUCTION_BITS;
        for (int i = 0; i < COUNT(opcodes); i++) {
            next = ends[i] > end && ends[i] < next ? ends[i] : next;
        }
        ask(conditions, "instruction[%d:%d] == 0", next - 1, end);
        end = next;
    }
}

void write_encoding(FILE *out) {
    static struct conditions conditions;
    struct slot slots[MAX_SLOTS];
    int ends[MAX_OPCODES];
    for (int i = 0; i < COUNT(opcodes); i++) {
        layout(&opcodes[i], slots, &ends[i]);
    }
    for (int i = 0; i < COUNT(opcodes); i++) {
        int end = 0;
        int count = layout(&opcodes[i], slots, &end);
        conditions.opcode = i;
        for (int j = 0; j < count; j++) {
            ask_field(&conditions, &opcodes[i], &slots[j]);
        }
        for (int j = 0; j < COUNT(features); j++) {
            if (feature_is_of(&features[j], &opcodes[i])) {
                ask_feature(&conditions, slots, count, &features[j]);
            }
        }
        ask_reserved(&conditions, ends, end);
    }
    fprintf(
        out,
        "// Generated by isa/generate.c from isa/instructions.def and isa/features.def.\n"
        "// Is an instruction legal: a known opcode, counts not zero, known enumeration values,\n"
        "// no semaphore of the own unit, no bank and no feature that the configuration does not\n"
        "// have, reserved bits zero?\n"
        "// Interface: `instruction` stays on the input from `begin_check` until `legal` was "
        "used.\n"
        "// Timing: begin_check in T+1, each condition once in T+1, those of the opcode in T+2:\n"
        "// legal is right from T+3 on.\n"
        "// Reset: none; legal is a function of the instruction alone.\n"
        "module weft_encoding #(\n"
        "    parameter [weft_config_pkg::CONFIG_BITS-1:0] CONFIG = weft_config_pkg::CONFIG\n"
        ") (\n    input  logic clock,\n    input  logic begin_check,\n"
        "    input  logic [%d:0] instruction,\n    output logic legal\n);\n"
        "  logic begun;  // in the cycle before\n"
        "  logic [%d:0] met;\n"
        "  always_ff @(posedge clock) begin\n"
        "    begun <= begin_check;\n"
        "    if (begin_check) begin\n",
        INSTRUCTION_BITS - 1, conditions.count - 1);
    for (int i = 0; i < conditions.count; i++) {
        fprintf(out, "      met[%d] <= %s;\n", i, conditions.text[i]);
    }
    fprintf(out, "    end\n    if (begun) begin\n      case (instruction[%d:0])\n",
            OPCODE_BITS - 1);
    for (int i = 0; i < COUNT(opcodes); i++) {
        fprintf(out, "        %d'd%d:  // %s\n        legal <= ", OPCODE_BITS, opcodes[i].value,
                opcodes[i].name);
        const char *separator = "";
        for (int k = 0; k < conditions.count; k++) {
            if (conditions.of_opcode[k][i]) {
                fprintf(out, "%smet[%d]", separator, k);
                separator = " && ";
            }
        }
        fprintf(out, ";\n");
    }
    fprintf(out, "        default: legal <= 1'b0;\n      endcase\n    end\n  end\nendmodule\n");
}
