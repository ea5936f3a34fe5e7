/* A point of a sweep: a model on a machine, and how it is compiled and run. Every parameter of
 * isa/config.def and every option of sweep/options.def is an axis, one number each. */
#ifndef WEFT_SWEEP_POINT_H
#define WEFT_SWEEP_POINT_H

#include "isa/config.h"

enum sweep_axis {
    SWEEP_BEFORE_OPTIONS = WEFT_PARAMETERS - 1, /* parameters come first, as in isa/config.def */
#define SWEEP_OPTION(name, value, doc) SWEEP_AXIS_##name,
#include "sweep/options.def"
#undef SWEEP_OPTION
    SWEEP_AXES
};

enum {
    SWEEP_MOST_MODELS = 256,
    SWEEP_MOST_CONFIGS = 256,
    SWEEP_MOST_VALUES = 4096,    /* of an axis */
    SWEEP_MOST_POINTS = 1000000, /* of a sweep */
    SWEEP_CLOCK_OF_DRAM = 100,   /* MHz of a machine beside DRAM, where nobody says it */
};

struct sweep_point {
    uint32_t model;  /* index */
    uint32_t config; /* the configuration that its parameters began with */
    uint32_t values[SWEEP_AXES];
};

const char *sweep_axis_name(unsigned axis);

/* What an option does; NULL of a parameter, whose words are in isa/config.def. */
const char *sweep_axis_doc(unsigned axis);

/* The axis of a name of `length` bytes; SWEEP_AXES: there is none. */
unsigned sweep_axis_find(const char *name, size_t length);

/* The axes of a configuration, with options as they are where nobody says otherwise. */
void sweep_point_begin(const struct weft_config *config, struct sweep_point *point);

/* Once all values are there: gives a machine beside DRAM, which has a clock, the one that nobody
 * said. */
void sweep_point_end(struct sweep_point *point);

/* The machine of a point, called as the configuration that it began with if it is that, else
 * "sweep". Its parameters are not checked. */
void sweep_point_config(const struct sweep_point *point, const struct weft_config *began,
                        struct weft_config *config);

#endif
