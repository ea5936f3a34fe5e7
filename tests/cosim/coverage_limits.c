/* Coverage: limits on what is outstanding, memory, dispatch, masks of tokens, counters. */
#include <inttypes.h>
#include <stdio.h>

#include "sim/timing/burst.h"
#include "sim/timing/duration.h"
#include "tests/cosim/coverage_internal.h"

enum {
    MOST_FLIGHTS = 16, /* of a unit, in any configuration */
};

/* ---- limits ---- */

enum limit {
    LIMIT_FETCH_BURSTS,
    LIMIT_FETCH_BUFFER,
    LIMIT_LOAD_BURSTS,
    LIMIT_LOAD_BEATS,
    LIMIT_STORE_BURSTS,
    LIMIT_STORE_BEATS,
    LIMIT_LOAD_INSTRUCTIONS,
    LIMIT_STORE_INSTRUCTIONS,
    LIMIT_MATRIX_INSTRUCTIONS,
    LIMITS,
};

static size_t limit_bins(const struct coverage *coverage) {
    (void)coverage;
    return LIMITS;
}

static void limit_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const names[LIMITS] = {
        [LIMIT_FETCH_BURSTS] = "bursts of fetch",
        [LIMIT_FETCH_BUFFER] = "buffer of fetch",
        [LIMIT_LOAD_BURSTS] = "bursts of load",
        [LIMIT_LOAD_BEATS] = "beats of load",
        [LIMIT_STORE_BURSTS] = "bursts of store",
        [LIMIT_STORE_BEATS] = "beats of store",
        [LIMIT_LOAD_INSTRUCTIONS] = "instructions of load",
        [LIMIT_STORE_INSTRUCTIONS] = "instructions of store",
        [LIMIT_MATRIX_INSTRUCTIONS] = "instructions of matrix",
    };
    (void)snprintf(label, LABEL_BYTES, "%s", names[bin]);
}

const struct group_form form_limit = {"limit", false, limit_bins, limit_label};

/* The bursts of a master, oldest first, with what is outstanding of them. */
struct window {
    uint32_t bursts;
    uint64_t beats;
};

static uint64_t beats_of(const struct cosim_case *test, const struct weft_trace_burst *burst) {
    return weft_beats(burst->address, burst->bytes, test->config->memory_width);
}

/* What is outstanding in a cycle of the bursts granted before it. */
static struct window outstanding_in(const struct cosim_case *test, const struct weft_trace *trace,
                                    size_t before, enum weft_master master, uint64_t cycle) {
    struct window window = {0};
    /* Bursts end in the order of grants: the first that has ended ends the search. */
    for (size_t i = before; i > 0; i--) {
        const struct weft_trace_burst *burst = &trace->bursts[i - 1];
        uint64_t beats = beats_of(test, burst);
        uint64_t last = burst->first + (beats - 1) * test->memory_interval;
        if (last < cycle) {
            break;
        }
        if (burst->master == master) {
            window.bursts++;
            window.beats += beats;
        }
    }
    return window;
}

static void cover_bursts(struct coverage *coverage, const struct cosim_case *test,
                         const struct weft_trace *trace) {
    const struct weft_config *config = test->config;
    const uint32_t most_bursts[WEFT_MASTERS] = {config->fetch_bursts, config->store_bursts,
                                                config->load_bursts};
    const uint64_t most_beats[WEFT_MASTERS] = {UINT64_MAX, config->store_beats, config->load_beats};
    static const enum limit burst_limit[WEFT_MASTERS] = {LIMIT_FETCH_BURSTS, LIMIT_STORE_BURSTS,
                                                         LIMIT_LOAD_BURSTS};
    static const enum limit beat_limit[WEFT_MASTERS] = {LIMIT_FETCH_BUFFER, LIMIT_STORE_BEATS,
                                                        LIMIT_LOAD_BEATS};
    uint64_t before[WEFT_MASTERS] = {0};
    for (size_t i = 0; i < trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &trace->bursts[i];
        enum weft_master master = burst->master;
        bool at_once = burst->accepted == before[master] + 1;
        before[master] = burst->accepted;
        if (at_once) {
            continue; /* nothing held it up */
        }
        struct window window = outstanding_in(test, trace, i, master, burst->accepted - 1);
        /* Granted one cycle after the limit held it up. */
        if (window.bursts >= most_bursts[master]) {
            hit(coverage, GROUP_LIMIT, burst_limit[master]);
        } else if (window.beats + beats_of(test, burst) > most_beats[master]) {
            hit(coverage, GROUP_LIMIT, beat_limit[master]);
        }
    }
}

