#include "driver/device_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/footprint.h"
#include "isa/verify/verify.h"

/* What an instruction reaches of the regions, as far as they go. */
static void add_extents(const struct weft_config *config, const struct weft_instruction *from,
                        struct device_program *program) {
    const struct weft_footprint footprint = weft_footprint_of(config, from);
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        int64_t low = 0;
        int64_t high = 0;
        if (access->memory != WEFT_EXTERNAL) {
            continue;
        }
        weft_access_extent(access, &low, &high);
        uint64_t limit = program->regions.limit[access->region];
        uint64_t end = high < 0 ? 0 : (uint64_t)high;
        uint64_t *bytes = access->write ? &program->written_bytes[access->region]
                                        : &program->read_bytes[access->region];
        end = end < limit ? end : limit;
        *bytes = end > *bytes ? end : *bytes;
    }
}

static void decode(const struct weft_config *config, struct device_program *program) {
    bool halted = false;
    for (size_t i = 0; i < program->count; i++) {
        struct weft_instruction *instruction = &program->instructions[i];
        struct weft_error ignored;
        if (!weft_decode(program->bytes + i * WEFT_INSTRUCTION_BYTES, instruction, &ignored)) {
            *instruction = (struct weft_instruction){.opcode = WEFT_FORMATS};
        } else if (!halted) {
            add_extents(config, instruction, program);
        }
        program->proved_count += !halted;
        halted = halted || instruction->opcode == WEFT_OPCODE_HALT;
    }
}

static void program_free(struct device_program *program) {
    free(program->bytes);
    free(program->instructions);
    *program = (struct device_program){0};
}

static bool program_make(const struct weft_config *config, const uint8_t *bytes, size_t length,
                         const struct weft_regions *regions, struct device_program *program,
                         struct weft_error *error) {
    struct device_program made = {
        .length = length, .regions = *regions, .count = length / WEFT_INSTRUCTION_BYTES};
    struct weft_proof proof;
    made.bytes = weft_allocate(length, 1, "the program of a run", error);
    if (made.bytes == NULL) {
        return false;
    }
    made.instructions =
        weft_allocate(made.count, sizeof *made.instructions, "the program of a run", error);
    if (made.instructions == NULL) {
        program_free(&made);
        return false;
    }
    memcpy(made.bytes, bytes, length);
    decode(config, &made);
    made.is_rejected = !weft_verify(config, made.instructions, made.proved_count, regions, &proof,
                                    &made.rejection);
    if (made.is_rejected && made.rejection.code == WEFT_OUT_OF_MEMORY) {
        *error = made.rejection;
        program_free(&made);
        return false;
    }
    *program = made;
    return true;
}

static bool is_same(const struct device_program *program, const uint8_t *bytes, size_t length,
                    const struct weft_regions *regions) {
    return program->bytes != NULL && program->length == length &&
           memcmp(program->regions.limit, regions->limit, sizeof regions->limit) == 0 &&
           program->regions.writable == regions->writable &&
           memcmp(program->bytes, bytes, length) == 0;
}

const struct device_program *device_programs_get(struct device_programs *programs,
                                                 const struct weft_config *config,
                                                 const uint8_t *bytes, size_t length,
                                                 const struct weft_regions *regions,
                                                 struct weft_error *error) {
    for (unsigned i = 0; i < DEVICE_PROGRAMS; i++) {
        if (is_same(&programs->kept[i], bytes, length, regions)) {
            return &programs->kept[i];
        }
    }
    struct device_program *place = &programs->kept[programs->next];
    struct device_program made;
    if (!program_make(config, bytes, length, regions, &made, error)) {
        return NULL;
    }
    program_free(place);
    *place = made;
    programs->next = (programs->next + 1) % DEVICE_PROGRAMS;
    return place;
}

void device_programs_free(struct device_programs *programs) {
    for (unsigned i = 0; i < DEVICE_PROGRAMS; i++) {
        program_free(&programs->kept[i]);
    }
}
