/* The compiler from graph to program: whatever it makes must compute on the simulators what the
 * host kernels compute, byte for byte, on every configuration. These are random graphs;
 * test_compile_corners.c has graphs that they do not reach.
 *
 * usage: test_compile [--one-in N | SUITE CASE]: without arguments all tests, with some of the
 * random cases; --one-in N: with one in N of them; else one random case. */
#include "compiler/schedule/saved.h"
#include "tests/unit/computes.h"
#include "tests/unit/modules.h"
#include "tests/unit/random_graphs.h"

#include <stdlib.h>
#include <string.h>

/* One in so many of the random graphs is compiled. */
static int part = 12;
/* That were compiled. */
static int programs;

/* ---- random graphs ---- */

static const struct suite {
    const char *name;
    struct random_limits limits;
    int cases;
} suites[] = {
    {"single", {20, 70, 3, 1000000, 1, 7, 3, 2, false}, 2000},
    {"chains", {20, 70, 3, 300000, 4, 7, 3, 2, false}, 1500},
    /* Tensors that do not stay on chip. */
    {"large", {90, 70, 2, 1500000, 3, 7, 3, 2, false}, 120},
    {"thin", {300, 4, 1, 1500000, 3, 7, 3, 2, false}, 120},
    /* Windows that are cut into parts, or have no mode of their own. */
    {"windows", {40, 12, 2, 500000, 2, 30, 20, 4, false}, 600},
    /* Many channel blocks. */
    {"deep", {4, 2000, 2, 1000000, 3, 3, 2, 2, false}, 200},
    /* Layers that are carried out stripe by stripe together. */
    {"tall", {150, 40, 2, 3000000, 5, 5, 2, 2, false}, 120},
    /* Pads, slices and pools of one pixel that go into windows. */
    {"picks", {40, 40, 2, 300000, 3, 4, 3, 2, true}, 600},
};
enum {
    SUITES = sizeof suites / sizeof suites[0]
};

static bool run_case(const struct suite *suite, int number) {
    struct weft_arena arena = {0};
    uint64_t seed = (uint64_t)(suite - suites) * 1000000 + (uint64_t)number + 1;
    bool good = computes(random_layers(&arena, &suite->limits, seed), seed, &programs);
    weft_arena_free(&arena);
    if (!good) {
        print_error("case: test_compile %s %d\n", suite->name, number);
    }
    return good;
}

static void run_suite(const char *name) {
    enum {
        ENOUGH = 3 /* failures to look at */
    };
    for (int i = 0; i < SUITES; i++) {
        if (strcmp(suites[i].name, name) != 0) {
            continue;
        }
        int failures = 0;
        programs = 0;
        for (int number = 0; number < suites[i].cases / part && failures < ENOUGH; number++) {
            failures += !run_case(&suites[i], number);
        }
        print_message("%s: %d programs\n", name, programs);
        assert_int_equal(failures, 0);
    }
}

static void random_layers_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("single");
}

static void random_chains_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("chains");
}

static void large_tensors_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("large");
}

static void thin_tensors_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("thin");
}

static void unusual_windows_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("windows");
}

static void tall_tensors_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("tall");
}

static void windows_over_picked_pixels_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("picks");
}

static void deep_tensors_compute_what_the_host_does(void **state) {
    (void)state;
    run_suite("deep");
}

/* ---- progress ---- */

/* What a compilation said of itself. */
struct told {
    size_t passes, regions, tries;
    struct weft_compile_progress last;
};

static void note_progress(void *context, const struct weft_compile_progress *progress) {
    struct told *told = context;
    if (progress->pass != NULL) {
        assert_int_equal(told->regions, 0); /* passes come first */
        told->passes++;
    } else {
        assert_true(progress->region < progress->regions);
        assert_true(progress->region != told->last.region || progress->tried >= told->last.tried);
        told->regions += progress->tried == 0;
        told->tries += progress->tried > 0;
    }
    told->last = *progress;
}

static void compilations_say_how_far_they_are(void **state) {
    (void)state;
    struct digits digits = digits_open("small8");
    struct told told = {0};
    struct weft_error error;
    struct weft_module *module = NULL;
    const struct weft_compile_options options = {.progress = note_progress,
                                                 .progress_context = &told};
    ASSERT_GOOD(weft_compile(digits.model, digits.model_length, &digits.module->config, &options,
                             &module, &error),
                error);
    assert_true(told.passes > 10);
    assert_int_equal(told.regions, module->segment_count);
    assert_int_equal(told.tries, module->segments[0].schedule->try_count);
    assert_int_equal(told.last.regions, module->segment_count);
    weft_module_free(module);
    digits_close(&digits);
}

/* All banks of ACT, as many as there can be, in one RAM, in two, and each in its own. */
static void banks_lie_in_rams_of_every_size(void **state) {
    (void)state;
    struct digits digits = digits_open("ref16");
    const struct weft_compile_options options = {0};
    for (uint32_t rams = 1; rams <= 32; rams *= 2) {
        struct weft_config config = digits.module->config;
        struct weft_error error;
        struct weft_module *module = NULL;
        config.act_rams = rams;
        assert_int_equal(config.act_banks, 32);
        ASSERT_GOOD(
            weft_compile(digits.model, digits.model_length, &config, &options, &module, &error),
            error);
        assert_true(module->segment_count > 0 && module->segments[0].cycles > 0);
        weft_module_free(module);
    }
    digits_close(&digits);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilations_say_how_far_they_are),
        cmocka_unit_test(banks_lie_in_rams_of_every_size),
        ARENA_TEST(random_layers_compute_what_the_host_does),
        ARENA_TEST(random_chains_compute_what_the_host_does),
        ARENA_TEST(large_tensors_compute_what_the_host_does),
        ARENA_TEST(thin_tensors_compute_what_the_host_does),
        ARENA_TEST(unusual_windows_compute_what_the_host_does),
        ARENA_TEST(tall_tensors_compute_what_the_host_does),
        ARENA_TEST(deep_tensors_compute_what_the_host_does),
        ARENA_TEST(windows_over_picked_pixels_compute_what_the_host_does),
    };
    if (argc == 3 && strcmp(argv[1], "--one-in") == 0) {
        part = atoi(argv[2]);
        argc = part > 0 ? 1 : argc;
    }
    for (int i = 0; argc == 3 && i < SUITES; i++) {
        if (strcmp(suites[i].name, argv[1]) == 0) {
            return run_case(&suites[i], atoi(argv[2])) ? 0 : 1;
        }
    }
    return argc == 3 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
