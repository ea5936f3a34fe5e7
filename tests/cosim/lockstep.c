/* Random programs on several models of the machine, in lockstep.
 *
 *     lockstep --config ref16 --seed 1 --instructions 100000             valid programs
 *     lockstep --config ref16 --seed 1 --instructions 100000 --invalid   programs that fault
 *     lockstep --config ref16 --replay SEED [--invalid]                  one of them again
 *     lockstep FILE.asm ...                                              cases of a folder
 *
 * A program that differs is shrunk (--whole: left as it is), printed as assembly with its settings,
 * and written to --save. It exits with 0 when nothing differed, 1 when something did, 2 when it
 * could not be run, 77 when a comparison named by --against is not to be had. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/cosim/session.h"

enum {
    EXIT_DIFFERENT = 1,
    EXIT_BROKEN = 2,
    EXIT_SKIPPED = 77,
};

static const char usage[] =
    "usage: lockstep [FILE.asm ...] [--config NAME] [--seed S] [--instructions N] [--invalid]\n"
    "                [--replay SEED] [--against kernels,reference,rtl] [--coverage FILE]\n"
    "                [--complete] [--save FOLDER] [--failures N] [--whole]\n";

struct arguments {
    struct session_options options;
    const char *const *files;
    int file_count;
};

/* An option with a value: true when `argument` is its name. */
static bool take_value(int count, const char *const *arguments, int *at, const char *name,
                       const char **value) {
    if (strcmp(arguments[*at], name) != 0) {
        return false;
    }
    *at += 1;
    *value = *at < count ? arguments[*at] : NULL;
    return true;
}

/* As take_value(). What is no number leaves *at behind the last argument, as a missing value does.
 */
static bool take_number(int count, const char *const *arguments, int *at, const char *name,
                        uint64_t *value) {
    const char *text = "";
    char *end = NULL;
    if (!take_value(count, arguments, at, name, &text)) {
        return false;
    }
    if (text == NULL) {
        return true;
    }
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0) {
        (void)fprintf(stderr, "lockstep: %s expects a number of 64 bits, not '%.40s'\n", name,
                      text);
        *at = count;
    }
    return true;
}

static bool parse_option(int count, const char *const *arguments, int *at,
                         struct session_options *options) {
    uint64_t failures = options->failures;
    if (strcmp(arguments[*at], "--invalid") == 0) {
        options->invalid = true;
        return true;
    }
    if (strcmp(arguments[*at], "--whole") == 0) {
        options->whole = true;
        return true;
    }
    if (strcmp(arguments[*at], "--complete") == 0) {
        options->complete = true;
        return true;
    }
    bool good = take_value(count, arguments, at, "--config", &options->config) ||
                take_value(count, arguments, at, "--coverage", &options->coverage) ||
                take_value(count, arguments, at, "--against", &options->against) ||
                take_value(count, arguments, at, "--save", &options->save) ||
                take_number(count, arguments, at, "--seed", &options->seed) ||
                take_number(count, arguments, at, "--replay", &options->replay) ||
                take_number(count, arguments, at, "--instructions", &options->instructions) ||
                take_number(count, arguments, at, "--failures", &failures);
    options->failures = (unsigned)failures;
    return good && *at < count;
}

static bool parse(int count, const char *const *arguments, struct arguments *parsed) {
    int at = 1;
    parsed->files = arguments + 1;
    while (at < count && arguments[at][0] != '-') {
        at++;
    }
    parsed->file_count = at - 1;
    for (; at < count; at++) {
        if (!parse_option(count, arguments, &at, &parsed->options)) {
            return false;
        }
    }
    return true;
}

static int status_of(const struct session *session) {
    struct coverage_sum sum = coverage_sum(session->coverage);
    bool holes = session->options->complete && sum.holes + sum.wrong > 0;
    return session->missing > 0             ? EXIT_SKIPPED
           : session->failures > 0 || holes ? EXIT_DIFFERENT
                                            : EXIT_SUCCESS;
}

static int broken(const char *what, const struct weft_error *error) {
    (void)fprintf(stderr, "lockstep: %s%s%s\n", what, what[0] == '\0' ? "" : ": ", error->message);
    return EXIT_BROKEN;
}

/* ---- random programs ---- */

static int run_random(const struct session_options *options) {
    struct session session;
    struct weft_error error;
    if (!session_open(&session, options, &error)) {
        return broken("", &error);
    }
    int status = status_of(&session);
    if (status != EXIT_SKIPPED) {
        bool good = session_run(&session, &error) && session_report(&session, &error);
        status = good ? status_of(&session) : broken("", &error);
    }
    session_close(&session);
    return status;
}

/* ---- files ---- */

static int run_file(const struct session_options *options, const char *path) {
    struct weft_error error;
    struct weft_config config;
    struct cosim_case test;
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_file_read(path, &bytes, &length, &error)) {
        return broken("", &error);
    }
    bool good = case_parse((const char *)bytes, length, &config, &test, &error);
    free(bytes);
    if (!good) {
        return broken(path, &error);
    }
    struct session_options own = *options;
    struct session session;
    own.config = config.name;
    int status = EXIT_BROKEN;
    if (session_open(&session, &own, &error)) {
        good = session_case(&session, &test, path, &error);
        status = good ? status_of(&session) : broken(path, &error);
        session_close(&session);
    } else {
        status = broken(path, &error);
    }
    case_free(&test);
    return status;
}

int main(int count, char **arguments) {
    struct arguments parsed = {
        .options = {.config = "ref16", .seed = 1, .instructions = 20000, .failures = 1}};
    if (!parse(count, (const char *const *)arguments, &parsed)) {
        (void)fputs(usage, stderr);
        return EXIT_BROKEN;
    }
    if (parsed.file_count == 0) {
        return run_random(&parsed.options);
    }
    int status = EXIT_SUCCESS;
    for (int i = 0; i < parsed.file_count; i++) {
        int one = run_file(&parsed.options, parsed.files[i]);
        (void)printf("%s: %s\n", parsed.files[i],
                     one == EXIT_SUCCESS     ? "same"
                     : one == EXIT_DIFFERENT ? "differs"
                     : one == EXIT_SKIPPED   ? "skipped"
                                             : "not run");
        status = one != EXIT_SUCCESS && status != EXIT_BROKEN ? one : status;
    }
    return status;
}
