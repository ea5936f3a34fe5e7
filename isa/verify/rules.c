/* The rules that an instruction keeps or breaks by itself. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/integer.h"
#include "isa/verify/internal.h"

struct rule {
    const struct weft_config *config;
    const struct weft_instruction *instruction;
    size_t number;
    struct weft_proof *proof;
    struct weft_error *error;
};

static bool broken(const struct rule *rule, enum weft_error_code code, const char *what) {
    return weft_fail(rule->error, code, rule->number, "instruction %zu (%s): %s", rule->number,
                     weft_format_of(rule->instruction->opcode)->name, what);
}

/* ---- fields ---- */

/* Only what is coded has a base; it is one run, to whole pairs of lines. */
static bool load_fields(const struct rule *rule) {
    const struct weft_load_fields *l = &rule->instruction->load;
    if (!weft_load_is_coded(l)) {
        return (l->units == 0 && l->base == 0) ||
               broken(rule, WEFT_VERIFY_RESERVED,
                      "only a LOAD of coded weights to WGT has units and base");
    }
    if (l->local % (2 * rule->config->block) != 0) {
        return broken(rule, WEFT_VERIFY_RESERVED,
                      "local of coded weights is not a multiple of 2B bytes");
    }
    for (unsigned i = 0; i < 3; i++) {
        if (l->count[i] != 1 || l->address_stride[i] != 0 || l->local_stride[i] != 0) {
            return broken(rule, WEFT_VERIFY_RESERVED, "coded weights are not one run");
        }
    }
    return true;
}

static bool matrix_fields(const struct rule *rule) {
    const struct weft_matrix_fields *m = &rule->instruction->matrix;
    if (m->wgt % (2 * rule->config->block) != 0) {
        return broken(rule, WEFT_VERIFY_RESERVED, "wgt is not a multiple of 2B bytes");
    }
    if (m->mode == WEFT_MODE_DEPTHWISE ? m->window_first != 0 || m->act_zero != 0
        : m->window_rows == 0          ? m->window_columns != 0 || m->window_row_stride != 0 ||
                                    m->window_step != 0 || m->window_first != 0
                              : m->window_step != 0) {
        return broken(rule, WEFT_VERIFY_RESERVED,
                      "window or zero point without a meaning are not 0");
    }
    return true;
}

static bool vector_fields(const struct rule *rule) {
    const struct weft_vector_fields *v = &rule->instruction->vector;
    if (v->shift < -31) {
        return broken(rule, WEFT_VERIFY_RESERVED, "shift is -32, expected -31 to 31");
    }
    if (v->low > v->high) {
        return broken(rule, WEFT_VERIFY_RESERVED, "low is above high");
    }
    if ((weft_vector_reads(v->function) & WEFT_READS_WINDOW) == 0 &&
        (v->window_count[0] != 1 || v->window_count[1] != 1 || v->window_stride[0] != 0 ||
         v->window_stride[1] != 0)) {
        return broken(rule, WEFT_VERIFY_RESERVED, "only POOL has a window");
    }
    if (v->function == WEFT_FUNCTION_SOFTMAX ? v->lanes < 1 || v->lanes > rule->config->block
                                             : v->lanes != 0) {
        return broken(rule, WEFT_VERIFY_RESERVED,
                      "lanes is not 1 to B (SOFTMAX), or not 0 (all others)");
    }
    if ((weft_vector_reads(v->function) & WEFT_READS_REQUANT) == 0 &&
        (v->per_channel != 0 || v->rounding != WEFT_ROUNDING_GEMMLOWP)) {
        return broken(rule, WEFT_VERIFY_RESERVED, "only REQUANT has per_channel and rounding");
    }
    if (v->short_records != 0 && v->per_channel == 0) {
        return broken(rule, WEFT_VERIFY_RESERVED, "only REQUANT per channel has short_records");
    }
    return true;
}

/* Masks have bits for more banks than a configuration may have. */
static bool masks(const struct rule *rule) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        uint32_t mask = weft_bank_mask(rule->config, (enum weft_memory)i);
        if ((rule->instruction->banks[i] & ~mask) != 0) {
            return weft_fail(rule->error, WEFT_VERIFY_RESERVED, rule->number,
                             "instruction %zu (%s): its mask of %s banks is 0x%" PRIx32
                             ", but %s has %" PRIu32,
                             rule->number, weft_format_of(rule->instruction->opcode)->name,
                             weft_memory_names[i], rule->instruction->banks[i],
                             weft_memory_names[i], weft_banks(rule->config, (enum weft_memory)i));
        }
    }
    return true;
}

