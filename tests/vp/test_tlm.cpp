// vp/weft_tlm.h: the accelerator as others put it into their platforms.
#include "vp/weft_tlm.h"

#include <cstring>
#include <vector>

extern "C" {
#include "driver/device.h"
}
#include "tests/vp/check.h"

namespace {

using sc_core::sc_time;

const sc_time CYCLE(7, sc_core::SC_NS);

enum : std::uint64_t {
    BASE = 0x80000000,
    BYTES = 1 << 18,
    PLACE = 0x8000, // bytes for each region
    INPUTS = BASE + 3 * PLACE,
    OUTPUTS = BASE + 4 * PLACE,
    COPIED = 700, // bytes: several bursts
    BURST = 256,  // of ref16
};

// A memory that can hand out direct pointers, wait, and refuse.
struct ram : sc_core::sc_module {
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(BYTES);
    bool direct = false;
    bool refuses = false;
    sc_time wait_time;
    unsigned transactions = 0;
    std::size_t longest = 0;

    explicit ram(sc_core::sc_module_name name) : sc_module(name) {
        socket.register_b_transport(this, &ram::transport);
        socket.register_get_direct_mem_ptr(this, &ram::offer);
    }
    void transport(tlm::tlm_generic_payload &payload, sc_time &delay) {
        const std::uint64_t address = payload.get_address() - BASE;
        const std::size_t length = payload.get_data_length();
        transactions++;
        longest = std::max(longest, length);
        CHECK(address / BURST == (address + length - 1) / BURST);
        CHECK(delay == sc_core::SC_ZERO_TIME);
        CHECK(payload.get_byte_enable_ptr() == nullptr && payload.get_streaming_width() == length);
        if (wait_time != sc_core::SC_ZERO_TIME) {
            wait(wait_time);
        }
        if (refuses || address > BYTES || length > BYTES - address) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_read()) {
            std::memcpy(payload.get_data_ptr(), &bytes[address], length);
        } else {
            std::memcpy(&bytes[address], payload.get_data_ptr(), length);
        }
        payload.set_dmi_allowed(direct);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    bool offer(tlm::tlm_generic_payload &, tlm::tlm_dmi &offered) {
        offered.set_dmi_ptr(bytes.data());
        offered.set_start_address(BASE);
        offered.set_end_address(BASE + BYTES - 1);
        offered.allow_read_write();
        return direct;
    }
};

weft::accelerator_options options_of(const char *config) {
    weft::accelerator_options options;
    options.config = config;
    options.cycle = CYCLE;
    return options;
}

// One accelerator with its memory.
struct system_of_one : sc_core::sc_module {
    weft::accelerator accelerator;
    ram memory{"memory"};
    sc_core::sc_signal<bool> line{"line"};
    tlm_utils::simple_initiator_socket<system_of_one> socket{"socket"};
    unsigned rises = 0;
    sc_time last_rise;
    tlm::tlm_generic_payload payload; // not on a stack: that of a process is not unwound

    system_of_one(sc_core::sc_module_name name, const weft::accelerator_options &options)
        : sc_module(name), accelerator("accelerator", options) {
        accelerator.memory.bind(memory.socket);
        accelerator.interrupt.bind(line);
        socket.bind(accelerator.registers);
        SC_HAS_PROCESS(system_of_one);
        SC_METHOD(count);
        sensitive << line.posedge_event();
        dont_initialize();
    }
    void count() {
        rises++;
        last_rise = sc_core::sc_time_stamp();
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void *data,
                                    unsigned length, unsigned char *enables = nullptr,
                                    unsigned enable_length = 0,
                                    sc_time delay = sc_core::SC_ZERO_TIME) {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char *>(data));
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        payload.set_byte_enable_ptr(enables);
        payload.set_byte_enable_length(enable_length);
        payload.set_dmi_allowed(false);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        socket->b_transport(payload, delay);
        CHECK(!payload.is_dmi_allowed());
        return payload.get_response_status();
    }
    void put32(std::uint32_t address, std::uint32_t value, sc_time delay = sc_core::SC_ZERO_TIME) {
        CHECK(access(tlm::TLM_WRITE_COMMAND, address, &value, 4, nullptr, 0, delay) ==
              tlm::TLM_OK_RESPONSE);
    }
    void put64(std::uint32_t address, std::uint64_t value) {
        CHECK(access(tlm::TLM_WRITE_COMMAND, address, &value, 8) == tlm::TLM_OK_RESPONSE);
    }
    std::uint64_t get64(std::uint32_t address, sc_time delay = sc_core::SC_ZERO_TIME) {
        std::uint64_t value = 0;
        CHECK(access(tlm::TLM_READ_COMMAND, address, &value, 8, nullptr, 0, delay) ==
              tlm::TLM_OK_RESPONSE);
        return value;
    }

