/* Coverage: what an instruction asks of its unit. */
#include <stdio.h>
#include <string.h>

#include "isa/footprint.h"
#include "sim/timing/duration.h"
#include "tests/cosim/coverage_internal.h"

/* Puts "KIND NAME" into a label. */
static void labelled(unsigned kind, const char *name, char label[LABEL_BYTES]) {
    char first[LABEL_BYTES];
    kind_label(kind, first);
    (void)snprintf(label, LABEL_BYTES, "%.40s %.50s", first, name);
}

/* ---- transfers ---- */

enum {
    TRANSFERS = KIND_STORE + 1, /* kinds */
};

enum transfer {
    LOCAL_AT_LINE,
    LOCAL_INSIDE_LINE,
    ADDRESS_AT_BEAT,
    ADDRESS_INSIDE_BEAT,
    RUN_OF_BYTE,
    RUN_BELOW_LINE,
    RUN_OF_LINES,
    RUN_OVER_BOUNDARY,
    RUN_OF_BURSTS,
    ONE_RUN,
    SEVERAL_RUNS,
    THREE_LEVELS,
    MEMORY_FIRST,
    MEMORY_LAST,
    REGION_FIRST,
    REGION_LAST,
    BEATS_SHIFTED,
    RUNS_OVERLAP,
    TRANSFER_NAMES,
};

static const char *const transfer_names[TRANSFER_NAMES] = {
    [LOCAL_AT_LINE] = "local at a line",
    [LOCAL_INSIDE_LINE] = "local inside a line",
    [ADDRESS_AT_BEAT] = "address at a beat",
    [ADDRESS_INSIDE_BEAT] = "address inside a beat",
    [RUN_OF_BYTE] = "run of one byte",
    [RUN_BELOW_LINE] = "run shorter than a line",
    [RUN_OF_LINES] = "run of whole lines",
    [RUN_OVER_BOUNDARY] = "run over a burst boundary",
    [RUN_OF_BURSTS] = "run of three bursts",
    [ONE_RUN] = "one run",
    [SEVERAL_RUNS] = "several runs",
    [THREE_LEVELS] = "runs in three levels",
    [MEMORY_FIRST] = "first byte of the memory",
    [MEMORY_LAST] = "last byte of the memory",
    [REGION_FIRST] = "first byte of the region",
    [REGION_LAST] = "last byte of the region",
    [BEATS_SHIFTED] = "beats shifted against lines",
    [RUNS_OVERLAP] = "runs over each other",
};

static size_t transfer_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)TRANSFERS * TRANSFER_NAMES;
}

static void transfer_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    labelled((unsigned)(bin / TRANSFER_NAMES), transfer_names[bin % TRANSFER_NAMES], label);
}

const struct group_form form_transfer = {"transfer", false, transfer_bins, transfer_label};

static void set_external(const struct coverage *coverage, const struct cosim_case *test,
                         const struct weft_access *access, bool is[TRANSFER_NAMES]) {
    int64_t width = coverage->config->memory_width;
    int64_t burst = coverage->config->memory_burst;
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    is[ADDRESS_AT_BEAT] = access->base % width == 0;
    is[ADDRESS_INSIDE_BEAT] = access->base % width != 0;
    is[RUN_OVER_BOUNDARY] = access->base / burst != (access->base + access->span - 1) / burst;
    is[RUN_OF_BURSTS] = (access->base + access->span - 1) / burst - access->base / burst >= 2;
    is[REGION_FIRST] = low == 0;
    is[REGION_LAST] = (uint64_t)high == test->regions.limit[access->region];
}

