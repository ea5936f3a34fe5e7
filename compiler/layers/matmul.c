/* Products of two tensors, matrix by matrix: pixels of the first, and the second as weights, loaded
 * from where it lies in external memory. */
#include <string.h>

#include "base/integer.h"
#include "compiler/emit/work.h"
#include "compiler/layers/layers.h"

/* ---- heads ---- */

/* Does a transpose exchange the second and the third of four axes, of one image? */
static bool exchanges_heads(const struct weft_value *value) {
    static const int64_t exchanged[4] = {0, 2, 1, 3};
    const struct weft_type *type = &value->type;
    return type->rank == 4 && type->dim[0] == 1 &&
           memcmp(weft_node_ints(value->producer, WEFT_ATTR_permutation), exchanged,
                  sizeof exchanged) == 0;
}

/* Has a tensor the channels of all heads, [heads, pixels, channels], side by side? */
static bool has_all_heads(const struct weft_value *value, const struct weft_type *heads) {
    const struct shape all = shape_of(&value->type);
    const struct shape wanted = {1, 1, heads->dim[2], heads->dim[1] * heads->dim[3]};
    return same_shape(&all, &wanted);
}

/* A transpose of a reshape that parts channels into heads. */
static bool parts_heads(void *context, const struct weft_value *value) {
    (void)context;
    return exchanges_heads(value) &&
           has_all_heads(value->producer->inputs[0]->producer->inputs[0], &value->type);
}

/* A reshape of a transpose that puts heads side by side. */
static bool joins_heads(void *context, const struct weft_value *value) {
    (void)context;
    const struct weft_value *turned = value->producer->inputs[0];
    return exchanges_heads(turned) && has_all_heads(value, &turned->producer->inputs[0]->type);
}

/* ---- patterns ---- */

static struct weft_pattern *op1(struct weft_arena *arena, enum weft_operator operator,
                                struct weft_pattern * x) {
    return weft_pattern_op(arena, operator, 1, &x);
}

static struct weft_pattern *heads_or_any(struct weft_arena *arena) {
    struct weft_pattern *parted = op1(arena, WEFT_OP_RESHAPE, weft_pattern_wildcard(arena));
    parted = op1(arena, WEFT_OP_TRANSPOSE, parted);
    return weft_pattern_or(arena, weft_pattern_where(arena, parted, parts_heads, NULL),
                           weft_pattern_wildcard(arena));
}

static struct weft_pattern *product_of(struct weft_arena *arena, struct weft_pattern *a,
                                       struct weft_pattern *b) {
    struct weft_pattern *operands[2] = {a, b};
    struct weft_pattern *product = weft_pattern_op(arena, WEFT_OP_QNN_BATCH_MATMUL, 2, operands);
    struct weft_pattern *sum[2] = {product, weft_pattern_constant(arena)};
    struct weft_pattern *biased = weft_pattern_op(arena, WEFT_OP_BIAS_ADD, 2, sum);
    return op1(arena, WEFT_OP_QNN_REQUANTIZE, weft_pattern_or(arena, biased, product));
}

static struct weft_pattern *product_joined(struct weft_arena *arena, enum weft_operator operator) {
    struct weft_pattern *product = product_of(arena, heads_or_any(arena), heads_or_any(arena));
    struct weft_pattern *joined = op1(arena, operator, op1(arena, WEFT_OP_TRANSPOSE, product));
    return weft_pattern_where(arena, joined, joins_heads, NULL);
}

static struct weft_pattern *product_parted(struct weft_arena *arena, enum weft_operator operator) {
    (void)operator;
    return weft_pattern_optional(arena, product_of(arena, heads_or_any(arena), heads_or_any(arena)),
                                 WEFT_OP_CLIP);
}

static struct weft_pattern *product_of_parted(struct weft_arena *arena,
                                              enum weft_operator operator) {
    (void)operator;
    return weft_pattern_optional(
        arena, product_of(arena, weft_pattern_wildcard(arena), heads_or_any(arena)), WEFT_OP_CLIP);
}

static struct weft_pattern *plain_product(struct weft_arena *arena, enum weft_operator operator) {
    (void)operator;
    return weft_pattern_optional(
        arena, product_of(arena, weft_pattern_wildcard(arena), weft_pattern_wildcard(arena)),
        WEFT_OP_CLIP);
}

