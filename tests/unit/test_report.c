/* report/page/page.h on the digits network: the data of the page, and how it is written. */
#include "tests/unit/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/page_file.h"
#include "tests/unit/folder.h"
#include "tests/unit/modules.h"

static struct weft_error error;

struct page {
    struct digits digits;
    struct weft_trace_file traces;
    struct model_figures figures;
    json_t *data;
    const json_t *segment;
};

static struct page page_of(const char *config) {
    const struct weft_session_options none = {0};
    struct page page = {.digits = digits_open(config)};
    ASSERT_GOOD(traces_of(page.digits.module, &none, 0, &page.traces, &error), error);
    ASSERT_GOOD(figures_of_traces(page.digits.module, &page.traces, &page.figures, &error), error);
    const struct origin origin = {.options = &none};
    const struct reported reported = {page.digits.module, &page.traces, &page.figures, &origin};
    page.data = report_data(&reported, &error);
    assert_non_null(page.data);
    page.segment = json_array_get(json_object_get(page.data, "segments"), 0);
    return page;
}

static void release(struct page *page) {
    json_decref(page->data);
    model_figures_free(&page->figures);
    weft_trace_file_free(&page->traces);
    digits_close(&page->digits);
}

static int64_t at(const json_t *list, size_t index) {
    assert_true(index < json_array_size(list));
    assert_true(json_is_integer(json_array_get(list, index)));
    return json_integer_value(json_array_get(list, index));
}

/* ---- instructions ---- */

/* The text of an instruction from its words. */
static void read_words(const json_t *words, const json_t *list, size_t first, size_t count,
                       struct weft_text *text) {
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(words, (size_t)at(list, first + i)));
        assert_non_null(word);
        weft_text_add(text, "%s%s", i == 0 ? "" : " ", word);
    }
}

/* The tokens of an entry, from its element `first` on, are those that the instruction waited for.
 */
static void check_tokens(const struct weft_trace *trace, const json_t *list, size_t first,
                         int64_t number) {
    const struct weft_instruction *takes = &trace->program.instructions[number];
    enum weft_unit unit = weft_format_of(takes->opcode)->unit;
    assert_int_equal(at(list, first), __builtin_popcount(takes->wait));
    for (size_t i = 1; i <= (size_t)at(list, first); i++) {
        int64_t giver = number - at(list, first + i);
        assert_in_range(giver, 0, trace->program.count - 1);
        const struct weft_instruction *gives = &trace->program.instructions[giver];
        assert_true((gives->signal >> unit & 1) != 0);
        assert_true((takes->wait >> weft_format_of(gives->opcode)->unit & 1) != 0);
        assert_true(trace->times[giver].finished < trace->times[number].started);
    }
}

static size_t check_unit(const struct page *page, const json_t *list) {
    const struct weft_segment *segment = &page->digits.module->segments[0];
    const struct weft_trace *trace = &page->traces.segments[0];
    int64_t number = 0;
    int64_t start = 0;
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(list);) {
        struct weft_text expected = {0};
        struct weft_text text = {0};
        size_t words = i + 5 + (size_t)at(list, i + 4);
        number += at(list, i);
        start += at(list, i + 1);
        assert_int_equal(start, trace->times[number].started);
        assert_int_equal(start + at(list, i + 2) - 1, trace->times[number].finished);
        assert_int_equal(at(list, i + 3) - 1, segment->layer_of[number]);
        check_tokens(trace, list, i + 4, number);
        weft_disassemble(&trace->program.instructions[number], &expected);
        read_words(json_object_get(page->segment, "words"), list, words + 1,
                   (size_t)at(list, words), &text);
        assert_string_equal(text.bytes, expected.bytes);
        weft_text_free(&text);
        weft_text_free(&expected);
        i = words + 1 + (size_t)at(list, words);
        found++;
    }
    return found;
}

static void every_instruction_is_there(void **state) {
    (void)state;
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct page page = page_of(test_configs[i]);
        const char *unit = NULL;
        json_t *list = NULL;
        size_t found = 0;
        json_object_foreach(json_object_get(page.segment, "units"), unit, list) {
            found += check_unit(&page, list);
        }
        assert_int_equal(found, page.traces.segments[0].program.count - 1);
        release(&page);
    }
}

/* ---- cycles and beats ---- */

static void spans_add_up(void **state) {
    (void)state;
    struct page page = page_of("ref16");
    const struct weft_counters *counters = &page.traces.segments[0].result.counters;
    const json_t *lanes = json_object_get(page.segment, "lanes");
    for (unsigned lane = 0; lane <= WEFT_LANE_DISPATCH; lane++) {
        const json_t *list = json_object_get(lanes, weft_lane_names[lane]);
        uint64_t sums[WEFT_COUNTERS + 1] = {0};
        uint64_t cycle = 0;
        for (size_t i = 0; i < json_array_size(list); i += 2) {
            cycle += (uint64_t)at(list, i);
            bool is_last = i + 2 == json_array_size(list);
            sums[at(list, i + 1)] +=
                is_last ? counters->cycles + 1 - cycle : (uint64_t)at(list, i + 2);
        }
        for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
            assert_true(sums[i] == 0 || sums[i] == weft_counter_get(counters, i));
        }
        assert_true(lane != WEFT_UNIT_MATRIX ||
                    sums[WEFT_COUNTER_INDEX_matrix_busy] == counters->matrix_busy);
    }
    const uint64_t beats[WEFT_MASTERS] = {
        [WEFT_MASTER_FETCH] = counters->fetch_beats,
        [WEFT_MASTER_STORE] = counters->store_beats,
        [WEFT_MASTER_LOAD] = counters->load_beats,
    };
    for (unsigned master = 0; master < WEFT_MASTERS; master++) {
        const json_t *list =
            json_object_get(json_object_get(page.segment, "port"), weft_master_names[master]);
        uint64_t sum = 0;
        for (size_t i = 0; i < json_array_size(list); i += 2) {
            assert_true(at(list, i) > 0 && at(list, i + 1) > 0);
            sum += (uint64_t)at(list, i + 1);
        }
        assert_int_equal(sum, beats[master]);
    }
    release(&page);
}

