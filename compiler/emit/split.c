/* From what a layer asks for to instructions that exist: the counts of a level have 12 or 16 bits,
 * so a longer level becomes several instructions. */
#include "base/integer.h"
#include "compiler/emit/emit.h"
#include "isa/record.h"

enum {
    LEVELS = 3 /* of every instruction but MATRIX, whose pixels the accumulators limit */
};

/* ---- the levels of an instruction ---- */

static const uint32_t *counts_in(const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return instruction->load.count;
    case WEFT_OPCODE_FILL:
        return instruction->fill.count;
    case WEFT_OPCODE_STORE:
        return instruction->store.count;
    case WEFT_OPCODE_VECTOR:
        return instruction->vector.count;
    default:
        return NULL;
    }
}

static uint32_t *counts_of(struct weft_instruction *instruction) {
    return (uint32_t *)counts_in(instruction);
}

static void move(uint32_t *address, int64_t steps, int32_t stride) {
    *address = (uint32_t)(*address + steps * stride);
}

/* Moves the beginning of an instruction by some steps of a level. */
static void step_over(struct weft_instruction *instruction, int level, int64_t steps) {
    struct weft_vector_fields *v = &instruction->vector;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        move(&instruction->load.address, steps, instruction->load.address_stride[level]);
        move(&instruction->load.local, steps, instruction->load.local_stride[level]);
        break;
    case WEFT_OPCODE_FILL:
        move(&instruction->fill.local, steps, instruction->fill.local_stride[level]);
        break;
    case WEFT_OPCODE_STORE:
        move(&instruction->store.address, steps, instruction->store.address_stride[level]);
        move(&instruction->store.local, steps, instruction->store.local_stride[level]);
        break;
    default:
        move(&v->out, steps, v->out_stride[level]);
        move(&v->a, steps, v->a_stride[level]);
        move(&v->b, steps, v->b_stride[level]);
        if (v->function == WEFT_FUNCTION_REQUANT && level == 0) {
            move(&v->par, steps, (int32_t)weft_vector_record_lines(v));
        }
        break;
    }
}

static void clear_level(struct weft_instruction *instruction, int level) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        instruction->load.address_stride[level] = instruction->load.local_stride[level] = 0;
        break;
    case WEFT_OPCODE_FILL:
        instruction->fill.local_stride[level] = 0;
        break;
    case WEFT_OPCODE_STORE:
        instruction->store.address_stride[level] = instruction->store.local_stride[level] = 0;
        break;
    default:
        instruction->vector.out_stride[level] = 0;
        instruction->vector.a_stride[level] = instruction->vector.b_stride[level] = 0;
        break;
    }
}

/* The stride of a level of one step is never used, and may be wider than its field. (That of the
 * columns is used by depthwise windows even for one output.) */
static void clear_idle_strides(struct weft_instruction *instruction) {
    const uint32_t *count = counts_in(instruction);
    for (int level = 0; level < LEVELS && count != NULL; level++) {
        if (count[level] == 1) {
            clear_level(instruction, level);
        }
    }
    struct weft_matrix_fields *m = &instruction->matrix;
    for (int i = 0; i < 4 && instruction->opcode == WEFT_OPCODE_MATRIX; i++) {
        m->tile_act_stride[i] = m->tile_count[i] == 1 ? 0 : m->tile_act_stride[i];
        m->tile_acc_stride[i] = m->tile_count[i] == 1 ? 0 : m->tile_acc_stride[i];
    }
    if (instruction->opcode == WEFT_OPCODE_MATRIX && m->pixel_count[0] == 1) {
        m->pixel_act_stride[0] = 0;
    }
}

/* ---- appending ---- */

struct appending {
    struct program *program;
    int layer;
    const char *name; /* of the layer */
    struct weft_error *error;
};

/* Does the instruction stay inside the memories of the machine? That it can be encoded, and the
 * limits of the regions, are the verifier's. */