/* ---- lowering ---- */

/* The tensor whose channels are parted into the heads of `value` inside of the chain, or `value`.
 */
static const struct weft_value *parted_from(const struct lowering *lowering,
                                            const struct weft_value *value, bool *is_parted) {
    const struct weft_node *transpose = made_inside(lowering, value);
    *is_parted = transpose != NULL;
    return *is_parted ? transpose->inputs[0]->producer->inputs[0] : value;
}

/* Each matrix of the result is made of one of the first operand, and of one of the second or of the
 * only one there is. */
static const char *check_shapes(const struct lowering *lowering, const struct weft_node *product) {
    static const int64_t no_pad[4] = {0};
    struct layer *layer = lowering->layer;
    if (weft_node_int(product, WEFT_ATTR_transpose_a) != 0) {
        return "the first operand of a product is not transposed on the machine";
    }
    if (layer->in.n != layer->out.n || layer->in.h != layer->out.h ||
        (layer->second.n != 1 && layer->second.n != layer->out.n) ||
        (layer->second.h != 1 && layer->second.h != layer->out.h)) {
        return "the first operand of a product is not repeated on the machine";
    }
    for (int slot = 0; slot < 3; slot += 2) {
        const struct shape *shape = slot == 0 ? &layer->in : &layer->out;
        if (layer->side_by_side[slot] && shape->c % lowering->config->block != 0) {
            return "channels of several heads share a block";
        }
    }
    const char *reason = check_size(lowering, &layer->in, no_pad);
    reason = reason == NULL ? check_size(lowering, &layer->second, no_pad) : reason;
    return reason == NULL ? check_size(lowering, &layer->out, no_pad) : reason;
}

/* The product that `requantize` scales; `output`: the result, whose matrices lie side by side or
 * not. */
static const char *lower_scaled(const struct lowering *lowering, const struct weft_node *requantize,
                                const struct weft_value *output, bool is_joined) {
    struct layer *layer = lowering->layer;
    const struct weft_value *sums = requantize->inputs[0];
    const uint8_t *bias = NULL;
    if (sums->producer->op == WEFT_OP_BIAS_ADD) {
        bias = weft_value_data(sums->producer->inputs[1]);
        sums = sums->producer->inputs[0];
    }
    const struct weft_node *product = sums->producer;
    const struct weft_value *a = parted_from(lowering, product->inputs[0], &layer->side_by_side[0]);
    const struct weft_value *b = parted_from(lowering, product->inputs[1], &layer->side_by_side[1]);
    const char *reason = set_any_shapes(lowering, a, output);
    reason =
        reason == NULL ? set_any_tensor(lowering, b, &layer->second, &layer->weight_zero) : reason;
    if (reason != NULL) {
        return reason;
    }
    layer->kind = LAYER_MATMUL;
    layer->name = "batch_matmul";
    layer->side_by_side[2] = is_joined;
    layer->input[1] = b;
    layer->input_count = 2;
    layer->in = shape_of(&product->inputs[0]->type);
    layer->second = shape_of(&product->inputs[1]->type);
    layer->out = shape_of(&sums->type);
    layer->transposed = weft_node_int(product, WEFT_ATTR_transpose_b) != 0;
    layer->macs = weft_node_macs(product);
    layer->bias = WEFT_NEW_ARRAY(lowering->arena, (size_t)layer->out.c, int32_t);
    if (bias != NULL) {
        memcpy(layer->bias, bias, (size_t)layer->out.c * sizeof *layer->bias);
    }
    for (int i = 0; i < 2; i++) {
        layer->kernel[i] = layer->stride[i] = layer->dilation[i] = 1;
    }
    reason = check_shapes(lowering, product);
    return reason == NULL ? set_requant(lowering, sums, requantize) : reason;
}

static const char *lower_matmul(const struct lowering *lowering, const struct weft_node *node,
                                const struct weft_value *output) {
    return lower_scaled(lowering, node, output, false);
}

/* `node`: the reshape that puts heads side by side, or any other. */
static const char *lower_joined(const struct lowering *lowering, const struct weft_node *node,
                                const struct weft_value *output) {
    const struct weft_node *transpose = made_inside(lowering, node->inputs[0]);
    if (transpose == NULL) {
        return "it is a reshape alone";
    }
    return lower_scaled(lowering, transpose->inputs[0]->producer, output, true);
}

