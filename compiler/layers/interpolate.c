/* Rows or columns between two neighbours: sums of two operands, each with its share as its scale.
 * Places that lie a whole number of elements apart have the same shares, so that one instruction
 * makes every second, or fourth, row of a picture that becomes twice, or four times, as large. */
#include "base/integer.h"
#include "base/multiplier.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

enum {
    MOST_APART = 64, /* of the results that an instruction makes */
    SAMPLED = 4096,  /* results by which that is chosen */
    PAR_SHARE = 4    /* of PAR one in so many bytes may hold shares */
};

/* ---- lowering ---- */

static const struct interpolated_place *place_of(const struct layer *layer, int64_t i) {
    return &layer->interpolated.places[i];
}

/* Is result `i` made as `apart` ones before it, from elements that are `step` further on? */
static bool follows(const struct layer *layer, int64_t i, int64_t apart, int64_t step) {
    const struct interpolated_place *before = place_of(layer, i - apart);
    const struct interpolated_place *place = place_of(layer, i);
    return place->share == before->share && place->low - before->low == step;
}

/* How many of the results from `first` on, each `apart` behind the one before, are made alike; the
 * operand's elements are *step apart. */
static int64_t run_from(const struct layer *layer, int64_t first, int64_t end, int64_t apart,
                        int64_t *step) {
    int64_t count = 1;
    *step =
        first + apart < end ? place_of(layer, first + apart)->low - place_of(layer, first)->low : 1;
    while (first + count * apart < end && follows(layer, first + count * apart, apart, *step)) {
        count++;
    }
    return count;
}

/* Runs into which the results fall. */
static int64_t runs(const struct layer *layer, int64_t count, int64_t apart) {
    int64_t found = 0;
    for (int64_t phase = 0; phase < weft_min(apart, count); phase++) {
        int64_t step = 0;
        for (int64_t i = phase; i < count; i += apart * run_from(layer, i, count, apart, &step)) {
            found++;
        }
    }
    return found;
}

/* The number of a share among those that there are. */
static int32_t share_of(struct interpolation *made, int64_t fraction) {
    int32_t i = 0;
    while (i < made->share_count && made->shares[i] != fraction) {
        i++;
    }
    made->shares[i] = fraction;
    made->share_count = (int32_t)weft_max(made->share_count, i + 1);
    return i;
}

static int64_t record_bytes(const struct weft_config *config) {
    return (int64_t)weft_sum_record_lines(config) * config->block;
}

static const char *set_places(const struct lowering *lowering, const struct weft_node *node) {
    struct layer *layer = lowering->layer;
    struct interpolation *made = &layer->interpolated;
    const struct weft_attribute *elements = weft_node_attribute(node, WEFT_ATTR_elements);
    const int64_t *fractions = weft_node_ints(node, WEFT_ATTR_fractions);
    int64_t most = lowering->config->par_bytes / PAR_SHARE / record_bytes(lowering->config);
    int64_t count = elements->count;
    struct interpolated_place *places =
        WEFT_NEW_ARRAY(lowering->arena, (size_t)count, struct interpolated_place);
    made->places = places;
    made->shares = WEFT_NEW_ARRAY(lowering->arena, (size_t)most + 1, int64_t);
    for (int64_t i = 0; i < count; i++) {
        places[i].low = elements->ints[i];
        places[i].share = share_of(made, fractions[i]);
        if (made->share_count > most) {
            return "there are more different shares than the parameter memory has room for";
        }
        bool falls =
            i > 0 &&
            (elements->ints[i] < elements->ints[i - 1] ||
             (elements->ints[i] == elements->ints[i - 1] && fractions[i] < fractions[i - 1]));
        if (falls) {
            return "rows or columns in another order do not run on the machine";
        }
    }
    int64_t fewest = INT64_MAX;
    for (int64_t apart = 1; apart <= weft_min(MOST_APART, count); apart++) {
        int64_t found = runs(layer, weft_min(count, SAMPLED), apart);
        made->apart = found < fewest ? apart : made->apart;
        fewest = weft_min(fewest, found);
    }
    return NULL;
}

static const char *lower_interpolation(const struct lowering *lowering,
                                       const struct weft_node *node,
                                       const struct weft_value *output) {
    struct layer *layer = lowering->layer;
    const char *reason = set_shapes(lowering, node->inputs[0], output);
    int64_t axis = weft_node_int(node, WEFT_ATTR_axis) + 4 - output->type.rank;
    if (reason != NULL) {
        return reason;
    }
    if (axis != 1 && axis != 2) {
        return "only rows and columns are interpolated on the machine";
    }
    layer->kind = LAYER_INTERPOLATE;
    layer->name = "interpolate_axis";
    layer->function = WEFT_FUNCTION_ADD;
    layer->zero[1] = layer->zero[0];
    layer->interpolated.along = (int)axis - 1;
    return set_places(lowering, node);
}

