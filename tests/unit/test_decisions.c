/* Decisions as text: those of a schedule make its program again, byte for byte; others are refused
 * with the reason, or make a program that computes the same. */
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/schedule/saved.h"

/* ---- what tests share ---- */

static void assert_same_programs(const struct weft_module *a, const struct weft_module *b) {
    struct weft_error error;
    assert_int_equal(a->segment_count, b->segment_count);
    for (uint32_t i = 0; i < a->segment_count; i++) {
        const struct weft_segment *x = &a->segments[i];
        const struct weft_segment *y = &b->segments[i];
        uint8_t *programs[2];
        ASSERT_GOOD(weft_program_encode(&x->program, &programs[0], &error), error);
        ASSERT_GOOD(weft_program_encode(&y->program, &programs[1], &error), error);
        assert_int_equal(x->program.count, y->program.count);
        assert_memory_equal(programs[0], programs[1], x->program.count * WEFT_INSTRUCTION_BYTES);
        assert_int_equal(x->constant_bytes, y->constant_bytes);
        assert_memory_equal(x->constants, y->constants, x->constant_bytes);
        assert_int_equal(x->cycles, y->cycles);
        free(programs[0]);
        free(programs[1]);
    }
}

/* Two decisions of one model are one text but for what was tried. */
static void assert_same_decisions(const struct weft_module *a, const struct weft_module *b) {
    for (uint32_t i = 0; i < a->segment_count; i++) {
        const struct saved_schedule *x = a->segments[i].schedule;
        struct saved_schedule *y = b->segments[i].schedule;
        assert_true(x->try_count > 0);
        assert_int_equal(y->try_count, 0);
        y->tries = x->tries;
        y->try_count = x->try_count;
    }
    struct weft_text texts[2] = {decisions_of(a), decisions_of(b)};
    assert_string_equal(texts[0].bytes, texts[1].bytes);
    weft_text_free(&texts[0]);
    weft_text_free(&texts[1]);
}

/* ---- the same program again ---- */

static void digits_again(void **state) {
    (void)state;
    struct weft_error error;
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        struct digits digits = digits_open(test_configs[c]);
        const struct weft_config config = config_named(test_configs[c]);
        struct weft_text text = decisions_of(digits.module);
        const struct weft_compile_options options = {.model_name = digits.module->model_name,
                                                     .decisions = text.bytes,
                                                     .decisions_length = text.length};
        struct weft_module *again = NULL;
        ASSERT_GOOD(
            weft_compile(digits.model, digits.model_length, &config, &options, &again, &error),
            error);
        assert_same_programs(digits.module, again);
        assert_same_decisions(digits.module, again);
        weft_module_free(again);
        weft_text_free(&text);
        digits_close(&digits);
    }
}

/* A .weft file keeps them. */
static void decisions_come_back_from_a_file(void **state) {
    (void)state;
    struct weft_error error;
    struct digits digits = digits_open("small8");
    struct weft_module *again = NULL;
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(weft_module_write(digits.module, &bytes, &length, &error), error);
    ASSERT_GOOD(weft_module_read(bytes, length, NULL, &again, &error), error);
    struct weft_text texts[2] = {decisions_of(digits.module), decisions_of(again)};
    assert_string_equal(texts[0].bytes, texts[1].bytes);
    weft_text_free(&texts[0]);
    weft_text_free(&texts[1]);
    weft_module_free(again);
    free(bytes);
    digits_close(&digits);
}

static void assert_comes_back(const struct weft_graph *graph, const char *config) {
    struct weft_module *modules[2] = {NULL, NULL};
    struct weft_error error;
    ASSERT_GOOD(compile_with_decisions(graph, config, NULL, &modules[0], &error), error);
    struct weft_text text = decisions_of(modules[0]);
    ASSERT_GOOD(compile_with_decisions(graph, config, &text, &modules[1], &error), error);
    assert_same_programs(modules[0], modules[1]);
    assert_same_decisions(modules[0], modules[1]);
    weft_text_free(&text);
    weft_module_free(modules[0]);
    weft_module_free(modules[1]);
}

static void random_graphs_again(void **state) {
    for (uint64_t seed = 1; seed <= (uint64_t)random_share(24); seed++) {
        assert_comes_back(random_layers(*state, &random_small, seed), test_configs[seed % 3]);
    }
}

/* Decisions are made as if memories were smaller, of which these are as small as any can be. */
static void the_smallest_machine_again(void **state) {
    const char *config = WEFT_SOURCE_DIR "/tests/cosim/few8.json";
    assert_comes_back(random_layers(*state, &random_small, 210), config);
    for (uint64_t seed = 1; seed <= (uint64_t)random_share(24); seed++) {
        assert_comes_back(random_layers(*state, &random_small, seed), config);
    }
}

