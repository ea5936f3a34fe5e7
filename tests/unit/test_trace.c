/* sim/trace/trace.h on random programs: a trace accounts for every cycle and every byte. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "isa/footprint.h"
#include "sim/trace/trace.h"
#include "tests/cosim/random_fault.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/trace.h"
#include "tests/unit/helpers.h"

enum {
    PROGRAMS = 40
};

static struct weft_error error;

static struct weft_trace trace_of(const struct cosim_case *test) {
    struct weft_trace trace;
    ASSERT_GOOD(trace_record(test, &trace, &error), error);
    return trace;
}

/* Calls a check with the traces of many programs on every configuration, half of them faulting when
 * `faults` is set. */
static void with_traces(void (*check)(const struct weft_trace *trace), bool faults) {
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (uint64_t k = 1; k <= PROGRAMS; k++) {
            struct cosim_case test;
            uint64_t seed = random_seed(31, k);
            bool fault = faults && k % 2 == 0;
            ASSERT_GOOD(fault ? random_fault(&config, seed, &test, &error)
                              : random_program(&config, seed, 0, &test, &error),
                        error);
            struct weft_trace trace = trace_of(&test);
            check(&trace);
            weft_trace_free(&trace);
            case_free(&test);
        }
    }
}

/* ---- lanes ---- */

/* Counters that count something else than the cycles of a lane. */
static bool is_no_lane(unsigned counter) {
    static const unsigned others[] = {
        WEFT_COUNTER_INDEX_cycles,        WEFT_COUNTER_INDEX_instructions,
        WEFT_COUNTER_INDEX_fetch_bytes,   WEFT_COUNTER_INDEX_load_bytes,
        WEFT_COUNTER_INDEX_store_bytes,   WEFT_COUNTER_INDEX_fetch_beats,
        WEFT_COUNTER_INDEX_load_beats,    WEFT_COUNTER_INDEX_store_beats,
        WEFT_COUNTER_INDEX_matrix_stream, WEFT_COUNTER_INDEX_vector_slots,
        WEFT_COUNTER_INDEX_fill_lines,
    };
    bool found = false;
    for (size_t i = 0; i < LENGTH(others); i++) {
        found = found || others[i] == counter;
    }
    return found;
}

static void check_lanes(const struct weft_trace *trace) {
    uint64_t counted[WEFT_COUNTERS + 1] = {0};
    for (unsigned lane = 0; lane < WEFT_LANES; lane++) {
        uint64_t before[WEFT_COUNTERS + 1];
        uint64_t end = 0;
        memcpy(before, counted, sizeof before);
        for (size_t i = 0; i < trace->lanes[lane].count; i++) {
            struct weft_trace_span span = weft_trace_span_at(trace, (enum weft_lane)lane, i);
            assert_true(span.first <= span.last);
            assert_true(i == 0 || span.first == end + 1);
            assert_true(span.counter <= WEFT_COUNTERS);
            end = span.last;
            counted[span.counter] += span.last - span.first + 1;
        }
        assert_true(end <= trace->result.counters.cycles);
        uint64_t sum = 0;
        for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
            sum += counted[i] - before[i];
        }
        assert_true(lane >= WEFT_UNITS || sum == trace->result.counters.cycles);
    }
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if (!is_no_lane(i) && counted[i] != weft_counter_get(&trace->result.counters, i)) {
            fail_msg("%s: %llu traced, %llu counted", weft_counter_names[i],
                     (unsigned long long)counted[i],
                     (unsigned long long)weft_counter_get(&trace->result.counters, i));
        }
    }
}

static void lanes_add_up_to_the_counters(void **state) {
    (void)state;
    with_traces(check_lanes, true);
}

/* ---- instructions ---- */