    // A program that copies COPIED bytes from inputs to outputs, its registers, and new inputs.
    void set_up(unsigned char first) {
        static const char source[] = "load act_banks=0 memory=act region=3 run=700 signal=store\n"
                                     "store wait=load act_banks=0 region=4 run=700\n"
                                     "halt\n";
        weft_program program{};
        weft_error error{};
        std::uint8_t *code = nullptr;
        CHECK(weft_assemble(source, sizeof source - 1, &program, &error));
        CHECK(weft_program_encode(&program, &code, &error));
        std::memcpy(memory.bytes.data(), code, 3 * WEFT_INSTRUCTION_BYTES);
        std::free(code);
        weft_program_free(&program);
        for (unsigned i = 0; i < COPIED; i++) {
            memory.bytes[INPUTS - BASE + i] = static_cast<unsigned char>(first + i);
        }
        for (unsigned i = 0; i < WEFT_REGIONS; i++) {
            put64(WEFT_REGISTER_region_base + 8 * i, BASE + i * PLACE);
            const std::uint64_t limit = i == 3 || i == 4 ? std::uint64_t{COPIED} : 0;
            put64(WEFT_REGISTER_region_limit + 8 * i, i == 0 ? 192 : limit);
        }
        put64(WEFT_REGISTER_region_writable, 1 << 4);
        put32(WEFT_REGISTER_interrupt, WEFT_INTERRUPT_ENABLED);
    }
    [[nodiscard]] bool is_copied() const {
        return std::memcmp(&memory.bytes[INPUTS - BASE], &memory.bytes[OUTPUTS - BASE], COPIED) ==
               0;
    }
};

struct test : sc_core::sc_module {
    system_of_one direct;
    system_of_one bursts;
    system_of_one slow;
    std::uint64_t cycles = 0; // of the copy
    bool done = false;
    sc_core::sc_event disturbs;
    bool is_disturbed = false;
    unsigned disturbances = 0;
    tlm::tlm_generic_payload other; // of disturb()

    explicit test(sc_core::sc_module_name name)
        : sc_module(name), direct("direct", options_of("ref16")),
          bursts("bursts", options_of("ref16")), slow("slow", options_of("ref16")) {
        direct.memory.direct = true;
        slow.memory.wait_time = sc_time(1, sc_core::SC_US);
        SC_HAS_PROCESS(test);
        SC_THREAD(run);
        SC_THREAD(disturb);
    }

