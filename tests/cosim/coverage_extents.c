/* Coverage: extents that lie outside, and would lie inside in fewer bits or without one level.
 * Nothing else of the instruction is outside, so who adds up in fewer bits, or leaves the level
 * out, does not fault. */
#include <stdio.h>

#include "isa/footprint.h"
#include "tests/cosim/coverage_internal.h"
#include "tests/unit/helpers.h"

enum extent {
    TILES_IN_32_BITS,
    TILES_IN_40_BITS,
    COLUMNS_IN_14_BITS,
    BASE_IN_ITS_BITS, /* + the operand: the field of its base, in the field's unit */
    OUTSIDE_BY_LEVEL = BASE_IN_ITS_BITS + OPCODES * WEFT_MAX_ACCESSES * 2,
    LEVELS = WEFT_ACCESS_LEVELS,
    SIDES = 2, /* below zero, past the end */
    EXTENTS = OUTSIDE_BY_LEVEL + OPCODES * WEFT_MAX_ACCESSES * LEVELS * SIDES,
};

/* Levels of each operand. */
static const unsigned levels_of[OPCODES][WEFT_MAX_ACCESSES] = {
    [WEFT_OPCODE_LOAD] = {3, 3},      [WEFT_OPCODE_FILL] = {3},
    [WEFT_OPCODE_STORE] = {3, 3},     [WEFT_OPCODE_MATRIX] = {7, 6, 1},
    [WEFT_OPCODE_VECTOR] = {3, 5, 3},
};

static size_t extent_bins(const struct coverage *coverage) {
    (void)coverage;
    return EXTENTS;
}

static void level_label(size_t bin, char label[LABEL_BYTES]) {
    unsigned level = (unsigned)(bin / SIDES % LEVELS);
    unsigned index = (unsigned)(bin / (SIDES * LEVELS) % WEFT_MAX_ACCESSES);
    uint32_t opcode = (uint32_t)(bin / (SIDES * LEVELS * WEFT_MAX_ACCESSES));
    if (level < levels_of[opcode][index]) {
        (void)snprintf(label, LABEL_BYTES, "%s.%s %s by level %u alone",
                       weft_format_of(opcode)->name, operand_name(opcode, index, false),
                       bin % SIDES == 0 ? "below zero" : "past the end", level);
    }
}

static void extent_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const names[BASE_IN_ITS_BITS] = {
        [TILES_IN_32_BITS] = "matrix.wgt tiles inside in 32 bits",
        [TILES_IN_40_BITS] = "matrix.wgt tiles inside in 40 bits",
        [COLUMNS_IN_14_BITS] = "matrix.act columns inside in 14 bits",
    };
    label[0] = '\0';
    if (bin < BASE_IN_ITS_BITS) {
        (void)snprintf(label, LABEL_BYTES, "%s", names[bin]);
        return;
    }
    if (bin >= OUTSIDE_BY_LEVEL) {
        level_label(bin - OUTSIDE_BY_LEVEL, label);
        return;
    }
    size_t operand = bin - BASE_IN_ITS_BITS;
    uint32_t opcode = (uint32_t)(operand / (2 * WEFT_MAX_ACCESSES));
    const char *name =
        operand_name(opcode, operand % WEFT_MAX_ACCESSES, operand / WEFT_MAX_ACCESSES % 2 != 0);
    if (name != NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s.%s inside in the bits of its field",
                       weft_format_of(opcode)->name, name);
    }
}

const struct group_form form_extent = {"extent", true, extent_bins, extent_label};

static int64_t size_of(const struct cosim_case *test, const struct weft_access *access) {
    return access->memory == WEFT_EXTERNAL
               ? (int64_t)test->regions.limit[access->region]
               : weft_memory_bytes(test->config, (enum weft_memory)access->memory);
}

static bool is_inside(const struct cosim_case *test, const struct weft_access *access) {
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    return low >= 0 && high <= size_of(test, access);
}

/* The only operand that is outside, or WEFT_MAX_ACCESSES. */
static unsigned only_outside(const struct cosim_case *test,
                             const struct weft_footprint *footprint) {
    unsigned only = WEFT_MAX_ACCESSES;
    for (unsigned i = 0; i < footprint->count; i++) {
        if (!is_inside(test, &footprint->access[i])) {
            if (only != WEFT_MAX_ACCESSES) {
                return WEFT_MAX_ACCESSES;
            }
            only = i;
        }
    }
    return only;
}

