/* Coverage: what happened at the same time, and what waited for what. */
#include <stdio.h>
#include <string.h>

#include "isa/claims.h"
#include "sim/timing/duration.h"
#include "tests/cosim/coverage_internal.h"
#include "tests/cosim/plan.h"

/* A run, by unit and in order. */
struct timeline {
    const struct weft_config *config;
    const struct weft_instruction *program;
    const struct weft_trace_times *of;
    size_t total;
    unsigned kind[PLAN_MOST];
    unsigned unit[PLAN_MOST]; /* WEFT_UNITS: dispatch */
    size_t count[WEFT_UNITS];
    uint32_t number[WEFT_UNITS][PLAN_MOST];
    /* Numbers of the instructions that give and take token k. */
    size_t given[WEFT_UNITS][WEFT_UNITS];
    size_t taken[WEFT_UNITS][WEFT_UNITS];
    uint32_t giver[WEFT_UNITS][WEFT_UNITS][PLAN_MOST];
    uint32_t taker[WEFT_UNITS][WEFT_UNITS][PLAN_MOST];
};

static void timeline_fill(struct timeline *line, const struct cosim_case *test,
                          const struct weft_trace *trace) {
    memset(line->count, 0, sizeof line->count);
    memset(line->given, 0, sizeof line->given);
    memset(line->taken, 0, sizeof line->taken);
    line->config = test->config;
    line->program = test->program.instructions;
    line->of = trace->times;
    line->total = test->program.count;
    for (uint32_t i = 0; i < line->total; i++) {
        unsigned unit = weft_format_of(line->program[i].opcode)->unit;
        line->kind[i] = kind_of(&line->program[i]);
        line->unit[i] = unit;
        if (unit == WEFT_UNITS) {
            continue;
        }
        line->number[unit][line->count[unit]++] = i;
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            if ((line->program[i].signal >> other & 1) != 0) {
                line->giver[unit][other][line->given[unit][other]++] = i;
            }
            if ((line->program[i].wait >> other & 1) != 0) {
                line->taker[other][unit][line->taken[other][unit]++] = i;
            }
        }
    }
}

/* ---- pairs of kinds in flight at once ---- */

static size_t pair_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)KINDS * KINDS;
}

static void pair_label(size_t bin, const char *between, char label[LABEL_BYTES]) {
    char first[LABEL_BYTES];
    char second[LABEL_BYTES];
    kind_label((unsigned)(bin / KINDS), first);
    kind_label((unsigned)(bin % KINDS), second);
    (void)snprintf(label, LABEL_BYTES, "%.30s %s %.30s", first, between, second);
}

static void overlap_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    unsigned a = (unsigned)(bin / KINDS);
    unsigned b = (unsigned)(bin % KINDS);
    label[0] = '\0';
    if (a < b && unit_of_kind(a) != unit_of_kind(b)) {
        pair_label(bin, "with", label);
    }
}

static void behind_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    unsigned a = (unsigned)(bin / KINDS);
    unsigned b = (unsigned)(bin % KINDS);
    label[0] = '\0';
    if (unit_of_kind(a) == unit_of_kind(b) && unit_of_kind(a) != WEFT_UNIT_VECTOR) {
        pair_label(bin, "behind", label);
    }
}

const struct group_form form_overlap = {"overlap", false, pair_bins, overlap_label};
const struct group_form form_behind = {"behind", false, pair_bins, behind_label};

static void cover_pairs(struct coverage *coverage, const struct timeline *line) {
    for (size_t i = 0; i < line->total; i++) {
        unsigned a = line->kind[i];
        const struct weft_trace_times *first = &line->of[i];
        for (size_t k = i + 1; k < line->total && first->started != 0; k++) {
            unsigned b = line->kind[k];
            const struct weft_trace_times *second = &line->of[k];
            if (second->started == 0 || second->started > first->finished ||
                first->started > second->finished) {
                continue;
            }
            if (line->unit[i] == line->unit[k]) {
                hit(coverage, GROUP_BEHIND, (size_t)b * KINDS + a);
            } else {
                hit(coverage, GROUP_OVERLAP, a < b ? (size_t)a * KINDS + b : (size_t)b * KINDS + a);
            }
        }
    }
}

/* ---- why an instruction did not start earlier ---- */

enum stall {
    STALL_WAIT, /* + producer */
    STALL_NONE = WEFT_UNITS,
    STALL_QUEUE,
    STALL_UNIT,
    STALL_FLIGHTS,
    STALL_BANK,
    STALLS,
};

