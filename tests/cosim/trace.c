#include "tests/cosim/trace.h"

bool trace_record(const struct cosim_case *test, struct weft_trace *trace,
                  struct weft_error *error) {
    struct weft_timing_settings settings = case_settings(test);
    return weft_trace_record(test->config, test->program.instructions, test->program.count,
                             &settings, NULL, trace, error);
}
