#include "sweep/row.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"

/* ---- columns ---- */

#define TEXT_FIELD(member, key)                                                                    \
    {                                                                                              \
#member, SWEEP_TEXT, key, false, offsetof(struct sweep_row, member),                       \
            sizeof(((struct sweep_row *)0)->member), false, 0                                      \
    }
#define FIGURE(kind, member)                                                                       \
    { #member, kind, false, true, offsetof(struct sweep_row, member), 0, false, 0 }
#define REAL_FIGURE(member, may_lack, most)                                                        \
    { #member, SWEEP_REAL, false, true, offsetof(struct sweep_row, member), 0, may_lack, most }

static const struct sweep_field first_fields[] = {
    TEXT_FIELD(model, false),
    TEXT_FIELD(config, false),
    TEXT_FIELD(model_fingerprint, true),
    TEXT_FIELD(config_fingerprint, true),
    TEXT_FIELD(version, true),
};
static const struct sweep_field last_fields[] = {
    TEXT_FIELD(error_code, false),
    TEXT_FIELD(error, false),
    FIGURE(SWEEP_NUMBER, cycles),
    FIGURE(SWEEP_NUMBER, segments),
    FIGURE(SWEEP_NUMBER, macs),
    FIGURE(SWEEP_NUMBER, host_macs),
    FIGURE(SWEEP_NUMBER, elements),
    FIGURE(SWEEP_NUMBER, host_elements),
    FIGURE(SWEEP_NUMBER, host_operators),
    FIGURE(SWEEP_NUMBER, read_bytes),
    FIGURE(SWEEP_NUMBER, written_bytes),
    FIGURE(SWEEP_NUMBER, matrix_act_bytes),
    FIGURE(SWEEP_NUMBER, matrix_wgt_bytes),
    FIGURE(SWEEP_NUMBER, matrix_acc_bytes),
    REAL_FIGURE(host_share, false, 1),
    REAL_FIGURE(energy, true, DBL_MAX),
    REAL_FIGURE(area, true, DBL_MAX),
    TEXT_FIELD(technology, false),
    TEXT_FIELD(area_unit, false),
};
static const struct sweep_field seconds_field = {
    "seconds", SWEEP_REAL, false, false, offsetof(struct sweep_row, seconds), 0, true, DBL_MAX};
_Static_assert(SWEEP_FIELDS == sizeof first_fields / sizeof *first_fields + SWEEP_AXES +
                                   sizeof last_fields / sizeof *last_fields + WEFT_COUNTERS,
               "all but one, which is counters' cycles, a figure already");

const struct sweep_field *sweep_fields(void) {
    static struct sweep_field fields[SWEEP_FIELDS];
    static char names[WEFT_COUNTERS][48]; /* parameters have some of the same names */
    size_t count = 0;
    if (fields[0].name != NULL) {
        return fields;
    }
    memcpy(fields + 1, first_fields + 1, sizeof first_fields - sizeof *first_fields);
    count = sizeof first_fields / sizeof *first_fields;
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        fields[count++] = (struct sweep_field){.name = sweep_axis_name(axis),
                                               .kind = SWEEP_VALUE,
                                               .is_key = axis >= WEFT_PARAMETERS,
                                               .offset = offsetof(struct sweep_row, values) +
                                                         axis * sizeof(uint32_t)};
    }
    memcpy(fields + count, last_fields, sizeof last_fields);
    count += sizeof last_fields / sizeof *last_fields;
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        if (i != WEFT_COUNTER_INDEX_cycles) {
            (void)snprintf(names[i], sizeof names[i], "counted_%s", weft_counter_names[i]);
            fields[count++] = (struct sweep_field){.name = names[i],
                                                   .kind = SWEEP_NUMBER,
                                                   .is_figure = true,
                                                   .offset = offsetof(struct sweep_row, counters) +
                                                             i * sizeof(uint64_t)};
        }
    }
    fields[count] = seconds_field;
    fields[0] = first_fields[0]; /* last: it says that the others are there */
    return fields;
}

/* ---- rows ---- */

/* Between the name of a technology and the clock of the leakage. */
#define AT_CLOCK " at "

static void print_fingerprint(char text[17], uint64_t fingerprint) {
    (void)snprintf(text, 17, "%016" PRIx64, fingerprint);
}

