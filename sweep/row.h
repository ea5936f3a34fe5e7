/* A row of a sweep's file: one point, and what it came to. */
#ifndef WEFT_SWEEP_ROW_H
#define WEFT_SWEEP_ROW_H

#include "driver/area.h"
#include "driver/energy.h"
#include "sweep/measure.h"

struct sweep_row {
    int64_t id;       /* in the file */
    char model[1024]; /* path, as it was given */
    char model_fingerprint[17];
    char config[64]; /* that the point began with */
    char config_fingerprint[17];
    char version[96]; /* of Weft */
    uint32_t values[SWEEP_AXES];
    char error_code[32]; /* "": there are figures */
    char error[512];
    uint64_t cycles;
    uint64_t segments;
    uint64_t macs;
    uint64_t host_macs;
    uint64_t elements;
    uint64_t host_elements;
    uint64_t host_operators;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t matrix_act_bytes; /* that MATRIX moves on the chip */
    uint64_t matrix_wgt_bytes;
    uint64_t matrix_acc_bytes;
    double host_share;    /* of multiplications, 0 to 1 */
    double energy;        /* microjoules of the program; NAN: unknown */
    double area;          /* in area_unit; NAN: unknown */
    char technology[128]; /* that the energy is for, with the clock, if leakage is in it */
    char area_unit[96];   /* "LUT4 of ecp5"; "": there is no area */
    uint64_t counters[WEFT_COUNTERS];
    double seconds;
};

enum sweep_field_kind {
    SWEEP_TEXT,
    SWEEP_VALUE,  /* uint32_t: an axis */
    SWEEP_NUMBER, /* uint64_t */
    SWEEP_REAL,   /* double */
};

/* A column. */
struct sweep_field {
    const char *name;
    enum sweep_field_kind kind;
    bool is_key;    /* rows of one key are one point */
    bool is_figure; /* there is none where there is an error */
    size_t offset;
    size_t size; /* of a text */
    /* Of a SWEEP_REAL, which is never negative: */
    bool may_lack; /* rows with figures may have none */
    double most;
};

enum {
    SWEEP_FIELDS = 5 + SWEEP_AXES + 19 + WEFT_COUNTERS
};

/* All columns, SWEEP_FIELDS of them, in order. */
const struct sweep_field *sweep_fields(void);

/* The key and the parameters of a point, and no figures. */
void sweep_row_begin(const struct sweep_models *models, const struct sweep_point *point,
                     struct sweep_row *row);

/* Adds what was measured. */
void sweep_row_take(struct sweep_row *row, const struct sweep_result *result);

/* Has the machine of a row a clock of its own, that of the axis `clock`? It has beside DRAM, and
 * where somebody said one. */
bool sweep_row_has_clock(const struct sweep_row *row);

/* Its clock in MHz: its own, or the one that is given (0: none). */
double sweep_row_clock(const struct sweep_row *row, double given);

/* The value of an axis when rows are compared by it: a machine without a clock does in each cycle
 * what it does at that of DRAM. */
uint32_t sweep_row_value(const struct sweep_row *row, unsigned axis);

/* Sets the energy, at its clock (without leakage where that is 0); of a row with figures. */
void sweep_row_energy(struct sweep_row *row, const struct weft_technology *technology,
                      double given_clock);

/* Says only what its energy would be of. */
void sweep_row_name_energy(struct sweep_row *row, const struct weft_technology *technology,
                           double given_clock);

/* The first row whose energy cannot be compared with that of one before it, which is *other: it is
 * of another technology or given clock, or one has leakage in it and the other has not. `count`:
 * there is none. */
size_t sweep_find_other_energy(const struct sweep_row *rows, size_t count, size_t *other);

/* Sets the area of the machine; of a row with figures. And only what it would be of. */
void sweep_row_name_area(struct sweep_row *row, const struct weft_area_model *model);
void sweep_row_area(struct sweep_row *row, const struct weft_area_model *model);

/* The point of a row: of model and configuration 0. */
void sweep_row_point(const struct sweep_row *row, struct sweep_point *point);

/* The inferences of its program: `frames` or `batch`. */
uint32_t sweep_row_inferences(const struct sweep_row *row);

/* Cycles, microjoules (NAN: unknown), bytes of external memory, and multiplications and elements of
 * the host, of one of them, by which rows are compared: those of the row are of the whole program.
 */
double sweep_row_cycles(const struct sweep_row *row);
double sweep_row_microjoules(const struct sweep_row *row);
double sweep_row_moved(const struct sweep_row *row);
double sweep_row_host_macs(const struct sweep_row *row);
double sweep_row_host_elements(const struct sweep_row *row);

/* Milliseconds of one of them at the row's clock; NAN: there is none. */
double sweep_row_milliseconds(const struct sweep_row *row, double given_clock);

/* Multiplications for each multiplier and cycle; 0 without cycles. */
double sweep_row_utilisation(const struct sweep_row *row);

/* By model, then by the values of the axes, then by version: negative, 0 or positive. */
int sweep_row_order(const void *a, const void *b);

#endif
