/* First tiles that begin with the channel blocks of the operand that are there: the same bytes,
 * more MATRIX instructions, and fewer cycles where MATRIX waited for the last blocks. */
#include "tests/unit/modules.h"

#include "compiler/schedule/saved.h"

enum {
    INPUTS = 64,    /* channels of the operand */
    PIXELS = 9,     /* rows and columns */
    CONVOLUTION = 1 /* layer */
};

/* A depthwise product and one of all channels. */
static const char pair[] =
    "graph main(%a: 1x9x9x64xi8{0.5, 3}) {\n"
    "  %v = constant() data=$576 : 64x3x3x1xi8{0.25, 0}\n"
    "  %b = qnn.conv2d(%a, %v) strides=[1, 1] padding=[1, 1, 1, 1] dilation=[1, 1] groups=64 "
    ": 1x9x9x64xi32{0.125, 0}\n"
    "  %c = qnn.requantize(%b) rounding=\"gemmlowp\" : 1x9x9x64xi8{16, 0}\n"
    "  %w = constant() data=$4096 : 64x1x1x64xi8{0.25, 0}\n"
    "  %d = qnn.conv2d(%c, %w) strides=[1, 1] padding=[0, 0, 0, 0] dilation=[1, 1] groups=1 "
    ": 1x9x9x64xi32{4, 0}\n"
    "  %e = qnn.requantize(%d) rounding=\"single\" : 1x9x9x64xi8{64, 0}\n"
    "  return %e\n"
    "}\n";

/* How many MATRIX instructions a layer has. */
static size_t count_matrix(const struct weft_module *module, int layer) {
    const struct weft_segment *segment = &module->segments[0];
    size_t count = 0;
    for (size_t i = 0; i < segment->program.count; i++) {
        count += segment->program.instructions[i].opcode == WEFT_OPCODE_MATRIX &&
                 segment->layer_of[i] == layer;
    }
    return count;
}

struct outcome_of {
    size_t matrix;
    uint64_t cycles;
};

/* Compiles it as decided, and runs it against the host's kernels. */
static struct outcome_of take(const struct weft_graph *graph, const char *config,
                              const struct saved_file *file) {
    const void *const *inputs = random_inputs(graph, 5);
    void *const *expected = host_outputs(graph, inputs);
    void **got = output_room(graph);
    struct weft_module *module = NULL;
    struct weft_text text = {0};
    struct weft_error error;
    saved_print(&text, file);
    ASSERT_GOOD(compile_with_decisions(graph, config, &text, &module, &error), error);
    ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
    assert_memory_equal(got[0], expected[0], INPUTS * PIXELS * PIXELS);
    const struct outcome_of outcome = {count_matrix(module, CONVOLUTION),
                                       weft_module_cycles(module)};
    weft_module_free(module);
    weft_text_free(&text);
    return outcome;
}

/* Every number of early blocks, of one block of the result or two at a time, in one tile or
 * several. */
static void first_tiles_begin_early(void **state) {
    struct weft_arena *arena = *state;
    struct weft_graph *graph = graph_filled(arena, pair);
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        struct weft_module *module = NULL;
        struct weft_error error;
        struct saved_file file;
        const struct weft_config config = config_named(test_configs[c]);
        int64_t blocks = INPUTS / (int64_t)config.block;
        int64_t bank = (int64_t)weft_acc_bank_entries(&config);
        ASSERT_GOOD(compile_with_decisions(graph, test_configs[c], NULL, &module, &error), error);
        struct weft_text text = decisions_of(module);
        ASSERT_GOOD(saved_parse(arena, text.bytes, text.length, &file, &error), error);
        weft_text_free(&text);
        weft_module_free(module);
        assert_int_equal(file.schedules[0].layer_count, 2);
        struct cut *made = &file.schedules[0].layers[0].cut;
        struct cut *cut = &file.schedules[0].layers[CONVOLUTION].cut;
        made->linked = cut->linked = false;
        made->stripe_rows = made->tile_rows = cut->stripe_rows = PIXELS;
        for (size_t i = 0; i < file.schedules[0].tensor_count; i++) {
            file.schedules[0].tensors[i].keep.resident = true;
        }
        bool is_faster = false;
        for (int64_t rows = 2; rows <= cut->stripe_rows; rows += 2) {
            for (cut->tile_blocks = 1; cut->tile_blocks <= 2; cut->tile_blocks++) {
                cut->tile_rows = rows;
                cut->weight_pieces = 1;
                cut->early_blocks = 0;
                cut->stripe_groups = blocks / cut->tile_blocks;
                const struct outcome_of at_once = take(graph, test_configs[c], &file);
                for (cut->early_blocks = 1; cut->early_blocks < blocks; cut->early_blocks++) {
                    const struct outcome_of early = take(graph, test_configs[c], &file);
                    /* Two tiles are made so, which fit a bank of ACC each, in as many parts for
                     * each block of the result. */
                    int64_t parts = 1 + blocks - cut->early_blocks;
                    int64_t tiles = blocks / cut->tile_blocks * ((PIXELS + rows - 1) / rows);
                    int64_t more = (tiles < 2 ? tiles : 2) * (parts * cut->tile_blocks - 1);
                    more = cut->tile_blocks * rows * PIXELS <= bank ? more : 0;
                    assert_int_equal(early.matrix, at_once.matrix + (size_t)more);
                    is_faster = is_faster || early.cycles < at_once.cycles;
                }
            }
        }
        /* Of large32 both blocks are there before the weights are. */
        assert_true(is_faster || blocks == 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(first_tiles_begin_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