static void set_local(const struct coverage *coverage, const struct weft_access *access,
                      bool is[TRANSFER_NAMES]) {
    int64_t block = coverage->config->block;
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    unsigned used = 0;
    for (unsigned i = 0; i < 3; i++) {
        used += access->count[i] > 1;
        is[RUNS_OVERLAP] |= access->count[i] > 1 && access->stride[i] < access->span &&
                            -access->stride[i] < access->span;
    }
    is[LOCAL_AT_LINE] = access->base % block == 0;
    is[LOCAL_INSIDE_LINE] = access->base % block != 0;
    is[RUN_OF_BYTE] = access->span == 1;
    is[RUN_BELOW_LINE] = access->span < block;
    is[RUN_OF_LINES] = access->span % block == 0;
    is[ONE_RUN] = used == 0;
    is[SEVERAL_RUNS] = used > 0;
    is[THREE_LEVELS] = used == 3;
    is[MEMORY_FIRST] = low == 0;
    is[MEMORY_LAST] = high == weft_memory_bytes(coverage->config, (enum weft_memory)access->memory);
}

static void cover_transfer(struct coverage *coverage, const struct cosim_case *test,
                           const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(coverage->config, instruction);
    bool is[TRANSFER_NAMES] = {false};
    int64_t shift[2] = {0};
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        shift[i] = access->base % coverage->config->memory_width;
        if (access->memory == WEFT_EXTERNAL) {
            set_external(coverage, test, access, is);
        } else {
            set_local(coverage, access, is);
        }
    }
    is[BEATS_SHIFTED] = footprint.count == 2 && shift[0] != shift[1];
    for (unsigned i = 0; i < TRANSFER_NAMES; i++) {
        if (is[i]) {
            hit(coverage, GROUP_TRANSFER, (size_t)kind_of(instruction) * TRANSFER_NAMES + i);
        }
    }
}

/* ---- reductions: which of the four tile levels add to what is there ---- */

static size_t reduction_bins(const struct coverage *coverage) {
    (void)coverage;
    return 2 * 2 * 16 + 2 * 16;
}

static void reduction_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    unsigned levels = (unsigned)bin % 16;
    char which[5];
    for (unsigned i = 0; i < 4; i++) {
        which[i] = (levels >> i & 1) != 0 ? (char)('0' + i) : '-';
    }
    which[4] = '\0';
    static const char *const modes[] = {"dense", "depthwise"};
    if (bin < 64) {
        (void)snprintf(label, LABEL_BYTES, "%s accumulate=%zu reduces over %s", modes[bin / 32],
                       bin / 16 % 2, which);
    } else {
        (void)snprintf(label, LABEL_BYTES, "%s moves over %s", modes[bin / 16 % 2], which);
    }
}

const struct group_form form_reduction = {"reduction", false, reduction_bins, reduction_label};

static void cover_reduction(struct coverage *coverage, const struct weft_matrix_fields *m) {
    unsigned reduces = 0;
    unsigned moves = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (m->tile_count[i] > 1) {
            reduces |= (m->tile_acc_stride[i] == 0) ? 1U << i : 0;
            moves |= (m->tile_acc_stride[i] != 0) ? 1U << i : 0;
        }
    }
    hit(coverage, GROUP_REDUCTION, m->mode * 32 + m->accumulate * 16 + reduces);
    hit(coverage, GROUP_REDUCTION, 64 + m->mode * 16 + moves);
}

/* ---- windows ---- */

static const char *const window_names[] = {
    "one column", "several columns", "B taps",       "odd taps in several tiles", "step 1",
    "step 2",     "step 15",         "rows upwards", "2^14 columns or more",
};
enum {
    WINDOW_NAMES = sizeof window_names / sizeof window_names[0],
    MOST_WINDOW_ROWS = 4,
};

static size_t window_bins(const struct coverage *coverage) {
    (void)coverage;
    return MOST_WINDOW_ROWS * (size_t)WINDOW_NAMES;
}

static void window_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    (void)snprintf(label, LABEL_BYTES, "rows=%zu %s", bin / WINDOW_NAMES + 1,
                   window_names[bin % WINDOW_NAMES]);
}

const struct group_form form_window = {"window", false, window_bins, window_label};

