/* Images that a server keeps by their hash, for sessions to come: no more bytes than a limit, and
 * those that were not asked for for longest go first. */
#ifndef WEFT_DRIVER_REMOTE_CACHE_H
#define WEFT_DRIVER_REMOTE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

enum {
    CACHE_IMAGES = 64, /* at most, whatever their size */
};

struct cached {
    int file; /* owned */
    size_t length;
    uint64_t used; /* when it was last asked for, in the order of all questions; 0: no entry */
    uint8_t hash[WEFT_SHA256_BYTES];
};

struct cache {
    struct cached images[CACHE_IMAGES];
    uint64_t limit; /* bytes */
    uint64_t total;
    uint64_t questions;
};

struct cache cache_new(uint64_t limit);

/* The file of an image, which stays the cache's; -1: it has none. */
int cache_find(struct cache *cache, const uint8_t hash[WEFT_SHA256_BYTES], size_t length);

/* Takes over the file of an image, which is closed when there is no room, or there is one already.
 */
void cache_keep(struct cache *cache, const uint8_t hash[WEFT_SHA256_BYTES], size_t length,
                int file);

void cache_free(struct cache *cache);

#endif
