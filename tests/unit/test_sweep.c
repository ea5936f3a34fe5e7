/* Sweeps: definitions, points, guided points, workers, rows in a file, and what they say. */
#include "tests/unit/test.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "sweep/analyse.h"
#include "sweep/fit.h"
#include "sweep/guide.h"
#include "sweep/names.h"
#include "sweep/pool.h"
#include "sweep/run.h"
#include "sweep/store.h"
#include "tests/unit/folder.h"

static const char *const digits = WEFT_SOURCE_DIR "/models/digits/digits.tflite";

static uint8_t element; /* of what read_element() gives */

static struct sweep_definition *definition_new(void) {
    struct sweep_definition *definition = calloc(1, sizeof *definition);
    assert_non_null(definition);
    return definition;
}

static void definition_end(struct sweep_definition *definition) {
    sweep_definition_free(definition);
    free(definition);
}

static bool parse(struct sweep_definition *definition, const char *text, struct weft_error *error) {
    return sweep_parse(definition, text, strlen(text), ".", error);
}

static struct sweep_definition *parsed(const char *text) {
    struct weft_error error;
    struct sweep_definition *definition = definition_new();
    ASSERT_GOOD(parse(definition, text, &error) && sweep_definition_check(definition, &error),
                error);
    return definition;
}

static uint32_t value_of(const struct sweep_point *point, const char *axis) {
    return point->values[sweep_axis_find(axis, strlen(axis))];
}

/* ---- definitions ---- */

static void a_grid_is_every_combination(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_point *points = NULL;
    size_t count = 0;
    struct sweep_definition *d = parsed("{\"models\": [\"a\", \"b\"], \"grid\": {\"act_bytes\": "
                                        "\"64K..256K\", \"effort\": [1, \"2..6+2\"]}}");
    ASSERT_GOOD(sweep_points(d, &points, &count, &error), error);
    assert_int_equal(count, 2 * 3 * 4);
    assert_int_equal(value_of(&points[0], "act_bytes"), 65536);
    assert_int_equal(value_of(&points[23], "act_bytes"), 262144);
    assert_int_equal(value_of(&points[23], "effort"), 6);
    assert_int_equal(value_of(&points[0], "block"), 16); /* of ref16 */
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(points[i].model, i % 2);
    }
    free(points);
    definition_end(d);
}

static void listed_points_say_what_they_change(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_point *points = NULL;
    size_t count = 0;
    struct sweep_definition *d =
        parsed("{\"models\": [\"a\", \"b\"], \"points\": [{\"act_bytes\": \"128K\"}, "
               "{\"config\": \"small8\", \"model\": \"c\", \"latency\": 7}]}");
    ASSERT_GOOD(sweep_points(d, &points, &count, &error), error);
    assert_int_equal(count, 3); /* the first of a and b; c is for the point that names it */
    assert_int_equal(value_of(&points[1], "act_bytes"), 131072);
    assert_int_equal(value_of(&points[1], "block"), 16); /* of ref16 */
    assert_int_equal(value_of(&points[2], "latency"), 7);
    assert_string_equal(d->config_names[points[2].config], "small8");
    assert_string_equal(d->models[points[2].model], "c");
    free(points);
    definition_end(d);
}

/* Configurations and models of listed points are those of no other point, nor of the grid. */
static void listed_points_keep_what_they_name(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *configs[4]; /* of the points, in order */
        const char *models;     /* one letter each */
    } cases[] = {
        {"{\"points\": [{\"config\": \"small8\"}, {\"latency\": 5}], \"models\": \"a\", "
         "\"config\": [\"large32\", \"ref16\"]}",
         2,
         {"small8", "large32"},
         "aa"},
        {"{\"models\": [\"a\"], \"config\": [\"ref16\"], \"grid\": {\"memory_latency\": "
         "[50, 100]}, \"points\": [{\"config\": \"small8\", \"model\": \"b\"}]}",
         3,
         {"small8", "ref16", "ref16"},
         "baa"},
        {"{\"points\": [{\"config\": \"small8\", \"memory_latency\": 50}, "
         "{\"memory_latency\": 50}], \"models\": \"a\"}",
         2,
         {"small8", "ref16"},
         "aa"},
        {"{\"points\": [{\"config\": \"small8\", \"model\": \"b\"}, {\"model\": \"a\"}], "
         "\"grid\": {\"config\": [\"small8\"]}, \"models\": \"b\"}",
         3,
         {"small8", "small8", "small8"},
         "bab"},
        {"{\"points\": [{\"model\": \"b\"}]}", 1, {"ref16"}, "b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_error error;
        struct sweep_point *points = NULL;
        size_t count = 0;
        struct sweep_definition *d = parsed(cases[i].text);
        ASSERT_GOOD(sweep_points(d, &points, &count, &error), error);
        assert_int_equal(count, cases[i].count);
        for (size_t k = 0; k < count; k++) {
            assert_string_equal(d->config_names[points[k].config], cases[i].configs[k]);
            assert_int_equal(d->models[points[k].model][0], cases[i].models[k]);
            assert_int_equal(value_of(&points[k], "block"), d->configs[points[k].config].block);
        }
        free(points);
        definition_end(d);
    }
}