static size_t stall_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)OPCODES * STALLS;
}

static void stall_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const names[STALLS] = {
        [STALL_WAIT + (int)WEFT_UNIT_LOAD] = "waits for load",
        [STALL_WAIT + (int) WEFT_UNIT_MATRIX] = "waits for matrix",
        [STALL_WAIT + (int) WEFT_UNIT_VECTOR] = "waits for vector",
        [STALL_WAIT + (int) WEFT_UNIT_STORE] = "waits for store",
        [STALL_NONE] = "starts at once",
        [STALL_QUEUE] = "waits for its queue",
        [STALL_UNIT] = "waits for its unit",
        [STALL_FLIGHTS] = "waits for one in flight",
        [STALL_BANK] = "waits for a LOAD of its bank",
    };
    const struct weft_format *format = weft_format_of((uint32_t)(bin / STALLS));
    label[0] = '\0';
    if (format != NULL && format->unit != WEFT_UNITS) {
        (void)snprintf(label, LABEL_BYTES, "%s %s", format->name, names[bin % STALLS]);
    }
}

const struct group_form form_stall = {"stall", false, stall_bins, stall_label};

static bool queue_was_full(const struct timeline *line, unsigned unit, size_t index) {
    uint32_t number = line->number[unit][index];
    uint64_t tried = line->of[number].dispatched - 1;
    if (number == 0 || tried < line->of[number - 1].dispatched + WEFT_CHECK + 2) {
        return false;
    }
    uint32_t queued = 0;
    for (size_t i = 0; i < index; i++) {
        queued += line->of[line->number[unit][i]].started >= tried;
    }
    return queued >= line->config->queue_depth;
}

/* What the unit itself had to do before an instruction could start in the cycle after `cycle`. */
static enum stall unit_stall(const struct timeline *line, unsigned unit, size_t index,
                             uint64_t cycle) {
    const struct weft_instruction *own = &line->program[line->number[unit][index]];
    const uint32_t most[WEFT_UNITS] = {line->config->load_instructions,
                                       line->config->matrix_instructions, UINT32_MAX,
                                       line->config->store_instructions};
    uint32_t flights = 0;
    bool meets = false;
    for (size_t i = 0; i < index; i++) {
        uint32_t number = line->number[unit][i];
        const struct weft_instruction *other = &line->program[number];
        bool flies = line->of[number].started < cycle && line->of[number].finished >= cycle;
        flights += flies;
        meets |= flies && own->opcode == WEFT_OPCODE_FILL && other->opcode == WEFT_OPCODE_LOAD &&
                 (weft_act_neighbours(line->config, own->banks[WEFT_MEMORY_ACT]) &
                  other->banks[WEFT_MEMORY_ACT]) != 0;
    }
    return flights >= most[unit] ? STALL_FLIGHTS : meets ? STALL_BANK : STALL_UNIT;
}

/* The number of the instruction whose token of `producer` the instruction takes. */
static uint32_t giver_of(const struct timeline *line, unsigned producer, unsigned consumer,
                         uint32_t number) {
    size_t k = 0;
    while (line->taker[producer][consumer][k] != number) {
        k++;
    }
    return line->giver[producer][consumer][k];
}

static void cover_stall(struct coverage *coverage, const struct timeline *line, unsigned unit,
                        size_t index) {
    uint32_t number = line->number[unit][index];
    const struct weft_trace_times *own = &line->of[number];
    size_t bin = (size_t)line->program[number].opcode * STALLS;
    uint64_t ready = own->dispatched + 1;
    uint64_t previous = index == 0 ? 0 : line->of[line->number[unit][index - 1]].started;
    ready = previous + 1 > ready ? previous + 1 : ready;
    if (queue_was_full(line, unit, index)) {
        hit(coverage, GROUP_STALL, bin + STALL_QUEUE);
    }
    uint64_t head = ready;
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((line->program[number].wait >> producer & 1) == 0) {
            continue;
        }
        uint64_t seen = line->of[giver_of(line, producer, unit, number)].finished + 1;
        if (seen > head) {
            hit(coverage, GROUP_STALL, bin + STALL_WAIT + producer);
        }
        ready = seen > ready ? seen : ready;
    }
    if (own->started > ready) {
        hit(coverage, GROUP_STALL, bin + unit_stall(line, unit, index, own->started - 1));
    } else if (own->started == head) {
        hit(coverage, GROUP_STALL, bin + STALL_NONE);
    }
}

