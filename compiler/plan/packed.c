#include "compiler/plan/packed.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

#include "base/integer.h"

enum {
    BYTES_A_LAYER = 1 << 15, /* on average */
    MOST_BYTES = 1 << 24,
    MOST_ENTRIES = 64, /* of a layer */
    MOST_PIECES = 1 << 12,
    KEY = 14 + 6 * MAX_WINDOW_PARTS
};

/* What one tiling of a layer comes to; does not change. */
struct packed_layer {
    const struct packed_layer *next;
    int64_t key[KEY];
    int64_t bytes[PIECES];
    bool is_planned;
    int count[PIECES]; /* if it is, of pieces: those of WGT, then those of PAR */
    struct piece pieces[];
};

struct packed_layers {
    _Atomic(const struct packed_layer *)
        *newest; /* by layer as it was listed, as it is and turned */
    atomic_int *entries;
    unsigned char *room; /* threads have no arena in common */
    size_t capacity;
    atomic_size_t used;
};

struct packed_layers *packed_start(struct weft_arena *arena, const struct region *listed) {
    struct packed_layers *packed = WEFT_NEW(arena, struct packed_layers);
    size_t layers = (size_t)listed->layer_count;
    packed->newest = WEFT_NEW_ARRAY(arena, 2 * layers, _Atomic(const struct packed_layer *));
    packed->entries = WEFT_NEW_ARRAY(arena, 2 * layers, atomic_int);
    packed->capacity = layers > MOST_BYTES / BYTES_A_LAYER ? MOST_BYTES : layers * BYTES_A_LAYER;
    packed->room = WEFT_NEW_ARRAY(arena, packed->capacity, unsigned char);
    return packed;
}

/* Are the constants of a layer those that were listed, and in the same form whatever lies on chip?
 */
static bool is_kept(const struct plan *plan, int index) {
    const struct region *region = plan->region;
    const struct layer *layer = plan->layers[index];
    if (region->packed == NULL || region->origin == NULL ||
        !has_listed_weights(region, index, layer)) {
        return false;
    }
    const struct layer *listed = &region->listed[region->origin[index]];
    return (layer->kind == LAYER_CONV || layer->kind == LAYER_DEPTHWISE) &&
           layer->bias == listed->bias && layer->weight_zero == listed->weight_zero &&
           layer->requant.multiplier == listed->requant.multiplier &&
           layer->requant.shift == listed->requant.shift &&
           layer->requant.per_channel == listed->requant.per_channel &&
           !keep_of(plan, region->tensors_of[index][0])->packed;
}

/* What the pieces of a layer depend on, besides the layer as it was listed. */
static void find_key(const struct plan *plan, int index, int64_t key[KEY]) {
    const struct tiling *t = &plan->tilings[index];
    const int64_t fields[] = {plan->layers[index]->kind,
                              t->blocks,
                              t->groups,
                              t->input_blocks,
                              t->row_steps,
                              t->column_steps,
                              t->rows_a_step,
                              t->chunk[0],
                              t->chunk[1],
                              t->chunk[2],
                              t->chunks,
                              t->first_chunk,
                              t->downwards,
                              t->part_count};
    _Static_assert(sizeof fields / sizeof *fields +
                           MAX_WINDOW_PARTS * sizeof *t->parts / sizeof(int64_t) ==
                       KEY,
                   "the key has room for all fields, and no more");
    memset(key, 0, KEY * sizeof *key);
    memcpy(key, fields, sizeof fields);
    memcpy(key + sizeof fields / sizeof *fields, t->parts,
           (size_t)t->part_count * sizeof *t->parts);
}

bool packed_alike(const struct plan *plan, int a, int b) {
    const struct region *region = plan->region;
    int64_t keys[2][KEY];
    if (plan->layers[a]->turned != plan->layers[b]->turned ||
        keep_of(plan, region->tensors_of[a][0])->packed ||
        keep_of(plan, region->tensors_of[b][0])->packed) {
        return false;
    }
    find_key(plan, a, keys[0]);
    find_key(plan, b, keys[1]);
    return memcmp(keys[0], keys[1], sizeof keys[0]) == 0;
}