/* Does a unit count as busy in every cycle from `first` to `last`? */
static bool is_busy(const struct weft_trace *trace, enum weft_unit unit, uint64_t first,
                    uint64_t last) {
    static const unsigned busy[WEFT_UNITS] = {
        [WEFT_UNIT_LOAD] = WEFT_COUNTER_INDEX_load_busy,
        [WEFT_UNIT_MATRIX] = WEFT_COUNTER_INDEX_matrix_busy,
        [WEFT_UNIT_VECTOR] = WEFT_COUNTER_INDEX_vector_busy,
        [WEFT_UNIT_STORE] = WEFT_COUNTER_INDEX_store_busy,
    };
    for (size_t i = 0; i < trace->lanes[unit].count; i++) {
        struct weft_trace_span span = weft_trace_span_at(trace, (enum weft_lane)unit, i);
        if (span.counter == busy[unit] && span.first <= first && last <= span.last) {
            return true;
        }
    }
    return false;
}

static void check_instructions(const struct weft_trace *trace) {
    uint64_t passed = 0;
    for (size_t i = 0; i < trace->program.count; i++) {
        const struct weft_trace_times *times = &trace->times[i];
        const struct weft_format *format = weft_format_of(trace->program.instructions[i].opcode);
        passed += times->dispatched != 0;
        assert_true(times->finished == 0 || times->started != 0);
        if (times->started != 0) {
            uint64_t end = times->finished == 0 ? times->started : times->finished;
            assert_true(times->dispatched < times->started && times->started <= end);
            assert_true(is_busy(trace, format->unit, times->started, end));
        }
    }
    assert_int_equal(passed, trace->result.counters.instructions);
}

static void instructions_keep_their_units_busy(void **state) {
    (void)state;
    with_traces(check_instructions, true);
}

/* ---- bursts ---- */

/* Does an instruction touch these bytes of external memory? */
static bool reaches(const struct weft_trace *trace, const struct weft_trace_burst *burst) {
    const struct weft_instruction *instruction = &trace->program.instructions[burst->number];
    struct weft_footprint footprint = weft_footprint_of(&trace->config, instruction);
    for (unsigned i = 0; i < footprint.count; i++) {
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(&footprint.access[i], &low, &high);
        if (footprint.access[i].memory == WEFT_EXTERNAL &&
            footprint.access[i].write == (burst->master == WEFT_MASTER_STORE) &&
            low <= (int64_t)burst->address && (int64_t)(burst->address + burst->bytes) <= high) {
            return true;
        }
    }
    return false;
}

static void check_bursts(const struct weft_trace *trace) {
    uint64_t bytes[WEFT_MASTERS] = {0};
    uint64_t beats[WEFT_MASTERS] = {0};
    uint64_t end = 0;
    for (size_t i = 0; i < trace->burst_count; i++) {
        const struct weft_trace_burst *burst = &trace->bursts[i];
        bytes[burst->master] += burst->bytes;
        beats[burst->master] += weft_trace_beats(trace, burst);
        assert_true(burst->first >= burst->accepted + weft_trace_latency(trace));
        assert_true(burst->first > end);
        end = weft_trace_burst_end(trace, burst);
        if (burst->master == WEFT_MASTER_FETCH) {
            assert_int_equal(burst->number, burst->address / WEFT_INSTRUCTION_BYTES);
        } else {
            assert_true(reaches(trace, burst));
        }
    }
    const struct weft_counters *counters = &trace->result.counters;
    assert_int_equal(bytes[WEFT_MASTER_FETCH], counters->fetch_bytes);
    assert_int_equal(bytes[WEFT_MASTER_LOAD], counters->load_bytes);
    assert_int_equal(bytes[WEFT_MASTER_STORE], counters->store_bytes);
    assert_int_equal(beats[WEFT_MASTER_FETCH], counters->fetch_beats);
    assert_int_equal(beats[WEFT_MASTER_LOAD], counters->load_beats);
    assert_int_equal(beats[WEFT_MASTER_STORE], counters->store_beats);
}

static void bursts_add_up_to_the_counters(void **state) {
    (void)state;
    with_traces(check_bursts, true);
}

/* ---- layers ---- */

