/* Technologies, what MATRIX moves on the chip, and the energy of a run. */
#include "tests/unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "driver/energy.h"

static const char *const path = WEFT_SOURCE_DIR "/hw/technology/45nm.json";

static char *read_text(void) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    struct weft_error error;
    ASSERT_GOOD(weft_file_read(path, &bytes, &length, &error), error);
    return (char *)bytes;
}

/* The text with the first `from` turned into `to`; the caller frees it. */
static char *changed(const char *text, const char *from, const char *to) {
    struct weft_text out = {0};
    const char *at = strstr(text, from);
    assert_non_null(at);
    weft_text_add(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_false(out.failed);
    return out.bytes;
}

static void a_technology_is_read(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_technology builtin;
    struct weft_technology file;
    memset(&builtin, 0, sizeof builtin);
    memset(&file, 0, sizeof file);
    ASSERT_GOOD(weft_technology_find("45nm", &builtin, &error), error);
    ASSERT_GOOD(weft_technology_find(path, &file, &error), error);
    assert_string_equal(builtin.name, "45nm");
    assert_int_equal(builtin.multiply_8, 200);
    assert_int_equal(builtin.ram_leakage, 24343);
    assert_int_equal(file.external, builtin.external);
    ASSERT_FAILS(weft_technology_find("46nm", &file, &error), error, WEFT_IO);
}

static void malformed_technologies_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"\"value\": 200", "\"value\": -200"},
        {"\"value\": 200", "\"value\": 2.5"},
        {"\"value\": 200", "\"value\": 2000000000000"},
        {"\"value\": 200, ", ""},
        {"\"unit\": \"fJ\"", "\"unit\": \"pJ\""},
        {"\"https://doi.org/10.1109/ISSCC.2014.6757323\"", "\"\""}, /* no source is no number */
        {"\"multiply_8\"", "\"multiply_9\""},
        {"\"multiply_32\"", "\"multiply_8\""},
        {"\"name\": \"45nm\",", ""},
        {"\"name\": \"45nm\"", "\"name\": \"\""},
        {"}\n}", "}\n"},
        {"}\n}", "}\n} x"},
        {"{", "["},
    };
    char *text = read_text();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_error error;
        struct weft_technology technology;
        char *wrong = changed(text, cases[i].from, cases[i].to);
        ASSERT_FAILS(weft_technology_parse(wrong, strlen(wrong), &technology, &error), error,
                     WEFT_TECHNOLOGY);
        free(wrong);
    }
    for (size_t length = 0; length + 2 < strlen(text); length += 7) {
        struct weft_error error;
        struct weft_technology technology;
        ASSERT_FAILS(weft_technology_parse(text, length, &technology, &error), error,
                     WEFT_TECHNOLOGY);
    }
    free(text);
}

static struct weft_config small8(void) {
    struct weft_config config;
    struct weft_error error;
    ASSERT_GOOD(weft_config_find("small8", &config, &error), error);
    return config;
}

/* 2 x 3 tiles over 4 x 5 pixels: dense, each pixel reads a line for each tile. */
static void traffic_follows_the_loops(void **state) {
    (void)state;
    const struct weft_config config = small8();
    struct weft_matrix_traffic traffic = {0};
    struct weft_instruction program[3] = {{.opcode = WEFT_OPCODE_MATRIX},
                                          {.opcode = WEFT_OPCODE_HALT},
                                          {.opcode = WEFT_OPCODE_MATRIX}};
    program[0].matrix = (struct weft_matrix_fields){
        .mode = WEFT_MODE_DENSE, .tile_count = {2, 3, 1, 1}, .pixel_count = {4, 5}};
    weft_matrix_traffic_add(&config, program, 2, &traffic);
    assert_true(traffic.act_bytes == 6 * 20 * 8);
    assert_true(traffic.wgt_bytes == 6 * 64);
    assert_true(traffic.acc_bytes == 6 * 20 * 64);
    /* Depthwise, 3 x 2 taps in steps of 2: (5 - 1) * 2 + 2 columns of three rows, for 4 rows. */
    program[2].matrix = (struct weft_matrix_fields){.mode = WEFT_MODE_DEPTHWISE,
                                                    .tile_count = {1, 1, 1, 7},
                                                    .pixel_count = {4, 5},
                                                    .window_rows = 3,
                                                    .window_columns = 2,
                                                    .window_step = 2};
    traffic = (struct weft_matrix_traffic){0};
    weft_matrix_traffic_add(&config, program + 2, 1, &traffic);
    assert_true(traffic.act_bytes == 7 * 4 * 10 * 3 * 8);
    assert_true(traffic.wgt_bytes == 7 * 6 * 8);
    assert_true(traffic.acc_bytes == 7 * 20 * 64);
}

