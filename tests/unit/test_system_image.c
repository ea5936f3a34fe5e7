/* driver/system_image.h: what lies where in a system's memory, and what its end means. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "driver/system_image.h"
#include "firmware/weft_model.h"

enum {
    TENSORS = 3,
    BLOB_BYTES = 2048,
    INPUT_BYTES = 5,
    FIRST_OUTPUT_BYTES = 1025,
    SECOND_OUTPUT_BYTES = 16,
    ARENA_BYTES = 3000,
    FIRMWARE_BYTES = 100,
};

/* A blob of one input and two outputs, without steps. */
struct bench {
    struct {
        struct weft_model model;
        struct weft_model_tensor tensors[TENSORS];
    } head;
    uint8_t blob[BLOB_BYTES];
    uint8_t firmware[FIRMWARE_BYTES];
    struct weft_system_setup setup;
    struct weft_system_image image;
    struct weft_error error;
};

static void write_blob(struct bench *bench) {
    memcpy(bench->blob, &bench->head, sizeof bench->head);
}

static int begin(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    struct weft_model *const model = &bench->head.model;
    memcpy(model->magic, WEFT_MODEL_MAGIC, sizeof model->magic);
    model->version = WEFT_MODEL_VERSION;
    model->bytes = BLOB_BYTES;
    model->arena_bytes = ARENA_BYTES;
    model->inputs = (struct weft_model_list){sizeof *model, 1};
    model->outputs = (struct weft_model_list){sizeof *model + sizeof bench->head.tensors[0], 2};
    bench->head.tensors[0].bytes = INPUT_BYTES;
    bench->head.tensors[1].bytes = FIRST_OUTPUT_BYTES;
    bench->head.tensors[2].bytes = SECOND_OUTPUT_BYTES;
    memset(bench->firmware, 0xa5, sizeof bench->firmware);
    memset(bench->blob, 0x5a, sizeof bench->blob);
    write_blob(bench);
    bench->setup = (struct weft_system_setup){.image = bench->firmware,
                                              .image_bytes = sizeof bench->firmware,
                                              .blob = bench->blob,
                                              .blob_bytes = sizeof bench->blob,
                                              .interrupt = true,
                                              .runs = 3,
                                              .patience = 1000,
                                              .watchdog_factor = 2};
    *state = bench;
    return 0;
}

static int end(void **state) {
    struct bench *bench = *state;
    weft_system_image_free(&bench->image);
    free(bench);
    return 0;
}

static void make(struct bench *bench) {
    ASSERT_GOOD(weft_system_image_make(&bench->setup, &bench->image, &bench->error), bench->error);
}

static uint8_t *at(const struct bench *bench, uint32_t address) {
    return bench->image.ram + (address - WEFT_SYSTEM_RAM);
}

/* What the firmware would leave. */
static void leave(const struct bench *bench, const struct weft_boot *boot) {
    memcpy(at(bench, WEFT_BOOT_ADDRESS), boot, sizeof *boot);
}

/* ---- where things lie ---- */

static void test_places(void **state) {
    struct bench *bench = *state;
    make(bench);
    const struct weft_boot boot = weft_system_image_boot(&bench->image);
    assert_int_equal(bench->image.ram_bytes, WEFT_SYSTEM_RAM_BYTES);
    assert_memory_equal(&boot, &bench->image.boot, sizeof boot);
    assert_memory_equal(boot.magic, WEFT_BOOT_MAGIC, sizeof boot.magic);
    assert_int_equal(boot.version, WEFT_BOOT_VERSION);
    assert_int_equal(boot.flags, WEFT_BOOT_INTERRUPT);
    assert_int_equal(boot.runs, 3);
    assert_int_equal(boot.patience, 1000);
    assert_int_equal(boot.watchdog_factor, 2);
    assert_int_equal(boot.status, WEFT_BOOT_UNFINISHED);
    assert_memory_equal(at(bench, WEFT_BOOT_IMAGE), bench->firmware, FIRMWARE_BYTES);
    assert_memory_equal(at(bench, boot.blob.address), bench->blob, BLOB_BYTES);
    assert_int_equal(boot.blob.bytes, BLOB_BYTES);
    assert_int_equal(boot.arena.bytes, ARENA_BYTES);
    assert_int_equal(boot.input_count, 1);
    assert_int_equal(boot.inputs[0].bytes, INPUT_BYTES);
    assert_int_equal(boot.output_count, 2);
    assert_int_equal(boot.outputs[0].bytes, FIRST_OUTPUT_BYTES);
    assert_int_equal(boot.outputs[1].bytes, SECOND_OUTPUT_BYTES);
}