/* Were so many instructions of a unit in flight that one more had to wait? */
static void cover_flights(struct coverage *coverage, const struct cosim_case *test,
                          const struct weft_trace *trace) {
    const uint32_t most[WEFT_UNITS] = {test->config->load_instructions,
                                       test->config->matrix_instructions, UINT32_MAX,
                                       test->config->store_instructions};
    static const enum limit limits[WEFT_UNITS] = {
        LIMIT_LOAD_INSTRUCTIONS, LIMIT_MATRIX_INSTRUCTIONS, LIMITS, LIMIT_STORE_INSTRUCTIONS};
    uint64_t finished[WEFT_UNITS][MOST_FLIGHTS] = {{0}}; /* of the last ones of each unit */
    size_t started[WEFT_UNITS] = {0};
    for (size_t i = 0; i < test->program.count; i++) {
        unsigned unit = weft_format_of(test->program.instructions[i].opcode)->unit;
        if (unit == WEFT_UNITS) {
            continue;
        }
        uint32_t flights = 0;
        for (size_t k = 0; k < MOST_FLIGHTS; k++) {
            flights += finished[unit][k] >= trace->times[i].started;
        }
        finished[unit][started[unit]++ % MOST_FLIGHTS] = trace->times[i].finished;
        if (flights + 1 >= most[unit]) {
            hit(coverage, GROUP_LIMIT, limits[unit]);
        }
    }
}

/* The buffer is full when what was requested and not taken leaves no room for a burst. */
static void cover_buffer(struct coverage *coverage, const struct cosim_case *test,
                         const struct weft_trace *trace) {
    uint64_t requested = 0;
    size_t taken = 0;
    for (size_t i = 0; i < trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &trace->bursts[i];
        if (burst->master != WEFT_MASTER_FETCH) {
            continue;
        }
        requested += burst->bytes / WEFT_INSTRUCTION_BYTES;
        while (taken < test->program.count &&
               trace->times[taken].dispatched <= burst->accepted + WEFT_CHECK) {
            taken++;
        }
        if (requested - taken + test->config->memory_burst / WEFT_INSTRUCTION_BYTES >
            test->config->fetch_buffer) {
            hit(coverage, GROUP_LIMIT, LIMIT_FETCH_BUFFER);
        }
    }
}

/* ---- memory ---- */

static const uint64_t latencies[] = {1, 2, 3, 4, 10, 50, 100, 200, 300};
enum {
    LATENCIES = sizeof latencies / sizeof latencies[0],
    INTERVALS = 5,
};

static size_t memory_bins(const struct coverage *coverage) {
    (void)coverage;
    return LATENCIES + INTERVALS + WEFT_DRAMS;
}

static void memory_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    if (bin < LATENCIES) {
        (void)snprintf(label, LABEL_BYTES, "latency %" PRIu64 " or more", latencies[bin]);
    } else if (bin >= LATENCIES + INTERVALS) {
        (void)snprintf(label, LABEL_BYTES, "DRAM %s", weft_dram_names[bin - LATENCIES - INTERVALS]);
    } else {
        (void)snprintf(label, LABEL_BYTES, "interval %zu", bin - LATENCIES + 1);
    }
}

const struct group_form form_memory = {"memory", false, memory_bins, memory_label};

static void cover_memory(struct coverage *coverage, const struct cosim_case *test) {
    size_t bin = 0;
    while (bin + 1 < LATENCIES && latencies[bin + 1] <= test->memory_latency) {
        bin++;
    }
    hit(coverage, GROUP_MEMORY, bin);
    if (test->memory_interval <= INTERVALS) {
        hit(coverage, GROUP_MEMORY, LATENCIES + (size_t)test->memory_interval - 1);
    }
    hit(coverage, GROUP_MEMORY, LATENCIES + INTERVALS + (size_t)test->memory_dram);
}

