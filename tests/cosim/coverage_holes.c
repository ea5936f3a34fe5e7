/* Every bin that cannot be met, with the reason. A reason whose bin is met after all is reported as
 * wrong, so this table cannot hide anything. */
#include <fnmatch.h>
#include <string.h>

#include "base/integer.h"
#include "isa/coding.h"
#include "tests/cosim/coverage_internal.h"
#include "tests/unit/helpers.h"

/* ---- values of fields ---- */

static int64_t act_bytes(const struct weft_config *config) {
    return config->act_bytes;
}

static int64_t act_last(const struct weft_config *config) {
    return config->act_bytes - 1;
}

static int64_t act_lines(const struct weft_config *config) {
    return config->act_bytes / config->block - 1;
}

static int64_t act_banks(const struct weft_config *config) {
    return weft_bank_mask(config, WEFT_MEMORY_ACT);
}

static int64_t wgt_banks(const struct weft_config *config) {
    return weft_bank_mask(config, WEFT_MEMORY_WGT);
}

static int64_t acc_banks(const struct weft_config *config) {
    return weft_bank_mask(config, WEFT_MEMORY_ACC);
}

static int64_t par_banks(const struct weft_config *config) {
    return weft_bank_mask(config, WEFT_MEMORY_PAR);
}

static int64_t results(const struct weft_config *config) {
    return config->act_bytes / config->block;
}

static int64_t wgt_bytes(const struct weft_config *config) {
    return config->wgt_bytes - 1;
}

static int64_t wgt_units(const struct weft_config *config) {
    return config->wgt_bytes / weft_unit_weights(config);
}

static int64_t wgt_tiles(const struct weft_config *config) {
    return config->wgt_bytes / config->block;
}

static int64_t acc_entries(const struct weft_config *config) {
    return weft_acc_entries(config);
}

static int64_t last_entry(const struct weft_config *config) {
    return weft_acc_entries(config) - 1;
}

static int64_t region_bytes(const struct weft_config *config) {
    (void)config;
    return (1 << 24) - 1;
}

static int64_t window_rows(const struct weft_config *config) {
    return config->dense_rows != 0 ? (1 << 3) - 1 : 4;
}

static int64_t window_columns(const struct weft_config *config) {
    return config->dense_rows != 0 ? (1 << 6) - 1 : config->block;
}

static int64_t window_first(const struct weft_config *config) {
    return config->dense_rows != 0 ? (1 << 6) - 1 : 0;
}

static int64_t lanes(const struct weft_config *config) {
    bool softmax = config->softmax != 0 && config->lookup != 0 && config->gemmlowp != 0;
    return softmax ? config->block : 0;
}

/* Opcode 0: every one that has the field. */
static const struct {
    uint32_t opcode;
    const char *field;
    int64_t (*most)(const struct weft_config *config);
    const char *reason;
} limited[] = {
    {WEFT_OPCODE_LOAD, "address", region_bytes, "regions of these tests have less than 16 MB"},
    {WEFT_OPCODE_STORE, "address", region_bytes, "regions of these tests have less than 16 MB"},
    {WEFT_OPCODE_LOAD, "local", act_last, "past the end of ACT, the largest memory"},
    {WEFT_OPCODE_FILL, "local", act_last, "past the end of ACT"},
    {WEFT_OPCODE_STORE, "local", act_last, "past the end of ACT"},
    {WEFT_OPCODE_LOAD, "run", act_bytes, "longer than ACT, the largest memory"},
    {WEFT_OPCODE_LOAD, "units", wgt_units, "WGT does not hold so many"},
    {WEFT_OPCODE_FILL, "run", act_bytes, "longer than ACT"},
    {WEFT_OPCODE_STORE, "run", act_bytes, "longer than ACT"},
    {WEFT_OPCODE_MATRIX, "act", act_last, "past the end of ACT"},
    {WEFT_OPCODE_MATRIX, "wgt", wgt_bytes, "past the end of WGT"},
    {WEFT_OPCODE_MATRIX, "acc", last_entry, "past the end of ACC"},
    {WEFT_OPCODE_MATRIX, "tile_count", wgt_tiles, "WGT does not hold so many tiles of one tap"},
    {WEFT_OPCODE_MATRIX, "pixel_count", acc_entries, "ACC has fewer entries"},
    {WEFT_OPCODE_MATRIX, "window_rows", window_rows, "a window has at most 4 rows"},
    {WEFT_OPCODE_MATRIX, "window_columns", window_columns, "a window has at most B taps"},
    {WEFT_OPCODE_MATRIX, "window_first", window_first, "only dense windows have it"},
    {WEFT_OPCODE_VECTOR, "out", act_lines, "past the end of ACT"},
    {WEFT_OPCODE_VECTOR, "count", results, "results of these tests have room in ACT side by side"},
    {WEFT_OPCODE_VECTOR, "lanes", lanes, "only SOFTMAX has lanes, at most B"},
    {0, "act_banks", act_banks, "the configuration has no such bank"},
    {0, "input_banks", act_banks, "the configuration has no such bank"},
    {0, "wgt_banks", wgt_banks, "the configuration has no such bank"},
    {0, "acc_banks", acc_banks, "the configuration has no such bank"},
    {0, "par_banks", par_banks, "the configuration has no such bank"},
};

