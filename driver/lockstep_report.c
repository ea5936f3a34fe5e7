/* What a lockstep report says. */
#include "driver/lockstep_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "isa/footprint.h"

const char *const weft_divergence_names[WEFT_DIVERGENCES] = {
    [WEFT_SAME] = "same",
    [WEFT_DIVERGENCE_BURST] = "burst",
    [WEFT_DIVERGENCE_DISPATCHED] = "dispatched",
    [WEFT_DIVERGENCE_STARTED] = "started",
    [WEFT_DIVERGENCE_FINISHED] = "finished",
    [WEFT_DIVERGENCE_END] = "end",
    [WEFT_DIVERGENCE_RTL] = "rtl",
    [WEFT_DIVERGENCE_COUNTER] = "counter",
    [WEFT_DIVERGENCE_MEMORY] = "memory",
    [WEFT_DIVERGENCE_REGION] = "region",
};

static const char *const sides[2] = {"the cycle simulator", "the RTL"};

enum {
    AROUND = 3, /* instructions shown before and after the one a report is about */
    WINDOW = 2 * AROUND + 1,
    KINDS = 3, /* dispatched, started, finished */
    SHOWN = 8, /* bytes that differ */
};

/* ---- the instructions around ---- */

/* Cycles of what an instruction did on each side; UINT64_MAX: it did not. */
struct times {
    uint64_t at[KINDS][2];
};

static void fill_times(const struct events *events, unsigned side, uint32_t low, uint32_t high,
                       struct times *times) {
    for (size_t i = 0; i < events->count; i++) {
        const struct event *event = &events->list[i];
        unsigned kind = event->kind - WEFT_DIVERGENCE_DISPATCHED;
        bool about = event->kind >= WEFT_DIVERGENCE_DISPATCHED &&
                     event->kind <= WEFT_DIVERGENCE_FINISHED && event->number >= low &&
                     event->number < high;
        if (about && times[event->number - low].at[kind][side] == UINT64_MAX) {
            times[event->number - low].at[kind][side] = event->cycle;
        }
    }
}

static void add_cycle(char *text, size_t size, uint64_t cycle) {
    if (cycle == UINT64_MAX) {
        (void)snprintf(text, size, "-");
    } else {
        (void)snprintf(text, size, "%" PRIu64, cycle);
    }
}

/* One cycle when both sides agree, else "CYCLE/RTL". */
static void add_times(struct weft_text *text, const uint64_t at[2]) {
    char sides_text[2][24];
    char both[52];
    add_cycle(sides_text[0], sizeof sides_text[0], at[0]);
    add_cycle(sides_text[1], sizeof sides_text[1], at[1]);
    (void)snprintf(both, sizeof both, "%s/%s", sides_text[0], sides_text[1]);
    weft_text_add(text, " %-19s", at[0] == at[1] ? sides_text[0] : both);
}

/* A table of the instructions around `center`: its cycles on both sides, and what they are. */
static void add_window(const struct comparison *comparison, uint32_t center) {
    struct weft_text *text = &comparison->report->text;
    struct times times[WINDOW];
    uint32_t low = center < AROUND ? 0 : center - AROUND;
    uint32_t high = (uint32_t)weft_min((int64_t)comparison->count, (int64_t)center + AROUND + 1);
    for (unsigned i = 0; i < WINDOW * KINDS * 2; i++) {
        times[i / (KINDS * 2)].at[i / 2 % KINDS][i % 2] = UINT64_MAX;
    }
    if (low >= high) {
        return;
    }
    fill_times(comparison->expected, 0, low, high, times);
    fill_times(comparison->found, 1, low, high, times);
    weft_text_add(text, "  %8s %-19s %-19s %-19s (cycle simulator/RTL where they differ)\n",
                  "number", "dispatched", "started", "finished");
    for (uint32_t number = low; number < high; number++) {
        weft_text_add(text, "%c %8" PRIu32, number == center ? '>' : ' ', number);
        for (unsigned kind = 0; kind < KINDS; kind++) {
            add_times(text, times[number - low].at[kind]);
        }
        weft_text_add(text, " ");
        if (weft_format_of(comparison->instructions[number].opcode) == NULL) {
            weft_text_add(text, "illegal");
        } else {
            weft_disassemble(&comparison->instructions[number], text);
        }
        weft_text_add(text, "\n");
    }
}

static void begin(const struct comparison *comparison, enum weft_divergence divergence,
                  uint64_t cycle, uint32_t instruction) {
    struct weft_lockstep_report *report = comparison->report;
    report->divergence = divergence;
    report->cycle = cycle;
    report->instruction = instruction;
}

