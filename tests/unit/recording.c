#include "tests/unit/recording.h"

#include <string.h>

#include "tests/unit/test.h"

static void note(struct recording *recording, uint64_t *cycles, uint32_t number, uint64_t cycle) {
    assert_true(cycle >= recording->last_call);
    recording->last_call = cycle;
    assert_true(number < RECORDED_INSTRUCTIONS);
    assert_int_equal(cycles[number], 0);
    cycles[number] = cycle;
}

static void dispatched(void *context, uint32_t number, uint64_t cycle) {
    struct recording *recording = context;
    note(recording, recording->dispatched, number, cycle);
}

static void started(void *context, uint32_t number, const struct weft_instruction *instruction,
                    uint64_t cycle) {
    struct recording *recording = context;
    assert_non_null(instruction);
    note(recording, recording->started, number, cycle);
}

static void finished(void *context, uint32_t number, uint64_t cycle) {
    struct recording *recording = context;
    note(recording, recording->finished, number, cycle);
}

static void burst(void *context, enum weft_master master, uint64_t address, uint32_t bytes,
                  uint64_t cycle, uint64_t first) {
    struct recording *recording = context;
    assert_true(cycle >= recording->last_call);
    recording->last_call = cycle;
    assert_true(recording->bursts < RECORDED_BURSTS);
    recording->burst[recording->bursts++] =
        (struct recorded_burst){address, cycle, first, bytes, master};
}

static void assert_cycles_add_up(const struct weft_counters *c) {
    assert_int_equal(c->load_busy + c->load_empty + c->load_wait_matrix + c->load_wait_vector +
                         c->load_wait_store,
                     c->cycles);
    assert_int_equal(c->matrix_busy + c->matrix_empty + c->matrix_wait_load +
                         c->matrix_wait_vector + c->matrix_wait_store,
                     c->cycles);
    assert_int_equal(c->vector_busy + c->vector_empty + c->vector_wait_load +
                         c->vector_wait_matrix + c->vector_wait_store,
                     c->cycles);
    assert_int_equal(c->store_busy + c->store_empty + c->store_wait_load + c->store_wait_matrix +
                         c->store_wait_vector,
                     c->cycles);
}

const struct recording *record_with(const struct weft_config *config,
                                    const struct weft_instruction *program, size_t count,
                                    const struct weft_timing_settings *settings) {
    static struct recording recording;
    memset(&recording, 0, sizeof recording);
    struct weft_timing_settings with_regions = *settings;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t usual = i == WEFT_REGION_PROGRAM ? count * WEFT_INSTRUCTION_BYTES : 1 << 20;
        with_regions.regions.limit[i] =
            settings->regions.limit[i] == 0 ? usual : settings->regions.limit[i];
    }
    if (settings->regions.writable == 0) {
        with_regions.regions.writable = (1U << WEFT_REGIONS) - 1;
    }
    struct weft_observer observer = {.context = &recording,
                                     .dispatched = dispatched,
                                     .started = started,
                                     .finished = finished,
                                     .burst = burst};
    struct weft_error error;
    ASSERT_GOOD(weft_timing_run(config, program, count, &with_regions, &observer, &recording.result,
                                &error),
                error);
    if (config->performance_counters != 0) {
        assert_cycles_add_up(&recording.result.counters);
    }
    assert_true(recording.last_call <= recording.result.counters.cycles);
    return &recording;
}

const struct recording *record(const struct weft_config *config,
                               const struct weft_instruction *program, size_t count) {
    struct weft_timing_settings settings = {0};
    return record_with(config, program, count, &settings);
}

void assert_halted(const struct recording *run, uint64_t cycle) {
    assert_fault(run, WEFT_FAULT_NONE, 0, cycle);
}

void assert_fault(const struct recording *run, enum weft_fault fault, uint32_t instruction,
                  uint64_t cycle) {
    assert_string_equal(weft_fault_names[run->result.fault], weft_fault_names[fault]);
    assert_int_equal(run->result.fault_instruction, instruction);
    assert_int_equal(run->result.counters.cycles, cycle);
}

struct weft_instruction load_of(uint32_t bytes) {
    struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
    load.load.region = WEFT_REGION_INPUTS;
    load.load.run = bytes;
    return load;
}

struct weft_instruction store_of(uint32_t bytes) {
    struct weft_instruction store = weft_instruction_new(WEFT_OPCODE_STORE);
    store.store.region = WEFT_REGION_OUTPUTS;
    store.store.run = bytes;
    return store;
}

struct weft_instruction fill_of(const struct weft_config *config, uint32_t lines) {
    struct weft_instruction fill = weft_instruction_new(WEFT_OPCODE_FILL);
    fill.fill.run = lines * config->block;
    return fill;
}

struct weft_instruction dense_of(uint32_t tiles, uint32_t rows, uint32_t columns) {
    struct weft_instruction matrix = weft_instruction_new(WEFT_OPCODE_MATRIX);
    matrix.matrix.tile_count[3] = tiles;
    matrix.matrix.pixel_count[0] = rows;
    matrix.matrix.pixel_count[1] = columns;
    return matrix;
}

struct weft_instruction slots_of(uint32_t slots) {
    struct weft_instruction vector = weft_instruction_new(WEFT_OPCODE_VECTOR);
    vector.vector.function = WEFT_FUNCTION_FILL;
    vector.vector.count[2] = slots;
    return vector;
}

struct weft_instruction fence_of(void) {
    return weft_instruction_new(WEFT_OPCODE_FENCE);
}

struct weft_instruction halt_of(void) {
    return weft_instruction_new(WEFT_OPCODE_HALT);
}