static const char *limit_reason(const struct coverage *coverage, const struct element *element,
                                int64_t value) {
    for (size_t i = 0; i < LENGTH(limited); i++) {
        if ((limited[i].opcode == 0 || limited[i].opcode == element->opcode) &&
            strcmp(limited[i].field, element->field->name) == 0 &&
            value > limited[i].most(coverage->config)) {
            return limited[i].reason;
        }
    }
    return NULL;
}

/* Fields that the verifier wants to be multiples. */
static int64_t grain_of(const struct coverage *coverage, const struct element *element) {
    bool matrix = element->opcode == WEFT_OPCODE_MATRIX;
    return matrix && strcmp(element->field->name, "wgt") == 0 ? 2 * coverage->config->block
           : matrix && strcmp(element->field->name, "window_row_stride") == 0
               ? coverage->config->block
               : 1;
}

static const char *grain_reason(const struct coverage *coverage, const struct element *element,
                                int64_t value) {
    return value % grain_of(coverage, element) == 0
               ? NULL
               : "wgt is a multiple of 2B, strides of windows of B";
}

/* What the configuration lacks; `value` is one of the field, or, with `bit`, a bit of others too.
 */
static const char *feature_reason(const struct coverage *coverage, const struct element *element,
                                  int64_t value, bool bit) {
    for (const struct weft_feature *feature = weft_features; feature->name != NULL; feature++) {
        bool is = feature->conditions[0].is;
        if (!weft_config_has(coverage->config, feature) && feature->opcode == element->opcode &&
            feature->conditions[0].field == element->field &&
            feature->conditions[1].field == NULL && !(bit && is) &&
            (value == feature->conditions[0].value) == is) {
            return "the configuration lacks what it needs";
        }
    }
    return NULL;
}

static const struct element *element_of_bit(const struct coverage *coverage, size_t bit) {
    size_t i = 0;
    while (i + 1 < coverage->elements && coverage->element[i + 1].first_bit <= bit) {
        i++;
    }
    return &coverage->element[i];
}

static const char *bit_reason(const struct coverage *coverage, size_t bin) {
    const struct element *element = element_of_bit(coverage, bin / 2);
    int64_t value = INT64_C(1) << (bin / 2 - element->first_bit);
    if (bin % 2 == 0) {
        return NULL;
    }
    if (element->field->kind == WEFT_KIND_UNITS &&
        value == INT64_C(1) << weft_format_of(element->opcode)->unit) {
        return "no unit waits for itself";
    }
    const char *reason = limit_reason(coverage, element, value);
    reason = reason != NULL ? reason : feature_reason(coverage, element, value, true);
    return reason != NULL ? reason : grain_reason(coverage, element, value);
}

static const char *corner_reason(const struct coverage *coverage, size_t bin) {
    const struct element *element = &coverage->element[bin / 2];
    int64_t value =
        bin % 2 == 0 ? field_low(element->field) : field_high(element->opcode, element->field);
    const char *reason = limit_reason(coverage, element, value);
    reason = reason != NULL ? reason : feature_reason(coverage, element, value, false);
    return reason != NULL ? reason : grain_reason(coverage, element, value);
}

/* ---- kinds of instructions that the configuration lacks ---- */

