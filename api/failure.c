#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/version.h"

/* The codes of this library do not change when those of the project do. */
static const int32_t codes[WEFT_ERROR_CODES] = {
#define WEFT_ERROR(name, text) [WEFT_##name] = WEFT_FAILURE_##name,
#include "base/error_codes.def"
#undef WEFT_ERROR
};

bool failed(struct weft_failure *failure, const struct weft_error *error) {
    if (failure != NULL) {
        failure->code = error->code < WEFT_ERROR_CODES ? codes[error->code] : WEFT_FAILURE_INTERNAL;
        failure->reserved = 0;
        failure->position = error->position;
        (void)snprintf(failure->message, sizeof failure->message, "%s", error->message);
    }
    return false;
}

const char *weft_failure_name(int32_t code) {
    for (unsigned i = 1; i < WEFT_ERROR_CODES; i++) {
        if (codes[i] == code) {
            return weft_error_name((enum weft_error_code)i);
        }
    }
    return code == WEFT_FAILURE_NONE ? "NONE" : "unknown";
}

const char *weft_library_version(void) {
    return weft_version;
}

void weft_free(void *bytes) {
    free(bytes);
}
