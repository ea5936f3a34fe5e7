/* What an event waited for: docs/timing.md, constraint by constraint. Of several the one that held
 * it longest is its cause. */
#include "base/integer.h"
#include "isa/claims.h"
#include "sim/timing/duration.h"
#include "sim/trace/history.h"

/* The latest constraint so far. */
struct search {
    const struct weft_history *history;
    struct weft_cause best;
};

static uint64_t cycle_of(const struct weft_history *history, enum weft_event_kind kind,
                         uint32_t number) {
    const struct weft_trace_times *times = &history->trace->times[number];
    const struct weft_instruction_history *of = &history->of[number];
    switch (kind) {
    case WEFT_EVENT_BEGIN:
        return 0;
    case WEFT_EVENT_REQUESTED:
        return history->fetches[of->burst].accepted;
    case WEFT_EVENT_ARRIVED:
        return of->arrived;
    case WEFT_EVENT_TAKEN:
        return of->taken;
    case WEFT_EVENT_DISPATCHED:
        return times->dispatched;
    case WEFT_EVENT_STARTED:
        return times->started;
    case WEFT_EVENT_STREAMED:
        return of->stream_end;
    case WEFT_EVENT_ISSUED:
        return of->issued;
    case WEFT_EVENT_FINISHED:
        return times->finished;
    }
    return 0;
}

static void after_event(struct search *search, struct weft_event event, uint64_t delay) {
    bool later = event.cycle + delay > search->best.event.cycle + search->best.delay;
    if (later) {
        search->best = (struct weft_cause){event, delay};
    }
}

static void after(struct search *search, enum weft_event_kind kind, uint32_t number,
                  uint64_t delay) {
    const struct weft_event event = {kind, number, cycle_of(search->history, kind, number)};
    after_event(search, event, delay);
}

/* ---- fetch and dispatch ---- */

/* The instruction that made room in the buffer for the burst when dispatch took it. */
static void after_room(struct search *search, const struct weft_history_fetch *fetch) {
    uint32_t end = fetch->number + fetch->count;
    uint32_t buffer = search->history->trace->config.fetch_buffer;
    if (end > buffer) {
        after(search, WEFT_EVENT_TAKEN, end - buffer - 1, 1);
    }
}

static void cause_of_request(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    uint32_t index = history->of[number].burst;
    uint32_t most = history->trace->config.fetch_bursts;
    after_room(search, &history->fetches[index]);
    if (index >= most) {
        const struct weft_history_fetch *oldest = &history->fetches[index - most];
        after(search, WEFT_EVENT_ARRIVED, oldest->number + oldest->count - 1, 0);
    }
    if (index > 0) {
        after(search, WEFT_EVENT_REQUESTED, history->fetches[index - 1].number, 1);
    } else {
        after(search, WEFT_EVENT_BEGIN, number, 1);
    }
}

/* FENCE and HALT wait for everything before them. */
static void after_all(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        uint32_t low = 0;
        uint32_t high = history->order_count[unit];
        while (low < high) { /* the first instruction of the unit behind it */
            uint32_t middle = low + (high - low) / 2;
            if (history->order[unit][middle] < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0) {
            after(search, WEFT_EVENT_FINISHED, history->order[unit][low - 1], 1);
        }
    }
}

static void cause_of_dispatch(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    const struct weft_trace *trace = history->trace;
    enum weft_unit unit = weft_format_of(trace->program.instructions[number].opcode)->unit;
    uint32_t place = history->of[number].place;
    if (unit == WEFT_UNITS) {
        after_all(search, number);
    } else if (place >= trace->config.queue_depth) {
        after(search, WEFT_EVENT_STARTED, history->order[unit][place - trace->config.queue_depth],
              1);
    }
    after(search, WEFT_EVENT_TAKEN, number, WEFT_CHECK + 1);
}

static void cause_of_taking(struct search *search, uint32_t number) {
    after(search, WEFT_EVENT_ARRIVED, number, 0);
    if (number > 0) {
        after(search, WEFT_EVENT_DISPATCHED, number - 1, 1);
    }
}

/* ---- start ---- */

/* Does it wait for this LOAD in flight: a FILL for one that shares a RAM of ACT, a LOAD to WGT for
 * one that decodes? */
static bool waits_for_load(const struct weft_config *config,
                           const struct weft_instruction *instruction,
                           const struct weft_instruction *other) {
    if (instruction->opcode == WEFT_OPCODE_FILL) {
        uint32_t rams = weft_act_neighbours(config, instruction->banks[WEFT_MEMORY_ACT]);
        return (other->banks[WEFT_MEMORY_ACT] & rams) != 0;
    }
    return instruction->load.memory == WEFT_TARGET_WGT && !weft_load_is_coded(&instruction->load) &&
           weft_load_is_coded(&other->load);
}

static void after_loads(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    const struct weft_instruction *instructions = history->trace->program.instructions;
    const uint32_t *order = history->order[WEFT_UNIT_LOAD];
    uint32_t place = history->of[number].place;
    for (uint32_t i = place; i > 0 && place - i < history->trace->config.load_instructions; i--) {
        const struct weft_instruction *other = &instructions[order[i - 1]];
        if (other->opcode == WEFT_OPCODE_LOAD &&
            waits_for_load(&history->trace->config, &instructions[number], other)) {
            after(search, WEFT_EVENT_FINISHED, order[i - 1], 1);
            return;
        }
    }
}

static uint32_t most_in_flight(const struct weft_config *config, enum weft_unit unit) {
    switch (unit) {
    case WEFT_UNIT_LOAD:
        return config->load_instructions;
    case WEFT_UNIT_MATRIX:
        return config->matrix_instructions;
    case WEFT_UNIT_STORE:
        return config->store_instructions;
    default:
        return 1;
    }
}

