/* Who is known to have finished when an instruction starts: a vector clock for each instruction. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"
#include "isa/verify/internal.h"
#include "isa/verify/order.h"

static bool count_all(const struct weft_instruction *instructions, size_t count,
                      struct happens_before *order, size_t given[WEFT_UNITS][WEFT_UNITS],
                      size_t taken[WEFT_UNITS][WEFT_UNITS], struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        enum weft_unit unit = weft_format_of(instructions[i].opcode)->unit;
        if (unit == WEFT_UNITS) {
            continue;
        }
        order->count[unit]++;
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            given[unit][other] += instructions[i].signal >> other & 1;
            taken[other][unit] += instructions[i].wait >> other & 1;
        }
    }
    for (unsigned p = 0; p < WEFT_UNITS; p++) {
        for (unsigned c = 0; c < WEFT_UNITS; c++) {
            if (given[p][c] != taken[p][c]) {
                return weft_fail(error, WEFT_VERIFY_BALANCE, count - 1,
                                 "semaphore %s to %s: %zu tokens are given and %zu taken",
                                 weft_unit_names[p], weft_unit_names[c], given[p][c], taken[p][c]);
            }
        }
    }
    return true;
}

static bool allocate(struct happens_before *order, size_t given[WEFT_UNITS][WEFT_UNITS],
                     struct weft_error *error) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        order->number[unit] = weft_allocate(order->count[unit], sizeof(uint32_t), "clocks", error);
        order->known[unit] =
            weft_allocate(order->count[unit], sizeof *order->known[unit], "clocks", error);
        if (order->number[unit] == NULL || order->known[unit] == NULL) {
            return false;
        }
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            order->giver[unit][other] =
                weft_allocate(given[unit][other], sizeof(uint32_t), "tokens", error);
            order->taker[unit][other] =
                weft_allocate(given[unit][other], sizeof(uint32_t), "tokens", error);
            if (order->giver[unit][other] == NULL || order->taker[unit][other] == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* Visits the instructions in an order in which they can start; when one takes a token, its giver
 * has been visited. Token k that a semaphore receives is token k that is taken from it. */
static void fill(const struct weft_instruction *instructions, const uint32_t *start_order,
                 size_t count, struct happens_before *order) {
    size_t visited[WEFT_UNITS] = {0};
    size_t taken[WEFT_UNITS][WEFT_UNITS] = {0};
    for (size_t i = 0; i < count; i++) {
        const struct weft_instruction *instruction = &instructions[start_order[i]];
        enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
        if (unit == WEFT_UNITS) {
            continue;
        }
        size_t index = visited[unit]++;
        order->number[unit][index] = start_order[i];
        uint32_t *known = order->known[unit][index];
        if (index > 0) {
            memcpy(known, order->known[unit][index - 1], sizeof order->known[unit][0]);
        }
        if (unit == WEFT_UNIT_VECTOR) {
            known[unit] = (uint32_t)index; /* one at a time */
        }
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            if ((instruction->wait >> other & 1) != 0) {
                size_t token = taken[other][unit]++;
                uint32_t giver = order->giver[other][unit][token];
                order->taker[other][unit][token] = (uint32_t)index;
                for (unsigned k = 0; k < WEFT_UNITS; k++) {
                    known[k] = (uint32_t)weft_max(known[k], order->known[other][giver][k]);
                }
                known[other] = (uint32_t)weft_max(known[other], (int64_t)giver + 1);
            }
            if ((instruction->signal >> other & 1) != 0) {
                order->giver[unit][other][order->tokens[unit][other]++] = (uint32_t)index;
            }
        }
    }
}

/* FENCE is not in the clocks: everything before it has finished when anything after it starts. */
static void add_fences(const struct weft_instruction *instructions, size_t count,
                       struct happens_before *order) {
    size_t before[WEFT_UNITS] = {0}; /* instructions of each unit before the last FENCE */
    size_t seen[WEFT_UNITS] = {0};
    for (size_t i = 0; i < count; i++) {
        enum weft_unit unit = weft_format_of(instructions[i].opcode)->unit;
        if (unit == WEFT_UNITS) {
            memcpy(before, seen, sizeof before);
            continue;
        }
        uint32_t *known = order->known[unit][seen[unit]++];
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            known[other] = (uint32_t)weft_max(known[other], (int64_t)before[other]);
        }
    }
}

bool happens_before_create(const struct weft_config *config,
                           const struct weft_instruction *instructions, size_t count,
                           struct happens_before *order, struct weft_error *error) {
    *order = (struct happens_before){0};
    size_t given[WEFT_UNITS][WEFT_UNITS] = {0};
    size_t taken[WEFT_UNITS][WEFT_UNITS] = {0};
    if (!count_all(instructions, count, order, given, taken, error)) {
        return false;
    }
    uint32_t *start_order = weft_allocate(count, sizeof *start_order, "an order", error);
    struct weft_order_end end;
    bool good = start_order != NULL && allocate(order, given, error) &&
                weft_start_order(config, instructions, count, start_order, &end, error);
    if (good) {
        fill(instructions, start_order, count, order);
        add_fences(instructions, count, order);
    } else {
        happens_before_free(order);
    }
    free(start_order);
    return good;
}

void happens_before_free(struct happens_before *order) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        free(order->number[unit]);
        free(order->known[unit]);
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            free(order->giver[unit][other]);
            free(order->taker[unit][other]);
        }
    }
    *order = (struct happens_before){0};
}
