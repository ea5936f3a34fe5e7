/* Targets, the RAMs of a machine, and its area. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "driver/area.h"
#include "tests/unit/folder.h"

/* A target as small as one can be: two resources, the second of which is RAM, and numbers that tell
 * all terms apart. */
static const char *const small_target =
    "{\"name\": \"small\", \"about\": \"a\", \"unit\": \"cells\", \"source\": \"s\", \"url\": "
    "\"u\",\n"
    "\"resources\": [{\"name\": \"logic\", \"weight\": 2000, \"source\": \"s\", \"url\": \"u\"},\n"
    "{\"name\": \"bit\", \"weight\": 500, \"source\": \"s\", \"url\": \"u\"}],\n"
    "\"ram\": {\"resource\": \"bit\", \"shapes\": [[1, 1]], \"source\": \"s\", \"url\": \"u\"},\n"
    "\"modules\": [{\"module\": \"m\", \"part\": \"first\", \"terms\": [\n"
    "{\"of\": \"1\", \"counts\": [1500, 0]}, {\"of\": \"block*act_rams\", \"counts\": [3000, "
    "0]}]},\n"
    "{\"module\": \"n\", \"part\": \"second\", \"terms\": [\n"
    "{\"of\": \"bits(load_beats)*softmax\", \"counts\": [-250, 0]}]}]}";

static struct weft_config named(const char *name) {
    struct weft_config config;
    struct weft_error error;
    ASSERT_GOOD(weft_config_find(name, &config, &error), error);
    return config;
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

static void a_target_is_read(void **state) {
    (void)state;
    static const struct {
        const char *name, *unit, *path;
    } targets[] = {
        {"ecp5", "LUT4", WEFT_SOURCE_DIR "/hw/technology/area/ecp5.json"},
        {"osu018", "um2", WEFT_SOURCE_DIR "/hw/technology/area/osu018.json"},
    };
    static struct weft_area_model builtin;
    static struct weft_area_model file;
    struct weft_error error;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        ASSERT_GOOD(weft_area_find(targets[i].name, &builtin, &error), error);
        ASSERT_GOOD(weft_area_find(targets[i].path, &file, &error), error);
        assert_string_equal(builtin.name, targets[i].name);
        assert_string_equal(builtin.unit, targets[i].unit);
        assert_memory_equal(&builtin, &file, sizeof file);
    }
    ASSERT_FAILS(weft_area_find("ecp6", &file, &error), error, WEFT_IO);
    assert_non_null(strstr(error.message, "ecp6"));
}

/* `small_target` with RAMs of few words: cells of 3 x 100, of numbers that tell all apart. */
static char *with_small_rams(uint32_t below) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "[[1, 1]], \"small\": {\"below\": %u, \"cell\": [3, 100], \"per_cell\": [7000, "
                   "0], \"per_bit\": [0, 250], \"per_choice\": [500, 1000]}",
                   below);
    return changed(small_target, "[[1, 1]]", text);
}

/* A file may have the name of a target that is built in if it says the same of every machine, in
 * whatever words. */