/* ---- accumulators of the MATRIX before ---- */

enum sharing {
    SHARING_ALONE,
    SHARING_APART,
    SHARING_FREE,  /* shares a bank, and need not wait */
    SHARING_DRAIN, /* shares a bank, and waits */
    SHARINGS,
};

static size_t accumulator_bins(const struct coverage *coverage) {
    (void)coverage;
    return 4 * (size_t)SHARINGS;
}

static void accumulator_label(const struct coverage *coverage, size_t bin,
                              char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const modes[] = {"dense", "depthwise"};
    static const char *const names[SHARINGS] = {"none in flight", "other accumulators",
                                                "same bank, drained", "same bank, waits"};
    (void)snprintf(label, LABEL_BYTES, "%s behind %s: %s", modes[bin / SHARINGS % 2],
                   modes[bin / SHARINGS / 2], names[bin % SHARINGS]);
}

const struct group_form form_accumulators = {"accumulators", false, accumulator_bins,
                                             accumulator_label};

static void cover_accumulators(struct coverage *coverage, const struct timeline *line) {
    uint64_t end = 0; /* of the stream before */
    for (size_t i = 0; i < line->count[WEFT_UNIT_MATRIX]; i++) {
        uint32_t number = line->number[WEFT_UNIT_MATRIX][i];
        const struct weft_instruction *own = &line->program[number];
        struct weft_matrix_duration duration = weft_matrix_duration(line->config, &own->matrix);
        uint64_t stream = line->of[number].finished + 1 - WEFT_MATRIX_DRAIN - duration.stream;
        uint64_t soonest = line->of[number].started + duration.weight_tile;
        soonest = soonest > end ? soonest : end;
        enum sharing sharing = SHARING_ALONE;
        for (size_t k = 0; k < i; k++) {
            uint32_t other = line->number[WEFT_UNIT_MATRIX][k];
            if (line->of[other].finished >= line->of[number].started) {
                bool shares = (line->program[other].banks[WEFT_MEMORY_ACC] &
                               own->banks[WEFT_MEMORY_ACC]) != 0;
                enum sharing now = !shares            ? SHARING_APART
                                   : stream > soonest ? SHARING_DRAIN
                                                      : SHARING_FREE;
                sharing = now > sharing ? now : sharing;
            }
        }
        uint32_t before = i == 0 ? own->matrix.mode
                                 : line->program[line->number[WEFT_UNIT_MATRIX][i - 1]].matrix.mode;
        hit(coverage, GROUP_ACCUMULATORS,
            (size_t)(before * 2 + own->matrix.mode) * SHARINGS + sharing);
        end = stream + duration.stream;
    }
}

/* ---- things of one cycle ---- */

enum together {
    TOGETHER_STARTS,
    TOGETHER_START_FINISH = TOGETHER_STARTS + WEFT_UNITS * WEFT_UNITS,
    TOGETHER_FINISHES = TOGETHER_START_FINISH + WEFT_UNITS * WEFT_UNITS,
    TOGETHER_THREE = TOGETHER_FINISHES + WEFT_UNITS * WEFT_UNITS,
    TOGETHER_FOUR,
    TOGETHERS,
};

static size_t together_bins(const struct coverage *coverage) {
    (void)coverage;
    return TOGETHERS;
}

static void together_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    label[0] = '\0';
    if (bin >= TOGETHER_THREE) {
        (void)snprintf(label, LABEL_BYTES, "%s units start",
                       bin == TOGETHER_THREE ? "three" : "four");
        return;
    }
    unsigned a = (unsigned)(bin / WEFT_UNITS % WEFT_UNITS);
    unsigned b = (unsigned)(bin % WEFT_UNITS);
    if (bin >= TOGETHER_START_FINISH && bin < TOGETHER_FINISHES) {
        (void)snprintf(label, LABEL_BYTES, "%s starts as %s finishes", weft_unit_names[a],
                       weft_unit_names[b]);
    } else if (a < b) {
        (void)snprintf(label, LABEL_BYTES, "%s and %s %s", weft_unit_names[a], weft_unit_names[b],
                       bin < TOGETHER_START_FINISH ? "start" : "finish");
    }
}

const struct group_form form_together = {"together", false, together_bins, together_label};

