#include <string.h>

#include "driver/builtin_technologies.h"

const struct weft_builtin_technology *weft_builtin_find(const struct weft_builtin_technology *list,
                                                        const char *name) {
    while (list->name != NULL && strcmp(list->name, name) != 0) {
        list++;
    }
    return list->name == NULL ? NULL : list;
}

bool weft_builtin_taken(const char *name, struct weft_error *error) {
    return weft_fail(error, WEFT_TECHNOLOGY, 0,
                     "its name is %s, like that of one that is built in and has other numbers",
                     name);
}