static void a_name_has_one_meaning(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        bool same;
    } cases[] = {
        {"\"about\": \"", "\"about\":   \"Otherwise: ", true},
        {"\"name\": \"osu018\"", "\"name\": \"osu019\"", true},
        {"\"unit\": \"um2\"", "\"unit\": \"nm2\"", false},
        {"\"name\": \"FF\"", "\"name\": \"DFF\"", false},
        {"\"weight\": 51123", "\"weight\": 51124", false},
        {"\"resource\": \"SRAM\"", "\"resource\": \"FF\"", false},
        {"[[1, 1]]", "[[1, 2]]", false},
        {"[[1, 1]]", "[[1, 1], [1, 1]]", false},
        {"[[1, 1]]",
         "[[1, 1]], \"small\": {\"below\": 4, \"cell\": [1, 1], \"per_cell\": [0, 0, 0], "
         "\"per_bit\": [0, 0, 0], \"per_choice\": [0, 0, 0]}",
         false},
        {"\"part\": \"memories\"", "\"part\": \"memory\"", false},
        {"\"of\": \"block*acc_banks\"", "\"of\": \"acc_banks*block\"", false},
        {"\"of\": \"block*acc_banks\"", "\"of\": \"block*bits(acc_banks)\"", false},
        {"\"of\": \"block*acc_banks\"", "\"of\": \"block\"", false},
        {"[34233951, 0, 0]", "[34233951, 1, 0]", false},
        {"{\"of\": \"1\", \"counts\": [34233951, 0, 0]},", "", false},
    };
    struct folder folder = folder_new();
    struct weft_error error;
    uint8_t *text = NULL;
    size_t length = 0;
    ASSERT_GOOD(
        weft_file_read(WEFT_SOURCE_DIR "/hw/technology/area/osu018.json", &text, &length, &error),
        error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct weft_area_model model;
        char *other = changed((const char *)text, cases[i].from, cases[i].to);
        const char *path = folder_write(&folder, "target.json", other, strlen(other));
        free(other);
        if (cases[i].same) {
            ASSERT_GOOD(weft_area_find(path, &model, &error), error);
            continue;
        }
        ASSERT_FAILS(weft_area_find(path, &model, &error), error, WEFT_TECHNOLOGY);
        assert_non_null(strstr(error.message, "its name is osu018, like that of one that is"));
    }
    free(text);
    folder_free(&folder);
}

static void assert_refused(const char *text, size_t length) {
    static struct weft_area_model model;
    struct weft_error error;
    ASSERT_FAILS(weft_area_parse(text, length, &model, &error), error, WEFT_TECHNOLOGY);
}

static void malformed_targets_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"{", "["},
        {"\"small\"", "\"\""},
        {"\"small\"", "\"a name that is longer than thirty-one bytes\""},
        {"\"name\": \"small\"", "\"name\": \"small\", \"name\": \"small\""},
        {"\"unit\": \"cells\", ", ""},
        {"\"about\"", "\"above\""},
        {"\"source\": \"s\", \"url\": \"u\",\n", "\"source\": \"s\", \"url\": \"\",\n"},
        {"\"weight\": 2000", "\"weight\": -1"},
        {"\"weight\": 2000", "\"weight\": 2.5"},
        {"\"weight\": 2000", "\"weight\": 1000000000001"},
        {"\"weight\": 2000, ", ""},
        {"\"resource\": \"bit\"", "\"resource\": \"byte\""},
        {"\"resource\": \"bit\", ", ""},
        {"[[1, 1]]", "[[0, 1]]"},
        {"[[1, 1]]", "[[1, 0]]"},
        {"[[1, 1]]", "[[1]]"},
        {"[[1, 1]]", "[]"},
        {"[[1, 1]]", "[[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]]"},
        {"\"part\": \"first\", \"terms\"", "\"terms\""},
        {"\"module\": \"m\", ", ""},
        {"\"module\": \"n\"", "\"module\": \"m\""}, /* it would count twice */
        {"\"name\": \"small\", ", "\"name\": \"small\", \"name\": \"large\", "},
        {"\"of\": \"1\"", "\"of\": \"2\""},
        {"\"of\": \"1\"", "\"of\": \"\""},
        {"block*act_rams", "block*act_ram"},
        {"block*act_rams", "block*"},
        {"block*act_rams", "*block"},
        {"block*act_rams", "block*block*block*block*block"},
        {"block*act_rams", "bits()"},
        {"block*act_rams", "bits(block"},
        {"block*act_rams", "bits(bits(block))"},
        {"block*act_rams", "small()"},
        {"block*act_rams", "small(block"},
        {"block*act_rams", "small(bits(block))"},
        {"block*act_rams", "large(block)"},
        {"[1500, 0]", "[1500]"},
        {"[1500, 0]", "[1500, 0, 0]"},
        {"[1500, 0]", "[1500, -1000000000001]"},
        {"[1500, 0]}", "[1500, 0], \"of\": \"1\"}"},
        {"\"ram\"", "\"rams\""},
        {"}]}]}", "}]}]} x"},
        {"}]}]}", "}]}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *wrong = changed(small_target, cases[i].from, cases[i].to);
        assert_refused(wrong, strlen(wrong));
        free(wrong);
    }
    for (size_t length = 0; length < strlen(small_target); length++) {
        assert_refused(small_target, length);
    }
    static const struct {
        const char *from, *to;
    } small[] = {
        {"\"below\": 64", "\"below\": 0"},
        {"\"below\": 64", "\"below\": 64, \"below\": 64"},
        {"\"below\": 64, ", ""},
        {"[3, 100]", "[0, 100]"},
        {"[3, 100]", "[3]"},
        {"[7000, 0]", "[7000]"},
        {"[0, 250]", "[0, 250, 0]"},
        {", \"per_choice\": [500, 1000]", ""},
        {"\"per_choice\"", "\"per_choices\""},
    };
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        char *good = with_small_rams(64);
        char *wrong = changed(good, small[i].from, small[i].to);
        assert_refused(wrong, strlen(wrong));
        free(wrong);
        free(good);
    }
    /* What says how many numbers a term has stands before the terms. */
    char *moved = changed(small_target, "\"resources\": [", "\"modules\": [],\"resources\": [");
    assert_refused(moved, strlen(moved));
    free(moved);
}

