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

int64_t row_step(const struct plan *plan, int layer, int slot) {
    const struct layer *reader = plan->layers[reader_of(plan->region, layer, slot)];
    bool skips = operations_of(reader)->has_products && !reader->turned && reader->kernel[0] == 1 &&
                 reader->pad[TOP] <= 0 && reader->stride[0] > 0;
    return skips ? reader->stride[0] : 1;
}
