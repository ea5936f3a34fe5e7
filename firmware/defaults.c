#include "firmware/weft_firmware.h"

uint64_t weft_same_address(void *context, const void *pointer) {
    (void)context;
    return (uintptr_t)pointer;
}

uint32_t weft_no_time(void *context) {
    (void)context;
    return 0;
}

void weft_no_cache(void *context, const void *pointer, size_t bytes) {
    (void)context;
    (void)pointer;
    (void)bytes;
}
