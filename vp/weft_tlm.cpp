#include "vp/weft_tlm.h"

#include <cstring>

extern "C" {
#include "driver/device.h"
}
#include "vp/dma.h"

namespace weft {

namespace {

constexpr char MESSAGE[] = "/weft/accelerator";
constexpr std::size_t STACK_BYTES = 4U
                                    << 20; // simulators and verifier need more than a process has

weft_config config_of(const accelerator_options &options) {
    weft_config config{};
    weft_error error{};
    if (options.parameters != nullptr) {
        return *options.parameters;
    }
    if (!weft_config_find(options.config.c_str(), &config, &error)) {
        SC_REPORT_ERROR(MESSAGE, error.message);
    }
    return config;
}

weft_device_settings settings_of(const accelerator_options &options) {
    weft_device_settings settings = weft_device_defaults();
    settings.memory.latency = options.memory_latency;
    settings.memory.interval = options.memory_interval;
    settings.memory_limit = options.memory_limit;
    settings.cycle_limit = options.cycle_limit;
    return settings;
}

} // namespace

// The device is called by one process at a time. What can transfer, a start and the end of a run,
// is done by the process work(), whose stack is large enough; whoever has asked for it waits.
class accelerator::implementation {
  public:
    implementation(accelerator &module, const accelerator_options &options)
        : config(config_of(options)), cycle(options.cycle),
          transfers(module.memory, config.memory_burst) {
        const weft_device_settings settings = settings_of(options);
        const weft_device_bus bus = {this, read, write};
        weft_error error{};
        if (cycle == sc_core::SC_ZERO_TIME) {
            SC_REPORT_ERROR(MESSAGE, "a cycle takes no time; give it a length");
        }
        if (!weft_device_open(options.target.c_str(), &config, &bus, &settings, &device, &error)) {
            SC_REPORT_ERROR(MESSAGE, error.message);
        }
    }
    ~implementation() {
        weft_device_close(device);
    }
    implementation(const implementation &) = delete;
    implementation &operator=(const implementation &) = delete;

    // A register write for work(); it stands on the stack of whoever waits for it.
    struct request {
        std::uint32_t offset;
        std::uint32_t value;
        std::uint64_t now;
        bool done = false;
        bool good = false;
    };

    weft_config config;
    sc_core::sc_time cycle;
    weft_device *device = nullptr;
    dma transfers;
    request *asked = nullptr;
    bool busy = false;      // a request waits, or work() is at work
    bool level = false;     // of the interrupt
    sc_core::sc_event wake; // work()
    sc_core::sc_event ends; // the run that is on
    sc_core::sc_event idle;
    sc_core::sc_event changed; // level

    [[nodiscard]] std::uint64_t cycles_at(const sc_core::sc_time &delay) const {
        return (sc_core::sc_time_stamp() + delay).value() / cycle.value();
    }

    // Until work() is not at work, so that nobody else calls the device.
    void settle() {
        while (busy) {
            sc_core::wait(idle);
        }
    }

    // After whatever may have changed the device.
    void follow(std::uint64_t now, const sc_core::sc_time &delay) {
        const std::uint64_t end = weft_device_next_event(device);
        const bool before = level;
        ends.cancel();
        if (end <= UINT64_MAX / cycle.value()) { // else the kernel's time does not come to it
            const sc_core::sc_time at = sc_core::sc_time::from_value(end * cycle.value());
            ends.notify(at > sc_core::sc_time_stamp() ? at - sc_core::sc_time_stamp()
                                                      : sc_core::SC_ZERO_TIME);
        }
        level = weft_device_interrupt(device, now);
        if (level != before) {
            changed.notify(delay);
        }
    }

    // Has work() write a register, which brings the device to `now` whatever is written.
    bool delegate(std::uint32_t offset, std::uint32_t value, std::uint64_t now) {
        request request{offset, value, now};
        settle();
        asked = &request;
        busy = true;
        wake.notify();
        while (!request.done) {
            sc_core::wait(idle);
        }
        return request.good;
    }

    bool write_half(std::uint32_t offset, std::uint32_t value, std::uint64_t now) {
        weft_error error{};
        return offset == WEFT_REGISTER_start
                   ? delegate(offset, value, now)
                   : weft_device_write32(device, offset, value, now, &error);
    }