static void check_layers(const struct weft_trace *trace) {
    enum {
        LAYERS = 5
    };
    uint64_t seed = 7 + trace->result.counters.cycles;
    uint64_t *counts = NULL;
    int32_t *layer_of = calloc(trace->program.count, sizeof *layer_of);
    assert_non_null(layer_of);
    for (size_t i = 0; i < trace->program.count; i++) {
        layer_of[i] = (int32_t)random_between(&seed, -1, LAYERS - 1);
    }
    ASSERT_GOOD(weft_trace_by_layer(trace, layer_of, LAYERS, &counts, &error), error);
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        const char *name = weft_counter_names[i];
        bool of_unit = (strstr(name, "_busy") != NULL || strstr(name, "_wait_") != NULL ||
                        strstr(name, "_empty") != NULL) &&
                       strncmp(name, "dispatch", 8) != 0;
        uint64_t sum = 0;
        for (size_t k = 0; k <= LAYERS; k++) {
            sum += counts[k * WEFT_COUNTERS + i];
        }
        assert_int_equal(sum, of_unit ? weft_counter_get(&trace->result.counters, i) : 0);
    }
    free(layer_of);
    free(counts);
}

static void layers_add_up_to_the_counters(void **state) {
    (void)state;
    with_traces(check_layers, true);
}

/* The second LOAD waits for MATRIX: that is the second layer's wait, not the first one's. */
static void a_wait_belongs_to_the_layer_that_waits(void **state) {
    (void)state;
    static const char source[] =
        "load signal=matrix wgt_banks=0 memory=wgt region=1 run=1024\n"
        "matrix wait=load signal=load act_banks=0 wgt_banks=0 acc_banks=0 tile_count=1,1,1,4 "
        "pixel_count=8,8 pixel_act_stride=128,16 pixel_acc_stride=8,1\n"
        "load wait=matrix wgt_banks=0 memory=wgt region=1 run=256\n"
        "halt\n";
    static const int32_t layer_of[] = {0, 0, 1, -1};
    struct weft_config config = config_of("ref16");
    struct weft_program program = {0};
    struct weft_timing_settings settings = {.regions.limit = {1 << 20, 1 << 20}};
    struct weft_trace_room room = {.limit = 1 << 20};
    struct weft_trace trace;
    uint64_t *counts = NULL;
    ASSERT_GOOD(weft_assemble(source, strlen(source), &program, &error), error);
    settings.regions.limit[WEFT_REGION_PROGRAM] = program.count * WEFT_INSTRUCTION_BYTES;
    ASSERT_GOOD(weft_trace_record(&config, program.instructions, program.count, &settings, &room,
                                  &trace, &error),
                error);
    /* What fits once does not fit twice. */
    assert_in_range(room.used, 1, room.limit);
    struct weft_trace other;
    room.limit = room.used;
    ASSERT_FAILS(weft_trace_record(&config, program.instructions, program.count, &settings, &room,
                                   &other, &error),
                 error, WEFT_LIMIT);
    ASSERT_GOOD(weft_trace_by_layer(&trace, layer_of, 2, &counts, &error), error);
    uint64_t waited = trace.result.counters.load_wait_matrix;
    assert_true(waited > 64);
    assert_int_equal(counts[0 * WEFT_COUNTERS + WEFT_COUNTER_INDEX_load_wait_matrix], 0);
    assert_int_equal(counts[1 * WEFT_COUNTERS + WEFT_COUNTER_INDEX_load_wait_matrix], waited);
    /* Cycles after the last LOAD, in which HALT passes, are nobody's. */
    assert_int_equal(counts[2 * WEFT_COUNTERS + WEFT_COUNTER_INDEX_load_empty],
                     trace.result.counters.cycles - trace.times[2].finished);
    free(counts);
    weft_trace_free(&trace);
    weft_program_free(&program);
}

/* ---- occupancy ---- */

/* Marks the lines that an access touches, byte by byte. */
static void mark(const struct weft_access *access, unsigned level, int64_t address, int64_t block,
                 bool *lines) {
    if (level < access->levels) {
        for (int64_t i = 0; i < access->count[level]; i++) {
            mark(access, level + 1, address + i * access->stride[level], block, lines);
        }
        return;
    }
    for (int64_t i = 0; i < access->span; i++) {
        lines[(address + i) / block] = true;
    }
}

/* Marks the lines that an instruction reads or writes. */
static void mark_all(const struct weft_trace *trace, uint32_t number, enum weft_memory memory,
                     bool write, size_t count, bool *lines) {
    struct weft_footprint footprint =
        weft_footprint_of(&trace->config, &trace->program.instructions[number]);
    memset(lines, 0, count);
    for (unsigned i = 0; i < footprint.count; i++) {
        if (footprint.access[i].memory == (uint32_t)memory && footprint.access[i].write == write) {
            mark(&footprint.access[i], 0, footprint.access[i].base, trace->config.block, lines);
        }
    }
}

