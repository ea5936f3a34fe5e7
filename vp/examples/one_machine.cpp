// A platform around the accelerator: a host with memory, a driver, and a line for the interrupt.
// The program in memory, a file of `weft asm`, copies 32 bytes from region 3 to region 4.
//     c++ -std=c++17 one_machine.cpp $(pkg-config --cflags --libs weft_tlm systemc) -o one_machine
#include <weft/weft_tlm.h>

#include <cstdio>
#include <cstring>
#include <fstream>

struct host : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<host> registers{"registers"};
    tlm_utils::simple_target_socket<host> memory{"memory"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    char bytes[1 << 16] = {};
    SC_CTOR(host) {
        memory.register_b_transport(this, &host::transport);
        SC_THREAD(run);
    }
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &) {
        const auto address = payload.get_address();
        const unsigned length = payload.get_data_length();
        if (address > sizeof bytes || length > sizeof bytes - address)
            return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        char *place = bytes + address, *data = reinterpret_cast<char *>(payload.get_data_ptr());
        std::memcpy(payload.is_read() ? data : place, payload.is_read() ? place : data, length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    std::uint64_t access(tlm::tlm_command command, unsigned address, std::uint64_t value = 0) {
        tlm::tlm_generic_payload payload;
        sc_core::sc_time delay;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(8);
        payload.set_streaming_width(8);
        registers->b_transport(payload, delay);
        return value;
    }
    void run() { // docs/registers.md
        const unsigned limits[8] = {256, 0, 0, 32, 32};
        for (unsigned i = 0; i < 8; i++) {
            access(tlm::TLM_WRITE_COMMAND, 0x040 + 8 * i, 0x1000 * i); // region i: its base
            access(tlm::TLM_WRITE_COMMAND, 0x080 + 8 * i, limits[i]);
        }
        access(tlm::TLM_WRITE_COMMAND, 0x038, 1 << 4); // STORE may write region 4
        access(tlm::TLM_WRITE_COMMAND, 0x020, 2);      // the interrupt is enabled
        access(tlm::TLM_WRITE_COMMAND, 0x010, 1);      // start
        wait(interrupt.posedge_event());
        std::printf("status 0x%x after %u cycles, at %s\n",
                    unsigned(access(tlm::TLM_READ_COMMAND, 0x018)),
                    unsigned(access(tlm::TLM_READ_COMMAND, 0x200)),
                    sc_core::sc_time_stamp().to_string().c_str());
    }
};

int sc_main(int argc, char *argv[]) {
    weft::accelerator accelerator("accelerator", weft::accelerator_options());
    sc_core::sc_signal<bool> line("line");
    host host("host");
    host.registers.bind(accelerator.registers);
    accelerator.memory.bind(host.memory);
    accelerator.interrupt.bind(line);
    host.interrupt.bind(line);
    std::ifstream(argc > 1 ? argv[1] : "copy.bin", std::ios::binary).read(host.bytes, 256);
    std::strcpy(host.bytes + 0x3000, "what the accelerator has copied");
    sc_core::sc_start();
    return std::puts(host.bytes + 0x4000) == EOF;
}
