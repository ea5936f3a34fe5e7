/* Shared by the files of weft compare: two sides, layer by layer. */
#ifndef WEFT_CLI_COMPARE_COMPARE_H
#define WEFT_CLI_COMPARE_COMPARE_H

#include <jansson.h>

#include "base/arena.h"
#include "base/text.h"
#include "driver/figures.h"
#include "report/page/page.h"

/* A layer of the machine, or an operator of the host. */
struct compared_layer {
    const char *op, *tensor, *shape;
    bool on_host;
    uint64_t cycles;
    uint64_t used[WEFT_USES]; /* these cycles, by what they are spent on */
    uint64_t bytes;           /* of external memory */
};

/* Cycles in a row that belong to a layer. */
struct compared_owned {
    uint64_t cycles;
    uint32_t layer; /* of the side */
    enum weft_use use;
};

/* External memory that was given instead of what the configuration says. */
struct compared_memory {
    uint64_t latency, interval; /* 0: as configured */
    const char *dram;           /* NAME@MHZ; "": none */
};

/* One side, in an arena. */
struct compared_side {
    const char *path, *model, *config, *version;
    struct compared_memory memory;
    uint64_t inferences; /* of the program, whose cycles and bytes all of it are */
    uint64_t cycles;
    size_t count;
    struct compared_layer *layers;
    bool has_times; /* else `owned` are layers one after the other: the file does not say more */
    size_t owned_count, owned_capacity;
    struct compared_owned *owned;
};

/* What the two sides have in common; one of a and b can be missing. */
struct compared_row {
    const struct compared_layer *a, *b;
    int64_t order; /* for sorting */
};

struct comparison {
    struct compared_side sides[2];
    size_t count;
    struct compared_row *rows;
};

/* ---- side.c ---- */

/* A module, traced with the memory of the options. Errors: those of traces_of(). */
bool side_of_module(struct weft_arena *arena, const struct weft_module *module, const char *path,
                    const struct weft_session_options *options, uint64_t memory_limit,
                    struct compared_side *side, struct weft_error *error);

/* What was given and is no more than what the machine has anyway is not kept; `latency` is that of
 * the configuration, 0: nobody knows it. */
struct compared_memory compared_memory_of(struct compared_memory given, uint64_t latency);

/* ---- read.c ---- */

/* What weft run --json wrote, perhaps another version of it. Not trusted: the uses of a layer must
 * come to its cycles, and the layers to those of the run. Errors: WEFT_ARGUMENT,
 * position = line; WEFT_LIMIT. */
bool side_of_json(struct weft_arena *arena, const char *text, size_t length, const char *path,
                  struct compared_side *side, struct weft_error *error);

/* ---- match.c ---- */

/* Have both sides the same memory, or that of their configurations? Else what moved need not be the
 * program's doing. */
bool compare_same_memory(const struct comparison *comparison);

/* Are both programs of as many inferences? Else their totals say little of each other. */
bool compare_same_inferences(const struct comparison *comparison);

/* Finds the layers that are the same on both sides: of one operator and one result. */
void compare_match(struct weft_arena *arena, struct comparison *comparison);

/* What moved, and why, as "vector -120, load +16": the uses that moved, most first. */
enum {
    WHY_BYTES = 256
};
void compare_why(const struct compared_row *row, char text[WHY_BYTES]);

/* ---- print.c ---- */

/* Appends the table. */
void compare_print(const struct comparison *comparison, struct weft_text *text);

/* The same, of all layers; with `owned` also whose each cycle is. The caller owns it. */
json_t *compare_json(const struct comparison *comparison, bool owned);

/* The page, without its data. */
extern const struct page_frame compare_page;

#endif
