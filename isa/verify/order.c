/* A run of the program without time: who can start when only tokens, queue depths and order count.
 */
#include "isa/verify/order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

struct game {
    const struct weft_config *config;
    const struct weft_instruction *instructions;
    size_t count;
    size_t next;                 /* next instruction to dispatch */
    uint32_t *queue[WEFT_UNITS]; /* every instruction of the unit that was dispatched */
    size_t dispatched[WEFT_UNITS];
    size_t started[WEFT_UNITS];
    uint64_t tokens[WEFT_UNITS][WEFT_UNITS]; /* [producer][consumer] */
    uint32_t *order;
    size_t ordered;
};

static bool queues_empty(const struct game *game) {
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (game->started[unit] != game->dispatched[unit]) {
            return false;
        }
    }
    return true;
}

/* Dispatches as far as queues allow; true when it got on. */
static bool dispatch(struct game *game) {
    size_t before = game->next;
    while (game->next < game->count) {
        const struct weft_instruction *instruction = &game->instructions[game->next];
        if (!weft_config_takes(game->config, instruction)) {
            break;
        }
        enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
        if (unit == WEFT_UNITS) {
            if (!queues_empty(game)) {
                break;
            }
            game->order[game->ordered++] = (uint32_t)game->next;
        } else {
            if (game->dispatched[unit] - game->started[unit] == game->config->queue_depth) {
                break;
            }
            game->queue[unit][game->dispatched[unit]++] = (uint32_t)game->next;
        }
        game->next++;
    }
    return game->next != before;
}

static bool has_tokens(const struct game *game, unsigned unit, uint32_t wait) {
    for (unsigned producer = 0; producer < WEFT_UNITS; producer++) {
        if ((wait >> producer & 1) != 0 && game->tokens[producer][unit] == 0) {
            return false;
        }
    }
    return true;
}

/* Starts what the unit can start; true when that was anything. An instruction is finished at once.
 */
static bool start(struct game *game, unsigned unit) {
    size_t before = game->started[unit];
    while (game->started[unit] < game->dispatched[unit]) {
        uint32_t number = game->queue[unit][game->started[unit]];
        const struct weft_instruction *instruction = &game->instructions[number];
        if (!has_tokens(game, unit, instruction->wait)) {
            break;
        }
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            game->tokens[other][unit] -= instruction->wait >> other & 1;
            game->tokens[unit][other] += instruction->signal >> other & 1;
        }
        game->order[game->ordered++] = number;
        game->started[unit]++;
    }
    return game->started[unit] != before;
}

static bool play(struct game *game) {
    bool more = true;
    while (more) {
        more = dispatch(game);
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            more = start(game, unit) || more;
        }
    }
    return game->ordered == game->count ||
           (game->next < game->count &&
            !weft_config_takes(game->config, &game->instructions[game->next]));
}

/* Says what each unit and dispatch wait for. */
static bool explain(const struct game *game, struct weft_error *error) {
    struct weft_text text = {0};
    uint64_t first = game->next;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (game->started[unit] == game->dispatched[unit]) {
            continue;
        }
        uint32_t number = game->queue[unit][game->started[unit]];
        first = number < first ? number : first;
        for (unsigned other = 0; other < WEFT_UNITS; other++) {
            bool waits = (game->instructions[number].wait >> other & 1) != 0;
            if (waits && game->tokens[other][unit] == 0) {
                weft_text_add(&text, "%s instruction %u waits for %s; ", weft_unit_names[unit],
                              number, weft_unit_names[other]);
            }
        }
    }
    weft_text_add(&text, "dispatch cannot pass instruction %zu", game->next);
    bool printed = weft_text_finish(&text, error);
    if (printed) {
        weft_error_set(error, WEFT_VERIFY_DEADLOCK, first, "deadlock: %s", text.bytes);
    }
    weft_text_free(&text);
    return false;
}

bool weft_start_order(const struct weft_config *config, const struct weft_instruction *instructions,
                      size_t count, uint32_t *order, struct weft_order_end *end,
                      struct weft_error *error) {
    struct game game = {
        .config = config, .instructions = instructions, .count = count, .order = order};
    uint32_t *queues = weft_allocate(count * WEFT_UNITS, sizeof *queues, "queues", error);
    if (queues == NULL) {
        return false;
    }
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        game.queue[unit] = queues + unit * count;
    }
    bool good = play(&game) || explain(&game, error);
    *end = (struct weft_order_end){.ordered = game.ordered, .dispatched = game.next};
    free(queues);
    return good;
}
