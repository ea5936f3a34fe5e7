/* The energy of a run: what its counters and instructions say, times the numbers of a technology
 * (docs/energy.md). */
#ifndef WEFT_DRIVER_ENERGY_H
#define WEFT_DRIVER_ENERGY_H

#include "isa/config.h"
#include "sim/timing/timing.h"

/* The numbers of driver/technology.def. */
struct weft_technology {
    char name[32];
    char label[48]; /* tells it from others of its name: what energies are known by */
#define WEFT_NUMBER(name, unit, doc) int64_t name;
#include "driver/technology.def"
#undef WEFT_NUMBER
};

/* Reads the JSON text of a technology: "name", "about", and for each number its value, its unit,
 * and a source and a URL, neither of them empty. Error: WEFT_TECHNOLOGY, position = line. */
bool weft_technology_parse(const char *text, size_t length, struct weft_technology *technology,
                           struct weft_error *error);

/* A technology of hw/technology by its name ("45nm"); else, a file of that name, which is not
 * called like one of these inside, unless it is the same. Errors: also those of weft_file_read().
 */
bool weft_technology_find(const char *name, struct weft_technology *technology,
                          struct weft_error *error);

/* Bytes that MATRIX reads and writes on the chip, as the fields of instructions say. */
struct weft_matrix_traffic {
    uint64_t act_bytes;
    uint64_t wgt_bytes;
    uint64_t acc_bytes;
};

/* Adds those of a program, each instruction once. Sums saturate. */
void weft_matrix_traffic_add(const struct weft_config *config,
                             const struct weft_instruction *instructions, size_t count,
                             struct weft_matrix_traffic *traffic);

/* What a run did. */
struct weft_activity {
    uint64_t macs; /* products of MATRIX that were carried out */
    struct weft_matrix_traffic matrix;
    const uint64_t *counters; /* [WEFT_COUNTERS], of all segments */
};

/* Microjoules. */
struct weft_energy {
    double matrix; /* arithmetic of MATRIX */
    double vector; /* arithmetic of VECTOR */
    double act;
    double wgt;
    double acc;
    double external;
    double leakage; /* of the RAMs while it runs; 0 where there is no clock */
    double total;
};

/* `clock` in MHz; 0: there is none. */
struct weft_energy weft_energy_of(const struct weft_technology *technology,
                                  const struct weft_config *config,
                                  const struct weft_activity *activity, double clock);

/* Names and values, for tables and JSON: those of struct weft_energy in order, `total` last. */
enum {
    WEFT_ENERGY_PARTS = 8
};
extern const char *const weft_energy_names[WEFT_ENERGY_PARTS];
double weft_energy_part(const struct weft_energy *energy, unsigned part);

#endif
