#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "driver/builtin_technologies.h"

const struct weft_builtin_technology *weft_builtin_find(const struct weft_builtin_technology *list,
                                                        const char *name) {
    while (list->name != NULL && strcmp(list->name, name) != 0) {
        list++;
    }
    return list->name == NULL ? NULL : list;
}

void weft_label(char *label, size_t size, const char *name, uint64_t fingerprint) {
    (void)snprintf(label, size, "%s %08" PRIx32, name, (uint32_t)(fingerprint >> 32));
}

bool weft_builtin_taken(const char *name, struct weft_error *error) {
    return weft_fail(error, WEFT_TECHNOLOGY, 0,
                     "its name is %s, like that of one that is built in and has other numbers",
                     name);
}
