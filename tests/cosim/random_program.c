/* Programs from phases; what makes them valid is in plan.c and in the files of the instructions. */
#include "tests/cosim/random_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/verify/order.h"
#include "isa/verify/verify.h"
#include "tests/cosim/generator.h"
#include "tests/unit/helpers.h"

enum {
    TRIES = 12,
    EXTREME_PROGRAMS = 40,       /* one in so many */
    MARGIN = 2 * WEFT_UNITS + 3, /* an instruction, its tokens, FENCEs and HALT */
};

uint64_t random_seed(uint64_t seed, uint64_t index) {
    /* splitmix64: neighbouring numbers give unrelated seeds. */
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z == 0 ? 1 : z;
}

/* ---- one instruction ---- */

struct weft_instruction random_work(struct generator *generator, enum weft_opcode opcode,
                                    uint32_t budget) {
    struct weft_instruction (*const make[WEFT_FORMATS])(struct generator *, uint32_t) = {
        [WEFT_OPCODE_LOAD] = random_load,     [WEFT_OPCODE_FILL] = random_fill,
        [WEFT_OPCODE_STORE] = random_store,   [WEFT_OPCODE_MATRIX] = random_matrix,
        [WEFT_OPCODE_VECTOR] = random_vector,
    };
    struct weft_instruction instruction = make[opcode](generator, budget);
    own_banks(generator, &instruction);
    return instruction;
}

/* Instructions that it takes to empty all semaphores. */
static uint32_t drain_size(const struct plan *plan) {
    uint32_t size = 0;
    for (unsigned consumer = 0; consumer < WEFT_UNITS; consumer++) {
        uint32_t most = 0;
        for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
            uint32_t waiting =
                plan_waiting(plan, (enum weft_unit)producer, (enum weft_unit)consumer);
            most = waiting > most ? waiting : most;
        }
        size += most;
    }
    return size;
}

void emit_now(struct generator *generator, enum weft_opcode opcode, uint32_t budget, uint32_t wait,
              uint32_t signal) {
    unsigned unit = weft_format_of(opcode)->unit;
    struct weft_instruction instruction;
    for (unsigned i = 0; i <= TRIES; i++) {
        instruction = random_work(generator, opcode, budget);
        instruction.wait = wait & ~(1U << unit);
        instruction.signal = signal & ~(1U << unit);
        bool likely = plan_is_free(&generator->plan, &instruction) ||
                      random_chance(&generator->seed, 30) || i > TRIES / 2;
        if (likely && plan_add(&generator->plan, &instruction, &generator->seed)) {
            return;
        }
    }
    plan_fence(&generator->plan);
    plan_add(&generator->plan, &instruction, &generator->seed);
}

bool has_room(const struct generator *generator) {
    return generator->plan.count + drain_size(&generator->plan) + MARGIN <= generator->most;
}

void emit(struct generator *generator, enum weft_opcode opcode, uint32_t budget, uint32_t wait,
          uint32_t signal) {
    if (has_room(generator)) {
        emit_now(generator, opcode, budget, wait, signal);
    }
}

/* ---- the program ---- */

/* Takes a token of every semaphore that has one: the verifier wants as many taken as given. */
static void drain(struct generator *generator) {
    static const enum weft_opcode opcodes[WEFT_UNITS] = {
        [WEFT_UNIT_LOAD] = WEFT_OPCODE_FILL,
        [WEFT_UNIT_MATRIX] = WEFT_OPCODE_MATRIX,
        [WEFT_UNIT_VECTOR] = WEFT_OPCODE_VECTOR,
        [WEFT_UNIT_STORE] = WEFT_OPCODE_STORE,
    };
    const struct plan *plan = &generator->plan;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        uint32_t waiting = 0;
        for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
            waiting += plan_waiting(plan, (enum weft_unit)producer, (enum weft_unit)unit);
        }
        if (waiting > 0) {
            uint32_t budget = (uint32_t)random_between(&generator->seed, 1, 20);
            emit_now(generator, opcodes[unit], budget, UINT32_MAX, 0);
        }
    }
}

/* One of the regions that can be written is large enough for every STORE. */
static struct weft_regions random_regions(uint64_t *seed, bool extreme) {
    struct weft_regions regions = {.limit = {0}};
    for (unsigned i = 1; i < WEFT_REGIONS; i++) {
        int64_t size = random_chance(seed, 30)   ? random_between(seed, 64, 1000)
                       : random_chance(seed, 12) ? 0
                       : random_chance(seed, 12) ? random_between(seed, 65536, 300000)
                                                 : random_between(seed, 1000, 65536);
        regions.limit[i] = (uint64_t)size;
    }
    int64_t large = random_between(seed, 1, 7);
    regions.limit[large] = (uint64_t)random_between(seed, 5000, 65536);
    if (extreme) {
        large = random_between(seed, 1, 7);
        regions.limit[large] = (1 << 24) - (uint64_t)random_between(seed, 1, 63);
    }
    regions.writable = (uint32_t)(random_u64(seed) & random_u64(seed) & 0xff) ^ 0xff;
    regions.writable |= 1U << large;
    return regions;
}

/* Lets neighbours of different units change places, now and then so far that an instruction is
 * dispatched before the one whose token it waits for. Between two FENCEs only, and never so far
 * that queues fill up for ever. */
