#include "tests/unit/good_program.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integer.h"
#include "isa/verify/verify.h"
#include "tests/unit/test.h"

enum {
    LOAD = 1 << WEFT_UNIT_LOAD,
    MATRIX = 1 << WEFT_UNIT_MATRIX,
    VECTOR = 1 << WEFT_UNIT_VECTOR,
    STORE = 1 << WEFT_UNIT_STORE,
    /* Tensors have two channel blocks of 8 rows of 8 lines; a row is followed by a line that is not
     * used, so that the rows of a window lie in different sub-banks. */
    PITCH = 9,
    PLANE = 8 * PITCH,
    TENSOR = 2 * 64, /* lines in external memory */
    WINDOW_ROWS = 2,
    WINDOW_COLUMNS = 3,
    DEPTHWISE_ROWS = 7,
    DEPTHWISE_COLUMNS = 6,
    DEPTHWISE_ENTRIES = DEPTHWISE_ROWS * DEPTHWISE_COLUMNS,
    /* Lines of PAR: a record per channel for each of two blocks, one per tensor for each, a sum. */
    PAR_PER_TENSOR = 18,
    PAR_SUM = 26,
    PAR_LINES = 28,
};

struct builder {
    const struct weft_config *config;
    int32_t block;
    struct weft_instruction *next;
};

static struct weft_instruction *emit(struct builder *builder, enum weft_opcode opcode,
                                     uint32_t wait, uint32_t signal) {
    struct weft_instruction *instruction = builder->next++;
    *instruction = weft_instruction_new(opcode);
    instruction->wait = wait;
    instruction->signal = signal;
    return instruction;
}

/* The banks of ACT that the program uses, by number: neighbours lie in different RAMs. With eight
 * of them 11 lies beside 3, which is used early. */
static uint32_t act_bank(const struct builder *builder, uint32_t number) {
    uint32_t rams = weft_act_rams(builder->config);
    return number % rams * (builder->config->act_banks / rams) + number / rams;
}

static uint32_t act_mask(const struct builder *builder, uint32_t number) {
    return 1U << act_bank(builder, number);
}

static uint32_t act_bytes(const struct builder *builder, uint32_t number) {
    return weft_bank_bytes(builder->config, WEFT_MEMORY_ACT) * act_bank(builder, number);
}

static uint32_t act_line(const struct builder *builder, uint32_t bank) {
    return act_bytes(builder, bank) / (uint32_t)builder->block;
}

static uint32_t acc_entry(const struct builder *builder, uint32_t bank) {
    return weft_acc_bank_entries(builder->config) * bank;
}

/* ---- external memory ---- */

static uint32_t weight_bytes(int32_t block) {
    return (uint32_t)(4 * block * block + 2 * WINDOW_ROWS * WINDOW_COLUMNS * block);
}

static uint32_t parameters_at(int32_t block) {
    return (uint32_t)weft_round_up(weight_bytes(block), 64);
}

static uint32_t table_at(int32_t block) {
    return parameters_at(block) + PAR_LINES * (uint32_t)block;
}

static void load_plain(struct builder *builder, enum weft_target memory, uint32_t address,
                       uint32_t bytes, uint32_t wait, uint32_t signal) {
    struct weft_instruction *load = emit(builder, WEFT_OPCODE_LOAD, wait, signal);
    load->load.memory = memory;
    load->load.region = WEFT_REGION_CONSTANTS;
    load->load.address = address;
    load->load.run = bytes;
    static const enum weft_memory memories[] = {WEFT_MEMORY_ACT, WEFT_MEMORY_WGT, WEFT_MEMORY_PAR,
                                                WEFT_MEMORY_LUT};
    load->banks[memories[memory]] = 1;
}

static void load_tensor(struct builder *builder, enum weft_region region, uint32_t bank,
                        uint32_t wait, uint32_t signal) {
    int32_t block = builder->block;
    struct weft_instruction *load = emit(builder, WEFT_OPCODE_LOAD, wait, signal);
    load->banks[WEFT_MEMORY_ACT] = act_mask(builder, bank);
    load->load.region = region;
    load->load.local = act_bytes(builder, bank);
    load->load.run = 8 * (uint32_t)block;
    load->load.count[1] = 2;
    load->load.count[2] = 8;
    load->load.address_stride[1] = 64 * block;
    load->load.address_stride[2] = 8 * block;
    load->load.local_stride[1] = PLANE * block;
    load->load.local_stride[2] = PITCH * block;
}

