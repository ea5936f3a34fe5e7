#include <stdlib.h>

#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/rtl_library.h"
#include "tests/cosim/compare.h"
#include "tests/cosim/image.h"

struct rtl {
    struct weft_rtl_library library;
    struct weft_rtl_machine *machine;
    struct image image;
    bool halted; /* the last run */
    struct weft_lockstep_report report;
};

static void rtl_close(void *context) {
    struct rtl *rtl = context;
    if (rtl->machine != NULL) {
        rtl->library.interface->destroy(rtl->machine);
    }
    weft_rtl_unload(&rtl->library);
    image_free(&rtl->image);
    weft_lockstep_report_free(&rtl->report);
    free(rtl);
}

static bool rtl_open(const struct weft_config *config, void **context, struct weft_error *error) {
    struct rtl *rtl = weft_allocate(1, sizeof *rtl, "an RTL", error);
    if (rtl == NULL) {
        return false;
    }
    if (!weft_rtl_load(config, false, &rtl->library, error) ||
        !rtl->library.interface->create(&rtl->machine, error) ||
        !image_create(config, &rtl->image, error)) {
        rtl_close(rtl);
        return false;
    }
    *context = rtl;
    return true;
}

static bool run_once(struct rtl *rtl, const struct cosim_case *test, bool without_reset,
                     struct weft_error *error) {
    const struct weft_lockstep lockstep = {rtl->library.interface, rtl->machine};
    struct weft_memory_settings memory = case_memory(test);
    if (!rtl->library.interface->has_dram) {
        memory.dram = WEFT_DRAM_NONE;
    }
    const struct weft_lockstep_settings settings = {.host = weft_host_best(),
                                                    .memory = memory,
                                                    .watchdog = test->watchdog,
                                                    .timing_only = test->timing_only,
                                                    .without_reset = without_reset};
    bool good = image_fill(&rtl->image, test, error) &&
                weft_lockstep_run(&lockstep, &rtl->image.state, &settings, &rtl->report, error);
    rtl->halted = good && rtl->report.divergence == WEFT_SAME &&
                  rtl->report.expected.fault == WEFT_FAULT_NONE;
    return good;
}

/* Half of the runs behind a HALT begin without a reset, as the driver's do. One that then differs
 * is run again after a reset: it must not depend on the run before. */
static bool rtl_run(void *context, const struct cosim_case *test, enum verdict *verdict,
                    struct weft_text *text, struct weft_error *error) {
    struct rtl *rtl = context;
    bool without_reset = rtl->halted && (test->seed >> 7 & 1) != 0;
    if (!run_once(rtl, test, without_reset, error)) {
        return false;
    }
    *verdict = rtl->report.divergence == WEFT_SAME ? VERDICT_SAME : VERDICT_DIFFERENT;
    if (*verdict == VERDICT_SAME) {
        return true;
    }
    weft_text_add(text, "%s", rtl->report.text.bytes);
    if (without_reset) {
        if (!run_once(rtl, test, false, error)) {
            return false;
        }
        weft_text_add(text, rtl->report.divergence == WEFT_SAME
                                ? "only without a reset behind the run before\n"
                                : "with a reset as well\n");
    }
    return true;
}

const struct comparison compare_rtl = {"rtl", rtl_open, rtl_run, rtl_close};
