#include "cli/builtin.h"

#include "driver/builtin_technologies.h"
#include "isa/config.h"

bool value_is_named(enum value_kind kind) {
    return kind == VALUE_CONFIG || kind == VALUE_TECHNOLOGY || kind == VALUE_AREA;
}

/* The name of number `index` of a kind; NULL: there are no more. */
static const char *name_of(enum value_kind kind, size_t index) {
    return kind == VALUE_CONFIG       ? weft_builtin_configs[index].name
           : kind == VALUE_TECHNOLOGY ? weft_builtin_technologies[index].name
           : kind == VALUE_AREA       ? weft_builtin_areas[index].name
                                      : NULL;
}

size_t builtin_names(enum value_kind kind, const char **names, size_t most) {
    size_t count = 0;
    while (count < most && name_of(kind, count) != NULL) {
        names[count] = name_of(kind, count);
        count++;
    }
    return count;
}

bool is_builtin(enum value_kind kind, const char *name) {
    return kind == VALUE_CONFIG ? weft_config_builtin(name) != NULL
           : kind == VALUE_TECHNOLOGY
               ? weft_builtin_find(weft_builtin_technologies, name) != NULL
               : kind == VALUE_AREA && weft_builtin_find(weft_builtin_areas, name) != NULL;
}