/* In this order, each at a multiple of 1024, none in another. */
static void test_ranges_are_apart(void **state) {
    struct bench *bench = *state;
    make(bench);
    const struct weft_boot *boot = &bench->image.boot;
    const struct weft_boot_range ranges[] = {boot->blob, boot->arena, boot->inputs[0],
                                             boot->outputs[0], boot->outputs[1]};
    uint32_t free_from = WEFT_BOOT_ADDRESS + sizeof *boot;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        assert_int_equal(ranges[i].address % WEFT_MODEL_ALIGNMENT, 0);
        assert_true(ranges[i].address >= free_from);
        free_from = ranges[i].address + ranges[i].bytes;
    }
    assert_true(free_from <= WEFT_SYSTEM_RAM + bench->image.ram_bytes);
}

static void test_polling(void **state) {
    struct bench *bench = *state;
    bench->setup.interrupt = false;
    make(bench);
    assert_int_equal(weft_system_image_boot(&bench->image).flags, 0);
}

static void test_more_memory(void **state) {
    struct bench *bench = *state;
    bench->head.model.arena_bytes = (uint32_t)WEFT_SYSTEM_RAM_BYTES;
    write_blob(bench);
    make(bench);
    assert_true(bench->image.ram_bytes > WEFT_SYSTEM_RAM_BYTES + BLOB_BYTES);
    assert_int_equal(bench->image.ram_bytes % WEFT_MODEL_ALIGNMENT, 0);
}

/* ---- tensors ---- */

static void test_tensors(void **state) {
    struct bench *bench = *state;
    static const uint8_t input[INPUT_BYTES] = {1, 2, 3, 4, 5};
    const void *bytes = NULL;
    size_t length = 0;
    make(bench);
    ASSERT_GOOD(weft_system_image_set_input(&bench->image, 0, input, sizeof input, &bench->error),
                bench->error);
    assert_memory_equal(at(bench, bench->image.boot.inputs[0].address), input, sizeof input);
    at(bench, bench->image.boot.outputs[1].address)[7] = 9;
    ASSERT_GOOD(weft_system_image_output(&bench->image, 1, &bytes, &length, &bench->error),
                bench->error);
    assert_int_equal(length, SECOND_OUTPUT_BYTES);
    assert_int_equal(((const uint8_t *)bytes)[7], 9);
    ASSERT_FAILS(weft_system_image_set_input(&bench->image, 1, input, sizeof input, &bench->error),
                 bench->error, WEFT_ARGUMENT);
    ASSERT_FAILS(
        weft_system_image_set_input(&bench->image, 0, input, sizeof input - 1, &bench->error),
        bench->error, WEFT_TENSOR);
    ASSERT_FAILS(weft_system_image_output(&bench->image, 2, &bytes, &length, &bench->error),
                 bench->error, WEFT_ARGUMENT);
}

/* Whatever a system wrote to its boot block, outputs are where the host said. */
static void test_outputs_are_the_hosts(void **state) {
    struct bench *bench = *state;
    const void *bytes = NULL;
    size_t length = 0;
    make(bench);
    struct weft_boot boot = bench->image.boot;
    boot.output_count = WEFT_BOOT_TENSORS;
    boot.outputs[0] = (struct weft_boot_range){UINT32_MAX, UINT32_MAX};
    leave(bench, &boot);
    ASSERT_GOOD(weft_system_image_output(&bench->image, 0, &bytes, &length, &bench->error),
                bench->error);
    assert_ptr_equal(bytes, at(bench, bench->image.boot.outputs[0].address));
    assert_int_equal(length, FIRST_OUTPUT_BYTES);
    ASSERT_FAILS(weft_system_image_output(&bench->image, 2, &bytes, &length, &bench->error),
                 bench->error, WEFT_ARGUMENT);
}

/* ---- how it ends ---- */

static void must_say(struct bench *bench, uint32_t finish, enum weft_error_code code,
                     const char *text) {
    ASSERT_FAILS(weft_system_image_check(&bench->image, finish, &bench->error), bench->error, code);
    assert_non_null(strstr(bench->error.message, text));
}

