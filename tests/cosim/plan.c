#include "tests/cosim/plan.h"

#include <string.h>

#include "base/integer.h"
#include "tests/unit/helpers.h"

void plan_begin(struct plan *plan, const struct weft_config *config,
                const struct weft_regions *regions) {
    memset(plan, 0, sizeof *plan);
    plan->config = config;
    plan->regions = *regions;
}

uint32_t plan_room(const struct plan *plan) {
    return PLAN_MOST - plan->count;
}

/* ---- clocks ---- */

static void clock_join(struct clock *clock, const struct clock *other) {
    for (unsigned i = 0; i < WEFT_UNITS; i++) {
        clock->of[i] = other->of[i] > clock->of[i] ? other->of[i] : clock->of[i];
    }
}

/* A unit never waits for itself. */
static bool clock_reached(const struct clock *known, const struct clock *need, unsigned unit) {
    for (unsigned i = 0; i < WEFT_UNITS; i++) {
        if (i != unit && known->of[i] < need->of[i]) {
            return false;
        }
    }
    return true;
}

struct clock plan_known(const struct plan *plan, enum weft_unit unit) {
    const struct plan_unit *own = &plan->unit[unit];
    struct clock known = plan->fenced;
    if (own->count > 0) {
        clock_join(&known, &own->known[own->count - 1]);
    }
    if (unit == WEFT_UNIT_VECTOR) {
        known.of[unit] = own->count; /* one at a time */
    }
    return known;
}

uint32_t plan_free_banks(const struct plan *plan, enum weft_unit unit, enum weft_memory memory) {
    struct clock known = plan_known(plan, unit);
    uint32_t mask = 0;
    for (unsigned bank = 0; bank < weft_banks(plan->config, memory); bank++) {
        if (clock_reached(&known, &plan->bank[memory][bank], unit)) {
            mask |= 1U << bank;
        }
    }
    return mask;
}

uint32_t plan_fresh_banks(const struct plan *plan, enum weft_memory memory) {
    static const struct clock zero;
    uint32_t mask = 0;
    for (unsigned bank = 0; bank < weft_banks(plan->config, memory); bank++) {
        if (memcmp(&plan->bank[memory][bank], &zero, sizeof zero) == 0) {
            mask |= 1U << bank;
        }
    }
    return mask;
}

uint32_t plan_waiting(const struct plan *plan, enum weft_unit producer, enum weft_unit consumer) {
    const struct plan_semaphore *semaphore = &plan->semaphore[producer][consumer];
    return semaphore->given - semaphore->taken;
}

/* ---- what an instruction touches ---- */

/* The pages of a region from the lowest to the highest byte of an access. */
static void pages_of(const struct plan *plan, const struct weft_access *access, unsigned *first,
                     unsigned *last) {
    int64_t low = 0;
    int64_t high = 0;
    weft_access_extent(access, &low, &high);
    int64_t page =
        weft_max(weft_ceil_div((int64_t)plan->regions.limit[access->region], PLAN_PAGES), 1);
    *first = (unsigned)weft_clamp(low / page, 0, PLAN_PAGES - 1);
    *last = (unsigned)weft_clamp((high - 1) / page, 0, PLAN_PAGES - 1);
}

/* Calls for every page of external memory that the instruction touches. */
static void each_page(struct plan *plan, const struct weft_instruction *instruction,
                      void (*visit)(struct plan *plan, const struct weft_access *access,
                                    unsigned page, struct clock *clock),
                      struct clock *clock) {
    struct weft_footprint footprint = weft_footprint_of(plan->config, instruction);
    for (unsigned i = 0; i < footprint.count; i++) {
        const struct weft_access *access = &footprint.access[i];
        if (access->memory == WEFT_EXTERNAL) {
            unsigned page = 0;
            unsigned last = 0;
            pages_of(plan, access, &page, &last);
            for (; page <= last; page++) {
                visit(plan, access, page, clock);
            }
        }
    }
}

static void need_page(struct plan *plan, const struct weft_access *access, unsigned page,
                      struct clock *clock) {
    clock_join(clock, &plan->page_stored[access->region][page]);
    if (access->write) {
        clock_join(clock, &plan->page_loaded[access->region][page]);
    }
}

static void touch_page(struct plan *plan, const struct weft_access *access, unsigned page,
                       struct clock *clock) {
    clock_join(access->write ? &plan->page_stored[access->region][page]
                             : &plan->page_loaded[access->region][page],
               clock);
}

static struct clock needs_of(const struct plan *plan, const struct weft_instruction *instruction) {
    struct clock need = {{0}};
    uint32_t claims[WEFT_CLAIMS];
    weft_claims_of(plan->config, instruction, claims);
    for (unsigned kind = 0; kind < WEFT_CLAIMS; kind++) {
        for (unsigned bank = 0; bank < weft_claim_bits(plan->config, kind); bank++) {
            if ((claims[kind] >> bank & 1) != 0) {
                clock_join(&need, &plan->bank[kind][bank]);
            }
        }
    }
    /* The visitor of needs changes nothing but the clock. */
    each_page((struct plan *)(uintptr_t)plan, instruction, need_page, &need);
    return need;
}

bool plan_is_free(const struct plan *plan, const struct weft_instruction *instruction) {
    enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
    struct clock known = plan_known(plan, unit);
    struct clock need = needs_of(plan, instruction);
    return clock_reached(&known, &need, unit);
}

/* ---- tokens ---- */

/* Can `giver` give one more token, as the last of its semaphore? As the verifier counts: only
 * tokens that the giver knows to be taken are gone. */
