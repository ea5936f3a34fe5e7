#include "isa/verify/verify.h"

#include "isa/verify/internal.h"

static bool verify_form(const struct weft_instruction *instructions, size_t count,
                        struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        bool halt = instructions[i].opcode == WEFT_OPCODE_HALT;
        if (halt != (i + 1 == count)) {
            return weft_fail(error, WEFT_VERIFY_PROGRAM, i,
                             "instruction %zu: expected exactly one HALT, as the last of %zu", i,
                             count);
        }
    }
    if (count == 0 || count > INT32_MAX) {
        return weft_fail(error, WEFT_VERIFY_PROGRAM, 0, "a program has 1 to %d instructions",
                         INT32_MAX);
    }
    return true;
}

bool weft_verify(const struct weft_config *config, const struct weft_instruction *instructions,
                 size_t count, const struct weft_regions *regions, struct weft_proof *proof,
                 struct weft_error *error) {
    *proof = (struct weft_proof){.instructions = count};
    if (!verify_form(instructions, count, error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!verify_instruction(config, &instructions[i], i, regions, proof, error) ||
            !verify_steps(proof, i, error)) {
            return false;
        }
    }
    struct happens_before order;
    if (!happens_before_create(config, instructions, count, &order, error)) {
        return false;
    }
    bool good = verify_overflow(config, &order, proof, error) &&
                verify_bank_races(config, instructions, &order, proof, error) &&
                verify_memory_races(config, instructions, &order, proof, error);
    happens_before_free(&order);
    return good;
}
