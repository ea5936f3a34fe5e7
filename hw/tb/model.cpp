/* The RTL of one configuration behind driver/rtl_model.h: weft_bench.sv as Verilator translates it,
 * its clock, its register slave, and what its DPI functions call.
 *
 * In cycle t the inputs are set and the clock is low; tick() is the rising edge that ends t.
 * Whatever goes wrong inside an evaluation is noted in the machine, first come, and ends the run
 * after it. */
#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

extern "C" {
#include "driver/rtl_model.h"
#include "sim/timing/duration.h"
#include "sim/timing/memory.h"
}
#include "Vweft_bench.h"
#include "Vweft_bench__Dpi.h"
#include "Vweft_bench__Syms.h"
#include "hw/tb/hooks.h"
#include "hw/tb/reserve.h"
#include "weft_rtl_config.h"
#ifdef WEFT_RTL_WAVE
#include "verilated_fst_c.h"
#endif

namespace {

enum : uint64_t {
#define WEFT_REGISTER(name, address, doc) register_##name = (address),
#include "isa/registers.def"
#undef WEFT_REGISTER
};

enum {
    RESET_CYCLES = 4,
    REGISTER_CYCLES = 64,    /* in which a register access is over */
    GIVE_UP_CYCLES = 1000,   /* after the machine's own watchdog */
    PRINTED_BYTES = 400,     /* of a message that are kept */
    RESERVE_BYTES = 1 << 18, /* beside the translated RTL itself, several times what it allocates */
    KIND_DISPATCHED = 0,     /* of weft_bench_trace() */
    KIND_STARTED = 1,
    KIND_FINISHED = 2,
};

enum class phase {
    idle,     /* before start: nothing may happen on the memory port */
    running,  /* from start to the interrupt */
    draining, /* after it: beats that are on their way still come */
};

/* An evaluation that Verilator's run time could not go on with. */
struct broken {
    std::string message;
};

thread_local weft_rtl_machine *current = nullptr; /* that is evaluated */

} // namespace

struct weft_rtl_machine {
    weft_reserve reserve{};                    /* for all that follows */
    std::unique_ptr<VerilatedContext> context; /* before what lives in it */
    std::unique_ptr<Vweft_bench> bench;
    weft_memory_port port{};
    weft_observer observer{};
    phase now = phase::idle;
    uint64_t cycle = 0;     /* that the next rising edge ends; counts from start */
    uint64_t happened[3]{}; /* events, by kind */
    bool failed = false;    /* in the call that is going on: */
    weft_error error{};     /* with this */
    bool is_broken = false; /* for good */
    std::string printed;    /* by the RTL, not looked at yet */
    uint8_t write_data[WEFT_PORT_WIDTH]{};
    uint8_t read_data[WEFT_PORT_WIDTH]{};
    const void *const *preset = nullptr; /* what the on-chip memories are to hold */
    void *const *dump = nullptr;
#ifdef WEFT_RTL_WAVE
    std::unique_ptr<VerilatedFstC> wave;
    uint64_t wave_from = 0;
    uint64_t wave_to = 0;
#endif
};

namespace {

__attribute__((format(printf, 2, 3))) void fail(weft_rtl_machine *machine, const char *format,
                                                ...) {
    char text[sizeof machine->error.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!machine->failed) {
        machine->failed = true;
        weft_error_set(&machine->error, WEFT_INTERNAL, machine->cycle, "cycle %" PRIu64 ": %s",
                       machine->cycle, text);
    }
}

/* ---- what Verilator's run time says ---- */

/* What was printed, on one line, without the "[time] %Error: " that $error puts before it. */
std::string take_printed(weft_rtl_machine *machine) {
    std::string text = std::move(machine->printed);
    machine->printed.clear();
    static const char mark[] = "%Error: ";
    size_t begin = text.find(mark);
    if (begin != std::string::npos) {
        text.erase(0, begin + sizeof mark - 1);
    }
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    for (char &letter : text) {
        letter = letter == '\n' ? ' ' : letter;
    }
    return text;
}

} // namespace

