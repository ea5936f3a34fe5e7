/* Coverage: faults, where they come from and what comes with them. */
#include <stdio.h>
#include <string.h>

#include "isa/claims.h"
#include "isa/footprint.h"
#include "tests/cosim/coverage_internal.h"

/* Names as isa/faults.def writes them; weft_fault_names are sentences. */
static const char *const faults[WEFT_FAULTS] = {
#define WEFT_FAULT_CODE(name, value, text) [value] = #name,
#include "isa/faults.def"
#undef WEFT_FAULT_CODE
};

static const char *opcode_name(uint32_t opcode) {
    const struct weft_format *format = weft_format_of(opcode);
    return format == NULL ? NULL : format->name;
}

/* ---- fault by opcode of the faulting instruction ---- */

static size_t fault_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)WEFT_FAULTS * OPCODES;
}

static void fault_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    const char *opcode = opcode_name((uint32_t)(bin % OPCODES));
    label[0] = '\0';
    if (bin / OPCODES != WEFT_FAULT_NONE && opcode != NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s of %s", faults[bin / OPCODES], opcode);
    }
}

const struct group_form form_fault = {"fault", true, fault_bins, fault_label};

/* ---- encodings ---- */

enum wrong {
    WRONG_OPCODE,
    WRONG_RESERVED,
    WRONG_COUNT,
    WRONG_ENUM,
    WRONG_WAIT,
    WRONG_SIGNAL,
    WRONG_ACT_BANK,
    WRONG_WGT_BANK,
    WRONG_ACC_BANK,
    WRONG_PAR_BANK,
    WRONGS,
};

/* Behind those bins, one for each line of weft_features. */
static size_t encoding_bins(const struct coverage *coverage) {
    (void)coverage;
    size_t bins = (size_t)WRONGS * 16;
    for (unsigned i = 0; weft_features[i].name != NULL; i++) {
        bins++;
    }
    return bins;
}

/* That an instruction needs what the configuration lacks. */
static void feature_label(const struct coverage *coverage, const struct weft_feature *feature,
                          char label[LABEL_BYTES]) {
    label[0] = '\0';
    if (!weft_config_has(coverage->config, feature)) {
        (void)snprintf(label, LABEL_BYTES, "no %.30s: %s.%s %s %d", feature->name,
                       weft_format_of(feature->opcode)->name, feature->conditions[0].field->name,
                       feature->conditions[0].is ? "is" : "is not",
                       (int)feature->conditions[0].value);
    }
}

static void encoding_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    if (bin >= (size_t)WRONGS * 16) {
        feature_label(coverage, &weft_features[bin - (size_t)WRONGS * 16], label);
        return;
    }
    static const char *const names[WRONGS] = {
        "no such opcode",   "reserved bit",     "count 0",          "no such value",
        "own wait",         "own signal",       "no such act bank", "no such wgt bank",
        "no such acc bank", "no such par bank",
    };
    const struct weft_format *format = weft_format_of((uint32_t)(bin % 16));
    bool opcode = bin / 16 == WRONG_OPCODE;
    label[0] = '\0';
    if (opcode && format == NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s %zu", names[WRONG_OPCODE], bin % 16);
    } else if (!opcode && format != NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s of %s", names[bin / 16], format->name);
    }
}

const struct group_form form_encoding = {"encoding", true, encoding_bins, encoding_label};

static enum wrong wrong_field(const struct weft_field *field) {
    return field->kind == WEFT_KIND_COUNT     ? WRONG_COUNT
           : field->kind == WEFT_KIND_ENUM    ? WRONG_ENUM
           : strcmp(field->name, "wait") == 0 ? WRONG_WAIT
                                              : WRONG_SIGNAL;
}