static uint64_t tiles_of(const struct weft_matrix_fields *m) {
    uint64_t tiles = 1;
    for (unsigned i = 0; i < 4; i++) {
        tiles *= m->tile_count[i];
    }
    return tiles;
}

/* Columns that a row of outputs reads. */
static uint64_t columns_of(const struct weft_matrix_fields *m) {
    return m->mode == WEFT_MODE_DENSE
               ? m->pixel_count[1]
               : (uint64_t)(m->pixel_count[1] - 1) * m->window_step + m->window_columns;
}

static void cover_window(struct coverage *coverage, const struct weft_matrix_fields *m) {
    uint32_t taps = m->window_rows * m->window_columns;
    if (m->window_rows < 1 || m->window_rows > MOST_WINDOW_ROWS) {
        return; /* the verifier refuses it */
    }
    const bool is[WINDOW_NAMES] = {
        m->window_columns == 1,
        m->window_columns > 1,
        taps == coverage->config->block,
        taps % 2 == 1 && tiles_of(m) > 1,
        m->window_step == 1,
        m->window_step == 2,
        m->window_step == 15,
        m->window_rows > 1 && m->window_row_stride < 0,
        columns_of(m) >= UINT64_C(1) << 14,
    };
    for (unsigned i = 0; i < WINDOW_NAMES; i++) {
        if (is[i]) {
            hit(coverage, GROUP_WINDOW, (size_t)(m->window_rows - 1) * WINDOW_NAMES + i);
        }
    }
}

/* ---- dense pixels in two rows of a window ---- */

static const char *const dense_rows_names[] = {
    "a row ends in the first tile",
    "a row ends in a later tile",
    "no row ends in a tile",
    "a row ends between two tiles",
    "all rows have ended",
    "the window begins again",
    "rows upwards",
    "the innermost level moves",
    "a row ends in the first line",
    "a row ends in the second line",
    "a row ends with a line",
    "a pixel in one line and another row",
    "no lane before the end",
};
enum {
    DENSE_ROWS_NAMES = sizeof dense_rows_names / sizeof dense_rows_names[0],
};

static size_t dense_rows_bins(const struct coverage *coverage) {
    (void)coverage;
    return DENSE_ROWS_NAMES;
}

static void dense_rows_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    (void)snprintf(label, LABEL_BYTES, "%s", dense_rows_names[bin]);
}

const struct group_form form_dense_rows = {"dense rows", false, dense_rows_bins, dense_rows_label};

/* What the tile with this index along the innermost level is for its first pixel. */
static void cover_dense_tile(struct coverage *coverage, const struct weft_matrix_fields *m,
                             int64_t index) {
    uint32_t block = coverage->config->block;
    const struct weft_dense_tile tile = weft_dense_tile_of(coverage->config, m, index);
    const struct weft_dense_tile next = weft_dense_tile_of(coverage->config, m, index + 1);
    uint32_t offset =
        (uint32_t)(m->act + index * m->tile_act_stride[3] + tile.skipped) & (block - 1);
    bool ends = tile.end < block;
    bool all = tile.skipped == (int64_t)(m->window_rows - 1) * m->window_row_stride;
    bool goes_on = index + 1 < (int64_t)m->tile_count[3];
    const bool is[DENSE_ROWS_NAMES] = {
        ends && index == 0,
        ends && index > 0,
        !ends && !all,
        !ends && goes_on && next.skipped != tile.skipped,
        all,
        goes_on && m->tile_count[0] * m->tile_count[1] * m->tile_count[2] > 1,
        m->window_row_stride < 0,
        goes_on && m->tile_acc_stride[3] != 0,
        ends && tile.end + offset < block,
        ends && tile.end + offset > block,
        ends && tile.end + offset == block,
        ends && offset == 0,
        tile.end == 0,
    };
    for (unsigned i = 0; i < DENSE_ROWS_NAMES; i++) {
        if (is[i]) {
            hit(coverage, GROUP_DENSE_ROWS, i);
        }
    }
}

