/* Tuning: changes stay within what fields can be, the result does not depend on threads, what is
 * found is verified and computes the same, logs go on, serve other models, and are not trusted. */
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/schedule/schedule.h"
#include "compiler/tune/log.h"
#include "compiler/tune/moves.h"

/* ---- what tests share ---- */

static struct tuning *open_tuning(struct weft_module *module, enum tune_strategy strategy,
                                  unsigned jobs, uint64_t seed) {
    struct weft_error error;
    struct tuning *tuning = NULL;
    const struct tune_options options = {.strategy = strategy, .seed = seed, .jobs = jobs};
    ASSERT_GOOD(tuning_open(module, &options, &tuning, &error), error);
    return tuning;
}

/* What tuning says on its way. */
struct notes {
    struct tuning *tuning;
    struct weft_text log;
    uint64_t last; /* cycles of region 0 */
    size_t count;
};

static void note(void *context, const struct tune_better *better) {
    struct notes *notes = context;
    assert_true(better->count > 0);
    assert_true(better->cycles < notes->last);
    notes->last = better->cycles;
    notes->count++;
    tune_log_print_line(&notes->log, tuning_region(notes->tuning, better->region), better, 7);
}

static void tune(struct tuning *tuning, uint64_t most, struct notes *notes) {
    struct weft_error error;
    notes->tuning = tuning;
    notes->last = tuning_region_cycles(tuning, 0);
    while (tuning_tried(tuning) < most) {
        ASSERT_GOOD(tuning_step(tuning, most - tuning_tried(tuning), note, notes, &error), error);
    }
    assert_int_equal(tuning_tried(tuning), most);
}

static struct weft_text decisions_of_tuning(const struct tuning *tuning) {
    struct weft_error error;
    struct weft_text text = {0};
    ASSERT_GOOD(tuning_decisions(tuning, &text, &error), error);
    return text;
}

static struct tune_log_head head_of(const struct weft_module *module) {
    return (struct tune_log_head){.version = TUNE_LOG_VERSION,
                                  .model = "digits",
                                  .model_fingerprint = "1",
                                  .config = module->config.name,
                                  .config_fingerprint = "2",
                                  .compiler = "3",
                                  .strategy = "climb",
                                  .seed = 1,
                                  .frames = 1,
                                  .cycles = (int64_t)weft_module_cycles(module)};
}

/* A log of digits that was tuned; the caller frees its text. */
static struct weft_text digits_log(struct digits *digits, uint64_t *cycles) {
    struct tuning *tuning = open_tuning(digits->module, TUNE_CLIMB, 1, 1);
    const struct tune_log_head head = head_of(digits->module);
    struct notes notes = {.count = 0};
    tune_log_print_head(&notes.log, &head);
    tune(tuning, 400, &notes);
    assert_true(notes.count > 1);
    *cycles = tuning_cycles(tuning);
    tuning_close(tuning);
    return notes.log;
}

/* ---- moves ---- */

/* Every move of every kind leaves fields in their ranges, and every field of a region is moved. */
static void moves_stay_in_ranges(void **state) {
    struct weft_arena *arena = *state;
    size_t made[MOVE_KINDS] = {0};
    size_t changed[REGION_FIELDS] = {0};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct weft_error error;
        struct weft_module *module = NULL;
        struct region region;
        struct decisions decisions;
        struct move_field field;
        struct draw draw = {seed};
        ASSERT_GOOD(module_of(random_layers(arena, &random_small, seed), test_configs[seed % 3],
                              &module, &error),
                    error);
        struct tuning *tuning = NULL;
        const struct tune_options options = {.jobs = 1};
        if (!tuning_open(module, &options, &tuning, &error)) {
            assert_int_equal(error.code, WEFT_ARGUMENT);
            continue;
        }
        region = *tuning_region(tuning, 0);
        region.groups = draw_below(&draw, 2) + 1;
        decisions = decisions_copy(arena, tuning_best(tuning, 0));
        move_field_list(arena, &region, &field);
        for (int i = 0; i < 400; i++) {
            struct decisions before = decisions_copy(arena, &decisions);
            enum move_kind kind = (enum move_kind)draw_below(&draw, MOVE_KINDS);
            int layer = field.layers[draw_below(&draw, field.layer_count)];
            if (!move_make(&draw, &field, kind, layer, i % 4 == 0, &decisions)) {
                decisions = before;
                continue;
            }
            move_repair(&region, &decisions);
            made[kind]++;
            for (int k = 0; k < REGION_FIELDS; k++) {
                changed[k] += decision_get(&before, FIELD_OF_REGION, 0, k) !=
                              decision_get(&decisions, FIELD_OF_REGION, 0, k);
            }
            ASSERT_GOOD(check_decisions(&region, &decisions, &error), error);
        }
        tuning_close(tuning);
    }
    /* What random layers seldom have; for MOVE_PUT_OFF see test_abreast.c. */
    for (enum move_kind kind = 0; kind < MOVE_KINDS; kind++) {
        assert_true(made[kind] > 0 || kind == MOVE_TURN || kind == MOVE_PACK ||
                    kind == MOVE_APART || kind == MOVE_PUT_OFF);
    }
    for (int k = 0; k < REGION_FIELDS; k++) {
        if (changed[k] == 0) {
            fail_msg("%s is never moved", field_name(FIELD_OF_REGION, k));
        }
    }
}

