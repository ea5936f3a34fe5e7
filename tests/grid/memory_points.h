/* The points of the memory grid, and what became of one of them. */
#ifndef WEFT_TESTS_GRID_MEMORY_POINTS_H
#define WEFT_TESTS_GRID_MEMORY_POINTS_H

#include "compiler/module.h"

enum {
    ACT_SIZES = 12, /* 2 KB to 4 MB */
    WGT_SIZES = 10, /* 2 KB to 1 MB */
    BLOCK_SIZES = 3,
    MEMORY_POINTS = ACT_SIZES * WGT_SIZES * BLOCK_SIZES
};

struct memory_point {
    uint32_t act_bytes, wgt_bytes, block;
};

/* Point `index` of MEMORY_POINTS. */
struct memory_point memory_point(size_t index);

/* Its configuration. Error: WEFT_CONFIG when no machine has these sizes. */
bool memory_point_config(const struct memory_point *point, struct weft_config *config,
                         struct weft_error *error);

enum point_state {
    POINT_ILLEGAL, /* no machine has these sizes */
    POINT_GOOD,
    POINT_TO_HOST, /* an operator is on the host that is not there on ref16 */
    POINT_REFUSED, /* it does not compile */
    POINT_WRONG,   /* other bytes than the reference, or a run that fails */
    POINT_DIED,    /* a crash, or no end */
    POINT_STATES
};
extern const char *const point_state_names[POINT_STATES];

struct outcome {
    enum point_state state;
    bool ran;         /* on the simulators, too */
    unsigned to_host; /* operators of the model */
    uint64_t cycles;
    double seconds;   /* that compiling took */
    char reason[480]; /* why it is not good */
};

/* Operators of a model, by their index in the file. */
struct host_set {
    size_t size;
    bool *has; /* [i + 1]: operator i of the model; [0]: what stands for none */
};

/* Those that the host carries out. Error: WEFT_OUT_OF_MEMORY. */
bool host_set_make(struct host_set *set, const struct weft_module *module,
                   struct weft_error *error);

/* Counts the operators that the host carries out here but not in `set`, each once, and notes their
 * names and reasons. */
void note_new_host_operators(const struct weft_module *module, const struct host_set *set,
                             struct outcome *outcome);

#endif
