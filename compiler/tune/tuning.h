/* Tuning from the inside: what the files of compiler/tune that draw, count and take schedules
 * share. */
#ifndef WEFT_COMPILER_TUNE_TUNING_H
#define WEFT_COMPILER_TUNE_TUNING_H

#include "base/parallel.h"
#include "compiler/schedule/schedule.h"
#include "compiler/tune/moves.h"
#include "compiler/tune/tune.h"

enum {
    TUNE_BATCH = 16,      /* schedules that are tried beside each other, whatever the threads */
    TUNE_MOST_MOVES = 16, /* from one schedule to another */
};

/* How often something was changed, and how often that paid. */
struct score {
    double tried, paid;
};

/* A schedule on trial. */
struct trial {
    struct decisions decisions;
    const char *what; /* was changed last */
    enum move_kind kinds[TUNE_MOST_MOVES];
    int layers[TUNE_MOST_MOVES];
    int moves;
    uint64_t limit;   /* of cycles: as many are too many */
    bool takes_equal; /* is it counted although a part of it takes what it takes now? */
    int layer;        /* that the moves begin with; -1: no part of the program shows what they do */
    struct window window;
    uint64_t window_now; /* what that part takes now; 0: nobody knows yet */
    bool is_known, fits;
    uint64_t key;
    struct outcome outcome;
    struct weft_error error;
};

/* A region that is tuned. */
struct tuned {
    struct region region;
    struct move_field field;
    const struct saved_schedule *saved; /* what the compiler chose */
    struct decisions begun, now, best;
    uint64_t begun_cycles, now_cycles, best_cycles;
    uint64_t waited; /* schedules since one was faster than all since it began anew */
    bool is_short;   /* a program that is always counted as a whole */
    /* By layer of the region: what a part of the program around it takes now. */
    struct part {
        struct window window;
        uint64_t cycles; /* 0: nobody knows */
    } * parts;
    struct known known;
    struct score kinds[MOVE_KINDS];
    struct score *layers; /* by layer of the region */
    struct trial trials[TUNE_BATCH];
    size_t waiting; /* trials that paid but were not taken: their moves are made again */
    struct field_change *again[TUNE_BATCH];
    size_t again_count[TUNE_BATCH];
};

struct tuning {
    struct weft_arena arena;
    struct weft_arena *arenas[WEFT_MOST_THREADS]; /* one for each thread, empty between trials */
    struct weft_arena *changes;                   /* empty between batches */
    struct weft_module *module;
    struct tune_options options;
    struct draw draw;
    uint32_t count;
    struct tuned *regions;
    uint64_t tried;
    double turn; /* which region is next */
};

/* ---- propose.c ---- */

/* Draws what trial `number` of the next batch is; or it is one that paid before, on top of what was
 * taken. */
void trial_propose(struct tuning *tuning, struct tuned *t, size_t number);

/* Parts with something that is changed take other cycles from now on. */
void forget_parts(struct tuned *t, const struct decisions *next);

/* ---- count.c ---- */

/* The trials of a region that are counted beside each other. */
struct batch {
    struct tuning *tuning;
    struct tuned *tuned;
};

/* Counts the cycles of a trial of a batch (struct batch), if nobody knows them. */
void trial_count(void *context, unsigned thread, size_t number);

/* Is it that the schedule is not possible? */
bool is_refusal(const struct weft_error *error);

/* Notes what a trial came to. Error: that of a trial which is no refusal. */
bool trial_learn(struct tuned *t, struct trial *trial, struct weft_error *error);

/* Makes the program of a trial again, and verifies it. False: it is refused, or *error is another
 * than that. */
bool trial_verify(struct tuning *tuning, const struct tuned *t, const struct trial *trial,
                  struct weft_error *error);

#endif
