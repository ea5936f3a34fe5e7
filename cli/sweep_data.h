/* The rows of a sweep, and what they say together, for table, JSON and page. */
#ifndef WEFT_CLI_SWEEP_DATA_H
#define WEFT_CLI_SWEEP_DATA_H

#include <jansson.h>

#include "report/page/page.h"
#include "sweep/names.h"

struct shown_sweep {
    const char *path;
    double clock; /* MHz, of rows without one of their own; 0: not given */
    const struct weft_technology *technology; /* NULL: energies are as the rows have them */
    const struct weft_area_model *area;       /* the same of areas */
    uint64_t memory_limit;                    /* bytes; 0: the default */
    bool has_time, has_energy;                /* of any row */
    struct sweep_row *rows;
    size_t count;
    bool *is_front;
    struct sweep_names names;
    uint64_t varying; /* axes, a bit for each */
    struct sweep_effect *effects;
    size_t effect_count;
};

/* The unit of the areas, "LUT4 of ecp5"; "": there are none. */
const char *sweep_area_unit(const struct shown_sweep *sweep);

/* A column of a row as JSON: null where there is none. */
json_t *sweep_field_json(const struct sweep_row *row, const struct sweep_field *field);

/* {rows: [{...}], effects: [...]}; the caller owns it. */
json_t *sweep_json(const struct shown_sweep *sweep);

/* The same for the page, smaller. */
json_t *sweep_page_json(const struct shown_sweep *sweep);

/* The page, without its data. */
extern const struct page_frame sweep_page;

#endif
