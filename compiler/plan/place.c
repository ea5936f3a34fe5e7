/* Room in ACT. Items take whole banks, so a mask for each layer says what is taken. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/plan/plan.h"

/* An item and its neighbours among those of one owner: a tensor, or the first layer of a chain. */
struct entry {
    struct item item;
    int64_t banks;
    uint32_t mask;   /* of the banks at its address */
    uint64_t number; /* ties go to the lower one */
    uint32_t found;  /* when its address was; 0: it has none yet */
    bool is_taken;   /* the banks of its mask are, in its layers */
    struct entry *next;
};

/* What is placed in a layer: masks of banks. */
struct layer_banks {
    uint32_t taken;
    uint32_t used[2][WEFT_UNITS]; /* those that a unit reads, and writes */
    uint32_t changed;             /* when this was last */
};

struct room {
    struct plan *plan;
    int64_t bank, all; /* bytes of one, how many there are */
    int64_t ram_banks; /* in a RAM */
    struct entry **order;
    size_t count, capacity, placed; /* order[0 .. placed) have addresses and banks */
    /* Of those behind only what meets these layers has to be placed anew; the rest has its banks
     * still, at the addresses that it would be given again. */
    int first_open, last_open;
    size_t end; /* order[end ...) have no banks */
    bool is_sorted;
    struct entry **of_tensor, **of_layer; /* items of each owner */
    struct entry *spare;
    struct layer_banks *banks; /* by layer */
    uint32_t now;              /* a time that changes advance */
    struct items items;        /* of one owner after the other */
};

/* ---- taking and freeing ---- */

static uint32_t low_banks(int64_t count) {
    return count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
}

static void flip_banks(struct room *room, struct entry *entry) {
    entry->is_taken = !entry->is_taken;
    uint32_t used[2][WEFT_UNITS];
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        used[0][unit] = (entry->item.readers >> unit & 1) != 0 ? entry->mask : 0;
        used[1][unit] = (entry->item.writers >> unit & 1) != 0 ? entry->mask : 0;
    }
    for (int i = entry->item.first; i <= entry->item.last; i++) {
        struct layer_banks *banks = &room->banks[i];
        banks->taken ^= entry->mask;
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            banks->used[0][unit] ^= used[0][unit];
            banks->used[1][unit] ^= used[1][unit];
        }
    }
}

/* What is placed in the layers of an item is not what it was. */
static void note_change(struct room *room, const struct item *item) {
    room->now++;
    for (int i = item->first; i <= item->last; i++) {
        room->banks[i].changed = room->now;
    }
}

/* Has an entry an address that nothing in its layers has changed since? Those before it in the
 * order are where they were, then, and it would be found the same one. */
static bool is_found(const struct room *room, const struct entry *entry) {
    if (entry->found == 0) {
        return false;
    }
    uint32_t last = 0;
    for (int i = entry->item.first; i <= entry->item.last; i++) {
        last = room->banks[i].changed > last ? room->banks[i].changed : last;
    }
    return last <= entry->found;
}

static bool is_open(const struct room *room, const struct entry *entry) {
    return entry->item.first <= room->last_open && room->first_open <= entry->item.last;
}

/* Everything from order[from] on that meets the open layers gives its banks back. */
static void free_open(struct room *room, size_t from) {
    for (size_t i = from; i < room->end; i++) {
        if (room->order[i]->is_taken && is_open(room, room->order[i])) {
            flip_banks(room, room->order[i]);
        }
    }
}

/* Opens the layers of an item, and all between these and others; false: they were open. */
static bool open_layers(struct room *room, const struct item *item) {
    if (item->first >= room->first_open && item->last <= room->last_open) {
        return false;
    }
    room->first_open = item->first < room->first_open ? item->first : room->first_open;
    room->last_open = item->last > room->last_open ? item->last : room->last_open;
    return true;
}