static void store_tensor(struct builder *builder, enum weft_region region, uint32_t bank,
                         uint32_t tensor, uint32_t wait, uint32_t signal) {
    int32_t block = builder->block;
    struct weft_instruction *store = emit(builder, WEFT_OPCODE_STORE, wait, signal);
    store->banks[WEFT_MEMORY_ACT] = act_mask(builder, bank);
    store->store.region = region;
    store->store.address = tensor * TENSOR * (uint32_t)block;
    store->store.local = act_bytes(builder, bank);
    store->store.run = 8 * (uint32_t)block;
    store->store.count[1] = 2;
    store->store.count[2] = 8;
    store->store.address_stride[1] = 64 * block;
    store->store.address_stride[2] = 8 * block;
    store->store.local_stride[1] = PLANE * block;
    store->store.local_stride[2] = PITCH * block;
}

/* ---- matrix ---- */

/* Two output blocks, each the sum over two input blocks. */
static struct weft_instruction *dense(struct builder *builder, uint32_t act_bank, uint32_t acc_bank,
                                      uint32_t wait, uint32_t signal) {
    int32_t block = builder->block;
    struct weft_instruction *matrix = emit(builder, WEFT_OPCODE_MATRIX, wait, signal);
    matrix->banks[WEFT_MEMORY_ACT] = act_mask(builder, act_bank);
    matrix->banks[WEFT_MEMORY_WGT] = 1;
    matrix->banks[WEFT_MEMORY_ACC] = 1U << acc_bank;
    struct weft_matrix_fields *m = &matrix->matrix;
    m->act = act_bytes(builder, act_bank);
    m->acc = acc_entry(builder, acc_bank);
    m->weight_zero = 3;
    m->tile_count[2] = 2;
    m->tile_acc_stride[2] = 64;
    m->tile_count[3] = 2;
    m->tile_act_stride[3] = PLANE * block;
    m->pixel_count[0] = 8;
    m->pixel_count[1] = 8;
    m->pixel_act_stride[0] = PITCH * block;
    m->pixel_act_stride[1] = block;
    m->pixel_acc_stride[0] = 8;
    m->pixel_acc_stride[1] = 1;
    return matrix;
}

static void depthwise(struct builder *builder, uint32_t wait, uint32_t signal) {
    int32_t block = builder->block;
    struct weft_instruction *matrix = emit(builder, WEFT_OPCODE_MATRIX, wait, signal);
    matrix->banks[WEFT_MEMORY_ACT] = 1;
    matrix->banks[WEFT_MEMORY_WGT] = 1;
    matrix->banks[WEFT_MEMORY_ACC] = 2;
    struct weft_matrix_fields *m = &matrix->matrix;
    m->mode = WEFT_MODE_DEPTHWISE;
    m->acc = acc_entry(builder, 1);
    m->wgt = (uint32_t)(4 * block * block);
    m->tile_count[3] = 2;
    m->tile_act_stride[3] = PLANE * block;
    m->tile_acc_stride[3] = DEPTHWISE_ENTRIES;
    m->pixel_count[0] = DEPTHWISE_ROWS;
    m->pixel_count[1] = DEPTHWISE_COLUMNS;
    m->pixel_act_stride[0] = PITCH * block;
    m->pixel_act_stride[1] = block;
    m->pixel_acc_stride[0] = DEPTHWISE_COLUMNS;
    m->pixel_acc_stride[1] = 1;
    m->window_rows = WINDOW_ROWS;
    m->window_columns = WINDOW_COLUMNS;
    m->window_row_stride = PITCH * block;
    m->window_step = 1;
}

/* ---- vector ---- */

static void set_strides(int32_t stride[3], int32_t block, int32_t row, int32_t column) {
    stride[0] = block;
    stride[1] = row;
    stride[2] = column;
}

/* Two blocks of rows x columns lines of ACT bank `a` to bank `out`. */
static struct weft_instruction *lines(struct builder *builder, enum weft_function function,
                                      uint32_t a, uint32_t out, uint32_t rows, uint32_t columns) {
    struct weft_instruction *vector = emit(builder, WEFT_OPCODE_VECTOR, 0, 0);
    vector->banks[WEFT_MEMORY_ACT] = act_mask(builder, a) | act_mask(builder, out);
    struct weft_vector_fields *v = &vector->vector;
    v->function = function;
    v->out = act_line(builder, out);
    v->a = act_line(builder, a);
    v->count[0] = 2;
    v->count[1] = rows;
    v->count[2] = columns;
    set_strides(v->out_stride, PLANE, PITCH, 1);
    set_strides(v->a_stride, PLANE, PITCH, 1);
    v->low = INT8_MIN;
    v->high = INT8_MAX;
    return vector;
}

