/* Layers abreast: a normalisation beside the dense layers before and behind it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compiler/schedule/attempt.h"
#include "compiler/schedule/saved.h"
#include "compiler/tune/moves.h"
#include "compiler/tune/tuning.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"

/* ---- a block of a transformer ---- */

enum {
    CHANNELS = 64,
    PIXELS = 128
};

/* A dense layer of `operand`, without a bias. */
static void add_dense(struct weft_text *text, const char *operand, const char *result) {
    weft_text_add(text, "%%w%s = constant() data=[", result);
    for (int i = 0; i < CHANNELS * CHANNELS; i++) {
        weft_text_add(text, i == 0 ? "%d" : ", %d", (i * 31 + i / CHANNELS * 7) % 255 - 127);
    }
    weft_text_add(text,
                  "] : %dx%dxi8{0.01, 0}\n%%s%s = qnn.dense(%%%s, %%w%s) : %dx%dxi32{0.001, 0}\n"
                  "%%%s = qnn.requantize(%%s%s) rounding=\"gemmlowp\" : %dx%dxi8{0.1, 3}\n",
                  CHANNELS, CHANNELS, result, operand, result, PIXELS, CHANNELS, result, result,
                  PIXELS, CHANNELS);
}

static const struct weft_graph *finished(struct weft_arena *arena, struct weft_text *text) {
    const struct weft_graph *graph = graph_of(arena, text->bytes);
    weft_text_free(text);
    return graph;
}

/* Dense, normalised, and dense twice. */
static const struct weft_graph *block_of(struct weft_arena *arena) {
    struct weft_text text = {0};
    weft_text_add(&text, "graph g(%%0: 128x64xi8{0.1, 5}, %%scale: 128x64xi8{0.01, 0}) {\n");
    add_dense(&text, "0", "a");
    weft_text_add(&text, "%%m = qnn.mean(%%a) axes=[1] keep_dims=1 : 128x1xi8{0.02, -3}\n"
                         "%%d = qnn.squared_difference(%%a, %%m) : 128x64xi8{0.6, -128}\n"
                         "%%v = qnn.mean(%%d) axes=[1] keep_dims=1 : 128x1xi8{0.3, -128}\n"
                         "%%i = qnn.rsqrt(%%v) : 128x1xi8{0.02, -128}\n"
                         "%%g = qnn.mul(%%i, %%scale) : 128x64xi8{0.01, 0}\n"
                         "%%x = qnn.mul(%%a, %%g) : 128x64xi8{0.1, 0}\n"
                         "%%y = qnn.mul(%%m, %%g) : 128x64xi8{0.05, 0}\n"
                         "%%n = qnn.subtract(%%x, %%y) : 128x64xi8{0.1, 0}\n");
    add_dense(&text, "n", "b");
    add_dense(&text, "n", "r");
    weft_text_add(&text, "return %%b, %%r }");
    return finished(arena, &text);
}

/* Three layers that read the same two operands from memory, and a dense one. */
static const struct weft_graph *readers_of_the_same(struct weft_arena *arena) {
    struct weft_text text = {0};
    weft_text_add(&text, "graph g(%%0: 128x64xi8{0.1, 5}, %%1: 128x64xi8{0.1, 0}) {\n"
                         "%%p = qnn.add(%%0, %%1) : 128x64xi8{0.2, 0}\n"
                         "%%q = qnn.mul(%%1, %%0) : 128x64xi8{0.1, 0}\n"
                         "%%s = qnn.subtract(%%0, %%1) : 128x64xi8{0.1, 1}\n"
                         "%%t = qnn.add(%%p, %%q) : 128x64xi8{0.2, 0}\n"
                         "%%n = qnn.add(%%t, %%s) : 128x64xi8{0.1, 0}\n");
    add_dense(&text, "n", "b");
    weft_text_add(&text, "return %%b }");
    return finished(arena, &text);
}

static struct weft_module *compiled(const struct weft_graph *graph, const char *config,
                                    const struct weft_text *decisions) {
    struct weft_module *module = NULL;
    struct weft_error error;
    ASSERT_GOOD(compile_with_decisions(graph, config, decisions, &module, &error), error);
    return module;
}

/* ---- what it takes ---- */

