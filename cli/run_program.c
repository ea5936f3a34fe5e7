#include "cli/run_program.h"

#include <inttypes.h>
#include <string.h>

#include "cli/json_file.h"
#include "cli/machine.h"
#include "cli/memories.h"
#include "cli/program.h"
#include "cli/remote_target.h"
#include "report/statistics.h"

/* What is shown of a run. */
struct shown {
    const struct program_run *run;
    const struct assembled *assembled;
    const struct weft_segment_run *did;
    const struct weft_error *rejection; /* NULL: proved */
    bool is_modelled;                   /* its cycles are those of docs/timing.md */
    bool is_counted;                    /* what happened, beside the cycles */
    struct weft_counters counters;
    struct weft_unit_cycles units[WEFT_UNITS];
    size_t instructions[WEFT_UNITS]; /* of the program */
    char name[128];
};

static bool shown_of(const struct program_run *run, const struct assembled *assembled,
                     const struct weft_bare *bare, struct shown *shown, struct weft_error *error) {
    *shown = (struct shown){.run = run,
                            .assembled = assembled,
                            .did = weft_bare_result(bare),
                            .rejection = weft_bare_rejection(bare),
                            .is_modelled = weft_bare_is_modelled(bare)};
    const struct weft_program *program = &assembled->program;
    if (!weft_bare_counters(bare, &shown->counters, &shown->is_counted, error)) {
        return false;
    }
    assembled_name(assembled, shown->name, sizeof shown->name);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        shown->units[unit] = weft_counted_unit_cycles(&shown->counters, (enum weft_unit)unit);
    }
    for (size_t i = 0; i < program->count; i++) {
        enum weft_unit unit = weft_format_of(program->instructions[i].opcode)->unit;
        if (unit < WEFT_UNITS) {
            shown->instructions[unit]++;
        }
    }
    return true;
}

/* ---- text ---- */

static void add_unit(const struct shown *shown, unsigned unit, struct weft_text *text) {
    const struct weft_unit_cycles *cycles = &shown->units[unit];
    weft_text_add(text, "%-7s %12zu %10" PRIu64 " %8.1f %%", weft_unit_names[unit],
                  shown->instructions[unit], cycles->busy,
                  100.0 * (double)cycles->busy / (double)shown->did->result.counters.cycles);
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if (producer == unit) {
            weft_text_add(text, " %11s", "-");
        } else {
            weft_text_add(text, " %11" PRIu64, cycles->wait[producer]);
        }
    }
    weft_text_add(text, " %10" PRIu64 "\n", cycles->empty);
}

static void add_units(const struct shown *shown, struct weft_text *text) {
    const struct weft_counters *counters = &shown->counters;
    weft_text_add(text, "%-7s %12s %10s %10s", "unit", "instructions", "busy", "of cycles");
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        char heading[32];
        (void)snprintf(heading, sizeof heading, "for %s", weft_unit_names[unit]);
        weft_text_add(text, " %11s", heading);
    }
    weft_text_add(text, " %10s\n", "empty");
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        add_unit(shown, unit, text);
    }
    weft_text_add(text,
                  "external memory: %" PRIu64 " bytes fetched, %" PRIu64 " loaded, %" PRIu64
                  " stored\n",
                  counters->fetch_bytes, counters->load_bytes, counters->store_bytes);
}

static void add_proof(const struct shown *shown, struct weft_text *text) {
    uint64_t cycles = shown->did->result.counters.cycles;
    uint64_t bound = shown->did->bound;
    if (shown->rejection != NULL) {
        weft_text_add(text, "not proved: %s\n", shown->rejection->message);
    } else if (cycles == 0 || !shown->is_modelled) {
        weft_text_add(text, "proved: it never faults, races or deadlocks\n");
    } else {
        weft_text_add(text,
                      "proved: it never faults, races or deadlocks, and takes at most %" PRIu64
                      " cycles, of which it took %.1f %%\n",
                      bound, 100.0 * (double)cycles / (double)bound);
    }
}

static void add_summary(const struct shown *shown, struct weft_text *text) {
    const struct weft_run_result *result = &shown->did->result;
    const struct weft_counters *counters = &shown->counters;
    double clock = shown->run->origin->clock;
    weft_text_add(text, "%s on %s, target %s: %s", shown->name, shown->assembled->config.name,
                  shown->run->target, result->fault == WEFT_FAULT_NONE ? "done" : "fault");
    if (counters->cycles > 0) {
        weft_text_add(text, ", %" PRIu64 " cycles", counters->cycles);
    }
    if (counters->cycles > 0 && !shown->is_counted) {
        weft_text_add(text, "; the machine has no performance counters\n");
    } else {
        weft_text_add(text, ", %" PRIu64 " of %zu instructions dispatched\n",
                      counters->instructions, shown->assembled->program.count);
    }
    if (counters->cycles > 0 && shown->is_counted) {
        add_units(shown, text);
    }
    if (result->fault == WEFT_FAULT_NONE) {
        add_proof(shown, text);
    }
    if (counters->cycles > 0 && clock > 0) {
        weft_text_add(text, "at %g MHz: %.4g ms\n", clock, (double)counters->cycles / clock / 1e3);
    }
}

/* ---- JSON ---- */

static json_t *units_json(const struct shown *shown) {
    json_t *units = json_object();
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        json_t *json = unit_cycles_json((enum weft_unit)unit, &shown->units[unit]);
        json_object_set_new(json, "instructions",
                            json_integer((json_int_t)shown->instructions[unit]));
        json_object_set_new(units, weft_unit_names[unit], json);
    }
    return units;
}