/* Masks of banks that the configuration does not have. */
static void cover_masks(struct coverage *coverage, const struct weft_instruction *instruction) {
    for (unsigned i = WEFT_MEMORY_ACT; i <= WEFT_MEMORY_PAR; i++) {
        uint32_t mask = weft_bank_mask(coverage->config, (enum weft_memory)i);
        if ((instruction->banks[i] & ~mask) != 0) {
            size_t wrong = (size_t)WRONG_ACT_BANK + i - WEFT_MEMORY_ACT;
            hit(coverage, GROUP_ENCODING, wrong * 16 + instruction->opcode);
        }
    }
}

static void cover_features(struct coverage *coverage, const struct weft_instruction *instruction) {
    for (unsigned i = 0; weft_features[i].name != NULL; i++) {
        if (!weft_config_has(coverage->config, &weft_features[i]) &&
            weft_feature_is_needed(&weft_features[i], instruction)) {
            hit(coverage, GROUP_ENCODING, (size_t)WRONGS * 16 + i);
        }
    }
}

static void cover_encoding(struct coverage *coverage, const struct cosim_raw *raw) {
    struct weft_instruction instruction;
    struct weft_error error;
    if (weft_decode(raw->bytes, &instruction, &error)) {
        return;
    }
    uint32_t opcode = raw->bytes[0] & 15;
    const struct weft_format *format = weft_format_of(opcode);
    enum wrong wrong = format == NULL ? WRONG_OPCODE : WRONG_RESERVED;
    for (unsigned i = 0; format != NULL && i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        if (error.position >= field->lsb &&
            error.position < field->lsb + field->width * field->repeat) {
            wrong = wrong_field(field);
        }
    }
    hit(coverage, GROUP_ENCODING, (size_t)wrong * 16 + opcode);
}

/* ---- addresses ---- */

enum side {
    SIDE_BELOW, /* by one unit of the field */
    SIDE_FAR_BELOW,
    SIDE_PAST,
    SIDE_FAR_PAST, /* more than 32 bits say */
    SIDES,
};

static size_t address_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)OPCODES * WEFT_MAX_ACCESSES * SIDES * 2;
}

/* Operands by their place in the footprint; those of VECTOR depend on the function, and only those
 * that one function has are told apart: PAR has a bin of its own. */
const char *operand_name(uint32_t opcode, unsigned index, bool par) {
    static const char *const names[OPCODES][WEFT_MAX_ACCESSES] = {
        [WEFT_OPCODE_LOAD] = {"external", "local"},  [WEFT_OPCODE_FILL] = {"local"},
        [WEFT_OPCODE_STORE] = {"external", "local"}, [WEFT_OPCODE_MATRIX] = {"act", "acc", "wgt"},
        [WEFT_OPCODE_VECTOR] = {"out", "a", "b"},
    };
    if (par) {
        return opcode == WEFT_OPCODE_VECTOR && index == 0 ? "par" : NULL;
    }
    return names[opcode][index];
}

static void address_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const sides[SIDES] = {"below zero", "far below zero", "past the end",
                                             "far past the end"};
    uint32_t opcode = (uint32_t)(bin / (2 * SIDES * WEFT_MAX_ACCESSES));
    const char *operand = operand_name(opcode, bin / SIDES % WEFT_MAX_ACCESSES,
                                       bin / SIDES / WEFT_MAX_ACCESSES % 2 != 0);
    label[0] = '\0';
    if (operand != NULL) {
        (void)snprintf(label, LABEL_BYTES, "%s.%s %s", opcode_name(opcode), operand,
                       sides[bin % SIDES]);
    }
}

const struct group_form form_address = {"address", true, address_bins, address_label};

