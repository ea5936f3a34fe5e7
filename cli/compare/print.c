#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/json_file.h"
#include "cli/name_text.h"

/* ---- the table ---- */

enum {
    MOST_NAME = 60 /* characters of a tensor's name */
};

static int64_t difference(uint64_t a, uint64_t b) {
    return (int64_t)b - (int64_t)a;
}

static void print_side(const struct compared_side *side, char letter, struct weft_text *text) {
    const struct compared_memory *memory = &side->memory;
    weft_text_add(text, "%c: %s on %s", letter, side->model, side->config);
    if (memory->latency > 0) {
        weft_text_add(text, " --latency %" PRIu64, memory->latency);
    }
    if (memory->interval > 0) {
        weft_text_add(text, " --interval %" PRIu64, memory->interval);
    }
    if (memory->dram[0] != '\0') {
        weft_text_add(text, " --dram %s", memory->dram);
    }
    if (side->inferences > 1) {
        weft_text_add(text, ", %" PRIu64 " inferences", side->inferences);
    }
    weft_text_add(text, ", %" PRIu64 " cycles (%s, weft %s)\n", side->cycles, side->path,
                  side->version);
}

static uint64_t bytes_of(const struct compared_side *side) {
    uint64_t sum = 0;
    for (size_t i = 0; i < side->count; i++) {
        sum += side->layers[i].bytes;
    }
    return sum;
}

/* Of a side that has no such layer. */
static const struct compared_layer none = {.op = "", .tensor = "", .shape = ""};

static void print_row(const struct compared_row *row, size_t number, struct weft_text *text) {
    const struct compared_layer *a = row->a == NULL ? &none : row->a;
    const struct compared_layer *b = row->b == NULL ? &none : row->b;
    const struct compared_layer *any = row->a == NULL ? b : a;
    char why[WHY_BYTES];
    char op[MOST_NAME + 1];
    char tensor[MOST_NAME + 1];
    compare_why(row, why);
    name_text(op, sizeof op, any->op);
    name_text(tensor, sizeof tensor, any->tensor);
    weft_text_add(text,
                  "%4zu %-18s %-16s %10" PRIu64 " %10" PRIu64 " %+9" PRId64 " %+10" PRId64
                  "  %-32s %s\n",
                  number, op, any->shape, a->cycles, b->cycles, difference(a->cycles, b->cycles),
                  difference(a->bytes, b->bytes), why, tensor);
}

static bool is_moved(const struct compared_row *row) {
    return row->a == NULL || row->b == NULL || row->a->cycles != row->b->cycles ||
           row->a->bytes != row->b->bytes || row->a->on_host != row->b->on_host ||
           memcmp(row->a->used, row->b->used, sizeof row->a->used) != 0;
}

static double percent(uint64_t a, uint64_t b) {
    return a == 0 ? 0 : 100 * ((double)b / (double)a - 1);
}

/* What all layers together spent their cycles on. */
static void print_totals(const struct comparison *comparison, struct weft_text *text) {
    const struct compared_side *a = &comparison->sides[0];
    const struct compared_side *b = &comparison->sides[1];
    struct compared_layer sums[2] = {{.op = ""}, {.op = ""}};
    const struct compared_row all = {&sums[0], &sums[1], 0};
    char why[WHY_BYTES];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < comparison->sides[side].count; i++) {
            for (unsigned use = 0; use < WEFT_USES; use++) {
                sums[side].used[use] += comparison->sides[side].layers[i].used[use];
            }
        }
    }
    compare_why(&all, why);
    weft_text_add(text,
                  "     %-18s %-16s %10" PRIu64 " %10" PRIu64 " %+9" PRId64 " %+10" PRId64
                  "  %s (%+.2f %%)\n",
                  "all", "", a->cycles, b->cycles, difference(a->cycles, b->cycles),
                  difference(bytes_of(a), bytes_of(b)), why, percent(a->cycles, b->cycles));
}

void compare_print(const struct comparison *comparison, struct weft_text *text) {
    size_t same = 0;
    print_side(&comparison->sides[0], 'A', text);
    print_side(&comparison->sides[1], 'B', text);
    if (!compare_same_memory(comparison)) {
        weft_text_add(text,
                      "the memories of A and B differ, so what moved need not be the doing of "
                      "the program\n");
    }
    if (!compare_same_inferences(comparison)) {
        weft_text_add(text,
                      "A is of %" PRIu64 " inference%s and B of %" PRIu64
                      ": cycles and bytes are of all of them\n",
                      comparison->sides[0].inferences,
                      comparison->sides[0].inferences == 1 ? "" : "s",
                      comparison->sides[1].inferences);
    }
    weft_text_add(text, "%4s %-18s %-16s %10s %10s %9s %10s  %-32s %s\n", "#", "operator", "shape",
                  "cycles A", "cycles B", "change", "bytes", "why", "tensor");
    for (size_t i = 0; i < comparison->count; i++) {
        if (is_moved(&comparison->rows[i])) {
            print_row(&comparison->rows[i], i + 1, text);
        } else {
            same++;
        }
    }
    print_totals(comparison, text);
    weft_text_add(text, "%zu of %zu layers take the same\n", same, comparison->count);
}

