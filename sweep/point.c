#include "sweep/point.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t value;
    const char *doc;
} options[] = {
#define SWEEP_OPTION(name, value, doc) {#name, value, doc},
#include "sweep/options.def"
#undef SWEEP_OPTION
};

const char *sweep_axis_name(unsigned axis) {
    return axis < WEFT_PARAMETERS ? weft_parameter_list[axis].name
                                  : options[axis - WEFT_PARAMETERS].name;
}

const char *sweep_axis_doc(unsigned axis) {
    return axis < WEFT_PARAMETERS ? NULL : options[axis - WEFT_PARAMETERS].doc;
}

unsigned sweep_axis_find(const char *name, size_t length) {
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        const char *other = sweep_axis_name(axis);
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return axis;
        }
    }
    return SWEEP_AXES;
}

void sweep_point_begin(const struct weft_config *config, struct sweep_point *point) {
    *point = (struct sweep_point){0};
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        point->values[axis] = axis < WEFT_PARAMETERS
                                  ? weft_parameter_get(config, &weft_parameter_list[axis])
                                  : options[axis - WEFT_PARAMETERS].value;
    }
}

void sweep_point_end(struct sweep_point *point) {
    if (point->values[SWEEP_AXIS_dram] != 0 && point->values[SWEEP_AXIS_clock] == 0) {
        point->values[SWEEP_AXIS_clock] = SWEEP_CLOCK_OF_DRAM;
    }
}

void sweep_point_config(const struct sweep_point *point, const struct weft_config *began,
                        struct weft_config *config) {
    struct weft_config made = *began;
    for (unsigned axis = 0; axis < WEFT_PARAMETERS; axis++) {
        memcpy((char *)&made + weft_parameter_list[axis].offset, &point->values[axis],
               sizeof point->values[axis]);
    }
    if (weft_config_fingerprint(&made) != weft_config_fingerprint(began)) {
        (void)snprintf(made.name, sizeof made.name, "sweep");
    }
    *config = made;
}
