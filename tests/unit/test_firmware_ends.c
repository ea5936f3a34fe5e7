/* firmware/: every way in which a run or its preparation ends, with its status; and that the next
 * run is good again. */
#include "tests/unit/firmware_bench.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/recording.h"

/* Digits on ref16, with the picture of a three. */
struct three {
    struct digits digits;
    struct firmware_bench *bench;
    uint8_t *picture, *golden;
};

static struct three open_three(bool has_interrupts) {
    struct three three = {.digits = digits_open("ref16")};
    three.bench = bench_open(three.digits.module, has_interrupts, true);
    three.picture = digits_picture(&three.digits, 3);
    three.golden = digits_golden(&three.digits, 3);
    return three;
}

static void close_three(struct three *three) {
    bench_close(three->bench);
    digits_close(&three->digits);
    free(three->picture);
    free(three->golden);
}

#define ASSERT_ENDS(call, name)                                                                    \
    assert_string_equal(weft_firmware_text(call), weft_firmware_text(WEFT_FIRMWARE_##name))

static enum weft_firmware_status run(struct three *three) {
    memcpy(weft_firmware_input(&three->bench->firmware, 0), three->picture, 256);
    return weft_firmware_run(&three->bench->firmware, NULL, NULL);
}

static void assert_good_run(struct three *three) {
    ASSERT_ENDS(run(three), OK);
    assert_memory_equal(weft_firmware_output(&three->bench->firmware, 0), three->golden, 10);
    assert_int_equal(three->bench->firmware.cycles, weft_module_cycles(three->digits.module));
}

/* ---- init ---- */

static void init_finds_what_does_not_fit(void **state) {
    (void)state;
    struct three three = open_three(true);
    struct firmware_bench *bench = three.bench;
    bench->identity[0] = 0x12345678;
    ASSERT_ENDS(bench_init(bench), NO_MACHINE);
    bench->identity[0] = 0;
    bench->identity[1] = WEFT_REGISTER_MAP_VERSION + 1;
    ASSERT_ENDS(bench_init(bench), REGISTER_MAP);
    bench->identity[1] = 0;
    ASSERT_ENDS(weft_firmware_init(&bench->firmware, &bench->platform, bench->model, bench->kernels,
                                   bench->arena, bench->model->arena_bytes - 1),
                ARENA);
    ASSERT_ENDS(weft_firmware_init(&bench->firmware, &bench->platform, bench->model, bench->kernels,
                                   (uint8_t *)bench->arena + 512, bench->model->arena_bytes),
                ALIGNMENT);
    bench->is_stuck = true;
    bench->platform.patience = 1000;
    ASSERT_ENDS(bench_init(bench), BUS_BUSY);
    bench->is_stuck = false;
    bench->platform.patience = UINT32_MAX;
    ASSERT_ENDS(bench_init(bench), OK);
    assert_good_run(&three);
    close_three(&three);
}

static void models_for_other_machines_are_refused(void **state) {
    (void)state;
    struct three three = open_three(true);
    struct digits small = digits_open("small8");
    struct firmware_bench *other = bench_open(small.module, true, true);
    struct weft_model *model = bench_place(three.bench, other->model->bytes, 0);
    memcpy(model, other->model, other->model->bytes);
    three.bench->model = model;
    ASSERT_ENDS(bench_init(three.bench), FINGERPRINT);
    bench_close(other);
    digits_close(&small);
    close_three(&three);
}

/* A machine that somebody has left running is stopped. */
static void init_stops_the_machine(void **state) {
    (void)state;
    struct three three = open_three(false);
    ASSERT_ENDS(bench_init(three.bench), OK);
    ASSERT_ENDS(weft_firmware_start(&three.bench->firmware, NULL, NULL), RUNNING);
    ASSERT_ENDS(bench_init(three.bench), OK);
    assert_int_equal(weft_device_next_event(three.bench->device), UINT64_MAX);
    assert_good_run(&three);
    close_three(&three);
}

/* ---- faults ---- */

/* Whatever fault the machine ends with. */
static void every_fault_has_its_status(void **state) {
    (void)state;
    static const enum weft_firmware_status statuses[WEFT_FAULTS] = {
#define WEFT_FAULT_CODE(name, value, text) [value] = WEFT_FIRMWARE_FAULT_##name,
#include "isa/faults.def"
#undef WEFT_FAULT_CODE
    };
    for (int has_interrupts = 0; has_interrupts < 2; has_interrupts++) {
        struct three three = open_three(has_interrupts != 0);
        ASSERT_ENDS(bench_init(three.bench), OK);
        for (uint32_t fault = 1; fault < WEFT_FAULTS; fault++) {
            three.bench->fault = fault;
            assert_int_equal(run(&three), statuses[fault]);
            assert_int_equal(three.bench->firmware.status, statuses[fault]);
            assert_int_equal(three.bench->firmware.instruction, 42);
            assert_int_equal(three.bench->firmware.step, 0);
            assert_string_equal(weft_firmware_text(statuses[fault]), weft_fault_names[fault]);
            three.bench->fault = 0;
            assert_good_run(&three);
        }
        close_three(&three);
    }
}

static struct weft_model_segment *segment_of(const struct firmware_bench *bench) {
    uint8_t *bytes = (uint8_t *)bench->model;
    const struct weft_model_step *step =
        (const struct weft_model_step *)(bytes + bench->model->steps.at);
    assert_int_equal(step->kind, WEFT_STEP_SEGMENT);
    return (struct weft_model_segment *)(bytes + step->at);
}

/* Runs with these instructions in the place of the program, then with the program again. */
static void assert_faults(struct three *three, struct weft_instruction *instructions, size_t count,
                          enum weft_firmware_status status, uint32_t number) {
    struct firmware_bench *bench = three->bench;
    const struct weft_program program = {.instructions = instructions, .count = count};
    uint8_t *bytes = NULL;
    uint8_t *place =
        (uint8_t *)bench->model + segment_of(bench)->regions[WEFT_REGION_PROGRAM].place.at;
    uint8_t *saved = malloc(count * WEFT_INSTRUCTION_BYTES);
    ASSERT_GOOD(weft_program_encode(&program, &bytes, &bench->error), bench->error);
    memcpy(saved, place, count * WEFT_INSTRUCTION_BYTES);
    memcpy(place, bytes, count * WEFT_INSTRUCTION_BYTES);
    bench_evict(bench);
    assert_string_equal(weft_firmware_text(run(three)), weft_firmware_text(status));
    assert_int_equal(bench->firmware.instruction, number);
    memcpy(place, saved, count * WEFT_INSTRUCTION_BYTES);
    bench_evict(bench);
    assert_good_run(three);
    free(saved);
    free(bytes);
}

/* Programs that do what they must not, on the machine. */
static void the_machine_faults(void **state) {
    (void)state;
    enum {
        LOAD = 1 << WEFT_UNIT_LOAD,
        VECTOR = 1 << WEFT_UNIT_VECTOR
    };
    struct three three = open_three(true);
    struct weft_config config = config_named("ref16");
    ASSERT_ENDS(bench_init(three.bench), OK);
    struct weft_instruction program[4] = {load_of(64), slots_of(1), halt_of()};
    program[0].load.region = program[0].load.address = 0;
    program[0].banks[WEFT_MEMORY_ACT] = program[1].banks[WEFT_MEMORY_ACT] = 1;
    assert_faults(&three, program, 3, WEFT_FIRMWARE_FAULT_BANK, 1);
    program[0] = slots_of(1);
    program[0].wait = LOAD;
    program[1] = halt_of();
    assert_faults(&three, program, 2, WEFT_FIRMWARE_FAULT_DEADLOCK, 0);
    for (uint32_t i = 0; i < 2; i++) {
        program[i] = weft_instruction_new(WEFT_OPCODE_STORE);
        program[i].store.address = 1 << 20;
        program[i].store.region = i == 0 ? WEFT_REGION_OUTPUTS : WEFT_REGION_CONSTANTS;
    }
    program[2] = halt_of();
    assert_faults(&three, program, 3, WEFT_FIRMWARE_FAULT_ADDRESS, 0);
    program[1].store.address = 0;
    assert_faults(&three, program + 1, 2, WEFT_FIRMWARE_FAULT_WRITE, 0);
    struct weft_instruction tokens[100];
    for (size_t i = 0; i < 100; i++) {
        tokens[i] = fill_of(&config, 1);
        tokens[i].signal = VECTOR;
    }
    assert_faults(&three, tokens, 100, WEFT_FIRMWARE_FAULT_SEMAPHORE, config.semaphore_max);
    close_three(&three);
}

static void spoiled_models_fault(void **state) {
    (void)state;
    struct three three = open_three(true);
    struct firmware_bench *bench = three.bench;
    ASSERT_ENDS(bench_init(bench), OK);
    struct weft_model_segment *segment = segment_of(bench);
    const struct weft_model_segment good = *segment;
    uint8_t *program = (uint8_t *)bench->model + good.regions[WEFT_REGION_PROGRAM].place.at;
    segment->regions[WEFT_REGION_PROGRAM].bytes -= WEFT_INSTRUCTION_BYTES;
    ASSERT_ENDS(run(&three), FAULT_PROGRAM_END);
    *segment = good;
    segment->bound = 100;
    ASSERT_ENDS(run(&three), FAULT_WATCHDOG);
    bench->platform.watchdog_factor = 1000;
    assert_good_run(&three);
    bench->platform.watchdog_factor = 0; /* no watchdog */
    assert_good_run(&three);
    *segment = good;
    program[0] = (uint8_t)~program[0];
    bench_evict(bench);
    ASSERT_ENDS(run(&three), FAULT_ENCODING);
    program[0] = (uint8_t)~program[0];
    bench_evict(bench);
    bench->refused = bench_address(bench, program) + 64;
    ASSERT_ENDS(run(&three), FAULT_BUS);
    bench->refused = 0;
    assert_good_run(&three);
    close_three(&three);
}

/* ---- time ---- */

static void lost_interrupts_are_found(void **state) {
    (void)state;
    struct three three = open_three(true);
    ASSERT_ENDS(bench_init(three.bench), OK);
    three.bench->loses_interrupts = true;
    ASSERT_ENDS(run(&three), LOST_INTERRUPT);
    ASSERT_ENDS(run(&three), LOST_INTERRUPT);
    ASSERT_ENDS(weft_firmware_poll(&three.bench->firmware), LOST_INTERRUPT);
    three.bench->loses_interrupts = false;
    assert_good_run(&three);
    close_three(&three);
}

/* A bus that answers no more: the run ends in time, the next ones are refused until it is quiet. */
static void stuck_machines_are_given_up(void **state) {
    (void)state;
    for (int has_interrupts = 0; has_interrupts < 2; has_interrupts++) {
        struct three three = open_three(has_interrupts != 0);
        struct firmware_bench *bench = three.bench;
        bench->platform.patience = 100000;
        ASSERT_ENDS(bench_init(bench), OK);
        ASSERT_ENDS(weft_firmware_start(&bench->firmware, NULL, NULL), RUNNING);
        bench->is_stuck = true;
        ASSERT_ENDS(weft_firmware_poll(&bench->firmware), RUNNING);
        bench->now += 100000;
        ASSERT_ENDS(weft_firmware_poll(&bench->firmware), DEADLINE);
        ASSERT_ENDS(run(&three), BUS_BUSY);
        ASSERT_ENDS(run(&three), BUS_BUSY);
        bench->is_stuck = false;
        assert_good_run(&three);
        close_three(&three);
    }
}

static void programs_that_take_too_long_are_given_up(void **state) {
    (void)state;
    for (int has_interrupts = 0; has_interrupts < 2; has_interrupts++) {
        struct three three = open_three(has_interrupts != 0);
        ASSERT_ENDS(bench_init(three.bench), OK);
        three.bench->platform.patience = 1000;
        ASSERT_ENDS(run(&three), DEADLINE);
        three.bench->platform.patience = 1000000;
        assert_good_run(&three);
        close_three(&three);
    }
}

/* ---- abort ---- */

static void runs_are_aborted_in_the_middle(void **state) {
    (void)state;
    struct three three = open_three(true);
    struct firmware_bench *bench = three.bench;
    ASSERT_ENDS(bench_init(bench), OK);
    ASSERT_ENDS(weft_firmware_abort(&bench->firmware), OK); /* of nothing */
    for (uint64_t cycle = 1; cycle < 8000; cycle += 777) {
        bench->abort_at = bench->now + 200 + cycle;
        bench->aborted = UINT32_MAX;
        ASSERT_ENDS(run(&three), ABORTED);
        ASSERT_ENDS((enum weft_firmware_status)bench->aborted, OK);
        assert_int_equal(weft_device_next_event(bench->device), UINT64_MAX);
        assert_good_run(&three);
    }
    close_three(&three);
}

static void runs_are_aborted_between_polls(void **state) {
    (void)state;
    struct three three = open_three(false);
    struct firmware_bench *bench = three.bench;
    bench->platform.patience = 1000;
    ASSERT_ENDS(bench_init(bench), OK);
    ASSERT_ENDS(weft_firmware_start(&bench->firmware, NULL, NULL), RUNNING);
    ASSERT_ENDS(weft_firmware_start(&bench->firmware, NULL, NULL), STATE);
    ASSERT_ENDS(weft_firmware_abort(&bench->firmware), OK);
    ASSERT_ENDS(weft_firmware_poll(&bench->firmware), ABORTED);
    ASSERT_ENDS(weft_firmware_start(&bench->firmware, NULL, NULL), RUNNING);
    bench->is_stuck = true;
    ASSERT_ENDS(weft_firmware_abort(&bench->firmware), BUS_BUSY);
    ASSERT_ENDS(weft_firmware_poll(&bench->firmware), ABORTED);
    bench->is_stuck = false;
    bench->platform.patience = UINT32_MAX;
    assert_good_run(&three);
    close_three(&three);
}

/* ---- operators ---- */

static enum weft_kernel_status index_outside(const void *parameters, const void *const *inputs,
                                             void *const *outputs, void *state, void *scratch) {
    (void)parameters;
    (void)inputs;
    (void)outputs;
    (void)state;
    (void)scratch;
    return WEFT_KERNEL_INDEX;
}

static enum weft_kernel_status no_answer(const void *parameters, const void *const *inputs,
                                         void *const *outputs, void *state, void *scratch) {
    (void)index_outside(parameters, inputs, outputs, state, scratch);
    return WEFT_KERNEL_UNDEFINED;
}

static void operators_that_fail_end_the_run(void **state) {
    (void)state;
    struct three three = open_three(true);
    struct firmware_bench *bench = three.bench;
    ASSERT_ENDS(bench_init(bench), OK);
    const struct weft_kernel_entry *softmax = bench->kernels[0];
    struct weft_kernel_entry wrong = *softmax;
    bench->kernels[0] = &wrong;
    wrong.run = index_outside;
    ASSERT_ENDS(run(&three), KERNEL_INDEX);
    assert_int_equal(bench->firmware.step, 1);
    wrong.run = no_answer;
    ASSERT_ENDS(run(&three), KERNEL_UNDEFINED);
    bench->kernels[0] = softmax;
    assert_good_run(&three);
    close_three(&three);
}

/* ---- texts ---- */

static void statuses_have_texts_of_their_own(void **state) {
    (void)state;
    static const int values[] = {
#define WEFT_FIRMWARE_STATUS(name, value, text) (value),
#include "firmware/status.def"
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(values[i], values[k]);
            assert_string_not_equal(weft_firmware_text((enum weft_firmware_status)values[i]),
                                    weft_firmware_text((enum weft_firmware_status)values[k]));
        }
    }
    assert_string_equal(weft_firmware_text((enum weft_firmware_status)200), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(init_finds_what_does_not_fit),
        cmocka_unit_test(models_for_other_machines_are_refused),
        cmocka_unit_test(init_stops_the_machine),
        cmocka_unit_test(every_fault_has_its_status),
        cmocka_unit_test(the_machine_faults),
        cmocka_unit_test(spoiled_models_fault),
        cmocka_unit_test(lost_interrupts_are_found),
        cmocka_unit_test(stuck_machines_are_given_up),
        cmocka_unit_test(programs_that_take_too_long_are_given_up),
        cmocka_unit_test(runs_are_aborted_in_the_middle),
        cmocka_unit_test(runs_are_aborted_between_polls),
        cmocka_unit_test(operators_that_fail_end_the_run),
        cmocka_unit_test(statuses_have_texts_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
