#include "compiler/export/areas.h"

#include <stdlib.h>

#include "base/integer.h"
#include "firmware/weft_model.h"

int areas_add(struct areas *areas, int64_t bytes, int64_t alignment) {
    areas->area = weft_arena_grow(areas->arena, areas->area, areas->count, &areas->capacity,
                                  sizeof *areas->area);
    areas->area[areas->count] =
        (struct area){.bytes = bytes, .alignment = alignment, .first = UINT32_MAX, .into = -1};
    return (int)areas->count++;
}

/* The area that it was joined to in the end; *offset becomes that in there. */
static struct area *root_of(const struct areas *areas, int area, int64_t *offset) {
    while (areas->area[area].into >= 0) {
        *offset += areas->area[area].shift;
        area = areas->area[area].into;
    }
    return &areas->area[area];
}

void areas_use(struct areas *areas, int area, uint32_t step) {
    int64_t offset = 0;
    struct area *root = root_of(areas, area, &offset);
    root->first = step < root->first ? step : root->first;
    root->last = step > root->last ? step : root->last;
}

static bool is_free(const struct area *area, int64_t offset, int64_t bytes,
                    const struct slot *but) {
    for (size_t i = 0; i < area->slot_count; i++) {
        const struct slot *slot = &area->slots[i];
        if (slot != but && offset < slot->offset + slot->bytes && slot->offset < offset + bytes) {
            return false;
        }
    }
    return true;
}

static void add_slot(struct areas *areas, struct area *area, int64_t offset, int64_t bytes) {
    area->slots = weft_arena_grow(areas->arena, area->slots, area->slot_count, &area->slot_capacity,
                                  sizeof *area->slots);
    area->slots[area->slot_count++] = (struct slot){offset, bytes};
}

bool areas_take(struct areas *areas, int area, int64_t offset, int64_t bytes) {
    struct area *root = root_of(areas, area, &offset);
    if (!is_free(root, offset, bytes, NULL)) {
        return false;
    }
    add_slot(areas, root, offset, bytes);
    return true;
}

static const struct slot *slot_at(const struct area *area, int64_t offset, int64_t bytes) {
    for (size_t i = 0; i < area->slot_count; i++) {
        if (area->slots[i].offset == offset && area->slots[i].bytes == bytes) {
            return &area->slots[i];
        }
    }
    return NULL;
}

/* Can `from` be moved to offset `shift` of `to`, where both have the slot `same` (an offset of
 * `from`)? */
static bool can_join(const struct area *from, const struct area *to, int64_t shift, int64_t same,
                     int64_t bytes) {
    const struct slot *mine = slot_at(from, same, bytes);
    const struct slot *other = slot_at(to, same + shift, bytes);
    bool good = mine != NULL && other != NULL && shift % from->alignment == 0 &&
                from->alignment <= to->alignment;
    for (size_t i = 0; good && i < from->slot_count; i++) {
        const struct slot *slot = &from->slots[i];
        good = slot == mine || is_free(to, slot->offset + shift, slot->bytes, NULL);
    }
    return good;
}

static void join(struct areas *areas, struct area *from, struct area *to, int64_t shift,
                 const struct slot *same) {
    for (size_t i = 0; i < from->slot_count; i++) {
        if (&from->slots[i] != same) {
            add_slot(areas, to, from->slots[i].offset + shift, from->slots[i].bytes);
        }
    }
    from->into = (int)(to - areas->area);
    from->shift = shift;
    to->bytes = weft_max(to->bytes, from->bytes + shift);
    to->first = from->first < to->first ? from->first : to->first;
    to->last = from->last > to->last ? from->last : to->last;
}

bool areas_join(struct areas *areas, int area, int64_t offset, int other, int64_t other_offset,
                int64_t bytes) {
    struct area *a = root_of(areas, area, &offset);
    struct area *b = root_of(areas, other, &other_offset);
    int64_t shift = other_offset - offset;
    if (a == b) {
        return shift == 0;
    }
    if (shift >= 0 && can_join(a, b, shift, offset, bytes)) {
        join(areas, a, b, shift, slot_at(a, offset, bytes));
        return true;
    }
    if (shift <= 0 && can_join(b, a, -shift, other_offset, bytes)) {
        join(areas, b, a, -shift, slot_at(b, other_offset, bytes));
        return true;
    }
    return false;
}

bool areas_same(const struct areas *areas, int area, int64_t offset, int other,
                int64_t other_offset) {
    const struct area *root = root_of(areas, area, &offset);
    return root == root_of(areas, other, &other_offset) && offset == other_offset;
}

/* ---- placing ---- */

static int compare_size(const void *a, const void *b) {
    const struct area *first = *(struct area *const *)a;
    const struct area *second = *(struct area *const *)b;
    int by_bytes = weft_compare_u64((uint64_t)second->bytes, (uint64_t)first->bytes);
    return by_bytes != 0 ? by_bytes : (first > second) - (first < second);
}

/* Puts an area behind those that lie before it. */
static void insert(struct area **placed, size_t count, struct area *area) {
    while (count > 0 && placed[count - 1]->at > area->at) {
        placed[count] = placed[count - 1];
        count--;
    }
    placed[count] = area;
}

/* The lowest place between those that are used at the same time; `placed` in the order of their
 * places. */
static int64_t lowest_place(const struct area *area, struct area *const *placed, size_t count) {
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct area *other = placed[i];
        bool meets = area->first <= other->last && other->first <= area->last;
        if (meets && at + area->bytes > other->at && at < other->at + other->bytes) {
            at = weft_round_up(other->at + other->bytes, area->alignment);
        }
    }
    return at;
}

/* The bytes that the step asks for which asks for most. */
static int64_t most_at_once(struct area *const *areas, size_t count) {
    int64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t bytes = 0;
        for (size_t k = 0; k < count; k++) {
            bool meets = areas[k]->first <= areas[i]->first && areas[i]->first <= areas[k]->last;
            bytes += meets ? areas[k]->bytes : 0;
        }
        most = weft_max(most, bytes);
    }
    return most;
}

int64_t areas_pack(struct areas *areas, int64_t *least) {
    struct area **order = weft_arena_allocate(areas->arena, areas->count, sizeof *order);
    struct area **placed = weft_arena_allocate(areas->arena, areas->count, sizeof *placed);
    size_t count = 0;
    int64_t end = 0;
    for (size_t i = 0; i < areas->count; i++) {
        struct area *area = &areas->area[i];
        area->bytes = weft_round_up(area->bytes, WEFT_MODEL_LINE);
        if (area->into < 0 && area->first != UINT32_MAX) {
            order[count++] = area;
        }
    }
    qsort(order, count, sizeof(struct area *), compare_size);
    for (size_t i = 0; i < count; i++) {
        order[i]->at = lowest_place(order[i], placed, i);
        end = weft_max(end, order[i]->at + order[i]->bytes);
        insert(placed, i, order[i]);
    }
    *least = most_at_once(order, count);
    return end;
}

int64_t areas_at(const struct areas *areas, int area, int64_t offset) {
    const struct area *root = root_of(areas, area, &offset);
    return root->at + offset;
}
