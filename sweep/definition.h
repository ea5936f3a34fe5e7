/* What a sweep is to run: models, configurations, values of axes, and which of their combinations.
 */
#ifndef WEFT_SWEEP_DEFINITION_H
#define WEFT_SWEEP_DEFINITION_H

#include "base/arena.h"
#include "base/text.h"
#include "sweep/point.h"
#include "sweep/values.h"

/* What guided points are to make small; each is the product over the models. */
#define SWEEP_OBJECTIVES(OBJECTIVE)                                                                \
    OBJECTIVE(CYCLES, "cycles")                                                                    \
    OBJECTIVE(ENERGY, "energy")                                                                    \
    OBJECTIVE(CYCLES_AREA, "cycles-area")                                                          \
    OBJECTIVE(CYCLES_ENERGY, "cycles-energy")

enum sweep_objective {
#define OBJECTIVE(id, name) SWEEP_OBJECTIVE_##id,
    SWEEP_OBJECTIVES(OBJECTIVE)
#undef OBJECTIVE
    SWEEP_OBJECTIVE_COUNT
};

/* Their names, ended by NULL. */
extern const char *const sweep_objective_names[];

/* A point that was listed: what it says. */
struct sweep_listed {
    int32_t model;  /* -1: every common one */
    int32_t config; /* -1: the first common one */
    uint64_t given; /* a bit for each axis */
    uint32_t values[SWEEP_AXES];
};
_Static_assert(SWEEP_AXES <= 64, "a bit for each axis");

struct sweep_definition {
    struct weft_arena arena; /* owns everything below */
    size_t model_count;
    const char *models[SWEEP_MOST_MODELS]; /* paths */
    size_t config_count;
    const char *config_names[SWEEP_MOST_CONFIGS];
    struct weft_config configs[SWEEP_MOST_CONFIGS];
    /* Models that every combination of the grid is run with, and configurations that it begins
     * with (none: ref16), as indices; other ones belong to the listed points that name them. */
    size_t common_model_count;
    uint32_t common_models[SWEEP_MOST_MODELS];
    size_t common_config_count;
    uint32_t common_configs[SWEEP_MOST_CONFIGS];
    struct sweep_values axes[SWEEP_AXES];
    bool has_grid;
    size_t listed_count; /* points one by one */
    size_t listed_capacity;
    struct sweep_listed *listed;
    uint64_t random; /* so many combinations of the grid, drawn; 0: all */
    uint64_t guided; /* so many combinations of the grid, chosen by what is known; 0: all */
    uint64_t seed;
    bool has_seed; /* it says one */
    enum sweep_objective objective;
    bool has_objective; /* it says one */
};

/* Adds a model, a configuration, or the values of an axis ("act_bytes=64K,128K", "config=ref16",
 * "act_bytes=16K..1M": doubling, "effort=1..4+1": in steps). Values and names of configurations are
 * checked, what a machine says to them is not. Errors: WEFT_SWEEP, WEFT_LIMIT, WEFT_OUT_OF_MEMORY;
 * those of weft_config_find(). */
bool sweep_add_model(struct sweep_definition *definition, const char *path,
                     struct weft_error *error);
bool sweep_add_config(struct sweep_definition *definition, const char *name,
                      struct weft_error *error);
bool sweep_add_grid(struct sweep_definition *definition, const char *text,
                    struct weft_error *error);

/* Reads JSON text, as docs/sweep.md describes it; paths of models and configurations that are not
 * absolute begin in `folder`. Errors: WEFT_SWEEP (position = line), and the above. */
bool sweep_parse(struct sweep_definition *definition, const char *text, size_t length,
                 const char *folder, struct weft_error *error);

/* Is there anything to run, and is it not too much? Errors: WEFT_SWEEP, WEFT_LIMIT. */
bool sweep_definition_check(struct sweep_definition *definition, struct weft_error *error);

/* The points in order, listed ones first; not those that are guided. *points is freed by the
 * caller. Errors: WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool sweep_points(const struct sweep_definition *definition, struct sweep_point **points,
                  size_t *count, struct weft_error *error);

/* Combinations of the grid, saturated, without models; whether they are few enough to have numbers
 * (else WEFT_LIMIT); and one of them, by its number. */
uint64_t sweep_grid_size(const struct sweep_definition *definition);
bool sweep_grid_check(const struct sweep_definition *definition, struct weft_error *error);
void sweep_grid_point(const struct sweep_definition *definition, uint64_t number,
                      struct sweep_point *point);

/* Has any point a clock of its own, and any none? */
void sweep_clocks(const struct sweep_definition *definition, bool *any_own, bool *any_without);

/* Points as a definition that lists them, for sweep_parse() elsewhere: paths that are not absolute
 * begin in `folder` then. */
bool sweep_print(const struct sweep_definition *definition, const struct sweep_point *points,
                 size_t count, const char *folder, struct weft_text *text,
                 struct weft_error *error);

void sweep_definition_free(struct sweep_definition *definition);

#endif
