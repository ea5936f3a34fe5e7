#include "vp/platform/processor.h"

#include <algorithm>
#include <utility>

namespace weft::vp {

processor::processor(sc_core::sc_module_name name, std::uint32_t reset, sc_core::sc_time cycle,
                     std::function<std::uint64_t(const sc_core::sc_time &)> ticks)
    : sc_module(name), reset(reset), cycle(std::move(cycle)), ticks(std::move(ticks)) {
    SC_HAS_PROCESS(processor);
    SC_THREAD(run);
    SC_METHOD(see_lines);
    sensitive << external << timer << software;
}

// RAM is where the first instruction is.
void processor::start_of_simulation() {
    tlm::tlm_dmi memory;
    weft_error error{};
    weft_cpu *made = nullptr;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(reset);
    if (!socket->get_direct_mem_ptr(payload, memory) || !memory.is_read_write_allowed()) {
        SC_REPORT_ERROR("/weft/processor", "the first instruction is in no memory that hands out "
                                           "direct pointers");
        return;
    }
    const weft_cpu_options options = {
        memory.get_dmi_ptr(),
        static_cast<std::uint32_t>(memory.get_start_address()),
        static_cast<std::uint32_t>(memory.get_end_address() - memory.get_start_address() + 1),
        reset,
        0,
        this,
        read,
        write,
        cycles,
        time};
    if (!weft_cpu_create(&options, &made, &error)) {
        SC_REPORT_ERROR("/weft/processor", error.message);
    }
    cpu.reset(made);
}

// How far it is ahead of the kernel, inside a run, too.
sc_core::sc_time processor::ahead() const {
    const std::uint64_t more = weft_cpu_executed(cpu.get()) - counted;
    return quantum.get_local_time() + sc_core::sc_time::from_value(more * cycle.value());
}

bool processor::access(tlm::tlm_command command, std::uint32_t address, std::uint32_t bytes,
                       std::uint32_t *value) {
    payload.set_dmi_allowed(false);
    sc_core::sc_time delay = ahead();
    const sc_core::sc_time begin = delay;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char *>(value));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(payload, delay);
    if (delay > begin) {
        quantum.inc(delay - begin);
    }
    weft_cpu_stop(cpu.get());
    return payload.is_response_ok();
}

bool processor::read(void *context, std::uint32_t address, std::uint32_t bytes,
                     std::uint32_t *value) {
    *value = 0;
    return static_cast<processor *>(context)->access(tlm::TLM_READ_COMMAND, address, bytes, value);
}

bool processor::write(void *context, std::uint32_t address, std::uint32_t bytes,
                      std::uint32_t value) {
    return static_cast<processor *>(context)->access(tlm::TLM_WRITE_COMMAND, address, bytes,
                                                     &value);
}

std::uint64_t processor::cycles(void *context) {
    const auto *self = static_cast<processor *>(context);
    return (sc_core::sc_time_stamp() + self->ahead()).value() / self->cycle.value();
}

std::uint64_t processor::time(void *context) {
    const auto *self = static_cast<processor *>(context);
    return self->ticks(self->ahead());
}

void processor::see_lines() {
    weft_cpu_set_interrupt(cpu.get(), WEFT_CPU_EXTERNAL, external.read());
    weft_cpu_set_interrupt(cpu.get(), WEFT_CPU_TIMER, timer.read());
    weft_cpu_set_interrupt(cpu.get(), WEFT_CPU_SOFTWARE, software.read());
    lines_changed.notify();
}

void processor::run() {
    const sc_core::sc_time length = std::max(tlm::tlm_global_quantum::instance().get(), cycle);
    quantum.reset();
    for (;;) {
        const sc_core::sc_time used = quantum.get_local_time();
        const std::uint64_t left = used < length ? (length - used).value() / cycle.value() : 0;
        const enum weft_cpu_stop why = weft_cpu_run(cpu.get(), std::max<std::uint64_t>(left, 1));
        const std::uint64_t executed = weft_cpu_executed(cpu.get());
        const bool is_idle = executed == counted && why == WEFT_CPU_WAITS;
        quantum.inc(sc_core::sc_time::from_value((executed - counted) * cycle.value()));
        counted = executed;
        if (is_idle && quantum.get_local_time() == sc_core::SC_ZERO_TIME) {
            wait(lines_changed);
        } else {
            quantum.sync();
        }
    }
}

} // namespace weft::vp
