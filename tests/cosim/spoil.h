/* Ways to spoil a valid program, each with one fault of isa/faults.def; used by random_fault.c. */
#ifndef WEFT_TESTS_COSIM_SPOIL_H
#define WEFT_TESTS_COSIM_SPOIL_H

#include "tests/cosim/trace.h"

/* `trace` are those of the case as it stands. False: the program offers no place for it. */
typedef bool spoil_function(struct cosim_case *test, const struct weft_trace *trace,
                            uint64_t *seed);

spoil_function spoil_encoding;
spoil_function spoil_address;
spoil_function spoil_write;
spoil_function spoil_bank;
spoil_function spoil_program_end;
spoil_function spoil_deadlock;
spoil_function spoil_watchdog;

/* The same at one instruction. */
bool spoil_encoding_of(struct cosim_case *test, uint32_t number, uint64_t *seed);
bool spoil_address_of(struct cosim_case *test, uint32_t number, uint64_t *seed);
/* False unless it is a STORE. */
bool spoil_write_of(struct cosim_case *test, uint32_t number, uint64_t *seed);

/* Lets a MATRIX reach so far that sums in few bits do not show it; a part of spoil_address(). */
bool spoil_extent(struct cosim_case *test, uint64_t *seed);

/* Lets `second` own a bank of `first`; they are instructions of different units. */
void spoil_bank_of(struct cosim_case *test, uint32_t first, uint32_t second, uint64_t *seed);

#endif