/* What is printed is read as the same points. */
static void points_survive_printing(void **state) {
    (void)state;
    struct weft_error error;
    struct weft_text text = {0};
    struct sweep_point *points = NULL;
    struct sweep_point *again = NULL;
    size_t count = 0;
    size_t again_count = 0;
    struct sweep_definition *d =
        parsed("{\"models\": [\"/m/a\"], \"random\": 9, \"seed\": 3, \"grid\": {\"act_bytes\": "
               "\"4K..4M\", \"wgt_bytes\": \"4K..4M\"}}");
    ASSERT_GOOD(sweep_points(d, &points, &count, &error), error);
    ASSERT_GOOD(sweep_print(d, points, count, "/here", &text, &error), error);
    struct sweep_definition *e = parsed(text.bytes);
    ASSERT_GOOD(sweep_points(e, &again, &again_count, &error), error);
    assert_int_equal(count, 9);
    assert_int_equal(again_count, 9);
    assert_memory_equal(points, again, count * sizeof *points);
    assert_string_equal(e->models[0], "/m/a");
    weft_text_free(&text);
    free(points);
    free(again);
    definition_end(d);
    definition_end(e);
}

static void drawn_points_are_different_ones(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_point *points[2];
    size_t count = 0;
    struct sweep_definition *d =
        parsed("{\"models\": \"a\", \"random\": 60, \"seed\": 5, \"grid\": "
               "{\"act_bytes\": \"4K..4M\", \"wgt_bytes\": \"4K..512K\"}}");
    for (int i = 0; i < 2; i++) {
        ASSERT_GOOD(sweep_points(d, &points[i], &count, &error), error);
        assert_int_equal(count, 60); /* of 88 */
    }
    assert_memory_equal(points[0], points[1], count * sizeof *points[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_memory_not_equal(&points[0][i], &points[0][k], sizeof points[0][i]);
        }
    }
    free(points[0]);
    free(points[1]);
    definition_end(d);
}

static void malformed_definitions_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "[]",
        "{\"models\": 3}",
        "{\"models\": [\"a\"}",
        "{\"nothing\": 3}",
        "{\"grid\": {\"nothing\": 3}}",
        "{\"grid\": {\"act_bytes\": \"64\x01\"}}",
        "{\"grid\": {\"act_bytes\": \"\"}}",
        "{\"grid\": {\"act_bytes\": \"64Q\"}}",
        "{\"grid\": {\"act_bytes\": \"8..4\"}}",
        "{\"grid\": {\"act_bytes\": \"0..4\"}}",
        "{\"grid\": {\"act_bytes\": \"1..4+0\"}}",
        "{\"grid\": {\"act_bytes\": \"5000000000\"}}",
        "{\"grid\": {\"act_bytes\": 5000000000}}",
        "{\"grid\": {\"act_bytes\": -1}}",
        "{\"grid\": {\"act_bytes\": [1,]}}",
        "{\"points\": [{\"block\": \"8..16\"}]}",
        "{\"points\": [{\"block\": [8]}]}",
        "{\"points\": [{\"nothing\": 8}]}",
        "{\"points\": 3}",
        "{\"random\": -1}",
        "{\"objective\": \"beauty\"}",
        "{} {}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weft_error error;
        struct sweep_definition *d = definition_new();
        ASSERT_FAILS(parse(d, texts[i], &error), error, WEFT_SWEEP);
        definition_end(d);
    }
}

static void impossible_sweeps_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum weft_error_code code;
    } cases[] = {
        {"{}", WEFT_SWEEP}, /* no model */
        {"{\"models\": \"a\", \"random\": 1, \"guided\": 1}", WEFT_SWEEP},
        /* No grid to draw from, and no model for one. */
        {"{\"models\": \"a\", \"random\": 1, \"points\": [{\"block\": 8}]}", WEFT_SWEEP},
        {"{\"models\": \"a\", \"guided\": 1, \"points\": [{\"block\": 8}]}", WEFT_SWEEP},
        {"{\"grid\": {\"block\": 8}, \"points\": [{\"model\": \"a\"}]}", WEFT_SWEEP},
        {"{\"points\": [{\"model\": \"a\"}, {\"block\": 8}]}", WEFT_SWEEP},
        /* Combinations that no 64 bits count: drawing some of them would never leave the first. */
        {"{\"models\": \"a\", \"random\": 4, \"grid\": {\"latency\": \"1..4096+1\", \"interval\": "
         "\"1..4096+1\", \"act_bytes\": \"1..4096+1\", \"wgt_bytes\": \"1..4096+1\", "
         "\"acc_bytes\": \"1..4096+1\", \"par_bytes\": \"1..16+1\"}}",
         WEFT_LIMIT},
        {"{\"models\": \"a\", \"grid\": {\"act_bytes\": \"1..1000+1\", \"wgt_bytes\": "
         "\"1..1001+1\"}}",
         WEFT_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_error error;
        struct sweep_definition *d = definition_new();
        ASSERT_GOOD(parse(d, cases[i].text, &error), error);
        ASSERT_FAILS(sweep_definition_check(d, &error), error, cases[i].code);
        definition_end(d);
    }
    struct weft_error error;
    struct sweep_definition *d = definition_new();
    ASSERT_FAILS(parse(d, "{\"grid\": {\"effort\": \"1..5000+1\"}}", &error), error, WEFT_LIMIT);
    ASSERT_FAILS(sweep_add_grid(d, "effort", &error), error, WEFT_SWEEP);
    ASSERT_FAILS(sweep_add_config(d, "/no/such/file", &error), error, WEFT_IO);
    definition_end(d);
}

/* ---- guided points ---- */

/* Smallest at act_bytes 64K and wgt_bytes 128K; refused where ACT is largest. */
static double objective(const struct sweep_point *point) {
    double x = log2((double)value_of(point, "act_bytes")) - 16;
    double y = log2((double)value_of(point, "wgt_bytes")) - 17;
    return value_of(point, "act_bytes") == 4U << 20 ? (double)NAN : x * x + y * y + x * y / 2;
}

