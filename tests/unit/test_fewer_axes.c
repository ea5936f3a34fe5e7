/* compiler/passes/fewer_axes, merge_moves and slice_gathers: before and after, and random moves
 * that stay what they were by all passes that change moves. */
#include "tests/unit/graphs.h"

#include <stdio.h>
#include <string.h>

#include "compiler/passes/passes.h"

#define G(input, nodes) "graph g(%0: " input ") {\n" nodes "  return %r\n}\n"

/* ---- transposes ---- */

static void axes_side_by_side_are_one(void **state) {
    /* of parts, heads and channels: [1, S, 1, H, D] to [1, 1, H, S, D] */
    assert_pass(*state, weft_pass_fewer_axes,
                G("1x5x1x2x3xi8", "  %r = transpose(%0) permutation=[2, 0, 3, 1, 4] : "
                                  "1x1x2x5x3xi8\n"),
                G("1x5x1x2x3xi8", "  %made0 = reshape(%0) : 1x5x2x3xi8\n"
                                  "  %made1 = transpose(%made0) permutation=[0, 2, 1, 3] : "
                                  "1x2x5x3xi8\n"
                                  "  %r = reshape(%made1) : 1x1x2x5x3xi8\n"));
    assert_pass(*state, weft_pass_fewer_axes,
                G("2x3x4x5x6xi8", "  %r = transpose(%0) permutation=[3, 4, 0, 1, 2] : "
                                  "5x6x2x3x4xi8\n"),
                G("2x3x4x5x6xi8", "  %made0 = reshape(%0) : 1x1x24x30xi8\n"
                                  "  %made1 = transpose(%made0) permutation=[0, 1, 3, 2] : "
                                  "1x1x30x24xi8\n"
                                  "  %r = reshape(%made1) : 5x6x2x3x4xi8\n"));
}

/* Channels of [N, C, H, W] in groups, as ShuffleNet moves them; of SpaceToDepth, whose shape
 * changes, reshapes stay apart. */
static void shuffled_channels_have_one_reshape_on_either_side(void **state) {
    assert_pass(*state, weft_pass_fewer_axes,
                G("1x6x4x5xi8", "  %a = reshape(%0) : 1x2x3x4x5xi8\n"
                                "  %b = transpose(%a) permutation=[0, 2, 1, 3, 4] : 1x3x2x4x5xi8\n"
                                "  %r = reshape(%b) : 1x6x4x5xi8\n"),
                G("1x6x4x5xi8", "  %made0 = reshape(%0) : 1x2x3x20xi8\n"
                                "  %made1 = transpose(%made0) permutation=[0, 2, 1, 3] : "
                                "1x3x2x20xi8\n"
                                "  %r = reshape(%made1) : 1x6x4x5xi8\n"));
    assert_pass(*state, weft_pass_fewer_axes,
                G("1x3x4x6xi8",
                  "  %a = reshape(%0) : 1x3x2x2x3x2xi8\n"
                  "  %b = transpose(%a) permutation=[0, 3, 5, 1, 2, 4] : 1x2x2x3x2x3xi8\n"
                  "  %r = reshape(%b) : 1x12x2x3xi8\n"),
                G("1x3x4x6xi8", "  %a = reshape(%0) : 1x3x2x2x3x2xi8\n"
                                "  %made0 = reshape(%a) : 6x2x3x2xi8\n"
                                "  %made1 = transpose(%made0) permutation=[1, 3, 0, 2] : "
                                "2x2x6x3xi8\n"
                                "  %b = reshape(%made1) : 1x2x2x3x2x3xi8\n"
                                "  %r = reshape(%b) : 1x12x2x3xi8\n"));
}

static void joined_axes_come_before_the_transpose(void **state) {
    /* patches of a picture whose channels came first */
    assert_pass(*state, weft_pass_fewer_axes,
                G("1x4x5x3xi8", "  %t = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x5xi8\n"
                                "  %r = reshape(%t) : 1x3x20xi8\n"),
                G("1x4x5x3xi8", "  %made0 = reshape(%0) : 1x20x3xi8\n"
                                "  %r = transpose(%made0) permutation=[0, 2, 1] : 1x3x20xi8\n"));
}

