/* A machine behind driver/rtl_model.h that is no RTL: the cycle simulator, which can be told to do
 * one thing otherwise. */
#ifndef WEFT_TESTS_UNIT_FAKE_RTL_H
#define WEFT_TESTS_UNIT_FAKE_RTL_H

#include "driver/rtl_model.h"

/* What the fake does otherwise; `which` and `at` of struct fake_plan say more. */
enum fake {
    FAKE_NOTHING,
    FAKE_LATE_DISPATCH, /* instruction `which`: a cycle late */
    FAKE_LATE_START,
    FAKE_LATE_FINISH,
    FAKE_NO_START, /* instruction `which`: not reported */
    FAKE_NO_FINISH,
    FAKE_START_TWICE,
    FAKE_UNKNOWN_START, /* in place of instruction `which`, one that does not exist */
    FAKE_EXTRA_START,   /* instruction `which` starts in cycle `at` */
    FAKE_NO_BURST,      /* burst `which`, counted from 0 */
    FAKE_LATE_BURST,
    FAKE_BURST_MASTER,
    FAKE_BURST_ADDRESS,
    FAKE_BURST_REGION,
    FAKE_BURST_BYTES,
    FAKE_EXTRA_BURST,       /* after burst `which`, in the cycle after it */
    FAKE_COUNTER,           /* counter `which` is one more */
    FAKE_FAULT,             /* fault `which` */
    FAKE_FAULT_INSTRUCTION, /* one more */
    FAKE_MEMORY,            /* on-chip memory `which`, byte `at`, bit 0 */
    FAKE_REGION,            /* region `which`, byte `at`, bit 0 */
    FAKE_ASSERTION,         /* fails in cycle `at` */
    FAKE_NO_END,
    FAKE_NO_WAVE_FILE, /* a run fails with WEFT_IO */
    FAKE_NO_MEMORY,    /* a run fails with WEFT_OUT_OF_MEMORY */
    FAKE_NO_RESET,
    FAKE_NO_CREATE,
    FAKE_NO_PRESET, /* the memories cannot be written */
    FAKE_NO_DUMP,   /* the memories cannot be read */
    FAKE_VERSION,
    FAKE_FINGERPRINT,
};

struct fake_plan {
    enum fake what;
    uint64_t which;
    uint64_t at;
};

/* What all fakes do from now on. */
extern struct fake_plan fake_plan;

/* What the last run was asked for, and how often a fake was reset. */
extern struct weft_rtl_run fake_last_run;
extern unsigned fake_resets;

/* The interface of a fake of a configuration; the result of the last call alone is valid. */
const struct weft_rtl_interface *fake_rtl_interface(const struct weft_config *config);

#endif