static void guide_all(const struct sweep_definition *d, uint64_t seed, size_t count,
                      struct sweep_known *known) {
    struct weft_error error;
    const struct sweep_guide_rule all = {.allowed = NULL};
    for (size_t i = 0; i < count;) {
        uint64_t numbers[SWEEP_GUIDE_BATCH];
        size_t got = 0;
        size_t left = count - i;
        ASSERT_GOOD(sweep_guide(d, known, i, &all, &seed,
                                left < SWEEP_GUIDE_BATCH ? left : SWEEP_GUIDE_BATCH, numbers, &got,
                                &error),
                    error);
        assert_true(got > 0);
        for (size_t k = 0; k < got; k++) {
            struct sweep_point point;
            sweep_grid_point(d, numbers[k], &point);
            known[i++] = (struct sweep_known){numbers[k], objective(&point)};
        }
    }
}

static double best_of(const struct sweep_known *known, size_t count) {
    double best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        best = fmin(best, known[i].objective); /* which skips NAN */
    }
    return best;
}

static void guided_points_find_the_best(void **state) {
    (void)state;
    struct sweep_known known[48];
    struct sweep_known again[48];
    int found = 0;
    struct sweep_definition *d =
        parsed("{\"models\": \"a\", \"guided\": 48, \"grid\": {\"act_bytes\": \"4K..4M\", "
               "\"wgt_bytes\": \"4K..4M\", \"memory_latency\": \"4..4096\"}}"); /* 1,331 */
    for (uint64_t seed = 0; seed < 10; seed++) {
        guide_all(d, seed, 48, known);
        found += best_of(known, 48) == 0;
        guide_all(d, seed, 48, again);
        for (size_t i = 0; i < 48; i++) {
            assert_true(known[i].number == again[i].number);
        }
    }
    assert_true(found >= 9); /* 11 of 1,331 are the best: 48 drawn ones find one in 33 % */
    definition_end(d);
}

static bool is_even(const void *context, uint64_t number) {
    return number % 2 == 0 && number < *(const uint64_t *)context;
}

/* What a rule does not allow is not chosen; where none of thousands is allowed, nothing is. */
static void guided_points_keep_a_rule(void **state) {
    (void)state;
    struct weft_error error;
    uint64_t numbers[SWEEP_GUIDE_BATCH];
    uint64_t seed = 1;
    uint64_t below = 9;
    size_t count = 0;
    const struct sweep_guide_rule rule = {is_even, &below};
    struct sweep_known known[9];
    struct sweep_definition *d = parsed("{\"models\": \"a\", \"guided\": 9, \"grid\": "
                                        "{\"act_bytes\": \"16K..64K\", \"wgt_bytes\": "
                                        "\"16K..64K\"}}");
    size_t known_count = 0;
    for (size_t got = 1; got > 0; known_count += got) {
        ASSERT_GOOD(sweep_guide(d, known, known_count, &rule, &seed, 2, numbers, &got, &error),
                    error);
        for (size_t i = 0; i < got; i++) {
            assert_true(is_even(&below, numbers[i]));
            known[known_count + i] = (struct sweep_known){numbers[i], (double)numbers[i]};
        }
    }
    assert_int_equal(known_count, 5); /* 0, 2, 4, 6, 8 */
    below = 0;
    ASSERT_GOOD(sweep_guide(d, known, 0, &rule, &seed, 2, numbers, &count, &error), error);
    assert_int_equal(count, 0);
    definition_end(d);
}

static void guided_points_end_with_the_grid(void **state) {
    (void)state;
    struct sweep_known known[9];
    bool seen[9] = {false};
    struct sweep_definition *d = parsed("{\"models\": \"a\", \"guided\": 100, \"grid\": "
                                        "{\"act_bytes\": \"16K..64K\", \"wgt_bytes\": "
                                        "\"16K..64K\"}}");
    assert_int_equal(d->guided, 9);
    guide_all(d, 1, 9, known);
    for (size_t i = 0; i < 9; i++) {
        assert_false(seen[known[i].number]);
        seen[known[i].number] = true;
    }
    definition_end(d);
}

/* ---- workers ---- */

struct outcomes {
    enum sweep_outcome outcome[32];
    int detail[32];
    uint32_t reply[32];
    size_t stop_at;
    size_t count;
};

static void work_hard(void *context, const void *request, void *reply) {
    uint32_t number = 0;
    (void)context;
    memcpy(&number, request, sizeof number);
    if (number == 3) {
        (void)raise(SIGKILL);
    }
    if (number == 5) {
        (void)pause(); /* for ever */
    }
    if (number == 7) {
        _exit(0);
    }
    number *= 2;
    memcpy(reply, &number, sizeof number);
}

static bool take_outcome(void *context, size_t index, enum sweep_outcome outcome, int detail,
                         const void *reply, struct weft_error *error) {
    struct outcomes *outcomes = context;
    outcomes->outcome[index] = outcome;
    outcomes->detail[index] = detail;
    if (outcome == SWEEP_DONE) {
        memcpy(&outcomes->reply[index], reply, sizeof outcomes->reply[index]);
    }
    return ++outcomes->count != outcomes->stop_at || weft_fail(error, WEFT_IO, 0, "stop");
}

