/* Runs of a program behind weft_axi_machine: one that ends well, and those that are disturbed. */
#ifndef WEFT_HW_TB_AXI_ATTEMPTS_H
#define WEFT_HW_TB_AXI_ATTEMPTS_H

#include "hw/tb/axi/bench.h"

extern "C" {
#include "driver/rtl_model.h"
}

namespace axi {

/* What STATUS says. */
struct status {
    explicit status(uint64_t value)
        : running((value & 1) != 0), ended((value >> 1 & 1) != 0), code(value >> 8 & 15),
          number(static_cast<uint32_t>(value >> 32)) {
    }
    bool running;
    bool ended;
    uint64_t code;
    uint32_t number;
};

/* How often something stood in the way of a run. */
struct tally {
    uint64_t aborts = 0;
    uint64_t busy_aborts = 0; /* while something was on its way */
    uint64_t standing = 0;    /* a bus that did not move, and was busy */
    uint64_t bus_resets = 0;  /* that ended a run */
    uint64_t resets = 0;      /* of everything */
    uint64_t errors = 0;      /* on R or B that ended a run */
    uint64_t late_errors = 0; /* on B after the machine's last cycle */
    uint64_t watchdogs = 0;   /* that ended a run */
};

class attempts {
  public:
    /* All of it stays with the caller. */
    attempts(bench &machine, const weft_rtl_run &run, tally &happened)
        : machine(machine), run(run), happened(happened) {
    }

    /* Writes watchdog and regions, in random order. */
    void set_registers();
    /* A run as the program asks for, on the bus as it is: from START to what it leaves. */
    weft_run_result to_the_end(bool by_interrupt);
    /* A run with something in its way, drawn at random; afterwards another one can start. `clean`
     * is what a run without leaves. */
    void disturbed(const weft_run_result &clean);

  private:
    bench &machine;
    const weft_rtl_run &run;
    tally &happened;
    uint64_t read_beats = 0; /* of a run that was not disturbed */
    uint64_t responses = 0;

    void start();
    status wait_for_end(bool by_interrupt);
    void check_quiet(const char *when);
    weft_run_result result(const status &end);
    uint64_t some_cycle(const weft_run_result &clean);
    void run_cycles(uint64_t cycles);
    void check_registers();
    void abort();
    void wait_until_quiet();
    void check_standing_bus();
    void aborted(const weft_run_result &clean);
    void aborted_on_standing_bus(const weft_run_result &clean);
    void bus_is_reset(const weft_run_result &clean);
    void machine_is_reset(const weft_run_result &clean);
    void error_on_the_bus();
    void watchdog(const weft_run_result &clean);
};

} // namespace axi

#endif