static void cover_dense_rows(struct coverage *coverage, const struct weft_matrix_fields *m) {
    enum {
        TILES = 64 /* the rows have ended by then */
    };
    for (int64_t i = 0; i < (int64_t)m->tile_count[3] && i < TILES; i++) {
        cover_dense_tile(coverage, m, i);
    }
}

/* ---- passes ---- */

static size_t pass_bins(const struct coverage *coverage) {
    (void)coverage;
    return 2 * 2 * 4;
}

static void pass_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const lengths[] = {"one cycle", "shorter than a tile's load", "as long",
                                          "longer"};
    (void)snprintf(label, LABEL_BYTES, "%s %s: pass %s", bin < 8 ? "dense" : "depthwise",
                   bin / 4 % 2 == 0 ? "one tile" : "several tiles", lengths[bin % 4]);
}

const struct group_form form_pass = {"pass", false, pass_bins, pass_label};

static void cover_pass(struct coverage *coverage, const struct weft_matrix_fields *m) {
    uint64_t cycles = m->pixel_count[0] * columns_of(m);
    uint64_t tile = weft_matrix_duration(coverage->config, m).weight_tile;
    unsigned length = cycles == 1 ? 0 : cycles < tile ? 1 : cycles == tile ? 2 : 3;
    hit(coverage, GROUP_PASS, m->mode * 8 + (tiles_of(m) > 1 ? 4 : 0) + length);
}

/* ---- functions of VECTOR ---- */

enum vector_shape {
    SINGLE,
    AS_FLOAT,
    PER_CHANNEL,
    SINGLE_PER_CHANNEL,
    AS_FLOAT_PER_CHANNEL,
    SHORT_RECORDS,
    SINGLE_SHORT_RECORDS,
    AS_FLOAT_SHORT_RECORDS,
    IN_PLACE_A,
    IN_PLACE_B,
    SAME_OPERANDS,
    SHARES_BANK,
    APART,
    CLAMP_ONE,
    CLAMP_NOTHING,
    MULTIPLIER_ZERO,
    MULTIPLIER_MOST,
    SHIFT_LEAST,
    SHIFT_MOST,
    ONE_VECTOR,
    SEVERAL_BLOCKS,
    VECTOR_NAMES,
};

static const char *const vector_names[VECTOR_NAMES] = {
    [SINGLE] = "single rounding",
    [AS_FLOAT] = "float rounding",
    [PER_CHANNEL] = "per channel",
    [SINGLE_PER_CHANNEL] = "single per channel",
    [AS_FLOAT_PER_CHANNEL] = "float per channel",
    [SHORT_RECORDS] = "short records",
    [SINGLE_SHORT_RECORDS] = "single short records",
    [AS_FLOAT_SHORT_RECORDS] = "float short records",
    [IN_PLACE_A] = "works on a in place",
    [IN_PLACE_B] = "works on b in place",
    [SAME_OPERANDS] = "a and b the same",
    [SHARES_BANK] = "result in the bank of a",
    [APART] = "result apart from a",
    [CLAMP_ONE] = "clamps to one value",
    [CLAMP_NOTHING] = "clamps nothing",
    [MULTIPLIER_ZERO] = "multiplier 0",
    [MULTIPLIER_MOST] = "largest multiplier",
    [SHIFT_LEAST] = "shift -31",
    [SHIFT_MOST] = "shift 31",
    [ONE_VECTOR] = "one vector",
    [SEVERAL_BLOCKS] = "several channel blocks",
};

static size_t vector_bins(const struct coverage *coverage) {
    (void)coverage;
    return (KINDS - KIND_VECTOR) * (size_t)VECTOR_NAMES;
}

static void vector_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    labelled(KIND_VECTOR + (unsigned)(bin / VECTOR_NAMES), vector_names[bin % VECTOR_NAMES], label);
}

const struct group_form form_vector = {"vector", false, vector_bins, vector_label};