static struct sweep_pool pool_of(struct outcomes *outcomes, unsigned workers) {
    return (struct sweep_pool){.workers = workers,
                               .seconds = 0.3,
                               .request_size = sizeof(uint32_t),
                               .reply_size = sizeof(uint32_t),
                               .context = outcomes,
                               .work = work_hard,
                               .done = take_outcome};
}

static void workers_that_end_are_outcomes(void **state) {
    (void)state;
    uint32_t requests[20];
    for (uint32_t i = 0; i < 20; i++) {
        requests[i] = i;
    }
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        struct weft_error error;
        struct outcomes outcomes = {.count = 0};
        const struct sweep_pool pool = pool_of(&outcomes, workers);
        ASSERT_GOOD(sweep_pool_run(&pool, requests, 20, &error), error);
        assert_int_equal(outcomes.count, 20);
        for (uint32_t i = 0; i < 20; i++) {
            enum sweep_outcome expected = i == 5             ? SWEEP_LATE
                                          : i == 3 || i == 7 ? SWEEP_ENDED
                                                             : SWEEP_DONE;
            assert_int_equal(outcomes.outcome[i], expected);
            assert_int_equal(outcomes.reply[i], expected == SWEEP_DONE ? 2 * i : 0);
        }
        assert_int_equal(outcomes.detail[3], SIGKILL);
        assert_int_equal(outcomes.detail[7], 0);
    }
}

static void whoever_takes_outcomes_can_stop(void **state) {
    (void)state;
    static const uint32_t requests[20] = {0};
    struct weft_error error;
    struct outcomes outcomes = {.stop_at = 4};
    const struct sweep_pool pool = pool_of(&outcomes, 2);
    ASSERT_FAILS(sweep_pool_run(&pool, requests, 20, &error), error, WEFT_IO);
    assert_int_equal(outcomes.count, 4);
}

/* ---- rows ---- */

static struct sweep_row row_of(uint32_t act_bytes, uint64_t cycles) {
    struct sweep_row row = {.cycles = cycles, .energy = NAN, .area = NAN, .seconds = 0.5};
    (void)snprintf(row.model, sizeof row.model, "a,\"b\".tflite");
    (void)snprintf(row.model_fingerprint, sizeof row.model_fingerprint, "0123456789abcdef");
    (void)snprintf(row.config_fingerprint, sizeof row.config_fingerprint, "%016x", act_bytes);
    (void)snprintf(row.version, sizeof row.version, "1");
    row.values[sweep_axis_find("act_bytes", 9)] = act_bytes;
    row.values[sweep_axis_find("block", 5)] = 16;
    row.counters[WEFT_COUNTER_INDEX_cycles] = cycles;
    row.counters[WEFT_COUNTER_INDEX_load_beats] = 77;
    row.host_share = 0.25;
    row.values[SWEEP_AXIS_interval] = row.values[SWEEP_AXIS_effort] = 1;
    row.values[SWEEP_AXIS_frames] = row.values[SWEEP_AXIS_batch] = 1;
    if (cycles == 0) {
        (void)snprintf(row.error_code, sizeof row.error_code, "CONFIG");
        (void)snprintf(row.error, sizeof row.error, "rule broken");
    }
    return row;
}

static void rows_come_back(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_store *store = NULL;
    struct sweep_row *rows = NULL;
    size_t count = 0;
    bool found = false;
    char note[16];
    struct folder folder = folder_new();
    const char *path = folder_file(&folder, "a.sqlite");
    const struct sweep_row first = row_of(65536, 1000);
    const struct sweep_row second = row_of(4096, 0);
    ASSERT_FAILS(sweep_store_open(path, false, &store, &error), error, WEFT_IO);
    ASSERT_GOOD(sweep_store_open(path, true, &store, &error), error);
    ASSERT_GOOD(sweep_store_put(store, &first, &error), error);
    ASSERT_GOOD(sweep_store_put(store, &second, &error), error);
    ASSERT_GOOD(sweep_store_put(store, &first, &error), error); /* the same again */
    ASSERT_GOOD(sweep_store_set(store, "job", "12", &error), error);
    sweep_store_close(store);
    ASSERT_GOOD(sweep_store_open(path, false, &store, &error), error);
    ASSERT_GOOD(sweep_store_rows(store, &rows, &count, &error), error);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].error, "rule broken"); /* 4096 comes first */
    assert_true(rows[1].cycles == 1000 && rows[1].host_share == 0.25 && isnan(rows[1].area));
    assert_true(rows[1].counters[WEFT_COUNTER_INDEX_load_beats] == 77);
    assert_string_equal(rows[1].model, first.model);
    struct sweep_row key = row_of(65536, 5);
    ASSERT_GOOD(sweep_store_find(store, &key, &found, &error), error);
    assert_true(found && key.cycles == 1000);
    key = row_of(8192, 5);
    ASSERT_GOOD(sweep_store_find(store, &key, &found, &error), error);
    assert_true(!found && key.cycles == 5);
    ASSERT_GOOD(sweep_store_get(store, "job", note, sizeof note, &error), error);
    assert_string_equal(note, "12");
    ASSERT_GOOD(sweep_store_get(store, "nothing", note, sizeof note, &error), error);
    assert_string_equal(note, "");
    ASSERT_FAILS(sweep_store_get(store, "job", note, 2, &error), error, WEFT_SWEEP);
    sweep_store_close(store);
    free(rows);
    folder_free(&folder);
}