int weft_rtl_print(const char *format, ...) {
    char text[PRINTED_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (current != nullptr && current->printed.size() < PRINTED_BYTES) {
        current->printed += text;
    }
    return length;
}

/* $stop, and what $error ends with. The evaluation goes on to its end. */
void vl_stop(const char *file, int line, const char *) {
    std::string text = take_printed(current);
    if (text.empty()) {
        fail(current, "%s:%d: $stop", file, line);
    } else {
        fail(current, "%s", text.c_str());
    }
}

void vl_finish(const char *file, int line, const char *) {
    fail(current, "%s:%d: $finish", file, line);
}

/* The run time cannot go on: the evaluation must not return to where it was. */
void vl_fatal(const char *file, int line, const char *, const char *message) {
    throw broken{std::string(file) + ":" + std::to_string(line) + ": " + message};
}

/* ---- what the bench calls at a rising edge ---- */

namespace {

weft_rtl_machine *machine_of(uint64_t model) {
    return reinterpret_cast<weft_rtl_machine *>(static_cast<uintptr_t>(model));
}

void accept(weft_rtl_machine *machine, const weft_port_request &request) {
    uint64_t first = 0;
    if (machine->now != phase::running) {
        fail(machine, "burst of address 0x%" PRIx64 " while the machine does not run",
             request.address);
    } else if (machine->failed) {
        return;
    } else if (!weft_port_accept(&machine->port, machine->cycle, &request, &first,
                                 &machine->error)) {
        machine->failed = true;
    } else if (machine->observer.burst != nullptr) {
        machine->observer.burst(machine->observer.context, static_cast<weft_master>(request.master),
                                request.address, request.bytes, machine->cycle, first);
    }
}

/* After the end a fault can leave write data that never come. */
void write(weft_rtl_machine *machine, bool valid, uint32_t strobe) {
    if (machine->now == phase::running && !machine->failed &&
        !weft_port_write(&machine->port, machine->cycle, valid, machine->write_data, strobe,
                         &machine->error)) {
        machine->failed = true;
    }
}

} // namespace

void weft_bench_put(unsigned long long model, unsigned index, unsigned long long word) {
    memcpy(machine_of(model)->write_data + 8 * index, &word, sizeof word);
}

unsigned long long weft_bench_get(unsigned long long model, unsigned index) {
    unsigned long long word = 0;
    memcpy(&word, machine_of(model)->read_data + 8 * index, sizeof word);
    return word;
}

unsigned weft_bench_cycle(unsigned long long model, svBit write_valid, unsigned write_strobe,
                          svBit memory_valid, unsigned memory_master,
                          unsigned long long memory_address, unsigned memory_bytes,
                          unsigned memory_beats) {
    weft_rtl_machine *machine = machine_of(model);
    if (write_valid != 0 || weft_port_write_due(&machine->port, machine->cycle)) {
        write(machine, write_valid != 0, write_strobe);
    }
    if (memory_valid != 0) {
        accept(machine, {memory_master, memory_address, memory_bytes, memory_beats});
    }
    return weft_port_step(&machine->port, machine->cycle + 1, machine->read_data);
}

void weft_bench_trace(unsigned long long model, unsigned kind, unsigned number) {
    weft_rtl_machine *machine = machine_of(model);
    const weft_observer &observer = machine->observer;
    machine->happened[kind]++;
    if (machine->now != phase::running) {
        fail(machine, "instruction %u on the trace port while the machine does not run", number);
    } else if (kind == KIND_DISPATCHED && observer.dispatched != nullptr) {
        observer.dispatched(observer.context, number, machine->cycle);
    } else if (kind == KIND_STARTED && observer.started != nullptr) {
        observer.started(observer.context, number, nullptr, machine->cycle);
    } else if (kind == KIND_FINISHED && observer.finished != nullptr) {
        observer.finished(observer.context, number, machine->cycle);
    }
}

/* LUT comes and goes a byte at a time. */
void weft_bench_dump(unsigned long long model, unsigned memory, unsigned offset,
                     unsigned long long word) {
    void *bytes = machine_of(model)->dump[memory];
    if (bytes != nullptr) {
        memcpy(static_cast<uint8_t *>(bytes) + offset, &word,
               memory == WEFT_MEMORY_LUT ? 1 : sizeof word);
    }
}

unsigned long long weft_bench_preset(unsigned long long model, unsigned memory, unsigned offset) {
    unsigned long long word = 0;
    const void *bytes = machine_of(model)->preset[memory];
    memcpy(&word, static_cast<const uint8_t *>(bytes) + offset,
           memory == WEFT_MEMORY_LUT ? 1 : sizeof word);
    return word;
}

namespace {

/* ---- clock and registers ---- */

#ifdef WEFT_RTL_WAVE
void write_wave(weft_rtl_machine *machine, unsigned half) {
    if (machine->wave != nullptr && machine->now == phase::running &&
        machine->cycle >= machine->wave_from && machine->cycle <= machine->wave_to) {
        machine->wave->dump(2 * machine->cycle + half);
    }
}
#else
void write_wave(weft_rtl_machine *, unsigned) {
}
#endif

void tick(weft_rtl_machine *machine) {
    machine->bench->clock = 1;
    machine->bench->eval();
    machine->cycle++;
    write_wave(machine, 0);
    machine->bench->clock = 0;
    machine->bench->eval();
    write_wave(machine, 1);
}

/* Shows a request to the register slave until it is taken; the answer to a read is there then. */
bool request_register(weft_rtl_machine *machine, bool write, uint64_t address, uint64_t value) {
    Vweft_bench &bench = *machine->bench;
    bool taken = false;
    bench.register_valid = 1;
    bench.register_write = write ? 1 : 0;
    bench.register_address = static_cast<SData>(address);
    bench.register_write_data = value;
    bench.eval();
    for (int i = 0; i < REGISTER_CYCLES && !taken && !machine->failed; i++) {
        taken = bench.register_ready != 0;
        if (taken && write && address == register_start) {
            machine->cycle = 0; /* by definition */
            machine->now = phase::running;
        }
        tick(machine);
    }
    bench.register_valid = 0;
    bench.eval();
    if (!taken) {
        fail(machine, "the register slave takes no request for address 0x%" PRIx64, address);
    }
    return taken && !machine->failed;
}

void write_register(weft_rtl_machine *machine, uint64_t address, uint64_t value) {
    request_register(machine, true, address, value);
}

uint64_t read_register(weft_rtl_machine *machine, uint64_t address) {
    if (!request_register(machine, false, address, 0)) {
        return 0;
    }
    if (machine->bench->register_read_valid == 0) {
        fail(machine, "the register slave has no data for address 0x%" PRIx64, address);
    }
    return machine->bench->register_read_data;
}

/* ---- the calls of the interface ---- */

void no_memory(weft_rtl_machine *machine) {
    machine->failed = true;
    weft_error_set(&machine->error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
}

void destroy(weft_rtl_machine *machine) {
    weft_reserve reserve = machine->reserve;
    weft_reserve *before = weft_reserve_use(&reserve);
    machine->bench.reset();
    machine->context.reset();
    delete machine;
    weft_reserve_use(before);
    weft_reserve_close(&reserve);
}

/* Carries out a call: what is noted in the machine or thrown on the way is its error. */
template <class Work> bool guarded(weft_rtl_machine *machine, weft_error *error, const Work &work) {
    if (machine->is_broken) {
        return weft_fail(error, WEFT_INTERNAL, 0, "the RTL broke down in an earlier call");
    }
    machine->failed = false;
    machine->printed.clear();
    current = machine;
    weft_reserve *before = weft_reserve_use(&machine->reserve);
    try {
        if (machine->context != nullptr) {
            Verilated::threadContextp(machine->context.get());
        }
        work();
    } catch (const broken &reason) {
        machine->is_broken = true;
        fail(machine, "%s", reason.message.c_str());
    } catch (const std::bad_alloc &) {
        machine->is_broken = true;
        no_memory(machine);
    }
    if (machine->reserve.used > 0) {
        machine->is_broken = true; /* there is no reserve for the next call */
        no_memory(machine);
    }
    weft_reserve_use(before);
    current = nullptr;
    if (machine->failed) {
        *error = machine->error;
    }
    return !machine->failed;
}

void reset_now(weft_rtl_machine *machine) {
    static uint8_t *const regions[WEFT_REGIONS] = {};
    static const uint64_t limits[WEFT_REGIONS] = {};
    weft_port_open(&machine->port, &rtl_config, regions, limits, 0, 0);
    machine->now = phase::idle;
    machine->observer = weft_observer{};
    machine->bench->reset = 1;
    for (int i = 0; i < RESET_CYCLES; i++) {
        tick(machine);
    }
    machine->bench->reset = 0;
    machine->bench->eval();
}

bool reset(weft_rtl_machine *machine, weft_error *error) {
    return guarded(machine, error, [=] { reset_now(machine); });
}

void check_identity(weft_rtl_machine *machine) {
    uint64_t identity = read_register(machine, register_identity);
    uint64_t configuration = read_register(machine, register_configuration);
    char name[4];
    memcpy(name, &identity, sizeof name);
    if (memcmp(name, "WEFT", sizeof name) != 0) {
        fail(machine, "register IDENTITY holds 0x%" PRIx64 ", expected \"WEFT\" in its first bytes",
             identity);
    } else if (configuration != rtl_fingerprint) {
        fail(machine, "register CONFIGURATION holds 0x%" PRIx64 ", expected 0x%" PRIx64,
             configuration, rtl_fingerprint);
    }
}

bool create(weft_rtl_machine **machine, weft_error *error) {
    weft_reserve reserve{};
    void *memory = malloc(sizeof(weft_rtl_machine));
    if (memory == nullptr ||
        !weft_reserve_open(&reserve, sizeof(Vweft_bench__Syms) + RESERVE_BYTES)) {
        free(memory);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, 0, "no memory for the RTL");
    }
    auto *raw = new (memory) weft_rtl_machine;
    raw->reserve = reserve;
    bool good = guarded(raw, error, [raw] {
        raw->context = std::make_unique<VerilatedContext>();
        Verilated::threadContextp(raw->context.get());
        raw->context->threads(1); /* the caller's: no others are made */
        raw->context->traceEverOn(true);
        raw->bench = std::make_unique<Vweft_bench>(raw->context.get(), "bench");
        raw->bench->model = reinterpret_cast<uintptr_t>(raw);
        raw->bench->eval();
        reset_now(raw);
        check_identity(raw);
    });
    if (!good) {
        destroy(raw);
        return false;
    }
    *machine = raw;
    return true;
}

/* ---- a run ---- */

bool check_run(const weft_rtl_run *run, weft_error *error) {
    if (run->watchdog == 0 && run->give_up == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "a run of the RTL needs an end: no watchdog");
    }
#ifndef WEFT_RTL_WAVE
    if (run->wave != nullptr) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "this library of the RTL writes no waveforms");
    }