/* ---- other decisions ---- */

/* Changes a field of some layer or tensor to something that may be possible. */
static void change(struct saved_schedule *schedule, uint64_t *seed) {
    if (random_once_in(seed, 8)) {
        int64_t *sizes[] = {&schedule->as_if.act_bytes, &schedule->as_if.wgt_bytes,
                            &schedule->as_if.par_bytes, &schedule->groups};
        int64_t *size = sizes[random_in(seed, 0, 3)];
        *size = size == &schedule->groups ? random_in(seed, 0, 3) : *size / 2;
        return;
    }
    if (random_once_in(seed, 3)) {
        struct keep *keep =
            &schedule->tensors[random_in(seed, 0, (int64_t)schedule->tensor_count - 1)].keep;
        keep->stretch = random_once_in(seed, 4) ? random_in(seed, 0, 4) : keep->stretch;
        bool *fields[] = {&keep->resident, &keep->packed, &keep->own_banks};
        bool *field = fields[random_in(seed, 0, 2)];
        *field = !*field;
        return;
    }
    struct cut *cut = &schedule->layers[random_in(seed, 0, (int64_t)schedule->layer_count - 1)].cut;
    int64_t *numbers[] = {&cut->stripe_rows,    &cut->stripe_images, &cut->stripe_groups,
                          &cut->stripe_buffers, &cut->tile_rows,     &cut->tile_columns,
                          &cut->tile_blocks,    &cut->beside,        &cut->early_blocks};
    bool *flags[] = {&cut->weights_outer,
                     &cut->turned,
                     &cut->linked,
                     &cut->apart,
                     &schedule->plain_weights,
                     &schedule->keep_longest,
                     &schedule->keep_in_group};
    if (random_once_in(seed, 4)) {
        bool *flag = flags[random_in(seed, 0, 6)];
        *flag = !*flag;
        return;
    }
    int64_t *number = numbers[random_in(seed, 0, 8)];
    int64_t low = random_once_in(seed, 16) ? INT64_MIN : 1;
    int64_t high = random_once_in(seed, 16) ? INT64_MAX : *number + 1;
    *number = high > *number && low < 1 ? low : random_in(seed, low < 1 ? 0 : 1, high);
}

/* Tiles that fit their stripes, so that more of the rest is possible. */
static void repair(struct saved_schedule *schedule) {
    for (size_t i = 0; i < schedule->layer_count; i++) {
        struct cut *cut = &schedule->layers[i].cut;
        if (cut->tile_rows > cut->stripe_rows) {
            cut->tile_rows = cut->stripe_rows;
        }
    }
}

struct counts {
    int taken, refused;
};

/* Takes changed decisions: they are refused as such, or the results are the same. */
static void take_changed(const struct weft_graph *graph, const char *config,
                         const struct weft_text *text, const void *const *inputs,
                         void *const *expected, struct counts *counts) {
    struct weft_module *module = NULL;
    struct weft_error error;
    void **got = output_room(graph);
    if (!compile_with_decisions(graph, config, text, &module, &error)) {
        if (error.code != WEFT_DECISIONS) {
            print_error("%s: %s\n%s\n%s", config, error.message, text_of(graph), text->bytes);
        }
        assert_int_equal(error.code, WEFT_DECISIONS);
        counts->refused++;
        return;
    }
    ASSERT_GOOD(module_run(module, "cycle", inputs, got, &error), error);
    for (size_t i = 0; i < graph->output_count; i++) {
        size_t bytes = weft_type_bytes(&graph->outputs[i]->type);
        if (memcmp(got[i], expected[i], bytes) != 0) {
            print_error("%s: other results\n%s\n%s", config, text_of(graph), text->bytes);
        }
        assert_memory_equal(got[i], expected[i], bytes);
    }
    weft_module_free(module);
    counts->taken++;
}

