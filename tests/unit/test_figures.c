/* driver/figures.h on the digits network, with memories of several speeds: layers and groups add up
 * to the run. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "report/model_figures.h"
#include "tests/unit/modules.h"

static struct weft_error error;

struct made {
    struct digits digits;
    struct weft_trace_file traces;
    struct model_figures figures;
};

static struct made make(const char *config, const struct weft_session_options *options) {
    struct made made = {.digits = digits_open(config)};
    ASSERT_GOOD(traces_of(made.digits.module, options, 0, &made.traces, &error), error);
    ASSERT_GOOD(figures_of_traces(made.digits.module, &made.traces, &made.figures, &error), error);
    return made;
}

static void release(struct made *made) {
    model_figures_free(&made->figures);
    weft_trace_file_free(&made->traces);
    digits_close(&made->digits);
}

/* Calls a check with the figures of every configuration, on the memory of each, and on slow ones.
 */
static void with_figures(void (*check)(const struct made *made)) {
    static const struct weft_session_options options[] = {
        {0}, {.memory = {.latency = 1}}, {.memory = {.latency = 700, .interval = 4}}};
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            struct made made = make(test_configs[i], &options[k]);
            check(&made);
            release(&made);
        }
    }
}

static uint64_t sum_of(const uint64_t *used) {
    uint64_t sum = 0;
    for (unsigned use = 0; use < WEFT_USES; use++) {
        sum += used[use];
    }
    return sum;
}

static void check_sums(const struct made *made) {
    const struct weft_figures *figures = &made->figures.segments[0];
    const struct weft_counters *counters = &made->traces.segments[0].result.counters;
    const struct weft_segment *segment = &made->digits.module->segments[0];
    uint64_t layers = 0;
    uint64_t groups = 0;
    uint64_t matrix = 0;
    uint32_t grouped = 0;
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        const struct weft_layer_figures *layer = &figures->layers[i];
        layers += layer->cycles;
        matrix += layer->used[WEFT_USE_MATRIX];
        assert_int_equal(sum_of(layer->used), layer->cycles);
        assert_true(layer->waited_most <= layer->waited);
        const struct weft_layer_info *info = &segment->layers[i];
        assert_true(weft_utilisation(&made->digits.module->config, info->macs - info->cut_macs,
                                     layer->cycles) <= 1);
    }
    for (uint32_t i = 0; i < figures->group_count; i++) {
        const struct weft_group_figures *group = &figures->groups[i];
        assert_int_equal(group->first, grouped);
        assert_int_equal(sum_of(group->used), group->cycles);
        groups += group->cycles;
        grouped += group->count;
    }
    assert_int_equal(grouped, figures->layer_count);
    assert_int_equal(layers, counters->cycles);
    assert_int_equal(groups, counters->cycles);
    /* Streams are nobody else's. */
    assert_int_equal(matrix, counters->matrix_stream);
}

static void layers_and_groups_add_up_to_the_run(void **state) {
    (void)state;
    with_figures(check_sums);
}

static void check_owned(const struct made *made) {
    const struct weft_figures *figures = &made->figures.segments[0];
    uint64_t end = 0;
    for (size_t i = 0; i < figures->owned_count; i++) {
        const struct weft_owned_cycles *owned = &figures->owned[i];
        assert_int_equal(owned->first, end + 1);
        assert_true(owned->first <= owned->last);
        assert_true(owned->layer < figures->layer_count);
        end = owned->last;
    }
    assert_int_equal(end, figures->cycles);
}

static void every_cycle_has_one_owner(void **state) {
    (void)state;
    with_figures(check_owned);
}

/* Cycles of a unit by layer: what a layer waited for others is among the waits of its unit. */
static void check_units(const struct made *made) {
    const struct weft_figures *figures = &made->figures.segments[0];
    for (uint32_t i = 0; i < figures->layer_count; i++) {
        const struct weft_layer_figures *layer = &figures->layers[i];
        uint64_t waits = 0;
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            waits += layer->on_unit.wait[unit];
        }
        assert_true(layer->waited <= waits);
        assert_true((layer->waits_for < 0) == (layer->waited == 0));
        assert_true(layer->waits_for != (int32_t)i);
        assert_true(layer->unit == WEFT_UNITS || layer->first < layer->last);
    }
}

static void waits_are_of_the_unit(void **state) {
    (void)state;
    with_figures(check_units);
}

/* ---- verdicts ---- */

static void verdicts_name_what_is_most(void **state) {
    (void)state;
    struct weft_layer_figures layer = {.cycles = 100, .waits_for = -1, .unit = WEFT_UNIT_MATRIX};
    layer.used[WEFT_USE_MATRIX] = 40;
    layer.used[WEFT_USE_LOAD] = 60;
    struct weft_verdict verdict = weft_layer_verdict(&layer);
    assert_int_equal(verdict.use, WEFT_USE_LOAD);
    assert_int_equal(verdict.layer, -1);
    assert_true(verdict.share > 0.599 && verdict.share < 0.601);
    layer.waited = 100;
    layer.waited_most = 80;
    layer.waits_for = 3;
    verdict = weft_layer_verdict(&layer);
    assert_int_equal(verdict.layer, 3);
    assert_true(verdict.share > 0.399 && verdict.share < 0.401);
    const struct weft_layer_figures hidden = {.waits_for = -1, .unit = WEFT_UNIT_VECTOR};
    verdict = weft_layer_verdict(&hidden);
    assert_true(verdict.is_hidden && verdict.use == WEFT_USES && verdict.layer == -1);
    const struct weft_layer_figures nothing = {.waits_for = -1, .unit = WEFT_UNITS};
    verdict = weft_layer_verdict(&nothing);
    assert_true(!verdict.is_hidden && verdict.use == WEFT_USES && verdict.layer == -1);
}

static void verdicts_have_words(void **state) {
    (void)state;
    static const struct {
        struct weft_verdict verdict;
        const char *text;
    } cases[] = {
        {{WEFT_USE_MATRIX, -1, 0.841, false}, "matrix 84 %"},
        {{WEFT_USES, 2, 0.6, false}, "waits for 12 60 %"},
        {{WEFT_USES, -1, 0, true}, "hidden"},
        {{WEFT_USES, -1, 0, false}, "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[48];
        verdict_text(text, sizeof text, &cases[i].verdict, 10);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- names ---- */

static void layers_are_called_as_in_the_model(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    const struct weft_segment *segment = &digits.module->segments[0];
    for (uint32_t i = 0; i < segment->layer_count; i++) {
        const char *name = segment->layers[i].tensor;
        assert_true(strlen(name) > 0 && strspn(name, "v0123456789") < strlen(name));
    }
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_and_groups_add_up_to_the_run),
        cmocka_unit_test(every_cycle_has_one_owner),
        cmocka_unit_test(waits_are_of_the_unit),
        cmocka_unit_test(verdicts_name_what_is_most),
        cmocka_unit_test(verdicts_have_words),
        cmocka_unit_test(layers_are_called_as_in_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
