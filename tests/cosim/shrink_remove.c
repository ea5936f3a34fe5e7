/* Taking instructions out of a program. */
#include <string.h>

#include "base/integer.h"
#include "tests/cosim/plan.h"
#include "tests/cosim/shrink.h"

static enum weft_unit unit_of(const struct cosim_case *test, uint32_t number) {
    const struct weft_format *format = weft_format_of(test->program.instructions[number].opcode);
    return format == NULL ? WEFT_UNITS : format->unit;
}

/* Does the instruction stand at an end of the semaphore: signals (given) or waits? */
static bool is_at(const struct cosim_case *test, uint32_t number, unsigned producer,
                  unsigned consumer, bool given) {
    const struct weft_instruction *instruction = &test->program.instructions[number];
    return unit_of(test, number) == (given ? producer : consumer) &&
           ((given ? instruction->signal >> consumer : instruction->wait >> producer) & 1) != 0;
}

/* Clears one end of a token. */
static void clear(struct cosim_case *test, uint32_t number, unsigned producer, unsigned consumer,
                  bool given) {
    struct weft_instruction *instruction = &test->program.instructions[number];
    if (given) {
        instruction->signal &= ~(1U << consumer);
    } else {
        instruction->wait &= ~(1U << producer);
    }
}

/* The instruction at the other end of the token at an end: token k given is token k taken. -1:
 * there is none. */
static int64_t other_end(const struct cosim_case *test, uint32_t number, unsigned producer,
                         unsigned consumer, bool given) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < number; i++) {
        k += is_at(test, i, producer, consumer, given);
    }
    for (uint32_t i = 0; i < test->program.count; i++) {
        if (is_at(test, i, producer, consumer, !given)) {
            if (k == 0) {
                return i;
            }
            k--;
        }
    }
    return -1;
}

void case_unlink(struct cosim_case *test, uint32_t number, unsigned consumer) {
    unsigned producer = unit_of(test, number);
    int64_t end = other_end(test, number, producer, consumer, true);
    clear(test, number, producer, consumer, true);
    if (end >= 0) {
        clear(test, (uint32_t)end, producer, consumer, false);
    }
}

/* Takes both ends of the tokens of an instruction away. */
static void unlink_tokens(struct cosim_case *test, uint32_t number) {
    unsigned unit = unit_of(test, number);
    for (unsigned other = 0; other < WEFT_UNITS && unit != WEFT_UNITS; other++) {
        for (unsigned given = 0; given < 2; given++) {
            unsigned producer = given ? unit : other;
            unsigned consumer = given ? other : unit;
            if (is_at(test, number, producer, consumer, given != 0)) {
                int64_t end = other_end(test, number, producer, consumer, given != 0);
                clear(test, number, producer, consumer, given != 0);
                if (end >= 0) {
                    clear(test, (uint32_t)end, producer, consumer, given == 0);
                }
            }
        }
    }
}

/* What waits for the instruction waits for what it waits for; where a bit is free. The verifier
 * decides whether the tokens still meet as they should. */
static void bridge_tokens(struct cosim_case *test, uint32_t number) {
    unsigned unit = unit_of(test, number);
    int64_t before[WEFT_UNITS];
    int64_t behind[WEFT_UNITS];
    for (unsigned i = 0; i < WEFT_UNITS; i++) {
        bool waits = unit != WEFT_UNITS && is_at(test, number, i, unit, false);
        bool gives = unit != WEFT_UNITS && is_at(test, number, unit, i, true);
        before[i] = waits ? other_end(test, number, i, unit, false) : -1;
        behind[i] = gives ? other_end(test, number, unit, i, true) : -1;
    }
    for (unsigned i = 0; i < WEFT_UNITS * WEFT_UNITS; i++) {
        unsigned producer = i / WEFT_UNITS;
        unsigned consumer = i % WEFT_UNITS;
        if (producer == consumer || before[producer] < 0 || behind[consumer] < 0) {
            continue;
        }
        struct weft_instruction *giver = &test->program.instructions[before[producer]];
        struct weft_instruction *taker = &test->program.instructions[behind[consumer]];
        if ((giver->signal >> consumer & 1) == 0 && (taker->wait >> producer & 1) == 0) {
            giver->signal |= 1U << consumer;
            taker->wait |= 1U << producer;
        }
    }
}

/* Raw bytes move with their instructions. */
static void move_raws(struct cosim_case *test, uint32_t first, uint32_t count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < test->raws; i++) {
        struct cosim_raw raw = test->raw[i];
        if (raw.number >= first && raw.number < first + count) {
            continue;
        }
        raw.number -= raw.number >= first + count ? count : 0;
        test->raw[kept++] = raw;
    }
    test->raws = kept;
}

void case_remove(struct cosim_case *test, uint32_t first, uint32_t count, bool bridge) {
    for (uint32_t i = first; i < first + count; i++) {
        if (bridge) {
            bridge_tokens(test, i);
        }
        unlink_tokens(test, i);
    }
    move_raws(test, first, count);
    struct weft_instruction *instructions = test->program.instructions;
    memmove(&instructions[first], &instructions[first + count],
            (test->program.count - first - count) * sizeof *instructions);
    test->program.count -= count;
    uint64_t *limit = &test->regions.limit[WEFT_REGION_PROGRAM];
    uint64_t inside = *limit / WEFT_INSTRUCTION_BYTES;
    if (inside > first) {
        *limit -= (uint64_t)weft_min((int64_t)inside - first, count) * WEFT_INSTRUCTION_BYTES;
    }
}
