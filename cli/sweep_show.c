/* weft sweep show */
#include "cli/constants.h"
#include "cli/sweep_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/command_line.h"
#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/page_file.h"
#include "cli/same_file.h"
#include "cli/streams.h"
#include "cli/technology.h"
#include "sweep/fit.h"
#include "sweep/store.h"

enum {
    FIRST_ROWS = 40,  /* beside the front */
    LEAST_MODEL = 24, /* columns of names of models */
};

/* ---- the table ---- */

/* Names are shown whole, since their ends tell them apart. */
static int model_width(const struct shown_sweep *sweep) {
    size_t width = LEAST_MODEL;
    for (size_t i = 0; i < sweep->names.count; i++) {
        size_t length = strlen(sweep->names.list[i]);
        width = length > width ? length : width;
    }
    return (int)width;
}

/* As wide as the name of a column, and the numbers in it. */
static int width_of(const char *name) {
    size_t length = strlen(name);
    return length < 9 ? 9 : (int)length;
}

/* A figure of nine columns and a space before it; "-": it is unknown. */
static void print_known(double figure) {
    if (isnan(figure)) {
        printf(" %9s", "-");
    } else {
        printf(" %9.4g", figure);
    }
}

static void print_head(const struct shown_sweep *sweep) {
    printf("%7s   %-*s", "row", model_width(sweep), "model");
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        if ((sweep->varying >> axis & 1) != 0) {
            printf(" %*s", width_of(sweep_axis_name(axis)), sweep_axis_name(axis));
        }
    }
    printf(" %12s%s %7s %9s %8s %13s%s%s\n", "cycles", sweep->has_time ? "        ms" : "",
           "of peak", "MB moved", "host MAC", "host elements",
           sweep->has_energy ? "        uJ" : "",
           sweep_area_unit(sweep)[0] != '\0' ? "      area" : "");
}

static void print_figures(const struct shown_sweep *sweep, const struct sweep_row *row) {
    printf(" %12.*f", row->cycles % sweep_row_inferences(row) == 0 ? 0 : 1, sweep_row_cycles(row));
    if (sweep->has_time) {
        print_known(sweep_row_milliseconds(row, sweep->clock));
    }
    printf(" %5.1f %% %9.3f %6.1f %% %13.0f", 100 * sweep_row_utilisation(row),
           sweep_row_moved(row) / 1e6, 100 * row->host_share, sweep_row_host_elements(row));
    if (sweep->has_energy) {
        print_known(sweep_row_microjoules(row));
    }
    if (!isnan(row->area)) {
        printf(" %9.0f", row->area);
    }
}

static void print_row(const struct shown_sweep *sweep, size_t index) {
    const struct sweep_row *row = &sweep->rows[index];
    printf("%7" PRId64 " %s %-*s", row->id, sweep->is_front[index] ? "*" : " ", model_width(sweep),
           sweep->names.list[sweep->names.of_row[index]]);
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        if ((sweep->varying >> axis & 1) != 0) {
            printf(" %*" PRIu32, width_of(sweep_axis_name(axis)), row->values[axis]);
        }
    }
    if (sweep_row_is_good(row)) {
        print_figures(sweep, row);
    } else {
        printf("  %s: %s", row->error_code, row->error);
    }
    printf("\n");
}

static void print_percent(double ratio) {
    if (!isfinite(ratio)) {
        printf(" %9s", "-");
    } else {
        double percent = 100 * (ratio - 1);
        printf(" %+7.1f %%", fabs(percent) < 0.05 ? 0 : percent); /* no -0.0 */
    }
}

static void print_effects(const struct shown_sweep *sweep) {
    if (sweep->effect_count == 0) {
        printf("\nNothing varies: what each parameter buys is not known.\n");
        return;
    }
    printf("\nWhat each parameter buys: mean over pairs of points that differ in it alone; fitted: "
           "cycles "
           "by a fit to all points\n"
           "%-22s %10s %10s %9s %6s %9s %9s %9s\n",
           "parameter", "from", "to", "fitted", "pairs", "cycles", "energy", "area");
    for (size_t i = 0; i < sweep->effect_count; i++) {
        const struct sweep_effect *effect = &sweep->effects[i];
        printf("%-22s %10" PRIu32 " %10" PRIu32, sweep_axis_name(effect->axis), effect->from,
               effect->to);
        print_percent(effect->fitted);
        printf(" %6zu", effect->pairs);
        print_percent(effect->cycles);
        print_percent(effect->energy);
        print_percent(effect->area);
        printf("\n");
    }
}