static json_t *counters_json(const struct weft_counters *counters) {
    json_t *json = json_object();
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        json_object_set_new(json, weft_counter_names[i],
                            json_integer((json_int_t)weft_counter_get(counters, i)));
    }
    return json;
}

static json_t *regions_json(const struct weft_bare_setup *setup) {
    const struct weft_regions regions = weft_bare_regions(setup);
    json_t *list = json_array();
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (regions.limit[i] > 0) {
            json_array_append_new(list,
                                  json_pack("{s:s, s:i, s:I, s:b}", "name", weft_region_names[i],
                                            "number", (int)i, "bytes", (json_int_t)regions.limit[i],
                                            "writable", (int)weft_region_is_writable(&regions, i)));
        }
    }
    return list;
}

/* `module` stands for the program. */
static json_t *run_json(const struct shown *shown, const struct weft_module *module,
                        const struct weft_bare *bare) {
    const struct weft_counters *counters = &shown->counters;
    uint64_t read = counters->fetch_bytes + counters->load_bytes;
    double clock = shown->run->origin->clock;
    double seconds = shown->did->seconds;
    json_begin(module, weft_bare_memory(bare));
    json_t *root = json_object();
    add_origin_json(root, module, shown->run->origin);
    json_t *figures = json_pack(
        "{s:s, s:I, s:I, s:b, s:I, s:I, s:f, s:f, s:o, s:o, s:o}", "target", shown->run->target,
        "cycles", (json_int_t)counters->cycles, "bound_cycles", (json_int_t)shown->did->bound,
        "proved", (int)(shown->rejection == NULL), "bytes_read", (json_int_t)read, "bytes_written",
        (json_int_t)counters->store_bytes, "wall_seconds", seconds, "simulated_cycles_per_second",
        seconds > 0 ? (double)counters->cycles / seconds : 0.0, "counters",
        counters_json(&shown->did->result.counters), "units", units_json(shown), "regions",
        regions_json(&shown->assembled->setup));
    if (clock > 0) {
        json_object_set_new(root, "clock_mhz", json_real(clock));
        json_object_set_new(root, "milliseconds",
                            json_real((double)counters->cycles / clock / 1e3));
    }
    json_object_update(root, figures);
    json_note(figures);
    json_decref(figures);
    return root;
}

static bool stage_json(const struct shown *shown, const struct weft_bare *bare,
                       struct weft_file_batch *batch) {
    struct weft_error error;
    struct weft_module *module = NULL;
    const char *json = shown->run->json;
    if (json == NULL) {
        return true;
    }
    bool good = weft_bare_module(&shown->assembled->setup, shown->name, &module, &error) &&
                stage_json_file(batch, json, run_json(shown, module, bare), &error);
    weft_module_free(module);
    return good || report(json, &error) == STATUS_GOOD;
}

/* ---- the run ---- */

static int write_files(const struct shown *shown, struct weft_bare *bare) {
    struct weft_error error;
    struct weft_file_batch batch = {0};
    const char *wrong = NULL;
    int status = STATUS_ERROR;
    if (dumps_stage(shown->run->given, &shown->assembled->setup, bare, &batch) &&
        stage_json(shown, bare, &batch)) {
        status = weft_file_commit(&batch, &wrong, &error) ? STATUS_GOOD : report(wrong, &error);
    }
    weft_file_discard(&batch);
    return status;
}

/* Prints what the run did, and of one without fault writes the files. */
static int show_run(const struct program_run *run, const struct assembled *assembled,
                    struct weft_bare *bare, bool good) {
    struct weft_error error;
    struct weft_text text = {0}; /* made before files are there, since it may fail */
    struct shown shown;
    if (!shown_of(run, assembled, bare, &shown, &error)) {
        return assembled_report(assembled, &error);
    }
    add_summary(&shown, &text);
    int status = !weft_text_finish(&text, &error) ? assembled_report(assembled, &error)
                 : good                           ? write_files(&shown, bare)
                                                  : STATUS_GOOD;
    if (status == STATUS_GOOD) {
        fputs(text.bytes, stdout);
    }
    weft_text_free(&text);
    return status;
}

static int run_opened(const struct program_run *run, const struct assembled *assembled,
                      struct weft_bare *bare) {
    struct weft_error error;
    bool good = weft_bare_run(bare, &error);
    machine_end_progress();
    bool is_fault = !good && error.code == WEFT_FAULT && weft_bare_result(bare) != NULL;
    int status = good || is_fault ? show_run(run, assembled, bare, good) : STATUS_GOOD;
    return good || status != STATUS_GOOD ? status : assembled_report(assembled, &error);
}

int run_assembled_program(const struct program_run *run) {
    struct weft_error error;
    struct assembled assembled;
    struct weft_bare *bare = NULL;
    bool dumps = given_count(run->given, OPTION_DUMP_MEMORY) > 0;
    if (dumps && run->options->timing_only) {
        return usage_error("run", "--timing-only neither reads nor computes data");
    }
    if (!assembled_read(run->given, run->open, run->operand, &assembled)) {
        return STATUS_ERROR;
    }
    int status = STATUS_ERROR;
    if (dumps_check(run->given, &assembled.setup)) {
        status = assembled_open(&assembled, target_name(run->target), run->options, &bare, &error)
                     ? run_opened(run, &assembled, bare)
                     : assembled_report(&assembled, &error);
    }
    weft_bare_close(bare);
    assembled_free(&assembled);
    return status;
}
