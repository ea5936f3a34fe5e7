#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/sim.h"
#include "sim/timing/bound.h"
#include "tests/cosim/compare.h"
#include "tests/cosim/image.h"

struct kernels {
    struct image first; /* what the case begins with */
    struct image plain;
    struct image other;
};

static void kernels_close(void *context) {
    struct kernels *kernels = context;
    image_free(&kernels->first);
    image_free(&kernels->plain);
    image_free(&kernels->other);
    free(kernels);
}

static bool kernels_open(const struct weft_config *config, void **context,
                         struct weft_error *error) {
    struct kernels *kernels = weft_allocate(1, sizeof *kernels, "simulators", error);
    if (kernels == NULL) {
        return false;
    }
    if (!image_create(config, &kernels->first, error) ||
        !image_create(config, &kernels->plain, error) ||
        !image_create(config, &kernels->other, error)) {
        kernels_close(kernels);
        return false;
    }
    *context = kernels;
    return true;
}

static bool same_result(const struct weft_run_result *a, const struct weft_run_result *b,
                        struct weft_text *text) {
    if (memcmp(&a->counters, &b->counters, sizeof a->counters) == 0 && a->fault == b->fault &&
        a->fault_instruction == b->fault_instruction) {
        return true;
    }
    weft_text_add(text, "fault %s at %u in cycle %llu, or %s at %u in cycle %llu\n",
                  weft_fault_names[a->fault], a->fault_instruction,
                  (unsigned long long)a->counters.cycles, weft_fault_names[b->fault],
                  b->fault_instruction, (unsigned long long)b->counters.cycles);
    return false;
}

/* One run, in `image`, from the first image. */
static bool cycle_run(struct kernels *kernels, const struct cosim_case *test, struct image *image,
                      enum weft_host host, struct weft_run_result *result,
                      struct weft_error *error) {
    struct weft_timing_settings settings = case_settings(test);
    return image_copy(image, &kernels->first, error) &&
           weft_cycle_run(&image->state, host, test->program.instructions, test->program.count,
                          &settings, NULL, result, error);
}

static bool fast_kernels(struct kernels *kernels, const struct cosim_case *test,
                         const struct weft_run_result *expected, bool *same, struct weft_text *text,
                         struct weft_error *error) {
    for (unsigned host = WEFT_HOST_C; host < WEFT_HOSTS && *same; host++) {
        struct weft_run_result result;
        if (!weft_host_available((enum weft_host)host)) {
            continue;
        }
        if (!cycle_run(kernels, test, &kernels->other, (enum weft_host)host, &result, error)) {
            return false;
        }
        *same = same_result(expected, &result, text) &&
                image_same(&kernels->plain, &kernels->other, text);
        if (!*same) {
            weft_text_add(text, "with kernels plain and %s\n", weft_host_names[host]);
        }
    }
    return true;
}

static bool functional(struct kernels *kernels, const struct cosim_case *test, bool *same,
                       struct weft_text *text, struct weft_error *error) {
    struct weft_run_result result;
    struct weft_timing_settings settings = case_settings(test);
    settings.watchdog =
        weft_bound(test->config, &settings, test->program.instructions, test->program.count);
    if (!image_copy(&kernels->other, &kernels->first, error) ||
        !weft_func_run(&kernels->other.state, WEFT_HOST_C, test->program.instructions,
                       test->program.count, &settings, &result, error)) {
        return false;
    }
    *same = result.fault == WEFT_FAULT_NONE && image_same(&kernels->plain, &kernels->other, text);
    if (!*same) {
        weft_text_add(text, "in the functional simulator, fault %s\n",
                      weft_fault_names[result.fault]);
    }
    return true;
}

/* The compiler's cost model is the cycle model without an observer. */
static bool without_data(const struct cosim_case *test, const struct weft_run_result *expected,
                         bool *same, struct weft_text *text, struct weft_error *error) {
    struct weft_timing_settings settings = case_settings(test);
    struct weft_run_result result;
    if (!weft_timing_run(test->config, test->program.instructions, test->program.count, &settings,
                         NULL, &result, error)) {
        return false;
    }
    *same = same_result(expected, &result, text);
    return true;
}

static bool kernels_run(void *context, const struct cosim_case *test, enum verdict *verdict,
                        struct weft_text *text, struct weft_error *error) {
    struct kernels *kernels = context;
    struct weft_run_result result;
    bool same = true;
    bool good = image_fill(&kernels->first, test, error) &&
                cycle_run(kernels, test, &kernels->plain, WEFT_HOST_PLAIN, &result, error) &&
                without_data(test, &result, &same, text, error);
    if (good && same && !test->timing_only) {
        same = result.fault == WEFT_FAULT_NONE;
        if (!same) {
            weft_text_add(text, "a valid program ends with fault %s at %u\n",
                          weft_fault_names[result.fault], result.fault_instruction);
        }
        good = fast_kernels(kernels, test, &result, &same, text, error);
        if (good && same) {
            good = functional(kernels, test, &same, text, error);
        }
    }
    *verdict = same ? VERDICT_SAME : VERDICT_DIFFERENT;
    return good;
}

const struct comparison compare_kernels = {"kernels", kernels_open, kernels_run, kernels_close};
