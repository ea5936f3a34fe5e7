/* External memory as an AXI4 slave: it serves the master of weft_axi_machine, keeps its channels
 * waiting at random, answers with errors, stands still, and holds the master to the rules of AXI
 * and to the regions of the run. Without any of that it is an ideal bus. */
#ifndef WEFT_HW_TB_AXI_MEMORY_H
#define WEFT_HW_TB_AXI_MEMORY_H

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "sim/timing/timing.h"
}
#include "Vweft_axi_machine.h"

namespace axi {

enum {
    WIDTH = sizeof(Vweft_axi_machine::m_axi_rdata), /* bytes of a beat */
};

/* What went wrong; every part of the bench throws it. */
struct failure {
    std::string message;
};

[[noreturn]] __attribute__((format(printf, 1, 2))) void fail(const char *format, ...);

using random = std::mt19937_64;

/* How a bus behaves. Waits are chances in 256 that a channel does nothing in a cycle. */
struct behaviour {
    unsigned wait_ar = 0;
    unsigned wait_r = 0;
    unsigned wait_aw = 0;
    unsigned wait_w = 0;
    unsigned wait_b = 0;
    uint64_t read_latency = 1;  /* from the cycle that takes AR to the first beat on R */
    uint64_t write_latency = 1; /* from the cycle that takes the last beat of W to B */
    uint64_t interval = 1;      /* cycles from beat to beat on R */
    bool reads_early = false;   /* a burst reads memory when it is taken; else beat by beat */
    bool writes_early = false;  /* a burst is in memory when its last beat is; else with B */
};

/* A behaviour at random: from nearly idle to hardly moving. */
behaviour random_behaviour(random &numbers);

class memory {
  public:
    memory(Vweft_axi_machine &machine, random &numbers) : machine(machine), numbers(numbers) {
    }

    behaviour how;
    uint64_t now = 0;
    uint64_t stops_at = UINT64_MAX;    /* cycle from which on nothing moves */
    uint64_t read_error = UINT64_MAX;  /* number of the beat on R that is an error */
    uint64_t write_error = UINT64_MAX; /* number of the response on B that is an error */
    /* Since begin(): */
    uint64_t read_beats = 0;
    uint64_t responses = 0;
    uint64_t error_at = UINT64_MAX; /* cycle in which an error was first shown */

    /* The regions of a run, region i at the address i << 40. `bytes` stay with the caller. */
    void set_regions(uint8_t *const bytes[WEFT_REGIONS], const weft_regions &regions);
    /* A run begins: counts, and no error is to come. */
    void begin();
    /* Forgets what is on its way: the reset of the bus. */
    void reset();
    /* Sets the inputs of the machine for the cycle `now`. */
    void drive();
    /* Looks at the machine's outputs at the end of the cycle, and moves on to the next one. */
    void sample();
    bool is_quiet() const; /* nothing is on its way, as the memory sees it */

  private:
    struct burst {
        uint64_t address;
        unsigned beats;
        uint64_t due;              /* cycle of the first beat, or of the response */
        std::vector<uint8_t> data; /* of a read that was early, of all beats of a write */
        std::vector<uint8_t> strobes;
    };
    struct beat {
        uint8_t data[WIDTH];
        uint64_t strobe;
        bool last;
    };

    Vweft_axi_machine &machine;
    random &numbers;
    uint8_t *bytes[WEFT_REGIONS] = {};
    weft_regions regions{};
    std::deque<burst> reads;
    std::deque<burst> write_addresses; /* without all their beats */
    std::deque<beat> write_data;       /* of those */
    std::deque<burst> writes;          /* complete, without response */
    unsigned position = 0;             /* beats of the first read that were given */
    uint64_t free_from = 0;            /* cycle from which on R can move */
    bool read_taken = false;           /* in the last cycle, and the response on B */
    bool response_taken = false;
    std::vector<uint8_t> shown[3]; /* AR, AW, W as they stood and were not taken */

    bool waits(unsigned chance);
    bool stands() const;
    void drive_read();
    void drive_response();
    void check_burst(const char *channel, uint64_t address, unsigned length, unsigned size,
                     unsigned kind) const;
    void check_stable(unsigned channel, bool valid, bool ready, const std::vector<uint8_t> &value);
    void check_channels();
    void take_read();
    void take_write_address();
    void take_write_data();
    void complete_writes();
    void read(uint64_t address, uint8_t *to);
    void write(const burst &write);
    uint8_t *find(uint64_t address, bool to_write) const;
};

} // namespace axi

#endif