/* Each part by hand, with numbers that tell them apart. */
static void energy_is_what_counters_say(void **state) {
    (void)state;
    const struct weft_config config = small8(); /* RAMs of ACT have 8 KB, of ACC 4 KB */
    const struct weft_technology technology = {.multiply_8 = 3,
                                               .multiply_32 = 50,
                                               .add_32 = 7,
                                               .ram_8k = 1000,
                                               .ram_32k = 2000,
                                               .ram_1m = 8000,
                                               .external = 100000,
                                               .ram_leakage = 9};
    uint64_t counters[WEFT_COUNTERS] = {0};
    counters[WEFT_COUNTER_INDEX_cycles] = 1000000;
    counters[WEFT_COUNTER_INDEX_vector_slots] = 11;
    counters[WEFT_COUNTER_INDEX_load_bytes] = 500;
    counters[WEFT_COUNTER_INDEX_store_bytes] = 60;
    counters[WEFT_COUNTER_INDEX_fetch_bytes] = 64;
    counters[WEFT_COUNTER_INDEX_fill_lines] = 2;
    const struct weft_activity activity = {
        .macs = 1000, .matrix = {4096, 640, 256}, .counters = counters};
    const struct weft_energy e = weft_energy_of(&technology, &config, &activity, 100);
    const double bits = 8 * (65536.0 + 32768 + 16384 + 4096 + 2048);
    const double expected[WEFT_ENERGY_PARTS - 1] = {
        1000 * 10e-9,
        11 * 8 * 57e-9,
        (4096 + 11 * 8 + 500 + 60 + 16) * 1000e-9,
        640 * 2000e-9,
        256 * 1000e-9 *
            sqrt(0.5), /* a RAM a quarter as large takes half, so one half as large this */
        (500 + 60 + 64) * 100000e-9,
        0.01 * bits * 9e-6, /* in 10 ms */
    };
    double sum = 0;
    for (unsigned part = 0; part + 1 < WEFT_ENERGY_PARTS; part++) {
        assert_true(fabs(weft_energy_part(&e, part) - expected[part]) < 1e-9 * expected[part]);
        sum += expected[part];
    }
    assert_true(fabs(e.total - sum) < 1e-9 * sum);
    const struct weft_energy still = weft_energy_of(&technology, &config, &activity, 0);
    assert_true(still.leakage == 0 && fabs(still.total + expected[6] - sum) < 1e-9 * sum);
    assert_string_equal(weft_energy_names[WEFT_ENERGY_PARTS - 1], "total");
}

/* Half way between 8 KB and 32 KB, as a logarithm, 16 KB cost half of what one point does where the
 * other is 0; at a point what that says. */
static void a_point_of_nothing_is_one_of_the_points(void **state) {
    (void)state;
    struct weft_config config = small8();
    const struct weft_technology technology = {.ram_8k = 1000};
    const uint64_t counters[WEFT_COUNTERS] = {0};
    const struct weft_activity activity = {.matrix = {.wgt_bytes = 500}, .counters = counters};
    static const double shares[][2] = {{4096, 1}, {8192, 1}, {16384, 0.5}, {32768, 0}, {65536, 0}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        config.wgt_bytes = (uint32_t)shares[i][0];
        const struct weft_energy e = weft_energy_of(&technology, &config, &activity, 0);
        assert_true(fabs(e.wgt - shares[i][1] * 500e-6) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_technology_is_read),
        cmocka_unit_test(malformed_technologies_are_refused),
        cmocka_unit_test(traffic_follows_the_loops),
        cmocka_unit_test(energy_is_what_counters_say),
        cmocka_unit_test(a_point_of_nothing_is_one_of_the_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
