/* What an evaluation of the bench calls: the DPI functions of weft_bench.sv. Whatever goes wrong
 * inside of it is noted in the machine, first come, and ends the run after it. */
#include "Vweft_bench__Dpi.h"
#include "hw/tb/machine.h"

using namespace rtl;

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

static_assert(WEFT_MEMORY_ACT == 0 && WEFT_MEMORY_WGT == 1 && WEFT_MEMORY_ACC == 2 &&
                  WEFT_MEMORY_PAR == 3 && WEFT_MEMORY_LUT == 4,
              "weft_bench.sv has these numbers");
static_assert(WEFT_PORT_FETCH == 1 && WEFT_PORT_LOAD == 2 && WEFT_PORT_WRITE == 3,
              "weft_bench.sv has these numbers");
