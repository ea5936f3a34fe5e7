/* Room in ACT: larger items first, each at the lowest address that is free while it lives. Items
 * take whole banks, so a mask for each layer says what is taken. */
#include <stdlib.h>

#include "base/integer.h"
#include "compiler/plan/plan.h"

static uint64_t low_banks(int64_t count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The lowest of `count` neighbouring banks that are free in `taken`; -1: there are none. */
static int64_t lowest_run(uint64_t taken, int64_t count, int64_t all) {
    for (int64_t first = 0; first + count <= all; first++) {
        if ((taken >> first & low_banks(count)) == 0) {
            return first;
        }
    }
    return -1;
}

static int by_size(const void *a, const void *b) {
    const struct item *const *x = a;
    const struct item *const *y = b;
    int order = weft_compare_u64((uint64_t)(*y)->bytes, (uint64_t)(*x)->bytes);
    return order != 0 ? order : (*x < *y ? -1 : *x > *y);
}

int64_t place_items(const struct plan *plan, struct items *items) {
    int64_t bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT);
    int64_t all = weft_banks(plan->config, WEFT_MEMORY_ACT);
    struct item **order = WEFT_NEW_ARRAY(plan->arena, items->count, struct item *);
    uint64_t *taken =
        WEFT_NEW_ARRAY(plan->arena, (size_t)plan->region->layer_count, uint64_t); /* by layer */
    for (size_t i = 0; i < items->count; i++) {
        order[i] = &items->items[i];
    }
    if (items->count > 0) {
        qsort(order, items->count, sizeof(struct item *), by_size);
    }
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = order[i];
        uint64_t meets = 0;
        for (int k = item->first; k <= item->last; k++) {
            meets |= taken[k];
        }
        int64_t first = lowest_run(meets, item->bytes / bank, all);
        if (first < 0) {
            return item - items->items;
        }
        item->address = first * bank;
        for (int k = item->first; k <= item->last; k++) {
            taken[k] |= low_banks(item->bytes / bank) << first;
        }
    }
    return -1;
}
