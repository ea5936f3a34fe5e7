/* Cutting layers into tiles. */
#include "base/integer.h"
#include "compiler/schedule/segment.h"

/* A MATRIX should stream at least this many cycles, so that dispatch and the requantising of the
 * one before hide behind it; small layers take several channel blocks at once to get there. */
enum {
    LEAST_STREAM = 256
};
/* Vectors in one VECTOR of elementwise work. */
enum {
    VECTORS = 512
};

/* a / b rounded towards minus infinity; b > 0. */
static int64_t floor_div(int64_t a, int64_t b) {
    return a >= 0 ? a / b : -weft_ceil_div(-a, b);
}

void rows_read(const struct layer *layer, int64_t first, int64_t end, int64_t *in_first,
               int64_t *in_end) {
    switch (layer->kind) {
    case LAYER_BINARY:
    case LAYER_TABLE:
    case LAYER_PLACE:
    case LAYER_SLICE:
    case LAYER_RESHAPE:
        *in_first = first;
        *in_end = end;
        break;
    case LAYER_PAD:
        *in_first = floor_div(first - layer->pad[TOP] - 1, layer->spread[0]) + 1;
        *in_end = floor_div(end - 1 - layer->pad[TOP], layer->spread[0]) + 1;
        break;
    case LAYER_RESIZE:
        *in_first = layer->begin[1] + first / layer->repeat[0] * layer->stride[0];
        *in_end = layer->begin[1] + (end - 1) / layer->repeat[0] * layer->stride[0] + 1;
        break;
    default:
        *in_first = first * layer->stride[0] - layer->pad[TOP];
        *in_end = (end - 1) * layer->stride[0] - layer->pad[TOP] +
                  (layer->kernel[0] - 1) * layer->dilation[0] + 1;
        break;
    }
}

int64_t most_rows_read(const struct layer *layer, int64_t rows) {
    int64_t first = 0;
    int64_t end = 0;
    if (layer->kind == LAYER_PAD) {
        return weft_ceil_div(rows, layer->spread[0]);
    }
    if (layer->kind == LAYER_RESIZE) {
        return (rows + layer->repeat[0] - 2) / layer->repeat[0] * layer->stride[0] + 1;
    }
    rows_read(layer, 0, rows, &first, &end);
    return end - first;
}

int64_t row_step(const struct segment *segment, int layer, uint32_t slot) {
    const struct layer *reader = reader_of(segment, layer, slot);
    bool skips = (reader->kind == LAYER_CONV || reader->kind == LAYER_DEPTHWISE) &&
                 !reader->turned && reader->kernel[0] == 1 && reader->pad[TOP] == 0 &&
                 reader->pad[BOTTOM] == 0 && reader->stride[0] > 0;
    return skips ? reader->stride[0] : 1;
}

/* Splits `size` into parts of at most `most`, as equal as can be; returns the larger part. */
static int64_t even_part(int64_t size, int64_t most) {
    return weft_ceil_div(size, weft_ceil_div(size, weft_max(most, 1)));
}

static struct layer_choice choice_of(const struct segment *segment, int layer) {
    return segment->choices == NULL ? (struct layer_choice){0} : segment->choices[layer];
}

/* Rows and columns of a tile whose accumulators fit a bank, or two when a row does not. */
static void choose_pixels(const struct segment *segment, const struct layer *layer,
                          const struct layer_choice *choice, struct tiling *tiling) {
    int64_t bank = weft_acc_entries(segment->config) / WEFT_ACC_BANKS;
    int64_t entries = layer->out.w <= bank ? bank : 2 * bank;
    tiling->columns = even_part(layer->out.w, entries);
    tiling->rows =
        even_part(tiling->stripe_rows, entries / tiling->columns / weft_max(choice->tile_part, 1));
}

/* ---- dense ---- */