static void print_table(const struct shown_sweep *sweep, bool all) {
    size_t front = 0;
    size_t refused = 0;
    size_t others = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        front += sweep->is_front[i];
        refused += !sweep_row_is_good(&sweep->rows[i]);
    }
    printf("%s: %zu points, %zu refused; * are the %zu that no other point of the model beats\n",
           sweep->path, sweep->count, refused, front);
    if (sweep_area_unit(sweep)[0] != '\0') {
        printf("area: %s\n", sweep_area_unit(sweep));
    }
    print_head(sweep);
    for (size_t i = 0; i < sweep->count; i++) {
        bool is_shown = all || sweep->is_front[i] || others < FIRST_ROWS;
        others += !sweep->is_front[i];
        if (is_shown) {
            print_row(sweep, i);
        }
    }
    if (!all && others > FIRST_ROWS) {
        printf("and %zu more: --all prints them\n", others - FIRST_ROWS);
    }
    print_effects(sweep);
}

/* ---- CSV ---- */

/* In quotes where it needs them (RFC 4180). */
static void write_text(FILE *file, const char *text) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (const char *at = text; *at != '\0'; at++) {
        fputs(*at == '"' ? "\"\"" : (char[2]){*at, '\0'}, file);
    }
    fputc('"', file);
}

static void write_field(FILE *file, const struct sweep_row *row, const struct sweep_field *field) {
    const char *member = (const char *)row + field->offset;
    uint32_t value = 0;
    uint64_t whole = 0;
    double real = 0;
    if (field->is_figure && !sweep_row_is_good(row)) {
        return;
    }
    switch (field->kind) {
    case SWEEP_TEXT:
        write_text(file, member);
        break;
    case SWEEP_VALUE:
        memcpy(&value, member, sizeof value);
        fprintf(file, "%" PRIu32, value);
        break;
    case SWEEP_NUMBER:
        memcpy(&whole, member, sizeof whole);
        fprintf(file, "%" PRIu64, whole);
        break;
    case SWEEP_REAL:
        memcpy(&real, member, sizeof real);
        if (!isnan(real)) {
            fprintf(file, "%.9g", real);
        }
        break;
    }
}

static bool write_csv(void *context, FILE *file, struct weft_error *error) {
    const struct shown_sweep *sweep = context;
    const struct sweep_field *fields = sweep_fields();
    (void)error;
    fprintf(file, "id,front");
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        fprintf(file, ",%s", fields[i].name);
    }
    for (size_t k = 0; k < sweep->count; k++) {
        fprintf(file, "\n%" PRId64 ",%d", sweep->rows[k].id, (int)sweep->is_front[k]);
        for (size_t i = 0; i < SWEEP_FIELDS; i++) {
            fputc(',', file);
            write_field(file, &sweep->rows[k], &fields[i]);
        }
    }
    fputc('\n', file);
    return true;
}

/* ---- the page ---- */

static bool stage_html(struct weft_file_batch *batch, const char *path,
                       const struct shown_sweep *sweep, struct weft_error *error) {
    json_begin_within(sweep->memory_limit);
    return page_stage(batch, path, &sweep_page, sweep_page_json(sweep), error);
}

/* ---- one point ---- */

static void print_point(const struct sweep_row *row) {
    const struct sweep_field *fields = sweep_fields();
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        printf("%-28s ", fields[i].name);
        write_field(stdout, row, &fields[i]);
        printf("\n");
    }
}

