/* docs/isa.md: every format with a picture of its bits. */
#include "isa/definitions.h"

#include <string.h>

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

static void markdown_features(FILE *out) {
    fprintf(out, "\n## Features\n\nA configuration may lack what its last parameters name. "
                 "There, an instruction that needs it is an illegal encoding, and the verifier "
                 "refuses it.\n\n| parameter | instructions that need it |\n|---|---|\n");
    for (int i = 0; i < COUNT(features); i++) {
        const struct condition *condition = features[i].conditions;
        fprintf(out, "| %s | %s whose %s is %s%s", features[i].parameter,
                strcmp(features[i].opcode, "ANY") == 0 ? "any" : features[i].opcode,
                condition->field, condition->is ? "" : "not ", condition->value);
        if (condition[1].field != NULL) {
            fprintf(out, " and %s is %s", condition[1].field, condition[1].value);
        }
        fprintf(out, " |\n");
    }
    fprintf(out, "| performance_counters | none |\n");
}

static void markdown_text(FILE *out) {
    fprintf(out,
            "\n## As text\n\n"
            "`weft asm` reads programs as text and `weft disasm` prints them; `run`, `verify`, "
            "`cosim` and `trace` take either form.\n\n"
            "```text\n"
            "; 16 bytes of region 3 from byte 64 on, and those before them, to ACT from byte 0 on\n"
            "load signal=vector+store act_banks=0 memory=act region=3 address=0x40 run=16 "
            "count=1,1,2 address_stride=0,0,-16 local_stride=0,0,16   ; a comment\n"
            "halt\n"
            "```\n\n"
            "A line has one instruction or none, and ends in LF or CRLF; what is behind `;` is a "
            "comment. An instruction is its name and then its fields,\n"
            "`name=value` in any order, each once, with spaces or tabs between them but none "
            "around `=` or in a value. All names are in lower case.\n\n"
            "| kind | value |\n|---|---|\n"
            "| UNSIGNED, SIGNED, COUNT | a number, decimal or hexadecimal (`0x1f`), with `-` if "
            "it is negative; leading zeros mean nothing |\n"
            "| UNITS | names of units, joined by `+`: `load+vector` |\n"
            "| BANKS | numbers and ranges of banks, joined by `+`: `0+2-3` |\n"
            "| an enumeration | a name |\n"
            "| an array (width *n* x ...) | all *n* values, joined by `,`: `1,1,2` |\n\n"
            "A field that is not there is 0, no unit, no bank, the name whose value is 0; of kind "
            "COUNT 1. `weft disasm` leaves out what is so, but\n"
            "names an enumeration always. A program ends with its one `halt`.\n");
}

/* The form itself is in the comment of isa/coding.h, for whoever reads the code. */
static void markdown_coding(FILE *out) {
    fprintf(
        out,
        "\n## Coded weights\n\n"
        "A LOAD to WGT whose `units` is not 0 reads a stream of that many units, each of 8 W "
        "weights, W being\n"
        "`memory_width`; a weight is what is decoded plus `base`, modulo 256. The form is in "
        "`isa/coding.h`, which\n"
        "decides; in short, a unit has\n\n"
        "| part | bytes (G = max(W / 8, 1)) | content |\n|---|---|---|\n"
        "| header | G | its last byte: planes - 4 (bits 1:0), head - 1 (3:2), more: 2 or 4 (4), "
        "extension / G (7:5) |\n"
        "| planes | 4 to 7 times W | bit i of a plane belongs to the code of weight i; the "
        "highest plane first |\n"
        "| extension | 0 to 7 times G | `more` bits for each code whose `head` upper bits are "
        "all 1 |\n\n"
        "Codes are numbers 0, 1, 2, 3, ... for 0, -1, 1, -2, ...; those with the head are "
        "longer by the bits of\n"
        "the extension. A header of 7, 1 and 4 means 8 planes without extensions: any weights. "
        "Every stream of bytes\n"
        "is legal: units that the run ends in are not written, and nothing is written behind "
        "the last unit. A beat is\n"
        "a plane, so a decoder takes beats and has no memory but for one unit; a unit has at "
        "least four, and is written in four\n"
        "cycles, so it never falls behind.\n");
}

/* What it computes is in sim/exec/softmax.c, for whoever reads the code. */
static void markdown_softmax(FILE *out) {
    fprintf(
        out,
        "\n## Softmax\n\n"
        "SOFTMAX goes through count[0] * count[1] rows of count[2] vectors; of the last vector of "
        "a row `lanes` lanes hold\n"
        "channels, and what the others get means nothing. LUT holds exponentials, raw / 2^31: that "
        "of a byte which is d below the largest of its\n"
        "row is in line d, an int32 of four bytes, in each four neighbouring lanes for the "
        "elements of every B / 4th lane (4 * (lane mod B / 4)). The sum\n"
        "over a row, each exponential rounded to 12 integer bits, has 28 bits; its reciprocal, "
        "the shift and the rounding of the products are those of\n"
        "TFLite's reference (`base/fixed_point.h`, `sim/exec/softmax.c`). out_zero is added and "
        "low and high limit as ever.\n");
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
            "\n## Parameters of a configuration\n\n"
            "A configuration is a JSON object of `name` (1 to 31 letters, digits, `_` or `-`) and "
            "exactly these integers.\n\n"
            "| name | range | meaning |\n|---|---|---|\n");
    for (int i = 0; i < COUNT(parameters); i++) {
        fprintf(out, "| %s | %ld to %ld | %s |\n", parameters[i].name, parameters[i].low,
                parameters[i].high, parameters[i].doc);
    }
    fprintf(out, "\nBeside these ranges:\n\n");
    for (int i = 0; i < COUNT(rules); i++) {
        fprintf(out, "- %s\n", rules[i].text);
    }
    markdown_features(out);
}

void write_page(FILE *out) {
    fprintf(
        out,
        "# Instruction set\n\n"
        "Generated by `isa/generate.c` from `isa/instructions.def`, `isa/config.def`,\n"
        "`isa/rules.def`, `isa/features.def` and `isa/faults.def`; do not edit. An instruction has "
        "512 bits (64 bytes, "
        "little-endian). "
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
    markdown_text(out);
    markdown_coding(out);
    markdown_softmax(out);
    markdown_lists(out);
}