static const struct layer_pattern patterns[] = {
    {"weft.batch_matmul_joined", WEFT_OP_RESHAPE, product_joined, lower_joined},
    {"weft.batch_matmul_parted", WEFT_OP_QNN_BATCH_MATMUL, product_parted, lower_matmul},
    {"weft.batch_matmul_of_parted", WEFT_OP_QNN_BATCH_MATMUL, product_of_parted, lower_matmul},
    {"weft.batch_matmul", WEFT_OP_QNN_BATCH_MATMUL, plain_product, lower_matmul},
};

/* ---- tiles ---- */

/* A piece of weights fits a bank. */
static void find_tiling(const struct plan *plan, int index, struct tiling *tiling) {
    int64_t block = plan->config->block;
    int64_t tiles = weft_bank_bytes(&plan->as_if, WEFT_MEMORY_WGT) / (block * block);
    tiling->input_blocks = blocks_of(plan->config, plan->layers[index]->in.c);
    tiling->row_steps = tiling->column_steps = tiling->rows_a_step = 1;
    tiling->chunk[0] = even_part(tiling->input_blocks, tiles);
    tiling->chunk[1] = tiling->chunk[2] = 1;
    tiling->chunks = weft_ceil_div(tiling->input_blocks, tiling->chunk[0]);
}

/* Every row has weights of its own. */
static void choose(const struct plan *plan, int index, const struct hint *hint, struct cut *cut) {
    int64_t block = plan->config->block;
    cut->tile_rows = 1;
    struct tiling tiling = {.rows = 1, .columns = cut->tile_columns};
    find_tiling(plan, index, &tiling);
    int64_t pass = weft_max(tiling.columns, block / 2);
    choose_blocks(plan, index, hint, &tiling, tiling.chunk[0] * block * block,
                  tiling.input_blocks * pass, cut);
    cut->weights_outer = false;
}

/* ---- weights ---- */

/* Pieces of WGT of the matrix of a row of the result. */
static int64_t pieces_of_row(const struct tiling *tiling) {
    return tiling->groups * tiling->chunks;
}

/* Where in the second operand the matrix of a row lies. */
static void find_matrix(const struct layer *layer, int64_t image, int64_t row,
                        struct gathered *gathered) {
    image = layer->second.n == 1 ? 0 : image;
    row = layer->second.h == 1 ? 0 : row;
    gathered->begin[0] = image;
    gathered->begin[1] = layer->side_by_side[1] ? 0 : row;
    gathered->begin[3] = layer->side_by_side[1] ? row * layer->second.c : 0;
}

/* The pieces of a group of output blocks. */
static void pack_group(struct packing *packing, int index, const struct gathered *matrix,
                       int64_t group) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    const struct tiling *t = &plan->tilings[index];
    int64_t block = plan->config->block;
    int64_t first = group * t->blocks;
    int64_t blocks = weft_min(t->blocks, blocks_of(plan->config, layer->out.c) - first);
    for (int64_t at = 0; at < t->input_blocks; at += t->chunk[0]) {
        struct gathered gathered = *matrix;
        gathered.tiles = weft_min(t->chunk[0], t->input_blocks - at);
        gathered.first_input = at * block;
        gathered.inputs = weft_min(gathered.tiles * block, layer->in.c - at * block);
        gathered.first_output = first * block;
        gathered.outputs = weft_min(blocks * block, layer->out.c - first * block);
        add_gathered(packing, blocks * gathered.tiles * block * block, &gathered);
    }
}

/* Bytes that stand where a tile has no weights. */
static void pack_padding(struct packing *packing, int index) {
    int64_t block = packing->plan->config->block;
    uint8_t *to = add_piece(packing, PIECES_PAR, block * block);
    if (to != NULL) {
        memset(to, (uint8_t)packing->plan->layers[index]->weight_zero, (size_t)(block * block));
    }
}