/* The cycles of the block with layers abreast in so many parts. */
static uint64_t cycles_in_parts(struct weft_arena *arena, const struct weft_graph *body,
                                int64_t parts) {
    const struct weft_config config = config_named("ref16");
    const struct region_form form = {.behind = true, .parts = parts};
    struct region listed;
    struct region region;
    struct weft_error error;
    ASSERT_GOOD(region_read(arena, &config, body, &listed, &error), error);
    region_create(arena, &listed, &form, &region);
    assert_true(has_abreast(&region) == (parts > 0));
    const struct candidate candidate = {
        .region = &region,
        .as_if = config,
        .style = {.behind = true, .chains = true, .share_banks = true}};
    struct attempt *attempt = WEFT_NEW(arena, struct attempt);
    ASSERT_GOOD(attempt_make(arena, &candidate, attempt, &error), error);
    return attempt->outcome.cycles;
}

/* The same decisions but for the parts: MATRIX has something to do while VECTOR normalises. */
static void a_normalisation_hides_beside_dense_layers(void **state) {
    const struct weft_graph *graph = block_of(*state);
    struct weft_module *module = compiled(graph, "ref16", NULL);
    const struct weft_graph *body = NULL;
    for (size_t i = 0; i < module->graph->node_count; i++) {
        const struct weft_node *node = module->graph->nodes[i];
        body = node->op == WEFT_OP_REGION ? node->body : body;
    }
    assert_non_null(body);
    uint64_t alone = cycles_in_parts(*state, body, 0);
    uint64_t abreast = cycles_in_parts(*state, body, 4);
    print_message("one after the other %llu cycles, abreast %llu\n", (unsigned long long)alone,
                  (unsigned long long)abreast);
    assert_true(abreast < alone * 9 / 10);
    assert_true(module->segments[0].schedule->parts > 0);
    assert_true(module->segments[0].cycles <= abreast);
    weft_module_free(module);
}

static void layers_abreast_compute_what_the_host_does(void **state) {
    const struct weft_graph *graph = block_of(*state);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        assert_true(computes_on(graph, "ref16", seed));
        assert_true(computes_on(graph, "small8", seed));
    }
}

/* ---- decisions ---- */

/* The text with a number of parts in place of the one it has. */
static struct weft_text with_parts(const struct weft_text *text, int64_t parts) {
    static const char field[] = "\"parts\": ";
    struct weft_text changed = {0};
    const char *at = strstr(text->bytes, field);
    assert_non_null(at);
    at += strlen(field);
    weft_text_add(&changed, "%.*s%lld%s", (int)(at - text->bytes), text->bytes, (long long)parts,
                  at + strspn(at, "0123456789"));
    return changed;
}

static void parts_are_taken_from_a_file_or_refused(void **state) {
    static const struct {
        int64_t parts;
        const char *words;
    } cases[] = {{65, "\"parts\" is 65, expected 0 to 64"}, {0, "expected"}};
    const struct weft_graph *graph = block_of(*state);
    struct weft_module *module = compiled(graph, "ref16", NULL);
    struct weft_text text = decisions_of(module);
    struct weft_error error;
    struct weft_module *again = compiled(graph, "ref16", &text);
    assert_int_equal(again->segments[0].schedule->parts, module->segments[0].schedule->parts);
    assert_int_equal(again->segments[0].cycles, module->segments[0].cycles);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_text changed = with_parts(&text, cases[i].parts);
        struct weft_module *refused = NULL;
        assert_false(compile_with_decisions(graph, "ref16", &changed, &refused, &error));
        assert_int_equal(error.code, WEFT_DECISIONS);
        assert_non_null(strstr(error.message, cases[i].words));
        free(changed.bytes);
    }
    free(text.bytes);
    weft_module_free(again);
    weft_module_free(module);
}

/* Decisions with the steps of every second layer abreast so many cycles later, and those of others
 * sooner. */
static struct weft_text put_off_by(struct weft_arena *arena, const struct weft_module *module,
                                   int64_t cycles) {
    struct weft_text text = decisions_of(module);
    struct weft_text changed = {0};
    struct saved_file file;
    struct weft_error error;
    ASSERT_GOOD(saved_parse(arena, text.bytes, text.length, &file, &error), error);
    for (size_t k = 0; k < file.schedules[0].layer_count; k++) {
        struct saved_layer *layer = &file.schedules[0].layers[k];
        bool is_work = strcmp(layer->name, "rsqrt") != 0; /* done to what it reads */
        layer->cut.put_off = !is_work ? 0 : k % 2 == 0 ? cycles : -cycles;
    }
    saved_print(&changed, &file);
    ASSERT_GOOD(weft_text_finish(&changed, &error), error);
    free(text.bytes);
    return changed;
}

