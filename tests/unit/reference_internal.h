/* The state of the reference, shared by reference_timing.c and reference_units.c alone. */
#ifndef WEFT_TESTS_UNIT_REFERENCE_INTERNAL_H
#define WEFT_TESTS_UNIT_REFERENCE_INTERNAL_H

#include "tests/unit/reference_timing.h"

/* LARGEST_name: of a parameter of a configuration. */
enum {
#define WEFT_PARAMETER(name, low, high, doc) LARGEST_##name = (high),
#include "isa/config.def"
#undef WEFT_PARAMETER
};

enum {
    CHECK = 6,
    LOAD_WRITE = 1,
    LOAD_DECODE = 11,
    MATRIX_DRAIN = 7,
    STORE_DRAIN = 3,
    MOST_QUEUED = LARGEST_queue_depth,
    MOST_FLIGHTS = LARGEST_load_instructions, /* no unit has more */
    MOST_BURSTS = 1024,                       /* of an instruction */
    MOST_OPEN = LARGEST_load_bursts,          /* no master has more */
};

_Static_assert((int)LARGEST_store_instructions <= MOST_FLIGHTS &&
                   (int)LARGEST_matrix_instructions <= MOST_FLIGHTS,
               "flights of load, store and matrix");
_Static_assert((int)LARGEST_store_bursts <= MOST_OPEN && (int)LARGEST_fetch_bursts <= MOST_OPEN,
               "open bursts of load, store and fetch");

#define UNKNOWN UINT64_MAX

struct flying {
    uint32_t number;
    uint64_t start;
    uint64_t complete; /* UNKNOWN until the last burst is granted */
    uint64_t finish;
};

/* Bursts that were granted and whose last beat may still be to come, oldest first. */
struct open_bursts {
    uint64_t last[MOST_OPEN]; /* cycle of the last beat */
    uint64_t beats[MOST_OPEN];
    unsigned count;
};

/* The bursts of an instruction. */
struct plan {
    uint64_t address[MOST_BURSTS];
    uint64_t bytes[MOST_BURSTS];
    size_t count;
};

/* Load or store: the bursts of the instruction in the issue stage, and those outstanding. */
struct issuer {
    bool busy;
    uint64_t busy_until; /* FILL: last line; the stage is idle in the next cycle */
    uint64_t pending_from;
    struct plan *plan;
    size_t next; /* burst of the plan */
    struct open_bursts open;
};

struct registers {
    uint64_t memory_free;
    uint32_t offset;
    uint32_t taken;
    uint64_t in_buffer[RECORDED_INSTRUCTIONS]; /* cycle from which it is there; 0: not granted */
    struct open_bursts fetch_open;
    bool working; /* dispatch */
    uint32_t number;
    uint64_t first_try;
    uint32_t queue[WEFT_UNITS][MOST_QUEUED];
    unsigned queued[WEFT_UNITS];
    struct flying flying[WEFT_UNITS][MOST_FLIGHTS];
    unsigned flights[WEFT_UNITS];
    int64_t tokens[WEFT_UNITS][WEFT_UNITS]; /* [producer][consumer] */
    struct issuer load;
    struct issuer store;
    uint64_t load_finish;
    uint64_t matrix_u;
    uint64_t matrix_n;
    uint64_t matrix_m;
    bool matrix_any;
};

struct model {
    const struct weft_config *config;
    const struct weft_instruction *program;
    const struct weft_timing_settings *settings;
    uint32_t end;
    uint64_t latency;
    uint64_t interval;
    uint64_t now;
    const struct registers *old; /* at the beginning of the cycle */
    struct registers *new;       /* at its end */
    bool starts[WEFT_UNITS];
    bool passes;
    bool tries; /* in vain */
    bool halted;
    unsigned rank; /* of the fault; smaller is reported */
    struct reference_run *run;
};

/* Records a fault; that of the smallest rank is reported. */
void reference_raise(struct model *m, unsigned rank, enum weft_fault code, uint32_t number);
const struct weft_instruction *reference_at(const struct model *m, uint32_t number);
/* Finishes in order, one a cycle; returns the finish of what is complete in a cycle. */
uint64_t reference_load_in_order(struct registers *r, uint64_t complete);

/* ---- reference_units.c ---- */

void reference_try_start(struct model *m, unsigned unit);
void reference_finish(struct model *m, unsigned unit);
void reference_count(struct model *m, unsigned unit);

#endif
