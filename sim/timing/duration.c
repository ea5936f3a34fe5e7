#include "sim/timing/duration.h"

#include <assert.h>

#include "base/checked.h"
#include "base/integer.h"
#include "isa/footprint.h"
#include "isa/record.h"

static const struct {
    uint8_t slots;
    uint8_t drains[2]; /* without and with deep_pipeline */
} functions[] = {
#define WEFT_FUNCTION_TIMING(function, slots, drain, deep)                                         \
    [WEFT_FUNCTION_##function] = {slots, {drain, deep}},
#include "sim/timing/durations.def"
#undef WEFT_FUNCTION_TIMING
};
static_assert(sizeof functions / sizeof functions[0] == WEFT_FUNCTIONS,
              "durations.def needs a line for each FUNCTION of isa/instructions.def");

/* A window without columns and one without a step are what the verifier refuses; to the machine,
 * which counts them down in the bits of their fields, they are the most that these hold and one
 * more. */
enum {
    COLUMNS_OF_NONE = 64,
    STEP_OF_NONE = 16,
};

struct weft_matrix_duration weft_matrix_duration(const struct weft_config *config,
                                                 const struct weft_matrix_fields *matrix) {
    uint64_t columns = matrix->pixel_count[1];
    if (matrix->mode == WEFT_MODE_DEPTHWISE) {
        uint64_t step = matrix->window_step == 0 ? STEP_OF_NONE : matrix->window_step;
        uint64_t window = matrix->window_columns == 0 ? COLUMNS_OF_NONE : matrix->window_columns;
        columns = (columns - 1) * step + window;
    }
    uint64_t tiles = 1;
    for (unsigned i = 0; i < 4; i++) {
        tiles *= matrix->tile_count[i];
    }
    struct weft_matrix_duration duration = {.weight_tile = config->block / 2};
    duration.pass = weft_max_u64(matrix->pixel_count[0] * columns, duration.weight_tile);
    duration.stream = tiles * duration.pass;
    return duration;
}

static uint64_t latch_slots(const struct weft_config *config,
                            const struct weft_vector_fields *vector) {
    unsigned reads = weft_vector_reads(vector->function);
    uint64_t record = weft_vector_record_lines(vector);
    return (reads & WEFT_READS_REQUANT) != 0 ? vector->count[0] * record
           : (reads & WEFT_READS_SUM) != 0   ? weft_sum_record_lines(config) - config->deep_pipeline
                                             : 0;
}

static uint64_t drain_of(const struct weft_config *config,
                         const struct weft_vector_fields *vector) {
    bool requant = vector->function == WEFT_FUNCTION_REQUANT;
    bool as_float = requant && vector->rounding == WEFT_ROUNDING_FLOAT;
    bool once = requant && vector->rounding != WEFT_ROUNDING_GEMMLOWP;
    uint64_t drain = functions[vector->function].drains[config->deep_pipeline];
    return drain + (config->deep_pipeline != 0 ? (once ? WEFT_ONCE_DRAIN : 0)
                                               : (as_float ? WEFT_FLOAT_DRAIN : 0));
}

struct weft_vector_duration weft_vector_duration(const struct weft_config *config,
                                                 const struct weft_vector_fields *vector) {
    uint64_t rows = (uint64_t)vector->count[0] * vector->count[1];
    uint64_t vectors = rows * vector->count[2];
    uint64_t slots = functions[vector->function].slots;
    if ((weft_vector_reads(vector->function) & WEFT_READS_WINDOW) != 0) {
        slots += (uint64_t)vector->window_count[0] * vector->window_count[1];
        slots = config->deep_pipeline != 0 ? weft_max_u64(slots, WEFT_POOL_LEAST) : slots;
    }
    if (vector->function == WEFT_FUNCTION_SOFTMAX) {
        /* A group for each vector: while one row's largest element is found, the one before is
         * added up, and one before that is scaled. */
        uint64_t length = vector->count[2];
        uint64_t groups = rows * weft_max_u64(length, WEFT_SOFTMAX_LEAST) + 2 * length;
        return (struct weft_vector_duration){
            .slots = (groups + WEFT_SOFTMAX_SCALE) * functions[vector->function].slots,
            .drain = drain_of(config, vector),
        };
    }
    return (struct weft_vector_duration){
        .slots = vectors * slots + latch_slots(config, vector),
        .drain = drain_of(config, vector),
    };
}

uint64_t weft_load_write(const struct weft_load_fields *load) {
    return weft_load_is_coded(load) ? WEFT_LOAD_DECODE : WEFT_LOAD_WRITE;
}

uint64_t weft_fill_lines(const struct weft_config *config, const struct weft_fill_fields *fill) {
    /* The lines of a run depend on its offset in a line alone: count the runs at each offset. */
    uint32_t block = config->block;
    uint64_t runs[64] = {0};
    uint64_t moved[64];
    runs[fill->local % block] = 1;
    for (unsigned level = 0; level < 3; level++) {
        uint32_t step =
            (uint32_t)fill->local_stride[level] % block; /* a power of two: wraps right */
        for (uint32_t offset = 0; offset < block; offset++) {
            moved[offset] = 0;
        }
        for (uint32_t i = 0; i < block && i < fill->count[level]; i++) {
            uint64_t times = (fill->count[level] - i - 1) / block + 1;
            for (uint32_t offset = 0; offset < block; offset++) {
                moved[(offset + i * step) % block] += runs[offset] * times;
            }
        }
        for (uint32_t offset = 0; offset < block; offset++) {
            runs[offset] = moved[offset];
        }
    }
    uint64_t lines = 0;
    for (uint32_t offset = 0; offset < block; offset++) {
        uint64_t touched = (uint64_t)weft_ceil_div((int64_t)offset + fill->run, block);
        lines = weft_add_saturated(lines, weft_mul_saturated(runs[offset], touched));
    }
    return lines < WEFT_FILL_LINES_MOST ? lines : WEFT_FILL_LINES_MOST;
}
