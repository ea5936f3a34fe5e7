/* Sparse tensors of a file: check, and scatter. */
#include "compiler/import/sparse.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"

/* A check under way. */
struct check {
    const struct tflite_sparsity *sparsity;
    const struct weft_type *type;
    int32_t index; /* of the tensor */
    struct weft_error *error;
    int64_t block[WEFT_MAX_RANK];     /* by dimension; 1: no blocks */
    int64_t size[TFLITE_MOST_LEVELS]; /* by level */
};

static int64_t number_at(const struct tflite_vector *vector, int64_t index) {
    const uint8_t *at = vector->data + (size_t)index * vector->bytes;
    return vector->bytes == 1 ? at[0] : vector->bytes == 2 ? at[0] | at[1] << 8 : weft_read_i32(at);
}

static bool wrong(const struct check *check, const char *what) {
    return weft_fail(check->error, WEFT_MODEL, (uint64_t)check->index,
                     "tensor %" PRId32 ": sparsity: %s", check->index, what);
}

static bool wrong_level(const struct check *check, uint32_t level, const char *what, int64_t found,
                        int64_t expected) {
    return weft_fail(check->error, WEFT_MODEL, (uint64_t)check->index,
                     "tensor %" PRId32 ": sparsity: %s of level %" PRIu32 ": found %" PRId64
                     ", expected %" PRId64,
                     check->index, what, level, found, expected);
}

/* ---- order and blocks ---- */

/* Are elements [first, end) of the order these numbers, each once? */
static bool is_permutation(const struct tflite_vector *order, uint32_t first, uint32_t end) {
    uint32_t seen = 0;
    for (uint32_t i = first; i < end; i++) {
        int64_t number = number_at(order, i);
        if (number < first || number >= end || (seen >> number & 1) != 0) {
            return false;
        }
        seen |= 1U << number;
    }
    return true;
}

static bool check_order(const struct check *check) {
    const struct tflite_sparsity *sparsity = check->sparsity;
    uint32_t rank = check->type->rank;
    uint32_t levels = sparsity->level_count;
    if (levels < rank || sparsity->order.count != levels ||
        sparsity->block_map.count != levels - rank) {
        return wrong(check, "expected a place in the order and a description of each dimension "
                            "and block");
    }
    return (is_permutation(&sparsity->order, 0, rank) &&
            is_permutation(&sparsity->order, rank, levels)) ||
           wrong(check, "the order must name every dimension once, then every block");
}

/* The dimension that a level, or the block that it is of, lies along. */
static int64_t dimension_of(const struct check *check, uint32_t level) {
    int64_t place = number_at(&check->sparsity->order, level);
    uint32_t rank = check->type->rank;
    return place < rank ? place : number_at(&check->sparsity->block_map, place - rank);
}

/* The sizes of blocks, which the DENSE levels after the dimensions' own say. */
static bool check_blocks(struct check *check) {
    const struct tflite_sparsity *sparsity = check->sparsity;
    uint32_t rank = check->type->rank;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < WEFT_MAX_RANK; i++) {
        check->block[i] = 1;
    }
    for (uint32_t i = 0; i < sparsity->block_map.count; i++) {
        int64_t dimension = number_at(&sparsity->block_map, i);
        if (dimension < 0 || dimension >= rank || (seen >> dimension & 1) != 0) {
            return wrong(check, "blocks must lie along different dimensions of the tensor");
        }
        seen |= 1U << dimension;
    }
    for (uint32_t level = rank; level < sparsity->level_count; level++) {
        const struct tflite_level *block = &sparsity->levels[level];
        int64_t dimension = dimension_of(check, level);
        if (block->format != TFLITE_DENSE || block->size < 1 ||
            check->type->dim[dimension] % block->size != 0) {
            return wrong(check, "a block must be DENSE, of a size that divides its dimension");
        }
        check->block[dimension] = block->size;
        check->size[level] = block->size;
    }
    for (uint32_t level = 0; level < rank; level++) {
        int64_t dimension = dimension_of(check, level);
        check->size[level] = check->type->dim[dimension] / check->block[dimension];
    }
    return true;
}

/* ---- levels ---- */