static int64_t number_of(const json_t *object, const char *key) {
    const json_t *number = json_object_get(object, key);
    assert_true(json_is_integer(number));
    return json_integer_value(number);
}

static int64_t sum_of(const json_t *list, const char *key) {
    size_t index = 0;
    json_t *entry = NULL;
    int64_t sum = 0;
    json_array_foreach((json_t *)(uintptr_t)list, index, entry) {
        sum += number_of(entry, key);
    }
    return sum;
}

static void layers_share_the_run(void **state) {
    (void)state;
    struct page page = page_of("ref16");
    const struct weft_counters *counters = &page.traces.segments[0].result.counters;
    const json_t *layers = json_object_get(page.segment, "layers");
    size_t index = 0;
    json_t *layer = NULL;
    int64_t busy = 0;
    json_array_foreach((json_t *)(uintptr_t)layers, index, layer) {
        const json_t *unit = json_object_get(layer, "on_unit");
        bool matrix = strcmp(json_string_value(json_object_get(layer, "unit")), "matrix") == 0;
        busy += matrix ? number_of(unit, "busy") : 0;
        assert_true(number_of(layer, "first") > 0);
        assert_true(number_of(layer, "first") < number_of(layer, "last"));
    }
    assert_int_equal(index, page.digits.module->segments[0].layer_count);
    assert_int_equal(busy, counters->matrix_busy);
    assert_int_equal(sum_of(layers, "cycles"), counters->cycles);
    assert_int_equal(sum_of(json_object_get(page.segment, "groups"), "cycles"), counters->cycles);
    release(&page);
}

/* Flat lists of three numbers of which the first are cycles: they account for the run. */
static void the_path_and_the_owners_have_every_cycle(void **state) {
    (void)state;
    struct page page = page_of("small8");
    static const char *const keys[] = {"path", "owned"};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const json_t *list = json_object_get(page.segment, keys[k]);
        int64_t sum = 0;
        assert_int_equal(json_array_size(list) % 3, 0);
        for (size_t i = 0; i < json_array_size(list); i += 3) {
            assert_true(at(list, i) > 0);
            sum += at(list, i);
        }
        assert_int_equal(sum, page.traces.segments[0].result.counters.cycles);
    }
    release(&page);
}

/* ---- the file ---- */

static size_t occurrences(const char *text, const char *part) {
    size_t count = 0;
    for (const char *found = strstr(text, part); found != NULL; found = strstr(found + 1, part)) {
        count++;
    }
    return count;
}

static bool write_page(const char *path, json_t *data, struct weft_error *wrong) {
    return page_write(path, &report_page, data, wrong);
}

/* Names come from model files: none can end the script in which the data are. */
static void names_cannot_leave_the_data(void **state) {
    (void)state;
    struct folder folder = folder_new();
    const char *path = folder_file(&folder, "page.html");
    uint8_t *plain = NULL;
    uint8_t *hostile = NULL;
    size_t length = 0;
    json_t *data = json_pack("{s:s}", "model", "</script><script>alert(1)</script><!--<script>");
    ASSERT_GOOD(write_page(path, data, &error), error);
    ASSERT_GOOD(weft_file_read(path, &hostile, &length, &error), error);
    json_decref(data);
    data = json_pack("{s:s}", "model", "good");
    ASSERT_GOOD(write_page(path, data, &error), error);
    ASSERT_GOOD(weft_file_read(path, &plain, &length, &error), error);
    json_decref(data);
    assert_int_equal(occurrences((const char *)hostile, "<script"),
                     occurrences((const char *)plain, "<script"));
    assert_int_equal(occurrences((const char *)hostile, "</script"),
                     occurrences((const char *)plain, "</script"));
    assert_int_equal(occurrences((const char *)hostile, "\\u003cscript>alert(1)\\u003c/script>"),
                     1);
    assert_int_equal(occurrences((const char *)hostile, "<!--"), 0);
    free(plain);
    free(hostile);
    folder_free(&folder);
}

static void what_cannot_be_written_is_an_error(void **state) {
    (void)state;
    json_t *data = json_pack("{s:s}", "model", "good");
    ASSERT_FAILS(write_page("/dev/full", data, &error), error, WEFT_IO);
    ASSERT_FAILS(write_page("/nowhere/page.html", data, &error), error, WEFT_IO);
    json_decref(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_is_there),
        cmocka_unit_test(spans_add_up),
        cmocka_unit_test(layers_share_the_run),
        cmocka_unit_test(the_path_and_the_owners_have_every_cycle),
        cmocka_unit_test(names_cannot_leave_the_data),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