  private:
    static bool read(void *context, std::uint64_t address, void *bytes, std::size_t length) {
        return static_cast<implementation *>(context)->transfers.transfer(
            tlm::TLM_READ_COMMAND, address, static_cast<std::uint8_t *>(bytes), length,
            sc_core::SC_ZERO_TIME);
    }
    static bool write(void *context, std::uint64_t address, const void *bytes, std::size_t length) {
        return static_cast<implementation *>(context)->transfers.transfer(
            tlm::TLM_WRITE_COMMAND, address,
            const_cast<std::uint8_t *>(static_cast<const std::uint8_t *>(bytes)), length,
            sc_core::SC_ZERO_TIME);
    }
};

accelerator::accelerator(sc_core::sc_module_name name, const accelerator_options &options)
    : sc_core::sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt"),
      m(std::make_unique<implementation>(*this, options)) {
    registers.register_b_transport(this, &accelerator::transport);
    memory.register_invalidate_direct_mem_ptr(this, &accelerator::invalidate);
    SC_HAS_PROCESS(accelerator);
    SC_THREAD(work);
    set_stack_size(STACK_BYTES);
    SC_METHOD(drive);
    sensitive << m->changed;
}

accelerator::~accelerator() = default;

void accelerator::drive() {
    interrupt.write(m->level);
}

void accelerator::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    m->transfers.invalidate(first, last);
}

void accelerator::work() {
    implementation &self = *m;
    for (;;) {
        if (self.asked == nullptr) {
            wait(self.wake | self.ends);
        }
        implementation::request *request = self.asked;
        std::uint64_t now = self.cycles_at(sc_core::SC_ZERO_TIME);
        weft_error error{};
        bool good = true;
        self.asked = nullptr;
        self.busy = true;
        if (request != nullptr) {
            now = request->now;
            good = weft_device_write32(self.device, request->offset, request->value, now, &error);
            request->good = good;
            request->done = true;
        } else {
            (void)weft_device_interrupt(self.device, now);
        }
        self.follow(now, sc_core::SC_ZERO_TIME);
        self.busy = false;
        self.idle.notify();
        if (!good) {
            SC_REPORT_ERROR(MESSAGE, error.message);
        }
    }
}

namespace {

constexpr unsigned HALF = 4; // bytes

// Which halves of the access are meant; false: it is no access to whole halves.
bool halves_of(const tlm::tlm_generic_payload &payload, bool wanted[2]) {
    const unsigned char *enables = payload.get_byte_enable_ptr();
    const unsigned count = payload.get_data_length() / HALF;
    for (unsigned half = 0; half < count; half++) {
        unsigned enabled = 0;
        for (unsigned i = 0; enables != nullptr && i < HALF; i++) {
            const unsigned byte = (half * HALF + i) % payload.get_byte_enable_length();
            enabled += enables[byte] == TLM_BYTE_ENABLED ? 1U : 0U;
        }
        wanted[half] = enables == nullptr || enabled == HALF;
        if (enables != nullptr && enabled != 0 && enabled != HALF) {
            return false;
        }
    }
    return true;
}

tlm::tlm_response_status check(const tlm::tlm_generic_payload &payload, bool wanted[2]) {
    const unsigned length = payload.get_data_length();
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
    if (payload.get_address() % HALF != 0 || payload.get_address() > WEFT_REGISTER_BYTES - HALF) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if ((length != HALF && length != 2 * HALF) || payload.get_streaming_width() < length ||
        payload.get_address() + length > WEFT_REGISTER_BYTES) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return halves_of(payload, wanted) ? tlm::TLM_OK_RESPONSE : tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
}

} // namespace

void accelerator::transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    implementation &self = *m;
    bool wanted[2] = {false, false};
    tlm::tlm_response_status status = check(payload, wanted);
    if (status != tlm::TLM_OK_RESPONSE) {
        payload.set_response_status(status);
        return;
    }
    self.settle();
    const std::uint64_t now = self.cycles_at(delay);
    while (weft_device_next_event(self.device) <= now) { // a run ends before this access
        (void)self.delegate(WEFT_REGISTER_identity, 0, now);
        self.settle();
    }
    for (unsigned half = 0; half < payload.get_data_length() / HALF; half++) {
        const auto offset = static_cast<std::uint32_t>(payload.get_address() + half * HALF);
        unsigned char *data = payload.get_data_ptr() + half * HALF;
        std::uint32_t value = 0;
        if (!wanted[half]) {
            continue;
        }
        self.settle(); // another initiator may have come between the halves
        if (payload.is_read()) {
            value = weft_device_read32(self.device, offset, now);
            std::memcpy(data, &value, sizeof value);
        } else {
            std::memcpy(&value, data, sizeof value);
            if (!self.write_half(offset, value, now)) {
                status = tlm::TLM_GENERIC_ERROR_RESPONSE;
            }
        }
    }
    self.settle();
    self.follow(now, delay);
    payload.set_response_status(status);
}

} // namespace weft