static struct weft_instruction *requant(struct builder *builder, uint32_t acc, uint32_t out,
                                        uint32_t rows, uint32_t columns) {
    struct weft_instruction *vector = lines(builder, WEFT_FUNCTION_REQUANT, 0, out, rows, columns);
    vector->banks[WEFT_MEMORY_ACT] = act_mask(builder, out);
    vector->banks[WEFT_MEMORY_ACC] = 1U << acc;
    vector->banks[WEFT_MEMORY_PAR] = 1;
    struct weft_vector_fields *v = &vector->vector;
    v->a = acc_entry(builder, acc);
    set_strides(v->a_stride, (int32_t)(rows * columns), (int32_t)columns, 1);
    v->par = PAR_PER_TENSOR;
    v->multiplier = 1518500250;
    v->shift = -7;
    v->out_zero = -5;
    return vector;
}

static void order(struct weft_instruction *instruction, uint32_t wait, uint32_t signal) {
    instruction->wait = wait;
    instruction->signal = signal;
}

static void first_half(struct builder *builder) {
    int32_t block = builder->block;
    load_tensor(builder, WEFT_REGION_INPUTS, 0, 0, 0);
    load_plain(builder, WEFT_TARGET_WGT, 0, weight_bytes(block), 0, MATRIX);
    load_plain(builder, WEFT_TARGET_PAR, parameters_at(block), PAR_LINES * (uint32_t)block, 0, 0);
    load_plain(builder, WEFT_TARGET_LUT, table_at(block), 256 * (uint32_t)block, 0, VECTOR);
    struct weft_instruction *fill = emit(builder, WEFT_OPCODE_FILL, 0, VECTOR);
    fill->banks[WEFT_MEMORY_ACT] = act_mask(builder, 3);
    fill->fill.value = -77;
    fill->fill.local = act_bytes(builder, 3);
    fill->fill.run = (uint32_t)block;
    fill->fill.count[2] = 8;
    fill->fill.local_stride[2] = block;
    dense(builder, 0, 0, LOAD, VECTOR);
    depthwise(builder, 0, LOAD | VECTOR);
    struct weft_instruction *vector = requant(builder, 0, 1, 8, 8);
    vector->vector.per_channel = 1;
    vector->vector.par = 0;
    order(vector, LOAD | MATRIX, MATRIX);
    vector = requant(builder, 1, 2, DEPTHWISE_ROWS, DEPTHWISE_COLUMNS);
    vector->vector.rounding = WEFT_ROUNDING_SINGLE;
    order(vector, MATRIX, 0);
    vector = lines(builder, WEFT_FUNCTION_ADD, 1, 4, 8, 8);
    vector->banks[WEFT_MEMORY_ACT] |= act_mask(builder, 3);
    vector->banks[WEFT_MEMORY_PAR] = 1;
    vector->vector.b = act_line(builder, 3);
    set_strides(vector->vector.b_stride, 0, 0, 1);
    vector->vector.par = PAR_SUM;
    order(vector, LOAD, LOAD | STORE);
    vector = lines(builder, WEFT_FUNCTION_LUT, 1, 5, 8, 8);
    vector->banks[WEFT_MEMORY_LUT] = 1;
    order(vector, 0, STORE);
    vector = lines(builder, WEFT_FUNCTION_POOL, 2, 6, DEPTHWISE_ROWS - 1, DEPTHWISE_COLUMNS - 1);
    vector->vector.window_count[0] = 2;
    vector->vector.window_count[1] = 2;
    vector->vector.window_stride[0] = PITCH;
    vector->vector.window_stride[1] = 1;
    store_tensor(builder, WEFT_REGION_OUTPUTS, 4, 0, VECTOR, VECTOR);
    store_tensor(builder, WEFT_REGION_SCRATCH, 5, 0, VECTOR, LOAD | MATRIX);
}

