/* The Linux driver: sequences of calls that no honest process makes (tests/linux/hostile.h). */
#include "tests/linux/hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct hostile_outcomes outcomes = {0};
    hostile_sequence(data, size, &outcomes);
    return 0;
}
