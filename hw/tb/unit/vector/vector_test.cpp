/* Random VECTOR instructions on weft_vector against the definition in sim/exec and the durations of
 * sim/timing: every byte of ACT, every slot, the cycle of the finish, the number of accesses.
 *
 * usage: vector_test CONFIG [INSTRUCTIONS [SEED]]     vector_test CONFIG --speed [NAME]
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "hw/tb/unit/vector/vector_bench.h"

extern "C" {
#include "base/bytes.h"
#include "isa/footprint.h"
#include "sim/timing/duration.h"
#include "tests/unit/helpers.h"
#include "tests/unit/states.h"
}

namespace {

/* ---- instructions ---- */

int32_t random_zero(uint64_t *seed) {
    static const int32_t corners[] = {-128, 127, 0, 1};
    return random_chance(seed, 50) ? corners[random_between(seed, 0, 3)]
                                   : (int32_t)random_between(seed, -128, 127);
}

int32_t random_shift(uint64_t *seed) {
    static const int32_t corners[] = {-31, 31, 0, -1, 1};
    return random_chance(seed, 20)   ? corners[random_between(seed, 0, 4)]
           : random_chance(seed, 60) ? (int32_t)random_between(seed, -12, 0)
                                     : (int32_t)random_between(seed, -31, 31);
}

void random_scaling(uint64_t *seed, struct weft_vector_fields *v) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX};
    v->multiplier = random_chance(seed, 30) ? corners[random_between(seed, 0, 3)]
                                            : (uint32_t)random_between(seed, 1 << 30, INT32_MAX);
    v->shift = random_shift(seed);
    v->a_zero = random_zero(seed);
    v->b_zero = random_zero(seed);
    v->out_zero = random_zero(seed);
    if (random_chance(seed, 50)) {
        v->low = random_zero(seed);
        v->high = (int32_t)random_between(seed, v->low, INT8_MAX);
    }
}

void random_stride(uint64_t *seed, int32_t stride[3]) {
    int64_t reach = random_chance(seed, 70) ? 12 : 400;
    for (unsigned i = 0; i < 3; i++) {
        stride[i] = random_chance(seed, 15) ? 0 : (int32_t)random_between(seed, -reach, reach);
    }
}

void random_levels(uint64_t *seed, struct weft_vector_fields *v) {
    for (unsigned i = 0; i < 3; i++) {
        v->count[i] = random_chance(seed, 30) ? 1 : (uint32_t)random_between(seed, 1, 6);
    }
    if (random_chance(seed, 3)) {
        v->count[random_between(seed, 0, 2)] = (uint32_t)random_between(seed, 100, 300);
    }
    random_stride(seed, v->out_stride);
    random_stride(seed, v->a_stride);
    random_stride(seed, v->b_stride);
    for (unsigned i = 0; i < 2 && v->function == WEFT_FUNCTION_POOL; i++) {
        v->window_count[i] = (uint32_t)random_between(seed, 1, random_chance(seed, 90) ? 4 : 63);
        v->window_stride[i] = (int32_t)random_between(seed, -12, 12);
    }
}

/* Puts the operands somewhere; the accesses come in the order out, a, b, PAR. */
bool random_places(uint64_t *seed, const struct weft_config *config,
                   struct weft_instruction *instruction) {
    struct weft_vector_fields *v = &instruction->vector;
    struct weft_footprint footprint = weft_footprint_of(config, instruction);
    uint32_t *const places[] = {&v->out, &v->a, &v->b};
    unsigned lines = 0;
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(access, &low, &high);
        int64_t size = weft_memory_bytes(config, (enum weft_memory)access->memory);
        int64_t unit = access->memory == WEFT_MEMORY_ACC ? 4 * config->block : config->block;
        int64_t base = random_base(seed, low, high, size, unit);
        if (base < 0) {
            return false;
        }
        if (access->memory == WEFT_MEMORY_PAR) {
            v->par = (uint32_t)base;
        } else if (access->memory != WEFT_MEMORY_LUT) {
            *places[lines++] = (uint32_t)base;
        }
    }
    return true;
}

