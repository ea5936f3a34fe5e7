/* weft explain: what was chosen for each layer, what else was tried, and why that lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/streams.h"
#include "compiler/schedule/saved.h"

/* ---- what was tried ---- */

/* By how much something lost or won. */
static void print_outcome(const struct saved_try *try) {
    if (try->cycles == 0) {
        printf("does not fit");
        return;
    }
    printf("%" PRId64, try->cycles);
    if (try->best > 0) {
        double more = 100.0 * ((double)try->cycles / (double)try->best - 1.0);
        printf(" (%+.1f %%)%s", more, try->won ? ", taken" : "");
    }
}

/* Schedules of the whole region, in the order in which they were finished. */
static void print_candidates(const struct saved_schedule *schedule) {
    int number = 0;
    for (size_t i = 0; i < schedule->try_count; i++) {
        const struct saved_try *try = &schedule->tries[i];
        if (try->layer < 0) {
            printf("    schedule %d, %s: ", ++number, try->what);
            print_outcome(try);
            printf("\n");
        }
    }
}

/* What was tried for the layer, a line for each schedule that was being improved: it begins with
 * the layer as it was. */
static void print_tries(const struct saved_schedule *schedule, int64_t layer) {
    bool any = false;
    for (size_t i = 0; i < schedule->try_count; i++) {
        const struct saved_try *try = &schedule->tries[i];
        if (try->layer == layer) {
            printf("%s%s ",
                   try->best > 0 ? "; "
                   : any         ? "\n        tried: "
                                 : "        tried: ",
                   try->what);
            print_outcome(try);
            any = true;
        }
    }
    printf(any ? "\n" : "");
}

/* ---- what was chosen ---- */

static void print_cut(const struct saved_layer *layer) {
    const struct cut *cut = &layer->cut;
    printf("        stripes: %" PRId64 " rows, %" PRId64 " images, %" PRId64 " groups, %" PRId64
           " buffers; tiles: %" PRId64 " x %" PRId64 " pixels, %" PRId64
           " blocks; weights in %" PRId64 " pieces or more%s%s%s%s%s\n",
           cut->stripe_rows, cut->stripe_images, cut->stripe_groups, cut->stripe_buffers,
           cut->tile_rows, cut->tile_columns, cut->tile_blocks, cut->weight_pieces,
           cut->weights_outer ? "; group after group" : "", cut->turned ? "; turned" : "",
           cut->apart ? "; products apart" : "", cut->linked ? "; with the next layer" : "",
           cut->beside == BESIDE_NEXT   ? "; between tiles of the next product"
           : cut->beside == BESIDE_LAST ? "; between tiles of the last product"
                                        : "");
    if (cut->early_blocks > 0) {
        printf("        the first tile of a stripe begins with %" PRId64
               " channel blocks of the operand\n",
               cut->early_blocks);
    }
    if (cut->put_off != 0) {
        printf("        steps %s by %" PRId64 " cycles\n", cut->put_off < 0 ? "sooner" : "later",
               cut->put_off < 0 ? -cut->put_off : cut->put_off);
    }
}

/* Tensors that a layer makes; -1: that come from outside. */
static void print_tensors(const struct saved_schedule *schedule, int64_t producer) {
    for (size_t t = 0; t < schedule->tensor_count; t++) {
        const struct saved_tensor *tensor = &schedule->tensors[t];
        if (tensor->producer == producer) {
            printf("        tensor %zu: %s%s%s\n", t,
                   tensor->keep.resident ? "all of it on chip" : "not on chip as a whole",
                   tensor->keep.packed ? ", packed" : "",
                   tensor->keep.stretch > 1 ? ", over more banks" : "");
        }
    }
}

static void print_division(const struct saved_division *saved) {
    const struct division *division = &saved->division;
    if (is_divided(division)) {
        printf("    divided: layer %" PRId64 " as listed, into %" PRId64 " x %" PRId64
               " parts of columns and channels%s\n",
               saved->layer, division->columns > 1 ? division->columns : 1,
               division->blocks > 1 ? division->blocks : 1, division->flat ? ", flat" : "");
    }
    if (division->multiplied != MULTIPLIED_DENSE) {
        printf("    depthwise multiplier: layer %" PRId64 " as listed, %s\n", saved->layer,
               division->multiplied == MULTIPLIED_REPEATED
                   ? "after its operand's channels are repeated"
                   : "a pass for each multiple");
    }
}

static void print_order(const struct saved_schedule *schedule) {
    for (size_t i = 0; i < schedule->run_count; i++) {
        const struct saved_run *run = &schedule->runs[i];
        printf(i == 0 ? "    layers as listed, in another order: " : ", ");
        printf("%" PRId64, run->first);
        if (run->last > run->first) {
            printf(" to %" PRId64, run->last);
        }
    }
    printf(schedule->run_count > 0 ? "\n" : "");
}

static void print_region(const struct saved_schedule *schedule, size_t number) {
    printf("region %zu: %" PRId64 " cycles; arithmetic behind products: %s; short last LOADs: %s; "
           "whole RAMs: %s; banks of WGT kept: %" PRId64 "%s%s; plain weights: %s\n",
           number, schedule->cycles, schedule->behind ? "yes" : "no",
           schedule->halve_loads ? "yes" : "no", schedule->whole_rams ? "yes" : "no",
           schedule->kept_banks,
           schedule->kept_banks > 0 && schedule->keep_longest ? ", by what takes longest to load"
                                                              : "",
           schedule->kept_banks > 0 && schedule->keep_in_group ? ", within a group of images" : "",
           schedule->plain_weights ? "yes" : "no");
    printf("    images in %" PRId64 " groups; layers abreast in %" PRId64
           " parts; as if memories had %" PRId64 ", %" PRId64 " and %" PRId64
           " bytes (ACT, WGT, PAR)\n",
           schedule->groups, schedule->parts, schedule->as_if.act_bytes, schedule->as_if.wgt_bytes,
           schedule->as_if.par_bytes);
    print_candidates(schedule);
    print_order(schedule);
    for (size_t i = 0; i < schedule->division_count; i++) {
        print_division(&schedule->divisions[i]);
    }
    printf("    from outside\n");
    print_tensors(schedule, -1);
    for (size_t i = 0; i < schedule->layer_count; i++) {
        const struct saved_layer *layer = &schedule->layers[i];
        printf("    layer %zu: %s %s\n", i, layer->name, layer->result);
        print_cut(layer);
        print_tensors(schedule, (int64_t)i);
        print_tries(schedule, (int64_t)i);
    }
}

/* ---- the command ---- */

static bool write_json(const struct weft_module *module, const char *path,
                       struct weft_error *error) {
    struct weft_text text = {0};
    bool good = weft_module_decisions(module, &text, error) &&
                stream_write(path, text.bytes, text.length, error);
    weft_text_free(&text);
    return good;
}

int command_explain(const struct given *given) {
    const char *json = given_value(given, OPTION_JSON);
    uint8_t *bytes = NULL;
    const struct weft_compile_options options = {.keep_tensors = false};
    struct weft_module *module = open_given(given, options, &bytes);
    if (module == NULL) {
        return STATUS_ERROR;
    }
    struct weft_error error;
    int status = STATUS_GOOD;
    printf("%s on %s\n", module->model_name, module->config.name);
    for (uint32_t i = 0; i < module->segment_count; i++) {
        print_region(module->segments[i].schedule, i);
    }
    if (json != NULL && !write_json(module, json, &error)) {
        status = report(json, &error);
    }
    weft_module_free(module);
    free(bytes);
    return status;
}
