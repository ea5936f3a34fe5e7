#include "tests/cosim/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "sim/timing/bound.h"
#include "tests/cosim/random_fault.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/shrink.h"
#include "tests/cosim/trace.h"

enum {
    SHRINK_CALLS = 3000,
    CHECK_EVERY = 100, /* programs */
};

/* ---- opening ---- */

static const struct comparison *const comparisons[SESSION_COMPARISONS] = {
    &compare_kernels, &compare_reference, &compare_rtl};

/* Is a name one of a list with commas? */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool is_comparison(const char *name, size_t length) {
    for (unsigned i = 0; i < SESSION_COMPARISONS; i++) {
        if (strlen(comparisons[i]->name) == length &&
            memcmp(comparisons[i]->name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_against(const char *against, struct weft_error *error) {
    if (against == NULL || strcmp(against, "none") == 0) {
        return true;
    }
    for (const char *at = against;; at++) {
        size_t length = strcspn(at, ",");
        if (!is_comparison(at, length)) {
            return weft_fail(error, WEFT_ARGUMENT, (uint64_t)(at - against),
                             "--against: there is no comparison '%.*s', expected some of "
                             "kernels,reference,rtl, or none",
                             length > 40 ? 40 : (int)length, at);
        }
        at += length;
        if (*at == '\0') {
            return true;
        }
    }
}

static void open_comparison(struct session *session, const struct comparison *comparison) {
    struct weft_error error;
    void **context = &session->context[session->comparisons];
    const char *against = session->options->against;
    if (against != NULL && !is_listed(against, comparison->name)) {
        return;
    }
    if (comparison->open(&session->config, context, &error)) {
        session->comparison[session->comparisons++] = comparison;
        return;
    }
    session->missing += against != NULL;
    (void)fprintf(stderr, "lockstep: skipped %s: %s\n", comparison->name, error.message);
}

bool session_open(struct session *session, const struct session_options *options,
                  struct weft_error *error) {
    *session = (struct session){.options = options};
    if (!check_against(options->against, error) ||
        !case_config(options->config, &session->config, error) ||
        !coverage_create(&session->config, options->invalid, &session->coverage, error)) {
        return false;
    }
    for (unsigned i = 0; i < SESSION_COMPARISONS; i++) {
        open_comparison(session, comparisons[i]);
    }
    return true;
}

void session_close(struct session *session) {
    coverage_free(session->coverage);
    for (unsigned i = 0; i < session->comparisons; i++) {
        session->comparison[i]->close(session->context[i]);
    }
}

/* ---- failures ---- */

struct failing {
    const struct comparison *comparison;
    void *context;
};

static bool still_fails(void *context, const struct cosim_case *test) {
    const struct failing *failing = context;
    enum verdict verdict = VERDICT_SKIPPED;
    struct weft_text text = {0};
    struct weft_error error;
    struct cosim_case alone = *test;
    alone.seed = 0; /* with a reset, whatever ran before */
    bool good = failing->comparison->run(failing->context, &alone, &verdict, &text, &error);
    weft_text_free(&text);
    return good && verdict == VERDICT_DIFFERENT;
}

static bool save(const struct session *session, const struct cosim_case *test, const char *name,
                 const struct weft_text *text, struct weft_error *error) {
    char path[512];
    if (session->options->save == NULL) {
        return true;
    }
    (void)snprintf(path, sizeof path, "%s/%s_%016" PRIx64 "_%s.asm", session->options->save,
                   session->config.name, test->seed, name);
    bool good = weft_file_write(path, text->bytes, text->length, error);
    if (good) {
        (void)printf("written to %s\n", path);
    }
    return good;
}

static bool report_failure(struct session *session, const struct cosim_case *test, const char *name,
                           struct failing *failing, struct weft_error *error) {
    struct cosim_case small;
    struct shrink_result shrunk;
    struct weft_text text = {0};
    if (!case_copy(test, &small, error)) {
        return false;
    }
    bool good = true;
    if (session->options->whole) {
        (void)printf("not shrunk:\n");
    } else if (still_fails(failing, &small)) {
        good = shrink(&small, still_fails, failing, SHRINK_CALLS, &shrunk, error);
        (void)printf("shrunk to %zu instructions in %u runs%s:\n", small.program.count,
                     shrunk.calls, shrunk.stopped ? ", stopped" : "");
    } else {
        (void)printf("does not fail by itself, as it stands:\n");
    }
    case_print(&small, &text);
    good = good && weft_text_finish(&text, error);
    if (good) {
        (void)printf("%s", text.bytes);
        good = save(session, &small, name, &text, error);
    }
    weft_text_free(&text);
    case_free(&small);
    return good;
}

/* ---- one case ---- */

static bool compare_case(struct session *session, unsigned index, const struct cosim_case *test,
                         const char *name, struct weft_error *error) {
    struct failing failing = {session->comparison[index], session->context[index]};
    enum verdict verdict = VERDICT_SKIPPED;
    struct weft_text text = {0};
    bool good = failing.comparison->run(failing.context, test, &verdict, &text, error);
    session->skipped[index] += good && verdict == VERDICT_SKIPPED;
    if (good && verdict == VERDICT_DIFFERENT) {
        session->failures++;
        (void)printf("%s: %s%s differs, seed %" PRIu64 ":\n%s", session->config.name, name,
                     failing.comparison->name, test->seed, text.bytes == NULL ? "" : text.bytes);
        good = report_failure(session, test, failing.comparison->name, &failing, error);
    }
    weft_text_free(&text);
    return good;
}

/* A random program that the verifier rejects, or a case that does what it should not. */
static bool check_case(struct session *session, const struct cosim_case *test, const char *name) {
    struct weft_error rejected;
    if (test->timing_only || case_verify(test, &rejected)) {
        return true;
    }
    session->failures++;
    (void)printf("%s: %sseed %" PRIu64 " is not valid: %s\n", session->config.name, name,
                 test->seed, rejected.message);
    return false;
}

/* A valid program takes no more cycles than its bound says. */
static void check_bound(struct session *session, const struct cosim_case *test,
                        const struct weft_trace *trace, const char *name) {
    struct weft_timing_settings settings = case_settings(test);
    uint64_t bound =
        weft_bound(test->config, &settings, test->program.instructions, test->program.count);
    uint64_t cycles = trace->result.counters.cycles;
    if (test->timing_only || cycles <= bound) {
        return;
    }
    session->failures++;
    (void)printf("%s: %sseed %" PRIu64 " takes %" PRIu64 " cycles, its bound is %" PRIu64 "\n",
                 session->config.name, name, test->seed, cycles, bound);
}

bool session_case(struct session *session, const struct cosim_case *test, const char *name,
                  struct weft_error *error) {
    struct weft_trace trace;
    if (!check_case(session, test, name)) {
        return true;
    }
    if (!trace_record(test, &trace, error)) {
        return false;
    }
    coverage_add(session->coverage, test, &trace);
    session->programs++;
    session->instructions += test->program.count;
    session->cycles += trace.result.counters.cycles;
    check_bound(session, test, &trace, name);
    weft_trace_free(&trace);
    bool good = true;
    for (unsigned i = 0; good && i < session->comparisons; i++) {
        good = compare_case(session, i, test, name, error);
    }
    return good;
}

/* ---- many ---- */

static bool run_seed(struct session *session, uint64_t seed, struct weft_error *error) {
    struct cosim_case test;
    bool made = session->options->invalid ? random_fault(&session->config, seed, &test, error)
                                          : random_program(&session->config, seed, 0, &test, error);
    bool good = made && session_case(session, &test, "", error);
    if (made) {
        case_free(&test);
    }
    return good;
}

bool session_run(struct session *session, struct weft_error *error) {
    const struct session_options *options = session->options;
    if (options->replay != 0) {
        return run_seed(session, options->replay, error);
    }
    bool done = false;
    for (uint64_t i = 0; session->instructions < options->instructions && !done; i++) {
        if (!run_seed(session, random_seed(options->seed, i), error)) {
            return false;
        }
        done =
            session->failures >= options->failures || (options->complete && i % CHECK_EVERY == 0 &&
                                                       coverage_sum(session->coverage).holes == 0);
    }
    return true;
}

/* ---- the end ---- */

static bool write_coverage(const struct session *session, struct weft_error *error) {
    struct weft_text text = {0};
    coverage_print(session->coverage, true, &text);
    bool good = weft_text_finish(&text, error) &&
                weft_file_write(session->options->coverage, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

bool session_report(const struct session *session, struct weft_error *error) {
    struct coverage_sum sum = coverage_sum(session->coverage);
    struct weft_text text = {0};
    (void)printf("%s: %" PRIu64 " programs, %" PRIu64 " instructions, %" PRIu64
                 " cycles, %u failures\n",
                 session->config.name, session->programs, session->instructions, session->cycles,
                 session->failures);
    for (unsigned i = 0; i < session->comparisons; i++) {
        (void)printf("  against %s: %" PRIu64 " programs, %" PRIu64 " too large for it\n",
                     session->comparison[i]->name, session->programs, session->skipped[i]);
    }
    (void)printf("  coverage: %zu bins, %zu met, %zu cannot be, %zu holes, %zu wrong reasons\n",
                 sum.bins, sum.met, sum.impossible, sum.holes, sum.wrong);
    if (session->options->complete && sum.holes + sum.wrong > 0) {
        coverage_print(session->coverage, false, &text);
        (void)printf("%s", text.bytes);
        weft_text_free(&text);
    }
    return session->options->coverage == NULL || write_coverage(session, error);
}
