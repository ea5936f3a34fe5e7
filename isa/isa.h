/* Instructions of the Weft machine: structures, binary form, text form.
 *
 * The fields are written in isa/instructions.def; docs/isa.md is the readable form of it.
 */
#ifndef WEFT_ISA_ISA_H
#define WEFT_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "weft_isa.h"

enum {
    WEFT_INSTRUCTION_BYTES = WEFT_INSTRUCTION_BITS / 8,
    WEFT_REGIONS = 8,
};

/* External regions by the use that the compiler and the driver make of them. */
enum weft_region {
    WEFT_REGION_PROGRAM = 0,
    WEFT_REGION_CONSTANTS = 1,
    WEFT_REGION_SCRATCH = 2,
    WEFT_REGION_INPUTS = 3,
    WEFT_REGION_OUTPUTS = 4,
};

/* Their names: "program", "constants", ...; those without a use have their number. */
extern const char *const weft_region_names[WEFT_REGIONS];

/* How the bits of a field are to be read; see isa/instructions.def. */
enum weft_kind {
    WEFT_KIND_UNSIGNED,
    WEFT_KIND_SIGNED,
    WEFT_KIND_COUNT,
    WEFT_KIND_UNITS,
    WEFT_KIND_BANKS,
    WEFT_KIND_ENUM,
};

/* The external regions of a run, as the driver sets them in the machine. */
enum {
    /* Bytes of an external region that a program is compiled for, at most: addresses have 32 bits,
     * and the driver allocates a region as one. */
    WEFT_REGION_LIMIT = 1 << 30
};

struct weft_regions {
    uint64_t
        limit[WEFT_REGIONS]; /* bytes of each; of the program region whole instructions count */
    uint32_t writable;       /* bit r: STORE may write region r */
};

static inline bool weft_region_is_writable(const struct weft_regions *regions, uint32_t region) {
    return (regions->writable >> region & 1) != 0;
}

struct weft_field {
    const char *name;
    enum weft_kind kind;
    unsigned lsb;             /* of element 0; elements follow each other upwards */
    unsigned width;           /* bits of an element, 1 to 32 */
    unsigned repeat;          /* elements */
    size_t offset;            /* in struct weft_instruction; an element takes 4 bytes there */
    const char *const *names; /* WEFT_KIND_ENUM: name of each value */
    unsigned name_count;
};

struct weft_format {
    const char *name;    /* mnemonic in lower case; NULL: no such opcode */
    enum weft_unit unit; /* WEFT_UNITS: carried out by dispatch */
    const struct weft_field *fields;
    unsigned field_count;
    unsigned end; /* first reserved bit; all from here up are zero */
};

extern const struct weft_format weft_formats[WEFT_FORMATS]; /* indexed by opcode */
/* What weft_instruction_new() gives, by opcode. */
extern const struct weft_instruction weft_new_instructions[WEFT_FORMATS];
extern const char *const weft_unit_names[WEFT_UNITS];
extern const char *const weft_memory_names[WEFT_MEMORIES];
/* The most banks that a memory can have: the width of its mask. How many it has: weft_banks(). */
extern const uint32_t weft_memory_banks[WEFT_MEMORIES];
extern const char *const weft_fault_names[WEFT_FAULTS];

/* The format of an opcode, or NULL when there is no such opcode. */
static inline const struct weft_format *weft_format_of(uint32_t opcode) {
    return opcode < WEFT_FORMATS && weft_formats[opcode].name != NULL ? &weft_formats[opcode]
                                                                      : NULL;
}

/* The element `index` of a field as it stands in the structure, sign-extended if it is signed. */
int64_t weft_field_get(const struct weft_instruction *instruction, const struct weft_field *field,
                       unsigned index);

/* The largest value that a field of an opcode holds; 0 when it has no field of that name. */
int64_t weft_field_largest(uint32_t opcode, const char *name);

/* Checks that every field is inside its width and meaning: known opcode and enumeration values,
 * counts not zero, no wait on or signal to the own unit. Which banks there are it does not know:
 * weft_config_takes(). Error: WEFT_ENCODING. */
bool weft_instruction_check(const struct weft_instruction *instruction, struct weft_error *error);

/* Writes the 64 bytes of an instruction. Errors: those of weft_instruction_check(). */
bool weft_encode(const struct weft_instruction *instruction, uint8_t bytes[WEFT_INSTRUCTION_BYTES],
                 struct weft_error *error);

/* Reads 64 bytes. Reserved bits must be zero. Error: WEFT_ENCODING, position = the first wrong bit;
 * *instruction then holds what could be read. */
bool weft_decode(const uint8_t bytes[WEFT_INSTRUCTION_BYTES], struct weft_instruction *instruction,
                 struct weft_error *error);

/* An instruction of the given opcode with every count 1 and all else 0. */
struct weft_instruction weft_instruction_new(enum weft_opcode opcode);

/* A program: instructions in the order of dispatch. */
struct weft_program {
    struct weft_instruction *instructions; /* owned; free with weft_program_free() */
    size_t count;
    size_t capacity;
};

/* Makes room for `count` instructions in all. Error: WEFT_OUT_OF_MEMORY. */
bool weft_program_reserve(struct weft_program *program, size_t count, struct weft_error *error);

/* Appends one instruction. Error: WEFT_OUT_OF_MEMORY. */
bool weft_program_add(struct weft_program *program, const struct weft_instruction *instruction,
                      struct weft_error *error);
void weft_program_free(struct weft_program *program);

/* Reads a whole binary program; `length` must be a multiple of 64. Errors: WEFT_ENCODING (position
 * = the instruction's number), WEFT_OUT_OF_MEMORY. On failure *program is empty. */
bool weft_program_decode(const uint8_t *bytes, size_t length, struct weft_program *program,
                         struct weft_error *error);

/* Writes a whole program: count * 64 bytes in *bytes, freed by the caller. Errors: WEFT_ENCODING
 * (position = the instruction's number), WEFT_OUT_OF_MEMORY. */
bool weft_program_encode(const struct weft_program *program, uint8_t **bytes,
                         struct weft_error *error);

/* Appends one line of text without newline: the mnemonic, then name=value of every field that is
 * not zero and every array with an element that is not zero (counts: not one). weft_assemble()
 * reads it back to the same instruction. */
void weft_disassemble(const struct weft_instruction *instruction, struct weft_text *text);

/* Reads assembly: one instruction a line, `;` starts a comment. Values: decimal or 0x hexadecimal;
 * names of enumerations; units joined by `+`; banks as 0-3+7; arrays joined by `,`. Errors:
 * WEFT_ASSEMBLY (position = line number), WEFT_OUT_OF_MEMORY. On failure *program is empty. */
bool weft_assemble(const char *source, size_t length, struct weft_program *program,
                   struct weft_error *error);

/* Does the first line that has more than a comment begin with the name of an instruction? */
bool weft_is_assembly(const char *source, size_t length);

/* How many instructions assembly holds, if it is well formed. */
size_t weft_assembly_count(const char *source, size_t length);

/* The line, from 1, that instruction `number` of the assembly came from; 0: there are not so many.
 */
uint64_t weft_assembly_line(const char *source, size_t length, size_t number);

#endif