#endif
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (run->regions.limit[i] >> WEFT_PORT_REGION_SHIFT != 0) {
            return weft_fail(error, WEFT_ARGUMENT, i, "region %u has more than 2^40 bytes", i);
        }
    }
    return true;
}

#ifdef WEFT_RTL_WAVE
void open_wave(weft_rtl_machine *machine, const weft_rtl_run *run) {
    if (run->wave == nullptr) {
        return;
    }
    machine->wave = std::make_unique<VerilatedFstC>();
    machine->bench->trace(machine->wave.get(), 99);
    machine->wave->open(run->wave);
    machine->wave_from = run->wave_from;
    machine->wave_to = run->wave_to;
    if (!machine->wave->isOpen()) {
        machine->failed = true;
        weft_error_set(&machine->error, WEFT_IO, 0, "waveform file %.200s cannot be written",
                       run->wave);
    }
}

void close_wave(weft_rtl_machine *machine) {
    if (machine->wave != nullptr) {
        machine->wave->close();
        machine->wave.reset();
    }
}
#else
void open_wave(weft_rtl_machine *, const weft_rtl_run *) {
}

void close_wave(weft_rtl_machine *) {
}
#endif

void set_registers(weft_rtl_machine *machine, const weft_rtl_run *run) {
    write_register(machine, register_watchdog, run->watchdog);
    for (uint64_t i = 0; i < WEFT_REGIONS; i++) {
        write_register(machine, register_region_base + 8 * i, i << WEFT_PORT_REGION_SHIFT);
        write_register(machine, register_region_limit + 8 * i, run->regions.limit[i]);
    }
    write_register(machine, register_region_writable, run->regions.writable);
    write_register(machine, register_interrupt, 3); /* none pending, enabled */
}