    void registers_answer_whole_halves() {
        std::uint64_t value = 0;
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_identity),
                    WEFT_REGISTER_MAGIC | std::uint64_t{WEFT_REGISTER_MAP_VERSION} << 32);
        direct.put64(WEFT_REGISTER_watchdog, 0x1122334455667788);
        direct.put32(WEFT_REGISTER_watchdog + 4, 0x99);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_watchdog), 0x9955667788);
        unsigned char low[8] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
        value = 0x0101010102020202;
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 8, low, 8) ==
              tlm::TLM_OK_RESPONSE);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_watchdog), 0x9902020202);
        unsigned char one[1] = {0xff}; // repeated for every byte
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 8, one, 1) ==
              tlm::TLM_OK_RESPONSE);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_watchdog), value);
        unsigned char some[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0};
        value = 7;
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 8, some, 8) ==
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 8, some, 0) ==
              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 2) ==
              tlm::TLM_BURST_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog, &value, 12) ==
              tlm::TLM_BURST_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_WRITE_COMMAND, WEFT_REGISTER_watchdog + 2, &value, 4) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_READ_COMMAND, WEFT_REGISTER_BYTES, &value, 4) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_READ_COMMAND, WEFT_REGISTER_BYTES - 4, &value, 8) ==
              tlm::TLM_BURST_ERROR_RESPONSE);
        CHECK(direct.access(tlm::TLM_IGNORE_COMMAND, WEFT_REGISTER_watchdog, &value, 4) ==
              tlm::TLM_COMMAND_ERROR_RESPONSE);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_watchdog), 0x0101010102020202);
        direct.put64(WEFT_REGISTER_watchdog, 0);
    }

    void results_come_when_the_time_has_come() {
        direct.set_up(1);
        wait(3 * CYCLE); // a whole number of cycles from the beginning
        const sc_time begin = sc_core::sc_time_stamp();
        direct.put32(WEFT_REGISTER_start, 1);
        CHECK(sc_core::sc_time_stamp() == begin);
        for (unsigned i = 0; !direct.line.read(); i++) {
            CHECK(!direct.is_copied() && i < 100000);
            if (i % 8 == 0) {
                CHECK_EQUAL(direct.get64(WEFT_REGISTER_status), WEFT_STATUS_RUNNING);
            }
            wait(CYCLE);
            wait(sc_core::SC_ZERO_TIME);
            wait(sc_core::SC_ZERO_TIME);
            wait(sc_core::SC_ZERO_TIME);
        }
        CHECK(direct.is_copied());
        cycles = direct.get64(WEFT_REGISTER_counter);
        CHECK(cycles > 200);
        CHECK(direct.last_rise == begin + static_cast<double>(cycles) * CYCLE);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_status), WEFT_STATUS_ENDED);
        direct.put32(WEFT_REGISTER_interrupt, 3);
        wait(CYCLE);
        CHECK(!direct.line.read());
        CHECK(direct.memory.transactions <= 2); // which ask for direct pointers
    }

    void without_direct_memory_there_are_bursts() {
        bursts.set_up(2);
        bursts.put32(WEFT_REGISTER_start, 1);
        wait(bursts.line.posedge_event());
        CHECK(bursts.is_copied());
        CHECK_EQUAL(bursts.get64(WEFT_REGISTER_counter), cycles);
        // 192 bytes of program, 700 twice (what will be overwritten is read, too), 700 changed.
        CHECK(bursts.memory.transactions >= 1 + 3 * 3);
        CHECK_EQUAL(bursts.memory.longest, BURST);
        bursts.put32(WEFT_REGISTER_interrupt, 3);
    }

    void memory_may_wait() {
        slow.set_up(3);
        const sc_time begin = sc_core::sc_time_stamp();
        slow.put32(WEFT_REGISTER_start, 1);
        CHECK(sc_core::sc_time_stamp() - begin >= 7 * slow.memory.wait_time);
        CHECK_EQUAL(slow.get64(WEFT_REGISTER_status), WEFT_STATUS_ENDED); // waits for the end
        CHECK(slow.is_copied());
        CHECK_EQUAL(slow.get64(WEFT_REGISTER_counter), cycles);
        wait(CYCLE);
        CHECK(slow.line.read());
        slow.put32(WEFT_REGISTER_interrupt, 3);
    }

    // Another initiator writes and reads all the time, while a run begins, goes on and ends.
    void disturb() {
        for (;;) {
            wait(disturbs);
            while (is_disturbed) {
                std::uint64_t value = WEFT_START_RUN;
                const bool writes = disturbances % 3 == 0;
                sc_time delay = sc_core::SC_ZERO_TIME;
                other.set_command(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
                other.set_address(writes ? WEFT_REGISTER_start : WEFT_REGISTER_status);
                other.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
                other.set_data_length(8);
                other.set_streaming_width(8);
                slow.socket->b_transport(other, delay);
                CHECK(other.is_response_ok());
                disturbances++;
                wait(sc_time(300, sc_core::SC_NS));
            }
        }
    }

    void two_initiators_take_turns() {
        slow.set_up(7);
        is_disturbed = true;
        disturbs.notify();
        for (unsigned i = 0; i < 50; i++) {
            const sc_time ahead = i % 2 * 2 * static_cast<double>(cycles) * CYCLE; // behind the end
            slow.put32(WEFT_REGISTER_start, WEFT_START_RUN, ahead);
            (void)slow.get64(WEFT_REGISTER_status);
            wait(sc_time(100.0 * (i % 7), sc_core::SC_NS));
        }
        is_disturbed = false;
        wait(sc_time(100, sc_core::SC_US)); // the last run has ended
        CHECK(disturbances > 20);
        CHECK_EQUAL(slow.get64(WEFT_REGISTER_status), WEFT_STATUS_ENDED);
        CHECK(slow.is_copied());
        CHECK_EQUAL(slow.get64(WEFT_REGISTER_counter), cycles);
        slow.put32(WEFT_REGISTER_interrupt, 3);
    }

    // An initiator that is ahead of the kernel sees what it would see there.
    void local_time_counts() {
        const sc_time run = static_cast<double>(cycles) * CYCLE;
        const unsigned before = direct.rises;
        direct.set_up(4);
        direct.put32(WEFT_REGISTER_start, 1);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_status, run - CYCLE), WEFT_STATUS_RUNNING);
        CHECK(!direct.is_copied());
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_status, run), WEFT_STATUS_ENDED);
        CHECK(direct.is_copied());
        direct.put32(WEFT_REGISTER_interrupt, 3, run);
        wait(2 * run);
        CHECK(!direct.line.read());
        CHECK(direct.rises <= before + 1);
    }

    void runs_raise_one_interrupt_each() {
        const unsigned before = direct.rises;
        for (unsigned i = 0; i < 20; i++) {
            direct.set_up(static_cast<unsigned char>(10 * i));
            direct.put32(WEFT_REGISTER_start, 1);
            wait(direct.line.posedge_event());
            CHECK(direct.is_copied());
            direct.put32(WEFT_REGISTER_interrupt, 3);
            wait(CYCLE);
            CHECK(!direct.line.read());
        }
        CHECK_EQUAL(direct.rises, before + 20);
    }

    // Pointers that were taken back are asked for again.
    void direct_pointers_can_be_taken_back() {
        const unsigned before = direct.memory.transactions;
        for (unsigned round = 0; round < 2; round++) {
            if (round == 1) {
                direct.memory.socket->invalidate_direct_mem_ptr(OUTPUTS, OUTPUTS);
            }
            direct.set_up(static_cast<unsigned char>(50 + round));
            direct.put32(WEFT_REGISTER_start, 1);
            wait(direct.line.posedge_event());
            CHECK(direct.is_copied());
            CHECK_EQUAL(direct.memory.transactions, before + round);
            direct.put32(WEFT_REGISTER_interrupt, 3);
            wait(CYCLE);
        }
    }

    void abort_forgets_the_run() {
        direct.set_up(99);
        direct.put32(WEFT_REGISTER_start, 1);
        wait(100 * CYCLE);
        direct.put32(WEFT_REGISTER_abort, 1);
        const unsigned before = direct.rises;
        wait(static_cast<double>(2 * cycles) * CYCLE);
        CHECK_EQUAL(direct.get64(WEFT_REGISTER_status), 0);
        CHECK(!direct.is_copied() && direct.rises == before);
    }

    void an_error_response_is_fault_bus() {
        bursts.set_up(5);
        bursts.memory.refuses = true;
        bursts.put32(WEFT_REGISTER_start, 1);
        wait(bursts.line.posedge_event());
        CHECK_EQUAL(bursts.get64(WEFT_REGISTER_status),
                    WEFT_STATUS_ENDED | WEFT_FAULT_BUS << WEFT_STATUS_FAULT_SHIFT);
        bursts.memory.refuses = false;
    }

    void run() {
        registers_answer_whole_halves();
        results_come_when_the_time_has_come();
        without_direct_memory_there_are_bursts();
        memory_may_wait();
        two_initiators_take_turns();
        local_time_counts();
        runs_raise_one_interrupt_each();
        direct_pointers_can_be_taken_back();
        abort_forgets_the_run();
        an_error_response_is_fault_bus();
        done = true;
        direct.set_up(6);
        direct.put32(WEFT_REGISTER_region_limit + 4, 1); // more than the model takes
        direct.put32(WEFT_REGISTER_start, 1);
    }
};

// What cannot be built says why.
void refuses(const weft::accelerator_options &options, const char *part) {
    try {
        weft::accelerator accelerator("refused", options);
    } catch (const sc_core::sc_report &report) {
        CHECK(std::strstr(report.get_msg(), part) != nullptr);
        return;
    }
    std::fprintf(stderr, "no error mentions %s\n", part);
    std::exit(1);
}

} // namespace

int sc_main(int, char *[]) {
    weft::accelerator_options options = options_of("nowhere");
    refuses(options, "nowhere");
    options = options_of("ref16");
    options.target = "func";
    refuses(options, "knows no time");
    options = options_of("ref16");
    options.cycle = sc_core::SC_ZERO_TIME;
    refuses(options, "takes no time");
    test test("test");
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report &report) {
        CHECK(std::strstr(report.get_msg(), "a run of the device needs ") != nullptr);
        CHECK(test.done);
        return 0;
    }
    std::fprintf(stderr, "a run that cannot be carried out was not reported\n");
    return 1;
}