/* ---- dispatch ---- */

enum order {
    ORDER_FENCE_WAITS,
    ORDER_FENCE_PASSES,
    ORDER_AFTER_FENCE, /* + opcode, the first behind a FENCE */
    ORDERS = ORDER_AFTER_FENCE + OPCODES,
};

static size_t order_bins(const struct coverage *coverage) {
    (void)coverage;
    return ORDERS;
}

static void order_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    label[0] = '\0';
    if (bin < ORDER_AFTER_FENCE) {
        (void)snprintf(label, LABEL_BYTES, "fence %s",
                       bin == ORDER_FENCE_WAITS ? "waits" : "passes at once");
    } else if (weft_format_of((uint32_t)(bin - ORDER_AFTER_FENCE)) != NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s behind a fence",
                       weft_formats[bin - ORDER_AFTER_FENCE].name);
    }
}

const struct group_form form_order = {"order", false, order_bins, order_label};

static void cover_order(struct coverage *coverage, const struct cosim_case *test,
                        const struct weft_trace *trace) {
    for (size_t i = 1; i < test->program.count; i++) {
        const struct weft_instruction *before = &test->program.instructions[i - 1];
        if (test->program.instructions[i].opcode == WEFT_OPCODE_FENCE) {
            /* One that would have passed in the cycle in which it was first tried. */
            bool at_once =
                trace->times[i].dispatched == trace->times[i - 1].dispatched + WEFT_CHECK + 2;
            hit(coverage, GROUP_ORDER, at_once ? ORDER_FENCE_PASSES : ORDER_FENCE_WAITS);
        }
        if (before->opcode == WEFT_OPCODE_FENCE) {
            hit(coverage, GROUP_ORDER, ORDER_AFTER_FENCE + test->program.instructions[i].opcode);
        }
    }
}

/* ---- masks ---- */

static size_t mask_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)WEFT_UNITS * 16;
}

static void mask_label(const char *name, size_t bin, char label[LABEL_BYTES]) {
    unsigned unit = (unsigned)bin / 16;
    label[0] = '\0';
    if ((bin >> unit & 1) == 0) {
        (void)snprintf(label, LABEL_BYTES, "%s %s %c%c%c%c", weft_unit_names[unit], name,
                       bin & 1 ? 'L' : '-', bin & 2 ? 'M' : '-', bin & 4 ? 'V' : '-',
                       bin & 8 ? 'S' : '-');
    }
}

static void wait_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    mask_label("waits for", bin, label);
}

static void signal_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    mask_label("signals", bin, label);
}

const struct group_form form_wait = {"wait", false, mask_bins, wait_label};
const struct group_form form_signal = {"signal", false, mask_bins, signal_label};

static void cover_masks(struct coverage *coverage, const struct cosim_case *test) {
    for (size_t i = 0; i < test->program.count; i++) {
        const struct weft_instruction *instruction = &test->program.instructions[i];
        unsigned unit = weft_format_of(instruction->opcode)->unit;
        if (unit != WEFT_UNITS) {
            hit(coverage, GROUP_WAIT, unit * 16 + instruction->wait);
            hit(coverage, GROUP_SIGNAL, unit * 16 + instruction->signal);
        }
    }
}

/* ---- counters ---- */

static size_t counter_bins(const struct coverage *coverage) {
    (void)coverage;
    return WEFT_COUNTERS;
}

static void counter_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    (void)snprintf(label, LABEL_BYTES, "%s", weft_counter_names[bin]);
}

const struct group_form form_counter = {"counter", false, counter_bins, counter_label};

void cover_limits(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace) {
    cover_memory(coverage, test);
    cover_masks(coverage, test);
    if (trace->result.fault != WEFT_FAULT_NONE) {
        return;
    }
    cover_bursts(coverage, test, trace);
    cover_flights(coverage, test, trace);
    cover_buffer(coverage, test, trace);
    cover_order(coverage, test, trace);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if (weft_counter_get(&trace->result.counters, i) != 0) {
            hit(coverage, GROUP_COUNTER, i);
        }
    }
}