static void cover_tiles(struct coverage *coverage, const struct cosim_case *test,
                        const struct weft_matrix_fields *m, const struct weft_access *wgt) {
    uint64_t tiles = 1; /* below 2^56 */
    for (unsigned i = 0; i < 4; i++) {
        tiles *= m->tile_count[i];
    }
    static const unsigned bits[] = {[TILES_IN_32_BITS] = 32, [TILES_IN_40_BITS] = 40};
    if (wgt->base > size_of(test, wgt)) {
        return;
    }
    for (unsigned i = 0; i < LENGTH(bits); i++) {
        uint64_t few = tiles & ((UINT64_C(1) << bits[i]) - 1);
        if (few <= (uint64_t)(size_of(test, wgt) - wgt->base) / (uint64_t)wgt->span) {
            hit(coverage, GROUP_EXTENT, i);
        }
    }
}

static void cover_columns(struct coverage *coverage, const struct cosim_case *test,
                          const struct weft_matrix_fields *m, const struct weft_access *act) {
    enum {
        COLUMN_LEVEL = 5 /* of the access: four of tiles and that of rows come before it */
    };
    struct weft_access few = *act;
    few.count[COLUMN_LEVEL] = ((few.count[COLUMN_LEVEL] - 1) & ((1 << 14) - 1)) + 1;
    if (m->mode == WEFT_MODE_DEPTHWISE && is_inside(test, &few)) {
        hit(coverage, GROUP_EXTENT, COLUMNS_IN_14_BITS);
    }
}

static void cover_base(struct coverage *coverage, const struct cosim_case *test,
                       const struct weft_instruction *instruction, const struct weft_access *access,
                       unsigned index) {
    bool par = access->memory == WEFT_MEMORY_PAR && instruction->opcode == WEFT_OPCODE_VECTOR;
    const char *name = operand_name(instruction->opcode, par ? 0 : index, par);
    const struct weft_field *field =
        field_of(instruction->opcode, access->memory == WEFT_EXTERNAL ? "address" : name);
    int64_t value = weft_field_get(instruction, field, 0);
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    if (value == 0) {
        return;
    }
    int64_t end = (INT64_C(1) << field->width) * (access->base / value); /* of the field, bytes */
    if (low >= 0 && high >= end && high - end <= size_of(test, access)) {
        size_t operand = (size_t)instruction->opcode * 2 * WEFT_MAX_ACCESSES;
        operand += par ? WEFT_MAX_ACCESSES : index;
        hit(coverage, GROUP_EXTENT, BASE_IN_ITS_BITS + operand);
    }
}

/* Levels without which the access would be inside. */
static void cover_levels(struct coverage *coverage, const struct cosim_case *test,
                         const struct weft_instruction *instruction,
                         const struct weft_access *access, unsigned index) {
    size_t operand = (size_t)instruction->opcode * WEFT_MAX_ACCESSES + index;
    for (unsigned level = 0; level < levels_of[instruction->opcode][index]; level++) {
        struct weft_access without = *access;
        if (level < access->levels) {
            without.count[level] = 1;
        }
        if (level < access->levels && is_inside(test, &without)) {
            bool past = access->stride[level] > 0;
            hit(coverage, GROUP_EXTENT,
                OUTSIDE_BY_LEVEL + (operand * LEVELS + level) * SIDES + (past ? 1 : 0));
        }
    }
}

void cover_extent(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(test->config, instruction);
    unsigned index = only_outside(test, &footprint);
    if (index == WEFT_MAX_ACCESSES) {
        return;
    }
    const struct weft_access *access = &footprint.access[index];
    cover_base(coverage, test, instruction, access, index);
    cover_levels(coverage, test, instruction, access, index);
    if (instruction->opcode == WEFT_OPCODE_MATRIX && access->memory == WEFT_MEMORY_WGT) {
        cover_tiles(coverage, test, &instruction->matrix, access);
    }
    if (instruction->opcode == WEFT_OPCODE_MATRIX && access->memory == WEFT_MEMORY_ACT) {
        cover_columns(coverage, test, &instruction->matrix, access);
    }
}
