/* What an evaluation of the bench calls: Verilator's run time where the RTL prints or stops, and
 * the DPI functions of weft_bench.sv. Whatever goes wrong inside of it is noted in the machine,
 * first come, and ends the run after it. */
#include <cstdarg>
#include <cstdio>

#include "Vweft_bench__Dpi.h"
#include "hw/tb/hooks.h"
#include "hw/tb/machine.h"

using namespace rtl;

namespace {

enum {
    PRINTED_BYTES = 400, /* of a message that are kept */
};

thread_local weft_rtl_machine *current = nullptr;

} // namespace

void rtl::set_current(weft_rtl_machine *machine) {
    current = machine;
}

void rtl::fail(weft_rtl_machine *machine, const char *format, ...) {
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

namespace {

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

static_assert(WEFT_MEMORY_ACT == 0 && WEFT_MEMORY_WGT == 1 && WEFT_MEMORY_ACC == 2 &&
                  WEFT_MEMORY_PAR == 3 && WEFT_MEMORY_LUT == 4,
              "weft_bench.sv has these numbers");
static_assert(WEFT_PORT_FETCH == 1 && WEFT_PORT_LOAD == 2 && WEFT_PORT_WRITE == 3,
              "weft_bench.sv has these numbers");
