/* The facts of a history: when instructions arrived, issued, streamed, and whose tokens they took.
 */
#include "sim/trace/history.h"

#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "sim/timing/duration.h"

static enum weft_unit unit_of(const struct weft_trace *trace, uint32_t number) {
    return weft_format_of(trace->program.instructions[number].opcode)->unit;
}

/* ---- making room ---- */

static uint32_t passed_instructions(const struct weft_trace *trace) {
    uint32_t count = 0;
    while (count < trace->program.count && trace->times[count].dispatched != 0) {
        count++;
    }
    return count;
}

static bool make_room(struct weft_history *history, struct weft_error *error) {
    uint32_t fetches = 0;
    for (size_t i = 0; i < history->trace->burst_count; i++) {
        fetches += history->trace->bursts[i].master == WEFT_MASTER_FETCH;
    }
    history->of = weft_allocate(history->count, sizeof *history->of, "a history", error);
    history->fetches = weft_allocate(fetches, sizeof *history->fetches, "a history", error);
    bool good = history->of != NULL && history->fetches != NULL;
    for (unsigned unit = 0; good && unit < WEFT_UNITS; unit++) {
        history->order[unit] =
            weft_allocate(history->count, sizeof *history->order[unit], "a history", error);
        good = history->order[unit] != NULL;
    }
    return good;
}

/* ---- bursts ---- */

static void note_fetch(struct weft_history *history, const struct weft_trace_burst *burst) {
    const struct weft_trace *trace = history->trace;
    uint64_t beats = WEFT_INSTRUCTION_BYTES / trace->config.memory_width;
    uint32_t index = history->fetch_count++;
    uint32_t count = burst->bytes / WEFT_INSTRUCTION_BYTES;
    history->fetches[index] =
        (struct weft_history_fetch){burst->accepted, burst->first, burst->number, count};
    for (uint32_t k = 0; k < count && burst->number + k < history->count; k++) {
        struct weft_instruction_history *of = &history->of[burst->number + k];
        of->burst = index;
        of->arrived = burst->first + ((k + 1) * beats - 1) * weft_trace_interval(trace) + 1;
    }
}

static void note_bursts(struct weft_history *history) {
    for (size_t i = 0; i < history->trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &history->trace->bursts[i];
        if (burst->master == WEFT_MASTER_FETCH) {
            note_fetch(history, burst);
        } else {
            history->of[burst->number].issued = burst->accepted;
            history->of[burst->number].drained = weft_trace_burst_end(history->trace, burst) -
                                                 weft_trace_interval(history->trace) + 1;
        }
    }
}

/* ---- units ---- */

/* One past the latest finish among the `flights` instructions before that share an ACC bank and had
 * not finished when this one started; 0: none. */
static uint64_t accumulators_free(const struct weft_history *history, uint32_t number) {
    const struct weft_trace *trace = history->trace;
    const uint32_t *order = history->order[WEFT_UNIT_MATRIX];
    uint32_t banks = trace->program.instructions[number].banks[WEFT_MEMORY_ACC];
    uint32_t place = history->of[number].place;
    for (uint32_t i = place; i > 0 && place - i < trace->config.matrix_instructions; i--) {
        uint32_t other = order[i - 1];
        if ((trace->program.instructions[other].banks[WEFT_MEMORY_ACC] & banks) != 0) {
            uint64_t finish = trace->times[other].finished;
            return finish >= trace->times[number].started ? finish + 1 : 0;
        }
    }
    return 0;
}

static void note_stream(struct weft_history *history, uint32_t number) {
    const struct weft_trace *trace = history->trace;
    struct weft_instruction_history *of = &history->of[number];
    struct weft_matrix_duration duration =
        weft_matrix_duration(&trace->config, &trace->program.instructions[number].matrix);
    uint64_t stream = trace->times[number].started + duration.weight_tile;
    if (of->place > 0) {
        uint32_t before = history->order[WEFT_UNIT_MATRIX][of->place - 1];
        stream = weft_max_u64(stream, history->of[before].stream_end + 1);
    }
    of->stream = weft_max_u64(stream, accumulators_free(history, number));
    of->stream_end = of->stream + duration.stream - 1;
    of->pass = duration.pass;
}

static void note_units(struct weft_history *history) {
    const struct weft_trace *trace = history->trace;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct weft_instruction *instruction = &trace->program.instructions[i];
        struct weft_instruction_history *of = &history->of[i];
        enum weft_unit unit = unit_of(trace, i);
        of->taken =
            i == 0 ? of->arrived : weft_max_u64(of->arrived, trace->times[i - 1].dispatched + 1);
        if (unit == WEFT_UNITS) {
            continue;
        }
        of->place = history->order_count[unit]++;
        history->order[unit][of->place] = i;
        if (instruction->opcode == WEFT_OPCODE_MATRIX) {
            note_stream(history, i);
        } else if (instruction->opcode == WEFT_OPCODE_FILL) {
            of->issued =
                trace->times[i].started + weft_fill_lines(&trace->config, &instruction->fill);
        }
    }
}

/* ---- tokens ---- */

/* The instructions of `consumer` that wait for `producer` take its tokens in the order in which it
 * gives them: units finish, and start, in order. */
static void note_tokens(struct weft_history *history, unsigned producer, unsigned consumer) {
    const struct weft_instruction *instructions = history->trace->program.instructions;
    uint32_t from = 0;
    for (uint32_t i = 0; i < history->order_count[consumer]; i++) {
        uint32_t number = history->order[consumer][i];
        uint32_t *token = &history->of[number].tokens[producer];
        *token = WEFT_NOBODY;
        if ((instructions[number].wait >> producer & 1) == 0) {
            continue;
        }
        while (from < history->order_count[producer]) {
            uint32_t giver = history->order[producer][from++];
            if ((instructions[giver].signal >> consumer & 1) != 0) {
                *token = giver;
                break;
            }
        }
    }
}

bool weft_history_make(const struct weft_trace *trace, struct weft_history *history,
                       struct weft_error *error) {
    struct weft_history made = {.trace = trace, .count = passed_instructions(trace)};
    if (trace->result.fault != WEFT_FAULT_NONE) {
        return weft_fail(error, WEFT_STATE, trace->result.fault_instruction,
                         "the run ended with a fault at instruction %u: there is no history of it",
                         trace->result.fault_instruction);
    }
    if (!make_room(&made, error)) {
        weft_history_free(&made);
        return false;
    }
    note_bursts(&made);
    note_units(&made);
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
            note_tokens(&made, producer, consumer);
        }
    }
    *history = made;
    return true;
}

void weft_history_free(struct weft_history *history) {
    free(history->of);
    free(history->fetches);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        free(history->order[unit]);
    }
    *history = (struct weft_history){0};
}
