/* Shared by the files that make random programs. */
#ifndef WEFT_TESTS_COSIM_GENERATOR_H
#define WEFT_TESTS_COSIM_GENERATOR_H

#include "tests/cosim/plan.h"

struct generator {
    uint64_t seed;
    const struct weft_config *config;
    uint32_t most; /* instructions, without HALT and what takes tokens that are left */
    struct plan plan;
};

/* ---- random_fields.c ---- */

/* Picks one of an array. */
#define PICK(seed, array) ((array)[random_between(seed, 0, (int64_t)LENGTH(array) - 1)])

/* Between 1 and `most`, small numbers as likely as large ones. */
uint32_t random_size(uint64_t *seed, int64_t most);

/* A byte, often a corner. */
int32_t random_byte(uint64_t *seed);

/* Loops of an access: what choose_strides() decides. */
struct walk {
    unsigned levels;
    int64_t count[7];
    int64_t stride[7];
    bool fixed[7]; /* the stride is given */
    int64_t span;  /* bytes of one step */
    int64_t low;   /* extent with a base of 0 */
    int64_t high;
};

/* Strides, multiples of `grain`, so that the walk spans at most `room`. A level of count 1 gets any
 * stride that fits a signed field of `width` bits. */
void choose_strides(uint64_t *seed, struct walk *walk, int64_t room, int64_t grain, unsigned width);

/* Sets low and high. */
void walk_measure(struct walk *walk);

/* A base, a multiple of `grain`, that puts the walk inside a memory, mostly in banks that are free
 * for the unit. -1: the memory is too small. */
int64_t choose_base(struct generator *generator, enum weft_unit unit, enum weft_memory memory,
                    const struct walk *walk, int64_t grain);

/* Some banks of a memory, in bytes: how far an access is to reach. */
int64_t choose_room(struct generator *generator, enum weft_memory memory);

/* Splits `steps` into the counts of some levels, whose product is at most it. */
void choose_counts(uint64_t *seed, uint64_t steps, unsigned levels, uint32_t *count);

/* Sets the masks of banks: what is touched and sometimes more. */
void own_banks(struct generator *generator, struct weft_instruction *instruction);

/* ---- one file each: an instruction that takes about `budget` cycles ---- */

struct weft_instruction random_load(struct generator *generator, uint32_t budget);
struct weft_instruction random_fill(struct generator *generator, uint32_t budget);
struct weft_instruction random_store(struct generator *generator, uint32_t budget);
struct weft_instruction random_matrix(struct generator *generator, uint32_t budget);
struct weft_instruction random_vector(struct generator *generator, uint32_t budget);

/* ---- random_program.c ---- */

/* An instruction of a kind with its banks. FENCE is no kind. */
struct weft_instruction random_work(struct generator *generator, enum weft_opcode opcode,
                                    uint32_t budget);

/* Is there room for one more instruction and for what takes its tokens? */
bool has_room(const struct generator *generator);

/* If there is room, tries until the instruction can be brought into order; a FENCE is the last
 * resort. The wishes are masks of units. */
void emit(struct generator *generator, enum weft_opcode opcode, uint32_t budget, uint32_t wait,
          uint32_t signal);

/* ---- random_phases.c ---- */

/* Adds instructions that have something in common. */
void random_phase(struct generator *generator);

#endif
