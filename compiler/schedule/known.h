/* What attempts came to, so that no program is made and counted twice: many moves of a search end
 * in decisions that were tried before. */
#ifndef WEFT_COMPILER_SCHEDULE_KNOWN_H
#define WEFT_COMPILER_SCHEDULE_KNOWN_H

#include "compiler/emit/emit.h"

/* What an attempt came to. */
struct outcome {
    uint64_t cycles; /* of the whole program, about those of a window, or of all groups of images */
    bool is_least;   /* it takes more: counting ended there */
    size_t instructions;
};

/* Initialise with an arena that lives as long as the regions. */
struct known {
    struct weft_arena *arena;
    struct known_entry *entries;
    size_t count, capacity;
};

/* Stands for a region, its decisions, and a window of it or, if NULL, all of it. Two that differ
 * have different keys but by an accident of 1 in 2^64, which could only cost cycles: what is chosen
 * in the end is made and counted again. Never 0. */
uint64_t known_key(const struct region *region, const struct window *window,
                   const struct decisions *decisions);

/* The same for what has been emitted of a window, before instructions wait for each other: other
 * decisions may come to the same, where they differ elsewhere. */
uint64_t known_program_key(const struct program *program);

/* What an attempt came to, if it is known; that it takes `limit` or more is enough, unless that is
 * 0. Several threads may ask while nobody adds. */
bool known_find(const struct known *known, uint64_t key, uint64_t limit, struct outcome *outcome);

/* The last one that is added for a key counts. */
void known_add(struct known *known, uint64_t key, const struct outcome *outcome);

#endif