static void slices_of_parts_are_slices_of_channels(void **state) {
    assert_pass(*state, weft_pass_fewer_axes,
                G("1x5x3x2x4xi8", "  %r = strided_slice(%0) begin=[0, 0, 1, 0, 0] steps=[1, 1, 1, "
                                  "1, 1] sizes=[1, 5, 1, 2, 4] : 1x5x1x2x4xi8\n"),
                G("1x5x3x2x4xi8", "  %made0 = reshape(%0) : 5x24xi8\n"
                                  "  %made1 = strided_slice(%made0) begin=[0, 8] steps=[1, 1] "
                                  "sizes=[5, 8] : 5x8xi8\n"
                                  "  %r = reshape(%made1) : 1x5x1x2x4xi8\n"));
}

/* Planes, rows and columns of a volume: four axes are left, of those that may be one the first. */
static void volumes_have_four_axes(void **state) {
    assert_pass(*state, weft_pass_fewer_axes,
                G("2x3x4x5x6xi8", "  %r = pad(%0) pads=[0, 0, 1, 2, 0, 0, 0, 0, 0, 0] : "
                                  "2x6x4x5x6xi8\n"),
                G("2x3x4x5x6xi8", "  %made0 = reshape(%0) : 2x3x20x6xi8\n"
                                  "  %made1 = pad(%made0) pads=[0, 0, 1, 2, 0, 0, 0, 0] : "
                                  "2x6x20x6xi8\n"
                                  "  %r = reshape(%made1) : 2x6x4x5x6xi8\n"));
    assert_pass(*state, weft_pass_fewer_axes,
                G("2x3x1x5x6x2xi8", "  %c = concatenate(%0, %0) axis=2 : 2x3x2x5x6x2xi8\n"
                                    "  %r = concatenate(%c, %c) axis=5 : 2x3x2x5x6x4xi8\n"),
                G("2x3x1x5x6x2xi8", "  %made0 = reshape(%0) : 6x1x30x2xi8\n"
                                    "  %made1 = reshape(%0) : 6x1x30x2xi8\n"
                                    "  %made2 = concatenate(%made0, %made1) axis=1 : 6x2x30x2xi8\n"
                                    "  %c = reshape(%made2) : 2x3x2x5x6x2xi8\n"
                                    "  %made3 = reshape(%c) : 12x5x6x2xi8\n"
                                    "  %made4 = reshape(%c) : 12x5x6x2xi8\n"
                                    "  %made5 = concatenate(%made3, %made4) axis=3 : 12x5x6x4xi8\n"
                                    "  %r = reshape(%made5) : 2x3x2x5x6x4xi8\n"));
    assert_pass(*state, weft_pass_fewer_axes,
                G("2x3x4x5x6xf32", "  %r = mean(%0) axes=[1, 2, 3] keep_dims=0 : 2x6xf32\n"),
                G("2x3x4x5x6xf32", "  %made0 = reshape(%0) : 2x12x5x6xf32\n"
                                   "  %made1 = mean(%made0) axes=[1, 2] keep_dims=1 : 2x1x1x6xf32\n"
                                   "  %r = reshape(%made1) : 2x6xf32\n"));
    assert_pass(*state, weft_pass_fewer_axes,
                G("2x3x4x5x6xi8", "  %r = reduce_max(%0) axes=[0, 1, 4] keep_dims=1 : "
                                  "1x1x4x5x1xi8\n"),
                G("2x3x4x5x6xi8", "  %made0 = reshape(%0) : 6x4x5x6xi8\n"
                                  "  %made1 = reduce_max(%made0) axes=[0, 3] keep_dims=1 : "
                                  "1x4x5x1xi8\n"
                                  "  %r = reshape(%made1) : 1x1x4x5x1xi8\n"));
}

