/* What the tests of the machine share: configurations, random numbers, fields as data. */
#ifndef WEFT_TESTS_UNIT_HELPERS_H
#define WEFT_TESTS_UNIT_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/config.h"
#include "isa/isa.h"

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

enum {
    SHIPPED_CONFIGS = 3,
};

/* "small8", "ref16", "large32". */
extern const char *const shipped_configs[SHIPPED_CONFIGS];

/* A configuration of hw/configs; fails the test when it does not parse. */
struct weft_config shipped_config_of(const char *name);

/* The same with a RAM for each bank of ACT, so that a test may use any banks at once. */
struct weft_config config_of(const char *name);

/* A configuration of `block` lanes whose memories are the smallest that the rules allow, but for
 * ACT, which has 16 lines in a bank: quick to fill and to compare. */
struct weft_config tiny_config(uint32_t block);

/* ref16 with the fewest banks of every memory: 4, 2, 2 and 1. */
struct weft_config few_banks_config(void);

void set_parameter(struct weft_config *config, const char *name, uint32_t value);

/* xorshift64; the state is the seed, not 0. */
uint64_t random_u64(uint64_t *seed);
int64_t random_between(uint64_t *seed, int64_t low, int64_t high);
/* True in `percent` of 100 calls. */
bool random_chance(uint64_t *seed, unsigned percent);
/* Bytes of which about half are corners: -128, -1, 0, 1, 127. */
void random_bytes(uint64_t *seed, void *bytes, size_t length);

/* The field of an opcode by its name; fails the test when there is none. */
const struct weft_field *field_of(uint32_t opcode, const char *name);
void field_set(struct weft_instruction *instruction, const struct weft_field *field, unsigned index,
               int64_t value);
/* Smallest and largest legal value, written from the description of the kinds in
 * isa/instructions.def. The mask of UNITS has the bit of the own unit cleared. */
int64_t field_low(const struct weft_field *field);
int64_t field_high(uint32_t opcode, const struct weft_field *field);

/* Instructions that need a parameter of a configuration to be 1, at least one of each kind that
 * does. */
enum {
    NEEDING = 23
};
struct weft_instruction needing(size_t number, const char **parameter);

/* An instruction that passes weft_instruction_check(), with many fields at their extremes. */
struct weft_instruction random_instruction(uint64_t *seed, uint32_t opcode);
bool same_instruction(const struct weft_instruction *a, const struct weft_instruction *b);

/* An instruction of counts 1, all else 0, but for banks: every bank that a memory can have, which
 * are those of the configurations of hw/configs. */
struct weft_instruction with_all_banks(enum weft_opcode opcode);
/* A VECTOR of a function that clamps to nothing, with every bank. */
struct weft_instruction unclamped_vector(enum weft_function function);

/* A MATRIX for large32, with every bank, whose weights wrap around: 32025597350190930 tiles of 576
 * bytes are 2^64 + 424064 bytes. */
struct weft_instruction weights_beyond_64_bits(void);

/* All regions writable, with the same limit. */
struct weft_regions same_regions(uint64_t limit);

/* True when the verifier accepts the instruction followed by HALT in regions of a megabyte. */
bool is_legal(const struct weft_config *config, const struct weft_instruction *instruction);

/* Asserts that the instruction followed by HALT, in regions of a megabyte, breaks a rule. */
void assert_breaks(const struct weft_config *config, const struct weft_instruction *instruction,
                   enum weft_error_code code, const char *part);

/* Asserts that a message has a part. */
void assert_mentions(const char *message, const char *part);

#endif
