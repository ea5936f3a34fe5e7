/* docs/guides/add-a-pass.md: the larger of a value and itself is the value. */
#include "tests/unit/graphs.h"

#include <string.h>

#include "compiler/module.h"
#include "compiler/passes/passes.h"

static void twins_go(void **state) {
    assert_pass(*state, weft_pass_drop_twins,
                "graph main(%x: 1x4xi8{0.5, 3} #0) {\n"
                "  %y = maximum(%x, %x) : 1x4xi8{0.5, 3}\n"
                "  %z = minimum(%y, %y) : 1x4xi8{0.5, 3}\n"
                "  %w = qnn.tanh(%z) : 1x4xi8{0.0078125, 0}\n"
                "  return %w\n"
                "}\n",
                "graph main(%x: 1x4xi8{0.5, 3} #0) {\n"
                "  %w = qnn.tanh(%x) : 1x4xi8{0.0078125, 0}\n"
                "  return %w\n"
                "}\n");
}

static void others_stay(void **state) {
    assert_stays(*state, weft_pass_drop_twins,
                 "graph main(%x: 1x4xi8{0.5, 3} #0, %y: 1x4xi8{0.5, 3} #1) {\n"
                 "  %z = maximum(%x, %y) : 1x4xi8{0.5, 3}\n"
                 "  return %z\n"
                 "}\n");
}

static void the_pass_is_in_the_list(void **state) {
    (void)state;
    bool found = false;
    for (size_t i = 0; weft_pass_names[i] != NULL; i++) {
        found = found || strcmp(weft_pass_names[i], "drop-twins") == 0;
    }
    assert_true(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(twins_go),
        ARENA_TEST(others_stay),
        cmocka_unit_test(the_pass_is_in_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