static void files_are_joined(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_store *stores[2];
    struct sweep_row *rows = NULL;
    size_t count = 0;
    struct folder folder = folder_new();
    char other[128];
    (void)snprintf(other, sizeof other, "%s", folder_file(&folder, "b.sqlite"));
    const struct sweep_row common = row_of(65536, 1000);
    const struct sweep_row own = row_of(4096, 2000);
    const struct sweep_row newer = row_of(65536, 3000);
    ASSERT_GOOD(sweep_store_open(folder_file(&folder, "a.sqlite"), true, &stores[0], &error),
                error);
    ASSERT_GOOD(sweep_store_open(other, true, &stores[1], &error), error);
    ASSERT_GOOD(sweep_store_put(stores[0], &common, &error), error);
    ASSERT_GOOD(sweep_store_put(stores[1], &newer, &error), error);
    ASSERT_GOOD(sweep_store_put(stores[1], &own, &error), error);
    sweep_store_close(stores[1]);
    ASSERT_GOOD(sweep_store_merge(stores[0], other, &error), error);
    ASSERT_GOOD(sweep_store_rows(stores[0], &rows, &count, &error), error);
    assert_int_equal(count, 2);
    assert_true(rows[0].cycles == 2000 && rows[1].cycles == 1000); /* what is there stays */
    ASSERT_FAILS(sweep_store_merge(stores[0], "/no/such/file", &error), error, WEFT_IO);
    sweep_store_close(stores[0]);
    free(rows);
    folder_free(&folder);
}

/* Whatever the file is, it is refused or read; nothing else happens. */
static void damaged_files_are_refused(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_store *store = NULL;
    struct sweep_row *rows = NULL;
    size_t count = 0;
    uint8_t *bytes = NULL;
    size_t length = 0;
    unsigned refused = 0;
    struct folder folder = folder_new();
    const char *path = folder_file(&folder, "a.sqlite");
    const struct sweep_row row = row_of(65536, 1000);
    ASSERT_GOOD(sweep_store_open(path, true, &store, &error), error);
    ASSERT_GOOD(sweep_store_put(store, &row, &error), error);
    sweep_store_close(store);
    ASSERT_GOOD(weft_file_read(path, &bytes, &length, &error), error);
    uint64_t seed = 1;
    for (int i = 0; i < 300; i++) {
        uint8_t *damaged = malloc(length);
        assert_non_null(damaged);
        memcpy(damaged, bytes, length);
        for (int k = 0; k < 3; k++) {
            uint8_t byte = (uint8_t)weft_random(&seed);
            damaged[weft_random(&seed) % length] = byte;
        }
        size_t kept = i % 3 == 0 ? weft_random(&seed) % length : length;
        const char *broken = folder_write(&folder, "broken.sqlite", damaged, kept);
        bool good = sweep_store_open(broken, false, &store, &error);
        if (good) {
            good = sweep_store_rows(store, &rows, &count, &error);
            sweep_store_close(store);
            if (good) {
                free(rows);
            }
        }
        refused += !good;
        assert_true(good || error.code == WEFT_SWEEP || error.code == WEFT_IO);
        free(damaged);
    }
    assert_true(refused > 50);
    free(bytes);
    const char *text = folder_write(&folder, "text.sqlite", "this is a text of a kind", 24);
    ASSERT_FAILS(sweep_store_open(text, true, &store, &error), error, WEFT_SWEEP);
    folder_free(&folder);
}

/* ---- what rows say ---- */

static void the_front_is_what_nothing_beats(void **state) {
    (void)state;
    struct weft_error error;
    bool is_front[6];
    struct sweep_row rows[6] = {row_of(4096, 100), row_of(8192, 50),  row_of(16384, 60),
                                row_of(32768, 0),  row_of(4096, 200), row_of(65536, 10)};
    (void)snprintf(rows[4].model_fingerprint, 17, "other");
    ASSERT_GOOD(sweep_find_front(rows, 6, is_front, &error), error);
    const bool expected[6] = {true, true, false, false, true, true};
    assert_memory_equal(is_front, expected, sizeof expected);
    for (size_t i = 0; i < 6; i++) {
        rows[i].area = i == 2 ? 1 : 2; /* now the area counts, not the bytes */
    }
    ASSERT_GOOD(sweep_find_front(rows, 6, is_front, &error), error);
    const bool by_area[6] = {false, false, true, false, true, true};
    assert_memory_equal(is_front, by_area, sizeof by_area);
    rows[5].host_elements = 9; /* it leaves to the host what others do, and beats none of them */
    ASSERT_GOOD(sweep_find_front(rows, 6, is_front, &error), error);
    const bool with_host[6] = {false, true, true, false, true, true};
    assert_memory_equal(is_front, with_host, sizeof with_host);
    rows[1].host_macs = rows[2].host_macs = 9;
    ASSERT_GOOD(sweep_find_front(rows, 6, is_front, &error), error);
    const bool with_macs[6] = {true, true, true, false, true, true};
    assert_memory_equal(is_front, with_macs, sizeof with_macs);
}

