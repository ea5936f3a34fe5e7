/* Looks for faster schedules of a model that was compiled, for as long as one likes: decisions are
 * changed at random, and the exact cycle model says what each change is worth (docs/tune.md). */
#ifndef WEFT_COMPILER_TUNE_TUNE_H
#define WEFT_COMPILER_TUNE_TUNE_H

#include "compiler/module.h"
#include "compiler/tune/fields.h"

/* How it looks. */
enum tune_strategy {
    TUNE_CLIMB,  /* from one that is as fast as any since it began; what paid is changed more often;
                   anew  when nothing helps */
    TUNE_RANDOM, /* always from the schedule that the compiler chose: to compare with */
    TUNE_STRATEGIES
};
extern const char *const tune_strategy_names[TUNE_STRATEGIES + 1]; /* ended by NULL */

struct tune_options {
    enum tune_strategy strategy;
    uint64_t seed;
    unsigned jobs; /* threads, 1 to WEFT_MOST_THREADS */
};

/* A schedule of a region that is faster than all before it, and verified. */
struct tune_better {
    uint32_t region;
    uint64_t tried;   /* in all regions, with this one */
    uint64_t cycles;  /* of the region */
    const char *what; /* was changed last */
    size_t count;
    const struct field_change *changes; /* of the one that was the best before it */
};

struct tuning;

/* Begins with the schedules of a module, which must outlive it. Errors: WEFT_OUT_OF_MEMORY;
 * WEFT_ARGUMENT, the module has no program to be tuned. */
bool tuning_open(struct weft_module *module, const struct tune_options *options,
                 struct tuning **tuning, struct weft_error *error);
void tuning_close(struct tuning *tuning);

/* Tries some schedules, at most `most`; `better` is called for what is faster than all before it
 * and verified. What comes of it depends on the seed and on `most` of all calls, not on the number
 * of threads. Errors: WEFT_OUT_OF_MEMORY; WEFT_INTERNAL, a bug of the compiler. */
bool tuning_step(struct tuning *tuning, uint64_t most,
                 void (*better)(void *context, const struct tune_better *better), void *context,
                 struct weft_error *error);

/* Takes changes of the best schedule of a region, which come from anywhere. False, without an
 * error: they are not possible, or not faster than `limit` cycles; nothing is changed then. Errors:
 * as tuning_step(). */
bool tuning_take(struct tuning *tuning, uint32_t region, const struct field_change *changes,
                 size_t count, uint64_t limit, bool *taken, struct weft_error *error);

/* Another sequence of changes from here on: for going on where another tuning ended. */
void tuning_reseed(struct tuning *tuning, uint64_t seed);

uint64_t tuning_tried(const struct tuning *tuning);
uint64_t tuning_cycles(const struct tuning *tuning); /* of the best schedules of all regions */
uint32_t tuning_regions(const struct tuning *tuning);
uint64_t tuning_region_cycles(const struct tuning *tuning, uint32_t region);
const struct region *tuning_region(const struct tuning *tuning, uint32_t region);
const struct decisions *tuning_best(const struct tuning *tuning, uint32_t region);

/* Appends the best decisions as weft_compile() takes them. Error: WEFT_OUT_OF_MEMORY. */
bool tuning_decisions(const struct tuning *tuning, struct weft_text *text,
                      struct weft_error *error);

#endif