/* What the verifier forbids and the machine runs all the same, as the definition says. */
void break_rules(uint64_t *seed, struct weft_vector_fields *v) {
    if (random_chance(seed, 30)) {
        v->shift = -32;
    }
    v->low = random_zero(seed);
    v->high = random_zero(seed);
    if (v->function != WEFT_FUNCTION_REQUANT) {
        v->rounding = random_chance(seed, 50);
        v->per_channel = random_chance(seed, 50);
    }
    if (v->function != WEFT_FUNCTION_POOL) {
        v->window_count[0] = (uint32_t)random_between(seed, 1, 63);
        v->window_count[1] = (uint32_t)random_between(seed, 1, 63);
        v->window_stride[0] = (int32_t)random_between(seed, -12, 12);
        v->window_stride[1] = (int32_t)random_between(seed, -12, 12);
    }
}

struct weft_instruction random_vector(uint64_t *seed, const struct weft_config *config) {
    for (;;) {
        bool requant = random_chance(seed, 30);
        struct weft_instruction instruction =
            vector_of(requant ? WEFT_FUNCTION_REQUANT
                              : (enum weft_function)random_between(seed, 0, WEFT_FUNCTION_FILL));
        struct weft_vector_fields *v = &instruction.vector;
        random_levels(seed, v);
        random_scaling(seed, v);
        if (v->function == WEFT_FUNCTION_REQUANT) {
            v->rounding = random_chance(seed, 50);
            v->per_channel = random_chance(seed, 60);
        }
        if (!random_places(seed, config, &instruction)) {
            continue;
        }
        if (v->function != WEFT_FUNCTION_REQUANT && random_chance(seed, 30)) {
            v->a = v->out; /* in place */
            memcpy(v->a_stride, v->out_stride, sizeof v->a_stride);
        }
        if (is_legal(config, &instruction)) {
            if (random_chance(seed, 5)) {
                break_rules(seed, v);
            }
            return instruction;
        }
    }
}

/* Records as a compiler writes them, or extreme, among random bytes. */
void make_records(struct weft_state *state, uint64_t *seed) {
    static const uint32_t corners[] = {0, 1, 1U << 30, INT32_MAX, 1U << 31, UINT32_MAX};
    uint32_t block = state->config->block;
    for (uint32_t at = 0; at < state->config->par_bytes; at += 4) {
        if (random_chance(seed, 20)) {
            weft_write_u32(state->par + at, corners[random_between(seed, 0, 5)]);
        } else if (random_chance(seed, 60)) {
            weft_write_u32(state->par + at, (uint32_t)random_between(seed, 1 << 30, INT32_MAX));
        } else if (random_chance(seed, 50)) { /* a line of shifts, now and then */
            for (uint32_t i = 0; i < 4; i++) {
                state->par[at + i] = (uint8_t)random_shift(seed);
            }
        } else if (at % block == 0 && random_chance(seed, 50)) {
            memset(state->par + at, 0xe0, 4); /* -32 */
        }
    }
}

/* ---- running one ---- */

vector_bench_counts expected_counts(const struct weft_config *config,
                                    const struct weft_vector_fields *v) {
    uint64_t vectors = (uint64_t)v->count[0] * v->count[1] * v->count[2];
    uint64_t taps = (uint64_t)v->window_count[0] * v->window_count[1];
    uint64_t record = weft_requant_record_lines(v->per_channel != 0);
    uint64_t sum = weft_sum_record_lines(config);
    switch (v->function) {
    case WEFT_FUNCTION_REQUANT:
        return {0, vectors, vectors, v->count[0] * record, 0};
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
        return {2 * vectors, vectors, 0, sum, 0};
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_MAX:
    case WEFT_FUNCTION_MIN:
        return {2 * vectors, vectors, 0, 0, 0};
    case WEFT_FUNCTION_POOL:
        return {taps * vectors, vectors, 0, 0, 0};
    case WEFT_FUNCTION_LUT:
        return {vectors, vectors, 0, 0, vectors};
    case WEFT_FUNCTION_FILL:
        return {0, vectors, 0, 0, 0};
    default:
        return {vectors, vectors, 0, 0, 0};
    }
}