/* A target counts each module of the machine, and no other; its names control no terminal. */
static void modules_are_those_of_the_machine(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *expected;
    } cases[] = {
        {"\"module\": \"weft_acc\"", "\"module\": \"weft_acd\"",
         "the machine has no module weft_acd"},
        {"\"module\": \"weft_acc\"", "\"module\": \"weft_act\"",
         "expected a module that does not stand above"},
        {"\"modules\": [", NULL, "it has no module weft_acc, as the machine has"},
    };
    static struct weft_area_model model;
    struct folder folder = folder_new();
    struct weft_error error;
    uint8_t *bytes = NULL;
    size_t length = 0;
    ASSERT_GOOD(
        weft_file_read(WEFT_SOURCE_DIR "/hw/technology/area/osu018.json", &bytes, &length, &error),
        error);
    char *named = changed((const char *)bytes, "\"name\": \"osu018\"", "\"name\": \"a\\n\\u001b\"");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        if (cases[i].to != NULL) {
            text = changed(named, cases[i].from, cases[i].to);
        } else { /* without the first module */
            char *first = strstr(named, cases[i].from) + strlen(cases[i].from);
            char *second = strstr(strstr(first, "\"module\"") + 1, "\"module\"");
            while (*second != '{') {
                second--;
            }
            char removed[4096];
            assert_true((size_t)(second - first) < sizeof removed);
            (void)snprintf(removed, sizeof removed, "%.*s", (int)(second - first), first);
            text = changed(named, removed, "");
        }
        const char *path = folder_write(&folder, "target.json", text, strlen(text));
        ASSERT_FAILS(weft_area_find(path, &model, &error), error, WEFT_TECHNOLOGY);
        assert_non_null(strstr(error.message, cases[i].expected));
        free(text);
    }
    const char *path = folder_write(&folder, "target.json", named, strlen(named));
    ASSERT_GOOD(weft_area_find(path, &model, &error), error);
    assert_string_equal(model.name, "a??");
    free(named);
    free(bytes);
    folder_free(&folder);
}

/* The text with so many more modules before the second one. A '#' in the module is its number. */
static char *with_modules(const char *module, unsigned count) {
    struct weft_text list = {0};
    for (unsigned i = 0; i < count; i++) {
        for (const char *at = module; *at != '\0'; at++) {
            weft_text_add(&list, *at == '#' ? "%u" : "%c", *at == '#' ? i : (unsigned char)*at);
        }
        weft_text_add(&list, ",\n");
    }
    weft_text_add(&list, "{\"module\": \"n\"");
    assert_false(list.failed);
    char *text = changed(small_target, "{\"module\": \"n\"", list.bytes);
    weft_text_free(&list);
    return text;
}