static bool is_lacked(const struct weft_config *config, unsigned kind) {
    bool load = kind < KIND_FILL;
    if (!load && kind < KIND_VECTOR) {
        return false;
    }
    struct weft_instruction instruction =
        weft_instruction_new(load ? WEFT_OPCODE_LOAD : WEFT_OPCODE_VECTOR);
    if (load) {
        instruction.load.memory = kind - KIND_LOAD;
    } else {
        instruction.vector.function = kind - KIND_VECTOR;
        instruction.vector.rounding = WEFT_ROUNDING_SINGLE; /* has others than those of REQUANT */
    }
    return weft_config_lacks(config, &instruction) != NULL;
}

/* Does the bin's name have that of such a kind? */
static const char *kind_reason(const struct coverage *coverage, const char *label) {
    for (unsigned kind = 0; kind < KINDS; kind++) {
        char name[LABEL_BYTES];
        kind_label(kind, name);
        const char *found = strstr(label, name);
        char behind = found == NULL ? 'x' : found[strlen(name)];
        if ((behind == '\0' || behind == ' ') && is_lacked(coverage->config, kind)) {
            return "the configuration lacks such instructions";
        }
    }
    return NULL;
}

/* ---- everything else, by name ---- */

static bool always(const struct weft_config *config) {
    (void)config;
    return true;
}

/* A MATRIX starts W cycles behind the one before at the soonest, and 7 cycles of drain follow its
 * stream: see matrix in docs/timing.md. */
static bool drains_early(const struct weft_config *config) {
    return 2 + 6 / (config->block / 2) < config->matrix_instructions;
}

static bool drains_earlier(const struct weft_config *config) {
    return 3 + 6 / (config->block / 2) < config->matrix_instructions;
}

/* A MATRIX streams when those in flight before it that share its ACC banks have finished: all but
 * the last in flight have banks of their own. */
static bool has_few_accumulators(const struct weft_config *config) {
    return config->acc_banks + 1 < config->matrix_instructions;
}

static bool has_one_par_bank(const struct weft_config *config) {
    return config->par_banks == 1;
}

static bool has_act_masks(const struct weft_config *config) {
    return config->act_banks == weft_memory_banks[WEFT_MEMORY_ACT];
}

static bool has_wgt_masks(const struct weft_config *config) {
    return config->wgt_banks == weft_memory_banks[WEFT_MEMORY_WGT];
}

static bool has_acc_masks(const struct weft_config *config) {
    return config->acc_banks == weft_memory_banks[WEFT_MEMORY_ACC];
}

static bool has_par_masks(const struct weft_config *config) {
    return config->par_banks == weft_memory_banks[WEFT_MEMORY_PAR];
}

static bool lacks_dense_rows(const struct weft_config *config) {
    return config->dense_rows == 0;
}

static bool lacks_short_records(const struct weft_config *config) {
    return config->short_records == 0;
}

static bool lacks_lookup(const struct weft_config *config) {
    return config->lookup == 0;
}

static bool lacks_gemmlowp(const struct weft_config *config) {
    return config->gemmlowp == 0;
}

static bool holds_few_pixels(const struct weft_config *config) {
    return (weft_acc_entries(config) - 1) * 15 + config->block < 1 << 14;
}

