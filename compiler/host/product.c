#include "compiler/host/product.h"

#include "base/integer.h"

enum {
    TILES_HIGH = 4,                /* of the innermost loops, in a block */
    BLOCK_COLUMNS = 512,           /* at most */
    BLOCK_FLOATS = 1 << 16,        /* copied inputs of a block, about: a part of the second cache */
    BLOCKS_PER_THREAD = 4,         /* at least where there is enough work */
    LEAST_BLOCK = 1 << 15,         /* multiplications worth being dealt out */
    LINE = 64 / (int)sizeof(float) /* floats of a cache line */
};

/* How the result is divided: blocks of rows and of columns. */
struct grid {
    int32_t rows, columns; /* of a block */
    int64_t down, across;  /* blocks of a batch */
    int64_t count;         /* of all batches */
};

bool host_product_describe(const struct weft_host_binding *binding, struct host_product *product) {
    if (!weft_wide_describe(binding->kernel, binding->parameters, weft_vectors_best(),
                            &product->wide)) {
        return false;
    }
    product->packed = weft_wide_packed(&product->wide);
    return true;
}

/* ---- weights ---- */

struct packing {
    const struct weft_wide_product *product;
    const weft_unaligned_float *weights;
    float *packed;
};

static void pack_piece(void *context, unsigned thread, size_t i) {
    const struct packing *packing = context;
    (void)thread;
    weft_wide_pack(packing->product, packing->weights, (int64_t)i, packing->packed);
}

bool host_product_pack(const struct host_product *product, struct weft_team *team,
                       const void *weights, float *packed) {
    const struct weft_wide_product *wide = &product->wide;
    int64_t count = wide->weights_batches * (int64_t)wide->depth * wide->columns;
    if (!weft_wide_suits(wide, weights, count)) {
        return false;
    }
    struct packing packing = {wide, weights, packed};
    weft_team_run(team, (size_t)weft_wide_pieces(wide), pack_piece, &packing);
    return true;
}

/* ---- blocks ---- */

static void count_blocks(const struct weft_wide_product *wide, struct grid *grid) {
    grid->down = (wide->rows + grid->rows - 1) / grid->rows;
    grid->across = (wide->columns + grid->columns - 1) / grid->columns;
    grid->count = grid->down * grid->across * wide->batches;
}

/* Columns are divided first: then each thread has weights of its own. */
static struct grid divide(const struct weft_wide_product *wide, unsigned threads) {
    const int32_t width = wide->loops->width;
    const int32_t high = wide->loops->rows;
    bool whole = wide->kind == WEFT_WIDE_DEPTHWISE;
    int64_t most =
        weft_min((int64_t)threads * BLOCKS_PER_THREAD, weft_wide_work(wide) / LEAST_BLOCK);
    int64_t rows = weft_max(weft_min(TILES_HIGH * high, BLOCK_FLOATS / wide->depth), high);
    if (whole) {
        rows = weft_max(BLOCK_FLOATS / 4 / wide->columns, 1);
    }
    struct grid grid = {.rows = (int32_t)weft_min(rows, wide->rows), .columns = BLOCK_COLUMNS};
    if (whole || wide->columns < grid.columns) {
        grid.columns = (wide->columns + width - 1) / width * width;
    }
    count_blocks(wide, &grid);
    while (!whole && grid.count < most && grid.columns > 2 * width) {
        grid.columns = (grid.columns / 2 + width - 1) / width * width;
        count_blocks(wide, &grid);
    }
    while (grid.count < most && grid.rows > (whole ? 1 : high)) {
        grid.rows = whole ? (grid.rows + 1) / 2 : grid.rows - high;
        grid.rows = (int32_t)weft_max(grid.rows, whole ? 1 : high);
        count_blocks(wide, &grid);
    }
    return grid;
}

struct running {
    const struct weft_wide_product *wide;
    struct grid grid;
    const weft_unaligned_float *input;
    const float *packed;
    float *output;
    int64_t columns; /* of the result */
    float *scratch;  /* of all threads */
    int64_t gathered, scratch_each;
    void (*finish)(void *context, const struct host_tile *tile);
    void *context;
};

static struct weft_wide_block block_at(const struct running *running, int64_t i) {
    const struct grid *grid = &running->grid;
    struct weft_wide_block block = {.batch = (int32_t)(i / (grid->down * grid->across))};
    int64_t rest = i % (grid->down * grid->across);
    block.first_row = (int32_t)(rest / grid->across) * grid->rows;
    block.first_column = (int32_t)(rest % grid->across) * grid->columns;
    block.rows = (int32_t)weft_min(grid->rows, running->wide->rows - block.first_row);
    block.columns = (int32_t)weft_min(grid->columns, running->wide->columns - block.first_column);
    return block;
}

static void run_block(void *context, unsigned thread, size_t i) {
    const struct running *running = context;
    struct weft_wide_block block = block_at(running, (int64_t)i);
    float *scratch = running->scratch + thread * running->scratch_each;
    struct host_tile tile = {.rows = block.rows, .columns = block.columns, .thread = thread};
    weft_wide_place(running->wide, &block, &tile.row, &tile.column);
    tile.elements = scratch + running->gathered;
    float *to = tile.elements;
    int64_t stride = block.columns;
    if (running->output != NULL) {
        to = running->output + tile.row * running->columns + tile.column;
        stride = running->columns;
    }
    weft_wide_compute(running->wide, &block, running->input, running->packed, to, stride, scratch);
    if (running->output == NULL) {
        running->finish(running->context, &tile);
    }
}

static int64_t whole_lines(int64_t floats) {
    return (floats + LINE - 1) / LINE * LINE;
}

static void measure(const struct weft_wide_product *wide, unsigned threads, bool with_tiles,
                    struct running *running) {
    running->grid = divide(wide, threads);
    running->gathered = whole_lines(weft_wide_scratch(wide, running->grid.rows));
    int64_t columns = weft_min(running->grid.columns, wide->columns);
    running->scratch_each =
        running->gathered + (with_tiles ? whole_lines(running->grid.rows * columns) : 0);
}

size_t host_product_scratch(const struct host_product *product, unsigned threads, bool with_tiles) {
    struct running running;
    measure(&product->wide, threads, with_tiles, &running);
    return (size_t)running.scratch_each * threads * sizeof(float);
}

struct host_tiling host_product_tiling(const struct host_product *product, unsigned threads) {
    const struct weft_wide_product *wide = &product->wide;
    struct grid grid = divide(wide, threads);
    struct host_tiling tiling = {.rows = grid.rows};
    tiling.columns = (int32_t)weft_min(grid.columns, wide->columns);
    tiling.rest_rows = wide->rows % tiling.rows;
    tiling.rest_columns = wide->columns % tiling.columns;
    return tiling;
}

void host_product_run(const struct host_product *product, struct weft_team *team, const void *input,
                      const float *packed, float *output,
                      void (*finish)(void *context, const struct host_tile *tile), void *context,
                      float *scratch) {
    const struct weft_wide_product *wide = &product->wide;
    struct running running = {.wide = wide,
                              .input = input,
                              .packed = packed,
                              .output = output,
                              .scratch = scratch,
                              .finish = finish,
                              .context = context};
    int64_t rows = 0;
    measure(wide, weft_team_size(team), output == NULL, &running);
    weft_wide_result(wide, &rows, &running.columns);
    weft_team_run(team, (size_t)running.grid.count, run_block, &running);
}