/* What a row needs is there, whichever layer comes to it first; both ways are tried, since every
 * second layer is. */
static void steps_can_come_sooner_or_later(void **state) {
    const struct weft_graph *graphs[] = {block_of(*state), readers_of_the_same(*state)};
    const char *const configs[] = {"ref16", "small8"};
    for (size_t i = 0; i < 4; i++) {
        const struct weft_graph *graph = graphs[i / 2];
        const char *config = configs[i % 2];
        struct weft_module *module = compiled(graph, config, NULL);
        size_t others = 0;
        assert_true(module->segments[0].schedule->parts > 0);
        for (int64_t cycles = -4096; cycles <= 4096; cycles += 2048) {
            struct weft_text text = put_off_by(*state, module, cycles);
            struct weft_module *changed = compiled(graph, config, &text);
            assert_true(module_computes(graph, config, changed, 3));
            others += changed->segments[0].cycles != module->segments[0].cycles;
            weft_module_free(changed);
            free(text.bytes);
        }
        assert_true(others >= 3);
        weft_module_free(module);
    }
}

static void too_much_later_is_refused(void **state) {
    const struct weft_graph *graph = block_of(*state);
    struct weft_module *module = compiled(graph, "ref16", NULL);
    struct weft_text text = put_off_by(*state, module, 4097);
    struct weft_module *refused = NULL;
    struct weft_error error;
    assert_false(compile_with_decisions(graph, "ref16", &text, &refused, &error));
    assert_int_equal(error.code, WEFT_DECISIONS);
    assert_non_null(strstr(error.message, "put_off is 4097, expected -4096 to 4096"));
    free(text.bytes);
    weft_module_free(module);
}

/* A tuner moves the steps of layers abreast, and of no others. */
static void a_tuner_moves_steps(void **state) {
    struct weft_arena *arena = *state;
    const struct tune_options options = {.jobs = 1};
    struct weft_module *module = NULL;
    struct tuning *tuning = NULL;
    struct move_field field;
    struct draw draw = {1};
    struct weft_error error;
    size_t made = 0;
    ASSERT_GOOD(module_of(block_of(arena), "ref16", &module, &error), error);
    ASSERT_GOOD(tuning_open(module, &options, &tuning, &error), error);
    const struct region *region = tuning_region(tuning, 0);
    struct decisions decisions = decisions_copy(arena, tuning_best(tuning, 0));
    move_field_list(arena, region, &field);
    for (int i = 0; i < 200; i++) {
        int layer = field.layers[draw_below(&draw, field.layer_count)];
        bool is_made = move_make(&draw, &field, MOVE_PUT_OFF, layer, false, &decisions);
        assert_true(!is_made || is_abreast(region, layer));
        made += is_made;
        ASSERT_GOOD(check_decisions(region, &decisions, &error), error);
    }
    assert_true(made > 100);
    tuning_close(tuning);
}

/* ---- operands from memory ---- */

/* The first rows are there, and worked on, before the last ones have come. */
static void operands_from_memory_come_in_rows(void **state) {
    const struct weft_graph *graph = block_of(*state);
    struct weft_module *module = compiled(graph, "ref16", NULL);
    const struct weft_segment *segment = &module->segments[0];
    size_t loads[2] = {0}; /* of the first input before the first MATRIX or VECTOR, and after it */
    bool has_begun = false;
    for (size_t i = 0; i < segment->program.count; i++) {
        const struct weft_instruction *instruction = &segment->program.instructions[i];
        has_begun = has_begun || instruction->opcode == WEFT_OPCODE_MATRIX ||
                    instruction->opcode == WEFT_OPCODE_VECTOR;
        loads[has_begun] += instruction->opcode == WEFT_OPCODE_LOAD &&
                            instruction->load.memory == WEFT_TARGET_ACT &&
                            instruction->load.region == WEFT_REGION_INPUTS;
    }
    assert_true(loads[0] >= 1 && loads[1] >= 1);
    weft_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_normalisation_hides_beside_dense_layers),
        ARENA_TEST(layers_abreast_compute_what_the_host_does),
        ARENA_TEST(parts_are_taken_from_a_file_or_refused),
        ARENA_TEST(steps_can_come_sooner_or_later),
        ARENA_TEST(too_much_later_is_refused),
        ARENA_TEST(a_tuner_moves_steps),
        ARENA_TEST(operands_from_memory_come_in_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
