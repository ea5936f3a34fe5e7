// A platform of 60 lines around the accelerator: a memory, a driver, and a line for the interrupt.
// The program in memory copies 32 bytes from region 3 to region 4.
//
//     c++ -std=c++17 one_machine.cpp $(pkg-config --cflags --libs weft_tlm systemc) -o one_machine
#include <weft/weft_tlm.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

struct ram : sc_core::sc_module {
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(1 << 16);
    explicit ram(sc_core::sc_module_name name) : sc_module(name) {
        socket.register_b_transport(this, &ram::transport);
    }
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &) {
        const auto address = payload.get_address();
        if (address > bytes.size() || payload.get_data_length() > bytes.size() - address) {
            return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
        unsigned char *place = bytes.data() + address;
        if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
        else std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

struct driver : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<driver> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    SC_CTOR(driver) { SC_THREAD(run); }
    std::uint64_t access(tlm::tlm_command command, std::uint64_t address, std::uint64_t value = 0) {
        tlm::tlm_generic_payload payload;
        sc_core::sc_time delay;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(sizeof value);
        payload.set_streaming_width(sizeof value);
        socket->b_transport(payload, delay);
        if (!payload.is_response_ok()) SC_REPORT_ERROR("driver", "a register answers with an error");
        return value;
    }
    void run() {
        const std::uint64_t limits[8] = {256, 0, 0, 32, 32}; // bytes of program, inputs, outputs
        for (unsigned i = 0; i < 8; i++) { // docs/registers.md
            access(tlm::TLM_WRITE_COMMAND, 0x040 + 8 * i, 0x1000 * i);
            access(tlm::TLM_WRITE_COMMAND, 0x080 + 8 * i, limits[i]);
        }
        access(tlm::TLM_WRITE_COMMAND, 0x038, 1 << 4); // STORE may write region 4
        access(tlm::TLM_WRITE_COMMAND, 0x020, 2);      // the interrupt is enabled
        access(tlm::TLM_WRITE_COMMAND, 0x010, 1);      // start
        wait(interrupt.posedge_event());
        std::printf("status 0x%llx after %llu cycles, at %s\n",
                    static_cast<unsigned long long>(access(tlm::TLM_READ_COMMAND, 0x018)),
                    static_cast<unsigned long long>(access(tlm::TLM_READ_COMMAND, 0x200)),
                    sc_core::sc_time_stamp().to_string().c_str());
    }
};

int sc_main(int argc, char *argv[]) {
    weft::accelerator_options options;
    weft::accelerator accelerator("accelerator", options);
    sc_core::sc_signal<bool> line("line");
    ram memory("memory");
    driver host("host");
    host.socket.bind(accelerator.registers);
    accelerator.memory.bind(memory.socket);
    accelerator.interrupt.bind(line);
    host.interrupt.bind(line);
    std::ifstream program(argc > 1 ? argv[1] : "copy.bin", std::ios::binary);
    program.read(reinterpret_cast<char *>(memory.bytes.data()), 0x1000);
    std::memcpy(&memory.bytes[0x3000], "what the accelerator has copied", 32);
    sc_core::sc_start();
    std::printf("%s\n", reinterpret_cast<char *>(&memory.bytes[0x4000]));
    return 0;
}