static void second_half(struct builder *builder) {
    int32_t block = builder->block;
    load_tensor(builder, WEFT_REGION_INPUTS, 0, MATRIX, MATRIX);
    load_plain(builder, WEFT_TARGET_PAR, parameters_at(block), PAR_LINES * (uint32_t)block, VECTOR,
               0);
    load_tensor(builder, WEFT_REGION_SCRATCH, 7, STORE, VECTOR);
    struct weft_instruction *vector =
        lines(builder, WEFT_FUNCTION_MAX, 2, 4, DEPTHWISE_ROWS - 1, DEPTHWISE_COLUMNS - 1);
    vector->banks[WEFT_MEMORY_ACT] |= act_mask(builder, 6);
    vector->vector.b = act_line(builder, 6);
    set_strides(vector->vector.b_stride, PLANE, PITCH, 1);
    order(vector, STORE, 0);
    vector = lines(builder, WEFT_FUNCTION_RESCALE, 7, 11, 8, 8);
    vector->vector.multiplier = 1610612736;
    vector->vector.a_zero = 7;
    order(vector, LOAD, STORE);
    dense(builder, 0, 0, LOAD | VECTOR, 0)->matrix.accumulate = 1;
    dense(builder, 5, 2, STORE, STORE);
    store_tensor(builder, WEFT_REGION_OUTPUTS, 5, 1, MATRIX, 0);
    store_tensor(builder, WEFT_REGION_OUTPUTS, 11, 2, VECTOR, 0);
    emit(builder, WEFT_OPCODE_FENCE, 0, 0);
    requant(builder, 2, 5, 8, 8);
    order(requant(builder, 0, 6, 8, 8), 0, STORE);
    store_tensor(builder, WEFT_REGION_OUTPUTS, 5, 3, VECTOR, 0);
    store_tensor(builder, WEFT_REGION_OUTPUTS, 6, 4, 0, 0);
    emit(builder, WEFT_OPCODE_HALT, 0, 0);
}

struct good good_program(const struct weft_config *config) {
    struct good good = {.regions.writable = 1U << WEFT_REGION_SCRATCH | 1U << WEFT_REGION_OUTPUTS};
    struct builder builder = {config, (int32_t)config->block, good.program};
    first_half(&builder);
    second_half(&builder);
    assert_ptr_equal(builder.next, good.program + GOOD_COUNT);
    uint64_t tensor = (uint64_t)TENSOR * config->block;
    good.regions.limit[WEFT_REGION_PROGRAM] = (uint64_t)GOOD_COUNT * WEFT_INSTRUCTION_BYTES;
    good.regions.limit[WEFT_REGION_CONSTANTS] = table_at(builder.block) + 256 * config->block;
    good.regions.limit[WEFT_REGION_SCRATCH] = tensor;
    good.regions.limit[WEFT_REGION_INPUTS] = tensor;
    good.regions.limit[WEFT_REGION_OUTPUTS] = 5 * tensor;
    return good;
}

struct good_regions good_regions_new(const struct good *good, uint64_t seed) {
    struct good_regions regions;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        regions.bytes[i] = calloc((size_t)good->regions.limit[i] + 1, 1);
        assert_non_null(regions.bytes[i]);
        if (i == WEFT_REGION_CONSTANTS || i == WEFT_REGION_INPUTS) {
            random_bytes(&seed, regions.bytes[i], (size_t)good->regions.limit[i]);
        }
    }
    return regions;
}

void good_regions_free(struct good_regions *regions) {
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(regions->bytes[i]);
    }
}

/* The good program with instruction `at` replaced by `mutant` breaks a rule there. */
void assert_mutant_breaks(const struct weft_config *config, size_t at,
                          const struct weft_instruction *mutant, enum weft_error_code code,
                          const char *part) {
    struct good good = good_program(config);
    good.program[at] = *mutant;
    struct weft_proof proof;
    struct weft_error error;
    ASSERT_FAILS(weft_verify(config, good.program, GOOD_COUNT, &good.regions, &proof, &error),
                 error, code);
    assert_int_equal(error.position, at);
    char number[32];
    (void)snprintf(number, sizeof number, "instruction %zu", at);
    assert_mentions(error.message, number);
    assert_mentions(error.message, part);
}

void assert_fields_break(const struct field_case *cases, size_t count, enum weft_error_code code) {
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    for (size_t i = 0; i < count; i++) {
        struct weft_instruction mutant = good.program[cases[i].at];
        field_set(&mutant, field_of(mutant.opcode, cases[i].field), cases[i].index, cases[i].value);
        assert_mutant_breaks(&config, cases[i].at, &mutant, code, cases[i].part);
    }
}