/* ---- tuning ---- */

static void threads_change_nothing(void **state) {
    (void)state;
    for (enum tune_strategy strategy = 0; strategy < TUNE_STRATEGIES; strategy++) {
        struct weft_text texts[3];
        for (unsigned i = 0; i < 3; i++) {
            struct digits digits = digits_open("ref16");
            struct notes notes = {.count = 0};
            struct tuning *tuning = open_tuning(digits.module, strategy, i == 1 ? 3 : 1, 5 + i / 2);
            tune(tuning, 300, &notes);
            texts[i] = decisions_of_tuning(tuning);
            tuning_close(tuning);
            weft_text_free(&notes.log);
            digits_close(&digits);
        }
        assert_string_equal(texts[0].bytes, texts[1].bytes);
        assert_string_not_equal(texts[0].bytes, texts[2].bytes); /* another seed */
        for (int i = 0; i < 3; i++) {
            weft_text_free(&texts[i]);
        }
    }
}

/* What was found compiles to the cycles that were counted, and computes what it should. */
static void what_is_found_computes_the_same(void **state) {
    (void)state;
    for (size_t c = 0; test_configs[c] != NULL; c++) {
        struct weft_error error;
        struct digits digits = digits_open(test_configs[c]);
        const struct weft_config config = config_named(test_configs[c]);
        struct tuning *tuning = open_tuning(digits.module, TUNE_CLIMB, 1, 1);
        struct notes notes = {.count = 0};
        struct weft_module *tuned = NULL;
        tune(tuning, 300, &notes);
        assert_true(notes.count > 0);
        assert_true(tuning_cycles(tuning) < weft_module_cycles(digits.module));
        struct weft_text text = decisions_of_tuning(tuning);
        const struct weft_compile_options options = {.decisions = text.bytes,
                                                     .decisions_length = text.length};
        ASSERT_GOOD(
            weft_compile(digits.model, digits.model_length, &config, &options, &tuned, &error),
            error);
        assert_int_equal(weft_module_cycles(tuned), tuning_cycles(tuning));
        uint8_t *picture = digits_picture(&digits, 3);
        uint8_t *golden = digits_golden(&digits, 3);
        uint8_t output[10];
        ASSERT_GOOD(module_run(tuned, "cycle", (const void *const[]){picture},
                               (void *const[]){output}, &error),
                    error);
        assert_memory_equal(output, golden, sizeof output);
        free(picture);
        free(golden);
        weft_module_free(tuned);
        weft_text_free(&text);
        weft_text_free(&notes.log);
        tuning_close(tuning);
        digits_close(&digits);
    }
}

/* ---- logs ---- */

static void a_log_goes_on(void **state) {
    struct weft_arena *arena = *state;
    struct weft_error error;
    struct digits digits = digits_open("ref16");
    struct tune_log log;
    uint64_t cycles = 0;
    struct weft_text text = digits_log(&digits, &cycles);
    ASSERT_GOOD(tune_log_parse(arena, text.bytes, text.length, &log, &error), error);
    assert_int_equal(log.whole, text.length);
    const struct tune_log_head head = head_of(digits.module);
    assert_true(tune_log_is_of(&log, &head));
    struct tuning *tuning = open_tuning(digits.module, TUNE_CLIMB, 1, 1);
    ASSERT_GOOD(tune_log_resume(arena, &log, tuning, &error), error);
    assert_int_equal(tuning_cycles(tuning), cycles);
    assert_int_equal(log.lines[log.line_count - 1].cycles, cycles);
    tuning_close(tuning);
    /* The same by what layers are like. */
    tuning = open_tuning(digits.module, TUNE_CLIMB, 1, 1);
    ASSERT_GOOD(tune_log_transfer(arena, &log, tuning, &error), error);
    assert_true(tuning_cycles(tuning) < weft_module_cycles(digits.module));
    tuning_close(tuning);
    weft_text_free(&text);
    digits_close(&digits);
}

/* Wherever the log ends, all whole lines count. */
static void a_log_may_end_anywhere(void **state) {
    struct weft_arena *arena = *state;
    struct digits digits = digits_open("ref16");
    uint64_t cycles = 0;
    struct weft_text text = digits_log(&digits, &cycles);
    size_t first = (size_t)(strchr(text.bytes, '\n') + 1 - text.bytes);
    for (size_t length = 0; length <= text.length; length += length < first ? 1 : 13) {
        struct weft_error error = {0};
        struct tune_log log;
        bool good = tune_log_parse(arena, text.bytes, length, &log, &error);
        assert_true(good == (length >= first));
        assert_true(good || error.code == WEFT_DECISIONS);
        assert_true(!good || (log.whole <= length && text.bytes[log.whole - 1] == '\n'));
    }
    weft_text_free(&text);
    digits_close(&digits);
}

