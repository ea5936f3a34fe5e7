/* What an exported model is made of: its steps in order, and where everything lies. */
#ifndef WEFT_COMPILER_EXPORT_PLAN_H
#define WEFT_COMPILER_EXPORT_PLAN_H

#include "compiler/export/areas.h"
#include "compiler/host/binding.h"
#include "compiler/module.h"

/* A tensor of the graph. */
struct tensor {
    const struct weft_value *value;
    int64_t bytes;
    const uint8_t *constant; /* NULL: it has an area */
    int area;
    int64_t offset;       /* in its area */
    int place;            /* its number among inputs and outputs of the model; -1: it is none */
    bool is_fixed;        /* no buffer can stand for its home */
    bool is_region;       /* a region of a program is this tensor alone */
    uint32_t constant_at; /* offset in the model, once it is there; 0: not yet */
};

/* Something that a step uses: a tensor, or an offset of an area. */
struct reference {
    struct tensor *tensor; /* NULL: the area */
    int area;
    int64_t offset;
};

struct region_use {
    struct reference at;
    int64_t bytes; /* 0: the program does not have it */
};

struct segment_step {
    const struct weft_segment *segment;
    struct region_use regions[WEFT_REGIONS]; /* but for program and constants */
};

struct operator_step {
    const struct weft_node *node;
    struct weft_host_binding binding;
    uint32_t kernel;              /* in the list of kernels of the plan */
    struct tensor **operands;     /* inputs, then results */
    int pointers, scratch, state; /* areas; -1: none */
    size_t scratch_bytes, state_bytes;
    void *first_state; /* as it is before the first run */
};

struct copy_step {
    struct reference from, to;
    int64_t bytes;
};

struct step {
    uint32_t kind; /* enum weft_step_kind */
    union {
        struct segment_step segment;
        struct operator_step operator;
        struct copy_step copy;
    };
};

struct export_plan {
    struct weft_arena *arena;
    const struct weft_module *module;
    struct areas areas;
    struct weft_map *tensors; /* value -> struct tensor */
    size_t step_count, step_capacity;
    struct step *steps;
    uint32_t kernel_count;
    enum weft_kernel kernels[WEFT_KERNELS]; /* that operators use, in the order of first use */
    uint32_t state_count;                   /* operators that have one */
    int places;                             /* area of the addresses of inputs and outputs */
    int64_t arena_bytes;
    int64_t least_arena_bytes;
};

/* Orders the steps and places everything in the arena of a run. Errors: WEFT_TARGET when a region
 * is for another target, WEFT_OPERATOR when firmware has no kernel for an operator, position:
 * operator in the model, WEFT_OUT_OF_MEMORY. *plan is to be released with export_plan_free(), also
 * then. Jumps to on_failure of the arena. */
bool export_plan(struct weft_arena *arena, const struct weft_module *module,
                 struct export_plan *plan, struct weft_error *error);

/* Releases the parameters of kernels; all else is in the arena. */
void export_plan_free(struct export_plan *plan);

#endif