static bool fields(const struct rule *rule) {
    if (!weft_instruction_check(rule->instruction, rule->error)) {
        rule->error->code = WEFT_VERIFY_RESERVED;
        rule->error->position = rule->number;
        return weft_fail_context(rule->error, "instruction %zu", rule->number);
    }
    if (!masks(rule)) {
        return false;
    }
    const struct weft_feature *lacks = weft_config_lacks(rule->config, rule->instruction);
    if (lacks != NULL) {
        return weft_fail(rule->error, WEFT_VERIFY_RESERVED, rule->number,
                         "instruction %zu (%s): needs %s, which the configuration does not have",
                         rule->number, weft_format_of(rule->instruction->opcode)->name,
                         lacks->name);
    }
    switch (rule->instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return load_fields(rule);
    case WEFT_OPCODE_MATRIX:
        return matrix_fields(rule);
    case WEFT_OPCODE_VECTOR:
        return vector_fields(rule);
    default:
        return true;
    }
}

/* ---- addresses ---- */

static bool bounds(const struct rule *rule, const struct weft_footprint *footprint,
                   const struct weft_regions *regions) {
    const struct weft_access *outside = NULL;
    if (!weft_footprint_inside(rule->config, footprint, regions->limit, &outside)) {
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(outside, &low, &high);
        uint64_t size = outside->memory == WEFT_EXTERNAL
                            ? regions->limit[outside->region]
                            : weft_memory_bytes(rule->config, outside->memory);
        return weft_fail(rule->error, WEFT_VERIFY_BOUNDS, rule->number,
                         "instruction %zu (%s): bytes %" PRId64 " to %" PRId64
                         " of %s (region %" PRIu32 "), which has %" PRIu64,
                         rule->number, weft_format_of(rule->instruction->opcode)->name, low,
                         high - 1, weft_access_name(outside), outside->region, size);
    }
    return true;
}

/* A program that changed itself would not be the one that was verified. */
static bool writes(const struct rule *rule, const struct weft_regions *regions) {
    uint32_t region = rule->instruction->store.region;
    if (rule->instruction->opcode != WEFT_OPCODE_STORE ||
        (region != WEFT_REGION_PROGRAM && weft_region_is_writable(regions, region))) {
        return true;
    }
    return weft_fail(rule->error, WEFT_VERIFY_WRITE, rule->number,
                     "instruction %zu (store): stores to region %" PRIu32
                     ", which cannot be written",
                     rule->number, region);
}

static bool banks(const struct rule *rule, const struct weft_footprint *footprint) {
    uint32_t touched[WEFT_MEMORIES];
    weft_footprint_banks(rule->config, footprint, touched);
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        uint32_t missing = touched[i] & ~rule->instruction->banks[i];
        if (missing != 0) {
            return weft_fail(rule->error, WEFT_VERIFY_BANKS, rule->number,
                             "instruction %zu (%s): touches %s banks 0x%" PRIx32
                             ", its mask is 0x%" PRIx32,
                             rule->number, weft_format_of(rule->instruction->opcode)->name,
                             weft_memory_names[i], touched[i], rule->instruction->banks[i]);
        }
    }
    return true;
}

/* What a VECTOR says that it only reads, or only writes. */
static bool sides(const struct rule *rule, const struct weft_footprint *footprint) {
    const struct weft_vector_fields *vector = &rule->instruction->vector;
    for (unsigned i = 0; i < footprint->count; i++) {
        const struct weft_access *access = &footprint->access[i];
        if (rule->instruction->opcode != WEFT_OPCODE_VECTOR || access->memory != WEFT_MEMORY_ACT ||
            (!access->write && vector->apart == 0)) {
            continue;
        }
        uint32_t touched = weft_access_banks(rule->config, access);
        uint32_t wrong =
            access->write ? touched & vector->input_banks : touched & ~vector->input_banks;
        if (wrong != 0) {
            return weft_fail(rule->error, WEFT_VERIFY_BANKS, rule->number,
                             "instruction %zu (vector): %s act banks 0x%" PRIx32
                             ", its input_banks are 0x%" PRIx32 "%s",
                             rule->number, access->write ? "writes" : "reads", touched,
                             vector->input_banks, access->write ? "" : " and apart is 1");
        }
    }
    return true;
}