/* Compiles the model of a row again. */
static bool compile_row(const struct sweep_row *row, uint64_t memory_limit,
                        struct sweep_definition *definition, struct sweep_models *models,
                        struct weft_module **module, struct weft_error *error) {
    struct sweep_point point;
    char fingerprint[17];
    bool is_builtin = weft_config_builtin(row->config) != NULL;
    sweep_row_point(row, &point);
    if (!sweep_add_model(definition, row->model, error) ||
        (is_builtin && !sweep_add_config(definition, row->config, error)) ||
        !sweep_definition_check(definition, error) ||
        !sweep_models_read(definition, memory_limit, constant_read, models, error)) {
        return false;
    }
    if (models->list[0].bytes == NULL) {
        *error = models->list[0].error;
        return false;
    }
    (void)snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, models->list[0].fingerprint);
    return (strcmp(fingerprint, row->model_fingerprint) == 0 ||
            weft_fail(error, WEFT_SWEEP, 0, "it is another model than the sweep ran")) &&
           sweep_compile(models, &point, module, error);
}

/* Prints its own errors. */
static int report_row(const struct shown_sweep *sweep, const struct sweep_row *row,
                      const char *path) {
    struct weft_error error;
    struct weft_session_options options = weft_session_defaults();
    struct sweep_models models = {0};
    struct weft_module *module = NULL;
    struct sweep_definition *definition = weft_allocate(1, sizeof *definition, "a sweep", &error);
    if (definition == NULL) {
        return report(path, &error);
    }
    options.memory.latency = row->values[SWEEP_AXIS_latency];
    options.memory.interval =
        row->values[SWEEP_AXIS_interval] == 1 ? 0 : row->values[SWEEP_AXIS_interval];
    if (row->values[SWEEP_AXIS_dram] != WEFT_DRAM_NONE) {
        options.memory.dram = (enum weft_dram)row->values[SWEEP_AXIS_dram];
        options.memory.clock = 1000 * row->values[SWEEP_AXIS_clock];
    }
    struct origin origin = origin_of_command(&options);
    origin.clock = sweep_row_clock(row, sweep->clock);
    origin.technology = sweep->technology;
    origin.area = sweep->area;
    int status = STATUS_GOOD;
    if (!compile_row(row, sweep->memory_limit, definition, &models, &module, &error)) {
        status = report(row->model, &error);
    } else if (!report_module(module, &options, &origin, sweep->memory_limit, path, &error)) {
        status = report(path, &error);
    }
    if (module != NULL) {
        weft_module_free(module);
    }
    sweep_models_free(&models);
    sweep_definition_free(definition);
    free(definition);
    return status;
}

static int show_point(const struct given *given, const struct shown_sweep *sweep) {
    const char *text = given_value(given, OPTION_POINT);
    const char *path = given_value(given, OPTION_POINT_REPORT);
    uint64_t id = 0;
    const struct sweep_row *row = NULL;
    if (!read_number(text, INT64_MAX, &id)) {
        return usage_error(given->command->name, "--point '%.40s': expected the number of a row",
                           text);
    }
    for (size_t i = 0; i < sweep->count; i++) {
        row = sweep->rows[i].id == (int64_t)id ? &sweep->rows[i] : row;
    }
    if (row == NULL) {
        return usage_error(given->command->name, "there is no row %" PRIu64, id);
    }
    if (path != NULL && is_same_file(path, row->model)) {
        return usage_error(given->command->name, "--report %.150s is also the row's model", path);
    }
    if (path != NULL) {
        return report_row(sweep, row, path);
    }
    print_point(row);
    return STATUS_GOOD;
}

/* ---- the command ---- */