static void changed_decisions_compute_the_same_or_are_refused(void **state) {
    struct weft_arena *arena = *state;
    struct counts counts = {0};
    for (uint64_t seed = 1; seed <= (uint64_t)random_share(60); seed++) {
        struct weft_graph *graph = random_layers(arena, &random_small, seed);
        const char *config = test_configs[seed % 3];
        const void *const *inputs = random_inputs(graph, seed);
        void *const *expected = host_outputs(graph, inputs);
        struct weft_module *module = NULL;
        struct weft_error error;
        ASSERT_GOOD(compile_with_decisions(graph, config, NULL, &module, &error), error);
        struct weft_text good = decisions_of(module);
        weft_module_free(module);
        uint64_t random = seed;
        for (int trial = 0; trial < 12; trial++) {
            struct saved_file file;
            struct weft_text text = {0};
            ASSERT_GOOD(saved_parse(arena, good.bytes, good.length, &file, &error), error);
            for (size_t i = 0; i < file.schedule_count; i++) {
                for (int64_t k = random_in(&random, 1, 4); k > 0; k--) {
                    change(&file.schedules[i], &random);
                }
                repair(&file.schedules[i]);
            }
            saved_print(&text, &file);
            ASSERT_GOOD(weft_text_finish(&text, &error), error);
            take_changed(graph, config, &text, inputs, expected, &counts);
            weft_text_free(&text);
        }
        weft_text_free(&good);
    }
    print_message("%d changed decisions taken, %d refused\n", counts.taken, counts.refused);
    assert_true(counts.taken > random_share(100) && counts.refused > random_share(100));
}

/* ---- refusals, one by one ---- */

/* What is changed in the decisions of the digits network, and words of the refusal. */
struct refusal {
    const char *old, *new;
    const char *words;
};
static const struct refusal refusals[] = {
    /* Not JSON, or not this form. */
    {"{\n", "[\n", "line 1: expected '{'"},
    {"\"cycles\": ", "\"cycles\": x", "\"cycles\" is not an integer"},
    {"\"behind\": ", "\"behind\": 1", "\"behind\" is neither true nor false"},
    {"\"halve_loads\": ", "\"hurry\": ", "there is no field \"hurry\""},
    {"\"halve_loads\": ", "\"behind\": ", "a second \"behind\""},
    {"\"name\": \"conv2d\", ", "", "\"name\" is missing"},
    {"\"name\": \"conv2d\"", "\"name\": \"conv\\x2d\"", "escapes"},
    {"\"weft_decisions\": 7", "\"weft_decisions\": 8", "is 8, expected 7"},
    /* Another version is what is wrong, not the fields that it does not have in common. */
    {"\"weft_decisions\": 7", "\"weft_decisions\": 6, \"haste\": 1", "is 6, expected 7"},
    {"\"weft_decisions\": 7", "\"weft_decisions\": \"7\"", "\"weft_decisions\" is not an integer"},
    {"\"tensors\": [", "\"tensors\": {", "expected '['"},
    /* For another model. */
    {"\"name\": \"conv2d\"", "\"name\": \"conv3d\"", "layer 0 is conv3d"},
    {"\"operator\": 0", "\"operator\": 7", "of operator 7 in the decisions"},
    {"\"producer\": -1", "\"producer\": 3", "tensor 0 is made by layer 3"},
    {"\"tensors\": [",
     "\"tensors\": [{\"producer\": 0, \"resident\": true, \"packed\": true, "
     "\"own_banks\": true, \"stretch\": 1},",
     "tensors, the model"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 99, \"columns\": 2, \"blocks\": 1, "
     "\"multiplied\": 0, \"flat\": false}]",
     "division 0 is of layer 99"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 0, \"columns\": 9999, \"blocks\": 1, "
     "\"multiplied\": 0, \"flat\": false}]",
     "cannot be divided or multiplied so"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 0, \"columns\": 0, \"blocks\": 1, "
     "\"multiplied\": 0, \"flat\": true}]",
     "cannot be divided or multiplied so"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 0, \"columns\": 2, \"blocks\": 1, "
     "\"multiplied\": 0, \"flat\": false}]",
     "layers and"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 0, \"columns\": 1, \"blocks\": 1, "
     "\"multiplied\": 1, \"flat\": false}]",
     "cannot be divided or multiplied so"},
    {"\"divisions\": []",
     "\"divisions\": [{\"layer\": 0, \"columns\": 1, \"blocks\": 1, "
     "\"multiplied\": -1, \"flat\": false}]",
     "cannot be divided or multiplied so"},
};

/* The first layer is a convolution with a result of 16 x 16 x 16; the value of its field becomes
 * another one. */
