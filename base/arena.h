/* An arena: memory that is released all at once.
 *
 * A compilation makes thousands of small objects that live until its end. They come from one arena,
 * and running out of memory is handled in one place: weft_arena_allocate() never returns NULL, it
 * jumps to the `jmp_buf` that the owner set in `on_failure`, who then releases the arena.
 *
 *     struct weft_arena arena = {0};
 *     if (setjmp(arena.on_failure)) { weft_arena_free(&arena); return weft_arena_failed(&arena,
 * error); }
 */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include <setjmp.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weft_arena {
    struct weft_arena_block *blocks; /* newest first */
    struct weft_arena_block *spare;  /* blocks that weft_arena_reset() kept */
    struct weft_arena_child *children;
    size_t used;    /* bytes used of the newest block */
    size_t limit;   /* bytes the arena may hold in all; 0: no limit */
    size_t total;   /* bytes it holds */
    size_t refused; /* bytes it would have held, had the limit allowed it; or 0 */
    jmp_buf on_failure;
};

/* count * size zeroed bytes, aligned for any type. Jumps to on_failure when the product overflows,
 * the limit would be passed, or there is no memory. */
void *weft_arena_allocate(struct weft_arena *arena, size_t count, size_t size);

/* A copy of `length` bytes and a NUL after them. */
char *weft_arena_string(struct weft_arena *arena, const char *bytes, size_t length);

/* printf into the arena. */
char *weft_arena_print(struct weft_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Grows an array in the arena: returns `array` when `count` < *capacity, else a copy with twice the
 * capacity. Use: a = weft_arena_grow(arena, a, n, &capacity, sizeof *a); a[n++] = x; */
void *weft_arena_grow(struct weft_arena *arena, void *array, size_t count, size_t *capacity,
                      size_t size);

/* The same for arrays that grow often: room for `added` elements behind the first `count`, which
 * are not zeroed: they hold anything. */
void *weft_arena_reserve(struct weft_arena *arena, void *array, size_t count, size_t added,
                         size_t *capacity, size_t size);

/* An empty arena that is released with this one, for work whose memory comes and goes meanwhile. It
 * has no limit; its owner sets `on_failure`. */
struct weft_arena *weft_arena_child(struct weft_arena *arena);

/* Releases everything. The arena is then empty and can be used again. */
void weft_arena_free(struct weft_arena *arena);

/* The same, but keeps the memory, except that of children, for what is allocated next: for work of
 * one kind that is done many times. weft_arena_free() gives it back. */
void weft_arena_reset(struct weft_arena *arena);

/* Why weft_arena_allocate() jumped: fills *error with WEFT_LIMIT when the limit would have been
 * passed, else with WEFT_OUT_OF_MEMORY. Returns false. */
bool weft_arena_failed(const struct weft_arena *arena, struct weft_error *error);

/* Work in an arena that is empty before and after. */
typedef bool weft_arena_work(struct weft_arena *arena, void *context, struct weft_error *error);

/* Carries out work and empties the arena, whose memory is kept for the next one. Errors: those of
 * the work; WEFT_LIMIT and WEFT_OUT_OF_MEMORY as weft_arena_failed() has them. Sets on_failure. */
bool weft_arena_do(struct weft_arena *arena, weft_arena_work *work, void *context,
                   struct weft_error *error);

#define WEFT_NEW(arena, type)          ((type *)weft_arena_allocate((arena), 1, sizeof(type)))
#define WEFT_NEW_ARRAY(arena, n, type) ((type *)weft_arena_allocate((arena), (n), sizeof(type)))

#ifdef __cplusplus
}
#endif

#endif