static bool is_inside(const struct weft_config *config, const struct weft_footprint *footprint,
                      const struct weft_instruction *instruction, struct weft_error *error) {
    static const uint64_t unlimited[WEFT_REGIONS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                                     UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                                     UINT64_MAX, UINT64_MAX};
    const struct weft_access *outside = NULL;
    return weft_footprint_inside(config, footprint, unlimited, &outside) ||
           weft_fail(error, WEFT_INTERNAL, 0, "%s: address outside %s",
                     weft_format_of(instruction->opcode)->name, weft_access_name(outside));
}

/* An instruction outside of the machine is a bug of the compiler, and found before anything
 * simulates it. */
static bool fail(const struct appending *a) {
    a->error->code = WEFT_INTERNAL;
    a->error->position = a->program->count;
    return weft_fail_context(a->error, "layer %d (%s), instruction %zu", a->layer, a->name,
                             a->program->count);
}

static bool append(const struct appending *a, const struct weft_instruction *part) {
    struct program *program = a->program;
    struct weft_instruction *instruction = program_add(program, part, a->layer);
    clear_idle_strides(instruction);
    struct weft_footprint footprint = weft_footprint_of(program->config, instruction);
    if (!is_inside(program->config, &footprint, instruction, a->error)) {
        program->count--;
        return fail(a);
    }
    weft_claims_give(program->config, &footprint, instruction);
    return true;
}

/* Does some level from `level` on have more steps than its field holds? */
static bool is_too_long(const struct appending *a, const struct weft_instruction *instruction,
                        int level) {
    const uint32_t *count = counts_in(instruction);
    bool found = false;
    for (; count != NULL && level < LEVELS && !found; level++) {
        found = count[level] > a->program->most_count[instruction->opcode];
    }
    return found;
}

/* Splits the levels from `level` on. */
static bool append_level(const struct appending *a, const struct weft_instruction *instruction,
                         int level) {
    if (!is_too_long(a, instruction, level)) {
        return append(a, instruction);
    }
    struct weft_instruction part = *instruction;
    uint32_t *count = counts_of(&part);
    bool good = true;
    int64_t most = a->program->most_count[part.opcode];
    for (uint32_t rest = count[level]; rest > 0 && good; rest -= count[level]) {
        count[level] = (uint32_t)weft_min(rest, most);
        good = append_level(a, &part, level + 1);
        step_over(&part, level, count[level]);
    }
    return good;
}

/* Room for so many instructions more. */
static void reserve(struct program *program, size_t instructions) {
    size_t capacity = program->capacity;
    program->instructions =
        weft_arena_reserve(program->arena, program->instructions, program->count, instructions,
                           &capacity, sizeof *program->instructions);
    program->layer_of =
        weft_arena_reserve(program->arena, program->layer_of, program->count, instructions,
                           &program->capacity, sizeof *program->layer_of);
}

void program_start(struct weft_arena *arena, const struct weft_config *config, size_t steps,
                   struct program *program) {
    static const uint32_t opcodes[] = {WEFT_OPCODE_LOAD, WEFT_OPCODE_FILL, WEFT_OPCODE_STORE,
                                       WEFT_OPCODE_VECTOR};
    *program = (struct program){.arena = arena, .config = config};
    reserve(program, steps + steps / 4 + 16); /* loads of constants are to come, and HALT */
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        program->most_count[opcodes[i]] = (uint32_t)weft_field_largest(opcodes[i], "count");
    }
}

struct weft_instruction *program_add(struct program *program,
                                     const struct weft_instruction *instruction, int32_t layer) {
    reserve(program, 1);
    struct weft_instruction *added = &program->instructions[program->count];
    *added = *instruction;
    program->layer_of[program->count++] = layer;
    return added;
}

bool append_instruction(const struct plan *plan, struct program *program,
                        const struct weft_instruction *instruction, int layer,
                        struct weft_error *error) {
    const struct appending appending = {program, layer, plan->layers[layer]->name, error};
    return append_level(&appending, instruction, 0);
}
