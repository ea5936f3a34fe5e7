// weft_vp FILE: carries out the job in a mapped file (vp/job.h); FILE is the number of an open
// file.
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>

#include "vp/platform/platform.h"

namespace {

using weft::vp::platform;

// Why a simulation that did not end by the finisher ended.
void explain(const platform &top, std::uint64_t last, weft_error *error) {
    const auto pc = static_cast<unsigned>(top.cpu.pc());
    if (top.cpu.waits()) {
        weft_error_set(error, WEFT_STATE, pc,
                       "the processor waits for an interrupt that does not come (pc 0x%08x)", pc);
    } else {
        weft_error_set(error, WEFT_LIMIT, pc,
                       "the firmware did not end within %llu cycles (pc 0x%08x)",
                       static_cast<unsigned long long>(last), pc);
    }
}

void simulate(weft_vp_job *job, std::uint8_t *memory) {
    const sc_core::sc_time cycle(static_cast<double>(job->cycle_ps), sc_core::SC_PS);
    tlm::tlm_global_quantum::instance().set(
        sc_core::sc_time(static_cast<double>(job->quantum_ns), sc_core::SC_NS));
    platform top("weft", *job, memory);
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    // Up to the last cycle in which the kernel's time, in picoseconds of 64 bits, is still exact.
    const std::uint64_t most = UINT64_MAX / 4 / cycle.value();
    const std::uint64_t last = std::min<std::uint64_t>(job->last_cycle, most);
    sc_core::sc_start(sc_core::sc_time::from_value(last * cycle.value()));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    job->seconds = took.count();
    job->cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    job->instructions = top.cpu.instructions();
    job->finisher = top.end.value;
    job->cycles = top.end.time.value() / cycle.value();
    if (!top.end.ended) {
        explain(top, last, &job->error);
    }
    if (!top.recorded.close()) {
        weft_error_set(&job->error, WEFT_IO, 0, "cannot write the waveforms");
    }
}

void carry_out(weft_vp_job *job, std::uint8_t *memory) {
    try {
        simulate(job, memory);
    } catch (const sc_core::sc_report &report) {
        weft_error_set(&job->error, WEFT_TARGET, 0, "%s", report.get_msg());
    } catch (const std::bad_alloc &) {
        weft_error_set(&job->error, WEFT_OUT_OF_MEMORY, 0, "no memory for the platform");
    } catch (const std::exception &other) {
        weft_error_set(&job->error, WEFT_INTERNAL, 0, "the platform: %s", other.what());
    }
}

} // namespace

// Called by main() alone: SystemC's own would print a line.
int sc_main(int argc, char *argv[]) {
    struct stat status {};
    const int file = argc == 2 ? std::atoi(argv[1]) : -1;
    if (file < 0 || fstat(file, &status) != 0 || status.st_size < WEFT_VP_RAM_OFFSET) {
        std::fprintf(stderr, "weft_vp: started by weft vp, not by hand\n");
        return 2;
    }
    void *mapped = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        std::perror("weft_vp");
        return 2;
    }
    auto *job = static_cast<weft_vp_job *>(mapped);
    const auto ram_bytes = static_cast<std::uint64_t>(status.st_size) - WEFT_VP_RAM_OFFSET;
    if (job->version != WEFT_VP_VERSION || job->bytes != sizeof *job ||
        job->ram_bytes != ram_bytes) {
        return WEFT_VP_EXIT_VERSION;
    }
    carry_out(job, static_cast<std::uint8_t *>(mapped) + WEFT_VP_RAM_OFFSET);
    (void)std::fflush(stdout);
    job->is_answered = 1;
    return 0;
}

int main(int argc, char *argv[]) {
    return sc_main(argc, argv);
}