/* The window, and how the RTL broke its contract later. */
static void end(const struct comparison *comparison) {
    struct weft_lockstep_report *report = comparison->report;
    if (comparison->broken != NULL && report->divergence != WEFT_DIVERGENCE_RTL) {
        weft_text_add(&report->text, "the RTL then stopped: %s\n", comparison->broken);
    }
    if (report->instruction != UINT32_MAX) {
        add_window(comparison, report->instruction);
    }
}

/* ---- events ---- */

/* The last event of a kind before or in `cycle`, about instructions of `opcode` (0: of any). */
static uint32_t last_before(const struct comparison *comparison, enum weft_divergence kind,
                            uint64_t cycle, uint32_t opcode) {
    uint32_t number = UINT32_MAX;
    for (size_t i = 0; i < comparison->expected->count; i++) {
        const struct event *event = &comparison->expected->list[i];
        if (event->cycle <= cycle && event->kind == kind && event->number < comparison->count &&
            (opcode == 0 || comparison->instructions[event->number].opcode == opcode)) {
            number = event->number;
        }
    }
    return number;
}

/* The instruction that a burst belongs to, as far as the cycle simulator knows. */
static uint32_t instruction_of_burst(const struct comparison *comparison,
                                     const struct event *burst) {
    switch (burst->master) {
    case WEFT_MASTER_LOAD:
        return last_before(comparison, WEFT_DIVERGENCE_STARTED, burst->cycle, WEFT_OPCODE_LOAD);
    case WEFT_MASTER_STORE:
        return last_before(comparison, WEFT_DIVERGENCE_STARTED, burst->cycle, WEFT_OPCODE_STORE);
    default:
        return last_before(comparison, WEFT_DIVERGENCE_DISPATCHED, burst->cycle, 0);
    }
}

static void add_event(struct weft_text *text, const struct event *event) {
    static const char *const masters[WEFT_MASTERS] = {"fetch", "store", "load"};
    if (event->kind == WEFT_DIVERGENCE_BURST) {
        weft_text_add(text, "burst of %s, region %" PRIu64 " + 0x%" PRIx64 ", %" PRIu32 " bytes",
                      event->master < WEFT_MASTERS ? masters[event->master] : "no known master",
                      event->address >> REGION_SHIFT, event->address & weft_low_bits(REGION_SHIFT),
                      event->bytes);
    } else if (event->kind != WEFT_DIVERGENCE_END) {
        weft_text_add(text, "instruction %" PRIu32 " %s", event->number,
                      weft_divergence_names[event->kind]);
    } else if (event->address == WEFT_FAULT_NONE) {
        weft_text_add(text, "end without fault");
    } else {
        weft_text_add(text, "end with fault \"%s\" at instruction %" PRIu32,
                      event->address < WEFT_FAULTS ? weft_fault_names[event->address] : "unknown",
                      event->number);
    }
}

/* The event of the other side that should be this one: the next burst; the same thing about the
 * same instruction; the end. NULL when there is none. */
static const struct event *counterpart(const struct events *other, const struct event *event) {
    if (event->kind != WEFT_DIVERGENCE_BURST) {
        return events_find(other, event->kind, event->number);
    }
    for (size_t i = 0; i < other->count; i++) {
        const struct event *burst = &other->list[i];
        if (burst->kind == WEFT_DIVERGENCE_BURST && event_compare(burst, event) >= 0) {
            return burst;
        }
    }
    return NULL;
}

/* What the other side has in place of an event that it lacks. */
static void add_counterpart(struct weft_text *text, const struct event *event,
                            const struct event *other, const char *side) {
    if (other == NULL) {
        weft_text_add(text, "; never on %s\n", side);
    } else if (other->cycle == event->cycle && other->kind == event->kind &&
               other->number == event->number && event->kind != WEFT_DIVERGENCE_END &&
               event->kind != WEFT_DIVERGENCE_BURST) {
        weft_text_add(text, ", more than once; once on %s\n", side);
    } else if (event->kind == WEFT_DIVERGENCE_BURST || event->kind == WEFT_DIVERGENCE_END) {
        weft_text_add(text, "; on %s in cycle %" PRIu64 ": ", side, other->cycle);
        add_event(text, other);
        weft_text_add(text, "\n");
    } else {
        weft_text_add(text, "; on %s in cycle %" PRIu64 "\n", side, other->cycle);
    }
}