/* From start to the interrupt. */
void run_to_end(weft_rtl_machine *machine, uint64_t give_up) {
    const Vweft_bench &bench = *machine->bench;
    write_register(machine, register_start, 1);
    while (bench.interrupt_request == 0 && !machine->failed && machine->cycle <= give_up) {
        tick(machine);
    }
    if (bench.interrupt_request == 0) {
        fail(machine,
             "the machine does not end; %" PRIu64 " instructions passed dispatch, %" PRIu64
             " started, %" PRIu64 " finished",
             machine->happened[KIND_DISPATCHED], machine->happened[KIND_STARTED],
             machine->happened[KIND_FINISHED]);
    }
}

/* Lets the beats come that are on their way: fetch reads ahead of HALT. */
void drain(weft_rtl_machine *machine) {
    uint64_t end = machine->port.model.free + WEFT_STORE_DRAIN + 2;
    machine->now = phase::draining;
    while (machine->cycle < end && !machine->failed) {
        tick(machine);
    }
}

void read_result(weft_rtl_machine *machine, weft_run_result *result) {
    uint64_t status = read_register(machine, register_status);
    uint64_t code = status >> 8 & 15;
    if ((status & 3) != 2 || code >= WEFT_FAULTS) {
        fail(machine, "STATUS is 0x%" PRIx64 " after the interrupt, expected an end", status);
        return;
    }
    result->fault = static_cast<weft_fault>(code);
    result->fault_instruction = static_cast<uint32_t>(status >> 32);
    for (uint64_t i = 0; i < WEFT_COUNTERS; i++) {
        uint64_t value = read_register(machine, register_counter + 8 * i);
        memcpy(reinterpret_cast<char *>(&result->counters) + 8 * i, &value, sizeof value);
    }
}

