/* The rules about instructions that can run at once. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/memory.h"
#include "isa/verify/internal.h"

/* ---- semaphore overflow ---- */

/* Token k can only be one too many if token k - max may still be there when it is given. */
static bool check_semaphore(const struct weft_config *config, const struct happens_before *order,
                            unsigned producer, unsigned consumer, struct weft_proof *proof,
                            struct weft_error *error) {
    const uint32_t *giver = order->giver[producer][consumer];
    const uint32_t *taker = order->taker[producer][consumer];
    size_t taken = 0; /* tokens known to be taken */
    for (size_t k = 0; k < order->tokens[producer][consumer]; k++) {
        uint32_t known = order->known[producer][giver[k]][consumer];
        while (taken < k && taker[taken] < known) {
            taken++;
        }
        size_t held = k + 1 - taken;
        proof->peak_tokens = (uint32_t)weft_max(proof->peak_tokens, (int64_t)held);
        if (held > config->semaphore_max) {
            uint32_t number = order->number[producer][giver[k]];
            return weft_fail(error, WEFT_VERIFY_OVERFLOW, number,
                             "semaphore %s to %s can hold %zu tokens when instruction %" PRIu32
                             " finishes, at most %" PRIu32 " fit: instruction %" PRIu32
                             " may not have taken its token yet",
                             weft_unit_names[producer], weft_unit_names[consumer], held, number,
                             config->semaphore_max, order->number[consumer][taker[taken]]);
        }
    }
    return true;
}

bool verify_overflow(const struct weft_config *config, const struct happens_before *order,
                     struct weft_proof *proof, struct weft_error *error) {
    for (unsigned p = 0; p < WEFT_UNITS; p++) {
        for (unsigned c = 0; c < WEFT_UNITS; c++) {
            proof->tokens += order->tokens[p][c];
            if (!check_semaphore(config, order, p, c, proof, error)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- races for banks and ports ---- */

static bool report_bank(const struct happens_before *order, unsigned kind, unsigned bank,
                        unsigned unit_a, uint32_t a, unsigned unit_b, uint32_t b,
                        struct weft_error *error) {
    uint32_t number_a = order->number[unit_a][a];
    uint32_t number_b = order->number[unit_b][b];
    uint32_t known_b = order->known[unit_b][b][unit_a];
    uint32_t known_a = order->known[unit_a][a][unit_b];
    char after_b[48] = "no instruction";
    char after_a[48] = "no instruction";
    if (known_b > 0) {
        (void)snprintf(after_b, sizeof after_b, "instruction %" PRIu32,
                       order->number[unit_a][known_b - 1]);
    }
    if (known_a > 0) {
        (void)snprintf(after_a, sizeof after_a, "instruction %" PRIu32,
                       order->number[unit_b][known_a - 1]);
    }
    return weft_fail(error, WEFT_VERIFY_BANK_RACE, number_b > number_a ? number_b : number_a,
                     "%s instruction %" PRIu32 " and %s instruction %" PRIu32
                     " can own %s bank %u at once: of %s, %" PRIu32
                     " only waits for %s; of %s, %" PRIu32 " only waits for %s",
                     weft_unit_names[unit_a], number_a, weft_unit_names[unit_b], number_b,
                     weft_claim_name(kind), bank, weft_unit_names[unit_a], number_b, after_b,
                     weft_unit_names[unit_b], number_a, after_a);
}

/* Indices within each unit of the instructions that own a bank, or a port; and what of one kind of
 * these each instruction owns. */
struct owners {
    uint32_t *index[WEFT_UNITS];
    size_t count[WEFT_UNITS];
    uint32_t *claims[WEFT_UNITS];
};

/* Clocks never decrease along a unit, so for each b it is enough to look at the first a that b does
 * not wait for: if a waits for b, all later ones do. */
static bool check_pair(const struct happens_before *order, const struct owners *owners,
                       unsigned kind, unsigned bank, unsigned unit_a, unsigned unit_b,
                       struct weft_proof *proof, struct weft_error *error) {
    size_t next = 0;
    for (size_t i = 0; i < owners->count[unit_b]; i++) {
        uint32_t b = owners->index[unit_b][i];
        uint32_t known = order->known[unit_b][b][unit_a];
        while (next < owners->count[unit_a] && owners->index[unit_a][next] < known) {
            next++;
        }
        if (next == owners->count[unit_a]) {
            return true;
        }
        uint32_t a = owners->index[unit_a][next];
        proof->bank_pairs++;
        if (order->known[unit_a][a][unit_b] <= b) {
            return report_bank(order, kind, bank, unit_a, a, unit_b, b, error);
        }
    }
    return true;
}

static void find_claims(const struct weft_config *config,
                        const struct weft_instruction *instructions,
                        const struct happens_before *order, unsigned kind, struct owners *owners) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        for (size_t i = 0; i < order->count[unit]; i++) {
            uint32_t claims[WEFT_CLAIMS];
            weft_claims_of(config, &instructions[order->number[unit][i]], claims);
            owners->claims[unit][i] = claims[kind];
        }
    }
}

static bool check_bank(const struct happens_before *order, unsigned kind, unsigned bank,
                       struct owners *owners, struct weft_proof *proof, struct weft_error *error) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        owners->count[unit] = 0;
        for (size_t i = 0; i < order->count[unit]; i++) {
            owners->index[unit][owners->count[unit]] = (uint32_t)i;
            owners->count[unit] += owners->claims[unit][i] >> bank & 1;
        }
    }
    for (unsigned a = 0; a < WEFT_UNITS; a++) {
        for (unsigned b = a + 1; b < WEFT_UNITS; b++) {
            if (!check_pair(order, owners, kind, bank, a, b, proof, error)) {
                return false;
            }
        }
    }
    return true;
}

