/* A sweep as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/json_file.h"
#include "cli/sweep_data.h"

static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_json(uint64_t value) {
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

json_t *sweep_field_json(const struct sweep_row *row, const struct sweep_field *field) {
    const char *member = (const char *)row + field->offset;
    uint32_t value = 0;
    uint64_t whole = 0;
    double real = 0;
    if (field->is_figure && !sweep_row_is_good(row)) {
        return json_null();
    }
    switch (field->kind) {
    case SWEEP_TEXT:
        return member[0] == '\0' ? json_null() : text_json(member);
    case SWEEP_VALUE:
        memcpy(&value, member, sizeof value);
        return json_integer(value);
    case SWEEP_NUMBER:
        memcpy(&whole, member, sizeof whole);
        return count_json(whole);
    case SWEEP_REAL:
        memcpy(&real, member, sizeof real);
        return number(real);
    }
    return json_null();
}

static json_t *effects_json(const struct shown_sweep *sweep) {
    json_t *list = json_array();
    for (size_t i = 0; i < sweep->effect_count; i++) {
        const struct sweep_effect *effect = &sweep->effects[i];
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "axis",
                            sweep_axis_name(effect->axis), "from", (json_int_t)effect->from, "to",
                            (json_int_t)effect->to, "pairs", (json_int_t)effect->pairs, "cycles",
                            number(effect->cycles), "energy", number(effect->energy), "area",
                            number(effect->area), "fitted", number(effect->fitted)));
    }
    return list;
}

static json_t *row_json(const struct shown_sweep *sweep, size_t index) {
    const struct sweep_field *fields = sweep_fields();
    const struct sweep_row *row = &sweep->rows[index];
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer(row->id));
    for (size_t i = 0; i < SWEEP_FIELDS; i++) {
        json_object_set_new(object, fields[i].name, sweep_field_json(row, &fields[i]));
    }
    json_object_set_new(object, "front", json_boolean(sweep->is_front[index]));
    if (sweep_row_clock(row, sweep->clock) > 0 && sweep_row_is_good(row)) {
        json_object_set_new(object, "milliseconds",
                            number(sweep_row_milliseconds(row, sweep->clock)));
    }
    return object;
}

json_t *sweep_json(const struct shown_sweep *sweep) {
    json_t *rows = json_array();
    for (size_t i = 0; i < sweep->count; i++) {
        json_array_append_new(rows, row_json(sweep, i));
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "version", weft_version, "clock_mhz",
                     sweep->clock > 0 ? json_real(sweep->clock) : json_null(), "rows", rows,
                     "effects", effects_json(sweep));
}

/* ---- the page ---- */

/* Figures of a row, in the order that the page's script reads (cli/sweep_page/data.js). */
static json_t *page_row(const struct shown_sweep *sweep, size_t index) {
    const struct sweep_row *row = &sweep->rows[index];
    double clock = sweep_row_clock(row, sweep->clock);
    json_t *list = json_array();
    json_array_append_new(list, json_integer(row->id));
    json_array_append_new(list, json_integer((json_int_t)sweep->names.of_row[index]));
    json_array_append_new(list, text_json(row->config));
    json_array_append_new(list, json_boolean(sweep->is_front[index]));
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        if ((sweep->varying >> axis & 1) != 0) {
            json_array_append_new(list, json_integer(row->values[axis]));
        }
    }
    if (!sweep_row_is_good(row)) {
        json_array_append_new(list, text_json(row->error));
        return list;
    }
    json_array_append_new(list, json_null());
    json_array_append_new(list, count_json(row->cycles));
    json_array_append_new(list, number(row->energy));
    json_array_append_new(list, number(row->area));
    json_array_append_new(list, number(sweep_row_memory(row)));
    json_array_append_new(list, number(row->host_share));
    json_array_append_new(list, number(sweep_row_utilisation(row)));
    json_array_append_new(list, count_json(row->macs));
    json_array_append_new(list, count_json(row->host_operators));
    json_array_append_new(list, count_json(row->host_macs));
    json_array_append_new(list, count_json(row->host_elements));
    json_array_append_new(list, json_integer(sweep_row_inferences(row)));
    json_array_append_new(list, clock > 0 ? json_real(clock) : json_null());
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_array_append_new(list, count_json(row->counters[i]));
    }
    return list;
}

static json_t *axes_json(const struct shown_sweep *sweep, bool varying) {
    json_t *names = varying ? json_array() : json_object();
    for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
        bool varies = (sweep->varying >> axis & 1) != 0;
        if (varies && varying) {
            json_array_append_new(names, json_string(sweep_axis_name(axis)));
        } else if (!varies && !varying && sweep->count > 0) {
            json_object_set_new(names, sweep_axis_name(axis),
                                json_integer(sweep->rows[0].values[axis]));
        }
    }
    return names;
}

static json_t *models_json(const struct shown_sweep *sweep) {
    json_t *names = json_array();
    for (size_t i = 0; i < sweep->names.count; i++) {
        json_array_append_new(names, text_json(sweep->names.list[i]));
    }
    return names;
}

static json_t *counters_json(void) {
    json_t *names = json_array();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_array_append_new(names, json_string(weft_counter_names[i]));
    }
    return names;
}

/* The technology of all energies: they were checked, and differ in clocks of rows alone. */
static json_t *technology_json(const struct shown_sweep *sweep) {
    const char *first = "";
    bool is_one = true;
    char text[160];
    for (size_t i = 0; i < sweep->count; i++) {
        const char *technology = sweep->rows[i].technology;
        first = first[0] == '\0' ? technology : first;
        is_one = is_one && (technology[0] == '\0' || strcmp(technology, first) == 0);
    }
    (void)snprintf(text, sizeof text, "%s%s", first, is_one ? "" : " and other clocks");
    return text_json(text);
}

/* That of the first row that has one: refused rows have none. */
const char *sweep_area_unit(const struct shown_sweep *sweep) {
    size_t i = 0;
    while (i < sweep->count && sweep->rows[i].area_unit[0] == '\0') {
        i++;
    }
    return i < sweep->count ? sweep->rows[i].area_unit : "";
}

json_t *sweep_page_json(const struct shown_sweep *sweep) {
    json_t *rows = json_array();
    for (size_t i = 0; i < sweep->count; i++) {
        json_array_append_new(rows, page_row(sweep, i));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", weft_version,
                     "file", text_json(sweep->path), "models", models_json(sweep), "technology",
                     technology_json(sweep), "area_unit", text_json(sweep_area_unit(sweep)), "axes",
                     axes_json(sweep, true), "fixed", axes_json(sweep, false), "counters",
                     counters_json(), "effects", effects_json(sweep), "rows", rows);
}