static bool can_give(const struct plan *plan, unsigned producer, unsigned consumer,
                     const struct clock *giver_known) {
    const struct plan_semaphore *semaphore = &plan->semaphore[producer][consumer];
    uint32_t gone = 0;
    while (gone < semaphore->taken && semaphore->taker[gone] < giver_known->of[consumer]) {
        gone++;
    }
    return semaphore->given + 1 - gone <= plan->config->semaphore_max;
}

/* What the next instruction is to take: decided first, carried out when all is well. */
struct takes {
    uint32_t old;               /* units: takes the oldest token that waits */
    uint32_t new;               /* units: takes one that is added ... */
    uint32_t giver[WEFT_UNITS]; /* ... to this instruction */
    struct clock known;
};

static void take_old(const struct plan *plan, unsigned producer, unsigned unit,
                     struct takes *takes) {
    const struct plan_semaphore *semaphore = &plan->semaphore[producer][unit];
    uint32_t giver = semaphore->giver[semaphore->taken];
    takes->old |= 1U << producer;
    clock_join(&takes->known, &plan->unit[producer].known[giver]);
    takes->known.of[producer] = (uint32_t)weft_max(takes->known.of[producer], (int64_t)giver + 1);
}

static bool take_new(const struct plan *plan, unsigned producer, unsigned unit, uint32_t need,
                     uint64_t *seed, struct takes *takes) {
    const struct plan_unit *from = &plan->unit[producer];
    uint32_t giver = need - 1;
    if (random_chance(seed, 30)) {
        giver = (uint32_t)random_between(seed, giver, (int64_t)from->count - 1);
    }
    if (!can_give(plan, producer, unit, &from->known[giver])) {
        return false;
    }
    takes->new |= 1U << producer;
    takes->giver[producer] = giver;
    clock_join(&takes->known, &from->known[giver]);
    takes->known.of[producer] = (uint32_t)weft_max(takes->known.of[producer], (int64_t)giver + 1);
    return true;
}

/* Finds tokens that make everything known that is needed. */
static bool find_takes(const struct plan *plan, unsigned unit, uint32_t wishes,
                       const struct clock *need, uint64_t *seed, struct takes *takes) {
    *takes = (struct takes){.known = plan_known(plan, (enum weft_unit)unit)};
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((wishes >> producer & 1) != 0 &&
            plan_waiting(plan, (enum weft_unit)producer, (enum weft_unit)unit) > 0) {
            take_old(plan, producer, unit, takes);
        }
    }
    unsigned first = (unsigned)random_between(seed, 0, WEFT_UNITS - 1);
    for (unsigned i = 0; i < WEFT_UNITS; i++) {
        unsigned producer = (first + i) % WEFT_UNITS;
        if (producer == unit || takes->known.of[producer] >= need->of[producer]) {
            continue;
        }
        if ((takes->old >> producer & 1) != 0) {
            return false; /* one token of each producer */
        }
        if (plan_waiting(plan, (enum weft_unit)producer, (enum weft_unit)unit) > 0) {
            take_old(plan, producer, unit, takes);
        } else if (!take_new(plan, producer, unit, need->of[producer], seed, takes)) {
            return false;
        }
    }
    return clock_reached(&takes->known, need, unit);
}

static void give(struct plan *plan, unsigned producer, unsigned consumer, uint32_t giver) {
    struct plan_semaphore *semaphore = &plan->semaphore[producer][consumer];
    semaphore->giver[semaphore->given++] = giver;
    plan->program[plan->unit[producer].number[giver]].signal |= 1U << consumer;
}

/* ---- adding ---- */

static void own(struct plan *plan, unsigned unit, const struct weft_instruction *instruction) {
    struct clock clock = {{0}};
    clock.of[unit] = plan->unit[unit].count;
    uint32_t claims[WEFT_CLAIMS];
    weft_claims_of(plan->config, instruction, claims);
    for (unsigned kind = 0; kind < WEFT_CLAIMS; kind++) {
        for (unsigned bank = 0; bank < weft_claim_bits(plan->config, kind); bank++) {
            if ((claims[kind] >> bank & 1) != 0) {
                clock_join(&plan->bank[kind][bank], &clock);
            }
        }
    }
    each_page(plan, instruction, touch_page, &clock);
}

bool plan_add(struct plan *plan, const struct weft_instruction *instruction, uint64_t *seed) {
    enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
    struct clock need = needs_of(plan, instruction);
    struct takes takes;
    if (plan->count == PLAN_MOST ||
        !find_takes(plan, unit, instruction->wait, &need, seed, &takes)) {
        return false;
    }
    struct plan_unit *own_unit = &plan->unit[unit];
    uint32_t index = own_unit->count++;
    own_unit->number[index] = plan->count;
    own_unit->known[index] = takes.known;
    struct weft_instruction *added = &plan->program[plan->count++];
    *added = *instruction;
    added->wait = takes.old | takes.new;
    added->signal = 0;
    for (unsigned other = 0; other < WEFT_UNITS; other++) {
        if ((takes.new >> other & 1) != 0) {
            give(plan, other, unit, takes.giver[other]);
        }
        if ((added->wait >> other & 1) != 0) {
            struct plan_semaphore *semaphore = &plan->semaphore[other][unit];
            semaphore->taker[semaphore->taken++] = index;
        }
        if ((instruction->signal >> other & 1) != 0 && can_give(plan, unit, other, &takes.known)) {
            give(plan, unit, other, index);
        }
    }
    own(plan, unit, instruction);
    return true;
}

void plan_fence(struct plan *plan) {
    if (plan->count == PLAN_MOST) {
        return;
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        plan->fenced.of[unit] = plan->unit[unit].count;
    }
    plan->program[plan->count++] = weft_instruction_new(WEFT_OPCODE_FENCE);
}
