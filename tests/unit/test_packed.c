/* What is known of the constants of layers changes no plan. */
#include <string.h>

#include "compiler/plan/packed.h"
#include "compiler/plan/plan.h"
#include "tests/unit/modules.h"

/* Ways to cut layers: smaller memories, and the same hint for all layers. */
enum {
    SIZES = 3,
    HINTS = 5
};
static const struct hint hints[HINTS] = {
    {.tile_part = 0}, {.tile_part = 2}, {.more_pieces = 1}, {.coarser = -2}, {.other_turn = true}};

/* Plans a region, cut in one of the ways, with its constants; false: it does not fit so. */
static bool plan_in_way(struct weft_arena *arena, const struct region *region, int way,
                        struct plan *plan) {
    struct weft_error error = {0};
    const struct style style = {.behind = true, .chains = true};
    struct weft_config as_if = *region->config;
    struct hint *all = WEFT_NEW_ARRAY(arena, (size_t)region->layer_count, struct hint);
    struct decisions *decisions = WEFT_NEW(arena, struct decisions);
    as_if.wgt_bytes >>= way % SIZES;
    for (int i = 0; i < region->layer_count; i++) {
        all[i] = hints[way / SIZES];
    }
    if (!choose_decisions(arena, region, &as_if, &style, all, decisions, plan, &error)) {
        assert_int_equal(error.code, WEFT_CAPACITY);
        return false;
    }
    ASSERT_GOOD(plan_make(arena, region, decisions, plan, &error), error);
    plan_outside(plan);
    return true;
}

static void assert_same_pieces(const struct plan *a, const struct plan *b) {
    assert_int_equal(a->constant_bytes, b->constant_bytes);
    assert_int_equal(a->coded, b->coded);
    for (int i = 0; i < a->region->layer_count; i++) {
        assert_int_equal(a->first_weights[i], b->first_weights[i]);
        assert_int_equal(a->first_parameters[i], b->first_parameters[i]);
    }
    for (int kind = 0; kind < PIECES; kind++) {
        assert_int_equal(a->piece_count[kind], b->piece_count[kind]);
        for (int i = 0; i < a->piece_count[kind]; i++) {
            const struct piece *one = &a->pieces[kind][i];
            const struct piece *other = &b->pieces[kind][i];
            assert_int_equal(one->bytes, other->bytes);
            assert_int_equal(one->offset, other->offset);
            assert_int_equal(one->stored, other->stored);
            assert_int_equal(one->base, other->base);
            assert_int_equal(one->is_short, other->is_short);
            assert_int_equal(one->shift, other->shift);
            assert_ptr_equal(one->table, other->table);
        }
    }
}

/* Every layer's constants are found from the second plan on. */
static int count_found(struct plan *plan) {
    int found = 0;
    for (int i = 0; i < plan->region->layer_count; i++) {
        struct packing packing = {.plan = plan, .mode = PACK_COUNT};
        found += packed_find(&packing, i);
    }
    return found;
}

static void known_constants_change_no_plan(void **state) {
    struct weft_arena *arena = *state;
    int plans = 0;
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        struct digits digits = digits_open(test_configs[c]);
        struct weft_error error = {0};
        struct region listed;
        struct region region;
        ASSERT_GOOD(
            region_read(arena, &digits.module->config, body_of(digits.module), &listed, &error),
            error);
        const struct region_form form = {.behind = true};
        region_create(arena, &listed, &form, &region);
        struct region unknown = region;
        unknown.packed = NULL;
        for (int way = 0; way < SIZES * HINTS; way++) {
            struct plan plan[3];
            if (plan_in_way(arena, &unknown, way, &plan[0])) {
                assert_true(plan_in_way(arena, &region, way, &plan[1]));
                assert_true(plan_in_way(arena, &region, way, &plan[2]));
                assert_same_pieces(&plan[0], &plan[1]);
                assert_same_pieces(&plan[0], &plan[2]);
                assert_int_equal(count_found(&plan[0]), 0);
                assert_true(count_found(&plan[2]) >= 4);
                plans++;
            }
        }
        digits_close(&digits);
    }
    assert_true(plans > 30);
}

/* So many tilings of a layer that there is no room for all change nothing, either. */
static void room_ends(void **state) {
    struct weft_arena *arena = *state;
    struct digits digits = digits_open("ref16");
    struct weft_error error = {0};
    struct region listed;
    struct region region;
    struct plan before;
    struct plan after;
    int total = 0;
    ASSERT_GOOD(region_read(arena, &digits.module->config, body_of(digits.module), &listed, &error),
                error);
    const struct region_form form = {.behind = true};
    region_create(arena, &listed, &form, &region);
    assert_true(plan_in_way(arena, &region, 0, &before));
    for (int i = 0; i < region.layer_count; i++) {
        struct tiling tiling = before.tilings[i];
        struct packing packing = {.plan = &before, .mode = PACK_COUNT};
        int added = 0;
        for (int64_t rows = 1000; rows < 1200; rows++) {
            before.tilings[i].row_steps = rows;
            packed_add(&packing, i, (const int64_t[PIECES]){rows}, before.piece_count);
            added += packed_find(&packing, i);
        }
        assert_true(added < 64);
        total += added;
        before.tilings[i] = tiling;
    }
    assert_true(total > 64);
    assert_true(plan_in_way(arena, &region, 0, &after));
    assert_same_pieces(&before, &after);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(known_constants_change_no_plan),
        ARENA_TEST(room_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
