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
#include "hw/tb/unit/vector/vector_random.h"

extern "C" {
#include "isa/record.h"
#include "sim/timing/duration.h"
#include "tests/unit/helpers.h"
#include "tests/unit/states.h"
}

namespace {

/* ---- running one ---- */

vector_bench_counts expected_counts(const struct weft_config *config,
                                    const struct weft_vector_fields *v) {
    uint64_t vectors = (uint64_t)v->count[0] * v->count[1] * v->count[2];
    uint64_t taps = (uint64_t)v->window_count[0] * v->window_count[1];
    uint64_t record = weft_vector_record_lines(v);
    uint64_t sum = weft_sum_record_lines(config);
    switch (static_cast<weft_function>(v->function)) {
    case WEFT_FUNCTION_REQUANT:
        return {0, vectors, vectors, v->count[0] * record, 0};
    case WEFT_FUNCTION_ADD:
    case WEFT_FUNCTION_SUB:
    case WEFT_FUNCTION_SQUARED_DIFFERENCE:
        return {2 * vectors, vectors, 0, sum, 0};
    case WEFT_FUNCTION_MUL:
    case WEFT_FUNCTION_MAX:
    case WEFT_FUNCTION_MIN:
        return {2 * vectors, vectors, 0, 0, 0};
    case WEFT_FUNCTION_POOL:
        return {taps * vectors, vectors, 0, 0, 0};
    case WEFT_FUNCTION_LUT:
        return {vectors, vectors, 0, 0, vectors};
    case WEFT_FUNCTION_SOFTMAX:
        return {3 * vectors, vectors, 0, 0, 8 * vectors};
    case WEFT_FUNCTION_FILL:
        return {0, vectors, 0, 0, 0};
    case WEFT_FUNCTION_COPY:
    case WEFT_FUNCTION_RESCALE:
        return {vectors, vectors, 0, 0, 0};
    }
    return {};
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
    uint64_t of_function[WEFT_FUNCTIONS] = {};
    for (uint64_t i = 0; i < instructions; i++) {
        if (i % 250 == 0) {
            state_randomise(&test->memory, &test->seed);
        }
        if (i % 25 == 0) {
            vector_random_records(&test->seed, &test->memory);
            state_copy(&test->reference, &test->memory);
        }
        struct weft_instruction instruction = vector_random(&test->seed, &test->config);
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
    for (unsigned i = 0; i < WEFT_FUNCTIONS; i++) {
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
    struct weft_instruction instruction = unclamped_vector(WEFT_FUNCTION_REQUANT);
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
    v->short_records = 1;
    measure(test, &bench, "requant, short records", &instruction);
    v->short_records = 0;
    v->rounding = WEFT_ROUNDING_SINGLE;
    measure(test, &bench, "requant single", &instruction);
    v->rounding = WEFT_ROUNDING_FLOAT;
    measure(test, &bench, "requant float", &instruction);
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