static void effects_are_means_over_pairs(void **state) {
    (void)state;
    struct weft_error error;
    static struct sweep_effect effects[SWEEP_MOST_EFFECTS];
    size_t count = 0;
    unsigned latency = SWEEP_AXIS_latency;
    struct sweep_row rows[6] = {row_of(4096, 100), row_of(8192, 50), row_of(4096, 400),
                                row_of(8192, 50),  row_of(16384, 0), row_of(16384, 25)};
    rows[2].values[latency] = rows[3].values[latency] = 9;
    rows[5].values[latency] = 11; /* alone */
    ASSERT_GOOD(sweep_find_effects(rows, 6, effects, &count, &error), error);
    assert_int_equal(count, 4);
    assert_string_equal(sweep_axis_name(effects[0].axis), "act_bytes");
    assert_int_equal(effects[0].pairs, 2);
    assert_true(fabs(effects[0].cycles - 0.25) < 1e-9); /* of 1/2 and 1/8 */
    assert_true(effects[1].from == 8192 && effects[1].pairs == 0 && isnan(effects[1].cycles));
    assert_string_equal(sweep_axis_name(effects[2].axis), "latency");
    assert_true(fabs(effects[2].cycles - 2) < 1e-9); /* of 4 and 1 */
    assert_true(effects[3].from == 9 && effects[3].to == 11 && effects[3].pairs == 0);
    assert_true(isnan(effects[1].area));
}

/* Factors that were put in come out, though no two rows differ in one axis alone. */
static void factors_are_fitted(void **state) {
    (void)state;
    struct weft_error error;
    static struct sweep_effect effects[SWEEP_MOST_EFFECTS];
    struct sweep_row rows[32];
    size_t count = 0;
    size_t found = 0;
    uint64_t seed = 3;
    for (size_t i = 0; i < 32; i++) {
        uint32_t size = (uint32_t)(weft_random(&seed) % 3);
        uint32_t latency = (uint32_t)(weft_random(&seed) % 3);
        bool other = weft_random(&seed) % 2 != 0;
        double cycles = 1e6 * pow(0.5, size) * pow(1.25, latency) * (other ? 3 : 1);
        rows[i] = row_of(4096U << size, (uint64_t)cycles);
        rows[i].values[SWEEP_AXIS_latency] = 10 * latency;
        (void)snprintf(rows[i].model_fingerprint, 17, "%s", other ? "b" : "a");
    }
    ASSERT_GOOD(sweep_find_effects(rows, 32, effects, &count, &error), error);
    ASSERT_GOOD(sweep_fit_steps(rows, 32, effects, count, &error), error);
    for (size_t i = 0; i < count; i++) {
        bool is_latency = effects[i].axis == SWEEP_AXIS_latency;
        double steps = is_latency ? (effects[i].to - effects[i].from) / 10.0
                                  : log2((double)effects[i].to / effects[i].from);
        assert_true(fabs(effects[i].fitted - pow(is_latency ? 1.25 : 0.5, steps)) < 1e-4);
        found += steps == 1;
    }
    assert_int_equal(found, 4);
    ASSERT_GOOD(sweep_find_effects(rows, 2, effects, &count, &error), error);
    ASSERT_GOOD(sweep_fit_steps(rows, 2, effects, count, &error), error);
    for (size_t i = 0; i < count; i++) {
        assert_true(isnan(effects[i].fitted)); /* more terms than rows */
    }
}

/* Axes that always change together have no effect of their own; one beside them has. */
static void what_rows_do_not_tell_apart_has_no_fit(void **state) {
    (void)state;
    struct weft_error error;
    static struct sweep_effect effects[SWEEP_MOST_EFFECTS];
    struct sweep_row rows[24];
    size_t count = 0;
    unsigned latency = SWEEP_AXIS_latency;
    unsigned effort = SWEEP_AXIS_effort;
    uint64_t seed = 5;
    for (size_t i = 0; i < 24; i++) {
        uint32_t machine = (uint32_t)(i % 2);
        uint32_t step = (uint32_t)(weft_random(&seed) % 3);
        rows[i] =
            row_of(4096U << machine, (uint64_t)(1e6 * (machine != 0 ? 0.3 : 1) * pow(2, step)));
        rows[i].values[latency] = 10 + machine;
        rows[i].values[effort] = 1 + step;
    }
    ASSERT_GOOD(sweep_find_effects(rows, 24, effects, &count, &error), error);
    ASSERT_GOOD(sweep_fit_steps(rows, 24, effects, count, &error), error);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_true(effects[i].axis == effort ? fabs(effects[i].fitted - 2) < 1e-9
                                              : isnan(effects[i].fitted));
    }
    rows[0].values[latency] = 11; /* now they are told apart */
    ASSERT_GOOD(sweep_find_effects(rows, 24, effects, &count, &error), error);
    ASSERT_GOOD(sweep_fit_steps(rows, 24, effects, count, &error), error);
    for (size_t i = 0; i < count; i++) {
        double expected = effects[i].axis == effort ? 2 : effects[i].axis == latency ? 1 : 0.3;
        assert_true(fabs(effects[i].fitted - expected) < 1e-9);
    }
}

static void models_have_names_of_their_own(void **state) {
    (void)state;
    struct weft_error error;
    static const struct {
        const char *path, *fingerprint, *version, *name;
    } models[] = {
        {"net.tflite", "1", "a", "net.tflite"},
        {"x/A/net.tflite", "2", "a", "A/net.tflite"},
        {"y/B/net.tflite", "3", "a", "y/B/net.tflite"},
        {"z/B/net.tflite", "4", "a", "z/B/net.tflite"},
        {"x/another_net.tflite", "5", "a", "another_net.tflite"},
        {"x/same.tflite", "0123456789abcdef", "a", "same.tflite 01234567"},
        {"x/same.tflite", "fedcba9876543210", "a", "same.tflite fedcba98"},
        {"x/old.tflite", "7", "a", "old.tflite (a)"},
        {"y/old.tflite", "7", "b", "old.tflite (b)"},
        {"x/A/net.tflite", "2", "a", "A/net.tflite"},
    };
    enum {
        MODELS = sizeof models / sizeof *models
    };
    struct sweep_row rows[MODELS];
    struct sweep_names names = {0};
    for (size_t i = 0; i < MODELS; i++) {
        rows[i] = row_of(4096, 100);
        (void)snprintf(rows[i].model, sizeof rows[i].model, "%s", models[i].path);
        (void)snprintf(rows[i].model_fingerprint, 17, "%s", models[i].fingerprint);
        (void)snprintf(rows[i].version, sizeof rows[i].version, "%s", models[i].version);
    }
    ASSERT_GOOD(sweep_names_find(&names, rows, MODELS, &error), error);
    assert_int_equal(names.count, MODELS - 1);
    for (size_t i = 0; i < MODELS; i++) {
        assert_string_equal(names.list[names.of_row[i]], models[i].name);
    }
    sweep_names_free(&names);
}