static void shuffle(struct generator *generator) {
    static struct weft_instruction before[PLAN_MOST];
    static uint32_t order[PLAN_MOST];
    struct plan *plan = &generator->plan;
    struct weft_instruction *program = plan->program;
    memcpy(before, program, plan->count * sizeof *program);
    int64_t swaps = random_between(&generator->seed, 1, 4 * (int64_t)plan->count);
    for (int64_t i = 0; i < swaps && plan->count > 1; i++) {
        int64_t at = random_between(&generator->seed, 0, (int64_t)plan->count - 2);
        unsigned unit = weft_format_of(program[at].opcode)->unit;
        unsigned next = weft_format_of(program[at + 1].opcode)->unit;
        if (unit != next && unit != WEFT_UNITS && next != WEFT_UNITS) {
            struct weft_instruction kept = program[at];
            program[at] = program[at + 1];
            program[at + 1] = kept;
        }
    }
    struct weft_order_end end;
    struct weft_error error;
    if (!weft_start_order(generator->config, program, plan->count, order, &end, &error)) {
        memcpy(program, before, plan->count * sizeof *program);
    }
}

/* A few instructions that take long, because all is as large as can be. */
static void extremes(struct generator *generator, int64_t count) {
    static const enum weft_opcode opcodes[] = {WEFT_OPCODE_LOAD,   WEFT_OPCODE_FILL,
                                               WEFT_OPCODE_STORE,  WEFT_OPCODE_MATRIX,
                                               WEFT_OPCODE_MATRIX, WEFT_OPCODE_VECTOR};
    for (int64_t i = 0; i < count; i++) {
        emit(generator, PICK(&generator->seed, opcodes), 1000, 0, 0);
    }
}

static void generate(struct generator *generator, generator_end *end) {
    uint64_t *seed = &generator->seed;
    int64_t target = random_chance(seed, 20) ? random_between(seed, 1, 8)
                                             : random_between(seed, 10, generator->most - MARGIN);
    generator->extreme = end == NULL && random_u64(seed) % EXTREME_PROGRAMS == 0;
    target = generator->extreme ? random_between(seed, 3, 8) : target;
    struct weft_regions regions = random_regions(seed, generator->extreme);
    regions.limit[WEFT_REGION_PROGRAM] = (uint64_t)target * WEFT_INSTRUCTION_BYTES;
    plan_begin(&generator->plan, generator->config, &regions);
    if (generator->extreme) {
        extremes(generator, target);
    }
    for (int64_t phases = 0; phases < target && generator->plan.count < target; phases++) {
        random_phase(generator);
    }
    while (drain_size(&generator->plan) > 0) {
        drain(generator);
    }
    while (generator->plan.count < target) {
        emit_now(generator, WEFT_OPCODE_VECTOR, 1, 0, 0);
    }
    if (end != NULL) {
        end(generator);
    } else if (random_chance(seed, 40)) {
        shuffle(generator);
    }
}

static void random_memory(uint64_t *seed, struct cosim_case *test) {
    static const int64_t latencies[] = {1, 2, 3, 4, 5, 8, 100, 300};
    int64_t most = random_chance(seed, 40) ? 60 : 300;
    test->memory_latency =
        (uint64_t)(random_chance(seed, 25) ? PICK(seed, latencies) : random_between(seed, 1, most));
    test->memory_interval = random_chance(seed, 60) ? 1 : (uint64_t)random_between(seed, 2, 5);
    test->data_seed = random_u64(seed);
    if (random_chance(seed, 40)) {
        test->memory_dram = (uint64_t)random_between(seed, 1, WEFT_DRAMS - 1);
        test->memory_clock = (uint64_t)random_between(
            seed, WEFT_DRAM_LEAST_CLOCK, random_chance(seed, 70) ? 1000000 : WEFT_DRAM_MOST_CLOCK);
    }
}

/* The plan as a case, with HALT. */
static bool finish(struct generator *generator, struct cosim_case *test, struct weft_error *error) {
    const struct plan *plan = &generator->plan;
    random_memory(&generator->seed, test);
    struct weft_instruction halt = weft_instruction_new(WEFT_OPCODE_HALT);
    for (uint32_t i = 0; i <= plan->count; i++) {
        bool last = i == plan->count;
        if (!weft_program_add(&test->program, last ? &halt : &plan->program[i], error)) {
            case_free(test);
            return false;
        }
    }
    test->regions = plan->regions;
    test->regions.limit[WEFT_REGION_PROGRAM] = test->program.count * WEFT_INSTRUCTION_BYTES;
    return true;
}

bool random_program_with(const struct weft_config *config, uint64_t seed, uint32_t most,
                         generator_end *end, struct cosim_case *test, struct weft_error *error) {
    struct generator *generator = weft_allocate(1, sizeof *generator, "a generator", error);
    if (generator == NULL) {
        return false;
    }
    generator->seed = random_seed(seed, 0);
    generator->config = config;
    generator->most = most == 0 ? RANDOM_MOST : most;
    generate(generator, end);
    struct cosim_case made = {.config = config, .seed = seed};
    bool good = finish(generator, &made, error);
    free(generator);
    if (good) {
        *test = made;
    }
    return good;
}

bool random_program(const struct weft_config *config, uint64_t seed, uint32_t most,
                    struct cosim_case *test, struct weft_error *error) {
    return random_program_with(config, seed, most, NULL, test, error);
}