/* ---- JSON ---- */

static json_t *layer_json_of(const struct compared_layer *layer) {
    if (layer == NULL) {
        return json_null();
    }
    json_t *uses = json_object();
    for (unsigned use = 0; use < WEFT_USES; use++) {
        json_object_set_new(uses, weft_use_names[use], json_integer((json_int_t)layer->used[use]));
    }
    return json_pack("{s:I, s:o, s:I, s:b}", "cycles", (json_int_t)layer->cycles, "uses", uses,
                     "external_bytes", (json_int_t)layer->bytes, "on_host", layer->on_host);
}

static json_t *row_json(const struct compared_row *row, size_t number) {
    const struct compared_layer *b = row->b == NULL ? &none : row->b;
    const struct compared_layer *any = row->a == NULL ? b : row->a;
    char why[WHY_BYTES] = "";
    compare_why(row, why);
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", "number", (json_int_t)number, "op",
                     text_json(any->op), "tensor", text_json(any->tensor), "shape",
                     text_json(any->shape), "a", layer_json_of(row->a), "b", layer_json_of(row->b),
                     "why", why, "moved", is_moved(row));
}

/* Which row a layer of a side is in, as a list. */
static json_t *owned_json(const struct comparison *comparison, int number) {
    const struct compared_side *side = &comparison->sides[number];
    json_t *list = json_array();
    json_t **rows = NULL;
    rows = calloc(side->count + 1, sizeof(json_t *));
    json_note(rows);
    for (size_t i = 0; i < comparison->count && rows != NULL; i++) {
        const struct compared_layer *of =
            number == 0 ? comparison->rows[i].a : comparison->rows[i].b;
        if (of != NULL) {
            rows[of - side->layers] = json_integer((json_int_t)i);
        }
    }
    for (size_t i = 0; i < side->owned_count && rows != NULL; i++) {
        json_array_append_new(list, json_integer((json_int_t)side->owned[i].cycles));
        json_array_append(list, rows[side->owned[i].layer]);
        json_array_append_new(list, json_integer(side->owned[i].use));
    }
    for (size_t i = 0; i < side->count && rows != NULL; i++) {
        json_decref(rows[i]);
    }
    free(rows);
    return list;
}

/* As a file of figures has them. */
static json_t *overrides_json(const struct compared_memory *memory) {
    json_t *overrides = json_object();
    if (memory->latency > 0) {
        json_object_set_new(overrides, "memory_latency", json_integer((json_int_t)memory->latency));
    }
    if (memory->interval > 0) {
        json_object_set_new(overrides, "memory_interval",
                            json_integer((json_int_t)memory->interval));
    }
    if (memory->dram[0] != '\0') {
        json_object_set_new(overrides, "dram", text_json(memory->dram));
    }
    return overrides;
}

static json_t *side_json(const struct comparison *comparison, int number, bool owned) {
    const struct compared_side *side = &comparison->sides[number];
    json_t *json =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I}", "file", text_json(side->path),
                  "model", text_json(side->model), "config", text_json(side->config), "version",
                  text_json(side->version), "overrides", overrides_json(&side->memory),
                  "inferences", (json_int_t)side->inferences, "cycles", (json_int_t)side->cycles,
                  "external_bytes", (json_int_t)bytes_of(side));
    if (owned) {
        json_object_set_new(json, "has_times", json_boolean(side->has_times));
        json_object_set_new(json, "owned", owned_json(comparison, number));
    }
    return json;
}

json_t *compare_json(const struct comparison *comparison, bool owned) {
    json_t *rows = json_array();
    json_t *uses = json_array();
    for (size_t i = 0; i < comparison->count; i++) {
        json_array_append_new(rows, row_json(&comparison->rows[i], i + 1));
    }
    for (unsigned use = 0; use < WEFT_USES; use++) {
        json_array_append_new(uses, json_string(weft_use_names[use]));
    }
    return json_pack("{s:o, s:o, s:b, s:b, s:o, s:o}", "a", side_json(comparison, 0, owned), "b",
                     side_json(comparison, 1, owned), "same_memory",
                     (int)compare_same_memory(comparison), "same_inferences",
                     (int)compare_same_inferences(comparison), "uses", uses, "layers", rows);
}
