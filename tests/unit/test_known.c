/* What attempts came to is found again under the decisions that they were made with, and no others.
 */
#include "tests/unit/test.h"

#include <string.h>

#include "compiler/schedule/known.h"

enum {
    LAYERS = 3,
    TENSORS = 4,
    MANY = 5000 /* entries, more than a table begins with */
};

struct example {
    struct region region;
    struct cut cuts[LAYERS];
    struct keep keeps[TENSORS];
    struct decisions decisions;
};

static void make_example(struct example *example) {
    memset(example, 0, sizeof *example);
    example->decisions = (struct decisions){.layer_count = LAYERS,
                                            .tensor_count = TENSORS,
                                            .cuts = example->cuts,
                                            .keeps = example->keeps};
}

static uint64_t key_of(const struct example *example) {
    return known_key(&example->region, NULL, &example->decisions);
}

static void every_decision_has_a_key_of_its_own(void **state) {
    (void)state;
    struct example example;
    make_example(&example);
    const uint64_t key = key_of(&example);
    assert_int_equal(key_of(&example), key);
#define WEFT_CUT(type, name, doc)                                                                  \
    example.cuts[LAYERS - 1].name = (type)1;                                                       \
    assert_int_not_equal(key_of(&example), key);                                                   \
    example.cuts[LAYERS - 1].name = (type)0;
#define WEFT_KEEP(type, name, doc)                                                                 \
    example.keeps[0].name = (type)1;                                                               \
    assert_int_not_equal(key_of(&example), key);                                                   \
    example.keeps[0].name = (type)0;
#define WEFT_AS_IF(type, name, doc)                                                                \
    example.decisions.as_if.name = 1;                                                              \
    assert_int_not_equal(key_of(&example), key);                                                   \
    example.decisions.as_if.name = 0;
#include "compiler/plan/decisions.def"
    example.decisions.behind = true;
    const uint64_t behind = key_of(&example);
    example.decisions.behind = false;
    example.decisions.halve_loads = true;
    assert_int_not_equal(behind, key);
    assert_int_not_equal(key_of(&example), key);
    assert_int_not_equal(key_of(&example), behind);
    const uint64_t halve_loads = key_of(&example);
    example.decisions.halve_loads = false;
    example.decisions.whole_rams = true;
    assert_int_not_equal(key_of(&example), key);
    assert_int_not_equal(key_of(&example), behind);
    assert_int_not_equal(key_of(&example), halve_loads);
    example.decisions.whole_rams = false;
    example.decisions.kept_banks = 1;
    const uint64_t kept = key_of(&example);
    assert_int_not_equal(kept, key);
    example.decisions.keep_longest = true;
    const uint64_t longest = key_of(&example);
    assert_int_not_equal(longest, kept);
    example.decisions.keep_in_group = true;
    assert_int_not_equal(key_of(&example), longest);
    example.decisions.keep_longest = false;
    assert_int_not_equal(key_of(&example), longest);
    assert_int_not_equal(key_of(&example), kept);
}

static void windows_and_regions_have_keys_of_their_own(void **state) {
    (void)state;
    struct example example;
    struct region other;
    const struct window windows[2] = {{0, 1}, {1, 1}};
    make_example(&example);
    uint64_t key = key_of(&example);
    uint64_t first = known_key(&example.region, &windows[0], &example.decisions);
    assert_int_not_equal(first, key);
    assert_int_not_equal(first, known_key(&example.region, &windows[1], &example.decisions));
    const struct window nothing = {0, -1}; /* before the first layer */
    assert_int_not_equal(known_key(&example.region, &nothing, &example.decisions), key);
    assert_int_not_equal(known_key(&other, NULL, &example.decisions), key);
}

/* Calls `test` with a table that is empty, which lives no longer. */
static void with_empty_table(void (*test)(struct known *known)) {
    struct weft_arena arena = {0};
    assert_int_equal(setjmp(arena.on_failure), 0);
    struct known known = {.arena = &arena};
    test(&known);
    weft_arena_free(&arena);
}

static void find_many(struct known *known) {
    struct outcome outcome;
    assert_false(known_find(known, 1, 0, &outcome));
    for (uint64_t key = 1; key <= MANY; key++) {
        known_add(known, key << 20, &(struct outcome){.cycles = 3 * key, .instructions = key});
    }
    assert_int_equal(known->count, MANY);
    for (uint64_t key = 1; key <= MANY; key++) {
        assert_true(known_find(known, key << 20, 0, &outcome));
        assert_int_equal(outcome.cycles, 3 * key);
        assert_int_equal(outcome.instructions, key);
        assert_false(known_find(known, key << 20 | 1, 0, &outcome));
    }
}

static void many_are_found_again(void **state) {
    (void)state;
    with_empty_table(find_many);
}

static void find_unfinished(struct known *known) {
    struct outcome outcome;
    known_add(known, 7, &(struct outcome){.cycles = 100, .is_least = true});
    assert_true(known_find(known, 7, 100, &outcome));
    assert_true(known_find(known, 7, 99, &outcome));
    assert_false(known_find(known, 7, 101, &outcome));
    assert_false(known_find(known, 7, 0, &outcome));
    known_add(known, 7, &(struct outcome){.cycles = 120});
    assert_true(known_find(known, 7, 0, &outcome));
    assert_int_equal(outcome.cycles, 120);
    assert_int_equal(known->count, 1);
}

static void what_was_not_counted_to_its_end_is_known_up_to_there(void **state) {
    (void)state;
    with_empty_table(find_unfinished);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_decision_has_a_key_of_its_own),
        cmocka_unit_test(windows_and_regions_have_keys_of_their_own),
        cmocka_unit_test(many_are_found_again),
        cmocka_unit_test(what_was_not_counted_to_its_end_is_known_up_to_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