/* ---- all of it ---- */

static void run_into(struct sweep_definition *d, const char *path, unsigned workers,
                     struct sweep_tally *tally) {
    struct weft_error error;
    const struct sweep_options options = {.workers = workers, .seconds = 60};
    ASSERT_GOOD(sweep_run(d, path, &options, tally, &error), error);
}

static void rows_of(const char *path, struct sweep_row **rows, size_t *count) {
    struct weft_error error;
    struct sweep_store *store = NULL;
    ASSERT_GOOD(sweep_store_open(path, false, &store, &error), error);
    ASSERT_GOOD(sweep_store_rows(store, rows, count, &error), error);
    sweep_store_close(store);
}

static void rows_do_not_depend_on_workers(void **state) {
    (void)state;
    struct sweep_tally tally;
    struct sweep_row *rows[2];
    size_t count[2];
    struct folder folder = folder_new();
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"models\": [\"%s\", \"/no/such/model\"], \"guided\": 20, \"grid\": {\"block\": "
        "[8, 12, 16], \"memory_width\": [4, 8, 16], \"act_bytes\": \"32K..256K\", "
        "\"interval\": [1, 3]}}",
        digits);
    struct sweep_definition *d = parsed(text);
    for (unsigned i = 0; i < 2; i++) {
        const char *path = folder_file(&folder, i == 0 ? "a.sqlite" : "b.sqlite");
        run_into(d, path, i == 0 ? 1 : 4, &tally);
        assert_int_equal(tally.ran, 40);
        assert_true(tally.refused >= 20 && tally.refused < 40);
        run_into(d, path, 2, &tally);
        assert_true(tally.ran == 0 && tally.known == 40); /* the same are chosen again */
        rows_of(path, &rows[i], &count[i]);
        assert_int_equal(count[i], 40);
    }
    for (size_t i = 0; i < count[0]; i++) {
        rows[1][i].id = rows[0][i].id;
        rows[1][i].seconds = rows[0][i].seconds;
        assert_int_equal(sweep_row_order(&rows[0][i], &rows[1][i]), 0);
        assert_true(rows[0][i].cycles == rows[1][i].cycles);
        assert_string_equal(rows[0][i].error, rows[1][i].error);
        assert_memory_equal(rows[0][i].counters, rows[1][i].counters, sizeof rows[0][i].counters);
    }
    free(rows[0]);
    free(rows[1]);
    definition_end(d);
    folder_free(&folder);
}

/* A model of which no machine does anything does not change which points are chosen. */
static void idle_models_do_not_guide(void **state) {
    (void)state;
    static const char *const idle[2] = {"", ", \"" WEFT_SOURCE_DIR "/tests/cli/identity.tflite\""};
    struct sweep_tally tally;
    struct sweep_row *rows[2];
    size_t count[2];
    size_t idle_count = 0;
    struct folder folder = folder_new();
    for (unsigned i = 0; i < 2; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "{\"models\": [\"%s\"%s], \"guided\": 40, \"grid\": {\"block\": [8, 16], "
                       "\"memory_width\": [4, 8], \"act_bytes\": \"32K..256K\", "
                       "\"memory_latency\": \"25..400\", \"interval\": [1, 2, 3]}}",
                       digits, idle[i]);
        struct sweep_definition *d = parsed(text);
        const char *path = folder_file(&folder, i == 0 ? "a.sqlite" : "b.sqlite");
        run_into(d, path, 2, &tally);
        rows_of(path, &rows[i], &count[i]);
        definition_end(d);
    }
    assert_int_equal(count[0], 40);
    assert_int_equal(count[1], 80);
    for (size_t i = 0; i < count[1]; i++) {
        if (strcmp(rows[1][i].model, digits) != 0) {
            assert_true(sweep_row_is_good(&rows[1][i]) && rows[1][i].cycles == 0);
            idle_count++;
        } else {
            assert_int_equal(sweep_row_order(&rows[0][i - idle_count], &rows[1][i]), 0);
        }
    }
    assert_int_equal(idle_count, 40);
    free(rows[0]);
    free(rows[1]);
    folder_free(&folder);
}