static void choose_steps(const struct segment *segment, int index, struct tiling *tiling) {
    const struct layer *layer = &segment->layers[index];
    const struct tensor *input = &segment->tensors[segment->tensors_of[index][0]];
    int64_t block = segment->config->block;
    tiling->row_steps = layer->kernel[0];
    tiling->column_steps = layer->kernel[1];
    tiling->rows_a_step = 1;
    tiling->input_blocks = blocks_of(segment, layer->in.c);
    if (input->packed) {
        int64_t window = layer->kernel[1] * layer->in.c;
        int64_t reach = layer->dilation[0] * view_pitch(segment, input);
        tiling->column_steps = weft_ceil_div(window, block);
        /* A byte belongs to one row of the window only: rows must not meet in a step. */
        while (tiling->rows_a_step < layer->kernel[0] && window <= reach &&
               tiling->rows_a_step * reach + window <= block) {
            tiling->rows_a_step++;
        }
        tiling->row_steps = weft_ceil_div(layer->kernel[0], tiling->rows_a_step);
    } else if (layer->groups > 1) {
        /* The groups that a block of outputs belongs to cover a range of input channels. */
        int64_t outputs = layer->out.c / layer->groups;
        int64_t inputs = layer->in.c / layer->groups;
        tiling->input_blocks = 1;
        for (int64_t o = 0; o < layer->out.c; o += block) {
            int64_t first = o / outputs * inputs / block;
            int64_t last = (weft_min(o + block, layer->out.c) - 1) / outputs * inputs + inputs - 1;
            tiling->input_blocks = weft_max(tiling->input_blocks, last / block - first + 1);
        }
    }
}

/* A piece of weights fits a bank; more reduction steps than that are cut along the outermost level
 * that needs it. */
static void choose_chunks(const struct segment *segment, struct tiling *tiling) {
    int64_t block = segment->config->block;
    int64_t tiles = weft_bank_bytes(segment->config, WEFT_MEMORY_WGT) / (block * block);
    int64_t window = tiling->row_steps * tiling->column_steps;
    if (window <= tiles) {
        tiling->chunk[0] = even_part(tiling->input_blocks, tiles / window);
        tiling->chunk[1] = tiling->row_steps;
        tiling->chunk[2] = tiling->column_steps;
    } else if (tiling->column_steps <= tiles) {
        tiling->chunk[0] = 1;
        tiling->chunk[1] = even_part(tiling->row_steps, tiles / tiling->column_steps);
        tiling->chunk[2] = tiling->column_steps;
    } else {
        tiling->chunk[0] = tiling->chunk[1] = 1;
        tiling->chunk[2] = even_part(tiling->column_steps, tiles);
    }
    tiling->chunks = weft_ceil_div(tiling->input_blocks, tiling->chunk[0]) *
                     weft_ceil_div(tiling->row_steps, tiling->chunk[1]) *
                     weft_ceil_div(tiling->column_steps, tiling->chunk[2]);
}

/* ---- depthwise ---- */

/* Rows of a window that one cycle can read: in different sub-banks, and pitches are odd. */
static int64_t most_rows(const struct layer *layer) {
    return layer->dilation[0] % 2 != 0 ? 4 : layer->dilation[0] % 4 != 0 ? 2 : 1;
}