static void cover_address(struct coverage *coverage, const struct cosim_case *test,
                          const struct weft_instruction *instruction) {
    struct weft_footprint footprint = weft_footprint_of(test->config, instruction);
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        int64_t low = 0;
        int64_t high = 0;
        weft_access_extent(access, &low, &high);
        bool par = access->memory == WEFT_MEMORY_PAR && instruction->opcode == WEFT_OPCODE_VECTOR;
        int64_t size = access->memory == WEFT_EXTERNAL
                           ? (int64_t)test->regions.limit[access->region]
                           : weft_memory_bytes(test->config, (enum weft_memory)access->memory);
        size_t bin =
            ((size_t)instruction->opcode * 2 * WEFT_MAX_ACCESSES + (par ? WEFT_MAX_ACCESSES : i)) *
            SIDES;
        int64_t far = INT64_C(1) << 32;
        if (low < 0) {
            hit(coverage, GROUP_ADDRESS, bin + (low < -far ? SIDE_FAR_BELOW : SIDE_BELOW));
        }
        if (high > size) {
            hit(coverage, GROUP_ADDRESS, bin + (high > far ? SIDE_FAR_PAST : SIDE_PAST));
        }
    }
}

/* ---- regions that cannot be written ---- */

static size_t write_bins(const struct coverage *coverage) {
    (void)coverage;
    return WEFT_REGIONS;
}

static void write_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    (void)snprintf(label, LABEL_BYTES, "region %zu", bin);
}

const struct group_form form_write = {"write", true, write_bins, write_label};

/* ---- banks ---- */

static size_t bank_bins(const struct coverage *coverage) {
    (void)coverage;
    return (size_t)2 * WEFT_CLAIMS * WEFT_UNITS * WEFT_UNITS;
}

/* Can a unit own such a thing at all? */
static bool can_claim(size_t kind, size_t unit) {
    return (kind != WEFT_CLAIM_ACT_READ || unit != WEFT_UNIT_LOAD) &&
           (kind != WEFT_CLAIM_ACT_WRITE || unit == WEFT_UNIT_LOAD || unit == WEFT_UNIT_VECTOR);
}

static void bank_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    size_t kind = bin / (WEFT_UNITS * WEFT_UNITS) % WEFT_CLAIMS;
    size_t owner = bin / WEFT_UNITS % WEFT_UNITS;
    size_t unit = bin % WEFT_UNITS;
    bool same_cycle = bin / (WEFT_UNITS * WEFT_UNITS * WEFT_CLAIMS) != 0;
    label[0] = '\0';
    if (owner != unit && (!same_cycle || owner < unit) && can_claim(kind, owner) &&
        can_claim(kind, unit)) {
        (void)snprintf(label, LABEL_BYTES, "%s %s %s %s bank", weft_unit_names[owner],
                       same_cycle ? "takes in the same cycle as" : "holds against",
                       weft_unit_names[unit], weft_claim_name(kind));
    }
}

const struct group_form form_bank = {"bank", true, bank_bins, bank_label};

static void cover_bank(struct coverage *coverage, const struct cosim_case *test,
                       const struct weft_trace *trace) {
    uint64_t cycle = trace->result.counters.cycles;
    uint32_t number = trace->result.fault_instruction;
    const struct weft_instruction *own = &test->program.instructions[number];
    unsigned unit = weft_format_of(own->opcode)->unit;
    uint32_t claims[WEFT_CLAIMS];
    weft_claims_of(test->config, own, claims);
    for (uint32_t i = 0; i < test->program.count; i++) {
        const struct weft_trace_times *times = &trace->times[i];
        const struct weft_instruction *other = &test->program.instructions[i];
        bool held = times->started != 0 && (times->finished == 0 || times->finished >= cycle);
        if (!held || weft_format_of(other->opcode)->unit == unit) {
            continue;
        }
        uint32_t held_claims[WEFT_CLAIMS];
        weft_claims_of(test->config, other, held_claims);
        for (size_t kind = 0; kind < WEFT_CLAIMS; kind++) {
            if ((claims[kind] & held_claims[kind]) != 0) {
                size_t group = (times->started == cycle ? WEFT_CLAIMS : 0) + kind;
                hit(coverage, GROUP_BANK,
                    (group * WEFT_UNITS + weft_format_of(other->opcode)->unit) * WEFT_UNITS + unit);
            }
        }
    }
}