/* A point counts the cycles of weft run. */
static void cycles_are_those_of_the_compiler(void **state) {
    (void)state;
    struct weft_error error;
    struct sweep_models models;
    struct sweep_cache cache = {0};
    struct sweep_result results[2];
    struct weft_module *module = NULL;
    struct sweep_point *points = NULL;
    size_t count = 0;
    struct sweep_definition *d = definition_new();
    ASSERT_GOOD(sweep_add_model(d, digits, &error) && sweep_add_grid(d, "latency=0,500", &error) &&
                    sweep_definition_check(d, &error),
                error);
    ASSERT_GOOD(sweep_models_read(d, 0, NULL, &models, &error), error);
    ASSERT_GOOD(sweep_points(d, &points, &count, &error), error);
    ASSERT_GOOD(sweep_compile(&models, &points[0], &module, &error), error);
    for (size_t i = 0; i < 2; i++) {
        sweep_measure(&models, &points[i], &cache, &results[i]);
        assert_int_equal(results[i].code, WEFT_OK);
    }
    assert_true(results[0].cycles == weft_module_cycles(module));
    assert_true(results[1].cycles > results[0].cycles);
    assert_true(results[0].macs > 0 && results[0].read_bytes > 0);
    weft_module_free(module);
    sweep_cache_free(&cache);
    sweep_models_free(&models);
    free(points);
    definition_end(d);
}

static bool read_element(void *context, const char *path, const struct weft_type *type,
                         uint8_t *bytes, struct weft_error *error) {
    (void)context;
    (void)path;
    (void)error;
    memset(bytes, element, weft_type_bytes(type));
    return true;
}

/* What files beside a model gave is a part of it: with other elements it is another model, and one
 * whose files change while it is being swept has no rows of either. */
static void models_are_what_their_files_say(void **state) {
    (void)state;
    static const char text[] = "graph g(%x: 1x10xi8) {\n"
                               "  %k = constant() data=\"k.npy\" : 1x10xi8\n"
                               "  %r = maximum(%x, %k) : 1x10xi8\n"
                               "  return %r\n"
                               "}\n";
    struct weft_error error;
    struct sweep_models models[2];
    struct weft_module *module = NULL;
    struct sweep_point point;
    struct folder folder = folder_new();
    struct sweep_definition *d = definition_new();
    const char *path = folder_write(&folder, "g.ir", text, strlen(text));
    ASSERT_GOOD(sweep_add_model(d, path, &error) && sweep_definition_check(d, &error), error);
    for (int i = 0; i < 2; i++) {
        element = (uint8_t)(3 + i);
        ASSERT_GOOD(sweep_models_read(d, 0, read_element, &models[i], &error), error);
    }
    assert_true(models[0].list[0].fingerprint != models[1].list[0].fingerprint);
    sweep_grid_point(d, 0, &point);
    point.model = 0;
    ASSERT_GOOD(sweep_compile(&models[1], &point, &module, &error), error);
    assert_true(module->fingerprint == models[1].list[0].fingerprint);
    weft_module_free(module);
    ASSERT_FAILS(sweep_compile(&models[0], &point, &module, &error), error, WEFT_IO);
    sweep_models_free(&models[0]);
    sweep_models_free(&models[1]);
    definition_end(d);
    folder_free(&folder);
}

static void refused_points_say_why(void **state) {
    (void)state;
    static const struct {
        const char *grid;
        enum weft_error_code code;
    } cases[] = {
        {"block=12", WEFT_CONFIG},      {"act_bytes=1", WEFT_CONFIG},
        {"effort=0", WEFT_ARGUMENT},    {"effort=65", WEFT_ARGUMENT},
        {"interval=0", WEFT_ARGUMENT},  {"latency=100001", WEFT_ARGUMENT},
        {"frames=5000", WEFT_ARGUMENT}, {"dram=3", WEFT_ARGUMENT},
        {"clock=9", WEFT_ARGUMENT},     {"clock=10001", WEFT_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_error error;
        struct sweep_models models;
        struct sweep_cache cache = {0};
        struct sweep_result result;
        struct sweep_point point;
        struct sweep_definition *d = definition_new();
        ASSERT_GOOD(sweep_add_model(d, digits, &error) &&
                        sweep_add_grid(d, cases[i].grid, &error) &&
                        sweep_definition_check(d, &error),
                    error);
        ASSERT_GOOD(sweep_models_read(d, 0, NULL, &models, &error), error);
        sweep_grid_point(d, 0, &point);
        sweep_measure(&models, &point, &cache, &result);
        assert_string_equal(weft_error_name(result.code), weft_error_name(cases[i].code));
        assert_true(result.cycles == 0 && result.message[0] != '\0');
        sweep_cache_free(&cache);
        sweep_models_free(&models);
        definition_end(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_every_combination),
        cmocka_unit_test(listed_points_say_what_they_change),
        cmocka_unit_test(listed_points_keep_what_they_name),
        cmocka_unit_test(points_survive_printing),
        cmocka_unit_test(drawn_points_are_different_ones),
        cmocka_unit_test(malformed_definitions_are_refused),
        cmocka_unit_test(impossible_sweeps_are_refused),
        cmocka_unit_test(guided_points_find_the_best),
        cmocka_unit_test(guided_points_keep_a_rule),
        cmocka_unit_test(guided_points_end_with_the_grid),
        cmocka_unit_test(workers_that_end_are_outcomes),
        cmocka_unit_test(whoever_takes_outcomes_can_stop),
        cmocka_unit_test(rows_come_back),
        cmocka_unit_test(files_are_joined),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(the_front_is_what_nothing_beats),
        cmocka_unit_test(effects_are_means_over_pairs),
        cmocka_unit_test(factors_are_fitted),
        cmocka_unit_test(what_rows_do_not_tell_apart_has_no_fit),
        cmocka_unit_test(models_have_names_of_their_own),
        cmocka_unit_test(rows_do_not_depend_on_workers),
        cmocka_unit_test(idle_models_do_not_guide),
        cmocka_unit_test(cycles_are_those_of_the_compiler),
        cmocka_unit_test(models_are_what_their_files_say),
        cmocka_unit_test(refused_points_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
