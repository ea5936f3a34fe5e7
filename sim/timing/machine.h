/* The state of the cycle model, shared by the files of this folder alone.
 *
 * A cycle T is visited when something is due in it: the port may grant a burst, dispatch may take
 * or try an instruction, a unit starts or finishes one. Each of these knows the next cycle in which
 * it is due, from what has happened up to now, and what changes that sets it anew: nothing is
 * looked at in a cycle in which it cannot act. weft_timing_run() (run.c) calls the steps that are
 * due in an order that lets each of them see the state at the beginning of T: what a step changes
 * is not looked at by a later step of the same visit, or carries the cycle from which it counts.
 */
#ifndef WEFT_SIM_TIMING_MACHINE_H
#define WEFT_SIM_TIMING_MACHINE_H

#include "isa/claims.h"
#include "isa/footprint.h"
#include "sim/timing/burst.h"
#include "sim/timing/duration.h"
#include "sim/timing/memory.h"
#include "sim/timing/timing.h"

enum {
    MAX_FLIGHTS = 16,
    MAX_BURSTS = 256,
};

#define NEVER UINT64_MAX

/* An instruction on its way through the queue of its unit. */
struct queued {
    uint32_t next; /* the instruction after it in the queue */
    bool outside;  /* its extents pass a memory or region */
};

/* Instructions by number: a list through machine.queued. */
struct queue {
    uint32_t head, tail;
    uint32_t count;
};

/* An instruction in flight. */
struct flight {
    uint32_t number;
    uint64_t finish; /* NEVER while it is not known */
    /* First cycle and number of cycles of the work that a counter counts: lines of FILL, cycles of
     * a stream, slots of VECTOR. */
    uint64_t work_first;
    uint64_t work;
    uint32_t claims[WEFT_CLAIMS];
};

/* Instructions in flight in a unit, oldest first; they finish in this order. */
struct flights {
    struct flight entry[MAX_FLIGHTS];
    unsigned head;
    unsigned count;
    uint32_t claims[WEFT_CLAIMS]; /* of all of them together */
};

/* Bursts that are outstanding; they end in order. */
struct outstanding {
    struct {
        uint64_t first;
        uint64_t last; /* cycle of the last beat */
        uint32_t beats;
    } burst[MAX_BURSTS];
    unsigned head;
    unsigned count;
    uint64_t beats;
};

/* The issue stage of load or store. */
struct issue {
    bool active;        /* holds bursts that are not granted yet */
    uint64_t idle_from; /* when not active: the first cycle in which an instruction can start */
    struct weft_burst_walk walk;
    struct weft_burst burst; /* the pending one */
    uint32_t region;         /* that its address lies in */
    struct outstanding outstanding;
    uint32_t max_bursts;
    uint32_t max_beats;
};

struct fetch {
    uint32_t end;          /* instructions in the program region */
    uint32_t offset;       /* next instruction to request */
    uint32_t arrived;      /* instructions that are or were in the buffer */
    uint32_t taken;        /* instructions that dispatch has taken */
    uint64_t next_arrival; /* cycle from which the next instruction on its way is in the buffer */
    uint32_t arriving;     /* instructions of the oldest outstanding burst that have arrived */
    struct outstanding outstanding;
};

enum dispatch_state {
    DISPATCH_IDLE,
    DISPATCH_BUSY, /* checking until `ready`, then trying */
};

struct dispatch {
    enum dispatch_state state;
    uint64_t ready; /* first cycle in which it tries */
    uint32_t number;
    bool takes; /* the machine has such an instruction */
    bool outside;
    bool halted;
};

/* The MATRIX that started last. */
struct matrix_pipe {
    uint64_t last_pass; /* u + N - M */
    uint64_t end;       /* u + N */
};

/* How a cycle counts for a unit that is not busy. */
enum idle_cause {
    IDLE_EMPTY = WEFT_UNITS, /* below that: waits for this producer */
    IDLE_READY,              /* nothing holds the head: it starts or waits for its own unit */
};

/* What a cycle is visited for. */
enum due {
    DUE_PORT,                            /* a burst is requested */
    DUE_DISPATCH,                        /* it looks for an instruction, or tries to pass one on */
    DUE_START,                           /* + unit: the head of its queue starts */
    DUE_FINISH = DUE_START + WEFT_UNITS, /* + unit: its oldest instruction in flight finishes */
    DUE_WATCHDOG = DUE_FINISH + WEFT_UNITS,
    DUES,
};

/* The counter that the cycles of a lane count for (an index; WEFT_COUNTERS: none), and since when.
 */
struct counting {
    unsigned counter;
    uint64_t since;
};

