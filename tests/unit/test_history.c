/* sim/trace/history.h on random programs: every event happens as soon as what it waited for allows,
 * and the critical path has every cycle of a run once. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace/history.h"
#include "tests/cosim/random_fault.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/trace.h"
#include "tests/unit/helpers.h"

enum {
    PROGRAMS = 60
};

static struct weft_error error;

/* Calls a check with the histories of many programs, each with a memory of its own, on every
 * configuration. */
static void with_histories(void (*check)(const struct weft_history *history)) {
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (uint64_t k = 1; k <= PROGRAMS; k++) {
            struct cosim_case test;
            struct weft_trace trace;
            struct weft_history history;
            ASSERT_GOOD(random_program(&config, random_seed(77, k), 0, &test, &error), error);
            ASSERT_GOOD(trace_record(&test, &trace, &error), error);
            assert_int_equal(trace.result.fault, WEFT_FAULT_NONE);
            ASSERT_GOOD(weft_history_make(&trace, &history, &error), error);
            check(&history);
            weft_history_free(&history);
            weft_trace_free(&trace);
            case_free(&test);
        }
    }
}

/* ---- causes ---- */

static unsigned seen[WEFT_EVENT_FINISHED + 1][WEFT_EVENT_FINISHED + 1]; /* [event][cause] */

static void check_event(const struct weft_history *history, enum weft_event_kind kind,
                        uint32_t number, uint64_t cycle) {
    const struct weft_event event = {kind, number, cycle};
    struct weft_cause cause = weft_history_cause(history, event);
    if (cause.event.cycle + cause.delay != cycle) {
        fail_msg("event %d of instruction %u in cycle %llu: event %d of %u in %llu allows it in "
                 "%llu",
                 (int)kind, number, (unsigned long long)cycle, (int)cause.event.kind,
                 cause.event.number, (unsigned long long)cause.event.cycle,
                 (unsigned long long)(cause.event.cycle + cause.delay));
    }
    seen[kind][cause.event.kind]++;
}

static void check_events(const struct weft_history *history) {
    for (uint32_t i = 0; i < history->count; i++) {
        const struct weft_trace_times *times = &history->trace->times[i];
        const struct weft_instruction_history *of = &history->of[i];
        check_event(history, WEFT_EVENT_REQUESTED, i, history->fetches[of->burst].accepted);
        check_event(history, WEFT_EVENT_ARRIVED, i, of->arrived);
        check_event(history, WEFT_EVENT_TAKEN, i, of->taken);
        check_event(history, WEFT_EVENT_DISPATCHED, i, times->dispatched);
        if (times->started == 0) {
            continue;
        }
        check_event(history, WEFT_EVENT_STARTED, i, times->started);
        check_event(history, WEFT_EVENT_FINISHED, i, times->finished);
        if (of->stream != 0) {
            check_event(history, WEFT_EVENT_STREAMED, i, of->stream);
            check_event(history, WEFT_EVENT_STREAMED, i, of->stream_end);
        }
        if (of->issued != 0) {
            check_event(history, WEFT_EVENT_ISSUED, i, of->issued);
        }
    }
}

static void events_wait_for_their_causes(void **state) {
    (void)state;
    memset(seen, 0, sizeof seen);
    with_histories(check_events);
    /* The programs have every kind of cause in them. */
    assert_true(seen[WEFT_EVENT_REQUESTED][WEFT_EVENT_TAKEN] > 0);
    assert_true(seen[WEFT_EVENT_TAKEN][WEFT_EVENT_ARRIVED] > 0);
    assert_true(seen[WEFT_EVENT_TAKEN][WEFT_EVENT_DISPATCHED] > 0);
    assert_true(seen[WEFT_EVENT_DISPATCHED][WEFT_EVENT_TAKEN] > 0);
    assert_true(seen[WEFT_EVENT_DISPATCHED][WEFT_EVENT_STARTED] > 0);
    assert_true(seen[WEFT_EVENT_DISPATCHED][WEFT_EVENT_FINISHED] > 0);
    assert_true(seen[WEFT_EVENT_STARTED][WEFT_EVENT_DISPATCHED] > 0);
    assert_true(seen[WEFT_EVENT_STARTED][WEFT_EVENT_STREAMED] > 0);
    assert_true(seen[WEFT_EVENT_STARTED][WEFT_EVENT_ISSUED] > 0);
    assert_true(seen[WEFT_EVENT_STARTED][WEFT_EVENT_FINISHED] > 0);
    assert_true(seen[WEFT_EVENT_STREAMED][WEFT_EVENT_STREAMED] > 0);
    assert_true(seen[WEFT_EVENT_STREAMED][WEFT_EVENT_STARTED] > 0);
    assert_true(seen[WEFT_EVENT_STREAMED][WEFT_EVENT_FINISHED] > 0);
    assert_true(seen[WEFT_EVENT_FINISHED][WEFT_EVENT_FINISHED] > 0);
}

/* Tokens come from an instruction that signals, no sooner than it finishes. */
static void check_tokens(const struct weft_history *history) {
    const struct weft_trace *trace = history->trace;
    for (uint32_t i = 0; i < history->count; i++) {
        const struct weft_instruction *instruction = &trace->program.instructions[i];
        const struct weft_format *format = weft_format_of(instruction->opcode);
        for (unsigned producer = 0; format->unit != WEFT_UNITS && producer < WEFT_UNITS;
             producer++) {
            uint32_t giver = history->of[i].tokens[producer];
            bool waits = (instruction->wait >> producer & 1) != 0;
            assert_int_equal(waits, giver != WEFT_NOBODY);
            if (waits) {
                const struct weft_instruction *gives = &trace->program.instructions[giver];
                assert_int_equal(weft_format_of(gives->opcode)->unit, producer);
                assert_true((gives->signal >> format->unit & 1) != 0);
                assert_true(trace->times[giver].finished < trace->times[i].started);
            }
        }
    }
}