void report_events(const struct comparison *comparison, const struct event *expected,
                   const struct event *found) {
    struct weft_text *text = &comparison->report->text;
    bool rtl = expected == NULL || (found != NULL && event_compare(found, expected) < 0);
    const struct event *event = rtl ? found : expected;
    const struct event *other = counterpart(rtl ? comparison->expected : comparison->found, event);
    bool exists = event->kind == WEFT_DIVERGENCE_BURST || event->number < comparison->count;
    uint32_t about = event->kind == WEFT_DIVERGENCE_BURST ? instruction_of_burst(comparison, event)
                     : exists                             ? event->number
                                                          : UINT32_MAX;
    begin(comparison, event->kind, event->cycle, about);
    weft_text_add(text, "cycle %" PRIu64 ": ", event->cycle);
    add_event(text, event);
    weft_text_add(text, "%s on %s", exists ? "" : " (there is none)", sides[rtl ? 1 : 0]);
    add_counterpart(text, event, other, sides[rtl ? 0 : 1]);
    end(comparison);
}

void report_broken(const struct comparison *comparison, uint64_t cycle) {
    begin(comparison, WEFT_DIVERGENCE_RTL, cycle,
          last_before(comparison, WEFT_DIVERGENCE_DISPATCHED, cycle, 0));
    weft_text_add(&comparison->report->text, "the RTL: %s\n", comparison->broken);
    end(comparison);
}

/* ---- what is there at the end ---- */

bool report_counters(const struct comparison *comparison) {
    struct weft_lockstep_report *report = comparison->report;
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        uint64_t expected = weft_counter_get(&report->expected.counters, i);
        uint64_t found = weft_counter_get(&report->found.counters, i);
        if (expected != found) {
            begin(comparison, WEFT_DIVERGENCE_COUNTER, report->expected.counters.cycles,
                  UINT32_MAX);
            weft_text_add(&report->text,
                          "counter %s: %" PRIu64 " on the cycle simulator, %" PRIu64
                          " on the RTL\n",
                          weft_counter_names[i], expected, found);
        }
    }
    return report->divergence == WEFT_SAME;
}

/* The last instruction to finish that writes a byte; UINT32_MAX: none. */
static uint32_t last_writer(const struct comparison *comparison, unsigned memory, unsigned region,
                            size_t offset) {
    struct weft_access byte = {
        .memory = memory, .region = region, .base = (int64_t)offset, .span = 1};
    uint32_t writer = UINT32_MAX;
    for (size_t i = 0; i < comparison->expected->count; i++) {
        const struct event *event = &comparison->expected->list[i];
        if (event->kind != WEFT_DIVERGENCE_FINISHED) {
            continue;
        }
        struct weft_footprint footprint =
            weft_footprint_of(comparison->config, &comparison->instructions[event->number]);
        for (unsigned k = 0; k < footprint.count; k++) {
            const struct weft_access *access = &footprint.access[k];
            if (access->write && access->memory == memory &&
                (memory != WEFT_EXTERNAL || access->region == region) &&
                weft_access_overlap(access, &byte, NULL)) {
                writer = event->number;
            }
        }
    }
    return writer;
}

static void add_bytes(struct weft_text *text, const uint8_t *expected, const uint8_t *found,
                      size_t first, size_t length) {
    size_t last = first + SHOWN < length ? first + SHOWN : length;
    for (unsigned side = 0; side < 2; side++) {
        weft_text_add(text, "    from there on %s:", sides[side]);
        for (size_t i = first; i < last; i++) {
            weft_text_add(text, " %02x", side == 0 ? expected[i] : found[i]);
        }
        weft_text_add(text, "\n");
    }
}

bool report_bytes(const struct comparison *comparison, unsigned memory, unsigned region,
                  const uint8_t *expected, const uint8_t *found, size_t length) {
    struct weft_lockstep_report *report = comparison->report;
    if (length == 0 || memcmp(expected, found, length) == 0) {
        return true;
    }
    size_t first = 0;
    size_t differ = 0;
    for (size_t i = 0; i < length; i++) {
        first = differ == 0 && expected[i] != found[i] ? i : first;
        differ += expected[i] != found[i];
    }
    uint32_t writer = last_writer(comparison, memory, region, first);
    begin(comparison, memory == WEFT_EXTERNAL ? WEFT_DIVERGENCE_REGION : WEFT_DIVERGENCE_MEMORY,
          report->expected.counters.cycles, writer);
    if (memory == WEFT_EXTERNAL) {
        weft_text_add(&report->text, "region %u", region);
    } else {
        weft_text_add(&report->text, "%s, bank %zu", weft_memory_names[memory],
                      first / weft_bank_bytes(comparison->config, (enum weft_memory)memory));
    }
    weft_text_add(&report->text, ": %zu bytes differ, first byte 0x%zx", differ, first);
    if (writer == UINT32_MAX) {
        weft_text_add(&report->text, ", which no instruction writes\n");
    } else {
        weft_text_add(&report->text, ", last written by instruction %" PRIu32 "\n", writer);
    }
    add_bytes(&report->text, expected, found, first, length);
    end(comparison);
    return false;
}