static int64_t column_cost(const struct layer *layer, int64_t out_columns, int64_t columns) {
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

int window_parts(const struct segment *segment, const struct layer *layer, int64_t kernel_rows,
                 int64_t kernel_columns, int64_t out_columns,
                 struct window_part parts[MAX_WINDOW_PARTS]) {
    int64_t best_rows = 1;
    int64_t best_columns = 1;
    int64_t best = INT64_MAX;
    int64_t most_step = weft_field_largest(WEFT_OPCODE_MATRIX, "window_step");
    for (int64_t rows = weft_min(most_rows(layer), kernel_rows); rows >= 1; rows--) {
        int64_t columns = weft_min(kernel_columns, (int64_t)segment->config->block / rows);
        /* A window's columns are neighbours, and few can be skipped from one to the next. */
        columns = layer->dilation[1] > 1 || layer->stride[1] > most_step ? 1 : columns;
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

/* ---- choice ---- */

/* Several channel blocks in one MATRIX, as long as weights, parameters and accumulators allow and
 * the stream is short. */
static void choose_blocks(const struct segment *segment, const struct layer *layer,
                          struct tiling *tiling, int64_t weight_bytes, int64_t stream) {
    struct layer_choice choice = choice_of(segment, (int)(layer - segment->layers));
    int64_t least = choice.coarser < 0 ? LEAST_STREAM >> (-2 * choice.coarser)
                                       : LEAST_STREAM << (2 * choice.coarser);
    int64_t bank = weft_bank_bytes(segment->config, WEFT_MEMORY_WGT);
    int64_t entries = 2 * (int64_t)weft_acc_entries(segment->config) / WEFT_ACC_BANKS;
    int64_t record = weft_requant_record_lines(layer->requant.per_channel) * segment->config->block;
    int64_t all = blocks_of(segment, layer->out.c);
    int64_t blocks = weft_min(weft_ceil_div(least, stream), all);
    blocks = weft_min(blocks, bank / weight_bytes);
    blocks = weft_min(blocks, weft_bank_bytes(segment->config, WEFT_MEMORY_PAR) / record);
    blocks = weft_min(blocks, entries / (tiling->rows * tiling->columns));
    tiling->blocks = layer->groups > 1 && layer->kind == LAYER_CONV ? 1 : even_part(all, blocks);
    tiling->groups = weft_ceil_div(all, tiling->blocks);
    tiling->weights_outer =
        all * weight_bytes * tiling->chunks > (int64_t)segment->config->wgt_bytes * 3 / 4;
}

static void choose_dense(const struct segment *segment, int index, struct tiling *tiling) {
    const struct layer *layer = &segment->layers[index];
    int64_t block = segment->config->block;
    choose_steps(segment, index, tiling);
    choose_chunks(segment, tiling);
    int64_t steps = tiling->chunk[0] * tiling->chunk[1] * tiling->chunk[2];
    int64_t pass = weft_max(tiling->rows * tiling->columns, block / 2);
    choose_blocks(segment, layer, tiling, steps * block * block, steps * tiling->chunks * pass);
    if (tiling->chunks > 1) {
        tiling->blocks = 1;
        tiling->groups = blocks_of(segment, layer->out.c);
    }
}

int64_t part_weight_bytes(const struct segment *segment, const struct window_part *part) {
    int64_t block = segment->config->block;
    return part->rows * part->columns * part->row_groups * part->column_groups * block;
}

static void choose_depthwise(const struct segment *segment, const struct layer *layer,
                             struct tiling *tiling) {
    tiling->part_count = window_parts(segment, layer, layer->kernel[0], layer->kernel[1],
                                      tiling->columns, tiling->parts);
    tiling->chunks = 1;
    int64_t bytes = 0;
    int64_t stream = 0;
    for (int i = 0; i < tiling->part_count; i++) {
        const struct window_part *part = &tiling->parts[i];
        int64_t pass = tiling->rows * column_cost(layer, tiling->columns, part->columns);
        bytes = weft_max(bytes, part_weight_bytes(segment, part));
        stream += weft_max(pass, (int64_t)segment->config->block / 2) * part->row_groups *
                  part->column_groups;
    }
    choose_blocks(segment, layer, tiling, bytes, stream);
}

bool tiling_choose(struct segment *segment, int index) {
    const struct layer *layer = &segment->layers[index];
    struct tiling *tiling = &segment->tilings[index];
    struct layer_choice choice = choice_of(segment, index);
    bool is_limited = choice.stripe_rows > 0 && !layer->turned;
    int64_t most_rows = is_limited ? choice.stripe_rows : layer->out.h;
    *tiling = (struct tiling){.stripe_rows = weft_min(most_rows, layer->out.h),
                              .stripe_images = layer->out.n,
                              .stripe_buffers = 2,
                              .groups = 1,
                              .blocks = 1};
    choose_pixels(segment, layer, &choice, tiling);
    int64_t blocks = blocks_of(segment, layer->out.c);
    switch (layer->kind) {
    case LAYER_CONV:
        choose_dense(segment, index, tiling);
        break;
    case LAYER_DEPTHWISE:
        choose_depthwise(segment, layer, tiling);
        break;
    case LAYER_AVGPOOL:
        tiling->groups = blocks;
        break;
    default:
        tiling->columns = layer->out.w;
        tiling->rows = even_part(layer->out.h, weft_max(VECTORS / (layer->out.w * blocks), 1));
        tiling->rows = weft_min(tiling->rows, tiling->stripe_rows);
        break;
    }
    tiling->stripe_groups = tiling->groups;
    return true;
}