[[noreturn]] void give_up(const struct weft_instruction *instruction, uint64_t number,
                          const char *what) {
    struct weft_text text = {};
    weft_disassemble(instruction, &text);
    fprintf(stderr, "vector_test: instruction %" PRIu64 ": %s: %s\n", number, what, text.bytes);
    exit(1);
}

struct test {
    struct weft_config config;
    struct weft_state memory;    /* of the unit */
    struct weft_state reference; /* of the definition */
    uint64_t seed;
    uint64_t cycles;
    uint64_t stopped;
    const char *only; /* speed: what to measure; NULL: everything */
};

void run(struct test *test, vector_bench *bench, const struct weft_instruction *instruction,
         uint64_t number) {
    struct weft_vector_duration duration =
        weft_vector_duration(&test->config, &instruction->vector);
    uint64_t last = duration.slots + duration.drain;
    bench->counts = {};
    for (uint64_t t = 0; t <= last; t++) {
        vector_bench_cycle done = bench->cycle(t == 0 ? instruction : nullptr, false);
        if (done.slot != (t >= 1 && t <= duration.slots)) {
            give_up(instruction, number, "a slot is missing or one too many");
        }
        if (done.finish != (t == last)) {
            give_up(instruction, number, "finish in the wrong cycle");
        }
    }
    test->cycles += last + 1;
    weft_execute(&test->reference, WEFT_HOST_PLAIN, instruction);
    if (!(bench->counts == expected_counts(&test->config, &instruction->vector))) {
        give_up(instruction, number, "wrong number of accesses");
    }
    if (memcmp(test->memory.act, test->reference.act, test->config.act_bytes) != 0) {
        for (uint32_t i = 0; i < test->config.act_bytes; i++) {
            if (test->memory.act[i] != test->reference.act[i]) {
                fprintf(stderr, "vector_test: ACT byte %u (line %u) is %d, expected %d\n", i,
                        i / test->config.block, test->memory.act[i], test->reference.act[i]);
                break;
            }
        }
        give_up(instruction, number, "wrong bytes in ACT");
    }
}

/* Stops an instruction somewhere; nothing may happen afterwards. */
void run_and_stop(struct test *test, vector_bench *bench,
                  const struct weft_instruction *instruction, uint64_t number) {
    struct weft_vector_duration duration =
        weft_vector_duration(&test->config, &instruction->vector);
    int64_t last = (int64_t)(duration.slots + duration.drain);
    int64_t end = random_between(&test->seed, 0, last < 40 ? last : 40);
    for (int64_t t = 0; t <= end; t++) {
        bench->cycle(t == 0 ? instruction : nullptr, t == end);
    }
    for (int i = random_chance(&test->seed, 50) ? 12 : 0; i > 0; i--) {
        vector_bench_cycle done = bench->cycle(nullptr, false);
        if (done.slot || done.finish || done.touched) {
            give_up(instruction, number, "it goes on after a stop");
        }
    }
    memcpy(test->reference.act, test->memory.act, test->config.act_bytes);
    test->stopped++;
}

void idle(struct test *test, vector_bench *bench) {
    int64_t cycles = random_chance(&test->seed, 60) ? 0 : random_between(&test->seed, 1, 4);
    for (int64_t i = 0; i < cycles; i++) {
        vector_bench_cycle done = bench->cycle(nullptr, false);
        if (done.slot || done.finish || done.touched) {
            fprintf(stderr, "vector_test: the unit does something without an instruction\n");
            exit(1);
        }
    }
}

void run_many(struct test *test, uint64_t instructions) {
    vector_bench bench(&test->memory);
    uint64_t of_function[WEFT_FUNCTION_FILL + 1] = {};
    for (uint64_t i = 0; i < instructions; i++) {
        if (i % 250 == 0) {
            state_randomise(&test->memory, &test->seed);
        }
        if (i % 25 == 0) {
            make_records(&test->memory, &test->seed);
            state_copy(&test->reference, &test->memory);
        }
        struct weft_instruction instruction = random_vector(&test->seed, &test->config);
        if (random_chance(&test->seed, 3)) {
            run_and_stop(test, &bench, &instruction, i);
        } else {
            run(test, &bench, &instruction, i);
            of_function[instruction.vector.function]++;
        }
        idle(test, &bench);
    }
    printf("%s: %" PRIu64 " cycles, %" PRIu64 " stopped; by function", test->config.name,
           test->cycles, test->stopped);
    for (unsigned i = 0; i <= WEFT_FUNCTION_FILL; i++) {
        printf(" %" PRIu64, of_function[i]);
    }
    printf("\n");
}