/* Room for all instructions of a unit; one more than there are: the loop that fills `index` writes
 * before it knows whether to keep. */
static uint32_t *room_for_unit(const struct happens_before *order, unsigned unit,
                               struct weft_error *error) {
    return weft_allocate(order->count[unit] + 1, sizeof(uint32_t), "bank owners", error);
}

bool verify_bank_races(const struct weft_config *config,
                       const struct weft_instruction *instructions,
                       const struct happens_before *order, struct weft_proof *proof,
                       struct weft_error *error) {
    struct owners owners = {0};
    bool good = true;
    for (unsigned unit = 0; unit < WEFT_UNITS && good; unit++) {
        owners.index[unit] = room_for_unit(order, unit, error);
        owners.claims[unit] = owners.index[unit] == NULL ? NULL : room_for_unit(order, unit, error);
        good = owners.claims[unit] != NULL;
    }
    for (unsigned kind = 0; kind < WEFT_CLAIMS && good; kind++) {
        uint32_t banks = weft_claim_bits(config, kind);
        find_claims(config, instructions, order, kind, &owners);
        for (unsigned bank = 0; bank < banks && good; bank++) {
            good = check_bank(order, kind, bank, &owners, proof, error);
        }
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        free(owners.index[unit]);
        free(owners.claims[unit]);
    }
    return good;
}

/* ---- races in external memory ---- */

/* The external side of a LOAD or STORE. */
struct transfer {
    uint32_t index; /* within its unit */
    int64_t low;
    int64_t high;
    struct weft_access access;
};
static_assert(sizeof(struct transfer) <= WEFT_VERIFY_BYTES / 2, "the largest of what is allocated");

enum {
    PAIR_STEPS = 16, /* that a pair of transfers counts as */
};

static size_t collect(const struct weft_config *config, const struct weft_instruction *instructions,
                      const struct happens_before *order, unsigned unit, uint32_t region,
                      struct transfer *transfers) {
    size_t count = 0;
    for (size_t i = 0; i < order->count[unit]; i++) {
        struct weft_footprint footprint =
            weft_footprint_of(config, &instructions[order->number[unit][i]]);
        for (unsigned k = 0; k < footprint.count; k++) {
            const struct weft_access *access = &footprint.access[k];
            if (access->memory == WEFT_EXTERNAL && access->region == region) {
                struct transfer *transfer = &transfers[count++];
                transfer->index = (uint32_t)i;
                transfer->access = *access;
                weft_access_extent(access, &transfer->low, &transfer->high);
            }
        }
    }
    return count;
}

static bool report_memory(const struct happens_before *order, const struct transfer *store,
                          const struct transfer *load, struct weft_error *error) {
    uint32_t store_number = order->number[WEFT_UNIT_STORE][store->index];
    uint32_t load_number = order->number[WEFT_UNIT_LOAD][load->index];
    return weft_fail(
        error, WEFT_VERIFY_MEMORY_RACE, store_number > load_number ? store_number : load_number,
        "store instruction %" PRIu32 " and load instruction %" PRIu32 " meet in bytes %" PRId64
        " to %" PRId64 " of region %" PRIu32 ", and neither waits for the other",
        store_number, load_number, weft_max(store->low, load->low),
        weft_min(store->high, load->high) - 1, store->access.region);
}

/* The stores that can run at once with a load are neighbours: those after the last that the load
 * waits for and before the first that waits for the load. */
static bool check_region(const struct happens_before *order, const struct transfer *loads,
                         size_t load_count, const struct transfer *stores, size_t store_count,
                         struct weft_proof *proof, struct weft_error *error) {
    size_t first = 0;
    for (size_t i = 0; i < load_count; i++) {
        const struct transfer *load = &loads[i];
        uint32_t known = order->known[WEFT_UNIT_LOAD][load->index][WEFT_UNIT_STORE];
        while (first < store_count && stores[first].index < known) {
            first++;
        }
        for (size_t k = first; k < store_count; k++) {
            const struct transfer *store = &stores[k];
            if (order->known[WEFT_UNIT_STORE][store->index][WEFT_UNIT_LOAD] > load->index) {
                break;
            }
            proof->memory_pairs++;
            proof->steps += PAIR_STEPS;
            if (store->low < load->high && load->low < store->high &&
                weft_access_overlap(&store->access, &load->access, &proof->steps)) {
                return report_memory(order, store, load, error);
            }
            if (!verify_steps(proof, order->number[WEFT_UNIT_LOAD][load->index], error)) {
                return false;
            }
        }
    }
    return true;
}

bool verify_memory_races(const struct weft_config *config,
                         const struct weft_instruction *instructions,
                         const struct happens_before *order, struct weft_proof *proof,
                         struct weft_error *error) {
    struct transfer *loads =
        weft_allocate(order->count[WEFT_UNIT_LOAD], sizeof *loads, "transfers", error);
    struct transfer *stores =
        weft_allocate(order->count[WEFT_UNIT_STORE], sizeof *stores, "transfers", error);
    bool good = loads != NULL && stores != NULL;
    for (uint32_t region = 0; region < WEFT_REGIONS && good; region++) {
        size_t store_count = collect(config, instructions, order, WEFT_UNIT_STORE, region, stores);
        if (store_count > 0) {
            size_t load_count = collect(config, instructions, order, WEFT_UNIT_LOAD, region, loads);
            good = check_region(order, loads, load_count, stores, store_count, proof, error);
        }
    }
    free(loads);
    free(stores);
    return good;
}