/* What is at order[at], or was, is another item than before. */
static void unplace(struct room *room, size_t at, const struct item *item) {
    room->placed = at < room->placed ? at : room->placed;
    (void)open_layers(room, item);
}

/* The RAMs that hold banks of a mask. */
static uint32_t rams_of(const struct room *room, uint32_t banks) {
    uint32_t rams = 0;
    uint32_t mask = low_banks(room->ram_banks);
    for (int64_t first = 0, ram = 0; first < room->all; first += room->ram_banks, ram++) {
        rams |= (uint32_t)((banks >> first & mask) != 0) << ram;
    }
    return rams;
}

/* Banks whose RAMs an item should not share while it lives: others than the units that read it read
 * them, or others than those that write it write them. */
static uint32_t rival_banks(const struct room *room, const struct item *item) {
    uint32_t used[2][WEFT_UNITS] = {0};
    for (int i = item->first; i <= item->last; i++) {
        for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
            used[0][unit] |= room->banks[i].used[0][unit];
            used[1][unit] |= room->banks[i].used[1][unit];
        }
    }
    uint32_t rivals = 0;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        uint32_t others = ~(UINT32_C(1) << unit);
        rivals |= (item->readers & others) != 0 ? used[0][unit] : 0;
        rivals |= (item->writers & others) != 0 ? used[1][unit] : 0;
    }
    return rivals;
}

enum {
    MOST_RAMS = 32
};

/* How bad it is that a run of banks shares RAMs: with rivals, whose units wait for its own, above
 * all; with anything else that is there, since more may come to either. Masks of RAMs. */
static int sharing(uint32_t taken, uint32_t rivals, uint32_t run) {
    return __builtin_popcount(rivals & run) * (MOST_RAMS + 1) + __builtin_popcount(taken & run);
}

/* Where `count` neighbouring banks are free in `taken`: bit i for banks i, i + 1, ... */
static uint32_t free_runs(const struct room *room, uint32_t taken, int64_t count) {
    if (count > room->all) {
        return 0;
    }
    uint32_t runs = ~taken & low_banks(room->all);
    for (int64_t have = 1, more; have < count; have += more) {
        more = weft_min(have, count - have);
        runs &= runs >> more;
    }
    return runs;
}

/* `count` neighbouring banks that are free in `taken` and share RAMs least; the lowest of these;
 * -1: there are none. */
static int64_t best_run(const struct room *room, uint32_t taken, uint32_t rivals, int64_t count) {
    int64_t best = -1;
    int best_shared = 0;
    bool whole = room->plan->decisions->whole_rams && count >= room->ram_banks;
    bool is_shared = room->ram_banks > 1;
    uint32_t taken_rams = is_shared ? rams_of(room, taken) : 0;
    uint32_t rival_rams = is_shared ? rams_of(room, rivals) : 0;
    for (uint32_t runs = free_runs(room, taken, count); runs != 0; runs &= runs - 1) {
        int64_t first = __builtin_ctz(runs);
        int64_t ram = first / room->ram_banks;
        if (whole && first != ram * room->ram_banks) {
            continue;
        }
        int64_t rams = (first + count - 1) / room->ram_banks - ram + 1;
        int shared = sharing(taken_rams, rival_rams, low_banks(rams) << ram);
        if (best < 0 || shared < best_shared) {
            best = first;
            best_shared = shared;
        }
        if (best_shared == 0) {
            break;
        }
    }
    return best;
}

/* Finds an address for an entry beside those before it; false: there is none. */
static bool find_address(struct room *room, struct entry *entry) {
    uint32_t meets = 0;
    for (int i = entry->item.first; i <= entry->item.last; i++) {
        meets |= room->banks[i].taken;
    }
    uint32_t rivals = room->ram_banks > 1 ? rival_banks(room, &entry->item) : 0;
    int64_t first = best_run(room, meets, rivals, entry->banks);
    if (first < 0) {
        return false;
    }
    if (entry->found == 0 || entry->item.address != first * room->bank) {
        entry->item.address = first * room->bank;
        entry->mask = low_banks(entry->banks) << first;
        note_change(room, &entry->item);
    }
    entry->found = room->now;
    return true;
}