static const struct refusal impossible[] = {
    {"groups", "2", "\"groups\" is 2, expected a divisor of 1, the images"},
    {"groups", "-9223372036854775807", "expected a divisor of 1, the images that can be"},
    {"act_bytes", "0", "act_bytes is 0, expected 1 to 262144"},
    {"wgt_bytes", "262144", "wgt_bytes is 262144, expected 1 to 131072"},
    {"par_bytes", "1", "the machine that the decisions are made for"},
    {"stretch", "0", "tensor 0: stretch is 0, expected 1 to "},
    {"stripe_rows", "17", "layer 0 (conv2d): stripe_rows is 17, expected 1 to 16"},
    {"stripe_rows", "99999999999999999999", "stripe_rows is 9223372036854775807"},
    {"stripe_images", "0", "stripe_images is 0, expected 1 to 1"},
    {"stripe_groups", "2", "stripe_groups is 2, expected 1 to 1"},
    {"stripe_buffers", "4", "stripe_buffers is 4, expected 1 to 3"},
    {"tile_rows", "17", "tile_rows is 17, expected 1 to "},
    {"tile_columns", "-1", "tile_columns is -1, expected 1 to 16"},
    {"tile_blocks", "2", "tile_blocks is 2, expected 1 to 1"},
    {"weight_pieces", "2", "weight_pieces is 2, expected 1 to 1"},
    {"early_blocks", "1", "early_blocks is 1, expected 0 to 0"},
    {"put_off", "1", "put_off is 1, expected 0 to 0"},
    {"beside", "1", "beside, but it is no layer of VECTOR's"},
    {"beside", "3", "beside is 3, expected 0 to 2"},
    {"plain_weights", "1", "neither true nor false"},
    {"apart", "true", "apart, but nothing is done to its products"},
    {"ahead", "true", "ahead, but no layer of VECTOR's that begins a chain"},
    {"turned", "true", "its rows cannot become columns"},
    {"linked", "true", "linked, but what lies between"},
};

static char *replaced(const char *text, const struct refusal *refusal) {
    const char *at = strstr(text, refusal->old);
    assert_non_null(at);
    size_t before = (size_t)(at - text);
    size_t size = strlen(text) + strlen(refusal->new) + 1;
    char *out = calloc(1, size);
    assert_non_null(out);
    memcpy(out, text, before);
    strcat(out, refusal->new);
    strcat(out, at + strlen(refusal->old));
    return out;
}

/* The first field of the name `old` gets the value `new`. */
static char *with_value(const char *text, const struct refusal *refusal) {
    char old[128];
    char new[128];
    (void)snprintf(old, sizeof old, "\"%s\": ", refusal->old);
    const char *at = strstr(text, old);
    assert_non_null(at);
    (void)snprintf(new, sizeof new, "%s%s", old, refusal->new);
    size_t value = strcspn(at + strlen(old), ",}");
    (void)snprintf(old, sizeof old, "%.*s", (int)(strlen(old) + value), at);
    return replaced(text, &(struct refusal){old, new, NULL});
}

static void decisions_are_refused_with_the_reason(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    const struct weft_config config = config_named("ref16");
    struct weft_text good = decisions_of(digits.module);
    size_t texts = sizeof refusals / sizeof refusals[0];
    for (size_t i = 0; i < texts + sizeof impossible / sizeof impossible[0]; i++) {
        const struct refusal *refusal = i < texts ? &refusals[i] : &impossible[i - texts];
        char *text = i < texts ? replaced(good.bytes, refusal) : with_value(good.bytes, refusal);
        const struct weft_compile_options options = {.decisions = text,
                                                     .decisions_length = strlen(text)};
        struct weft_module *module = NULL;
        struct weft_error error = {0};
        assert_false(
            weft_compile(digits.model, digits.model_length, &config, &options, &module, &error));
        if (strstr(error.message, refusal->words) == NULL) {
            fail_msg("%s, expected \"%s\"", error.message, refusal->words);
        }
        assert_int_equal(error.code, WEFT_DECISIONS);
        free(text);
    }
    weft_text_free(&good);
    digits_close(&digits);
}

/* A text that ends anywhere is refused. */
static void texts_that_end_early_are_refused(void **state) {
    struct weft_arena *arena = *state;
    struct digits digits = digits_open("small8");
    struct weft_text good = decisions_of(digits.module);
    for (size_t length = 0; length + 2 < good.length; length += 7) {
        struct saved_file file;
        struct weft_error error = {0};
        assert_false(saved_parse(arena, good.bytes, length, &file, &error));
        assert_int_equal(error.code, WEFT_DECISIONS);
    }
    weft_text_free(&good);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_again),
        cmocka_unit_test(decisions_come_back_from_a_file),
        ARENA_TEST(random_graphs_again),
        ARENA_TEST(the_smallest_machine_again),
        cmocka_unit_test(decisions_are_refused_with_the_reason),
        ARENA_TEST(texts_that_end_early_are_refused),
        ARENA_TEST(changed_decisions_compute_the_same_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
