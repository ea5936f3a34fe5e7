#include "tests/cosim/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "isa/claims.h"
#include "isa/footprint.h"
#include "isa/verify/verify.h"
#include "tests/unit/helpers.h"

struct shrinker {
    struct cosim_case *best;
    struct cosim_case candidate; /* a copy of it, to be changed and tried */
    shrink_predicate *fails;
    void *context;
    unsigned most_calls;
    struct shrink_result result;
    bool failed; /* out of memory */
    struct weft_error *error;
};

static bool may_go_on(struct shrinker *shrinker) {
    shrinker->result.stopped |= shrinker->result.calls >= shrinker->most_calls;
    return !shrinker->failed && !shrinker->result.stopped;
}

/* Makes a fresh candidate. */
static bool begin(struct shrinker *shrinker) {
    case_free(&shrinker->candidate);
    if (may_go_on(shrinker) && !case_copy(shrinker->best, &shrinker->candidate, shrinker->error)) {
        shrinker->failed = true;
    }
    return may_go_on(shrinker);
}

/* Keeps the candidate if it still fails. */
static bool try_it(struct shrinker *shrinker) {
    struct weft_error ignored;
    if (!shrinker->candidate.timing_only && !case_verify(&shrinker->candidate, &ignored)) {
        return false;
    }
    shrinker->result.calls++;
    if (!shrinker->fails(shrinker->context, &shrinker->candidate)) {
        return false;
    }
    struct cosim_case kept = *shrinker->best;
    *shrinker->best = shrinker->candidate;
    shrinker->candidate = kept;
    return true;
}

/* ---- fewer instructions ---- */

static bool drop_chunk(struct shrinker *shrinker, uint32_t first, uint32_t count) {
    for (unsigned bridge = 0; bridge < 2; bridge++) {
        if (!begin(shrinker)) {
            return false;
        }
        case_remove(&shrinker->candidate, first, count, bridge != 0);
        if (try_it(shrinker)) {
            return true;
        }
    }
    return false;
}

/* Halves, quarters, ... single instructions, from the end: what stands later depends on less. */
static bool drop_all(struct shrinker *shrinker) {
    bool any = false;
    for (size_t size = (shrinker->best->program.count + 1) / 2; size > 0; size /= 2) {
        for (size_t end = shrinker->best->program.count; end >= size; end -= size) {
            any |= drop_chunk(shrinker, (uint32_t)(end - size), (uint32_t)size);
        }
    }
    return any;
}

enum {
    FEW_INSTRUCTIONS = 16, /* of which every range is tried */
};

/* Any instructions that stand together, as those do that need each other; the most first. */
static bool drop_range(struct shrinker *shrinker) {
    uint32_t count = (uint32_t)shrinker->best->program.count;
    for (uint32_t size = count; count <= FEW_INSTRUCTIONS && size-- > 2;) {
        for (uint32_t first = 0; first + size <= count; first++) {
            if (drop_chunk(shrinker, first, size)) {
                return true;
            }
        }
    }
    return false;
}

/* ---- simpler settings ---- */

static bool try_number(struct shrinker *shrinker, size_t offset, uint64_t value) {
    uint64_t now;
    memcpy(&now, (const char *)shrinker->best + offset, sizeof now);
    if (now <= value || !begin(shrinker)) {
        return false;
    }
    memcpy((char *)&shrinker->candidate + offset, &value, sizeof value);
    return try_it(shrinker);
}

static bool simplify_settings(struct shrinker *shrinker) {
    static const uint64_t latencies[] = {1, 4, 10, 50, 100};
    bool any = try_number(shrinker, offsetof(struct cosim_case, memory_dram), 0);
    any |= try_number(shrinker, offsetof(struct cosim_case, memory_interval), 1);
    bool shorter = false;
    for (size_t i = 0; i < LENGTH(latencies) && !shorter; i++) {
        shorter = try_number(shrinker, offsetof(struct cosim_case, memory_latency), latencies[i]);
    }
    any |= try_number(shrinker, offsetof(struct cosim_case, watchdog), 0);
    return any || shorter || try_number(shrinker, offsetof(struct cosim_case, data_seed), 1);
}

/* ---- simpler instructions ---- */

/* What the verifier says of an instruction alone. */
static enum weft_error_code code_of(const struct cosim_case *test,
                                    const struct weft_instruction *instruction) {
    struct weft_instruction program[] = {*instruction, weft_instruction_new(WEFT_OPCODE_HALT)};
    struct weft_proof proof;
    struct weft_error error;
    program[0].wait = 0;
    program[0].signal = 0;
    return weft_verify(test->config, program, LENGTH(program), &test->regions, &proof, &error)
               ? WEFT_OK
               : error.code;
}

static bool try_instruction(struct shrinker *shrinker, uint32_t number,
                            const struct weft_instruction *simpler) {
    const struct weft_instruction *now = &shrinker->best->program.instructions[number];
    enum weft_error_code code = code_of(shrinker->best, simpler);
    if (same_instruction(now, simpler) ||
        (code != WEFT_OK && code != code_of(shrinker->best, now)) || !begin(shrinker)) {
        return false;
    }
    shrinker->candidate.program.instructions[number] = *simpler;
    return try_it(shrinker);
}

