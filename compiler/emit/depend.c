/* Which instruction must wait for which: semaphores from footprints. */
#include "base/integer.h"
#include "compiler/emit/emit.h"

enum {
    BUCKET_BYTES = 2048,
    MOST_BUCKETS = 64
};

struct transfer {
    uint32_t number; /* among the instructions of its unit */
    struct weft_access access;
};

/* A list of transfers, the newest first. */
struct listed {
    const struct transfer *transfer;
    struct listed *next;
};

/* Those of a unit in a region, by where they begin and end. */
struct transfers {
    struct listed **buckets;
    size_t count, capacity;
    struct listed *far; /* those that reach over more than MOST_BUCKETS */
};

/* Instructions of each unit are numbered from 1 in program order; 0 stands for none. known[u][v]:
 * of unit v, how many have finished when the last instruction of unit u that was looked at starts.
 */
struct dependences {
    struct program *program;
    uint32_t ram_heads; /* of the banks of a RAM, whose port is claimed as one, the first */
    uint32_t count[WEFT_UNITS];
    uint32_t known[WEFT_UNITS][WEFT_UNITS];
    uint32_t (*clock)[WEFT_UNITS]; /* by instruction: known when it starts */
    uint32_t *at[WEFT_UNITS];      /* by number in the unit - 1: index of the instruction */
    uint32_t last_owner[WEFT_CLAIMS][32][WEFT_UNITS];
    struct transfers transfers[WEFT_UNITS][WEFT_REGIONS];
};

/* The instruction must start after number `wanted` of `other` has finished. */
static void wait_for(struct dependences *d, uint32_t index, unsigned other, uint32_t wanted) {
    struct weft_instruction *instructions = d->program->instructions;
    unsigned unit = weft_format_of(instructions[index].opcode)->unit;
    uint32_t *known = d->known[unit];
    if (other == unit || known[other] >= wanted) {
        return;
    }
    uint32_t producer = d->at[other][wanted - 1];
    instructions[index].wait |= 1U << other;
    instructions[producer].signal |= 1U << unit;
    for (unsigned k = 0; k < WEFT_UNITS; k++) {
        known[k] = (uint32_t)weft_max(known[k], d->clock[producer][k]);
    }
    known[other] = (uint32_t)weft_max(known[other], wanted);
}

/* Takes the lowest bank out of a mask. */
static unsigned next_bank(uint32_t *mask) {
    unsigned bank = (unsigned)__builtin_ctz(*mask);
    *mask &= *mask - 1;
    return bank;
}

static void wait_for_owners(const struct dependences *d, const uint32_t claims[WEFT_CLAIMS],
                            uint32_t wanted[WEFT_UNITS]) {
    for (unsigned kind = 0; kind < WEFT_CLAIMS; kind++) {
        for (uint32_t mask = claims[kind]; mask != 0;) {
            const uint32_t *owners = d->last_owner[kind][next_bank(&mask)];
            for (unsigned other = 0; other < WEFT_UNITS; other++) {
                wanted[other] = owners[other] > wanted[other] ? owners[other] : wanted[other];
            }
        }
    }
}

/* ---- external memory ---- */

static const struct weft_access *external_of(const struct weft_footprint *footprint) {
    for (unsigned i = 0; i < footprint->count; i++) {
        if (footprint->access[i].memory == WEFT_EXTERNAL) {
            return &footprint->access[i];
        }
    }
    return NULL;
}

/* Does it touch memory that programs write? */
static bool is_shared(const struct weft_access *access) {
    return access != NULL && access->region != WEFT_REGION_CONSTANTS &&
           access->region != WEFT_REGION_INPUTS;
}

/* The buckets that an access reaches: regions are cut into parts of BUCKET_BYTES. */
static void find_buckets(const struct weft_access *access, size_t *first, size_t *end) {
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    *first = (size_t)low / BUCKET_BYTES;
    *end = ((size_t)high - 1) / BUCKET_BYTES + 1;
}

/* Notes a transfer where those that may depend on it look for it. Of one that reaches far only its
 * bytes are looked at, in every search. */
