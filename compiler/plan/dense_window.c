/* Windows of packed tensors whose rows meet in a reduction step: the bytes of a row of the window
 * are neighbours, and where they end in the middle of a step the next row begins in it. */
#include "base/integer.h"
#include "compiler/plan/region.h"

bool reads_packed(const struct weft_config *config, const struct layer *layer) {
    return layer->kind == LAYER_CONV && layer->in.c < config->block && layer->dilation[1] == 1;
}

/* A row of the window ends at byte `end` of the first step, and every `period` bytes of steps after
 * that; steps are `advance` bytes of the window apart, and leave out `skips` ends of rows more than
 * the machine does by itself. */
struct form {
    int64_t period, advance, skips;
};

/* Fields of a MATRIX that takes all steps of the form. */
static struct weft_matrix_fields fields_of(const struct form *form, int64_t rows, int64_t bytes) {
    int64_t ends = form->skips == 0 ? rows - 1 : rows / 2; /* that the machine sees */
    return (struct weft_matrix_fields){.window_rows = (uint32_t)ends + 1,
                                       .window_columns = (uint32_t)form->period,
                                       .window_row_stride = 1,
                                       .window_first = (uint32_t)bytes};
}

/* Does every lane read the byte of the window that belongs to it? */
static bool is_right(const struct weft_config *config, const struct form *form, int64_t rows,
                     int64_t bytes, int64_t steps) {
    const struct weft_matrix_fields fields = fields_of(form, rows, bytes);
    for (int64_t step = 0; step < steps; step++) {
        const struct weft_dense_tile tile = weft_dense_tile_of(config, &fields, step);
        int64_t skipped = tile.skipped + step * form->skips;
        for (int64_t lane = 0; lane < form->advance; lane++) {
            int64_t at = step * form->advance + lane;
            if (at < rows * bytes && at / bytes != skipped + (lane >= tile.end)) {
                return false;
            }
        }
    }
    return true;
}

static void try_form(const struct weft_config *config, const struct form *form, int64_t rows,
                     int64_t bytes, struct dense_window *window) {
    int64_t steps = weft_ceil_div(rows * bytes, form->advance);
    if ((window->steps > 0 && steps >= window->steps) || form->period > MOST_WINDOW_BYTES ||
        !is_right(config, form, rows, bytes, steps)) {
        return;
    }
    const struct weft_matrix_fields fields = fields_of(form, rows, bytes);
    *window = (struct dense_window){.bytes = bytes,
                                    .steps = steps,
                                    .advance = form->advance,
                                    .skips = form->skips,
                                    .rows = fields.window_rows,
                                    .columns = form->period};
}

struct dense_window dense_window_of(const struct weft_config *config, const struct layer *layer) {
    int64_t block = config->block;
    int64_t rows = layer->kernel[0];
    int64_t bytes = layer->kernel[1] * layer->in.c;
    struct dense_window window = {.bytes = bytes};
    if (config->dense_rows == 0 || layer->dilation[0] != 1 || rows < 2 ||
        bytes > MOST_WINDOW_BYTES) {
        return window;
    }
    if (rows <= MOST_WINDOW_ROWS) {
        const struct form bytewise = {bytes, block, 0};
        try_form(config, &bytewise, rows, bytes, &window);
    }
    if (2 * bytes <= block && rows / 2 + 1 <= MOST_WINDOW_ROWS) {
        const struct form pairs = {block, 2 * bytes, 1};
        try_form(config, &pairs, rows, bytes, &window);
    }
    return window;
}

int64_t dense_window_pitch(const struct weft_config *config, const struct dense_window *window,
                           int64_t least) {
    int64_t block = config->block;
    int64_t lines = weft_ceil_div(weft_max(least - window->bytes, 1), block);
    /* Two rows of a window then lie one or two sub-banks apart. */
    while (lines % 4 == 0 || lines % 4 == 3) {
        lines++;
    }
    return window->bytes + lines * block;
}