static const struct {
    enum group group;
    const char *label; /* a pattern of fnmatch(3) */
    bool (*holds)(const struct weft_config *config);
    const char *reason;
} reasons[] = {
    {GROUP_FIELD_CORNER, "fill.act_banks is 0", always, "FILL writes ACT"},
    {GROUP_FIELD_CORNER, "store.act_banks is 0", always, "STORE reads ACT"},
    {GROUP_FIELD_CORNER, "matrix.[aw]*_banks is 0", always, "MATRIX reads ACT and WGT, writes ACC"},
    {GROUP_FIELD_CORNER, "vector.act_banks is 0", always, "VECTOR writes ACT"},
    {GROUP_FIELD_CORNER, "vector.input_banks is 4294967295", always, "VECTOR writes ACT"},
    {GROUP_FIELD_CORNER, "store.region is 0", always, "nothing is stored into the program"},
    {GROUP_FIELD_CORNER, "vector.shift is -32", always, "the verifier wants -31 to 31"},
    {GROUP_STRIDE, "matrix.pixel_acc_stride* used zero", always, "pixels of a pass are distinct"},
    {GROUP_STRIDE, "matrix.window_row_stride used zero", always, "rows lie in different sub-banks"},
    {GROUP_TRANSFER, "fill address*", always, "FILL has no external side"},
    {GROUP_TRANSFER, "fill *region", always, "FILL has no external side"},
    {GROUP_TRANSFER, "fill *burst*", always, "FILL has no external side"},
    {GROUP_TRANSFER, "fill beats*", always, "FILL has no external side"},
    {GROUP_WINDOW, "rows=1 rows upwards", always, "one row has no stride"},
    {GROUP_WINDOW, "rows=[24] odd taps*", always, "even rows make even taps"},
    {GROUP_WINDOW, "* 2^14 columns*", holds_few_pixels, "ACC has fewer entries than it takes"},
    {GROUP_DENSE_ROWS, "*", lacks_dense_rows, "the configuration lacks what it needs"},
    {GROUP_WINDOW, "rows=3 B taps", always, "B is a power of two"},
    {GROUP_VECTOR, "vector.[!r]* *single*", always, "only REQUANT has a rounding"},
    {GROUP_VECTOR, "vector.[!r]* *float*", always, "only REQUANT has a rounding"},
    {GROUP_VECTOR, "vector.[!r]* *per channel", always, "only REQUANT is per channel"},
    {GROUP_VECTOR, "vector.rescale *single*", always, "only REQUANT has a rounding"},
    {GROUP_VECTOR, "vector.rescale *float*", always, "only REQUANT has a rounding"},
    {GROUP_VECTOR, "vector.rescale *per channel", always, "only REQUANT is per channel"},
    {GROUP_VECTOR, "vector.[!r]* *short records", always, "only REQUANT is per channel"},
    {GROUP_VECTOR, "vector.rescale *short records", always, "only REQUANT is per channel"},
    {GROUP_VECTOR, "*short records", lacks_short_records, "the configuration lacks what it needs"},
    {GROUP_VECTOR, "vector.requant *place", always, "REQUANT reads ACC"},
    {GROUP_VECTOR, "vector.requant a and b*", always, "REQUANT has no second operand"},
    {GROUP_VECTOR, "vector.requant result*", always, "REQUANT reads ACC"},
    {GROUP_VECTOR, "vector.pool *place", always, "a window is read again after a result"},
    {GROUP_VECTOR, "vector.[plcr][oue]* *on b in place", always, "no second operand"},
    {GROUP_VECTOR, "vector.[plcr][oue]* a and b*", always, "no second operand"},
    {GROUP_VECTOR, "vector.fill *place", always, "FILL has no operands"},
    {GROUP_VECTOR, "vector.fill a and b*", always, "FILL has no operands"},
    {GROUP_VECTOR, "vector.fill result*", always, "FILL has no operands"},
    {GROUP_VECTOR, "vector.softmax *on b in place", always, "no second operand"},
    {GROUP_VECTOR, "vector.softmax a and b*", always, "no second operand"},
    {GROUP_OVERLAP, "load.lut with vector.lut", always, "both own the one bank of LUT"},
    {GROUP_OVERLAP, "load.lut with vector.softmax", always, "both own the one bank of LUT"},
    {GROUP_OVERLAP, "load.par with vector.requant", has_one_par_bank, "both own the one of PAR"},
    {GROUP_OVERLAP, "load.par with vector.add", has_one_par_bank, "both own the one of PAR"},
    {GROUP_OVERLAP, "load.par with vector.sub", has_one_par_bank, "both own the one of PAR"},
    {GROUP_OVERLAP, "load.par with vector.squared_difference", has_one_par_bank,
     "both own the one of PAR"},
    {GROUP_STALL, "load waits for load", always, "no unit waits for itself"},
    {GROUP_STALL, "fill waits for load", always, "no unit waits for itself"},
    {GROUP_STALL, "store waits for store", always, "no unit waits for itself"},
    {GROUP_STALL, "matrix waits for matrix", always, "no unit waits for itself"},
    {GROUP_STALL, "vector waits for vector", always, "no unit waits for itself"},
    {GROUP_STALL, "[!f]* waits for a LOAD of its bank", always, "only FILL waits for LOADs"},
    {GROUP_STALL, "vector waits for one in flight", always,
     "VECTOR is one at a time: that is waiting for its unit"},
    {GROUP_STALL, "matrix waits for one in flight", drains_early,
     "the first of so many has drained when the next can start"},
    {GROUP_LIMIT, "instructions of matrix", drains_earlier,
     "the first of so many has drained when the last starts"},
    {GROUP_LIMIT, "instructions of matrix", has_few_accumulators, "ACC has fewer banks"},
    {GROUP_TOGETHER, "vector starts as vector finishes", always,
     "VECTOR is in flight up to its finish"},
    {GROUP_VECTOR, "vector.requant per channel", lacks_gemmlowp, "it rounds otherwise"},
    {GROUP_VECTOR, "vector.requant short records", lacks_gemmlowp, "it rounds otherwise"},
    {GROUP_BANK, "* lut bank", lacks_lookup, "there is no LUT"},
    {GROUP_COUNTER, "fetch_lost", always, "fetch comes first at the port"},
    {GROUP_FAULT, "ADDRESS of fence", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "ADDRESS of halt", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "BANK of fence", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "BANK of halt", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "SEMAPHORE of fence", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "SEMAPHORE of halt", always, "FENCE and HALT run on no unit"},
    {GROUP_FAULT, "DEADLOCK of fence", always, "it carries the number of a queue's head"},
    {GROUP_FAULT, "DEADLOCK of halt", always, "it carries the number of a queue's head"},
    {GROUP_FAULT, "WRITE of [!s]*", always, "only STORE writes regions"},
    {GROUP_FAULT, "BUS of*", always, "only hardware raises it"},
    {GROUP_ENCODING, "* of fence", always, "FENCE has no fields"},
    {GROUP_ENCODING, "* of halt", always, "HALT has no fields"},
    {GROUP_ENCODING, "no such value of [!v]*", always, "all values of its fields exist"},
    {GROUP_ENCODING, "no such act bank of *", has_act_masks, "all banks of its mask exist"},
    {GROUP_ENCODING, "no such wgt bank of *", has_wgt_masks, "all banks of its mask exist"},
    {GROUP_ENCODING, "no such acc bank of *", has_acc_masks, "all banks of its mask exist"},
    {GROUP_ENCODING, "no such par bank of *", has_par_masks, "all banks of its mask exist"},
    {GROUP_ADDRESS, "matrix.wgt *below zero", always, "WGT is walked upwards"},
    {GROUP_EXTENT, "matrix.wgt below zero*", always, "WGT is walked upwards"},
    {GROUP_ADDRESS, "vector.par *below zero", always, "PAR is walked upwards"},
    {GROUP_ADDRESS, "vector.par far past*", always, "2^14 lines and 2^12 records stay below"},
    {GROUP_FAULT_TIME, "*BUS*", always, "only hardware raises it"},
    {GROUP_FAULT_TIME, "SEMAPHORE alone", always, "a finish raises it"},
    {GROUP_FAULT_TIME, "DEADLOCK as*", always, "nothing is in flight"},
    {GROUP_FAULT_TIME, "DEADLOCK before [!W]*", always, "nothing is in flight"},
    {GROUP_FAULT_TIME, "DEADLOCK before WRITE", always, "nothing is in flight"},
    {GROUP_FAULT_TIME, "[!W]* before DEADLOCK", always,
     "dispatch tries a legal instruction and no unit does anything"},
    {GROUP_FAULT_TIME, "WRITE before DEADLOCK", always,
     "dispatch tries a legal instruction and no unit does anything"},
    {GROUP_FAULT_TIME, "WRITE before [AS]*", always, "store comes last, and WRITE after these"},
    {GROUP_FAULT_TIME, "WRITE before WRITE", always, "one STORE starts in a cycle"},
    {GROUP_FAULT_TIME, "* before ENCODING", always, "faults of dispatch come first"},
    {GROUP_FAULT_TIME, "* before PROGRAM_END", always, "faults of dispatch come first"},
    {GROUP_FAULT_TIME, "WATCHDOG before*", always, "WATCHDOG comes last"},
};

/* Bins of ENCODING that FENCE and HALT do have. */
static bool is_exempt(enum group group, const char *label) {
    return group == GROUP_ENCODING && strncmp(label, "reserved bit", 12) == 0;
}

const char *hole_reason(const struct coverage *coverage, enum group group, size_t bin,
                        const char *label) {
    if (group == GROUP_FIELD_BIT) {
        return bit_reason(coverage, bin);
    }
    const char *reason = group == GROUP_FIELD_CORNER ? corner_reason(coverage, bin)
                         : coverage->faults          ? NULL
                                                     : kind_reason(coverage, label);
    for (size_t i = 0; i < LENGTH(reasons) && reason == NULL && !is_exempt(group, label); i++) {
        if (reasons[i].group == group && reasons[i].holds(coverage->config) &&
            fnmatch(reasons[i].label, label, 0) == 0) {
            reason = reasons[i].reason;
        }
    }
    return reason;
}