static void test_end(void **state) {
    struct bench *bench = *state;
    make(bench);
    struct weft_boot boot = bench->image.boot;
    must_say(bench, WEFT_FINISHER_PASS, WEFT_INTERNAL,
             "wrote 0x00005555 to the test finisher, "
             "and left status 255");
    boot.status = 0;
    leave(bench, &boot);
    ASSERT_GOOD(weft_system_image_check(&bench->image, WEFT_FINISHER_PASS, &bench->error),
                bench->error);
    must_say(bench, WEFT_FINISHER_FAIL | 1U << 16, WEFT_INTERNAL, "left status 0");
    boot.status = 50;
    boot.runs_done = 1;
    boot.step = 4;
    leave(bench, &boot);
    must_say(bench, WEFT_FINISHER_FAIL | 50U << 16, WEFT_FAULT,
             "after 1 runs, in step 4 of the model, instruction 0: the model is for another "
             "configuration");
    boot.status = WEFT_BOOT_TRAP;
    boot.trap_cause = 5;
    boot.trap_pc = 0x80001234;
    leave(bench, &boot);
    must_say(bench, WEFT_FINISHER_FAIL | (uint32_t)WEFT_BOOT_TRAP << 16, WEFT_FAULT,
             "an exception that nobody expected: cause 5 at 0x80001234, value 0x00000000");
    boot.status = 99;
    leave(bench, &boot);
    must_say(bench, WEFT_FINISHER_FAIL | 99U << 16, WEFT_FAULT, "a status that nobody knows");
}

/* ---- what is refused ---- */

static void must_refuse(struct bench *bench, enum weft_error_code code, const char *text) {
    ASSERT_FAILS(weft_system_image_make(&bench->setup, &bench->image, &bench->error), bench->error,
                 code);
    assert_non_null(strstr(bench->error.message, text));
    assert_null(bench->image.ram);
}

static void test_setup_refused(void **state) {
    struct bench *bench = *state;
    bench->setup.runs = 0;
    must_refuse(bench, WEFT_ARGUMENT, "0 times, expected at least 1");
    bench->setup.runs = 1;
    bench->setup.image_bytes = WEFT_BOOT_ADDRESS - WEFT_BOOT_IMAGE + 1;
    must_refuse(bench, WEFT_LIMIT, "firmware of 2097153 bytes, expected at most 2097152");
    bench->setup.image_bytes = FIRMWARE_BYTES;
    bench->setup.blob_bytes = sizeof(struct weft_model) - 1;
    must_refuse(bench, WEFT_CONTAINER, "shorter than its header");
}

static void test_blob_refused(void **state) {
    struct bench *bench = *state;
    struct weft_model *const model = &bench->head.model;
    const struct weft_model good = *model;
    model->magic[0] ^= 1;
    write_blob(bench);
    must_refuse(bench, WEFT_CONTAINER, "no blob of version");
    *model = good;
    model->version++;
    write_blob(bench);
    must_refuse(bench, WEFT_CONTAINER, "no blob of version");
    *model = good;
    model->bytes = BLOB_BYTES + 1;
    write_blob(bench);
    must_refuse(bench, WEFT_CONTAINER, "has no room for what its header names");
    *model = good;
    model->outputs.at = BLOB_BYTES - 1;
    write_blob(bench);
    must_refuse(bench, WEFT_CONTAINER, "has no room for what its header names");
    model->outputs = (struct weft_model_list){UINT32_MAX, 1};
    write_blob(bench);
    must_refuse(bench, WEFT_CONTAINER, "has no room for what its header names");
    *model = good;
    model->inputs = (struct weft_model_list){0, WEFT_BOOT_TENSORS + 1};
    write_blob(bench);
    must_refuse(bench, WEFT_LIMIT, "17 inputs and 2 outputs, expected at most 16");
    *model = good;
    model->arena_bytes = UINT32_MAX;
    write_blob(bench);
    must_refuse(bench, WEFT_LIMIT, "bytes of RAM, expected at most 2147482624");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, begin, end),
        cmocka_unit_test_setup_teardown(test_ranges_are_apart, begin, end),
        cmocka_unit_test_setup_teardown(test_polling, begin, end),
        cmocka_unit_test_setup_teardown(test_more_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_tensors, begin, end),
        cmocka_unit_test_setup_teardown(test_outputs_are_the_hosts, begin, end),
        cmocka_unit_test_setup_teardown(test_end, begin, end),
        cmocka_unit_test_setup_teardown(test_setup_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_blob_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