static uint64_t in_use(const struct weft_occupancy *points, size_t count, uint64_t cycle) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < count && points[i].cycle <= cycle; i++) {
        bytes = points[i].bytes;
    }
    return bytes;
}

enum {
    SAMPLES = 8
};

/* Bytes in use in some cycles, line by line. */
static void reference(const struct weft_trace *trace, enum weft_memory memory,
                      const uint64_t samples[SAMPLES], uint64_t expected[SAMPLES]) {
    size_t lines = weft_memory_bytes(&trace->config, memory) / trace->config.block;
    uint32_t *order = NULL;
    size_t count = 0;
    ASSERT_GOOD(weft_trace_order(trace, &order, &count, &error), error);
    bool *touched = calloc(2 * count, lines);
    assert_non_null(touched);
    for (size_t i = 0; i < count; i++) {
        mark_all(trace, order[i], memory, false, lines, touched + 2 * i * lines);
        mark_all(trace, order[i], memory, true, lines, touched + (2 * i + 1) * lines);
    }
    memset(expected, 0, SAMPLES * sizeof *expected);
    for (size_t line = 0; line < lines; line++) {
        const struct weft_trace_times *first = NULL;
        const struct weft_trace_times *last = NULL;
        for (size_t i = 0; i <= 2 * count; i++) {
            bool end = i == 2 * count;
            if (!end && !touched[i * lines + line]) {
                continue;
            }
            if (end || i % 2 == 1) {
                for (int k = 0; k < SAMPLES && first != NULL && last != NULL; k++) {
                    expected[k] += first->started <= samples[k] && samples[k] <= last->finished
                                       ? trace->config.block
                                       : 0;
                }
                bool anew = first == NULL || last != NULL;
                first = end ? NULL : anew ? &trace->times[order[i / 2]] : first;
                last = NULL;
            } else if (first != NULL) {
                last = &trace->times[order[i / 2]];
            }
        }
    }
    free(touched);
    free(order);
}

static void check_occupancy(const struct weft_trace *trace) {
    uint64_t seed = trace->result.counters.cycles;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        struct weft_occupancy *points = NULL;
        size_t count = 0;
        uint64_t samples[SAMPLES];
        uint64_t expected[SAMPLES];
        ASSERT_GOOD(weft_trace_occupancy(trace, (enum weft_memory)memory, &points, &count, &error),
                    error);
        for (int i = 0; i < SAMPLES; i++) {
            samples[i] = (uint64_t)random_between(&seed, 1, (int64_t)trace->result.counters.cycles);
        }
        reference(trace, (enum weft_memory)memory, samples, expected);
        for (int i = 0; i < SAMPLES; i++) {
            assert_int_equal(in_use(points, count, samples[i]), expected[i]);
        }
        assert_int_equal(in_use(points, count, UINT64_MAX), 0);
        for (size_t i = 0; i < count; i++) {
            assert_true(points[i].bytes <=
                        weft_memory_bytes(&trace->config, (enum weft_memory)memory));
            assert_true(i == 0 || points[i].cycle > points[i - 1].cycle);
        }
        free(points);
    }
}

static void occupancy_is_what_lines_hold(void **state) {
    (void)state;
    struct weft_config config = config_of("small8");
    for (uint64_t k = 1; k <= 20; k++) {
        struct cosim_case test;
        ASSERT_GOOD(random_program(&config, random_seed(5, k), 60, &test, &error), error);
        struct weft_trace trace = trace_of(&test);
        check_occupancy(&trace);
        weft_trace_free(&trace);
        case_free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_add_up_to_the_counters),
        cmocka_unit_test(instructions_keep_their_units_busy),
        cmocka_unit_test(bursts_add_up_to_the_counters),
        cmocka_unit_test(layers_add_up_to_the_counters),
        cmocka_unit_test(a_wait_belongs_to_the_layer_that_waits),
        cmocka_unit_test(occupancy_is_what_lines_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
