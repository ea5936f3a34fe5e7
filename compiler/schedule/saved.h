/* Schedules as values: what a schedule chose, and what else was tried, as text that can be kept,
 * changed by hand and read back (docs/schedule.md, "Schedules as files"). */
#ifndef WEFT_COMPILER_SCHEDULE_SAVED_H
#define WEFT_COMPILER_SCHEDULE_SAVED_H

#include "base/text.h"
#include "compiler/plan/decisions.h"

/* A layer as it was listed that is divided. */
struct saved_division {
    int64_t layer;
    struct division division;
};

/* Neighbours in the order of a region: the layers `first` to `last` as they were listed. */
struct saved_run {
    int64_t first, last;
};

/* A layer: what it is, which must be so when the decisions are used again, and how it is cut. */
struct saved_layer {
    const char *name;   /* operator */
    const char *result; /* name of the result in the graph, or "" */
    int64_t source;     /* operator in the model, or -1 */
    struct cut cut;
};

struct saved_tensor {
    int64_t producer; /* layer that makes it, or -1; must be so when the decisions are used again */
    struct keep keep;
};

/* Something that the search tried. */
struct saved_try {
    int64_t layer; /* -1: all of the region */
    const char *what;
    int64_t cycles; /* 0: it does not fit. Of a layer: estimated for it and those beside it */
    int64_t best;   /* cycles of the best until then, 0: none */
    bool won;
};

/* The schedule of a region. */
struct saved_schedule {
    int64_t cycles;
    int64_t groups;                       /* of images */
    int64_t parts;                        /* of the pixels of layers abreast; 0: none are */
    bool behind, halve_loads, whole_rams; /* struct decisions */
    int64_t kept_banks;                   /* the same */
    bool keep_longest, keep_in_group;     /* the same */
    bool plain_weights;                   /* the same */
    struct as_if as_if;
    size_t run_count; /* of the order, all of it; 0: as listed */
    struct saved_run *runs;
    size_t division_count; /* layers that are divided, in order */
    struct saved_division *divisions;
    size_t layer_count; /* after that */
    struct saved_layer *layers;
    size_t tensor_count;
    struct saved_tensor *tensors;
    size_t try_count; /* in the order of the search; not read when decisions are used again */
    struct saved_try *tries;
};

/* The schedules of all regions of a module. */
struct saved_file {
    int64_t version;            /* SAVED_VERSION */
    const char *model, *config; /* for people */
    size_t schedule_count;
    struct saved_schedule *schedules;
};
enum {
    SAVED_VERSION = 7
};

/* The schedule that a region was given, in the arena. `divisions`, by layer as listed, or NULL. */
struct saved_schedule *saved_schedule(struct weft_arena *arena, const struct region *region,
                                      const struct decisions *decisions, uint64_t cycles);

/* Appends the text form, JSON. */
void saved_print(struct weft_text *out, const struct saved_file *file);

/* Reads it into the arena. Error: WEFT_DECISIONS, position = line. */
bool saved_parse(struct weft_arena *arena, const char *text, size_t length, struct saved_file *file,
                 struct weft_error *error);

/* The order of the layers of a schedule, as they were listed; NULL: as listed. Errors:
 * WEFT_DECISIONS, position = run or layer, when not every layer comes once, after those that make
 * what it reads. */
bool saved_order(const struct saved_schedule *schedule, const struct region *listed,
                 const int **order, struct weft_error *error);

/* The divisions of a schedule by layer of a region that was listed but not divided; NULL when there
 * are none. Error: WEFT_DECISIONS, position = layer. */
bool saved_divisions(struct weft_arena *arena, const struct saved_schedule *schedule,
                     const struct region *listed, struct division **divisions,
                     struct weft_error *error);

/* The decisions of a schedule for a region with its divisions. Error: WEFT_DECISIONS, position =
 * layer or tensor, when it was made for another region. */
bool saved_decisions(struct weft_arena *arena, const struct saved_schedule *schedule,
                     const struct region *region, struct decisions *decisions,
                     struct weft_error *error);

#endif