static void pack(struct packing *packing, int index) {
    const struct plan *plan = packing->plan;
    const struct layer *layer = plan->layers[index];
    int64_t groups = plan->tilings[index].groups;
    int64_t block = plan->config->block;
    struct gathered matrix = {.tensor = plan->region->tensors_of[index][1],
                              .transposed = layer->transposed,
                              .padding = -1};
    /* What comes byte by byte takes longer than the products: a matrix should take few banks, so
     * that much of it can come ahead, and more than one, so that they can begin. */
    matrix.together = blocks_of(plan->config, layer->in.c) * blocks_of(plan->config, layer->out.c) *
                      block * block / 2;
    if (layer->in.c % block != 0 || layer->out.c % block != 0) {
        matrix.padding = plan->first_parameters[index] + (int)groups;
    }
    for (int64_t row = 0; row < layer->out.n * layer->out.h; row++) {
        find_matrix(layer, row / layer->out.h, row % layer->out.h, &matrix);
        for (int64_t group = 0; group < groups; group++) {
            pack_group(packing, index, &matrix, group);
        }
    }
    for (int64_t group = 0; group < groups; group++) {
        pack_requant(packing, index, group);
    }
    if (matrix.padding >= 0) {
        pack_padding(packing, index);
    }
}

/* ---- instructions ---- */

/* A view of matrices that lie side by side: one in each row. */
static struct view part_heads(const struct view *view, int64_t blocks) {
    struct view parted = *view;
    parted.base = view_pixel(view, view->first_image, view->first_block, 0, 0);
    parted.pitch = blocks * view->plane;
    parted.first_row = view->first_block / blocks;
    parted.first_block = 0;
    return parted;
}

/* One piece of weights over a tile: input blocks from `at` on. */
static void emit_chunk(const struct work *work, const struct view *in, const struct tile *tile,
                       int64_t group, int piece, int64_t at) {
    const struct layer *layer = layer_of(work);
    const struct tiling *t = tiling_of(work);
    struct weft_instruction instruction = weft_instruction_new(WEFT_OPCODE_MATRIX);
    struct weft_matrix_fields *m = &instruction.matrix;
    m->mode = WEFT_MODE_DENSE;
    m->accumulate = at > 0;
    m->act = (uint32_t)view_pixel(in, tile->image, at, tile->first_row, tile->first_column);
    m->weight_zero = layer->weight_zero;
    m->act_zero = layer->zero[0];
    m->tile_count[0] = (uint32_t)group_blocks(work, group);
    m->tile_count[1] = (uint32_t)weft_min(t->chunk[0], t->input_blocks - at);
    m->tile_act_stride[1] = (int32_t)in->plane;
    m->tile_acc_stride[0] = (int32_t)(tile->rows * tile->columns);
    set_pixels(m, layer, in, tile);
    emit_with_accumulators(work, &instruction, PIECES_WGT, piece,
                           m->accumulate ? 0 : tile_accumulators(work, tile, group));
}

static void emit_matmul_tile(const struct work *work, const struct operands *operands,
                             const struct tile *tile, int64_t group) {
    const struct tiling *t = tiling_of(work);
    int64_t row = tile->image * layer_of(work)->out.h + tile->first_row;
    int piece = first_weights_of(work, group) + (int)(row * pieces_of_row(t));
    for (int64_t at = 0; at < t->input_blocks; at += t->chunk[0]) {
        emit_chunk(work, &operands->in, tile, group, piece++, at);
    }
    emit_tile_end(work, operands, tile, group);
}

static void emit_matmul(const struct work *work, const struct rows *rows) {
    const struct layer *layer = layer_of(work);
    struct rows parted = *rows;
    if (layer->side_by_side[0]) {
        parted.in[0] = part_heads(&rows->in[0], blocks_of(work->plan->config, layer->in.c));
    }
    if (layer->side_by_side[2]) {
        parted.out = part_heads(&rows->out, blocks_of(work->plan->config, layer->out.c));
    }
    emit_tiles(work, &parted, emit_matmul_tile);
}

const struct layer_operations matmul_operations = {.name = "product of two tensors",
                                                   .pattern_count = COUNT_OF(patterns),
                                                   .patterns = patterns,
                                                   .reads_on_chip = true,
                                                   .gathers_weights = true,
                                                   .makes_on_chip = true,
                                                   .has_products = true,
                                                   .rows_read = same_rows,
                                                   .choose = choose,
                                                   .tile = find_tiling,
                                                   .pack = pack,
                                                   .emit = emit_matmul};
