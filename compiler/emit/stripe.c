/* Stripes of a layer that is in no chain. */
#include "base/integer.h"
#include "compiler/emit/work.h"

/* The rows of the output tensor that a stripe of results is. */
static struct stripe output_stripe(const struct work *work, const struct stripe *results) {
    struct stripe stripe = *results;
    if (layer_of(work)->side_by_side[2]) {
        return stripe_of_heads(work->plan->config, layer_of(work), 2, results);
    }
    if (layer_of(work)->turned) {
        stripe.first = 0;
        stripe.end = tensor_at(work->plan, work->layer, 2)->shape.h;
    }
    return stripe;
}

/* Makes the groups of a stripe that are made together: loads what a sum adds to them, makes them,
 * and stores them. */
static void emit_groups(const struct work *work, int64_t number, const struct stripe *results,
                        struct rows *rows) {
    const struct layer *layer = layer_of(work);
    const struct stripe stripe = output_stripe(work, results);
    int out = operand_of(work, 2);
    if (layer->input_count > 1 && reads_on_chip(layer, 1)) {
        if (operations_of(layer)->has_products) { /* which need their weights before that */
            emit_use(work, PIECES_WGT, first_weights_of(work, rows->first_group));
        }
        rows->in[1] = input_view(work, 1, number, results);
    }
    if (!operations_of(layer)->makes_on_chip) {
        operations_of(layer)->emit(work, rows);
        return;
    }
    rows->out = output_view(work, number, &stripe);
    operations_of(layer)->emit(work, rows);
    emit_result_table(work, &rows->out, &stripe);
    if (work->plan->locations[out].external) {
        emit_store_rows(work, out, &rows->out, &stripe);
    }
    sum_stripe(work, work->sum, &rows->out, &stripe);
}

void emit_layer_stripe(const struct work *work, int64_t number, int64_t *part,
                       const struct stripe *results, const struct view *ready) {
    const struct tiling *tiling = tiling_of(work);
    bool cut = is_cut_in_groups(work->plan, work->layer, 2);
    struct stripe stripe = *results;
    struct rows rows = {.stripe = *results, .end_group = tiling->groups};
    if (operations_of(layer_of(work))->reads_on_chip) {
        rows.in[0] = ready != NULL ? *ready : input_view(work, 0, number, results);
    }
    for (int64_t group = 0; group < tiling->groups; group = rows.end_group) {
        if (cut) {
            rows.first_group = group;
            rows.end_group =
                weft_min(group + cut_of(work->plan, work->layer)->stripe_groups, tiling->groups);
            stripe.first_block = rows.first_group * tiling->blocks;
            stripe.end_block = rows.end_group * tiling->blocks;
        }
        emit_groups(work, (*part)++, &stripe, &rows);
    }
}

void emit_result_rows(const struct work *work, int64_t image, int64_t first, int64_t end) {
    const struct stripe stripe = rows_of_image(image, first, end);
    int64_t part = 0;
    emit_layer_stripe(work, 0, &part, &stripe, NULL);
}