void sweep_row_begin(const struct sweep_models *models, const struct sweep_point *point,
                     struct sweep_row *row) {
    const struct sweep_model *model = &models->list[point->model];
    struct weft_config config;
    *row = (struct sweep_row){.energy = NAN, .area = NAN};
    sweep_point_config(point, &models->definition->configs[point->config], &config);
    (void)snprintf(row->model, sizeof row->model, "%s", model->path);
    (void)snprintf(row->config, sizeof row->config, "%s",
                   models->definition->configs[point->config].name);
    print_fingerprint(row->model_fingerprint, model->fingerprint);
    print_fingerprint(row->config_fingerprint, weft_config_fingerprint(&config));
    (void)snprintf(row->version, sizeof row->version, "%s%s%s%s", weft_version,
                   weft_version_git[0] == '\0' ? "" : " (", weft_version_git,
                   weft_version_git[0] == '\0' ? "" : ")");
    memcpy(row->values, point->values, sizeof row->values);
}

void sweep_row_take(struct sweep_row *row, const struct sweep_result *result) {
    double macs = (double)result->macs + (double)result->host_macs;
    row->seconds = result->seconds;
    if (result->code != WEFT_OK) {
        (void)snprintf(row->error_code, sizeof row->error_code, "%s",
                       weft_error_name(result->code));
        (void)snprintf(row->error, sizeof row->error, "%s", result->message);
        return;
    }
    row->cycles = result->cycles;
    row->segments = result->segments;
    row->macs = result->macs;
    row->host_macs = result->host_macs;
    row->elements = result->elements;
    row->host_elements = result->host_elements;
    row->host_operators = result->host_operators;
    row->read_bytes = result->read_bytes;
    row->written_bytes = result->written_bytes;
    row->matrix_act_bytes = result->matrix.act_bytes;
    row->matrix_wgt_bytes = result->matrix.wgt_bytes;
    row->matrix_acc_bytes = result->matrix.acc_bytes;
    row->host_share = macs > 0 ? (double)result->host_macs / macs : 0;
    memcpy(row->counters, result->counters, sizeof row->counters);
}

/* The configuration of a row with figures; false: it has none, or a file made it up. */
static bool config_of(const struct sweep_row *row, struct weft_config *config) {
    const struct weft_config unnamed = {.name = ""};
    struct sweep_point point;
    struct weft_error error;
    sweep_row_point(row, &point);
    sweep_point_config(&point, &unnamed, config);
    return row->error_code[0] == '\0' && weft_config_check(config, &error);
}

bool sweep_row_has_clock(const struct sweep_row *row) {
    return row->values[SWEEP_AXIS_clock] != 0;
}

double sweep_row_clock(const struct sweep_row *row, double given) {
    return sweep_row_has_clock(row) ? row->values[SWEEP_AXIS_clock] : given;
}

uint32_t sweep_row_value(const struct sweep_row *row, unsigned axis) {
    return axis == SWEEP_AXIS_clock && row->values[axis] == 0 ? SWEEP_CLOCK_OF_DRAM
                                                              : row->values[axis];
}

void sweep_row_name_energy(struct sweep_row *row, const struct weft_technology *technology,
                           double given_clock) {
    double clock = sweep_row_clock(row, given_clock);
    char with_leakage[40] = "";
    if (clock > 0) {
        (void)snprintf(with_leakage, sizeof with_leakage, AT_CLOCK "%.10g MHz", clock);
    }
    (void)snprintf(row->technology, sizeof row->technology, "%s%s", technology->label,
                   with_leakage);
}

void sweep_row_energy(struct sweep_row *row, const struct weft_technology *technology,
                      double given_clock) {
    struct weft_config config;
    double clock = sweep_row_clock(row, given_clock);
    const struct weft_activity activity = {
        .macs = row->macs,
        .matrix = {row->matrix_act_bytes, row->matrix_wgt_bytes, row->matrix_acc_bytes},
        .counters = row->counters};
    if (config_of(row, &config)) {
        row->energy = weft_energy_of(technology, &config, &activity, clock).total;
        sweep_row_name_energy(row, technology, given_clock);
    }
}