static void a_run_of_indices_is_a_slice(void **state) {
    assert_pass(*state, weft_pass_slice_gathers,
                G("2x5x3xi8", "  %i = constant() data=[1] : i64\n"
                              "  %r = gather(%0, %i) axis=1 batch_dims=0 : 2x3xi8\n"),
                G("2x5x3xi8", "  %made0 = strided_slice(%0) begin=[0, 1, 0] steps=[1, 1, 1] "
                              "sizes=[2, 1, 3] : 2x1x3xi8\n"
                              "  %r = reshape(%made0) : 2x3xi8\n"));
    assert_pass(*state, weft_pass_slice_gathers,
                G("2x5x3xi8", "  %i = constant() data=[2, 3, 4] : 3xi32\n"
                              "  %r = gather(%0, %i) axis=1 batch_dims=0 : 2x3x3xi8\n"),
                G("2x5x3xi8", "  %r = strided_slice(%0) begin=[0, 2, 0] steps=[1, 1, 1] "
                              "sizes=[2, 3, 3] : 2x3x3xi8\n"));
}

static void what_needs_its_axes_stays(void **state) {
    static const char *const texts[] = {
        G("2x3x4x5xi8", "  %r = transpose(%0) permutation=[0, 2, 3, 1] : 2x4x5x3xi8\n"),
        G("2x3x4x5x6xi8", "  %r = transpose(%0) permutation=[4, 3, 2, 1, 0] : 6x5x4x3x2xi8\n"),
        /* heads come together again: their axes do not lie side by side */
        G("1x2x5x3xi8", "  %t = transpose(%0) permutation=[0, 2, 1, 3] : 1x5x2x3xi8\n"
                        "  %r = reshape(%t) : 1x5x6xi8\n"),
        /* an axis is divided */
        G("1x4x6xi8", "  %t = transpose(%0) permutation=[0, 2, 1] : 1x6x4xi8\n"
                      "  %r = reshape(%t) : 3x8xi8\n"),
        /* five axes would be left, or what is padded or joined would be one with others */
        G("2x3x4x5x6xi8", "  %r = pad(%0) pads=[0, 0, 1, 2, 0, 0, 1, 0, 0, 0] : 2x6x4x6x6xi8\n"),
        G("2x3x4x5x6xf32", "  %r = mean(%0) axes=[0, 2, 4] keep_dims=1 : 1x3x1x5x1xf32\n"),
        G("2x3x2x2x2xi8", "  %r = strided_slice(%0) begin=[0, 1, 0, 1, 0] steps=[1, 2, 1, 1, 1] "
                          "sizes=[1, 1, 1, 1, 1] : 1x1x1x1x1xi8\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_fewer_axes, texts[i]);
    }
}

static void other_indices_stay(void **state) {
    assert_stays(*state, weft_pass_slice_gathers,
                 G("2x5x3xi8", "  %i = constant() data=[2, 4] : 2xi32\n"
                               "  %r = gather(%0, %i) axis=1 batch_dims=0 : 2x2x3xi8\n"));
}

/* The host says so when it runs. */
static void elements_that_are_not_there_are_no_slice(void **state) {
    static const char *const indices[] = {"[5] : i32", "[-1] : i32", "[3, 4, 5] : 3xi32"};
    static const char *const results[] = {"2x3xi8", "2x3xi8", "2x3x3xi8"};
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "graph g(%%0: 2x5x3xi8) {\n  %%i = constant() data=%s\n"
                       "  %%r = gather(%%0, %%i) axis=1 batch_dims=0 : %s\n  return %%r\n}\n",
                       indices[i], results[i]);
        assert_int_equal(
            count_of(weft_pass_slice_gathers(graph_of(*state, text)), WEFT_OP_STRIDED_SLICE), 0);
    }
}

/* ---- chains ---- */