/* ---- depthwise ---- */

static bool depthwise(const struct rule *rule) {
    const struct weft_matrix_fields *m = &rule->instruction->matrix;
    int32_t block = (int32_t)rule->config->block;
    if (m->window_rows < 1 || m->window_rows > 4 || m->window_columns < 1 ||
        m->window_rows * m->window_columns > rule->config->block || m->window_step < 1) {
        return broken(rule, WEFT_VERIFY_DEPTHWISE,
                      "a window has 1 to 4 rows, at least 1 column, at most B taps, and a step");
    }
    bool whole = (int32_t)m->act % block == 0 && m->window_row_stride % block == 0;
    for (unsigned i = 0; i < 4; i++) {
        whole = whole && m->tile_act_stride[i] % block == 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        whole = whole && m->pixel_act_stride[i] % block == 0;
    }
    if (!whole) {
        return broken(rule, WEFT_VERIFY_DEPTHWISE, "addresses and strides are not whole lines");
    }
    uint32_t seen = 0;
    for (uint32_t row = 0; row < m->window_rows; row++) {
        uint32_t sub_bank = (uint32_t)(m->window_row_stride / block) * row % 4;
        if ((seen >> sub_bank & 1) != 0) {
            return broken(rule, WEFT_VERIFY_DEPTHWISE, "two rows of a window share a sub-bank");
        }
        seen |= 1U << sub_bank;
    }
    return true;
}

/* ---- dense pixels in two rows of a window ---- */

/* The lines of a pixel are up to two neighbours, and one or two lines further up to two more: with
 * this distance those that are read lie in different sub-banks wherever the pixel begins. */
static bool dense_rows(const struct rule *rule) {
    const struct weft_matrix_fields *m = &rule->instruction->matrix;
    int32_t block = (int32_t)rule->config->block;
    if (m->window_rows == 0) {
        return true;
    }
    if (m->window_rows == 1 || m->window_columns == 0) {
        return broken(rule, WEFT_VERIFY_DEPTHWISE, "a dense window has at least 2 rows of 1 byte");
    }
    uint32_t sub_banks = (uint32_t)(m->window_row_stride / block) % 4;
    if (m->window_row_stride % block != 0 || (sub_banks != 1 && sub_banks != 2)) {
        return broken(rule, WEFT_VERIFY_DEPTHWISE,
                      "what lies between the rows is not 1 or 2 lines more than a multiple of 4");
    }
    return true;
}

/* ---- distinct addresses ---- */

struct walk {
    unsigned levels;
    int64_t count[6];
    int64_t stride[6];
};

static void walk_add(struct walk *walk, int64_t count, int64_t stride) {
    if (count > 1) {
        walk->count[walk->levels] = count;
        walk->stride[walk->levels] = stride;
        walk->levels++;
    }
}

static int by_stride(const void *a, const void *b) {
    int64_t x = llabs(((const int64_t *)a)[1]);
    int64_t y = llabs(((const int64_t *)b)[1]);
    return (x > y) - (x < y);
}

/* Marks every position; false when one is met twice. `seen` has a bit for each position. */
static bool mark(const struct walk *walk, unsigned level, int64_t position, uint64_t *seen) {
    if (level == walk->levels) {
        uint64_t bit = UINT64_C(1) << (position % 64);
        bool fresh = (seen[position / 64] & bit) == 0;
        seen[position / 64] |= bit;
        return fresh;
    }
    for (int64_t i = 0; i < walk->count[level]; i++) {
        if (!mark(walk, level + 1, position + i * walk->stride[level], seen)) {
            return false;
        }
    }
    return true;
}

/* Are all positions of the walk different? At most `size` of them can be, the size of the memory
 * that the walk lies in: WALK_POSITIONS or less. */
enum {
    WALK_POSITIONS = 1 << 18
};

static bool distinct(const struct walk *walk, int64_t size) {
    int64_t sorted[6][2];
    int64_t total = 1;
    int64_t lowest = 0;
    for (unsigned i = 0; i < walk->levels; i++) {
        sorted[i][0] = walk->count[i];
        sorted[i][1] = walk->stride[i];
        total *= walk->count[i];
        lowest += weft_min((walk->count[i] - 1) * walk->stride[i], 0);
        if (total > size) {
            return false;
        }
    }
    /* Levels that nest, each stride longer than the reach of all shorter ones, are distinct. */
    qsort(sorted, walk->levels, sizeof sorted[0], by_stride);
    int64_t reach = 0;
    bool nests = true;
    for (unsigned i = 0; i < walk->levels; i++) {
        nests = nests && llabs(sorted[i][1]) > reach;
        reach += (sorted[i][0] - 1) * llabs(sorted[i][1]);
    }
    if (nests) {
        return true;
    }
    uint64_t seen[WALK_POSITIONS / 64] = {0};
    return reach < WALK_POSITIONS && mark(walk, 0, -lowest, seen);
}