static void set_places(const struct coverage *coverage, const struct weft_instruction *instruction,
                       bool is[VECTOR_NAMES]) {
    const struct weft_vector_fields *v = &instruction->vector;
    struct weft_footprint footprint = weft_footprint_of(coverage->config, instruction);
    const struct weft_access *out = &footprint.access[0];
    const struct weft_access *a = &footprint.access[1];
    bool has_a = footprint.count > 1 && a->memory == WEFT_MEMORY_ACT;
    bool has_b = (weft_vector_reads(v->function) & WEFT_READS_B) != 0;
    is[IN_PLACE_A] = has_a && v->a == v->out && weft_access_overlap(out, a, NULL);
    is[IN_PLACE_B] = has_b && v->b == v->out;
    is[SAME_OPERANDS] = has_b && v->b == v->a;
    is[SHARES_BANK] = has_a && (weft_access_banks(coverage->config, out) &
                                weft_access_banks(coverage->config, a)) != 0;
    is[APART] = has_a && !is[SHARES_BANK];
}

static void cover_vector(struct coverage *coverage, const struct weft_instruction *instruction) {
    const struct weft_vector_fields *v = &instruction->vector;
    bool is[VECTOR_NAMES] = {false};
    set_places(coverage, instruction, is);
    is[SINGLE] = v->rounding == WEFT_ROUNDING_SINGLE && v->per_channel == 0;
    is[AS_FLOAT] = v->rounding == WEFT_ROUNDING_FLOAT && v->per_channel == 0;
    is[PER_CHANNEL] = v->rounding == WEFT_ROUNDING_GEMMLOWP && v->per_channel != 0;
    is[SINGLE_PER_CHANNEL] = v->rounding == WEFT_ROUNDING_SINGLE && v->per_channel != 0;
    is[AS_FLOAT_PER_CHANNEL] = v->rounding == WEFT_ROUNDING_FLOAT && v->per_channel != 0;
    is[SHORT_RECORDS] = v->rounding == WEFT_ROUNDING_GEMMLOWP && v->short_records != 0;
    is[SINGLE_SHORT_RECORDS] = v->rounding == WEFT_ROUNDING_SINGLE && v->short_records != 0;
    is[AS_FLOAT_SHORT_RECORDS] = v->rounding == WEFT_ROUNDING_FLOAT && v->short_records != 0;
    is[CLAMP_ONE] = v->low == v->high;
    is[CLAMP_NOTHING] = v->low == -128 && v->high == 127;
    is[MULTIPLIER_ZERO] = v->multiplier == 0;
    is[MULTIPLIER_MOST] = v->multiplier == INT32_MAX;
    is[SHIFT_LEAST] = v->shift == -31;
    is[SHIFT_MOST] = v->shift == 31;
    is[ONE_VECTOR] = v->count[0] * v->count[1] * v->count[2] == 1;
    is[SEVERAL_BLOCKS] = v->count[0] > 1;
    for (unsigned i = 0; i < VECTOR_NAMES; i++) {
        if (is[i]) {
            hit(coverage, GROUP_VECTOR, (size_t)v->function * VECTOR_NAMES + i);
        }
    }
}

void cover_shapes(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
    case WEFT_OPCODE_FILL:
    case WEFT_OPCODE_STORE:
        cover_transfer(coverage, test, instruction);
        break;
    case WEFT_OPCODE_MATRIX:
        cover_reduction(coverage, &instruction->matrix);
        cover_pass(coverage, &instruction->matrix);
        if (instruction->matrix.mode == WEFT_MODE_DEPTHWISE) {
            cover_window(coverage, &instruction->matrix);
        } else if (instruction->matrix.window_rows > 0) {
            cover_dense_rows(coverage, &instruction->matrix);
        }
        break;
    case WEFT_OPCODE_VECTOR:
        cover_vector(coverage, instruction);
        break;
    default:
        break;
    }
}