static bool read_sweep(struct shown_sweep *sweep, struct weft_error *error) {
    struct sweep_store *store = NULL;
    if (!sweep_store_open(sweep->path, false, &store, error)) {
        return false;
    }
    bool good = sweep_store_rows(store, &sweep->rows, &sweep->count, error);
    sweep_store_close(store);
    if (!good) {
        return false;
    }
    for (size_t i = 0; sweep->technology != NULL && i < sweep->count; i++) {
        sweep_row_energy(&sweep->rows[i], sweep->technology, sweep->clock);
    }
    for (size_t i = 0; sweep->area != NULL && i < sweep->count; i++) {
        sweep_row_area(&sweep->rows[i], sweep->area);
    }
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_row *row = &sweep->rows[i];
        sweep->has_time = sweep->has_time || sweep_row_clock(row, sweep->clock) > 0;
        sweep->has_energy = sweep->has_energy || !isnan(row->energy);
    }
    if (!sweep_check_areas(sweep->rows, sweep->count, error) ||
        !sweep_check_energies(sweep->rows, sweep->count, error)) {
        return false;
    }
    sweep->varying = sweep_varying_axes(sweep->rows, sweep->count);
    sweep->is_front = weft_allocate(sweep->count, sizeof *sweep->is_front, "rows", error);
    sweep->effects = weft_allocate(SWEEP_MOST_EFFECTS, sizeof *sweep->effects, "effects", error);
    return sweep->is_front != NULL && sweep->effects != NULL &&
           sweep_names_find(&sweep->names, sweep->rows, sweep->count, error) &&
           sweep_find_front(sweep->rows, sweep->count, sweep->is_front, error) &&
           sweep_find_effects(sweep->rows, sweep->count, sweep->effects, &sweep->effect_count,
                              error) &&
           sweep_fit_steps(sweep->rows, sweep->count, sweep->effects, sweep->effect_count, error);
}

/* All files, or none; *path is the one that is in the way. */
static bool write_files(const struct given *given, struct shown_sweep *sweep, const char **path,
                        struct weft_error *error) {
    const char *csv = given_value(given, OPTION_CSV);
    const char *json = given_value(given, OPTION_JSON);
    const char *html = given_value(given, OPTION_SWEEP_HTML);
    struct weft_file_batch batch = {0};
    *path = csv;
    bool good = csv == NULL || stream_stage_content(&batch, csv, write_csv, sweep, error);
    if (good && json != NULL) {
        *path = json;
        json_begin_within(sweep->memory_limit);
        good = stage_json_file(&batch, json, sweep_json(sweep), error);
    }
    if (good && html != NULL) {
        *path = html;
        good = stage_html(&batch, html, sweep, error);
    }
    if (!good) {
        weft_file_discard(&batch);
    }
    return good && weft_file_commit(&batch, path, error);
}

static int show_all(const struct given *given, struct shown_sweep *sweep) {
    struct weft_error error;
    const char *path = NULL;
    if (!write_files(given, sweep, &path, &error)) {
        return report(path, &error);
    }
    if (given_value(given, OPTION_CSV) == NULL && given_value(given, OPTION_JSON) == NULL &&
        given_value(given, OPTION_SWEEP_HTML) == NULL) {
        print_table(sweep, given_count(given, OPTION_ALL) > 0);
    }
    return STATUS_GOOD;
}

int command_sweep_show(const struct given *given) {
    struct shown_sweep sweep = {.path = given->operand};
    struct weft_error error;
    const struct machine_options machine = machine_options_of(given);
    struct weft_technology technology;
    bool has_technology = false;
    const struct weft_area_model *area = NULL;
    int status = STATUS_ERROR;
    if (given_value(given, OPTION_POINT_REPORT) != NULL &&
        given_value(given, OPTION_POINT) == NULL) {
        return usage_error(given->command->name, "--report is for --point N");
    }
    if (given_value(given, OPTION_POINT) != NULL &&
        (given_value(given, OPTION_CSV) != NULL || given_value(given, OPTION_JSON) != NULL ||
         given_value(given, OPTION_SWEEP_HTML) != NULL || given_count(given, OPTION_ALL) > 0)) {
        return usage_error(given->command->name,
                           "--csv, --json, --html and --all are of all rows, not of --point N");
    }
    if (!machine_clock(&machine, &sweep.clock, &error)) {
        return report("sweep-show", &error);
    }
    if (!technology_read(given, &technology, &has_technology) || !area_read(given, NULL, &area) ||
        !read_memory_limit(given->command->name, given_value(given, OPTION_SHOW_MEMORY),
                           &sweep.memory_limit)) {
        return STATUS_ERROR;
    }
    sweep.technology = has_technology ? &technology : NULL;
    sweep.area = area;
    if (!read_sweep(&sweep, &error)) {
        status = report(given->operand, &error);
    } else {
        status = given_value(given, OPTION_POINT) != NULL ? show_point(given, &sweep)
                                                          : show_all(given, &sweep);
    }
    free(sweep.rows);
    free(sweep.is_front);
    sweep_names_free(&sweep.names);
    free(sweep.effects);
    return status;
}