/* Of a row with an energy: how long the name of its technology is, before the clock. */
static size_t technology_length(const struct sweep_row *row) {
    size_t length = strlen(row->technology);
    for (const char *at = strstr(row->technology, AT_CLOCK); at != NULL;
         at = strstr(at + 1, AT_CLOCK)) {
        length = (size_t)(at - row->technology); /* the last: names are what files say */
    }
    return length;
}

static bool energies_compare(const struct sweep_row *a, const struct sweep_row *b) {
    size_t length = technology_length(a);
    bool has_leakage = a->technology[length] != '\0';
    bool any_own = sweep_row_has_clock(a) || sweep_row_has_clock(b);
    return strcmp(a->technology, b->technology) == 0 ||
           (any_own && technology_length(b) == length &&
            has_leakage == (b->technology[length] != '\0') &&
            memcmp(a->technology, b->technology, length) == 0);
}

size_t sweep_find_other_energy(const struct sweep_row *rows, size_t count, size_t *other) {
    const struct sweep_row *first = NULL;
    const struct sweep_row *given = NULL; /* the first one without a clock of its own */
    for (size_t i = 0; i < count; i++) {
        const struct sweep_row *row = &rows[i];
        if (row->technology[0] == '\0') {
            continue;
        }
        first = first == NULL ? row : first;
        given = given == NULL && !sweep_row_has_clock(row) ? row : given;
        const struct sweep_row *before = energies_compare(first, row) ? given : first;
        if (before != NULL && !energies_compare(before, row)) {
            *other = (size_t)(before - rows);
            return i;
        }
    }
    return count;
}

void sweep_row_name_area(struct sweep_row *row, const struct weft_area_model *model) {
    (void)snprintf(row->area_unit, sizeof row->area_unit, "%s of %s", model->unit, model->label);
}

void sweep_row_area(struct sweep_row *row, const struct weft_area_model *model) {
    struct weft_config config;
    if (config_of(row, &config)) {
        row->area = weft_area_of(model, &config).total;
        sweep_row_name_area(row, model);
    }
}

void sweep_row_point(const struct sweep_row *row, struct sweep_point *point) {
    *point = (struct sweep_point){0};
    memcpy(point->values, row->values, sizeof point->values);
}

uint32_t sweep_row_inferences(const struct sweep_row *row) {
    uint32_t frames = row->values[SWEEP_AXIS_frames];
    uint32_t batch = row->values[SWEEP_AXIS_batch];
    return frames > 1 ? frames : batch > 1 ? batch : 1;
}

double sweep_row_cycles(const struct sweep_row *row) {
    return (double)row->cycles / sweep_row_inferences(row);
}

double sweep_row_microjoules(const struct sweep_row *row) {
    return row->energy / sweep_row_inferences(row);
}

double sweep_row_moved(const struct sweep_row *row) {
    return ((double)row->read_bytes + (double)row->written_bytes) / sweep_row_inferences(row);
}

double sweep_row_host_macs(const struct sweep_row *row) {
    return (double)row->host_macs / sweep_row_inferences(row);
}

double sweep_row_host_elements(const struct sweep_row *row) {
    return (double)row->host_elements / sweep_row_inferences(row);
}

double sweep_row_milliseconds(const struct sweep_row *row, double given_clock) {
    double clock = sweep_row_clock(row, given_clock);
    return clock > 0 ? sweep_row_cycles(row) / (1000 * clock) : (double)NAN;
}

double sweep_row_utilisation(const struct sweep_row *row) {
    double block = row->values[sweep_axis_find("block", 5)];
    double most = block * block * (double)row->cycles;
    return most > 0 ? (double)row->macs / most : 0;
}

int sweep_row_order(const void *a, const void *b) {
    const struct sweep_row *x = a;
    const struct sweep_row *y = b;
    int order = strcmp(x->model, y->model);
    for (unsigned axis = 0; order == 0 && axis < SWEEP_AXES; axis++) {
        order = (x->values[axis] > y->values[axis]) - (x->values[axis] < y->values[axis]);
    }
    order = order != 0 ? order : strcmp(x->model_fingerprint, y->model_fingerprint);
    order = order != 0 ? order : strcmp(x->config_fingerprint, y->config_fingerprint);
    return order != 0 ? order : strcmp(x->version, y->version);
}
