/* Which instruction must wait for which: semaphores from footprints. */
#include "base/integer.h"
#include "compiler/emit/emit.h"

/* Instructions of each unit are numbered from 1 in program order; 0 stands for none. known[u][v]:
 * of unit v, how many have finished when the last instruction of unit u that was looked at starts.
 */
struct dependences {
    struct program *program;
    uint32_t count[WEFT_UNITS];
    uint32_t known[WEFT_UNITS][WEFT_UNITS];
    uint32_t (*clock)[WEFT_UNITS]; /* by instruction: known when it starts */
    uint32_t *at[WEFT_UNITS];      /* by number in the unit - 1: index of the instruction */
    uint32_t last_owner[WEFT_MEMORIES][32][WEFT_UNITS];
};

/* The instruction must start after number `wanted` of `other` has finished. */
static void wait_for(struct dependences *d, uint32_t index, unsigned other, uint32_t wanted) {
    struct emitted *instructions = d->program->instructions;
    unsigned unit = weft_format_of(instructions[index].instruction.opcode)->unit;
    uint32_t *known = d->known[unit];
    if (other == unit || known[other] >= wanted) {
        return;
    }
    uint32_t producer = d->at[other][wanted - 1];
    instructions[index].instruction.wait |= 1U << other;
    instructions[producer].instruction.signal |= 1U << unit;
    for (unsigned k = 0; k < WEFT_UNITS; k++) {
        known[k] = (uint32_t)weft_max(known[k], d->clock[producer][k]);
    }
    known[other] = (uint32_t)weft_max(known[other], wanted);
}

static void wait_for_banks(struct dependences *d, uint32_t index, uint32_t wanted[WEFT_UNITS]) {
    const struct weft_instruction *instruction = &d->program->instructions[index].instruction;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        for (unsigned bank = 0; bank < weft_banks(d->program->config, memory); bank++) {
            if ((instruction->banks[memory] >> bank & 1) == 0) {
                continue;
            }
            for (unsigned other = 0; other < WEFT_UNITS; other++) {
                wanted[other] =
                    (uint32_t)weft_max(wanted[other], d->last_owner[memory][bank][other]);
            }
        }
    }
}

static const struct weft_access *external_of(const struct weft_footprint *footprint) {
    for (unsigned i = 0; i < footprint->count; i++) {
        if (footprint->access[i].memory == WEFT_EXTERNAL) {
            return &footprint->access[i];
        }
    }
    return NULL;
}

/* A LOAD waits for the last STORE before it that wrote what it reads, a STORE for the last LOAD
 * that read what it overwrites. */
static void wait_for_memory(struct dependences *d, uint32_t index, uint32_t wanted[WEFT_UNITS]) {
    const struct weft_config *config = d->program->config;
    const struct weft_instruction *instruction = &d->program->instructions[index].instruction;
    struct weft_footprint footprint = weft_footprint_of(config, instruction);
    const struct weft_access *mine = external_of(&footprint);
    if (mine == NULL || mine->region == WEFT_REGION_CONSTANTS ||
        mine->region == WEFT_REGION_INPUTS) {
        return;
    }
    unsigned unit = weft_format_of(instruction->opcode)->unit;
    unsigned other = mine->write ? WEFT_UNIT_LOAD : WEFT_UNIT_STORE;
    for (uint32_t number = d->count[other]; number > wanted[other]; number--) {
        struct weft_footprint theirs = weft_footprint_of(
            config, &d->program->instructions[d->at[other][number - 1]].instruction);
        const struct weft_access *access = external_of(&theirs);
        if (access != NULL && access->region == mine->region &&
            weft_access_overlap(mine, access, NULL)) {
            wanted[other] = number;
        }
    }
    /* Tokens for bytes in external memory are not limited by the number of banks: whoever is far
     * behind waits for the last one at once, and needs no others until then. */
    if (wanted[other] > d->known[unit][other] &&
        d->count[other] - wanted[other] > config->semaphore_max / 2) {
        wanted[other] = d->count[other];
    }
}

static void visit(struct dependences *d, uint32_t index) {
    const struct weft_instruction *instruction = &d->program->instructions[index].instruction;
    unsigned unit = weft_format_of(instruction->opcode)->unit;
    if (unit == WEFT_UNIT_VECTOR) {
        d->known[unit][unit] = d->count[unit]; /* one at a time */
    }
    uint32_t wanted[WEFT_UNITS] = {0};
    wait_for_banks(d, index, wanted);
    wait_for_memory(d, index, wanted);
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        if (wanted[other] > 0) {
            wait_for(d, index, other, wanted[other]);
        }
    }
    for (unsigned k = 0; k < WEFT_UNITS; k++) {
        d->clock[index][k] = d->known[unit][k];
    }
    d->at[unit][d->count[unit]++] = index;
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        for (unsigned bank = 0; bank < weft_banks(d->program->config, memory); bank++) {
            if ((instruction->banks[memory] >> bank & 1) != 0) {
                d->last_owner[memory][bank][unit] = d->count[unit];
            }
        }
    }
}

void place_semaphores(struct program *program) {
    struct weft_arena *arena = program->arena;
    struct dependences *d = WEFT_NEW(arena, struct dependences);
    d->program = program;
    d->clock = weft_arena_allocate(arena, program->count, sizeof *d->clock);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        d->at[unit] = WEFT_NEW_ARRAY(arena, program->count, uint32_t);
    }
    for (size_t i = 0; i < program->count; i++) {
        visit(d, (uint32_t)i);
    }
}