struct machine {
    const struct weft_config *config;
    const struct weft_instruction *instructions;
    const struct weft_timing_settings *settings;
    const struct weft_observer *observer;

    uint64_t now;
    uint64_t due[DUES]; /* the next cycle for each, as far as is known; NEVER */

    struct weft_memory_model memory;
    struct fetch fetch;
    struct dispatch dispatch;
    struct queued *queued; /* by number of the instruction */
    struct queue queue[WEFT_UNITS];
    struct flights flights[WEFT_UNITS];
    bool moved;                        /* a unit started or finished something now */
    uint32_t claims[WEFT_CLAIMS];      /* of the instruction that starts */
    unsigned changed;                  /* units (a mask) whose state is another from now + 1 on */
    enum idle_cause cause[WEFT_UNITS]; /* at the beginning of this visit */
    uint32_t semaphore[WEFT_UNITS][WEFT_UNITS]; /* [producer][consumer] */
    struct issue load;
    struct issue store;
    uint64_t load_finish; /* of the last LOAD or FILL */
    struct matrix_pipe matrix;

    enum weft_fault fault; /* of this visit, the one that comes first in docs/timing.md */
    unsigned fault_rank;
    uint32_t fault_instruction;
    union {
        struct weft_counters counters;
        uint64_t count[WEFT_COUNTERS + 1]; /* the same by index; the last stands for no counter */
    };
    struct counting counting[WEFT_LANES];
    unsigned untold; /* lanes (a mask) of which the observer has to be told in the next visit */
};

/* Most calls of some functions end at a question that is asked here, inline: what is left is a
 * function of its own, declared before them and called by nobody else. */

/* ---- state.c ---- */

/* Where a fault comes from, first to be reported first. */
enum fault_rank {
    RANK_DISPATCH,
    RANK_FINISH, /* + 2 * unit */
    RANK_START,  /* + 2 * unit */
    RANK_DEADLOCK = RANK_FINISH + 2 * WEFT_UNITS,
    RANK_WATCHDOG,
};

void count_as_another(struct machine *machine, enum weft_lane lane, unsigned counter,
                      uint64_t first);
/* Lets the cycles of a lane count for a counter from `first` on: this cycle or the next. */
static inline void count_as(struct machine *machine, enum weft_lane lane, unsigned counter,
                            uint64_t first) {
    if (machine->counting[lane].counter != counter) {
        count_as_another(machine, lane, counter, first);
    }
}

void tell_counting_more(struct machine *machine);
/* Tells the observer what counts from now on and was known before. */
static inline void tell_counting(struct machine *machine) {
    if (machine->untold != 0) {
        tell_counting_more(machine);
    }
}

/* Counts all lanes up to now. */
void count_to_the_end(struct machine *machine);

/* Puts forward the next cycle in which something is due. */
static inline void due_by(struct machine *machine, unsigned what, uint64_t cycle) {
    if (cycle < machine->due[what]) {
        machine->due[what] = cycle;
    }
}

/* Records a fault of this visit. */
void fault(struct machine *machine, unsigned rank, enum weft_fault code, uint32_t number);

static inline const struct weft_instruction *instruction_of(const struct machine *machine,
                                                            uint32_t number) {
    return &machine->instructions[number];
}

void queue_push(struct machine *machine, enum weft_unit unit, uint32_t number, bool outside);
void queue_pop(struct machine *machine, enum weft_unit unit);

/* An instruction in flight; index 0 is the oldest. */
static inline struct flight *flight_at(struct flights *flights, unsigned index) {
    return &flights->entry[(flights->head + index) % MAX_FLIGHTS];
}

/* Takes the instruction that starts in flight, with its claims, and tells the observer. */
void flight_begin(struct machine *machine, enum weft_unit unit, const struct flight *flight);
/* Sets the finish of the newest instruction in flight. */
void flight_set_finish(struct machine *machine, enum weft_unit unit, uint64_t finish);

/* Tells the observer of a burst that is granted now. */
static inline void tell_burst(const struct machine *machine, enum weft_master master,
                              uint64_t address, uint32_t bytes, uint64_t first) {
    if (machine->observer->burst != NULL) {
        machine->observer->burst(machine->observer->context, master, address, bytes, machine->now,
                                 first);
    }
}

static inline void outstanding_push(struct outstanding *outstanding, uint64_t first, uint64_t last,
                                    uint32_t beats) {
    unsigned slot = (outstanding->head + outstanding->count++) % MAX_BURSTS;
    outstanding->burst[slot].first = first;
    outstanding->burst[slot].last = last;
    outstanding->burst[slot].beats = beats;
    outstanding->beats += beats;
}

