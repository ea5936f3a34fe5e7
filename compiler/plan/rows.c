/* Which rows layers read. */
#include "compiler/plan/plan.h"

int64_t most_rows_read(const struct layer *layer, int64_t rows) {
    const struct layer_operations *operations = operations_of(layer);
    int64_t first = 0;
    int64_t end = 0;
    if (operations->most_rows_read != NULL) {
        return operations->most_rows_read(layer, rows);
    }
    operations->rows_read(layer, 0, rows, &first, &end);
    return end - first;
}

/* Do stripes have one row of the result each, whose window meets rows of the operand far apart? */
static bool has_rows_apart(const struct plan *plan, int layer, const struct layer *reader) {
    return reader == plan->layers[layer] && reader->dilation[0] > 1 &&
           plan->chain_first[layer] == plan->chain_last[layer] &&
           cut_of(plan, layer)->stripe_rows == 1 &&
           !keep_of(plan, plan->region->tensors_of[layer][0])->packed;
}

int64_t row_step(const struct plan *plan, int layer, int slot) {
    const struct layer *reader = plan->layers[reader_of(plan->region, layer, slot)];
    if (!operations_of(reader)->has_products || reader->turned) {
        return 1;
    }
    if (reader->kernel[0] > 1) {
        return has_rows_apart(plan, layer, reader) ? reader->dilation[0] : 1;
    }
    return reader->pad[TOP] <= 0 && reader->stride[0] > 0 ? reader->stride[0] : 1;
}
