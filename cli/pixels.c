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
    struct pixels_size found;
    struct pixels_wanted wanted;
    bool blended;
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
    call->found = (struct pixels_size){width, height, channels};
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

/* Pixels of `channels` and an alpha become pixels without it, in place. Is any not opaque? */
static bool blend_on_white(uint8_t *pixels, size_t count, size_t channels) {
    enum {
        WHITE = 255
    };
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *from = pixels + i * (channels + 1);
        unsigned alpha = from[channels];
        any = any || alpha != WHITE;
        for (size_t c = 0; c < channels; c++) {
            pixels[i * channels + c] =
                (uint8_t)((from[c] * alpha + WHITE * (WHITE - alpha) + WHITE / 2) / WHITE);
        }
    }
    return any;
}

/* The picture as it stands upright; *width and *height change places where it lies on its side. */
static uint8_t *turn(uint8_t *pixels, int orientation, size_t channels, int *width, int *height) {
    bool lies = orientation >= 5;
    bool mirrors_x = orientation == 2 || orientation == 3 || orientation >= 7;
    bool mirrors_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    size_t columns = (size_t)*width;
    size_t rows = (size_t)*height;
    if (orientation <= 1) {
        return pixels;
    }
    *width = (int)(lies ? rows : columns);
    *height = (int)(lies ? columns : rows);
    uint8_t *turned = allocate(columns * rows * channels);
    uint8_t *to = turned;
    for (size_t y = 0; y < (size_t)*height; y++) {
        for (size_t x = 0; x < (size_t)*width; x++, to += channels) {
            size_t column = lies ? y : x;
            size_t row = lies ? x : y;
            column = mirrors_x ? columns - 1 - column : column;
            row = mirrors_y ? rows - 1 - row : row;
            memcpy(to, pixels + (row * columns + column) * channels, channels);
        }
    }
    release(pixels);
    return turned;
}

static uint8_t *decode(struct call *call, int *width, int *height, struct weft_error *error) {
    const struct pixels_wanted *wanted = &call->wanted;
    size_t wanted_channels = (size_t)wanted->size.channels;
    int channels = 0;
    uint8_t *pixels = stbi_load_from_memory(call->file, call->length, width, height, &channels,
                                            (int)wanted_channels + wanted->may_have_holes);
    if (pixels == NULL) {
        /* A real lack of memory does not come here: it is that its own sums would overflow. */
        const char *reason = stbi_failure_reason();
        bool too_large = strcmp(reason, "outofmem") == 0 || strcmp(reason, "too large") == 0;
        weft_error_set(error, too_large ? WEFT_LIMIT : WEFT_IMAGE, 0,
                       too_large ? "the picture is too large for the decoder"
                                 : "the picture is damaged: %s",
                       reason);
        return NULL;
    }
    if (wanted->may_have_holes) {
        call->blended = blend_on_white(pixels, (size_t)*width * (size_t)*height, wanted_channels);
    }
    return turn(pixels, wanted->orientation, wanted_channels, width, height);
}

static bool read_pixels(struct call *call, struct weft_error *error) {
    const struct pixels_size *to = &call->wanted.size;
    int width = 0;
    int height = 0;
    uint8_t *pixels = decode(call, &width, &height, error);
    if (pixels == NULL) {
        return false;
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
    *size = call.found;
    return true;
}

bool pixels_read(const uint8_t *file, size_t length, const struct pixels_wanted *wanted,
                 uint64_t limit, uint8_t *out, bool *blended, struct weft_error *error) {
    struct call call = {.file = file, .length = (int)length, .wanted = *wanted, .out = out};
    bool good = walled(read_pixels, &call, limit, error);
    *blended = call.blended;
    return good;
}