/* Drops the bursts whose last beat was before `now`; true when there was one. */
static inline bool outstanding_retire(struct outstanding *outstanding, uint64_t now) {
    bool any = false;
    while (outstanding->count > 0 && outstanding->burst[outstanding->head].last < now) {
        outstanding->beats -= outstanding->burst[outstanding->head].beats;
        outstanding->head = (outstanding->head + 1) % MAX_BURSTS;
        outstanding->count--;
        any = true;
    }
    return any;
}

/* ---- fetch.c ---- */

void fetch_arrivals_more(struct machine *machine);
/* Puts what has arrived up to now in the buffer. */
static inline void fetch_arrivals(struct machine *machine) {
    if (machine->fetch.next_arrival <= machine->now) {
        fetch_arrivals_more(machine);
    }
}

/* Has the last instruction been requested? */
static inline bool fetch_is_over(const struct machine *machine) {
    return machine->fetch.offset == machine->fetch.end;
}

bool fetch_requests_more(const struct machine *machine);
/* Is a burst requested now? */
static inline bool fetch_requests(const struct machine *machine) {
    return !fetch_is_over(machine) && fetch_requests_more(machine);
}

void fetch_grant(struct machine *machine);

void fetch_plan_more(struct machine *machine);
/* Sets when the port is due next; to be called when there is something new to request. */
static inline void fetch_plan(struct machine *machine) {
    if (!fetch_is_over(machine)) {
        fetch_plan_more(machine);
    }
}

/* ---- port.c: the memory port ---- */

/* Grants one burst: there is a request whenever the port is due. */
void port_step(struct machine *machine);

/* ---- dispatch.c ---- */

void dispatch_step(struct machine *machine);
/* To be called when a unit has started or finished something: what waits can perhaps pass next. */
void dispatch_plan(struct machine *machine);
/* True when dispatch tries to pass an instruction on and cannot. */
bool dispatch_blocked(const struct machine *machine);

/* ---- transfer.c: what load and store share ---- */

void issue_start(struct issue *issue, const struct weft_burst_walk *walk, uint32_t region);
/* The first cycle after now in which an instruction can start, NEVER while that is not known. */
uint64_t issue_idle(const struct machine *machine, const struct issue *issue);
/* True when there is a pending burst and it is requested now. */
static inline bool issue_requests(const struct issue *issue) {
    return issue->active && issue->outstanding.count < issue->max_bursts &&
           issue->outstanding.beats + issue->burst.beats <= issue->max_beats;
}

void issue_plan_more(struct machine *machine, const struct issue *issue, enum weft_lane lane,
                     unsigned limit);
/* Sets when the port is due next. A burst that is not requested in the next cycle waits for the
 * limits until it is: these cycles of the lane count for `limit`. */
static inline void issue_plan(struct machine *machine, const struct issue *issue,
                              enum weft_lane lane, unsigned limit) {
    if (issue->active) {
        issue_plan_more(machine, issue, lane, limit);
    }
}

/* Moves on after the pending burst was granted now. */
void issue_granted(struct machine *machine, struct issue *issue);

/* ---- load.c, matrix.c, vector.c, store.c ----
 *
 * ..._ready: the first cycle after now in which the unit is ready for an instruction; NEVER: not
 * before it finishes another or its last burst is granted. ..._start: starts it now. ..._plan: as
 * fetch_plan(). */

uint64_t load_ready(const struct machine *machine, uint32_t number);
void load_start(struct machine *machine, uint32_t number);
void load_plan(struct machine *machine);
void load_granted(struct machine *machine, uint64_t last_beat, bool last);
uint64_t matrix_ready(const struct machine *machine, uint32_t number);
void matrix_start(struct machine *machine, uint32_t number);
uint64_t vector_ready(const struct machine *machine, uint32_t number);
void vector_start(struct machine *machine, uint32_t number);
uint64_t store_ready(const struct machine *machine, uint32_t number);
void store_start(struct machine *machine, uint32_t number);
void store_plan(struct machine *machine);
void store_granted(struct machine *machine, uint64_t last_beat, bool last);

/* ---- unit.c: what the four units share ---- */

void unit_start_step(struct machine *machine, enum weft_unit unit);
void unit_finish_step(struct machine *machine, enum weft_unit unit);
/* Finds out what the unit does in the cycles after this one, up to the next change. */
void unit_plan(struct machine *machine, enum weft_unit unit);
/* Counts what instructions in flight have done when the run ends. */
void unit_count_unfinished(struct machine *machine, enum weft_unit unit);

#endif
