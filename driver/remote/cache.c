#include "driver/remote/cache.h"

#include <string.h>
#include <unistd.h>

struct cache cache_new(uint64_t limit) {
    return (struct cache){.limit = limit};
}

static struct cached *find(struct cache *cache, const uint8_t hash[WEFT_SHA256_BYTES],
                           size_t length) {
    for (size_t i = 0; i < CACHE_IMAGES; i++) {
        struct cached *image = &cache->images[i];
        if (image->used != 0 && image->length == length &&
            memcmp(image->hash, hash, WEFT_SHA256_BYTES) == 0) {
            return image;
        }
    }
    return NULL;
}

int cache_find(struct cache *cache, const uint8_t hash[WEFT_SHA256_BYTES], size_t length) {
    struct cached *image = find(cache, hash, length);
    if (image == NULL) {
        return -1;
    }
    image->used = ++cache->questions;
    return image->file;
}

static void drop(struct cache *cache, struct cached *image) {
    if (image->used != 0) {
        (void)close(image->file);
        cache->total -= image->length;
    }
    *image = (struct cached){.file = -1};
}

/* An entry that is free, or was not asked for for longest. */
static struct cached *oldest(struct cache *cache) {
    struct cached *found = &cache->images[0];
    for (size_t i = 1; i < CACHE_IMAGES; i++) {
        found = cache->images[i].used < found->used ? &cache->images[i] : found;
    }
    return found;
}

/* The same among those that hold bytes. */
static struct cached *oldest_used(struct cache *cache) {
    struct cached *found = NULL;
    for (size_t i = 0; i < CACHE_IMAGES; i++) {
        struct cached *image = &cache->images[i];
        if (image->used != 0 && (found == NULL || image->used < found->used)) {
            found = image;
        }
    }
    return found;
}

void cache_keep(struct cache *cache, const uint8_t hash[WEFT_SHA256_BYTES], size_t length,
                int file) {
    if (length > cache->limit || find(cache, hash, length) != NULL) {
        (void)close(file);
        return;
    }
    while (cache->total > cache->limit - length) {
        drop(cache, oldest_used(cache));
    }
    struct cached *image = oldest(cache);
    drop(cache, image);
    *image = (struct cached){.file = file, .length = length, .used = ++cache->questions};
    memcpy(image->hash, hash, WEFT_SHA256_BYTES);
    cache->total += length;
}

void cache_free(struct cache *cache) {
    for (size_t i = 0; i < CACHE_IMAGES; i++) {
        drop(cache, &cache->images[i]);
    }
}