const struct item *room_place(struct room *room) {
    const struct item *blocked = NULL;
    free_open(room, room->placed);
    while (room->placed < room->count) {
        struct entry *entry = room->order[room->placed];
        bool stays = entry->is_taken && !is_open(room, entry);
        if (!stays && !is_found(room, entry)) {
            if (open_layers(room, &entry->item)) {
                free_open(room, room->placed);
            }
            if (!find_address(room, entry)) {
                blocked = &entry->item;
                break;
            }
        }
        if (!stays) {
            flip_banks(room, entry);
        }
        room->placed++;
        room->end = room->placed > room->end ? room->placed : room->end;
    }
    /* What still has its banks meets nothing that was open. */
    room->first_open = INT_MAX;
    room->last_open = -1;
    return blocked;
}

/* ---- the order ---- */

static bool comes_before(const struct entry *a, const struct entry *b) {
    return a->banks != b->banks ? a->banks > b->banks : a->number < b->number;
}

static int by_order(const void *a, const void *b) {
    const struct entry *const *x = a;
    const struct entry *const *y = b;
    return comes_before(*x, *y) ? -1 : comes_before(*y, *x);
}

/* Where an entry is in the order, or would be. */
static size_t find(const struct room *room, const struct entry *entry) {
    size_t low = 0;
    size_t high = room->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before(room->order[middle], entry)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void insert(struct room *room, struct entry *entry) {
    size_t at = room->is_sorted ? find(room, entry) : room->count;
    unplace(room, at, &entry->item);
    room->order = weft_arena_grow(room->plan->arena, room->order, room->count, &room->capacity,
                                  sizeof(struct entry *));
    memmove(room->order + at + 1, room->order + at, (room->count - at) * sizeof(struct entry *));
    room->order[at] = entry;
    room->count++;
    room->end += at < room->end;
}

static void take_out(struct room *room, struct entry *entry) {
    size_t at = find(room, entry);
    unplace(room, at, &entry->item);
    if (entry->is_taken) {
        flip_banks(room, entry);
    }
    note_change(room, &entry->item);
    room->count--;
    room->end -= at < room->end;
    memmove(room->order + at, room->order + at + 1, (room->count - at) * sizeof(struct entry *));
    entry->next = room->spare;
    room->spare = entry;
}

/* ---- owners ---- */

static struct entry *new_entry(struct room *room) {
    struct entry *entry = room->spare;
    if (entry == NULL) {
        return WEFT_NEW(room->plan->arena, struct entry);
    }
    room->spare = entry->next;
    return entry;
}

/* Are the listed items just as many, and as large, as those that the owner has? */
static bool is_unchanged(const struct room *room, const struct entry *entry) {
    size_t i = 0;
    for (; entry != NULL && i < room->items.count; entry = entry->next, i++) {
        const struct item *item = &room->items.items[i];
        if (item->bytes != entry->item.bytes || item->first != entry->item.first ||
            item->last != entry->item.last || item->slot != entry->item.slot ||
            item->side != entry->item.side || item->layer != entry->item.layer ||
            item->readers != entry->item.readers || item->writers != entry->item.writers) {
            return false;
        }
    }
    return entry == NULL && i == room->items.count;
}

/* Gives an owner the items that were listed; their numbers begin with `number`. */
static void change(struct room *room, struct entry **owner, uint64_t number) {
    if (is_unchanged(room, *owner)) {
        return;
    }
    while (*owner != NULL) {
        struct entry *entry = *owner;
        *owner = entry->next;
        take_out(room, entry);
    }
    for (size_t i = 0; i < room->items.count; i++) {
        struct entry *entry = new_entry(room);
        *entry = (struct entry){.item = room->items.items[i], .number = number + i};
        entry->banks = entry->item.bytes / room->bank;
        if (room->plan->decisions->whole_rams && entry->banks >= room->ram_banks) {
            entry->banks = weft_round_up(entry->banks, room->ram_banks);
        }
        insert(room, entry);
        *owner = entry;
        owner = &entry->next;
    }
}

void room_change_tensor(struct room *room, int tensor) {
    items_of_tensor(room->plan, tensor, &room->items);
    change(room, &room->of_tensor[tensor], (uint64_t)tensor);
}

void room_change_layer(struct room *room, int layer) {
    int first = room->plan->chain_first[layer];
    uint64_t number = (uint64_t)room->plan->region->tensor_count + ((uint64_t)first << 16);
    items_of_layer(room->plan, first, &room->items);
    change(room, &room->of_layer[first], number);
}

struct room *room_start(struct plan *plan) {
    const struct region *region = plan->region;
    struct room *room = WEFT_NEW(plan->arena, struct room);
    *room = (struct room){
        .plan = plan,
        .first_open = INT_MAX,
        .last_open = -1,
        .bank = weft_bank_bytes(plan->config, WEFT_MEMORY_ACT),
        .all = weft_banks(plan->config, WEFT_MEMORY_ACT),
        .ram_banks = plan->config->act_banks / weft_act_rams(plan->config),
        .of_tensor = WEFT_NEW_ARRAY(plan->arena, (size_t)region->tensor_count, struct entry *),
        .of_layer = WEFT_NEW_ARRAY(plan->arena, (size_t)region->layer_count, struct entry *),
        .banks = WEFT_NEW_ARRAY(plan->arena, (size_t)region->layer_count, struct layer_banks)};
    for (int t = 0; t < region->tensor_count; t++) {
        room_change_tensor(room, t);
    }
    for (int i = 0; i < region->layer_count; i++) {
        if (plan->chain_first[i] == i) {
            room_change_layer(room, i);
        }
    }
    if (room->count > 0) {
        qsort(room->order, room->count, sizeof(struct entry *), by_order);
    }
    room->is_sorted = true;
    return room;
}

/* ---- the end ---- */

int room_largest_beside(const struct room *room, const struct item *item) {
    for (size_t i = 0; i < room->count; i++) {
        const struct item *other = &room->order[i]->item;
        if (other->tensor >= 0 && !room->plan->region->tensors[other->tensor].stays &&
            other->first <= item->last && item->first <= other->last) {
            return other->tensor;
        }
    }
    return -1;
}

int room_share_beside(struct room *room, struct decisions *decisions, const struct item *item) {
    for (size_t i = 0; i < room->count; i++) {
        const struct item *other = &room->order[i]->item;
        int tensor = other->tensor;
        if (tensor < 0 || other->first > item->last || item->first > other->last ||
            !decisions->keeps[tensor].own_banks) {
            continue;
        }
        int64_t bytes = other->bytes;
        decisions->keeps[tensor].own_banks = false;
        items_of_tensor(room->plan, tensor, &room->items);
        if (room->items.count > 0 && room->items.items[0].bytes < bytes) {
            room_change_tensor(room, tensor);
            return tensor;
        }
        decisions->keeps[tensor].own_banks = true;
    }
    return -1;
}

void room_note(const struct room *room) {
    struct plan *plan = room->plan;
    for (size_t i = 0; i < room->count; i++) {
        const struct item *item = &room->order[i]->item;
        if (item->tensor >= 0) {
            plan->locations[item->tensor].view.base += item->address;
            continue;
        }
        int64_t *address = plan->buffers[item->layer].address[item->slot];
        int *sides = &plan->buffers[item->layer].sides[item->slot];
        *sides = (int)weft_max(*sides, item->side + 1);
        plan->buffers[item->layer].bytes[item->slot] = item->bytes;
        address[item->side] = item->address;
        if (item->side == 0) {
            address[1] = item->address; /* until there is a second one */
        }
    }
}
