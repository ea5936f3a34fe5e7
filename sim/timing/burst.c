#include "sim/timing/burst.h"

#include "base/checked.h"
#include "base/integer.h"

uint32_t weft_beats(uint64_t address, uint32_t bytes, uint32_t width) {
    return (uint32_t)((address + bytes - 1) / width - address / width + 1);
}

struct weft_burst_walk weft_burst_walk_load(const struct weft_config *config,
                                            const struct weft_load_fields *load) {
    struct weft_burst_walk walk = {
        .run = load->run,
        .boundary = config->memory_burst,
        .width = config->memory_width,
        .run_address = load->address,
        .run_local = load->local,
    };
    for (unsigned i = 0; i < 3; i++) {
        walk.count[i] = load->count[i];
        walk.address_stride[i] = load->address_stride[i];
        walk.local_stride[i] = load->local_stride[i];
    }
    return walk;
}

struct weft_burst_walk weft_burst_walk_store(const struct weft_config *config,
                                             const struct weft_store_fields *store) {
    struct weft_burst_walk walk = {
        .run = store->run,
        .boundary = config->memory_burst,
        .width = config->memory_width,
        .run_address = store->address,
        .run_local = store->local,
    };
    for (unsigned i = 0; i < 3; i++) {
        walk.count[i] = store->count[i];
        walk.address_stride[i] = store->address_stride[i];
        walk.local_stride[i] = store->local_stride[i];
    }
    return walk;
}

struct weft_burst weft_burst_current(const struct weft_burst_walk *walk) {
    uint64_t address = (uint64_t)(walk->run_address + walk->done);
    uint64_t room = walk->boundary - address % walk->boundary;
    uint32_t bytes = (uint32_t)weft_min((int64_t)room, (int64_t)walk->run - walk->done);
    bool last = walk->done + bytes == walk->run;
    for (unsigned i = 0; i < 3; i++) {
        last = last && walk->index[i] + 1 == walk->count[i];
    }
    return (struct weft_burst){
        .address = address,
        .local = walk->run_local + walk->done,
        .bytes = bytes,
        .beats = weft_beats(address, bytes, walk->width),
        .last = last,
    };
}

void weft_burst_advance(struct weft_burst_walk *walk) {
    walk->done += weft_burst_current(walk).bytes;
    if (walk->done < walk->run) {
        return;
    }
    walk->done = 0;
    for (unsigned level = 3; level-- > 0;) {
        walk->run_address += walk->address_stride[level];
        walk->run_local += walk->local_stride[level];
        if (++walk->index[level] < walk->count[level]) {
            return;
        }
        walk->index[level] = 0;
        walk->run_address -= walk->address_stride[level] * walk->count[level];
        walk->run_local -= walk->local_stride[level] * walk->count[level];
    }
}

static uint64_t runs_of(const struct weft_burst_walk *walk) {
    return (uint64_t)walk->count[0] * walk->count[1] * walk->count[2];
}

/* Aligned pieces of `unit` bytes, a power of two, that any run of the copy touches at most. All
 * runs begin at the same offset in pieces of `grain` bytes, so at most so much before the end of a
 * unit. */
static uint64_t most_pieces(const struct weft_burst_walk *walk, uint32_t unit) {
    uint64_t strides = unit;
    for (unsigned i = 0; i < 3; i++) {
        strides |= walk->count[i] > 1 ? (uint64_t)walk->address_stride[i] : 0;
    }
    uint64_t grain = strides & (0 - strides); /* the lowest bit */
    uint64_t offset = unit - grain + (uint64_t)walk->run_address % grain;
    return (offset + walk->run - 1) / unit + 1;
}

struct weft_burst_sum weft_burst_walk_most(const struct weft_burst_walk *walk) {
    uint64_t runs = runs_of(walk);
    return (struct weft_burst_sum){
        .bursts = weft_mul_saturated(runs, most_pieces(walk, walk->boundary)),
        .beats = weft_mul_saturated(runs, most_pieces(walk, walk->width)),
    };
}

struct weft_burst_sum weft_burst_walk_least(const struct weft_burst_walk *walk) {
    uint64_t runs = runs_of(walk);
    return (struct weft_burst_sum){
        .bursts = weft_mul_saturated(runs, (uint64_t)weft_ceil_div(walk->run, walk->boundary)),
        .beats = weft_mul_saturated(runs, (uint64_t)weft_ceil_div(walk->run, walk->width)),
    };
}
