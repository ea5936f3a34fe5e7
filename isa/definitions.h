/* Shared by the files generate*.c: the .def files of isa as tables, and one writer for each output.
 */
#ifndef WEFT_ISA_DEFINITIONS_H
#define WEFT_ISA_DEFINITIONS_H

#include <stdbool.h>
#include <stdio.h>

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
/* Instructions that need a parameter to be 1: isa/features.def. */
struct feature {
    const char *parameter;
    const char *opcode; /* or ANY */
    struct condition {
        const char *field; /* NULL: there is no such condition */
        bool is;           /* else: is not */
        const char *value;
    } conditions[2]; /* that all hold */
};
struct rule {
    const char *condition; /* in C, of a configuration *c */
    const char *text;
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

extern const struct unit units[];
extern const struct memory memories[];
extern const struct opcode opcodes[];
extern const struct enumerator enumerators[];
extern const struct field fields[];
extern const struct parameter parameters[];
extern const struct feature features[];
extern const struct rule rules[];
extern const struct fault faults[];
extern const struct machine_register registers[];
extern const struct counter counters[];
extern const int units_count;
extern const int memories_count;
extern const int opcodes_count;
extern const int enumerators_count;
extern const int fields_count;
extern const int parameters_count;
extern const int features_count;
extern const int rules_count;
extern const int faults_count;
extern const int registers_count;
extern const int registers_version; /* of the map */
extern const int counters_count;

/* Entries of a table. */
#define COUNT(table) (table##_count)

/* A field of one opcode with its place. */
struct slot {
    const struct field *field;
    int lsb;
};

/* Is it carried out by a unit, not by dispatch? */
bool runs_on_unit(const struct opcode *opcode);

/* Lays out the fields of an opcode from bit OPCODE_BITS upwards; returns how many there are and the
 * first free bit in *end. */
int layout(const struct opcode *opcode, struct slot slots[MAX_SLOTS], int *end);

/* Write `name` in lower and in upper case. */
void lower(FILE *out, const char *name);
void upper(FILE *out, const char *name);

/* Is enumerators[index] the first of its enumeration? */
bool first_of_type(int index);

/* Values of an enumeration; 0: there is none of this name. */
int enumerators_of(const char *type);

/* The parameter of a configuration of this name; NULL when there is none. */
const struct parameter *parameter_of(const char *name);

/* Does an instruction of this opcode need the feature if it meets its conditions? */
bool feature_is_of(const struct feature *feature, const struct opcode *opcode);

/* The index of the slot with this field; the generator ends when there is none. */
int slot_of(const struct slot *slots, int count, const char *field);

/* What a condition compares with: a number, or a name as FUNCTION_LUT. */
int condition_value(const struct condition *condition);

void write_header(FILE *out);    /* weft_isa.h */
void write_source(FILE *out);    /* weft_isa.c */
void write_package(FILE *out);   /* weft_isa_pkg.sv */
void write_slices(FILE *out);    /* weft_isa_slices.svh */
void write_encoding(FILE *out);  /* weft_encoding.sv */
void write_check(FILE *out);     /* weft_config_check.sv */
void write_python(FILE *out);    /* python/weft/_parameters.py */
void write_page(FILE *out);      /* docs/isa.md */
void write_registers(FILE *out); /* docs/registers.md */

#endif
