#include "sim/timing/memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "sim/timing/burst.h"
#include "sim/timing/duration.h"

/* ---- times ---- */

struct weft_memory_model weft_memory_new(uint64_t latency, uint64_t interval) {
    return (struct weft_memory_model){.latency = latency, .interval = interval, .free = 0};
}

uint64_t weft_memory_accept(struct weft_memory_model *memory, uint64_t cycle, uint64_t beats) {
    uint64_t first = weft_max_u64(cycle + memory->latency, memory->free);
    memory->free = first + beats * memory->interval;
    return first;
}

uint64_t weft_memory_last_beat(const struct weft_memory_model *memory, uint64_t first,
                               uint64_t beats) {
    return first + (beats - 1) * memory->interval;
}

/* ---- the port, cycle by cycle ---- */

void weft_port_open(struct weft_memory_port *port, const struct weft_config *config,
                    uint8_t *const regions[WEFT_REGIONS], const uint64_t limits[WEFT_REGIONS],
                    uint64_t latency, uint64_t interval) {
    *port = (struct weft_memory_port){
        .model = weft_memory_new(latency == 0 ? config->memory_latency : latency,
                                 interval == 0 ? 1 : interval),
        .width = config->memory_width,
        .boundary = config->memory_burst,
    };
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        port->regions[i] = regions[i];
        port->limits[i] = limits[i];
    }
}

static const char *master_name(uint32_t master) {
    static const char *const names[WEFT_MASTERS] = {"fetch", "store", "load"};
    return master < WEFT_MASTERS ? names[master] : "no known master";
}

static bool refuse(uint64_t cycle, const struct weft_port_request *request, const char *reason,
                   struct weft_error *error) {
    return weft_fail(error, WEFT_INTERNAL, cycle,
                     "cycle %" PRIu64 ": burst of %s, address 0x%" PRIx64 ", %" PRIu32
                     " bytes, %" PRIu32 " beats: %s",
                     cycle, master_name(request->master), request->address, request->bytes,
                     request->beats, reason);
}

/* The first byte of a burst in host memory; NULL with an error when it is no burst of a correct
 * machine. */
static uint8_t *find_bytes(const struct weft_memory_port *port, uint64_t cycle,
                           const struct weft_port_request *request, struct weft_error *error) {
    uint64_t region = request->address >> WEFT_PORT_REGION_SHIFT;
    uint64_t offset = request->address & weft_low_bits(WEFT_PORT_REGION_SHIFT);
    uint32_t bytes = request->bytes;
    bool good =
        (request->master < WEFT_MASTERS ||
         refuse(cycle, request, "expected master 0 to 2", error)) &&
        (region < WEFT_REGIONS || refuse(cycle, request, "the address is in no region", error)) &&
        (bytes != 0 || refuse(cycle, request, "it has no bytes", error)) &&
        (offset % port->boundary + bytes <= port->boundary ||
         refuse(cycle, request, "it crosses a multiple of memory_burst", error)) &&
        (request->beats == weft_beats(offset, bytes, port->width) ||
         refuse(cycle, request, "its bytes take another number of beats", error)) &&
        (offset + bytes <= port->limits[region] ||
         refuse(cycle, request, "it passes the limit of its region", error)) &&
        (port->burst_count < WEFT_PORT_BURSTS ||
         refuse(cycle, request, "too many bursts are outstanding", error));
    return good ? port->regions[region] + offset : NULL;
}

bool weft_port_accept(struct weft_memory_port *port, uint64_t cycle,
                      const struct weft_port_request *request, uint64_t *first,
                      struct weft_error *error) {
    uint8_t *bytes = find_bytes(port, cycle, request, error);
    if (bytes == NULL) {
        return false;
    }
    *first = weft_memory_accept(&port->model, cycle, request->beats);
    uint32_t slot = (port->burst_head + port->burst_count++) % WEFT_PORT_BURSTS;
    port->burst[slot] = (struct weft_port_burst){
        .master = (enum weft_master)request->master,
        .bytes = bytes,
        .left = request->bytes,
        .lane = (uint32_t)(request->address % port->width),
        .cycle = *first,
    };
    return true;
}

/* Moves a burst to its next beat; after the last one it leaves the ring. */
static void next_beat(struct weft_memory_port *port, struct weft_port_burst *burst,
                      uint32_t count) {
    burst->bytes += count;
    burst->left -= count;
    burst->lane = 0;
    burst->cycle += port->model.interval;
    if (burst->left == 0) {
        port->burst_head = (port->burst_head + 1) % WEFT_PORT_BURSTS;
        port->burst_count--;
    }
}

enum weft_port_beat weft_port_step(struct weft_memory_port *port, uint64_t cycle,
                                   uint8_t data[WEFT_PORT_WIDTH]) {
    struct weft_port_burst *burst = &port->burst[port->burst_head];
    if (port->burst_count == 0 || burst->cycle != cycle) {
        return WEFT_PORT_NONE;
    }
    enum weft_master master = burst->master;
    uint32_t count = (uint32_t)weft_min(port->width - burst->lane, burst->left);
    if (master == WEFT_MASTER_STORE) {
        uint32_t slot = (port->write_head + port->write_count++) % WEFT_PORT_WRITES;
        port->write[slot] = (struct weft_port_write){.bytes = burst->bytes,
                                                     .lane = burst->lane,
                                                     .count = count,
                                                     .cycle = cycle + WEFT_STORE_DRAIN};
    } else {
        memset(data, WEFT_PORT_JUNK, port->width);
        memcpy(data + burst->lane, burst->bytes, count);
    }
    next_beat(port, burst, count);
    return master == WEFT_MASTER_STORE  ? WEFT_PORT_WRITE
           : master == WEFT_MASTER_LOAD ? WEFT_PORT_LOAD
                                        : WEFT_PORT_FETCH;
}

bool weft_port_write_due(const struct weft_memory_port *port, uint64_t cycle) {
    return port->write_count != 0 && port->write[port->write_head].cycle == cycle;
}

bool weft_port_write(struct weft_memory_port *port, uint64_t cycle, bool valid,
                     const uint8_t data[WEFT_PORT_WIDTH], uint32_t strobe,
                     struct weft_error *error) {
    const struct weft_port_write *write = &port->write[port->write_head];
    if (!weft_port_write_due(port, cycle)) {
        return !valid || weft_fail(error, WEFT_INTERNAL, cycle,
                                   "cycle %" PRIu64 ": write data that were not asked for", cycle);
    }
    uint32_t expected = (uint32_t)(weft_low_bits(write->count) << write->lane);
    if (!valid || strobe != expected) {
        return weft_fail(error, WEFT_INTERNAL, cycle,
                         "cycle %" PRIu64 ": write data with strobes 0x%" PRIx32
                         ", expected 0x%" PRIx32 ", asked for in cycle %" PRIu64,
                         cycle, valid ? strobe : 0, expected, cycle - WEFT_STORE_DRAIN);
    }
    memcpy(write->bytes, data + write->lane, write->count);
    port->write_head = (port->write_head + 1) % WEFT_PORT_WRITES;
    port->write_count--;
    return true;
}

bool weft_port_is_idle(const struct weft_memory_port *port) {
    return port->burst_count == 0 && port->write_count == 0;
}
