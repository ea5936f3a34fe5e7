/* Which combinations of a grid to try next, from those that are known. */
#ifndef WEFT_SWEEP_GUIDE_H
#define WEFT_SWEEP_GUIDE_H

#include "sweep/definition.h"

/* A combination that was tried. */
struct sweep_known {
    uint64_t number;  /* of the grid */
    double objective; /* the smaller the better; NAN: refused */
};

/* Which combinations may be chosen; `allowed` NULL: all. */
struct sweep_guide_rule {
    bool (*allowed)(const void *context, uint64_t number);
    const void *context;
};

enum {
    SWEEP_GUIDE_BATCH = 16 /* combinations that are chosen at once, whoever works on them */
};

/* Chooses up to `wanted` combinations that are not known and that the rule allows, fewer when the
 * grid has no more, or when none was found in some thousand draws. The same
 * for the same `known` and *state, whatever machine. The first are drawn; then a polynomial of
 * second degree in the logarithms of the values is fitted to the objective (least squares, with a
 * ridge), and another to whether a combination is refused; most are those that it says to be the
 * best of some thousand drawn ones and of the neighbours of the best known ones, one in four is
 * drawn. Error: WEFT_OUT_OF_MEMORY. */
bool sweep_guide(const struct sweep_definition *definition, const struct sweep_known *known,
                 size_t known_count, const struct sweep_guide_rule *rule, uint64_t *state,
                 size_t wanted, uint64_t *numbers, size_t *count, struct weft_error *error);

#endif