static void tokens_have_givers(void **state) {
    (void)state;
    with_histories(check_tokens);
}

/* ---- the path ---- */

static unsigned kinds[WEFT_PATH_KINDS];

static void check_path(const struct weft_history *history) {
    struct weft_path_piece *pieces = NULL;
    size_t count = 0;
    uint64_t sum = 0;
    ASSERT_GOOD(weft_history_path(history, &pieces, &count, &error), error);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const struct weft_path_piece *piece = &pieces[i];
        const struct weft_instruction_history *of = &history->of[piece->number];
        assert_int_equal(piece->first, sum + 1);
        assert_true(piece->first <= piece->last);
        sum = piece->last;
        kinds[piece->kind]++;
        if (piece->kind == WEFT_PATH_STREAM) {
            assert_in_range(piece->first, of->stream, of->stream_end);
            assert_in_range(piece->last, of->stream, of->stream_end);
        } else if (piece->kind == WEFT_PATH_SLOTS || piece->kind == WEFT_PATH_LOAD ||
                   piece->kind == WEFT_PATH_STORE || piece->kind == WEFT_PATH_FILL) {
            const struct weft_trace_times *times = &history->trace->times[piece->number];
            assert_in_range(piece->first, times->started, times->finished);
            assert_in_range(piece->last, times->started, times->finished);
        }
    }
    assert_int_equal(sum, history->trace->result.counters.cycles);
    free(pieces);
}

static void the_path_has_every_cycle_once(void **state) {
    (void)state;
    memset(kinds, 0, sizeof kinds);
    with_histories(check_path);
    for (unsigned i = 0; i < WEFT_PATH_KINDS; i++) {
        if (kinds[i] == 0) {
            fail_msg("no path has a piece of kind %s", weft_path_names[i]);
        }
    }
}

/* A LOAD, a MATRIX that waits for it, HALT: fetch, dispatch, load, stream, one after the other. */
static void the_path_of_a_small_program(void **state) {
    (void)state;
    static const char source[] =
        "load signal=matrix wgt_banks=0 memory=wgt region=1 run=1024\n"
        "matrix wait=load act_banks=0 wgt_banks=0 acc_banks=0 tile_count=1,1,1,4 "
        "pixel_count=8,8 pixel_act_stride=128,16 pixel_acc_stride=8,1\n"
        "halt\n";
    static const struct {
        uint32_t number;
        enum weft_path_kind kind;
    } expected[] = {
        {0, WEFT_PATH_FETCH},   {0, WEFT_PATH_DISPATCH}, {0, WEFT_PATH_LATENCY},
        {0, WEFT_PATH_LOAD},    {1, WEFT_PATH_LATENCY},  {1, WEFT_PATH_STREAM},
        {1, WEFT_PATH_LATENCY}, {2, WEFT_PATH_DISPATCH},
    };
    struct weft_config config = config_of("ref16");
    struct weft_program program = {0};
    struct weft_timing_settings settings = {.regions.limit = {1 << 20, 1 << 20}};
    struct weft_trace trace;
    struct weft_history history;
    struct weft_path_piece *pieces = NULL;
    size_t count = 0;
    ASSERT_GOOD(weft_assemble(source, strlen(source), &program, &error), error);
    ASSERT_GOOD(weft_trace_record(&config, program.instructions, program.count, &settings, NULL,
                                  &trace, &error),
                error);
    ASSERT_GOOD(weft_history_make(&trace, &history, &error), error);
    ASSERT_GOOD(weft_history_path(&history, &pieces, &count, &error), error);
    assert_int_equal(count, LENGTH(expected));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pieces[i].number, expected[i].number);
        assert_int_equal(pieces[i].kind, expected[i].kind);
    }
    /* 1024 bytes are 4 bursts of 32 beats, accepted one a cycle: latency, beats, write. */
    assert_int_equal(pieces[3].last - pieces[3].first + 1, 1 + 100 + 128 - 1 + 1);
    assert_int_equal(pieces[5].last - pieces[5].first + 1, 4 * 64);
    free(pieces);
    weft_history_free(&history);
    weft_trace_free(&trace);
    weft_program_free(&program);
}

static void runs_that_fault_have_no_history(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct cosim_case test;
    struct weft_trace trace;
    struct weft_history history;
    ASSERT_GOOD(random_fault(&config, random_seed(31, 2), &test, &error), error);
    ASSERT_GOOD(trace_record(&test, &trace, &error), error);
    assert_int_not_equal(trace.result.fault, WEFT_FAULT_NONE);
    ASSERT_FAILS(weft_history_make(&trace, &history, &error), error, WEFT_STATE);
    weft_trace_free(&trace);
    case_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_wait_for_their_causes),
        cmocka_unit_test(tokens_have_givers),
        cmocka_unit_test(the_path_has_every_cycle_once),
        cmocka_unit_test(the_path_of_a_small_program),
        cmocka_unit_test(runs_that_fault_have_no_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
