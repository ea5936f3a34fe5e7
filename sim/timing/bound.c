#include "sim/timing/bound.h"

#include "base/checked.h"
#include "base/integer.h"
#include "sim/timing/burst.h"
#include "sim/timing/duration.h"
#include "sim/timing/memory.h"

/* ---- bursts ---- */

/* What a master may have outstanding at once, and the memory behind it. */
struct window {
    uint64_t latency;
    uint64_t interval;
    uint64_t wait;   /* of a burst, for DRAM */
    uint64_t bursts; /* no burst is added to so many */
    uint64_t units;  /* nor to so many beats, or instructions of fetch */
};

static struct window window_of(const struct weft_config *config,
                               const struct weft_timing_settings *settings, uint64_t bursts,
                               uint64_t units, uint64_t burst_units) {
    const struct weft_memory_model memory = weft_memory_new(config, &settings->memory);
    return (struct window){
        .latency = memory.latency,
        .interval = memory.interval,
        .wait = weft_memory_most_wait(&memory),
        .bursts = bursts,
        .units = units - burst_units + 1,
    };
}

/* latency * amount / most, rounded up. */
static uint64_t share(uint64_t latency, uint64_t amount, uint64_t most) {
    uint64_t product = weft_mul_saturated(latency, amount);
    return product == UINT64_MAX ? product : product / most + (product % most != 0);
}

/* Cycles for bursts: those in which one is granted, for which DRAM makes it wait, those of their
 * beats, and those in which everybody waits for a first beat, once for every window that is full
 * and once for the last. */
static uint64_t burst_cycles(const struct window *window, uint64_t bursts, uint64_t beats,
                             uint64_t units) {
    uint64_t cycles = weft_add_saturated(weft_mul_saturated(bursts, 1 + window->wait),
                                         weft_mul_saturated(beats, window->interval));
    cycles = weft_add_saturated(cycles, share(window->latency, bursts, window->bursts));
    cycles = weft_add_saturated(cycles, share(window->latency, units, window->units));
    return weft_add_saturated(cycles, window->latency);
}

/* Cycles of a transfer's bursts, of which so many, and so many beats, may be in flight. */
static uint64_t transfer_cycles(const struct weft_config *config,
                                const struct weft_timing_settings *settings,
                                const struct weft_burst_walk *walk, uint32_t bursts,
                                uint32_t beats) {
    struct weft_burst_sum most = weft_burst_walk_most(walk);
    struct window window =
        window_of(config, settings, bursts, beats, config->memory_burst / config->memory_width);
    return burst_cycles(&window, most.bursts, most.beats, most.beats);
}

static uint64_t load_cycles(const struct weft_config *config,
                            const struct weft_timing_settings *settings,
                            const struct weft_load_fields *load) {
    struct weft_burst_walk walk = weft_burst_walk_load(config, load);
    return weft_add_saturated(
        1 + weft_load_write(load) + 1,
        transfer_cycles(config, settings, &walk, config->load_bursts, config->load_beats));
}

static uint64_t store_cycles(const struct weft_config *config,
                             const struct weft_timing_settings *settings,
                             const struct weft_store_fields *store) {
    struct weft_burst_walk walk = weft_burst_walk_store(config, store);
    return weft_add_saturated(
        1 + WEFT_STORE_DRAIN,
        transfer_cycles(config, settings, &walk, config->store_bursts, config->store_beats));
}

uint64_t weft_bound_fetch(const struct weft_config *config,
                          const struct weft_timing_settings *settings, size_t count) {
    uint64_t in_burst = config->memory_burst / WEFT_INSTRUCTION_BYTES;
    uint64_t bursts = count / in_burst + (count % in_burst != 0);
    uint64_t beats = weft_mul_saturated(count, WEFT_INSTRUCTION_BYTES / config->memory_width);
    struct window window =
        window_of(config, settings, config->fetch_bursts, config->fetch_buffer, in_burst);
    return burst_cycles(&window, bursts, beats, count);
}

/* ---- instructions ---- */

static uint64_t fill_cycles(const struct weft_config *config, const struct weft_fill_fields *fill) {
    uint64_t lines = weft_fill_lines(config, fill);
    return lines == WEFT_FILL_LINES_MOST ? UINT64_MAX : 1 + lines + 1;
}

static uint64_t matrix_cycles(const struct weft_config *config,
                              const struct weft_matrix_fields *matrix) {
    struct weft_matrix_duration duration = weft_matrix_duration(config, matrix);
    return duration.weight_tile + duration.stream + WEFT_MATRIX_DRAIN;
}

static uint64_t vector_cycles(const struct weft_config *config,
                              const struct weft_vector_fields *vector) {
    struct weft_vector_duration duration = weft_vector_duration(config, vector);
    return 1 + duration.slots + duration.drain;
}

static uint64_t unit_cycles(const struct weft_config *config,
                            const struct weft_timing_settings *settings,
                            const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return load_cycles(config, settings, &instruction->load);
    case WEFT_OPCODE_FILL:
        return fill_cycles(config, &instruction->fill);
    case WEFT_OPCODE_MATRIX:
        return matrix_cycles(config, &instruction->matrix);
    case WEFT_OPCODE_VECTOR:
        return vector_cycles(config, &instruction->vector);
    case WEFT_OPCODE_STORE:
        return store_cycles(config, settings, &instruction->store);
    default: /* FENCE and HALT are carried out by dispatch */
        return 0;
    }
}

uint64_t weft_bound_instruction(const struct weft_config *config,
                                const struct weft_timing_settings *settings,
                                const struct weft_instruction *instruction) {
    uint64_t dispatch = 1 + WEFT_CHECK + 1; /* taken, checked, passed */
    return weft_add_saturated(dispatch, unit_cycles(config, settings, instruction));
}

uint64_t weft_bound(const struct weft_config *config, const struct weft_timing_settings *settings,
                    const struct weft_instruction *instructions, size_t count) {
    uint64_t cycles = weft_bound_fetch(config, settings, count);
    for (size_t i = 0; i < count; i++) {
        cycles =
            weft_add_saturated(cycles, weft_bound_instruction(config, settings, &instructions[i]));
    }
    return cycles;
}
