/* Blocks of rows and columns that become channels or images, and back: slices and joins of parts,
 * which the machine has, where there are few, else another order of axes. */
#include <string.h>

#include "base/integer.h"
#include "compiler/import/importer.h"

enum {
    MOST_SLICES = 64, /* of one tensor; with more, axes are transposed */
    MOST_BLOCKS = 3   /* axes with blocks: 1 + 2 * 3 axes, and one more */
};

/* ---- steps ---- */

static bool transposed(struct importer *importer, uint32_t rank, const int64_t *order,
                       struct weft_value **value) {
    struct weft_attribute permutation =
        weft_attr_ints(importer->arena, WEFT_ATTR_permutation, rank, order);
    return importer_infer(importer, WEFT_OP_TRANSPOSE, 1, value, 1, &permutation, value);
}

/* Which axes of a tensor are cut into blocks of which sizes: `count` axes from axis 1 on. */
struct blocks {
    uint32_t count;
    int64_t size[MOST_BLOCKS];
};

static int64_t elements_of(const struct blocks *blocks) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < blocks->count; i++) {
        elements *= blocks->size[i];
    }
    return elements;
}

/* Sizes that a tensor of the file can have, few enough for products of them. */
static bool check_blocks(const struct importer *importer, const struct blocks *blocks) {
    bool good = true;
    for (uint32_t i = 0; i < blocks->count; i++) {
        good = good && blocks->size[i] > 0 && blocks->size[i] <= INT16_MAX;
    }
    return good || importer_wrong(importer, WEFT_MODEL, "a block must have 1 to 32767 elements");
}

static bool check_divisible(const struct importer *importer, const struct weft_type *x,
                            const struct blocks *blocks) {
    bool good = x->rank > blocks->count;
    for (uint32_t i = 0; good && i < blocks->count; i++) {
        good = x->dim[1 + i] % blocks->size[i] == 0;
    }
    return good || importer_wrong(importer, WEFT_MODEL, "blocks do not divide its input");
}

/* The elements at one place of all blocks; places count row by row. */
static bool slice_of_blocks(struct importer *importer, struct weft_value *x,
                            const struct blocks *blocks, int64_t place, struct weft_value **part) {
    struct importer_slice slice = importer_whole_slice(&x->type);
    for (uint32_t i = blocks->count; i-- > 0;) {
        slice.begin[1 + i] = place % blocks->size[i];
        slice.step[1 + i] = blocks->size[i];
        slice.size[1 + i] /= blocks->size[i];
        place /= blocks->size[i];
    }
    return importer_add_slice(importer, x, &slice, part);
}

