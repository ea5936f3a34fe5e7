/* A program under construction, with what is known of its order: the rules of isa/verify, turned
 * round. A vector clock for each instruction says which instructions of every unit have finished
 * when it starts; an instruction is added only with the tokens that make every bank and every byte
 * of external memory that it touches its own.
 *
 * Token k that a semaphore receives is token k that is taken from it, so a token can be added to an
 * instruction that already stands in the program only behind all others of its semaphore. */
#ifndef WEFT_TESTS_COSIM_PLAN_H
#define WEFT_TESTS_COSIM_PLAN_H

#include "isa/claims.h"
#include "isa/footprint.h"

enum {
    PLAN_MOST = 1024, /* instructions */
    PLAN_PAGES = 16,  /* parts of a region that are ordered on their own */
};

/* How many instructions of each unit have to finish, or have finished. */
struct clock {
    uint32_t of[WEFT_UNITS];
};

struct plan_unit {
    uint32_t count;
    uint32_t number[PLAN_MOST];    /* in the program */
    struct clock known[PLAN_MOST]; /* when it starts */
};

struct plan_semaphore {
    uint32_t given;
    uint32_t taken;
    uint32_t giver[PLAN_MOST]; /* index within its unit of the one that gives token k */
    uint32_t taker[PLAN_MOST];
};

struct plan {
    const struct weft_config *config;
    struct weft_regions regions;
    uint32_t count;
    struct weft_instruction program[PLAN_MOST];
    struct plan_unit unit[WEFT_UNITS];
    struct plan_semaphore semaphore[WEFT_UNITS][WEFT_UNITS]; /* [producer][consumer] */
    struct clock fenced; /* what a FENCE has made known to everything behind it */
    /* The clock that owning a bank, or touching a page, waits for: how many instructions of each
     * unit there are up to the last one that did. */
    struct clock bank[WEFT_CLAIMS][32];
    struct clock page_loaded[WEFT_REGIONS][PLAN_PAGES];
    struct clock page_stored[WEFT_REGIONS][PLAN_PAGES];
};

void plan_begin(struct plan *plan, const struct weft_config *config,
                const struct weft_regions *regions);

uint32_t plan_room(const struct plan *plan);

/* What the next instruction of a unit knows without taking a token. */
struct clock plan_known(const struct plan *plan, enum weft_unit unit);

/* Banks of a memory that the next instruction of a unit may own without taking a token. */
uint32_t plan_free_banks(const struct plan *plan, enum weft_unit unit, enum weft_memory memory);

/* Banks of a memory that no instruction has owned. */
uint32_t plan_fresh_banks(const struct plan *plan, enum weft_memory memory);

/* Tokens given by `producer` that `consumer` has not taken. */
uint32_t plan_waiting(const struct plan *plan, enum weft_unit producer, enum weft_unit consumer);

/* True when the instruction would be in order without a token. */
bool plan_is_free(const struct plan *plan, const struct weft_instruction *instruction);

/* Adds an instruction. Its `wait` and `signal` are wishes: it takes a token of the producers that
 * have one for it, and gives one to the consumers whose semaphore cannot overflow. To this come the
 * tokens that it must wait for, which may be given by instructions that stand in the program
 * already. False, with nothing changed: no tokens can bring it into order. */
bool plan_add(struct plan *plan, const struct weft_instruction *instruction, uint64_t *seed);

/* Adds a FENCE: everything before it has finished when anything behind it starts. */
void plan_fence(struct plan *plan);

#endif
