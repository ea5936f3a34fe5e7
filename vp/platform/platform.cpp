#include "vp/platform/platform.h"

#include <cstdio>

extern "C" {
#include "firmware/boot.h"
}

namespace weft::vp {

namespace {

enum : unsigned {
    UART_INTERRUPT = 10, // QEMU virt's
};

// Bytes of addresses, as QEMU virt has them.
enum : std::uint64_t {
    FINISHER_BYTES = 0x1000,
    CLINT_BYTES = 0x10000,
    PLIC_BYTES = 0x400000,
    UART_BYTES = 0x100,
};

accelerator_options options_of(const weft_vp_job &job) {
    accelerator_options options;
    options.parameters = &job.config;
    options.target = job.target;
    options.cycle = sc_core::sc_time(static_cast<double>(job.cycle_ps), sc_core::SC_PS);
    options.memory_limit = job.memory_limit;
    options.cycle_limit = job.cycle_limit;
    return options;
}

void send(char byte) {
    (void)std::putchar(byte);
    if (byte == '\n') {
        (void)std::fflush(stdout);
    }
}

} // namespace

platform::platform(sc_core::sc_module_name name, const weft_vp_job &job, std::uint8_t *memory)
    : sc_module(name), recorded(job.waves), interconnect("bus", recorded),
      main_memory("ram", memory, job.ram_bytes), serial("uart", send), timer("clint"),
      interrupts("plic", {UART_INTERRUPT, WEFT_SYSTEM_INTERRUPT}), end("finisher"),
      accelerator("accelerator", options_of(job)),
      cpu("processor", WEFT_BOOT_IMAGE,
          sc_core::sc_time(static_cast<double>(job.cycle_ps), sc_core::SC_PS),
          [this](const sc_core::sc_time &delay) { return timer.ticks(delay); }),
      waves_of_lines(recorded.add("lines", "accelerator", 1)) {
    (void)recorded.add("lines", "uart", 1);
    (void)recorded.add("lines", "external", 1);
    (void)recorded.add("lines", "timer", 1);
    (void)recorded.add("lines", "software", 1);
    connect();
    SC_HAS_PROCESS(platform);
    SC_METHOD(record_lines);
    sensitive << accelerator_line << serial_line << external_line << timer_line << software_line;
}

void platform::connect() {
    cpu.socket.bind(interconnect.add_initiator("processor_bus", true));
    accelerator.memory.bind(interconnect.add_initiator("accelerator_bus", false));
    interconnect.add_target("to_ram", WEFT_SYSTEM_RAM, main_memory.bytes_in_all(),
                            main_memory.socket);
    interconnect.add_target("to_uart", WEFT_SYSTEM_UART, UART_BYTES, serial.socket);
    interconnect.add_target("to_clint", WEFT_SYSTEM_CLINT, CLINT_BYTES, timer.socket);
    interconnect.add_target("to_plic", WEFT_SYSTEM_PLIC, PLIC_BYTES, interrupts.socket);
    interconnect.add_target("to_finisher", WEFT_SYSTEM_FINISHER, FINISHER_BYTES, end.socket);
    interconnect.add_target("to_accelerator", WEFT_SYSTEM_ACCELERATOR, WEFT_SYSTEM_REGISTERS,
                            accelerator.registers);
    serial.interrupt.bind(serial_line);
    accelerator.interrupt.bind(accelerator_line);
    interrupts.inputs[0].bind(serial_line);
    interrupts.inputs[1].bind(accelerator_line);
    interrupts.external.bind(external_line);
    timer.timer.bind(timer_line);
    timer.software.bind(software_line);
    cpu.external.bind(external_line);
    cpu.timer.bind(timer_line);
    cpu.software.bind(software_line);
}

void platform::record_lines() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    std::size_t signal = waves_of_lines;
    for (const sc_core::sc_signal<bool> *line :
         {&accelerator_line, &serial_line, &external_line, &timer_line, &software_line}) {
        if (line->event() || now == sc_core::SC_ZERO_TIME) {
            recorded.change(signal, now, line->read() ? 1 : 0);
        }
        signal++;
    }
}

} // namespace weft::vp
