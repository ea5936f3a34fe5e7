/* weft_axi_machine of one configuration behind driver/rtl_model.h: `weft run --target rtl` with
 * WEFT_RTL_PATH set to the folder of this library runs networks through AXI.
 *
 * The bus is an ideal one: every channel takes and gives in every cycle, and a burst that the
 * machine sends has its first beat there after the latency of the configuration. WEFT_AXI_SEED=N
 * makes everything random instead: before the run that counts come some that are disturbed, and the
 * bus is slow in its own way each time.
 *
 * Nothing that the cycle simulator knows is compared: bytes are, by whoever calls. A second fault
 * of a run is the bench's. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "hw/tb/axi/attempts.h"
#include "weft_rtl_config.h"

struct weft_rtl_machine {
    axi::bench bench;
    axi::tally happened;
    uint64_t runs = 0;
    uint64_t random_runs = 0;
};

namespace {

using axi::attempts;
using axi::fail;

enum {
    WRAPPER_CYCLES = 3, /* of the latency: two from the machine to AR, one from R to the machine */
    DISTURBED_RUNS = 4, /* before one that counts, at most */
    ENOUGH_RUNS = 100,
    SLOWEST = 64, /* times the cycles of a good bus, that a random one may take */
};

template <class Work> bool guarded(weft_error *error, const Work &work) {
    try {
        work();
        return true;
    } catch (const axi::failure &reason) {
        return weft_fail(error, WEFT_INTERNAL, 0, "%s", reason.message.c_str());
    } catch (const std::bad_alloc &) {
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
    }
}

bool create(weft_rtl_machine **machine, weft_error *error) {
    return guarded(error, [=] {
        auto made = std::make_unique<weft_rtl_machine>();
        uint64_t identity = made->bench.read(axi::register_identity);
        uint64_t expected = static_cast<uint64_t>(WEFT_REGISTER_MAP_VERSION) << 32;
        memcpy(&expected, "WEFT", 4);
        if (identity != expected ||
            made->bench.read(axi::register_configuration) != rtl_fingerprint) {
            fail("IDENTITY is 0x%" PRIx64 ", or CONFIGURATION is not that of %s", identity,
                 rtl_config.name);
        }
        *machine = made.release();
    });
}

void destroy(weft_rtl_machine *machine) {
    const axi::tally &all = machine->happened;
    if (machine->random_runs > 0) {
        printf("%" PRIu64 " runs, before them %" PRIu64 " aborted (%" PRIu64
               " with bursts on their way, %" PRIu64 " on a bus that stood), %" PRIu64
               " ended by a reset of the bus, %" PRIu64 " by a reset of everything, %" PRIu64
               " by an error (%" PRIu64 " after the last cycle), %" PRIu64 " by the watchdog\n",
               machine->random_runs, all.aborts, all.busy_aborts, all.standing, all.bus_resets,
               all.resets, all.errors, all.late_errors, all.watchdogs);
    }
    delete machine;
}

bool reset(weft_rtl_machine *machine, weft_error *error) {
    return guarded(error, [=] { machine->bench.reset(); });
}

/* ---- a run ---- */

void make_ideal(axi::bench &bench, const weft_rtl_run *run) {
    uint64_t latency = run->memory.latency == 0 ? rtl_config.memory_latency : run->memory.latency;
    uint64_t bus = latency > WRAPPER_CYCLES ? latency - WRAPPER_CYCLES : 1;
    bench.how = axi::manners{};
    bench.external.how = axi::behaviour{};
    bench.external.how.read_latency = bus;
    bench.external.how.write_latency = bus;
    bench.external.how.interval = run->memory.interval == 0 ? 1 : run->memory.interval;
}

void make_random(axi::bench &bench) {
    bench.how.halves = bench.numbers() % 4 != 0;
    bench.how.wait = bench.numbers() % 2 == 0 ? 0 : bench.numbers() % 200;
    bench.external.how = axi::random_behaviour(bench.numbers);
}

