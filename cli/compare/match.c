#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "cli/compare/compare.h"

static bool is_same(const struct compared_layer *a, const struct compared_layer *b) {
    return strcmp(a->tensor, b->tensor) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->shape, b->shape) == 0;
}

static int by_order(const void *x, const void *y) {
    const struct compared_row *a = x;
    const struct compared_row *b = y;
    return (a->order > b->order) - (a->order < b->order);
}

bool compare_same_memory(const struct comparison *comparison) {
    const struct compared_memory *a = &comparison->sides[0].memory;
    const struct compared_memory *b = &comparison->sides[1].memory;
    return a->latency == b->latency && a->interval == b->interval && strcmp(a->dram, b->dram) == 0;
}

bool compare_same_inferences(const struct comparison *comparison) {
    return comparison->sides[0].inferences == comparison->sides[1].inferences;
}

/* The rows of a, in order; those of b alone stand behind what they stand behind in b. */
void compare_match(struct weft_arena *arena, struct comparison *comparison) {
    const struct compared_side *a = &comparison->sides[0];
    const struct compared_side *b = &comparison->sides[1];
    int64_t room = (int64_t)(b->count + 1);
    int64_t order = 0;
    size_t next = 0; /* where the search begins: mostly both have one order */
    comparison->rows = WEFT_NEW_ARRAY(arena, a->count + b->count, struct compared_row);
    comparison->count = a->count;
    for (size_t i = 0; i < a->count; i++) {
        comparison->rows[i] = (struct compared_row){&a->layers[i], NULL, (int64_t)(i + 1) * room};
    }
    for (size_t j = 0; j < b->count; j++) {
        struct compared_row *found = NULL;
        for (size_t k = 0; k < a->count && found == NULL; k++) {
            struct compared_row *row = &comparison->rows[(next + k) % a->count];
            if (row->b == NULL && is_same(row->a, &b->layers[j])) {
                found = row;
                next = (size_t)(row - comparison->rows) + 1;
            }
        }
        if (found != NULL) {
            found->b = &b->layers[j];
            order = found->order;
        } else {
            comparison->rows[comparison->count++] =
                (struct compared_row){NULL, &b->layers[j], ++order};
        }
    }
    qsort(comparison->rows, comparison->count, sizeof *comparison->rows, by_order);
}

static int64_t moved(const struct compared_row *row, unsigned use) {
    return (int64_t)(row->b == NULL ? 0 : row->b->used[use]) -
           (int64_t)(row->a == NULL ? 0 : row->a->used[use]);
}

void compare_why(const struct compared_row *row, char text[WHY_BYTES]) {
    bool is_told[WEFT_USES] = {false};
    size_t used = 0;
    text[0] = '\0';
    if (row->a == NULL || row->b == NULL) {
        (void)snprintf(text, WHY_BYTES, "only in %s", row->a == NULL ? "B" : "A");
        return;
    }
    if (row->a->on_host != row->b->on_host) {
        (void)snprintf(text, WHY_BYTES, "on the host in %s", row->a->on_host ? "A" : "B");
        return;
    }
    for (unsigned told = 0; told < WEFT_USES; told++) {
        unsigned most = WEFT_USES;
        for (unsigned use = 0; use < WEFT_USES; use++) {
            if (!is_told[use] && moved(row, use) != 0 &&
                (most == WEFT_USES || llabs(moved(row, use)) > llabs(moved(row, most)))) {
                most = use;
            }
        }
        if (most == WEFT_USES) {
            return;
        }
        is_told[most] = true;
        int length = snprintf(text + used, WHY_BYTES - used, "%s%s %+" PRId64, used > 0 ? ", " : "",
                              weft_use_names[most], moved(row, most));
        used += length < 0 ? 0 : (size_t)length;
    }
}