static void cover_together(struct coverage *coverage, const struct timeline *line) {
    for (size_t i = 0; i < line->total; i++) {
        unsigned a = line->unit[i];
        unsigned starts = 1;
        for (size_t k = 0; k < line->total && a != WEFT_UNITS; k++) {
            unsigned b = line->unit[k];
            if (b == WEFT_UNITS) {
                continue;
            }
            size_t pair = (size_t)a * WEFT_UNITS + b;
            if (i != k && line->of[i].started == line->of[k].started) {
                hit(coverage, GROUP_TOGETHER, TOGETHER_STARTS + pair);
                starts++;
            }
            if (line->of[i].started == line->of[k].finished) {
                hit(coverage, GROUP_TOGETHER, TOGETHER_START_FINISH + pair);
            }
            if (i != k && line->of[i].finished == line->of[k].finished) {
                hit(coverage, GROUP_TOGETHER, TOGETHER_FINISHES + pair);
            }
        }
        if (starts >= 3) {
            hit(coverage, GROUP_TOGETHER, starts == 3 ? TOGETHER_THREE : TOGETHER_FOUR);
        }
    }
}

/* ---- semaphores ---- */

enum tokens {
    TOKENS_ONE,
    TOKENS_TWO,
    TOKENS_ALMOST, /* one less than fit */
    TOKENS_FULL,
    TOKENS_AT_ONCE, /* taken in the first cycle possible */
    TOKENS_SWAP,    /* one is given in the cycle in which one is taken */
    TOKENS_EARLY,   /* the taker was dispatched before the giver */
    TOKENS,
};

static size_t semaphore_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)WEFT_UNITS * WEFT_UNITS * TOKENS;
}

static void semaphore_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const names[TOKENS] = {
        "holds one",     "holds two",       "almost full",           "full",
        "taken at once", "given and taken", "taker dispatched first"};
    unsigned producer = (unsigned)(bin / TOKENS / WEFT_UNITS);
    unsigned consumer = (unsigned)(bin / TOKENS % WEFT_UNITS);
    label[0] = '\0';
    if (producer != consumer) {
        (void)snprintf(label, LABEL_BYTES, "%s to %s %s", weft_unit_names[producer],
                       weft_unit_names[consumer], names[bin % TOKENS]);
    }
}

const struct group_form form_semaphore = {"semaphore", false, semaphore_bins, semaphore_label};

static void cover_token(struct coverage *coverage, const struct timeline *line, unsigned producer,
                        unsigned consumer, size_t k) {
    size_t bin = ((size_t)producer * WEFT_UNITS + consumer) * TOKENS;
    const struct weft_trace_times *giver = &line->of[line->giver[producer][consumer][k]];
    const struct weft_trace_times *taker = &line->of[line->taker[producer][consumer][k]];
    size_t gone = 0;
    bool swap = false;
    for (size_t i = 0; i < line->taken[producer][consumer]; i++) {
        uint64_t cycle = line->of[line->taker[producer][consumer][i]].started;
        gone += cycle <= giver->finished;
        swap |= cycle == giver->finished;
    }
    size_t held = k + 1 - gone;
    const bool is[TOKENS] = {
        [TOKENS_ONE] = held == 1,
        [TOKENS_TWO] = held == 2,
        [TOKENS_ALMOST] = held + 1 == line->config->semaphore_max,
        [TOKENS_FULL] = held == line->config->semaphore_max,
        [TOKENS_AT_ONCE] = taker->started == giver->finished + 1,
        [TOKENS_SWAP] = swap,
        [TOKENS_EARLY] = taker->dispatched < giver->dispatched,
    };
    for (unsigned i = 0; i < TOKENS; i++) {
        if (is[i]) {
            hit(coverage, GROUP_SEMAPHORE, bin + i);
        }
    }
}

/* ---- all of it ---- */

void cover_times(struct coverage *coverage, const struct cosim_case *test,
                 const struct weft_trace *trace) {
    static struct timeline line;
    if (test->program.count > PLAN_MOST || trace->result.fault != WEFT_FAULT_NONE) {
        return;
    }
    timeline_fill(&line, test, trace);
    cover_pairs(coverage, &line);
    cover_accumulators(coverage, &line);
    cover_together(coverage, &line);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        for (size_t i = 0; i < line.count[unit]; i++) {
            cover_stall(coverage, &line, unit, i);
        }
        for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
            for (size_t k = 0; k < line.given[unit][consumer]; k++) {
                cover_token(coverage, &line, unit, consumer, k);
            }
        }
    }
}