static void patches_are_moves_of_pixels(void **state) {
    /* of 4 x 6 pixels of 3 channels, 2 x 2 patches, with channels first as PyTorch has them */
    assert_pass(*state, weft_pass_merge_moves,
                G("1x4x6x3xi8", "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
                                "  %b = reshape(%a) : 6x2x3x2xi8\n"
                                "  %c = transpose(%b) permutation=[0, 2, 1, 3] : 6x3x2x2xi8\n"
                                "  %d = reshape(%c) : 1x3x6x4xi8\n"
                                "  %e = transpose(%d) permutation=[0, 3, 2, 1] : 1x4x6x3xi8\n"
                                "  %r = reshape(%e) : 4x6x3xi8\n"),
                G("1x4x6x3xi8", "  %made0 = reshape(%0) : 2x2x3x6xi8\n"
                                "  %made1 = reshape(%made0) : 1x2x2x18xi8\n"
                                "  %made2 = transpose(%made1) permutation=[0, 2, 1, 3] : "
                                "1x2x2x18xi8\n"
                                "  %made3 = reshape(%made2) : 2x6x2x3xi8\n"
                                "  %made4 = transpose(%made3) permutation=[0, 2, 1, 3] : "
                                "2x2x6x3xi8\n"
                                "  %e = reshape(%made4) : 1x4x6x3xi8\n"
                                "  %r = reshape(%e) : 4x6x3xi8\n"));
}

/* And back: what puts the channels first again stands last, where it may meet its opposite. */
static void channels_first_come_last(void **state) {
    assert_pass(*state, weft_pass_merge_moves,
                G("1x4x6x3xi8", "  %a = transpose(%0) permutation=[0, 3, 2, 1] : 1x3x6x4xi8\n"
                                "  %b = reshape(%a) : 9x2x2x2xi8\n"
                                "  %c = transpose(%b) permutation=[0, 2, 1, 3] : 9x2x2x2xi8\n"
                                "  %r = reshape(%c) : 1x3x6x4xi8\n"),
                G("1x4x6x3xi8", "  %made0 = reshape(%0) : 1x4x3x6xi8\n"
                                "  %made1 = transpose(%made0) permutation=[0, 2, 1, 3] : "
                                "1x3x4x6xi8\n"
                                "  %made2 = reshape(%made1) : 6x2x2x3xi8\n"
                                "  %made3 = transpose(%made2) permutation=[0, 2, 1, 3] : "
                                "6x2x2x3xi8\n"
                                "  %made4 = reshape(%made3) : 1x6x4x3xi8\n"
                                "  %r = transpose(%made4) permutation=[0, 3, 1, 2] : "
                                "1x3x6x4xi8\n"));
}

static void transposes_back_are_nothing(void **state) {
    assert_pass(*state, weft_pass_merge_moves,
                G("1x4x6x3xi8", "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
                                "  %b = reshape(%a) : 1x3x24xi8\n"
                                "  %r = transpose(%b) permutation=[0, 2, 1] : 1x24x3xi8\n"),
                G("1x4x6x3xi8", "  %r = reshape(%0) : 1x24x3xi8\n"));
}

