#include "sim/timing/memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "sim/timing/burst.h"
#include "sim/timing/duration.h"

/* ---- times ---- */

const char *const weft_dram_names[WEFT_DRAMS] = {
    "none",
#define WEFT_DRAM(NAME, name, ...) name,
#include "sim/timing/dram.def"
#undef WEFT_DRAM
};

/* Cycles of a machine of so many kHz that cover a time in picoseconds. */
static uint64_t cycles_of(uint64_t picoseconds, uint32_t clock) {
    const uint64_t scale = 1000000000;
    return (picoseconds * clock + scale - 1) / scale;
}

static struct weft_dram_state dram_of(const struct weft_memory_settings *settings) {
    switch (settings->dram) {
#define WEFT_DRAM(NAME, name, banks_, row_bytes_, activate_, precharge_, open_, write_recovery_,   \
                  write_to_read_, read_to_write_, activates_apart_, four_activates_,               \
                  refresh_interval_, refresh_, doc)                                                \
    case WEFT_DRAM_##NAME:                                                                         \
        return (struct weft_dram_state){                                                           \
            .banks = (banks_),                                                                     \
            .row_bytes = (row_bytes_),                                                             \
            .cycles = {.activate = cycles_of((activate_), settings->clock),                        \
                       .precharge = cycles_of((precharge_), settings->clock),                      \
                       .open = cycles_of((open_), settings->clock),                                \
                       .write_recovery = cycles_of((write_recovery_), settings->clock),            \
                       .write_to_read = cycles_of((write_to_read_), settings->clock),              \
                       .read_to_write = cycles_of((read_to_write_), settings->clock),              \
                       .activates_apart = cycles_of((activates_apart_), settings->clock),          \
                       .four_activates = cycles_of((four_activates_), settings->clock),            \
                       .refresh_interval = cycles_of((refresh_interval_), settings->clock),        \
                       .refresh = cycles_of((refresh_), settings->clock)},                         \
        };
#include "sim/timing/dram.def"
#undef WEFT_DRAM
    default:
        return (struct weft_dram_state){.banks = 0};
    }
}

struct weft_memory_model weft_memory_new(const struct weft_config *config,
                                         const struct weft_memory_settings *settings) {
    return (struct weft_memory_model){
        .latency = settings->latency == 0 ? config->memory_latency : settings->latency,
        .interval = settings->interval == 0 ? 1 : settings->interval,
        .dram = dram_of(settings),
    };
}

/* The first cycle from `cycle` on in which a row can be activated, as far as the other banks go. */
static uint64_t may_activate(const struct weft_dram_state *dram, uint64_t cycle) {
    uint64_t count = dram->activates;
    if (count > 0) {
        uint64_t last = dram->activated[(count - 1) % WEFT_DRAM_WINDOW];
        cycle = weft_max_u64(cycle, last + dram->cycles.activates_apart);
    }
    if (count >= WEFT_DRAM_WINDOW) {
        cycle = weft_max_u64(cycle, dram->activated[count % WEFT_DRAM_WINDOW] +
                                        dram->cycles.four_activates);
    }
    return cycle;
}

/* Opens a row of a bank, from `cycle` on; returns the first cycle in which a column of it can be
 * named. */
static uint64_t open_row(struct weft_dram_state *dram, struct weft_dram_bank *bank, uint64_t row,
                         uint64_t cycle, uint64_t refreshes) {
    if (bank->is_open) {
        cycle = weft_max_u64(cycle, bank->closable) + dram->cycles.precharge;
    }
    cycle = may_activate(dram, cycle);
    dram->activated[dram->activates++ % WEFT_DRAM_WINDOW] = cycle;
    *bank = (struct weft_dram_bank){.is_open = true,
                                    .row = row,
                                    .opened = cycle,
                                    .closable = cycle + dram->cycles.open,
                                    .refreshes = refreshes};
    return cycle + dram->cycles.activate;
}

/* Where an address lies: a region begins in a bank of its own. */
static struct weft_dram_bank *find_row(struct weft_dram_state *dram, uint64_t address,
                                       uint64_t *row) {
    uint64_t offset = address & weft_low_bits(WEFT_PORT_REGION_SHIFT);
    uint64_t region = address >> WEFT_PORT_REGION_SHIFT;
    *row = address / (dram->row_bytes * dram->banks);
    return &dram->bank[(offset / dram->row_bytes + region) % dram->banks];
}

/* The cycle in which a column of a row can be named, not before `command`, for a burst that was
 * accepted in `cycle`. A refresh closes every row and takes its time from a multiple of the
 * interval on; what was begun before still ends. Opening takes less than an interval
 * (WEFT_DRAM_LEAST_CLOCK), so that this goes round twice at most. */
static uint64_t reach_row(struct weft_dram_state *dram, struct weft_dram_bank *bank, uint64_t row,
                          uint64_t cycle, uint64_t command) {
    const struct weft_dram_cycles *cycles = &dram->cycles;
    uint64_t refreshes = 0;
    do {
        refreshes = command / cycles->refresh_interval;
        if (refreshes > 0) {
            cycle = weft_max_u64(cycle, refreshes * cycles->refresh_interval + cycles->refresh);
            bank->is_open = bank->is_open && bank->refreshes == refreshes;
        }
        if (!bank->is_open || bank->row != row) {
            command = weft_max_u64(command, open_row(dram, bank, row, cycle, refreshes));
        }
    } while (command / cycles->refresh_interval != refreshes);
    return command;
}

uint64_t weft_memory_accept_in_dram(struct weft_memory_model *memory, uint64_t cycle,
                                    uint64_t address, uint64_t beats, bool is_write) {
    struct weft_dram_state *dram = &memory->dram;
    uint64_t row = 0;
    struct weft_dram_bank *bank = find_row(dram, address, &row);
    uint64_t turn = is_write == dram->has_written ? 0
                    : is_write                    ? dram->cycles.read_to_write
                                                  : dram->cycles.write_to_read;
    uint64_t free = memory->free == 0 ? 0 : memory->free - memory->latency + turn;
    uint64_t command = reach_row(dram, bank, row, cycle, weft_max_u64(cycle, free));
    uint64_t end = command + beats * memory->interval;
    bank->closable =
        weft_max_u64(bank->closable, end + (is_write ? dram->cycles.write_recovery : 0));
    dram->has_written = is_write;
    return command + memory->latency;
}

uint64_t weft_memory_most_wait(const struct weft_memory_model *memory) {
    const struct weft_dram_cycles *cycles = &memory->dram.cycles;
    /* Of two refreshes one may come while the row is opened after the other. */
    return 2 * (cycles->activate + cycles->precharge + cycles->open + cycles->write_recovery +
                cycles->write_to_read + cycles->read_to_write + cycles->activates_apart +
                cycles->four_activates + cycles->refresh);
}

/* ---- the port, cycle by cycle ---- */

void weft_port_open(struct weft_memory_port *port, const struct weft_config *config,
                    uint8_t *const regions[WEFT_REGIONS], const uint64_t limits[WEFT_REGIONS],
                    const struct weft_memory_settings *settings) {
    *port = (struct weft_memory_port){
        .model = weft_memory_new(config, settings),
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
    *first = weft_memory_accept(&port->model, cycle, request->address, request->beats,
                                request->master == WEFT_MASTER_STORE);
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