static void note_transfer(struct dependences *d, unsigned unit, const struct weft_access *access) {
    struct transfers *transfers = &d->transfers[unit][access->region];
    size_t first = 0;
    size_t end = 0;
    find_buckets(access, &first, &end);
    bool far = end - first > MOST_BUCKETS;
    struct listed ***lists = far ? NULL : &transfers->buckets;
    struct transfer *transfer = WEFT_NEW(d->program->arena, struct transfer);
    *transfer = (struct transfer){d->count[unit] + 1, *access};
    for (size_t i = far ? 0 : first; i < (far ? 1 : end); i++) {
        while (!far && i >= transfers->count) {
            *lists = weft_arena_grow(d->program->arena, *lists, transfers->count,
                                     &transfers->capacity, sizeof **lists);
            (*lists)[transfers->count++] = NULL;
        }
        struct listed **list = far ? &transfers->far : &transfers->buckets[i];
        struct listed *listed = WEFT_NEW(d->program->arena, struct listed);
        *listed = (struct listed){transfer, *list};
        *list = listed;
    }
}

/* The last transfer of a list that meets an access, if it comes after number `wanted`. */
static uint32_t last_meeting(const struct listed *list, const struct weft_access *access,
                             uint32_t wanted) {
    for (; list != NULL && list->transfer->number > wanted; list = list->next) {
        if (weft_access_overlap(access, &list->transfer->access, NULL)) {
            return list->transfer->number;
        }
    }
    return wanted;
}

/* A LOAD waits for the last STORE before it that wrote what it reads, a STORE for the last LOAD
 * that read what it overwrites. */
static void wait_for_memory(struct dependences *d, const struct weft_access *mine, unsigned unit,
                            uint32_t wanted[WEFT_UNITS]) {
    unsigned other = mine->write ? WEFT_UNIT_LOAD : WEFT_UNIT_STORE;
    const struct transfers *transfers = &d->transfers[other][mine->region];
    size_t first = 0;
    size_t end = 0;
    find_buckets(mine, &first, &end);
    /* What is known to have finished is not looked at again: there can be very many of them. */
    const uint32_t known = d->known[unit][other];
    uint32_t last = (uint32_t)weft_max(wanted[other], known);
    last = last_meeting(transfers->far, mine, last);
    for (size_t i = first; i < end && i < transfers->count; i++) {
        last = last_meeting(transfers->buckets[i], mine, last);
    }
    /* Tokens for bytes in external memory are not limited by the number of banks: whoever is far
     * behind waits for the last one at once, and needs no others until then. */
    bool is_far = d->count[other] - last > d->program->config->semaphore_max / 2;
    if (last > known) {
        wanted[other] = is_far ? d->count[other] : last;
    }
}

/* ---- all instructions ---- */

static void visit(struct dependences *d, uint32_t index) {
    const struct weft_instruction *instruction = &d->program->instructions[index];
    unsigned unit = weft_format_of(instruction->opcode)->unit;
    if (unit == WEFT_UNIT_VECTOR) {
        d->known[unit][unit] = d->count[unit]; /* one at a time */
    }
    uint32_t wanted[WEFT_UNITS] = {0};
    uint32_t claims[WEFT_CLAIMS];
    weft_claims_of(d->program->config, instruction, claims);
    claims[WEFT_CLAIM_ACT_READ] &= d->ram_heads;
    claims[WEFT_CLAIM_ACT_WRITE] &= d->ram_heads;
    wait_for_owners(d, claims, wanted);
    struct weft_footprint footprint;
    const struct weft_access *external = NULL;
    if (unit == WEFT_UNIT_LOAD || unit == WEFT_UNIT_STORE) {
        footprint = weft_footprint_of(d->program->config, instruction);
        external = external_of(&footprint);
    }
    if (is_shared(external)) {
        wait_for_memory(d, external, unit, wanted);
        note_transfer(d, unit, external);
    }
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        if (wanted[other] > 0) {
            wait_for(d, index, other, wanted[other]);
        }
    }
    for (unsigned k = 0; k < WEFT_UNITS; k++) {
        d->clock[index][k] = d->known[unit][k];
    }
    d->at[unit][d->count[unit]++] = index;
    for (unsigned kind = 0; kind < WEFT_CLAIMS; kind++) {
        for (uint32_t mask = claims[kind]; mask != 0;) {
            d->last_owner[kind][next_bank(&mask)][unit] = d->count[unit];
        }
    }
}

void place_semaphores(struct program *program) {
    struct weft_arena *arena = program->arena;
    struct dependences *d = WEFT_NEW(arena, struct dependences);
    d->program = program;
    d->ram_heads = weft_act_ram_heads(program->config);
    d->clock = weft_arena_allocate(arena, program->count, sizeof *d->clock);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        d->at[unit] = WEFT_NEW_ARRAY(arena, program->count, uint32_t);
    }
    for (size_t i = 0; i < program->count; i++) {
        visit(d, (uint32_t)i);
    }
}