/* Strobes that name no half change nothing. */
void write_parts(axi::bench &bench) {
    unsigned strobes = bench.numbers() % 256;
    if (strobes == 0xff || strobes == 0x0f || strobes == 0xf0) {
        return;
    }
    uint32_t address = static_cast<uint32_t>(bench.numbers() % 0x100);
    if (bench.write_strobes(address, bench.numbers(), strobes) != 2) {
        fail("a write with strobes 0x%02x is not answered with SLVERR", strobes);
    }
}

/* After so many runs everything has been in the way of one. */
void check_tally(const weft_rtl_machine *machine) {
    const axi::tally &all = machine->happened;
    if (machine->random_runs == ENOUGH_RUNS &&
        (all.aborts == all.busy_aborts || all.busy_aborts == 0 || all.standing == 0 ||
         all.bus_resets == 0 || all.resets == 0 || all.errors == 0 || all.watchdogs == 0)) {
        fail("something never happened in %d runs", ENOUGH_RUNS);
    }
}

weft_run_result run_at_random(weft_rtl_machine *machine, const weft_rtl_run *run) {
    axi::bench &bench = machine->bench;
    weft_rtl_run longer = *run;
    longer.watchdog *= SLOWEST;
    longer.give_up *= SLOWEST;
    attempts tries(bench, longer, machine->happened);
    make_ideal(bench, run);
    tries.set_registers();
    const weft_run_result clean = tries.to_the_end(true);
    for (uint64_t i = bench.numbers() % (DISTURBED_RUNS + 1); i > 0; i--) {
        make_random(bench);
        write_parts(bench);
        tries.disturbed(clean);
    }
    make_random(bench);
    weft_run_result found = tries.to_the_end(bench.numbers() % 2 == 0);
    if (found.fault != clean.fault || found.counters.store_bytes != clean.counters.store_bytes ||
        found.counters.load_bytes != clean.counters.load_bytes) {
        fail("fault %d, %" PRIu64 " bytes of load and %" PRIu64 " of store; on an ideal bus %d, "
             "%" PRIu64 ", %" PRIu64,
             found.fault, found.counters.load_bytes, found.counters.store_bytes, clean.fault,
             clean.counters.load_bytes, clean.counters.store_bytes);
    }
    return found;
}

bool run(weft_rtl_machine *machine, const weft_rtl_run *run, weft_run_result *result,
         weft_error *error) {
    return guarded(error, [=] {
        const char *seed = getenv("WEFT_AXI_SEED");
        axi::bench &bench = machine->bench;
        uint64_t number = seed == nullptr ? 0 : strtoull(seed, nullptr, 10);
        bench.numbers.seed(number * 1000003 + machine->runs++ + run->give_up);
        bench.external.set_regions(run->bytes, run->regions);
        if (seed != nullptr) {
            *result = run_at_random(machine, run);
            machine->random_runs++;
            check_tally(machine);
            return;
        }
        attempts tries(bench, *run, machine->happened);
        make_ideal(bench, run);
        tries.set_registers();
        *result = tries.to_the_end(true);
    });
}

/* There is no way to the on-chip memories. */
bool write_memories(weft_rtl_machine *, const void *const[WEFT_MEMORIES], weft_error *error) {
    return weft_fail(error, WEFT_TARGET, 0, "on-chip memories are not written through AXI");
}

bool read_memories(weft_rtl_machine *, void *const[WEFT_MEMORIES], weft_error *error) {
    return weft_fail(error, WEFT_TARGET, 0, "on-chip memories are not read through AXI");
}

const weft_rtl_interface interface = {
    WEFT_RTL_VERSION, rtl_fingerprint, rtl_config.name, false, false, create, destroy, reset, run,
    write_memories,   read_memories,
};

} // namespace

extern "C" __attribute__((visibility("default"))) const weft_rtl_interface *weft_rtl_interface() {
    return &interface;
}