/* Replaces the first `from` after the first line by `to`; the caller frees the text. */
static char *replace(const struct weft_text *text, const char *from, const char *to) {
    const char *at = strstr(strchr(text->bytes, '\n'), from);
    assert_non_null(at);
    size_t before = (size_t)(at - text->bytes);
    size_t room = text->length + strlen(to) + 1;
    char *changed = malloc(room);
    assert_non_null(changed);
    (void)snprintf(changed, room, "%.*s%s%s", (int)before, text->bytes, to, at + strlen(from));
    return changed;
}

static void logs_are_not_trusted(void **state) {
    struct weft_arena *arena = *state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"\"region\": 0", "\"region\": 1", "line 2: region 1, expected 0 to 0"},
        {"\"region\": 0", "\"region\": -1", "line 2: region -1"},
        {"\"of\": \"", "\"of\": \"x", "expected a layer, a tensor or a region, not \"x"},
        {"\"field\": \"", "\"field\": \"x", "has no field \"x"},
        {"\"item\": ", "\"item\": 99999", "expected 0 to"},
        {"\"item\": ", "\"item\": -", ""},
        {"\"changes\": [",
         "\"changes\": [{\"of\": \"layer\", \"item\": 0, \"like\": \"\", \"field\": "
         "\"stripe_rows\", \"from\": 1, \"to\": -9223372036854775808}, ",
         ""},
        {"\"what\"", "\"why\"", "line 2: there is no field \"why\""},
        {"]}\n", "]\n", "line 2: expected"},
    };
    struct digits digits = digits_open("ref16");
    uint64_t cycles = 0;
    struct weft_text text = digits_log(&digits, &cycles);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_error error = {0};
        struct tune_log log;
        char *changed = replace(&text, cases[i].from, cases[i].to);
        struct tuning *tuning = open_tuning(digits.module, TUNE_CLIMB, 1, 1);
        bool good = tune_log_parse(arena, changed, strlen(changed), &log, &error) &&
                    tune_log_resume(arena, &log, tuning, &error);
        if (*cases[i].message != '\0') {
            assert_false(good);
            if (strstr(error.message, cases[i].message) == NULL) {
                fail_msg("%s", error.message);
            }
        }
        if (!good) {
            assert_int_equal(error.code, WEFT_DECISIONS);
            assert_int_equal(tuning_cycles(tuning), weft_module_cycles(digits.module));
        }
        tuning_close(tuning);
        free(changed);
    }
    weft_text_free(&text);
    digits_close(&digits);
}

/* Of the last line: cycles that its changes do not come to. */
static void a_log_of_other_cycles_is_refused(void **state) {
    struct weft_arena *arena = *state;
    struct weft_error error;
    struct tune_log log;
    struct digits digits = digits_open("ref16");
    uint64_t cycles = 0;
    struct weft_text text = digits_log(&digits, &cycles);
    struct tuning *tuning = open_tuning(digits.module, TUNE_CLIMB, 1, 1);
    ASSERT_GOOD(tune_log_parse(arena, text.bytes, text.length, &log, &error), error);
    log.lines[log.line_count - 1].cycles--;
    assert_false(tune_log_resume(arena, &log, tuning, &error));
    assert_int_equal(error.code, WEFT_DECISIONS);
    assert_int_equal(error.position, log.line_count + 1);
    assert_non_null(strstr(error.message, "do not come to that here"));
    char *other = strdup(text.bytes);
    assert_non_null(other);
    *strchr(other, '1') = '2'; /* the version stands first */
    assert_false(tune_log_parse(arena, other, text.length, &log, &error));
    assert_non_null(strstr(error.message, "\"weft_tune_log\" is 2, expected 1"));
    free(other);
    tuning_close(tuning);
    weft_text_free(&text);
    digits_close(&digits);
}

/* Nothing to tune. */
static void models_of_the_host_are_refused(void **state) {
    (void)state;
    struct weft_error error;
    struct digits digits = digits_open("ref16");
    const struct weft_config config = config_named("ref16");
    const struct weft_compile_options options = {.host_only = true};
    const struct tune_options tune = {.jobs = 1};
    struct weft_module *module = NULL;
    struct tuning *tuning = NULL;
    ASSERT_GOOD(weft_compile(digits.model, digits.model_length, &config, &options, &module, &error),
                error);
    assert_false(tuning_open(module, &tune, &tuning, &error));
    assert_int_equal(error.code, WEFT_ARGUMENT);
    assert_non_null(strstr(error.message, "no schedule to tune"));
    weft_module_free(module);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(moves_stay_in_ranges),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(what_is_found_computes_the_same),
        ARENA_TEST(a_log_goes_on),
        ARENA_TEST(a_log_may_end_anywhere),
        ARENA_TEST(logs_are_not_trusted),
        ARENA_TEST(a_log_of_other_cycles_is_refused),
        cmocka_unit_test(models_of_the_host_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
