/* Runs of many cases: generating, comparing, counting, shrinking what fails. */
#ifndef WEFT_TESTS_COSIM_SESSION_H
#define WEFT_TESTS_COSIM_SESSION_H

#include "tests/cosim/compare.h"
#include "tests/cosim/coverage.h"

enum {
    SESSION_COMPARISONS = 3,
};

struct session_options {
    const char *config;
    uint64_t seed;
    uint64_t instructions; /* to generate, about */
    bool invalid;          /* programs that fault */
    uint64_t replay;       /* the seed of one program; 0: none */
    const char *coverage;  /* file for all bins; NULL: none */
    const char
        *against; /* names of comparisons, with commas, or "none"; NULL: all that are to be had */
    const char *save;  /* folder for shrunk failures; NULL: none */
    unsigned failures; /* after which to stop */
    bool whole;        /* failures stay as they are, where shrinking would take too long */
    bool complete;     /* ends when the coverage has no hole; one that is left is a failure */
};

struct session {
    const struct session_options *options;
    struct weft_config config;
    struct coverage *coverage;
    const struct comparison *comparison[SESSION_COMPARISONS];
    void *context[SESSION_COMPARISONS];
    uint64_t skipped[SESSION_COMPARISONS];
    unsigned comparisons;
    unsigned missing; /* asked for by name, and not to be had */
    uint64_t programs;
    uint64_t instructions;
    uint64_t cycles;
    unsigned failures;
};

/* Opens what the options ask for; tells on stderr what is not to be had. Errors: WEFT_ARGUMENT, a
 * name of `against` is that of no comparison. */
bool session_open(struct session *session, const struct session_options *options,
                  struct weft_error *error);
void session_close(struct session *session);

/* Generates and compares until there are enough instructions, or failures. */
bool session_run(struct session *session, struct weft_error *error);

/* Compares one case of the session's configuration. */
bool session_case(struct session *session, const struct cosim_case *test, const char *name,
                  struct weft_error *error);

/* Prints totals and coverage, and writes the coverage file. */
bool session_report(const struct session *session, struct weft_error *error);

#endif
