/* Why things happened when they did: for each event of a run the event before it that let it happen
 * then and not sooner. docs/timing.md says what an event waits for; this is that page read
 * backwards, from the times of a trace.
 *
 *     struct weft_history history;
 *     weft_history_make(&trace, &history, &error);
 *     struct weft_cause cause = weft_history_cause(&history, event);
 *     ...
 *     weft_history_free(&history);
 */
#ifndef WEFT_SIM_TRACE_HISTORY_H
#define WEFT_SIM_TRACE_HISTORY_H

#include "sim/trace/trace.h"

enum weft_event_kind {
    WEFT_EVENT_BEGIN,      /* cycle 0 */
    WEFT_EVENT_REQUESTED,  /* the burst of fetch that brings the instruction was accepted */
    WEFT_EVENT_ARRIVED,    /* it is in the buffer from this cycle on */
    WEFT_EVENT_TAKEN,      /* dispatch took it */
    WEFT_EVENT_DISPATCHED, /* it entered its queue, or passed */
    WEFT_EVENT_STARTED,
    WEFT_EVENT_STREAMED, /* MATRIX: its stream got to this cycle, one of several such events */
    WEFT_EVENT_ISSUED,   /* LOAD, STORE: its last burst was accepted; FILL: its last line */
    WEFT_EVENT_FINISHED,
};

struct weft_event {
    enum weft_event_kind kind;
    uint32_t number; /* of the instruction */
    uint64_t cycle;
};

/* The event that another one waited for, and the cycles from it to the earliest one in which the
 * other could happen: event.cycle + delay is the cycle in which it did. */
struct weft_cause {
    struct weft_event event;
    uint64_t delay;
};

/* No instruction. */
#define WEFT_NOBODY UINT32_MAX

/* What the trace does not say of an instruction, but follows from it. */
struct weft_instruction_history {
    uint64_t arrived;            /* as WEFT_EVENT_ARRIVED */
    uint64_t taken;              /* as WEFT_EVENT_TAKEN */
    uint64_t issued;             /* as WEFT_EVENT_ISSUED; 0: none */
    uint64_t drained;            /* LOAD, STORE: cycle of its last beat */
    uint64_t stream;             /* MATRIX: first and last cycle of its stream; 0: none */
    uint64_t stream_end;         /* */
    uint64_t pass;               /* MATRIX: cycles of a pass */
    uint32_t burst;              /* of fetch, that brings it: index into fetches */
    uint32_t place;              /* in the order of its unit */
    uint32_t tokens[WEFT_UNITS]; /* by producer: the instruction whose token it takes */
};

/* A burst of fetch. */
struct weft_history_fetch {
    uint64_t accepted;
    uint64_t first; /* cycle of the first beat */
    uint32_t number;
    uint32_t count; /* of instructions */
};

struct weft_history {
    const struct weft_trace *trace;
    uint32_t count;                      /* instructions up to HALT, that one included */
    struct weft_instruction_history *of; /* owned; by number */
    uint32_t *order[WEFT_UNITS];         /* owned; numbers by place in the unit */
    uint32_t order_count[WEFT_UNITS];
    struct weft_history_fetch *fetches; /* owned */
    uint32_t fetch_count;
};

/* Works a history out of the trace of a run that reached HALT; the trace must outlive it. Release
 * *history with weft_history_free(). Errors: WEFT_STATE (the run ended with a fault),
 * WEFT_OUT_OF_MEMORY. */
bool weft_history_make(const struct weft_trace *trace, struct weft_history *history,
                       struct weft_error *error);

void weft_history_free(struct weft_history *history);

/* What the event waited for; of equally late ones, work of the own unit before tokens before the
 * rest. Not for WEFT_EVENT_BEGIN. */
struct weft_cause weft_history_cause(const struct weft_history *history, struct weft_event event);

/* ---- the critical path ---- */

/* What goes on in a piece of the critical path. */
enum weft_path_kind {
    WEFT_PATH_STREAM,   /* MATRIX streams */
    WEFT_PATH_SLOTS,    /* VECTOR takes slots */
    WEFT_PATH_LOAD,     /* LOAD issues bursts, or waits for beats */
    WEFT_PATH_FILL,     /* FILL writes lines */
    WEFT_PATH_STORE,    /* STORE, as LOAD */
    WEFT_PATH_FETCH,    /* the instruction is fetched */
    WEFT_PATH_DISPATCH, /* dispatch has it, or it enters its queue */
    WEFT_PATH_LATENCY,  /* it is handed over, or a pipeline fills or drains */
    WEFT_PATH_KINDS,
};

extern const char *const weft_path_names[WEFT_PATH_KINDS];

/* Cycles first to last, both included, of an instruction. */
struct weft_path_piece {
    uint64_t first;
    uint64_t last;
    uint32_t number;
    enum weft_path_kind kind;
};

/* The chain of what waited for each other, from the first cycle of the run to the last: every cycle
 * is in one piece. Pieces come in the order of cycles; *pieces is freed by the caller. Error:
 * WEFT_OUT_OF_MEMORY. */
bool weft_history_path(const struct weft_history *history, struct weft_path_piece **pieces,
                       size_t *count, struct weft_error *error);

#endif
