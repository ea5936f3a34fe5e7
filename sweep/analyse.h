/* What the rows of a sweep say together. */
#ifndef WEFT_SWEEP_ANALYSE_H
#define WEFT_SWEEP_ANALYSE_H

#include "sweep/row.h"

/* Has the row figures? */
bool sweep_row_is_good(const struct sweep_row *row);

/* Can the energies of rows be compared with each other, and their areas? Those of several
 * technologies, with leakage and without, and those of several targets cannot. Error: WEFT_SWEEP
 * (position = id of a row). */
bool sweep_check_energies(const struct sweep_row *rows, size_t count, struct weft_error *error);
bool sweep_check_areas(const struct sweep_row *rows, size_t count, struct weft_error *error);

/* By model and by version of Weft: 0 where rows can be compared, else negative or positive. */
int sweep_compare_kin(const struct sweep_row *a, const struct sweep_row *b);

/* Bytes of the memories on the chip. */
double sweep_row_memory(const struct sweep_row *row);

/* Marks the rows that no other row of their model and version of Weft beats: with no more cycles,
 * energy, area, multiplications and elements of the host, and less of one of these. Where the area
 * is unknown, the lanes and the bytes of memory on the chip stand for it. Error:
 * WEFT_OUT_OF_MEMORY. */
bool sweep_find_front(const struct sweep_row *rows, size_t count, bool *is_front,
                      struct weft_error *error);

/* Axes in which the rows differ. */
uint64_t sweep_varying_axes(const struct sweep_row *rows, size_t count);

/* What a step of an axis comes to: over all pairs of rows that differ in this axis alone, with no
 * value of it between them; and for each step from a value that some row has to the next, whether
 * there are pairs or not, by a fit. */
struct sweep_effect {
    unsigned axis;
    uint32_t from, to;
    size_t pairs;
    double cycles; /* geometric mean of to / from; NAN: there is no pair */
    double energy; /* NAN: unknown */
    double area;
    double fitted; /* of cycles, from all rows: sweep_fit_steps(); NAN: unknown */
};

enum {
    SWEEP_MOST_EFFECTS = 1024
};

/* Fills effects[SWEEP_MOST_EFFECTS], by axis and value; those that find no room are left out.
 * Error: WEFT_OUT_OF_MEMORY. */
bool sweep_find_effects(const struct sweep_row *rows, size_t count, struct sweep_effect *effects,
                        size_t *effect_count, struct weft_error *error);

/* The different values of an axis among the rows with figures, in order, into list[count]; how many
 * they are. */
size_t sweep_values_of(const struct sweep_row *rows, size_t count, unsigned axis, uint32_t *list);

#endif
