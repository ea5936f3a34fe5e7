#include "sim/timing/burst.h"

#include "base/checked.h"
#include "base/integer.h"
#include "isa/footprint.h"

uint32_t weft_beats(uint64_t address, uint32_t bytes, uint32_t width) {
    uint32_t before = (uint32_t)address & (width - 1); /* in the first beat */
    return (before + bytes + width - 1) >> __builtin_ctz(width);
}

/* The walk over the runs of a transfer, from address 0 to address 0. */
static struct weft_burst_walk walk_of(const struct weft_config *config, uint32_t run,
                                      const uint32_t count[3], const int32_t address_stride[3],
                                      const int32_t local_stride[3]) {
    struct weft_burst_walk walk = {
        .run = run, .boundary = config->memory_burst, .width = config->memory_width};
    for (unsigned i = 0; i < 3; i++) {
        walk.count[i] = count[i];
        walk.address_stride[i] = address_stride[i];
        walk.local_stride[i] = local_stride[i];
    }
    return walk;
}

struct weft_burst_walk weft_burst_walk_load(const struct weft_config *config,
                                            const struct weft_load_fields *load) {
    struct weft_burst_walk walk =
        walk_of(config, load->run, load->count, load->address_stride, load->local_stride);
    walk.run_address = load->address;
    walk.run_local = load->local;
    for (unsigned i = 0; i < 3 && weft_load_is_coded(load); i++) {
        walk.count[i] = 1;
    }
    return walk;
}

struct weft_burst_walk weft_burst_walk_store(const struct weft_config *config,
                                             const struct weft_store_fields *store) {
    struct weft_burst_walk walk =
        walk_of(config, store->run, store->count, store->address_stride, store->local_stride);
    walk.run_address = store->address;
    walk.run_local = store->local;
    return walk;
}

struct weft_burst weft_burst_current(const struct weft_burst_walk *walk) {
    uint64_t address = (uint64_t)(walk->run_address + walk->done);
    uint64_t room = walk->boundary - (address & (walk->boundary - 1));
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

void weft_burst_advance(struct weft_burst_walk *walk, const struct weft_burst *current) {
    walk->done += current->bytes;
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
