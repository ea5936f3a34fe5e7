// A platform around the accelerator: a memory, a driver, and a line for the interrupt. The program
// in memory, a file of `weft asm`, copies 32 bytes from region 3 to region 4.
//     c++ -std=c++17 one_machine.cpp $(pkg-config --cflags --libs weft_tlm systemc) -o one_machine
#include <weft/weft_tlm.h>

#include <cstdio>
#include <cstring>
#include <fstream>

struct ram : sc_core::sc_module {
    tlm_utils::simple_target_socket<ram> socket{"socket"};
    char bytes[1 << 16] = {};
    explicit ram(sc_core::sc_module_name name) : sc_module(name) {
        socket.register_b_transport(this, &ram::transport);
    }
    void transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &) {
        const auto address = payload.get_address();
        const unsigned length = payload.get_data_length();
        if (address > sizeof bytes || length > sizeof bytes - address) {
            return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        }
        void *data = payload.get_data_ptr();
        payload.is_read() ? std::memcpy(data, bytes + address, length)
                          : std::memcpy(bytes + address, data, length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

struct driver : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<driver> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    SC_CTOR(driver) {
        SC_THREAD(run);
    }
    unsigned long long access(tlm::tlm_command command, unsigned address,
                              unsigned long long value = 0) {
        tlm::tlm_generic_payload payload;
        sc_core::sc_time delay;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(8);
        payload.set_streaming_width(8);
        socket->b_transport(payload, delay);
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
        std::printf("status 0x%llx after %llu cycles, at %s\n",
                    access(tlm::TLM_READ_COMMAND, 0x018), access(tlm::TLM_READ_COMMAND, 0x200),
                    sc_core::sc_time_stamp().to_string().c_str());
    }
};

int sc_main(int argc, char *argv[]) {
    weft::accelerator accelerator("accelerator", weft::accelerator_options());
    sc_core::sc_signal<bool> line("line");
    ram memory("memory");
    driver host("host");
    host.socket.bind(accelerator.registers);
    accelerator.memory.bind(memory.socket);
    accelerator.interrupt.bind(line);
    host.interrupt.bind(line);
    std::ifstream(argc > 1 ? argv[1] : "copy.bin", std::ios::binary).read(memory.bytes, 256);
    std::strcpy(memory.bytes + 0x3000, "what the accelerator has copied");
    sc_core::sc_start();
    std::puts(memory.bytes + 0x4000);
    return 0;
}
