#include "cli/pixels.h"

#include <limits.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"

/* ---- the wall ---- */

/* A block that stb holds. */
struct block {
    struct block *next;
    struct block **link; /* what points to this one */
    size_t length;
    alignas(max_align_t) unsigned char bytes[];
};

/* One call of stb. */
struct wall {
    struct block *blocks;
    uint64_t used; /* bytes of all blocks */
    uint64_t limit;
    struct weft_error *error;
    jmp_buf out; /* with the error set */
};

static _Thread_local struct wall *wall; /* stb's macros have no context */

static void insert(struct block *block) {
    block->next = wall->blocks;
    block->link = &wall->blocks;
    if (block->next != NULL) {
        block->next->link = &block->next;
    }
    wall->blocks = block;
    wall->used += block->length;
}

static void release(void *memory) {
    if (memory != NULL) {
        struct block *block =
            (struct block *)((unsigned char *)memory - offsetof(struct block, bytes));
        *block->link = block->next;
        if (block->next != NULL) {
            block->next->link = block->link;
        }
        wall->used -= block->length;
        free(block);
    }
}

static void *allocate(size_t length) {
    if (length > wall->limit || wall->used > wall->limit - length) {
        weft_limit_passed(wall->error, "the picture", wall->used + length, wall->limit);
        longjmp(wall->out, 1);
    }
    struct block *block = malloc(sizeof *block + length);
    if (block == NULL) {
        weft_no_memory(wall->error, "the picture");
        longjmp(wall->out, 1);
    }
    block->length = length;
    insert(block);
    return block->bytes;
}

static void *reallocate(void *memory, size_t old_length, size_t length) {
    void *moved = allocate(length);
    if (memory != NULL) {
        memcpy(moved, memory, old_length < length ? old_length : length);
        release(memory);
    }
    return moved;
}

static void give_up(const char *assertion) {
    weft_error_set(wall->error, WEFT_IMAGE, 0, "the picture is damaged: %s", assertion);
    longjmp(wall->out, 1);
}

#define STBI_MALLOC(length)                            allocate(length)
#define STBI_REALLOC_SIZED(memory, old_length, length) reallocate(memory, old_length, length)
#define STBI_FREE(memory)                              release(memory)
#define STBI_ASSERT(condition)                         ((condition) ? (void)0 : give_up(#condition))
#define STBI_MAX_DIMENSIONS                            PIXELS_MAX_SIDE
#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

#define STBIR_MALLOC(length, context) ((void)(context), allocate(length))
#define STBIR_FREE(memory, context)   ((void)(context), release(memory))
#define STBIR_ASSERT(condition)       ((condition) ? (void)0 : give_up(#condition))
#define STB_IMAGE_RESIZE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>

/* ---- what is called behind it ---- */

struct call {
    const uint8_t *file;
    int length;
    struct pixels_size size; /* found, or wanted */
    uint8_t *out;
};

static bool read_size(struct call *call, struct weft_error *error) {
    int width = 0;
    int height = 0;
    int channels = 0;
    if (stbi_info_from_memory(call->file, call->length, &width, &height, &channels) == 0) {
        return weft_fail(error, WEFT_IMAGE, 0, "the picture's header is damaged: %s",
                         stbi_failure_reason());
    }
    call->size = (struct pixels_size){width, height, channels};
    return true;
}

/* stb counts its memory in 32 bits, most of it rows of floats: as many as a row of the result is
 * made of. */
static bool check_resizing(int64_t height, const struct pixels_size *to, struct weft_error *error) {
    enum {
        REACH = 4, /* rows of a filter, in rows of the coarser picture */
        SPARE = 4
    };
    if (to->width > PIXELS_MAX_SIDE || to->height > PIXELS_MAX_SIDE) {
        return weft_fail(error, WEFT_LIMIT, 0,
                         "pictures are resized to at most %d x %d pixels, not to %lld x %lld",
                         PIXELS_MAX_SIDE, PIXELS_MAX_SIDE, (long long)to->width,
                         (long long)to->height);
    }
    int64_t rows = REACH * weft_max(height / to->height, 1) + SPARE;
    int64_t bytes = to->width * to->channels * rows * (int64_t)sizeof(float);
    return bytes <= INT_MAX / 2 ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "resizing the picture to %lld x %lld takes too much memory",
                     (long long)to->width, (long long)to->height);
}

static bool read_pixels(struct call *call, struct weft_error *error) {
    const struct pixels_size *to = &call->size;
    int width = 0;
    int height = 0;
    int channels = 0;
    uint8_t *pixels = stbi_load_from_memory(call->file, call->length, &width, &height, &channels,
                                            (int)to->channels);
    if (pixels == NULL) {
        /* A real lack of memory does not come here: it is that its own sums would overflow. */
        const char *reason = stbi_failure_reason();
        bool too_large = strcmp(reason, "outofmem") == 0 || strcmp(reason, "too large") == 0;
        return weft_fail(error, too_large ? WEFT_LIMIT : WEFT_IMAGE, 0,
                         too_large ? "the picture is too large for the decoder"
                                   : "the picture is damaged: %s",
                         reason);
    }
    if (width == to->width && height == to->height) {
        memcpy(call->out, pixels, (size_t)(to->width * to->height * to->channels));
        return true;
    }
    return check_resizing(height, to, error) &&
           (stbir_resize_uint8(pixels, width, height, 0, call->out, (int)to->width, (int)to->height,
                               0, (int)to->channels) != 0 ||
            weft_fail(error, WEFT_IMAGE, 0, "the picture cannot be resized"));
}

static bool walled(bool (*work)(struct call *call, struct weft_error *error), struct call *call,
                   uint64_t limit, struct weft_error *error) {
    struct wall here = {.limit = limit, .error = error};
    bool good = false;
    wall = &here;
    if (setjmp(here.out) == 0) {
        good = work(call, error);
    }
    for (struct block *block = here.blocks; block != NULL;) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
    wall = NULL;
    return good;
}

bool pixels_read_size(const uint8_t *file, size_t length, struct pixels_size *size,
                      struct weft_error *error) {
    struct call call = {.file = file, .length = (int)length};
    if (length > INT_MAX) {
        return weft_fail(error, WEFT_IMAGE, 0, "the picture's file is too long");
    }
    if (!walled(read_size, &call, WEFT_MEMORY_LIMIT, error)) {
        return false;
    }
    *size = call.size;
    return true;
}

bool pixels_read(const uint8_t *file, size_t length, const struct pixels_size *wanted,
                 uint64_t limit, uint8_t *out, struct weft_error *error) {
    struct call call = {.file = file, .length = (int)length, .size = *wanted, .out = out};
    return walled(read_pixels, &call, limit, error);
}