static void chains_that_others_need_stay(void **state) {
    static const char *const texts[] = {
        "graph g(%0: 1x4x6x3xi8) {\n"
        "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
        "  %r = reshape(%a) : 1x3x24xi8\n  return %r, %a\n}\n",
        "graph g(%0: 1x4x6x3xi8) {\n"
        "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
        "  %b = reshape(%a) : 1x3x24xi8\n  %c = reshape(%b) : 1x6x12xi8\n"
        "  %r = transpose(%c) permutation=[0, 2, 1] : 1x12x6xi8\n  return %r, %c\n}\n",
        /* an axis of 4 divided into thirds; the last axis moves */
        G("4x3xi8", "  %a = transpose(%0) permutation=[1, 0] : 3x4xi8\n"
                    "  %b = reshape(%a) : 2x6xi8\n"
                    "  %r = transpose(%b) permutation=[1, 0] : 6x2xi8\n"),
        G("2x3x2x3x2xi8", "  %a = transpose(%0) permutation=[4, 3, 2, 1, 0] : 2x3x2x3x2xi8\n"
                          "  %b = reshape(%a) : 6x2x3x2xi8\n"
                          "  %r = transpose(%b) permutation=[1, 0, 2, 3] : 2x6x3x2xi8\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_stays(*state, weft_pass_merge_moves, texts[i]);
    }
}

/* What brings every element back to its place is a reshape, whoever else needs what lies between.
 */
static void moves_back_are_reshapes(void **state) {
    assert_pass(*state, weft_pass_merge_moves,
                "graph g(%0: 1x4x6x3xi8) {\n"
                "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
                "  %b = reshape(%a) : 1x3x24xi8\n"
                "  %c = reshape(%b) : 1x3x1x24xi8\n"
                "  %r = transpose(%c) permutation=[0, 2, 3, 1] : 1x1x24x3xi8\n"
                "  return %r, %b\n}\n",
                "graph g(%0: 1x4x6x3xi8) {\n"
                "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
                "  %b = reshape(%a) : 1x3x24xi8\n"
                "  %r = reshape(%0) : 1x1x24x3xi8\n  return %r, %b\n}\n");
}

/* Pixel shuffling with channels that begin with a picture's own, and back: channels in another
 * order, and one move of whole pixels. */
static void pixels_are_shuffled_as_a_whole(void **state) {
    static const char *const texts[] = {
        G("1x2x3x12xi8", "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x12x2x3xi8\n"
                         "  %b = reshape(%a) : 1x3x2x2x2x3xi8\n"
                         "  %c = transpose(%b) permutation=[0, 1, 4, 2, 5, 3] : 1x3x2x2x3x2xi8\n"
                         "  %d = reshape(%c) : 1x3x4x6xi8\n"
                         "  %r = transpose(%d) permutation=[0, 2, 3, 1] : 1x4x6x3xi8\n"),
        G("1x4x6x3xi8", "  %a = transpose(%0) permutation=[0, 3, 1, 2] : 1x3x4x6xi8\n"
                        "  %b = reshape(%a) : 1x3x2x2x3x2xi8\n"
                        "  %c = transpose(%b) permutation=[0, 1, 3, 5, 2, 4] : 1x3x2x2x2x3xi8\n"
                        "  %d = reshape(%c) : 1x12x2x3xi8\n"
                        "  %r = transpose(%d) permutation=[0, 2, 3, 1] : 1x2x3x12xi8\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct weft_graph *before = graph_of(*state, texts[i]);
        const struct weft_graph *after = weft_pass_merge_moves(before);
        assert_int_equal(count_of(after, WEFT_OP_TRANSPOSE), 2);
        assert_same_results(before, after);
        for (size_t k = 0; k < after->node_count; k++) {
            const struct weft_node *node = after->nodes[k];
            assert_true(node->op != WEFT_OP_TRANSPOSE || node->inputs[0]->type.rank <= 4);
        }
    }
}

/* ---- random moves ---- */

static struct weft_value *move(struct weft_graph *graph, enum weft_operator op,
                               struct weft_value *x, uint32_t attribute_count,
                               const struct weft_attribute *attributes, uint32_t rank,
                               const int64_t *dims) {
    struct weft_type type = weft_type_make(WEFT_I8, rank, dims);
    type.quantization = x->type.quantization;
    return weft_node_add_result(
        graph, weft_graph_add_node(graph, op, 1, &x, attribute_count, attributes), &type, -1);
}

static struct weft_value *random_transpose(struct weft_graph *graph, struct weft_value *x,
                                           uint64_t *seed) {
    int64_t order[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) {
        int64_t k = random_in(seed, 0, i);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        dims[i] = x->type.dim[order[i]];
    }
    const struct weft_attribute permutation =
        weft_attr_ints(graph->arena, WEFT_ATTR_permutation, x->type.rank, order);
    return move(graph, WEFT_OP_TRANSPOSE, x, 1, &permutation, x->type.rank, dims);
}

static struct weft_value *random_slice(struct weft_graph *graph, struct weft_value *x,
                                       uint64_t *seed) {
    int64_t begin[WEFT_MAX_RANK], steps[WEFT_MAX_RANK], sizes[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->type.rank; i++) {
        bool whole = random_once_in(seed, 2);
        int64_t dim = x->type.dim[i];
        begin[i] = whole ? 0 : random_in(seed, 0, dim - 1);
        steps[i] = whole ? 1 : random_in(seed, 1, 2);
        sizes[i] = whole ? dim : random_in(seed, 1, (dim - 1 - begin[i]) / steps[i] + 1);
    }
    const struct weft_attribute attributes[] = {
        weft_attr_ints(graph->arena, WEFT_ATTR_begin, x->type.rank, begin),
        weft_attr_ints(graph->arena, WEFT_ATTR_steps, x->type.rank, steps),
        weft_attr_ints(graph->arena, WEFT_ATTR_sizes, x->type.rank, sizes)};
    return move(graph, WEFT_OP_STRIDED_SLICE, x, 3, attributes, x->type.rank, sizes);
}

/* Some axes joined with those behind them, or one of one element more. */
static struct weft_value *random_reshape(struct weft_graph *graph, struct weft_value *x,
                                         uint64_t *seed) {
    int64_t dims[WEFT_MAX_RANK] = {1};
    uint32_t rank = 0;
    if (x->type.rank < WEFT_MAX_RANK && random_once_in(seed, 4)) {
        dims[rank++] = 1;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (rank > 0 && random_once_in(seed, 2)) {
            dims[rank - 1] *= x->type.dim[i];
        } else {
            dims[rank++] = x->type.dim[i];
        }
    }
    return move(graph, WEFT_OP_RESHAPE, x, 0, NULL, rank, dims);
}

static void random_moves_stay_what_they_were(void **state) {
    uint64_t seed = 20261128;
    enum {
        PASSES = 4
    };
    static struct weft_graph *(*const passes[PASSES])(const struct weft_graph *) = {
        weft_pass_fewer_axes, weft_pass_merge_moves, weft_pass_sink_transposes,
        weft_pass_shuffle_channels};
    size_t changed[PASSES] = {0};
    for (int i = 0; i < random_share(3000); i++) {
        struct weft_arena *arena = *state;
        struct weft_error error;
        int64_t dims[WEFT_MAX_RANK];
        uint32_t rank = (uint32_t)random_in(&seed, 1, 6);
        for (uint32_t k = 0; k < rank; k++) {
            dims[k] = random_in(&seed, 1, 3);
        }
        struct weft_graph *graph = weft_graph_new(arena, "g");
        struct weft_type type = weft_type_make(WEFT_I8, rank, dims);
        type.quantization = weft_quantization_make(arena, 0.5, 3);
        struct weft_value *x = weft_graph_add_input(graph, &type, "0", -1);
        for (int k = 0; k < 5; k++) {
            int64_t kind = random_in(&seed, 0, 3);
            x = kind < 2    ? random_transpose(graph, x, &seed)
                : kind == 2 ? random_slice(graph, x, &seed)
                            : random_reshape(graph, x, &seed);
        }
        weft_graph_add_output(graph, x);
        weft_graph_name(graph);
        ASSERT_GOOD(weft_graph_verify(graph, &error), error);
        const char *before = text_of(graph);
        for (size_t k = 0; k < PASSES; k++) {
            struct weft_graph *made = passes[k](graph);
            ASSERT_GOOD(weft_graph_verify(made, &error), error);
            assert_same_results(graph, made);
            changed[k] += strcmp(text_of(made), before) != 0;
        }
    }
    for (size_t k = 0; k < PASSES; k++) {
        assert_true(changed[k] > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(axes_side_by_side_are_one),
        ARENA_TEST(shuffled_channels_have_one_reshape_on_either_side),
        ARENA_TEST(joined_axes_come_before_the_transpose),
        ARENA_TEST(slices_of_parts_are_slices_of_channels),
        ARENA_TEST(volumes_have_four_axes),
        ARENA_TEST(a_run_of_indices_is_a_slice),
        ARENA_TEST(what_needs_its_axes_stays),
        ARENA_TEST(other_indices_stay),
        ARENA_TEST(elements_that_are_not_there_are_no_slice),
        ARENA_TEST(patches_are_moves_of_pixels),
        ARENA_TEST(channels_first_come_last),
        ARENA_TEST(transposes_back_are_nothing),
        ARENA_TEST(chains_that_others_need_stay),
        ARENA_TEST(moves_back_are_reshapes),
        ARENA_TEST(pixels_are_shuffled_as_a_whole),
        ARENA_TEST(random_moves_stay_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
