/* Stored cases of real networks: an input, and what LiteRT's reference kernels make of it. */
#ifndef WEFT_TESTS_GOLDEN_GOLDENS_H
#define WEFT_TESTS_GOLDEN_GOLDENS_H

#include "driver/session.h"

/* Where the cases of one network lie. */
struct golden_set {
    char inputs[768];   /* folder of CASE.input.npy or CASE.png */
    char outputs[768];  /* folder of CASE.output.npy and, where they are, CASE.tensors.json */
    const char *ending; /* of an input: ".input.npy" or ".png" */
};

/* The set of a network of ../shared/goldens, or another folder of that form. */
struct golden_set golden_set_of(const char *goldens, const char *network);

/* The set of the embedded network (models/digits). */
struct golden_set golden_set_of_digits(const char *digits);

/* The names of the cases in alphabetical order; empty when the folder is not there. */
struct golden_cases {
    size_t count;
    char **names;
};
struct golden_cases golden_cases_list(const struct golden_set *set);
void golden_cases_free(struct golden_cases *cases);

/* Runs a case, the input of which must be the only one of the model. Errors: those of reading and
 * of weft_session_run(). */
bool golden_run(const struct golden_set *set, const char *name, const struct weft_module *module,
                struct weft_session *session, struct weft_error *error);

/* Are all bytes of output 0 of the last run those of the case? Errors: those of reading. */
bool golden_compare(const struct golden_set *set, const char *name,
                    const struct weft_module *module, const struct weft_session *session,
                    bool *equal, struct weft_error *error);

#endif