/* ---- speed ---- */

double processor_seconds() {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The best of several tries: others may be busy on this host. NULL: idle cycles. */
void measure(struct test *test, vector_bench *bench, const char *name,
             const struct weft_instruction *instruction) {
    struct weft_vector_duration duration = {.slots = 100, .drain = 0};
    if (instruction != nullptr) {
        duration = weft_vector_duration(&test->config, &instruction->vector);
    }
    if (test->only != nullptr && strcmp(test->only, name) != 0) {
        return;
    }
    uint64_t last = duration.slots + duration.drain;
    double best = 1;
    for (int attempt = 0; attempt < 10; attempt++) {
        uint64_t cycles = 0;
        double begin = processor_seconds();
        double seconds = 0;
        while (seconds < 0.1) {
            for (uint64_t t = 0; t <= last; t++) {
                bench->cycle(t == 0 ? instruction : nullptr, false);
            }
            cycles += last + 1;
            seconds = processor_seconds() - begin;
        }
        best = seconds / (double)cycles < best ? seconds / (double)cycles : best;
    }
    printf("%-8s %-20s %6.1f ns a cycle\n", test->config.name, name, best * 1e9);
}

void speed(struct test *test) {
    vector_bench bench(&test->memory);
    state_randomise(&test->memory, &test->seed);
    bench.noise = false;
    struct weft_instruction instruction = vector_of(WEFT_FUNCTION_REQUANT);
    struct weft_vector_fields *v = &instruction.vector;
    v->count[1] = 10;
    v->count[2] = 10;
    v->a_stride[1] = 10;
    v->a_stride[2] = 1;
    v->out_stride[1] = 10;
    v->out_stride[2] = 1;
    v->b_stride[1] = 10;
    v->b_stride[2] = 1;
    v->multiplier = 1500000000;
    v->shift = -7;
    v->per_channel = 1;
    v->a = 0;
    v->b = 150;
    v->out = 300;
    measure(test, &bench, "requant per channel", &instruction);
    v->rounding = WEFT_ROUNDING_SINGLE;
    measure(test, &bench, "requant single", &instruction);
    v->rounding = WEFT_ROUNDING_GEMMLOWP;
    v->per_channel = 0;
    measure(test, &bench, "requant per tensor", &instruction);
    v->function = WEFT_FUNCTION_ADD;
    measure(test, &bench, "add", &instruction);
    v->function = WEFT_FUNCTION_MUL;
    measure(test, &bench, "mul", &instruction);
    v->function = WEFT_FUNCTION_COPY;
    measure(test, &bench, "copy", &instruction);
    v->function = WEFT_FUNCTION_LUT;
    measure(test, &bench, "lut", &instruction);
    v->function = WEFT_FUNCTION_POOL;
    v->window_count[0] = 3;
    v->window_count[1] = 3;
    measure(test, &bench, "pool 3x3", &instruction);
    measure(test, &bench, "idle", nullptr);
}

} // namespace

int main(int argc, char **argv) {
    struct test test = {};
    struct weft_error error;
    if (argc < 2 || !weft_config_find(argv[1], &test.config, &error)) {
        fprintf(stderr, "usage: vector_test CONFIG [INSTRUCTIONS [SEED] | --speed]\n");
        return 2;
    }
    if (!weft_state_create(&test.config, &test.memory, &error) ||
        !weft_state_create(&test.config, &test.reference, &error)) {
        fprintf(stderr, "vector_test: %s\n", error.message);
        return 2;
    }
    test.seed = argc > 3 ? strtoull(argv[3], nullptr, 10) : 31;
    if (argc > 2 && strcmp(argv[2], "--speed") == 0) {
        test.only = argc > 3 ? argv[3] : nullptr;
        speed(&test);
    } else {
        run_many(&test, argc > 2 ? strtoull(argv[2], nullptr, 10) : 3000);
    }
    weft_state_free(&test.memory);
    weft_state_free(&test.reference);
    return 0;
}
