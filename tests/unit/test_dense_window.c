/* How rows of a window fill reduction steps together: compiler/plan/dense_window.c. */
#include "compiler/plan/region.h"
#include "tests/unit/modules.h"
#include "tests/unit/test.h"

static struct dense_window window_of(const struct weft_config *config, int64_t rows,
                                     int64_t columns, int64_t channels) {
    struct layer layer = {.kernel = {rows, columns}, .dilation = {1, 1}};
    layer.in.c = channels;
    return dense_window_of(config, &layer);
}

static void steps_are_as_many_as_taps_fill(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    assert_int_equal(window_of(&config, 3, 3, 3).steps, 2);
    assert_int_equal(window_of(&config, 5, 5, 3).steps, 5);
    assert_int_equal(window_of(&config, 7, 7, 3).steps, 10);
    assert_int_equal(window_of(&config, 7, 7, 4).steps, 13);
    /* Two short rows a step: a third would need a second end. */
    assert_int_equal(window_of(&config, 5, 5, 1).steps, 3);
    assert_int_equal(window_of(&config, 10, 4, 1).steps, 5);
}

static void some_windows_have_none(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    assert_int_equal(window_of(&config, 1, 3, 3).steps, 0);
    assert_int_equal(window_of(&config, 8, 3, 3).steps, 0);  /* more rows than the field holds */
    assert_int_equal(window_of(&config, 3, 16, 4).steps, 0); /* more bytes */
    struct layer layer = {.kernel = {3, 3}, .dilation = {2, 1}};
    layer.in.c = 3;
    assert_int_equal(dense_window_of(&config, &layer).steps, 0);
    config.dense_rows = 0;
    assert_int_equal(window_of(&config, 3, 3, 3).steps, 0);
}

static void pitches_put_rows_into_other_sub_banks(void **state) {
    (void)state;
    struct weft_config config = config_named("ref16");
    const struct dense_window window = window_of(&config, 3, 3, 3);
    for (int64_t least = 1; least < 400; least++) {
        int64_t pitch = dense_window_pitch(&config, &window, least);
        int64_t lines = (pitch - window.bytes) / config.block;
        assert_int_equal((pitch - window.bytes) % config.block, 0);
        assert_true(lines % 4 == 1 || lines % 4 == 2);
        assert_true(pitch >= least && pitch < least + 3 * (int64_t)config.block + 9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_as_many_as_taps_fill),
        cmocka_unit_test(some_windows_have_none),
        cmocka_unit_test(pitches_put_rows_into_other_sub_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