/* ---- what else the last cycle held ---- */

enum beside {
    BESIDE_NOTHING,
    BESIDE_START,
    BESIDE_FINISH,
    BESIDE_FAULT, /* + the fault that is not reported */
    BESIDES = BESIDE_FAULT + WEFT_FAULTS,
    ESCAPES = WEFT_FAULTS * BESIDES, /* a bin of its own */
};

static size_t fault_time_bins(const struct coverage *coverage) {
    (void)coverage;
    return ESCAPES + 1;
}

static void fault_time_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    static const char *const names[] = {"alone", "as one starts", "as one finishes"};
    size_t beside = bin % BESIDES;
    label[0] = '\0';
    if (bin == ESCAPES) {
        (void)snprintf(label, LABEL_BYTES, "no fault: HALT in the cycle of the watchdog");
        return;
    }
    if (bin / BESIDES == WEFT_FAULT_NONE || beside == BESIDE_FAULT) {
        return;
    }
    if (beside < BESIDE_FAULT) {
        (void)snprintf(label, LABEL_BYTES, "%s %s", faults[bin / BESIDES], names[beside]);
    } else {
        (void)snprintf(label, LABEL_BYTES, "%s before %s", faults[bin / BESIDES],
                       faults[beside - BESIDE_FAULT]);
    }
}

const struct group_form form_fault_time = {"fault time", true, fault_time_bins, fault_time_label};

static void cover_fault_time(struct coverage *coverage, const struct cosim_case *test,
                             const struct weft_trace *trace) {
    uint64_t cycle = trace->result.counters.cycles;
    size_t bin = (size_t)trace->result.fault * BESIDES;
    bool starts = false;
    bool finishes = false;
    for (uint32_t i = 0; i < test->program.count; i++) {
        starts |= trace->times[i].started == cycle;
        finishes |= trace->times[i].finished == cycle;
    }
    hit(coverage, GROUP_FAULT_TIME, bin + BESIDE_FAULT + test->also);
    if (starts) {
        hit(coverage, GROUP_FAULT_TIME, bin + BESIDE_START);
    }
    if (finishes) {
        hit(coverage, GROUP_FAULT_TIME, bin + BESIDE_FINISH);
    }
    if (!starts && !finishes && test->also == WEFT_FAULT_NONE) {
        hit(coverage, GROUP_FAULT_TIME, bin + BESIDE_NOTHING);
    }
}

void cover_faults(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace) {
    enum weft_fault fault = trace->result.fault;
    uint32_t number = trace->result.fault_instruction;
    if (fault == WEFT_FAULT_NONE && trace->result.counters.cycles == test->watchdog) {
        hit(coverage, GROUP_FAULT_TIME, ESCAPES);
    }
    if (fault == WEFT_FAULT_NONE || number >= test->program.count) {
        return;
    }
    const struct weft_instruction *instruction = &test->program.instructions[number];
    uint32_t opcode = instruction->opcode;
    if (fault == WEFT_FAULT_ENCODING) {
        const struct cosim_raw *raw = case_raw_at(test, number);
        if (raw == NULL) {
            cover_masks(coverage, instruction);
            cover_features(coverage, instruction);
        } else {
            cover_encoding(coverage, raw);
            opcode = (raw->bytes[0] & 15) >= OPCODES ? 0 : raw->bytes[0] & 15;
        }
    } else if (fault == WEFT_FAULT_ADDRESS) {
        cover_address(coverage, test, instruction);
        cover_extent(coverage, test, instruction);
    } else if (fault == WEFT_FAULT_WRITE) {
        hit(coverage, GROUP_WRITE, instruction->store.region);
    } else if (fault == WEFT_FAULT_BANK) {
        cover_bank(coverage, test, trace);
    }
    hit(coverage, GROUP_FAULT, (size_t)fault * OPCODES + opcode);
    cover_fault_time(coverage, test, trace);
}
