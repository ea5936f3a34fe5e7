/* The Linux driver's logic against random sequences of calls. tests/fuzz/fuzz_ioctl.c has the same
 * with libFuzzer. */
#include "tests/unit/test.h"

#include "linux/weft_ioctl.h"
#include "tests/linux/hostile.h"

#include <errno.h>

enum {
    SEQUENCES = 2000,
    BYTES = 4000,
};

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return *state >> 33;
}

static void random_calls_leave_nothing_behind_and_reach_nothing_else(void **state) {
    (void)state;
    static uint8_t data[BYTES];
    struct hostile_outcomes outcomes = {0};
    uint64_t seed = 1;
    for (int i = 0; i < SEQUENCES; i++) {
        for (int k = 0; k < BYTES; k++) {
            data[k] = (uint8_t)next_random(&seed);
        }
        hostile_sequence(data, BYTES, &outcomes);
    }
    /* It is worth something only when all of it happens. */
    for (int i = 0; i <= WEFT_OUTCOME_LOST; i++) {
        print_message("outcome %d: %lu jobs\n", i, outcomes.jobs[i]);
        assert_true(outcomes.jobs[i] > 0);
    }
    static const int errors[] = {0,      EFAULT, ENOTTY, ENODEV,    EINVAL, ENOSPC, ENOMEM, ENOENT,
                                 EILSEQ, ERANGE, EIO,    ETIMEDOUT, EINTR,  EACCES, EBUSY};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        print_message("error %d: %lu calls\n", errors[i], outcomes.errors[errors[i]]);
        assert_true(outcomes.errors[errors[i]] > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_calls_leave_nothing_behind_and_reach_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
