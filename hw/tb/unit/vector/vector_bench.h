/* weft_vector under Verilator, with arrays for the memories, one clock cycle at a time. */
#ifndef WEFT_HW_TB_UNIT_VECTOR_VECTOR_BENCH_H
#define WEFT_HW_TB_UNIT_VECTOR_VECTOR_BENCH_H

#include <cstdint>
#include <memory>

#include "Vweft_vector.h"

extern "C" {
#include "isa/isa.h"
#include "sim/exec/exec.h"
}

/* What the unit did in a cycle, and what it has done since the counts were last cleared. */
struct vector_bench_cycle {
    bool slot;
    bool finish;
    bool touched; /* a memory */
};

struct vector_bench_counts {
    uint64_t act_reads;
    uint64_t act_writes;
    uint64_t acc_reads;
    uint64_t par_reads;
    uint64_t lut_reads;
    bool operator==(const vector_bench_counts &) const = default;
};

class vector_bench {
  public:
    /* `memory` (not owned) holds what the unit reads and writes. The unit comes out of reset. */
    explicit vector_bench(struct weft_state *memory);
    ~vector_bench();

    /* One cycle. `instruction`: start it; NULL: no start. */
    vector_bench_cycle cycle(const struct weft_instruction *instruction, bool stop);

    /* The port of a memory that was not read in the cycle before carries noise, and so does the
     * port of the instruction when there is no start. Off: they stay as they are, which is faster.
     */
    bool noise = true;
    vector_bench_counts counts = {};

  private:
    void access();
    void look_up(const void *indices, uint8_t *entries);
    void make_noise();

    struct weft_state *memory;
    uint32_t block;
    uint64_t seed = 1;
    std::unique_ptr<VerilatedContext> context;
    std::unique_ptr<Vweft_vector> unit;
    /* Read data of the next cycle: NULL or bytes to be put on the port. */
    const void *act_data = nullptr;
    const void *acc_data = nullptr;
    /* With deep_pipeline: behind a register of ACC, or of ACT, whose line may be written meanwhile.
     */
    const void *acc_waits = nullptr;
    bool act_waits = false;
    int8_t act_line[2][32] = {}; /* which waits, on the port */
    const void *par_data = nullptr;
    bool lut_read = false;
    uint8_t lut_data[32] = {};
    bool lut_sum_read = false;
    uint8_t lut_sum_data[32] = {};
};

#endif