/* The places of the blocks one after another along `axis`. */
static bool join_places(struct importer *importer, struct weft_value *x,
                        const struct blocks *blocks, uint32_t axis, struct weft_value **value) {
    struct weft_value *parts[MOST_SLICES] = {NULL};
    int64_t count = elements_of(blocks);
    for (int64_t i = 0; i < count; i++) {
        if (!slice_of_blocks(importer, x, blocks, i, &parts[i])) {
            return false;
        }
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return importer_infer(importer, WEFT_OP_CONCATENATE, (uint32_t)count, parts, 1, &attribute,
                          value);
}

/* ---- blocks and channels ---- */

/* NHWC with N, H / b, b, W / b, b, C as axes of their own. */
static void split_image(const struct weft_type *x, int64_t block, int64_t dims[6]) {
    const int64_t split[] = {x->dim[0], x->dim[1] / block, block, x->dim[2] / block,
                             block,     x->dim[3]};
    memcpy(dims, split, sizeof split);
}

static bool transpose_to_depth(struct importer *importer, struct weft_value *x, int64_t block,
                               struct weft_value **value) {
    static const int64_t order[] = {0, 1, 3, 2, 4, 5};
    int64_t split[6];
    split_image(&x->type, block, split);
    const int64_t dims[] = {split[0], split[1], split[3], block * block * split[5]};
    *value = importer_reshape(importer, x, 6, split);
    if (!transposed(importer, 6, order, value)) {
        return false;
    }
    *value = importer_reshape(importer, *value, 4, dims);
    return true;
}

static bool block_operand(struct importer *importer, struct weft_value **x, struct blocks *blocks) {
    int64_t block = importer->op->options.block_size;
    *blocks = (struct blocks){2, {block, block}};
    if (!importer_input(importer, 0, x) || !check_blocks(importer, blocks)) {
        return false;
    }
    return ((*x)->type.rank == 4 && (*x)->type.quantization.count <= 1) ||
           importer_wrong(importer, WEFT_MODEL, "expected an input of 4 dimensions and one scale");
}

bool import_space_to_depth(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct blocks blocks;
    if (!importer_need_options(importer, TFLITE_TABLE_SPACE_TO_DEPTH) ||
        !block_operand(importer, &x, &blocks) || !check_divisible(importer, &x->type, &blocks)) {
        return false;
    }
    bool few = elements_of(&blocks) <= MOST_SLICES;
    return (few ? join_places(importer, x, &blocks, 3, &value)
                : transpose_to_depth(importer, x, blocks.size[0], &value)) &&
           importer_finish(importer, 0, value);
}

bool import_depth_to_space(struct importer *importer) {
    static const int64_t order[] = {0, 1, 3, 2, 4, 5};
    struct weft_value *x = NULL;
    struct blocks blocks;
    if (!importer_need_options(importer, TFLITE_TABLE_DEPTH_TO_SPACE) ||
        !block_operand(importer, &x, &blocks)) {
        return false;
    }
    int64_t block = blocks.size[0];
    const int64_t *dim = x->type.dim;
    if (dim[3] % (block * block) != 0) {
        return importer_wrong(importer, WEFT_MODEL, "blocks do not divide its channels");
    }
    const int64_t split[] = {dim[0], dim[1], dim[2], block, block, dim[3] / (block * block)};
    const int64_t dims[] = {dim[0], dim[1] * block, dim[2] * block, split[5]};
    struct weft_value *value = importer_reshape(importer, x, 6, split);
    return transposed(importer, 6, order, &value) &&
           importer_finish(importer, 0, importer_reshape(importer, value, 4, dims));
}

/* ---- blocks and images ---- */

/* Inputs: x, sizes of blocks, and a pair of numbers for each. */
static bool batch_operands(struct importer *importer, struct weft_value **x, struct blocks *blocks,
                           int64_t *pairs) {
    uint32_t pair_count = 0;
    if (!importer_input(importer, 0, x) ||
        !importer_integers(importer, 1, MOST_BLOCKS, blocks->size, &blocks->count) ||
        !importer_integers(importer, 2, 2 * MOST_BLOCKS, pairs, &pair_count) ||
        !check_blocks(importer, blocks)) {
        return false;
    }
    bool good = pair_count == 2 * blocks->count && (*x)->type.rank > blocks->count &&
                (*x)->type.rank + blocks->count <= WEFT_MAX_RANK &&
                (*x)->type.quantization.count <= 1;
    for (uint32_t i = 0; good && i < pair_count; i++) {
        good = pairs[i] >= 0 && pairs[i] <= INT32_MAX;
    }
    return good || importer_wrong(importer, WEFT_MODEL,
                                  "expected a block size and two numbers, not below 0, for each "
                                  "axis with blocks, and one scale");
}

/* Images are those of each place of the blocks, one place after another. */
static bool transpose_to_batch(struct importer *importer, struct weft_value *x,
                               const struct blocks *blocks, struct weft_value **value) {
    uint32_t rank = x->type.rank;
    uint32_t split_rank = 0;
    int64_t split[WEFT_MAX_RANK] = {0};
    int64_t order[WEFT_MAX_RANK] = {0};
    int64_t dims[WEFT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        bool cut = i >= 1 && i <= blocks->count;
        order[blocks->count + i] = split_rank;
        dims[i] = split[split_rank++] = x->type.dim[i] / (cut ? blocks->size[i - 1] : 1);
        if (cut) {
            order[i - 1] = split_rank;
            split[split_rank++] = blocks->size[i - 1];
        }
    }
    dims[0] *= elements_of(blocks);
    *value = importer_reshape(importer, x, split_rank, split);
    if (!transposed(importer, split_rank, order, value)) {
        return false;
    }
    *value = importer_reshape(importer, *value, rank, dims);
    return true;
}

bool import_space_to_batch(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct blocks blocks = {0};
    int64_t pairs[2 * MOST_BLOCKS];
    int64_t pads[2 * WEFT_MAX_RANK] = {0};
    if (!batch_operands(importer, &x, &blocks, pairs)) {
        return false;
    }
    memcpy(pads + 2, pairs, 2 * (size_t)blocks.count * sizeof *pads);
    struct weft_attribute attribute =
        weft_attr_ints(importer->arena, WEFT_ATTR_pads, 2 * x->type.rank, pads);
    if (!importer_infer(importer, WEFT_OP_PAD, 1, &x, 1, &attribute, &x) ||
        !check_divisible(importer, &x->type, &blocks)) {
        return false;
    }
    bool few = elements_of(&blocks) <= MOST_SLICES;
    return (few ? join_places(importer, x, &blocks, 0, &value)
                : transpose_to_batch(importer, x, &blocks, &value)) &&
           importer_finish(importer, 0, value);
}

/* The inverse of transpose_to_batch(). */
static bool transpose_from_batch(struct importer *importer, struct weft_value *x,
                                 const struct blocks *blocks, struct weft_value **value) {
    uint32_t rank = x->type.rank;
    uint32_t count = blocks->count;
    int64_t split[WEFT_MAX_RANK] = {0};
    int64_t order[WEFT_MAX_RANK] = {0};
    int64_t dims[WEFT_MAX_RANK] = {0};
    uint32_t at = 0;
    memcpy(split, blocks->size, count * sizeof *split);
    memcpy(split + count, x->type.dim, rank * sizeof *split);
    split[count] /= elements_of(blocks);
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = split[count + i];
        order[at++] = count + i;
        if (i >= 1 && i <= count) {
            dims[i] *= blocks->size[i - 1];
            order[at++] = i - 1;
        }
    }
    *value = importer_reshape(importer, x, count + rank, split);
    if (!transposed(importer, count + rank, order, value)) {
        return false;
    }
    *value = importer_reshape(importer, *value, rank, dims);
    return true;
}

bool import_batch_to_space(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct blocks blocks = {0};
    int64_t crops[2 * MOST_BLOCKS];
    if (!batch_operands(importer, &x, &blocks, crops)) {
        return false;
    }
    if (x->type.dim[0] % elements_of(&blocks) != 0) {
        return importer_wrong(importer, WEFT_MODEL, "blocks do not divide its images");
    }
    if (!transpose_from_batch(importer, x, &blocks, &value)) {
        return false;
    }
    struct importer_slice slice = importer_whole_slice(&value->type);
    for (uint32_t i = 0; i < blocks.count; i++) {
        slice.begin[1 + i] = crops[2 * i];
        slice.size[1 + i] -= crops[2 * i] + crops[2 * i + 1];
    }
    return importer_add_slice(importer, value, &slice, &value) &&
           importer_finish(importer, 0, value);
}