/* What a VECTOR says of its banks follows its addresses, as long as it says something. */
static void follow(const struct shrinker *shrinker, const struct weft_footprint *footprint,
                   struct weft_instruction *instruction) {
    const struct weft_vector_fields *vector = &instruction->vector;
    if (instruction->opcode == WEFT_OPCODE_VECTOR && (vector->input_banks | vector->apart) != 0) {
        weft_claims_tell_apart(shrinker->best->config, footprint, instruction);
    }
}

/* The masks that the footprint needs. */
static bool least_banks(struct shrinker *shrinker, uint32_t number) {
    struct weft_instruction simpler = shrinker->best->program.instructions[number];
    struct weft_footprint footprint = weft_footprint_of(shrinker->best->config, &simpler);
    bool inside = weft_footprint_inside(shrinker->best->config, &footprint,
                                        shrinker->best->regions.limit, NULL);
    if (!inside) {
        return false;
    }
    weft_footprint_banks(shrinker->best->config, &footprint, simpler.banks);
    follow(shrinker, &footprint, &simpler);
    return try_instruction(shrinker, number, &simpler);
}

/* Tries the simplest value, then half of it. With other addresses come other banks. */
static bool simplify_element(struct shrinker *shrinker, uint32_t number,
                             const struct weft_field *field, unsigned index) {
    const struct weft_instruction *now = &shrinker->best->program.instructions[number];
    int64_t value = weft_field_get(now, field, index);
    int64_t least = field->kind == WEFT_KIND_COUNT ? 1 : 0;
    const int64_t values[] = {least, value / 2};
    for (unsigned i = 0; i < LENGTH(values); i++) {
        if (values[i] == value || (field->kind == WEFT_KIND_COUNT && values[i] < least)) {
            continue;
        }
        struct weft_instruction simpler = *now;
        field_set(&simpler, field, index, values[i]);
        struct weft_footprint footprint = weft_footprint_of(shrinker->best->config, &simpler);
        if (weft_footprint_inside(shrinker->best->config, &footprint, shrinker->best->regions.limit,
                                  NULL)) {
            uint32_t banks[WEFT_MEMORIES];
            weft_footprint_banks(shrinker->best->config, &footprint, banks);
            for (unsigned k = 0; k < WEFT_MEMORIES; k++) {
                simpler.banks[k] |= banks[k];
            }
            if (strcmp(field->name, "input_banks") != 0 && strcmp(field->name, "apart") != 0) {
                follow(shrinker, &footprint, &simpler);
            }
        }
        if (try_instruction(shrinker, number, &simpler)) {
            return true;
        }
    }
    return false;
}

static bool is_number(const struct weft_field *field) {
    return field->kind != WEFT_KIND_UNITS && field->kind != WEFT_KIND_BANKS;
}

/* One token less, at both its ends. */
static bool drop_token(struct shrinker *shrinker, uint32_t number, unsigned consumer) {
    uint32_t bit = 1U << consumer;
    if ((shrinker->best->program.instructions[number].signal & bit) == 0 || !begin(shrinker)) {
        return false;
    }
    case_unlink(&shrinker->candidate, number, consumer);
    return try_it(shrinker);
}

/* Lets a token lie that the instruction takes: only the verifier wants all of them taken. */
static bool leave_token(struct shrinker *shrinker, uint32_t number, unsigned producer) {
    uint32_t bit = 1U << producer;
    if (!shrinker->best->timing_only ||
        (shrinker->best->program.instructions[number].wait & bit) == 0 || !begin(shrinker)) {
        return false;
    }
    shrinker->candidate.program.instructions[number].wait &= ~bit;
    return try_it(shrinker);
}

static bool simplify_instruction(struct shrinker *shrinker, uint32_t number) {
    bool any = least_banks(shrinker, number);
    uint32_t opcode = shrinker->best->program.instructions[number].opcode;
    const struct weft_format *format = weft_format_of(opcode);
    for (unsigned i = 0; i < format->field_count; i++) {
        const struct weft_field *field = &format->fields[i];
        for (unsigned k = 0; k < field->repeat && is_number(field); k++) {
            any |= simplify_element(shrinker, number, field, k);
        }
    }
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        any |= drop_token(shrinker, number, other);
        any |= leave_token(shrinker, number, other);
    }
    return any;
}

static bool simplify_all(struct shrinker *shrinker) {
    bool any = false;
    for (uint32_t i = 0; i < shrinker->best->program.count; i++) {
        const struct weft_format *format =
            weft_format_of(shrinker->best->program.instructions[i].opcode);
        if (format != NULL && format->unit != WEFT_UNITS) {
            any |= simplify_instruction(shrinker, i);
        }
    }
    return any;
}

bool shrink(struct cosim_case *test, shrink_predicate *fails, void *context, unsigned most_calls,
            struct shrink_result *result, struct weft_error *error) {
    struct shrinker shrinker = {
        .best = test, .fails = fails, .context = context, .most_calls = most_calls, .error = error};
    bool any = true;
    while (any && may_go_on(&shrinker)) {
        any = drop_all(&shrinker);
        any |= simplify_settings(&shrinker);
        any |= simplify_all(&shrinker);
        any = any || drop_range(&shrinker);
    }
    case_free(&shrinker.candidate);
    test->also = WEFT_FAULT_NONE;
    *result = shrinker.result;
    return !shrinker.failed;
}
