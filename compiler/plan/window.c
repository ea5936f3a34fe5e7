/* Windows of depthwise mode: cut into parts that one MATRIX takes. */
#include "base/integer.h"
#include "compiler/plan/plan.h"

/* Rows of a window that one cycle can read: in different sub-banks, and pitches are odd. */
static int64_t most_rows(const struct layer *layer) {
    return layer->dilation[0] % 2 != 0 ? 4 : layer->dilation[0] % 4 != 0 ? 2 : 1;
}

int64_t column_cost(const struct layer *layer, int64_t out_columns, int64_t columns) {
    return columns == 1 ? out_columns : (out_columns - 1) * layer->stride[1] + columns;
}

/* Cycles of a row of outputs with windows cut into parts of rows x columns. */
static int64_t window_cost(const struct layer *layer, int64_t kernel_rows, int64_t kernel_columns,
                           int64_t rows, int64_t columns, int64_t out_columns) {
    int64_t cost = kernel_columns / columns * column_cost(layer, out_columns, columns);
    if (kernel_columns % columns != 0) {
        cost += column_cost(layer, out_columns, kernel_columns % columns);
    }
    return cost * weft_ceil_div(kernel_rows, rows);
}

int window_parts(const struct weft_config *config, const struct layer *layer, int64_t kernel_rows,
                 int64_t kernel_columns, int64_t out_columns,
                 struct window_part parts[MAX_WINDOW_PARTS]) {
    int64_t best_rows = 1;
    int64_t best_columns = 1;
    int64_t best = INT64_MAX;
    /* A window's columns are neighbours, and few can be skipped from one to the next. */
    bool is_apart = layer->dilation[1] > 1 ||
                    (layer->stride[1] > 1 &&
                     layer->stride[1] > weft_field_largest(WEFT_OPCODE_MATRIX, "window_step"));
    for (int64_t rows = weft_min(most_rows(layer), kernel_rows); rows >= 1; rows--) {
        int64_t columns = is_apart ? 1 : weft_min(kernel_columns, (int64_t)config->block / rows);
        int64_t cost = window_cost(layer, kernel_rows, kernel_columns, rows, columns, out_columns);
        if (cost < best) {
            best = cost;
            best_rows = rows;
            best_columns = columns;
        }
    }
    int count = 0;
    for (int64_t row = 0; row < kernel_rows;) {
        int64_t rows = weft_min(best_rows, kernel_rows - row);
        int64_t row_groups = (kernel_rows - row) / rows;
        for (int64_t column = 0; column < kernel_columns;) {
            int64_t columns = weft_min(best_columns, kernel_columns - column);
            int64_t column_groups = (kernel_columns - column) / columns;
            parts[count++] =
                (struct window_part){row, rows, row_groups, column, columns, column_groups};
            column += columns * column_groups;
        }
        row += rows * row_groups;
    }
    return count;
}

int64_t part_weight_bytes(const struct weft_config *config, const struct window_part *part) {
    int64_t block = config->block;
    return part->rows * part->columns * part->row_groups * part->column_groups * block;
}
