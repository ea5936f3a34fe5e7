#include "tests/unit/api_calls.h"

#include <string.h>

void assert_failure(const struct weft_failure *failure, enum weft_failure_code code,
                    const char *part) {
    assert_string_equal(weft_failure_name(failure->code), weft_failure_name((int32_t)code));
    if (strstr(failure->message, part) == NULL) {
        print_error("'%s' has no '%s'\n", failure->message, part);
        fail();
    }
}

struct weft_options *options_of(const char *name, const char *value) {
    struct weft_failure failure;
    struct weft_options *options = NULL;
    ASSERT_DONE(weft_options_create(&options, &failure), failure);
    ASSERT_DONE(weft_options_set(options, name, value, &failure), failure);
    return options;
}

struct weft_network *load(void) {
    struct weft_failure failure;
    struct weft_network *network = NULL;
    ASSERT_DONE(weft_network_load(MODEL, NULL, NULL, &network, &failure), failure);
    return network;
}

struct weft_runner *open_runner(struct weft_network *network, const char *target) {
    struct weft_failure failure;
    struct weft_runner *runner = NULL;
    ASSERT_DONE(weft_runner_open(network, target, NULL, &runner, &failure), failure);
    return runner;
}