static const struct layer_pattern patterns[] = {
    {"weft.interpolate_axis", WEFT_OP_INTERPOLATE_AXIS, plain_function, lower_interpolation},
};

/* ---- rows ---- */

static int64_t high_of(const struct layer *layer, const struct interpolated_place *place) {
    return place->low + (layer->interpolated.shares[place->share] > 0 ? 1 : 0);
}

static void rows_of_interpolation(const struct layer *layer, int64_t first, int64_t end,
                                  int64_t *in_first, int64_t *in_end) {
    if (layer->interpolated.along == 1) {
        same_rows(layer, first, end, in_first, in_end);
        return;
    }
    *in_first = place_of(layer, first)->low + layer->begin[1];
    *in_end = high_of(layer, place_of(layer, end - 1)) + layer->begin[1] + 1;
}

static int64_t most_rows_of_interpolation(const struct layer *layer, int64_t rows) {
    int64_t most = 0;
    for (int64_t i = 0; i < layer->out.h; i++) {
        int64_t first = 0;
        int64_t end = 0;
        rows_of_interpolation(layer, i, weft_min(i + rows, layer->out.h), &first, &end);
        most = weft_max(most, end - first);
    }
    return most;
}

/* ---- parameters ---- */

/* A record for each share, one after another. */
static void pack(struct packing *packing, int index) {
    const struct layer *layer = packing->plan->layers[index];
    const struct interpolation *of = &layer->interpolated;
    int64_t bytes = record_bytes(packing->plan->config);
    uint8_t *to = add_piece(packing, PIECES_PAR, bytes * of->share_count);
    for (int32_t i = 0; to != NULL && i < of->share_count; i++, to += bytes) {
        int32_t multiplier[3];
        int shift[3];
        weft_interpolation_multipliers((double)of->shares[i] / (double)WEFT_WHOLE_FRACTION, 20,
                                       multiplier, shift);
        write_sum_record(to, multiplier, shift);
    }
}

/* ---- instructions ---- */

/* `count` rows or columns from `first` on of the rows of a stripe. */
static void emit_run(const struct work *work, const struct rows *rows, int64_t image, int64_t first,
                     int64_t count, int64_t step) {
    const struct layer *layer = layer_of(work);
    const struct interpolation *of = &layer->interpolated;
    const struct interpolated_place *place = place_of(layer, first);
    const struct stripe *stripe = &rows->stripe;
    bool columns = of->along == 1;
    const struct area to =
        columns ? all_blocks(work, image, stripe->first, first, stripe->end - stripe->first, count)
                : all_blocks(work, image, first, 0, count, layer->out.w);
    struct area from = to;
    int64_t *at = columns ? &from.first_column : &from.first_row;
    struct weft_instruction instruction = binary_of(work, &rows->out, &to);
    struct weft_vector_fields *v = &instruction.vector;
    int level = 1 + of->along;
    *at = place->low + layer->begin[level];
    v->a = line_of(work, &rows->in[0], &from);
    *at = high_of(layer, place) + layer->begin[level];
    v->b = line_of(work, &rows->in[0], &from);
    set_strides(work, &rows->in[0], v->a_stride);
    set_strides(work, &rows->in[0], v->b_stride);
    v->a_stride[level] *= (int32_t)step;
    v->b_stride[level] *= (int32_t)step;
    v->out_stride[level] *= (int32_t)of->apart;
    v->par = (uint32_t)place->share * weft_sum_record_lines(work->plan->config);
    emit_with(work, &instruction, PIECES_PAR, work->plan->first_parameters[work->layer]);
}

static void emit_interpolation(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe *stripe = &rows->stripe;
    bool columns = layer->interpolated.along == 1;
    int64_t apart = layer->interpolated.apart;
    int64_t first = columns ? 0 : stripe->first;
    int64_t end = columns ? layer->out.w : stripe->end;
    for (int64_t n = stripe->first_image; n < stripe->end_image; n++) {
        for (int64_t phase = first; phase < weft_min(first + apart, end); phase++) {
            int64_t step = 0;
            int64_t count = 0;
            for (int64_t i = phase; i < end; i += apart * count) {
                count = run_from(layer, i, end, apart, &step);
                emit_run(work, rows, n, i, count, step);
            }
        }
    }
}

const struct layer_operations interpolate_operations = {.name = "interpolation",
                                                        .pattern_count = COUNT_OF(patterns),
                                                        .patterns = patterns,
                                                        .reads_on_chip = true,
                                                        .makes_on_chip = true,
                                                        .in_chains = true,
                                                        .by_vector = true,
                                                        .rows_read = rows_of_interpolation,
                                                        .most_rows_read =
                                                            most_rows_of_interpolation,
                                                        .choose = choose_stripes,
                                                        .pack = pack,
                                                        .emit = emit_interpolation};