/* As many as there may be beside what the target has, and one more. */
static void there_are_limits(void **state) {
    (void)state;
    static struct weft_area_model model;
    static const struct {
        const char *module;
        unsigned most;
        const char *expected;
    } cases[] = {
        {"{\"module\": \"x#\", \"part\": \"first\", \"terms\": [{\"of\": \"1\", \"counts\": [1, "
         "0]}]}",
         WEFT_AREA_MODULES - 2, "no more than 96 modules"},
        {"{\"module\": \"x#\", \"part\": \"p#\", \"terms\": [{\"of\": \"1\", \"counts\": [1, 0]}]}",
         WEFT_AREA_PARTS - 2, "no more than 16 parts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_error error;
        char *text = with_modules(cases[i].module, cases[i].most);
        ASSERT_GOOD(weft_area_parse(text, strlen(text), &model, &error), error);
        free(text);
        text = with_modules(cases[i].module, cases[i].most + 1);
        ASSERT_FAILS(weft_area_parse(text, strlen(text), &model, &error), error, WEFT_TECHNOLOGY);
        assert_non_null(strstr(error.message, cases[i].expected));
        free(text);
    }
}

static void terms_are_limited(void **state) {
    (void)state;
    static struct weft_area_model model;
    for (unsigned count = WEFT_AREA_TERMS - 2; count <= WEFT_AREA_TERMS - 1; count++) {
        struct weft_error error;
        struct weft_text list = {0};
        for (unsigned i = 0; i < count; i++) {
            weft_text_add(&list, "%s{\"of\": \"1\", \"counts\": [1, 0]}", i == 0 ? "" : ",");
        }
        char *text = changed(small_target, "{\"of\": \"1\", \"counts\": [1500, 0]}", list.bytes);
        bool good = weft_area_parse(text, strlen(text), &model, &error);
        assert_int_equal(good, count == WEFT_AREA_TERMS - 2);
        assert_true(good || strstr(error.message, "no more than 512 terms") != NULL);
        free(text);
        weft_text_free(&list);
    }
}

static void resources_are_limited(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    const char *const one = "{\"name\": \"x\", \"weight\": 1, \"source\": \"s\", \"url\": \"u\"}";
    struct weft_text list = {0};
    weft_text_add(&list, "%s, %s, %s, {\"name\": \"logic\"", one, one, one);
    char *text = changed(small_target, "{\"name\": \"logic\"", list.bytes);
    ASSERT_FAILS(weft_area_parse(text, strlen(text), &model, &error), error, WEFT_TECHNOLOGY);
    assert_non_null(strstr(error.message, "no more than 4 resources"));
    free(text);
    weft_text_free(&list);
}

/* By hand: terms, factors, weights, and RAM in bits. */
static void area_is_the_sum_of_terms(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    struct weft_config config = named("small8"); /* 8 lanes, 8 RAMs of ACT, 192 beats: 8 bits */
    ASSERT_GOOD(weft_area_parse(small_target, strlen(small_target), &model, &error), error);
    struct weft_area area = weft_area_of(&model, &config);
    const double bits = 8 * (65536.0 + 32768 + 16384 + 4096 + 2048);
    assert_true(area.counts[0][0] == 1.5 + 3 * 64);
    assert_true(area.counts[1][0] == -0.25 * 8);
    assert_true(area.rams[1] == bits);
    assert_true(area.totals[0] == 1.5 + 192 - 2);
    assert_true(area.totals[1] == bits);
    assert_true(area.total == 2 * (1.5 + 192 - 2) + bits / 2);
    config.softmax = 0;
    config.load_beats = 256;
    area = weft_area_of(&model, &config);
    assert_true(area.totals[0] == 1.5 + 192);
    config.softmax = 1;
    config.load_beats = 257;
    assert_true(weft_area_of(&model, &config).counts[1][0] == -0.25 * 9);
    /* More RAMs than banks are as many as there are banks. */
    config.act_banks = 4;
    assert_true(weft_area_of(&model, &config).counts[0][0] == 1.5 + 3 * 32);
    config.lookup = 0;
    assert_true(weft_area_of(&model, &config).rams[1] == bits - 8 * 2048);
}

/* Words that are flip-flops, and from 32 on a macro. */
static void small_memories_are_counted(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    struct weft_config config = named("small8");
    char *text = changed(small_target, "block*act_rams", "small(fetch_buffer)*block");
    ASSERT_GOOD(weft_area_parse(text, strlen(text), &model, &error), error);
    free(text);
    static const uint32_t words[][2] = {{8, 8}, {31, 31}, {32, 0}, {64, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        config.fetch_buffer = words[i][0];
        assert_true(weft_area_of(&model, &config).counts[0][0] == 1.5 + 3.0 * 8 * words[i][1]);
    }
}

/* By hand: of small8's RAMs, those of ACC have 128 words of 256 bits, all others 256 and more. */
static void rams_of_few_words_are_counted(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    const struct weft_config config = named("small8");
    static const uint32_t below[] = {1, 128, 129};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char *text = with_small_rams(below[i]);
        ASSERT_GOOD(weft_area_parse(text, strlen(text), &model, &error), error);
        free(text);
        const struct weft_area area = weft_area_of(&model, &config);
        const double blocks = 8 * (65536.0 + 32768 + 4096 + 2048);
        const bool few = below[i] == 129;
        const double logic = few ? 4 * (2 * 86 * 7.0 + 256 * 0.5) : 0;
        const double bits = few ? 4 * (256 * 0.25 + 256) : 8 * 16384;
        assert_true(area.rams[0] == logic);
        assert_true(area.rams[1] == blocks + bits);
        assert_true(area.totals[0] == 1.5 + 192 - 2 + logic);
        assert_true(area.totals[1] == blocks + bits);
    }
}

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

/* What Yosys makes of them (tests/cost/area_ecp5.txt). */
static void blocks_are_those_of_yosys(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    struct weft_config config = named("ecp5");
    ASSERT_GOOD(weft_area_find("ecp5", &model, &error), error);
    assert_true(weft_area_of(&model, &config).rams[3] == 76);
    config = named("ref16");
    assert_true(weft_area_of(&model, &config).rams[3] == 276);
    assert_true(weft_area_of(&model, &config).rams[0] == 0);
    /* RAMs of ACT with 32 words of 128 bits are 2 x 32 RAMs of 16 words and 4 bits each, and 128
     * bits are chosen and kept. Others take as many blocks as before. */
    const double act = 4 * weft_act_rams(&config);
    const double blocks = act * 4 * divide_up(config.act_bytes / 16 / (uint32_t)act, 512);
    config.act_bytes = 16 * 32 * (uint32_t)act;
    assert_true(weft_area_of(&model, &config).rams[3] == 276 - blocks);
    assert_true(weft_area_of(&model, &config).rams[0] == act * (2 * 32 * 6 + 128));
    assert_true(weft_area_of(&model, &config).rams[1] == act * 128);
}

/* On standard cells RAM is bits, which weigh what those of a macro do. */
static void bits_are_those_of_the_memories(void **state) {
    (void)state;
    static struct weft_area_model model;
    struct weft_error error;
    struct weft_config config = named("ref16");
    ASSERT_GOOD(weft_area_find("osu018", &model, &error), error);
    struct weft_area area = weft_area_of(&model, &config);
    uint64_t bytes = 0;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        bytes += weft_memory_bytes(&config, memory);
    }
    assert_true(area.rams[model.ram] == 8 * (double)bytes);
    assert_string_equal(model.resources[model.ram].name, "SRAM");
    assert_true(area.total > 51.123 * area.rams[model.ram]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_read),
        cmocka_unit_test(a_name_has_one_meaning),
        cmocka_unit_test(malformed_targets_are_refused),
        cmocka_unit_test(modules_are_those_of_the_machine),
        cmocka_unit_test(there_are_limits),
        cmocka_unit_test(terms_are_limited),
        cmocka_unit_test(resources_are_limited),
        cmocka_unit_test(area_is_the_sum_of_terms),
        cmocka_unit_test(small_memories_are_counted),
        cmocka_unit_test(rams_of_few_words_are_counted),
        cmocka_unit_test(blocks_are_those_of_yosys),
        cmocka_unit_test(bits_are_those_of_the_memories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