static bool accumulators(const struct rule *rule) {
    const struct weft_matrix_fields *m = &rule->instruction->matrix;
    struct walk walk = {0};
    for (unsigned i = 0; i < 2; i++) {
        walk_add(&walk, m->pixel_count[i], m->pixel_acc_stride[i]);
    }
    int64_t entries = weft_acc_entries(rule->config);
    if (!distinct(&walk, entries)) {
        return broken(rule, WEFT_VERIFY_ACCUMULATOR, "two pixels of a pass share an accumulator");
    }
    for (unsigned i = 0; i < 4; i++) {
        walk_add(&walk, m->tile_acc_stride[i] == 0 ? 1 : m->tile_count[i], m->tile_acc_stride[i]);
    }
    return distinct(&walk, entries) ||
           broken(rule, WEFT_VERIFY_ACCUMULATOR,
                  "tile levels that are not reductions share accumulators");
}

/* ---- overlap ---- */

static bool same_walk(const struct weft_vector_fields *v, uint32_t operand, const int32_t *stride) {
    for (unsigned i = 0; i < 3; i++) {
        if (v->count[i] > 1 && stride[i] != v->out_stride[i]) {
            return false;
        }
    }
    return operand == v->out;
}

/* Reads run ahead of writes. Working in place is fine when every line is visited once. */
static bool overlap(const struct rule *rule, const struct weft_footprint *footprint) {
    const struct weft_vector_fields *v = &rule->instruction->vector;
    struct walk walk = {0};
    for (unsigned i = 0; i < 3; i++) {
        walk_add(&walk, v->count[i], v->out_stride[i]);
    }
    int64_t lines = (int64_t)rule->config->act_bytes / rule->config->block;
    for (unsigned i = 1; i < footprint->count; i++) {
        if (footprint->access[i].memory != WEFT_MEMORY_ACT) {
            continue;
        }
        bool is_a = i == 1;
        bool in_place = (weft_vector_reads(v->function) & WEFT_READS_WINDOW) == 0 &&
                        same_walk(v, is_a ? v->a : v->b, is_a ? v->a_stride : v->b_stride) &&
                        distinct(&walk, lines);
        if (!in_place && weft_access_overlap(&footprint->access[0], &footprint->access[i],
                                             &rule->proof->steps)) {
            return broken(rule, WEFT_VERIFY_OVERLAP,
                          is_a ? "results overlap operand a" : "results overlap operand b");
        }
    }
    return true;
}

bool verify_instruction(const struct weft_config *config,
                        const struct weft_instruction *instruction, size_t number,
                        const struct weft_regions *regions, struct weft_proof *proof,
                        struct weft_error *error) {
    struct rule rule = {config, instruction, number, proof, error};
    if (!fields(&rule)) {
        return false;
    }
    bool is_matrix = instruction->opcode == WEFT_OPCODE_MATRIX;
    if (is_matrix && instruction->matrix.mode == WEFT_MODE_DENSE && !dense_rows(&rule)) {
        return false;
    }
    if (is_matrix && instruction->matrix.mode == WEFT_MODE_DEPTHWISE && !depthwise(&rule)) {
        return false;
    }
    struct weft_footprint footprint = weft_footprint_of(config, instruction);
    if (!bounds(&rule, &footprint, regions) || !writes(&rule, regions) ||
        !banks(&rule, &footprint) || !sides(&rule, &footprint)) {
        return false;
    }
    if (is_matrix) {
        return accumulators(&rule);
    }
    return instruction->opcode != WEFT_OPCODE_VECTOR || overlap(&rule, &footprint);
}

bool verify_steps(const struct weft_proof *proof, size_t number, struct weft_error *error) {
    return proof->steps <= WEFT_VERIFY_STEPS ||
           weft_fail(error, WEFT_LIMIT, number,
                     "instruction %zu: to verify the program up to here takes more than %llu steps",
                     number, (unsigned long long)WEFT_VERIFY_STEPS);
}