bool run(weft_rtl_machine *machine, const weft_rtl_run *run, weft_run_result *result,
         weft_error *error) {
    if (!check_run(run, error)) {
        return false;
    }
    weft_run_result found{};
    bool good = guarded(machine, error, [&] {
        weft_port_open(&machine->port, &rtl_config, run->bytes, run->regions.limit,
                       run->memory_latency, run->memory_interval);
        machine->observer = run->observer == nullptr ? weft_observer{} : *run->observer;
        memset(machine->happened, 0, sizeof machine->happened);
        machine->cycle = 0;
        open_wave(machine, run);
        set_registers(machine, run);
        run_to_end(machine, run->give_up == 0 ? run->watchdog + GIVE_UP_CYCLES : run->give_up);
        drain(machine);
        read_result(machine, &found);
        machine->now = phase::idle;
    });
    close_wave(machine);
    if (good) {
        *result = found;
    }
    return good;
}

/* ---- on-chip memories ---- */

/* Rows of the deepest RAM; weft_bench.sv has the division of each memory into RAMs. */
uint32_t most_rows() {
    const uint32_t lines[] = {rtl_config.act_bytes / rtl_config.act_banks / 4,
                              rtl_config.wgt_bytes / rtl_config.wgt_banks / 2,
                              rtl_config.acc_bytes / rtl_config.acc_banks / 4,
                              rtl_config.par_bytes / rtl_config.par_banks / 2,
                              256 * rtl_config.block};
    return *std::max_element(std::begin(lines), std::end(lines)) / rtl_config.block;
}

/* A rising edge of `dump` or `preset` for every row. */
void walk_rows(weft_rtl_machine *machine, CData &clock) {
    for (uint32_t row = 0; row < most_rows(); row++) {
        machine->bench->row = row;
        clock = 1;
        machine->bench->eval();
        clock = 0;
        machine->bench->eval();
    }
}

bool write_memories(weft_rtl_machine *machine, const void *const memories[WEFT_MEMORIES],
                    weft_error *error) {
    return guarded(machine, error, [=] {
        machine->preset = memories;
        walk_rows(machine, machine->bench->preset);
    });
}

bool read_memories(weft_rtl_machine *machine, void *const memories[WEFT_MEMORIES],
                   weft_error *error) {
    return guarded(machine, error, [=] {
        machine->dump = memories;
        walk_rows(machine, machine->bench->dump);
    });
}

const weft_rtl_interface interface = {
    WEFT_RTL_VERSION,
    rtl_fingerprint,
    rtl_config.name,
#ifdef WEFT_RTL_WAVE
    true,
#else
    false,
#endif
    create,
    destroy,
    reset,
    run,
    write_memories,
    read_memories,
};

static_assert(WEFT_MEMORY_ACT == 0 && WEFT_MEMORY_WGT == 1 && WEFT_MEMORY_ACC == 2 &&
                  WEFT_MEMORY_PAR == 3 && WEFT_MEMORY_LUT == 4,
              "weft_bench.sv has these numbers");
static_assert(WEFT_PORT_FETCH == 1 && WEFT_PORT_LOAD == 2 && WEFT_PORT_WRITE == 3,
              "weft_bench.sv has these numbers");

} // namespace

extern "C" __attribute__((visibility("default"))) const weft_rtl_interface *weft_rtl_interface() {
    return &interface;
}
