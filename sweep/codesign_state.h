/* A search of machines from the inside: what sweep/codesign_search.c and
 * sweep/codesign_resume.c share: the machines that were tried, and those that are being tuned. */
#ifndef WEFT_SWEEP_CODESIGN_STATE_H
#define WEFT_SWEEP_CODESIGN_STATE_H

#include "compiler/tune/log.h"
#include "sweep/codesign.h"
#include "sweep/guide.h"

enum {
    CODESIGN_NEW = 4,                /* machines of a round, at most */
    CODESIGN_TUNED = 4,              /* machines that go on to the next round */
    CODESIGN_MOST_MACHINES = 1 << 20 /* after so many only schedules are tried */
};

/* A machine that is being tuned. */
struct candidate {
    size_t machine; /* index */
    struct weft_module *module;
    struct tuning *tuning;
    struct weft_text log; /* of what made it faster, for others */
    uint64_t tried;       /* schedules, before a log was gone on with */
};

struct codesign {
    struct codesign_options options;
    size_t count, capacity;
    struct codesign_machine *machines;
    struct sweep_known *known; /* of the grid; by machine, but the first may not be in it */
    size_t known_count;
    uint64_t state;
    int64_t host_macs, host_elements; /* that the first machine leaves to the host */
    char model[128];
    uint64_t model_fingerprint;
    uint32_t frames;
    bool one_by_one;
    struct weft_text lines; /* for the log, not written yet */
    size_t candidate_count;
    struct candidate candidates[CODESIGN_TUNED + CODESIGN_NEW];
    /* A round: machines that it still has to compile, then candidates in turn. */
    size_t pending_count;
    uint64_t pending[CODESIGN_NEW];
    size_t turn;
    uint64_t spent; /* schedules of the candidate whose turn it is */
    bool is_over;   /* the grid has no more */
};

/* A machine more, of which nothing is known yet but its area. NULL: WEFT_OUT_OF_MEMORY. */
struct codesign_machine *codesign_add(struct codesign *c, const struct weft_config *config,
                                      struct weft_error *error);

/* Is its area not above the limit, and was it not refused? */
bool codesign_is_within(const struct codesign *c, const struct codesign_machine *machine);

/* Of two of the list; of equal ones it is the first. */
bool codesign_is_better(const struct codesign_machine *a, const struct codesign_machine *b);

/* Does the program of a machine do what that of the first one does? The first one sets it. Cycles
 * of the host are in nobody's. Error: WEFT_CAPACITY. */
bool codesign_check_host(struct codesign *c, const struct weft_module *module,
                         struct weft_error *error);

/* Is nothing known of that combination of the grid, and is it not chosen yet? */
bool codesign_is_new(const struct codesign *c, uint64_t number);

/* Remembers what a machine takes as compiled, if the grid has it and nothing is known of it. */
void codesign_know(struct codesign *c, const struct codesign_machine *machine);

/* The machine of that index is to be tuned; the module becomes its own. It begins with what `log`
 * holds of it; NULL: with what the best other one has for layers like its own. Errors: those of
 * tune_log_resume() and tuning_open(); the module stays the caller's then. */
bool codesign_add_candidate(struct codesign *c, size_t machine, struct weft_module *module,
                            const struct tune_log *log, struct weft_error *error);

/* A line of what made a machine faster: for other machines, and, if it is new, for the log. */
void codesign_note(struct codesign *c, struct candidate *candidate,
                   const struct tune_better *better, bool is_new);

/* Leaves the best ones: the others only get better, so one that is left behind stays there. */
void codesign_prune(struct codesign *c);

/* None is tuned any more. */
void codesign_close_candidates(struct codesign *c);

#endif
