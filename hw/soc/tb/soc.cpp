/* The RTL of a system behind driver/soc_model.h: weft_soc.sv as Verilator translates it, its clock,
 * and what it calls. */
#include <cstdlib>
#include <cstring>

extern "C" {
#include "driver/soc_model.h"
#include "isa/isa.h"
}
#include "Vweft_soc__Dpi.h"
#include "Vweft_soc__Syms.h"
#include "hw/tb/evaluation.h"
#include "weft_rtl_config.h"

using namespace rtl;

namespace {

enum {
    RESET_CYCLES = 4,
    RESERVE_BYTES = 1 << 18, /* beside the translated RTL itself, several times what it allocates */
};

struct system_model : evaluation {
    std::unique_ptr<Vweft_soc> top;
    const weft_soc_run *run = nullptr;
    bool is_finished = false;
    uint32_t finish = 0;
};

void tick(system_model *system) {
    system->top->clock = 1;
    system->top->eval();
    system->cycle++;
    system->top->clock = 0;
    system->top->eval();
}

void make(system_model *system) {
    system->context = std::make_unique<VerilatedContext>();
    Verilated::threadContextp(system->context.get());
    system->context->threads(1); /* the caller's: no others are made */
    system->top = std::make_unique<Vweft_soc>(system->context.get(), "system");
    system->top->model = reinterpret_cast<uintptr_t>(system);
    system->top->ram_bytes = static_cast<uint32_t>(system->run->ram_bytes);
    system->top->memory_latency = static_cast<uint16_t>(system->run->memory_latency);
    system->top->reset = 1;
    for (int i = 0; i < RESET_CYCLES; i++) {
        tick(system);
    }
    system->top->reset = 0;
    system->cycle = 0;
}

void run_to_end(system_model *system) {
    while (!system->is_finished && !system->failed && system->cycle < system->run->most_cycles) {
        tick(system);
    }
    if (!system->is_finished && !system->failed) {
        system->failed = true;
        weft_error_set(&system->error, WEFT_LIMIT, system->cycle,
                       "the system does not end: no write to the test finisher in %" PRIu64
                       " cycles",
                       system->cycle);
    }
}

bool check_run(const weft_soc_run *run, weft_error *error) {
    if (run->ram_bytes < WEFT_SOC_RAM_LEAST || run->ram_bytes >= UINT64_C(1) << 31 ||
        run->ram_bytes % WEFT_SOC_RAM_MULTIPLE != 0) {
        return weft_fail(error, WEFT_ARGUMENT, run->ram_bytes,
                         "%" PRIu64 " bytes of RAM, expected %d to 2^31 - 1, a multiple of %d",
                         run->ram_bytes, WEFT_SOC_RAM_LEAST, WEFT_SOC_RAM_MULTIPLE);
    }
    return (run->memory_latency >= 2 && run->memory_latency <= UINT16_MAX) ||
           weft_fail(error, WEFT_ARGUMENT, run->memory_latency,
                     "a latency of %" PRIu32 " cycles, expected 2 to %d", run->memory_latency,
                     UINT16_MAX);
}

/* What was allocated from the reserve goes before it. */
void destroy(system_model *system) {
    weft_reserve reserve = system->reserve;
    weft_reserve *before = weft_reserve_use(&reserve);
    system->top.reset();
    system->context.reset();
    delete system;
    weft_reserve_use(before);
    weft_reserve_close(&reserve);
}

bool run(const weft_soc_run *run, weft_soc_result *result, weft_error *error) {
    weft_reserve reserve{};
    if (!check_run(run, error)) {
        return false;
    }
    void *memory = malloc(sizeof(system_model));
    if (memory == nullptr ||
        !weft_reserve_open(&reserve, sizeof(Vweft_soc__Syms) + RESERVE_BYTES)) {
        free(memory);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
    }
    auto *system = new (memory) system_model;
    system->reserve = reserve;
    system->run = run;
    bool good = guarded(system, error, [system] {
        make(system);
        if (system->reserve.used == 0) { /* else there was no memory, and the run is nobody's */
            run_to_end(system);
        }
    });
    *result = {system->finish, system->cycle};
    destroy(system);
    return good;
}

const weft_soc_interface interface = {
    WEFT_SOC_VERSION, rtl_fingerprint, rtl_config.name, WEFT_SOC_CPU, run,
};

system_model *system_of(uint64_t model) {
    return reinterpret_cast<system_model *>(static_cast<uintptr_t>(model));
}

} // namespace

/* ---- what weft_soc.sv and its modules call; offsets are inside the RAM ---- */

unsigned long long weft_soc_read(unsigned long long model, unsigned offset) {
    uint64_t word = 0;
    memcpy(&word, system_of(model)->run->ram + offset, sizeof word);
    return word;
}

void weft_soc_write(unsigned long long model, unsigned offset, unsigned long long word,
                    unsigned strobe) {
    uint8_t *bytes = system_of(model)->run->ram + offset;
    if (strobe == 0xff) {
        memcpy(bytes, &word, sizeof word);
        return;
    }
    for (unsigned i = 0; i < sizeof word; i++) {
        if ((strobe >> i & 1) != 0) {
            bytes[i] = static_cast<uint8_t>(word >> 8 * i);
        }
    }
}

void weft_soc_print(unsigned long long model, unsigned letter) {
    const weft_soc_run *run = system_of(model)->run;
    if (run->send != nullptr) {
        run->send(run->context, static_cast<uint8_t>(letter));
    }
}

void weft_soc_finish(unsigned long long model, unsigned value) {
    system_model *system = system_of(model);
    if (!system->is_finished) {
        system->is_finished = true;
        system->finish = value;
    }
}

void weft_soc_stop(unsigned long long model, unsigned address) {
    fail(system_of(model),
         "the CPU stopped: an illegal instruction, ebreak, or an address that is not aligned or "
         "that nothing answers; on its bus was 0x%08x",
         address);
}

extern "C" __attribute__((visibility("default"))) const weft_soc_interface *weft_soc_interface() {
    return &interface;
}
