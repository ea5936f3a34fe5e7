/* Memory of an exported model: areas that lie somewhere in the arena while they are used. */
#ifndef WEFT_COMPILER_EXPORT_AREAS_H
#define WEFT_COMPILER_EXPORT_AREAS_H

#include "base/arena.h"

/* Bytes of an area that a tensor has. No two slots of an area overlap. */
struct slot {
    int64_t offset;
    int64_t bytes;
};

/* Bytes that keep their distances: a region of a program with the tensors in it, a tensor, or
 * memory to work in. Areas are joined where a tensor lies in both. */
struct area {
    int64_t bytes;
    int64_t alignment;    /* of offset 0, in the arena */
    uint32_t first, last; /* steps between which it is used, both included */
    int into;             /* the area that it was joined to; -1: none */
    int64_t shift;        /* its offset there */
    size_t slot_count, slot_capacity;
    struct slot *slots;
    int64_t at; /* in the arena; of areas that are joined to none, after areas_pack() */
};

struct areas {
    struct weft_arena *arena;
    size_t count, capacity;
    struct area *area;
};

/* A new area, used by no step yet. Returns its number. */
int areas_add(struct areas *areas, int64_t bytes, int64_t alignment);

/* Notes that a step uses it. */
void areas_use(struct areas *areas, int area, uint32_t step);

/* Takes the bytes for a tensor. False when they overlap a slot. */
bool areas_take(struct areas *areas, int area, int64_t offset, int64_t bytes);

/* Joins two areas so that `offset` of one is `other_offset` of the other, where both have a slot of
 * `bytes` bytes, which become one. False, and nothing is changed, when other slots would overlap or
 * alignments do not allow it. */
bool areas_join(struct areas *areas, int area, int64_t offset, int other, int64_t other_offset,
                int64_t bytes);

/* Are an offset of one area and an offset of another the same place? */
bool areas_same(const struct areas *areas, int area, int64_t offset, int other,
                int64_t other_offset);

/* Places areas in the arena so that no two overlap that a step uses both of; returns its bytes.
 * *least are those that any placement needs. */
int64_t areas_pack(struct areas *areas, int64_t *least);

/* Where an offset of an area lies in the arena, after areas_pack(). */
int64_t areas_at(const struct areas *areas, int area, int64_t offset);

#endif
