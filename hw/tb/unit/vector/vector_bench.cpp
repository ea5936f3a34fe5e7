#include "hw/tb/unit/vector/vector_bench.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "verilated.h"

extern "C" {
#include "tests/unit/helpers.h"
}

vector_bench::vector_bench(struct weft_state *memory)
    : memory(memory), block(memory->config->block), context(new VerilatedContext),
      unit(new Vweft_vector(context.get())) {
    static_assert(sizeof unit->instruction == WEFT_INSTRUCTION_BYTES);
    if (sizeof unit->act_read_data != block || sizeof unit->acc_read_data != 4 * block) {
        fprintf(stderr, "vector_bench: the model is of another configuration\n");
        exit(2);
    }
    unit->reset = 1;
    unit->start = 0;
    unit->stop = 0;
    for (int i = 0; i < 4; i++) {
        unit->clock = i & 1;
        unit->eval();
    }
    unit->reset = 0;
}

vector_bench::~vector_bench() {
    unit->final();
}

void vector_bench::make_noise() {
    random_bytes(&seed, &unit->instruction, sizeof unit->instruction);
    random_bytes(&seed, &unit->act_read_data, sizeof unit->act_read_data);
    random_bytes(&seed, &unit->acc_read_data, sizeof unit->acc_read_data);
    random_bytes(&seed, &unit->par_read_data, sizeof unit->par_read_data);
    random_bytes(&seed, &unit->lut_read_data, sizeof unit->lut_read_data);
    random_bytes(&seed, &unit->lut_sum_read_data, sizeof unit->lut_sum_read_data);
}

static void put(void *port, const void *data, size_t length) {
    if (data != nullptr) {
        memcpy(port, data, length);
    }
}

/* What the memories do with the requests of this cycle. */
void vector_bench::access() {
    memcpy(act_line[1], act_line[0], block);
    act_data = act_waits ? act_line[1] : nullptr;
    act_waits = false;
    acc_data = acc_waits;
    acc_waits = nullptr;
    par_data = nullptr;
    lut_read = unit->lut_valid != 0;
    if (unit->act_valid) {
        int8_t *line = memory->act + (size_t)unit->act_line * block;
        if (unit->act_write) {
            memcpy(line, &unit->act_write_data, block);
            counts.act_writes++;
        } else {
            memcpy(act_line[0], line, block);
            if (memory->config->deep_pipeline != 0) {
                act_waits = true;
            } else {
                act_data = line;
            }
            counts.act_reads++;
        }
    }
    if (unit->acc_valid) {
        const void *entry = memory->acc + (size_t)unit->acc_entry * block;
        (memory->config->deep_pipeline != 0 ? acc_waits : acc_data) = entry;
        counts.acc_reads++;
    }
    if (unit->par_valid) {
        par_data = memory->par + (size_t)unit->par_line * block;
        counts.par_reads++;
    }
    if (lut_read) {
        look_up(&unit->lut_index, lut_data);
    }
    lut_sum_read = unit->lut_sum_valid != 0;
    if (lut_sum_read) {
        look_up(&unit->lut_sum_index, lut_sum_data);
    }
}

void vector_bench::look_up(const void *indices, uint8_t *entries) {
    uint8_t index[32];
    memcpy(index, indices, block);
    for (uint32_t lane = 0; lane < block; lane++) {
        entries[lane] = memory->lut[index[lane] * block + lane];
    }
    counts.lut_reads++;
}

vector_bench_cycle vector_bench::cycle(const struct weft_instruction *instruction, bool stop) {
    if (noise) {
        make_noise();
    }
    put(&unit->act_read_data, act_data, block);
    put(&unit->acc_read_data, acc_data, 4 * block);
    put(&unit->par_read_data, par_data, block);
    put(&unit->lut_read_data, lut_read ? lut_data : nullptr, block);
    put(&unit->lut_sum_read_data, lut_sum_read ? lut_sum_data : nullptr, block);
    unit->start = instruction != nullptr;
    unit->stop = stop;
    if (instruction != nullptr) {
        struct weft_error error;
        uint8_t bytes[WEFT_INSTRUCTION_BYTES];
        if (!weft_encode(instruction, bytes, &error)) {
            fprintf(stderr, "vector_bench: %s\n", error.message);
            exit(2);
        }
        memcpy(&unit->instruction, bytes, sizeof bytes);
    }
    unit->clock = 0;
    unit->eval();
    access();
    vector_bench_cycle done = {
        .slot = unit->slot != 0,
        .finish = unit->finish != 0,
        .touched = unit->act_valid || unit->acc_valid || unit->par_valid || unit->lut_valid ||
                   unit->lut_sum_valid,
    };
    unit->clock = 1;
    unit->eval();
    return done;
}