static size_t slot_of(const struct plan *plan, int index) {
    return 2 * (size_t)plan->region->origin[index] + plan->layers[index]->turned;
}

/* Adds the pieces of one kind to the plan. */
static void add_pieces(struct packing *packing, int kind, const struct piece *pieces, int count) {
    struct plan *plan = packing->plan;
    plan->pieces[kind] =
        weft_arena_reserve(plan->arena, plan->pieces[kind], (size_t)plan->piece_count[kind],
                           (size_t)count, &plan->piece_capacity[kind], sizeof **plan->pieces);
    if (count > 0) {
        memcpy(plan->pieces[kind] + plan->piece_count[kind], pieces,
               (size_t)count * sizeof *pieces);
    }
    plan->piece_count[kind] += count;
}

bool packed_find(struct packing *packing, int index) {
    const struct plan *plan = packing->plan;
    int64_t key[KEY];
    if (!is_kept(plan, index)) {
        return false;
    }
    find_key(plan, index, key);
    const struct packed_layer *at = atomic_load_explicit(
        &plan->region->packed->newest[slot_of(plan, index)], memory_order_acquire);
    bool plans = packing->mode == PACK_PLAN;
    while (at != NULL && (memcmp(at->key, key, sizeof key) != 0 || (plans && !at->is_planned))) {
        at = at->next;
    }
    if (at == NULL) {
        return false;
    }
    for (int kind = 0; kind < PIECES; kind++) {
        packing->bytes[kind] += at->bytes[kind];
    }
    if (plans) {
        add_pieces(packing, PIECES_WGT, at->pieces, at->count[PIECES_WGT]);
        add_pieces(packing, PIECES_PAR, at->pieces + at->count[PIECES_WGT], at->count[PIECES_PAR]);
    }
    return true;
}

/* Room for an entry with so many pieces; NULL: there is none. */
static struct packed_layer *take_room(struct packed_layers *packed, size_t slot, size_t pieces) {
    size_t alignment = alignof(max_align_t);
    size_t bytes = sizeof(struct packed_layer) + pieces * sizeof(struct piece);
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (pieces > MOST_PIECES || atomic_fetch_add_explicit(&packed->entries[slot], 1,
                                                          memory_order_relaxed) >= MOST_ENTRIES) {
        return NULL;
    }
    size_t used = atomic_load_explicit(&packed->used, memory_order_relaxed);
    do {
        if (bytes > packed->capacity - used) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&packed->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return (struct packed_layer *)(void *)(packed->room + used);
}

void packed_add(struct packing *packing, int index, const int64_t bytes[PIECES],
                const int first[PIECES]) {
    const struct plan *plan = packing->plan;
    if (!is_kept(plan, index)) {
        return;
    }
    struct packed_layers *packed = plan->region->packed;
    size_t slot = slot_of(plan, index);
    int count[PIECES] = {0};
    for (int kind = 0; kind < PIECES && packing->mode == PACK_PLAN; kind++) {
        count[kind] = plan->piece_count[kind] - first[kind];
    }
    struct packed_layer *entry =
        take_room(packed, slot, (size_t)count[PIECES_WGT] + (size_t)count[PIECES_PAR]);
    if (entry == NULL) {
        return;
    }
    find_key(plan, index, entry->key);
    memcpy(entry->bytes, bytes, sizeof entry->bytes);
    memcpy(entry->count, count, sizeof count);
    entry->is_planned = packing->mode == PACK_PLAN;
    struct piece *to = entry->pieces;
    for (int kind = PIECES_WGT; kind <= PIECES_PAR; kind++) {
        if (count[kind] > 0) {
            memcpy(to, plan->pieces[kind] + first[kind], (size_t)count[kind] * sizeof *to);
        }
        to += count[kind];
    }
    const struct packed_layer *newest =
        atomic_load_explicit(&packed->newest[slot], memory_order_relaxed);
    do {
        entry->next = newest;
    } while (!atomic_compare_exchange_weak_explicit(&packed->newest[slot], &newest, entry,
                                                    memory_order_release, memory_order_relaxed));
}