static bool check_segments(const struct check *check, uint32_t level, int64_t parents) {
    const struct tflite_vector *segments = &check->sparsity->levels[level].segments;
    int64_t count = check->sparsity->levels[level].indices.count;
    int64_t last = 0;
    if (segments->count != parents + 1) {
        return wrong_level(check, level, "number of segment bounds", segments->count, parents + 1);
    }
    for (int64_t i = 0; i <= parents; i++) {
        int64_t bound = number_at(segments, i);
        if (bound < last || (i == 0 && bound != 0)) {
            return wrong(check, "segment bounds must rise from 0");
        }
        last = bound;
    }
    return last == count || wrong_level(check, level, "the last segment bound", last, count);
}

static bool check_indices(const struct check *check, uint32_t level) {
    const struct tflite_vector *indices = &check->sparsity->levels[level].indices;
    for (int64_t i = 0; i < indices->count; i++) {
        int64_t index = number_at(indices, i);
        if (index < 0 || index >= check->size[level]) {
            return wrong_level(check, level, "an index outside", index, check->size[level] - 1);
        }
    }
    return true;
}

/* Checks one level and counts its entries. */
static bool check_level(const struct check *check, uint32_t level, int64_t *entries) {
    const struct tflite_level *from = &check->sparsity->levels[level];
    if (from->format == TFLITE_DENSE) {
        if (from->size != check->size[level]) {
            return wrong_level(check, level, "size", from->size, check->size[level]);
        }
        *entries *= from->size; /* both below 2^31 */
        return *entries <= WEFT_MAX_ELEMENTS || wrong(check, "it describes 2^31 elements or more");
    }
    if (from->format != TFLITE_SPARSE_CSR) {
        return wrong_level(check, level, "format", from->format, TFLITE_SPARSE_CSR);
    }
    if (!check_segments(check, level, *entries) || !check_indices(check, level)) {
        return false;
    }
    *entries = from->indices.count;
    return true;
}

/* How far apart in the dense tensor neighbours along each level are. */
static void find_strides(const struct check *check, struct sparse_layout *layout) {
    int64_t stride[WEFT_MAX_RANK];
    int64_t elements = 1;
    for (uint32_t i = check->type->rank; i > 0; i--) {
        stride[i - 1] = elements;
        elements *= check->type->dim[i - 1];
    }
    for (uint32_t level = 0; level < check->sparsity->level_count; level++) {
        int64_t dimension = dimension_of(check, level);
        bool is_block = level >= check->type->rank;
        layout->stride[level] = stride[dimension] * (is_block ? 1 : check->block[dimension]);
    }
}

bool sparse_check(const struct tflite_tensor *tensor, int32_t index, const struct weft_type *type,
                  struct sparse_layout *layout, struct weft_error *error) {
    struct check check = {
        .sparsity = tensor->sparsity, .type = type, .index = index, .error = error};
    *layout = (struct sparse_layout){.sparsity = tensor->sparsity, .stored = 1};
    if (!check_order(&check) || !check_blocks(&check)) {
        return false;
    }
    for (uint32_t level = 0; level < tensor->sparsity->level_count; level++) {
        if (!check_level(&check, level, &layout->stored)) {
            return false;
        }
        layout->steps += layout->stored;
    }
    find_strides(&check, layout);
    return true;
}

/* ---- scattering ---- */

/* What stays the same on the way down the levels. */
struct walk {
    const struct sparse_layout *layout;
    size_t size;
    const uint8_t *values;
    uint8_t *dense;
};

/* Places what is stored below entry `entry` of the level before, whose first element is `first` of
 * the dense tensor. Calls itself once for each level, of which there are at most
 * TFLITE_MOST_LEVELS. */
static void scatter(const struct walk *walk, uint32_t level, int64_t entry, int64_t first) {
    const struct tflite_sparsity *sparsity = walk->layout->sparsity;
    if (level == sparsity->level_count) {
        memcpy(walk->dense + (size_t)first * walk->size, walk->values + (size_t)entry * walk->size,
               walk->size);
        return;
    }
    const struct tflite_level *from = &sparsity->levels[level];
    bool dense = from->format == TFLITE_DENSE;
    int64_t begin = dense ? entry * from->size : number_at(&from->segments, entry);
    int64_t end = dense ? begin + from->size : number_at(&from->segments, entry + 1);
    for (int64_t i = begin; i < end; i++) {
        int64_t element = dense ? i - begin : number_at(&from->indices, i);
        scatter(walk, level + 1, i, first + element * walk->layout->stride[level]);
    }
}

void sparse_scatter(const struct sparse_layout *layout, size_t size, const uint8_t *values,
                    uint8_t *dense) {
    struct walk walk = {layout, size, values, dense};
    scatter(&walk, 0, 0, 0);
}