/* The unit must be ready for it. */
static void after_unit(struct search *search, uint32_t number, enum weft_unit unit) {
    const struct weft_history *history = search->history;
    uint32_t place = history->of[number].place;
    uint32_t flights = most_in_flight(&history->trace->config, unit);
    if (place == 0) {
        return;
    }
    uint32_t before = history->order[unit][place - 1];
    const struct weft_instruction_history *of = &history->of[before];
    if (unit == WEFT_UNIT_MATRIX) {
        const struct weft_event last_pass = {WEFT_EVENT_STREAMED, before,
                                             of->stream_end + 1 - of->pass};
        after_event(search, last_pass, 0);
    } else if (unit != WEFT_UNIT_VECTOR) {
        after(search, WEFT_EVENT_ISSUED, before, 1);
    }
    if (place >= flights) {
        after(search, WEFT_EVENT_FINISHED, history->order[unit][place - flights], 1);
    }
}

static void cause_of_start(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    uint32_t opcode = history->trace->program.instructions[number].opcode;
    enum weft_unit unit = weft_format_of(opcode)->unit;
    uint32_t place = history->of[number].place;
    after_unit(search, number, unit);
    if (unit == WEFT_UNIT_LOAD) {
        after_loads(search, number);
    }
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if (history->of[number].tokens[producer] != WEFT_NOBODY) {
            after(search, WEFT_EVENT_FINISHED, history->of[number].tokens[producer], 1);
        }
    }
    if (place > 0) {
        after(search, WEFT_EVENT_STARTED, history->order[unit][place - 1], 1);
    }
    after(search, WEFT_EVENT_DISPATCHED, number, 1);
}

/* ---- from the start to the finish ---- */

/* The last MATRIX before this one that shares an ACC bank. */
static void after_accumulators(struct search *search, uint32_t number, uint64_t delay) {
    const struct weft_history *history = search->history;
    const struct weft_instruction *instructions = history->trace->program.instructions;
    const uint32_t *order = history->order[WEFT_UNIT_MATRIX];
    uint32_t banks = instructions[number].banks[WEFT_MEMORY_ACC];
    uint32_t place = history->of[number].place;
    for (uint32_t i = place; i > 0 && place - i < history->trace->config.matrix_instructions; i--) {
        if ((instructions[order[i - 1]].banks[WEFT_MEMORY_ACC] & banks) != 0) {
            after(search, WEFT_EVENT_FINISHED, order[i - 1], delay);
            return;
        }
    }
}

/* `cycle` of a stream: all of it follows from its first one. */
static void cause_of_stream(struct search *search, uint32_t number, uint64_t cycle) {
    const struct weft_history *history = search->history;
    const struct weft_instruction_history *of = &history->of[number];
    uint64_t since = cycle - of->stream;
    if (of->place > 0) {
        after(search, WEFT_EVENT_STREAMED, history->order[WEFT_UNIT_MATRIX][of->place - 1],
              since + 1);
    }
    after_accumulators(search, number, since + 1);
    after(search, WEFT_EVENT_STARTED, number, history->trace->config.block / 2 + since);
}

static void cause_of_finish(struct search *search, uint32_t number) {
    const struct weft_history *history = search->history;
    const struct weft_instruction *instruction = &history->trace->program.instructions[number];
    const struct weft_instruction_history *of = &history->of[number];
    struct weft_vector_duration duration;
    switch (instruction->opcode) {
    case WEFT_OPCODE_MATRIX:
        after(search, WEFT_EVENT_STREAMED, number, WEFT_MATRIX_DRAIN);
        return;
    case WEFT_OPCODE_VECTOR:
        duration = weft_vector_duration(&history->trace->config, &instruction->vector);
        after(search, WEFT_EVENT_STARTED, number, duration.slots + duration.drain);
        return;
    case WEFT_OPCODE_STORE:
        after(search, WEFT_EVENT_ISSUED, number, of->drained + WEFT_STORE_DRAIN - of->issued);
        return;
    case WEFT_OPCODE_LOAD:
        after(search, WEFT_EVENT_ISSUED, number,
              of->drained + weft_load_write(&instruction->load) - of->issued);
        break;
    default:
        after(search, WEFT_EVENT_ISSUED, number, 0);
        break;
    }
    if (of->place > 0) {
        after(search, WEFT_EVENT_FINISHED, history->order[WEFT_UNIT_LOAD][of->place - 1], 1);
    }
}

struct weft_cause weft_history_cause(const struct weft_history *history, struct weft_event event) {
    struct search search = {.history = history};
    uint32_t number = event.number;
    switch (event.kind) {
    case WEFT_EVENT_REQUESTED:
        cause_of_request(&search, number);
        break;
    case WEFT_EVENT_ARRIVED:
        after(&search, WEFT_EVENT_REQUESTED, number,
              event.cycle - cycle_of(history, WEFT_EVENT_REQUESTED, number));
        break;
    case WEFT_EVENT_TAKEN:
        cause_of_taking(&search, number);
        break;
    case WEFT_EVENT_DISPATCHED:
        cause_of_dispatch(&search, number);
        break;
    case WEFT_EVENT_STARTED:
        cause_of_start(&search, number);
        break;
    case WEFT_EVENT_STREAMED:
        cause_of_stream(&search, number, event.cycle);
        break;
    case WEFT_EVENT_ISSUED:
        after(&search, WEFT_EVENT_STARTED, number,
              event.cycle - cycle_of(history, WEFT_EVENT_STARTED, number));
        break;
    case WEFT_EVENT_FINISHED:
        cause_of_finish(&search, number);
        break;
    case WEFT_EVENT_BEGIN:
        break;
    }
    return search.best;
}
