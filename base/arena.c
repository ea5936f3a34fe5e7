#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"

enum {
    BLOCK_BYTES = 1 << 16
};

struct weft_arena_block {
    struct weft_arena_block *next;
    size_t capacity;
    size_t dirty; /* bytes from the first on that may not be zero, beside those in use */
    alignas(max_align_t) unsigned char bytes[];
};

struct weft_arena_child {
    struct weft_arena arena;
    struct weft_arena_child *next;
};

/* The newest block is not, any more. */
static void leave(struct weft_arena *arena) {
    if (arena->blocks != NULL && arena->blocks->dirty < arena->used) {
        arena->blocks->dirty = arena->used;
    }
}

/* Makes a block the newest one. */
static void push(struct weft_arena *arena, struct weft_arena_block *block) {
    leave(arena);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
}

/* Makes the smallest spare block of at least `bytes` bytes the newest one; false: there is none. */
static bool take_spare(struct weft_arena *arena, size_t bytes) {
    struct weft_arena_block **best = NULL;
    for (struct weft_arena_block **at = &arena->spare; *at != NULL; at = &(*at)->next) {
        if ((*at)->capacity >= bytes && (best == NULL || (*at)->capacity < (*best)->capacity)) {
            best = at;
        }
    }
    if (best == NULL) {
        return false;
    }
    struct weft_arena_block *block = *best;
    *best = block->next;
    push(arena, block);
    return true;
}

static void add_block(struct weft_arena *arena, size_t bytes) {
    if (take_spare(arena, bytes)) {
        return;
    }
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (arena->limit != 0 && (capacity > arena->limit || arena->total > arena->limit - capacity)) {
        arena->refused = capacity > SIZE_MAX - arena->total ? SIZE_MAX : arena->total + capacity;
        longjmp(arena->on_failure, 1);
    }
    struct weft_arena_block *block = calloc(1, sizeof *block + capacity);
    if (block == NULL) {
        longjmp(arena->on_failure, 1);
    }
    block->capacity = capacity;
    push(arena, block);
    arena->total += capacity;
}

/* Bytes of an array, with those up to where the next allocation may begin. */
static size_t array_bytes(struct weft_arena *arena, size_t count, size_t size) {
    size_t bytes = 0;
    if (!weft_mul_size(count, size, &bytes) || bytes > PTRDIFF_MAX / 2) {
        longjmp(arena->on_failure, 1);
    }
    size_t alignment = alignof(max_align_t);
    return (bytes + alignment - 1) / alignment * alignment;
}

/* The next bytes of the newest block, which has room for them; those from `first` on are zeroed. */
static unsigned char *take(struct weft_arena *arena, size_t bytes, size_t first) {
    struct weft_arena_block *block = arena->blocks;
    unsigned char *memory = block->bytes + arena->used;
    if (block->dirty > arena->used + first) {
        size_t dirty = block->dirty - arena->used;
        memset(memory + first, 0, (dirty < bytes ? dirty : bytes) - first);
    }
    arena->used += bytes;
    return memory;
}

/* The same, of any block. */
static void *allocate(struct weft_arena *arena, size_t bytes, size_t first) {
    if (arena->blocks == NULL || bytes > arena->blocks->capacity - arena->used) {
        add_block(arena, bytes);
    }
    return take(arena, bytes, first);
}

void *weft_arena_allocate(struct weft_arena *arena, size_t count, size_t size) {
    return allocate(arena, array_bytes(arena, count, size), 0);
}

char *weft_arena_string(struct weft_arena *arena, const char *bytes, size_t length) {
    char *copy = weft_arena_allocate(arena, length + 1, 1);
    if (length > 0) { /* of nothing `bytes` may be NULL */
        memcpy(copy, bytes, length);
    }
    return copy;
}

char *weft_arena_print(struct weft_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t bytes = length < 0 ? 1 : (size_t)length + 1;
    char *copy = weft_arena_allocate(arena, bytes, 1);
    (void)vsnprintf(copy, bytes, format, again);
    va_end(again);
    return copy;
}

/* Makes the array longer where it is, if nothing was allocated after it and its block has room. */
static bool extend(struct weft_arena *arena, const void *array, size_t old, size_t bytes,
                   bool zeroed) {
    struct weft_arena_block *block = arena->blocks;
    if (array == NULL || block == NULL || arena->used < old ||
        (const unsigned char *)array != block->bytes + arena->used - old ||
        bytes - old > block->capacity - arena->used) {
        return false;
    }
    (void)take(arena, bytes - old, zeroed ? 0 : bytes - old);
    return true;
}

/* Makes the array, of which `count` elements are in use, `grown` elements long. */
static void *lengthen(struct weft_arena *arena, void *array, size_t count, size_t *capacity,
                      size_t grown, size_t size, bool zeroed) {
    size_t old = array_bytes(arena, *capacity, size);
    size_t bytes = array_bytes(arena, grown, size);
    *capacity = grown;
    if (extend(arena, array, old, bytes, zeroed)) {
        return array;
    }
    void *moved = allocate(arena, bytes, zeroed ? count * size : bytes);
    if (count != 0) {
        memcpy(moved, array, count * size);
    }
    return moved;
}

void *weft_arena_grow(struct weft_arena *arena, void *array, size_t count, size_t *capacity,
                      size_t size) {
    if (count < *capacity) {
        return array;
    }
    size_t grown = *capacity == 0 ? 8 : *capacity * 2;
    return lengthen(arena, array, count, capacity, grown, size, true);
}

void *weft_arena_reserve(struct weft_arena *arena, void *array, size_t count, size_t added,
                         size_t *capacity, size_t size) {
    if (added <= *capacity - count) {
        return array;
    }
    size_t grown = *capacity == 0 ? 8 : *capacity * 2;
    grown = grown - count < added ? (size_t)weft_add_saturated(count, added) : grown;
    return lengthen(arena, array, count, capacity, grown, size, false);
}

struct weft_arena *weft_arena_child(struct weft_arena *arena) {
    struct weft_arena_child *child = WEFT_NEW(arena, struct weft_arena_child);
    child->next = arena->children;
    arena->children = child;
    return &child->arena;
}

void weft_arena_reset(struct weft_arena *arena) {
    while (arena->children != NULL) {
        struct weft_arena_child *child = arena->children;
        arena->children = child->next;
        weft_arena_free(&child->arena);
    }
    leave(arena);
    while (arena->blocks != NULL) {
        struct weft_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        block->next = arena->spare;
        arena->spare = block;
    }
    arena->used = 0;
}

void weft_arena_free(struct weft_arena *arena) {
    weft_arena_reset(arena);
    while (arena->spare != NULL) {
        struct weft_arena_block *next = arena->spare->next;
        free(arena->spare);
        arena->spare = next;
    }
    arena->total = 0;
}

bool weft_arena_failed(const struct weft_arena *arena, struct weft_error *error) {
    return arena->refused == 0
               ? weft_no_memory(error, "this model")
               : weft_limit_passed(error, "this model", arena->refused, arena->limit);
}

bool weft_arena_do(struct weft_arena *arena, weft_arena_work *work, void *context,
                   struct weft_error *error) {
    if (setjmp(arena->on_failure)) {
        weft_arena_free(arena);
        return weft_arena_failed(arena, error);
    }
    bool good = work(arena, context, error);
    weft_arena_reset(arena);
    return good;
}
