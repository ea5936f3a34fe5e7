/* Two operands, broadcast against each other. */
#include "base/fixed_point.h"
#include "base/integer.h"
#include "compiler/host/kernels.h"

static struct walk walk_operands(const struct kernel_call *call) {
    struct walk walk = walk_start(result_type(call, 0));
    walk_broadcast(&walk, 0, input_type(call, 0));
    walk_broadcast(&walk, 1, input_type(call, 1));
    return walk;
}

/* Elements less their zero points. */
struct centered {
    int32_t a, b;
};

static struct centered load_centered(const struct kernel_call *call, const struct walk *walk) {
    const struct weft_type *a = input_type(call, 0);
    const struct weft_type *b = input_type(call, 1);
    return (struct centered){
        load_element(a->dtype, call->inputs[0], walk->offset[0]) - weft_type_zero(a, 0),
        load_element(b->dtype, call->inputs[1], walk->offset[1]) - weft_type_zero(b, 0)};
}

static bool check_bytes(const struct kernel_call *call) {
    enum weft_dtype dtype = result_type(call, 0)->dtype;
    return dtype == WEFT_I8 || dtype == WEFT_U8 || kernel_unsupported(call, "only 8-bit tensors");
}

/* ---- quantised sums and products ---- */

static bool qnn_sum(const struct kernel_call *call, bool subtract) {
    const struct weft_type *out = result_type(call, 0);
    int32_t multiplier[3];
    int shift[3];
    weft_sum_multipliers(weft_type_scale(input_type(call, 0), 0),
                         weft_type_scale(input_type(call, 1), 0), weft_type_scale(out, 0),
                         multiplier, shift);
    struct walk walk = walk_operands(call);
    if (!check_bytes(call)) {
        return false;
    }
    if (shift[0] > 0 || shift[1] > 0 || shift[2] > 0) {
        return kernel_unsupported(call, "the result's scale is too small");
    }
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        struct centered x = load_centered(call, &walk);
        int32_t left = weft_scale_gemmlowp(x.a * (1 << 20), multiplier[0], shift[0]);
        int32_t right = weft_scale_gemmlowp(x.b * (1 << 20), multiplier[1], shift[1]);
        int32_t sum = subtract ? left - right : left + right;
        store_element(out->dtype, call->results[0], i,
                      saturate(out, weft_scale_gemmlowp(sum, multiplier[2], shift[2])));
    }
    return true;
}

bool kernel_qnn_add(const struct kernel_call *call) {
    return qnn_sum(call, false);
}

bool kernel_qnn_subtract(const struct kernel_call *call) {
    return qnn_sum(call, true);
}

bool kernel_qnn_mul(const struct kernel_call *call) {
    const struct weft_type *out = result_type(call, 0);
    struct factor factor;
    weft_product_multiplier(weft_type_scale(input_type(call, 0), 0),
                            weft_type_scale(input_type(call, 1), 0), weft_type_scale(out, 0),
                            &factor.multiplier, &factor.shift);
    /* The reference's shift by 32 and more is not defined. */
    factor.shift = (int)weft_min(factor.shift, 31);
    struct walk walk = walk_operands(call);
    if (!check_bytes(call)) {
        return false;
    }
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        struct centered x = load_centered(call, &walk);
        store_element(out->dtype, call->results[0], i, saturate(out, scale_by(x.a * x.b, factor)));
    }
    return true;
}

/* ---- plain ---- */

struct functions {
    float (*of_floats)(float a, float b);
    int64_t (*of_integers)(int64_t a, int64_t b); /* the result is cut to the type */
};

static bool plain(const struct kernel_call *call, const struct functions *functions) {
    const struct weft_type *out = result_type(call, 0);
    struct walk walk = walk_operands(call);
    for (int64_t i = 0; i < weft_type_elements(out); i++, walk_next(&walk)) {
        if (out->dtype == WEFT_F32) {
            store_float(call->results[0], i,
                        functions->of_floats(load_float(call->inputs[0], walk.offset[0]),
                                             load_float(call->inputs[1], walk.offset[1])));
        } else {
            int64_t a = load_integer(out->dtype, call->inputs[0], walk.offset[0]);
            int64_t b = load_integer(out->dtype, call->inputs[1], walk.offset[1]);
            store_integer(out->dtype, call->results[0], i, functions->of_integers(a, b));
        }
    }
    return true;
}

static float add_floats(float a, float b) {
    return finite(a + b);
}

static int64_t add_integers(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

bool kernel_add(const struct kernel_call *call) {
    return plain(call, &(struct functions){add_floats, add_integers});
}

static float subtract_floats(float a, float b) {
    return finite(a - b);
}

static int64_t subtract_integers(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

bool kernel_subtract(const struct kernel_call *call) {
    return plain(call, &(struct functions){subtract_floats, subtract_integers});
}

static float multiply_floats(float a, float b) {
    return finite(a * b);
}

static int64_t multiply_integers(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

bool kernel_mul(const struct kernel_call *call) {
    return plain(call, &(struct functions){multiply_floats, multiply_integers});
}

/* The comparisons decide what an operand that is not a number gives. */
static float maximum_of_floats(float a, float b) {
    return a > b ? a : b;
}

bool kernel_maximum(const struct kernel_call *call) {
    return plain(call, &(struct functions){maximum_of_floats, weft_max});
}

static float minimum_of_floats(float a, float b) {
    return a < b ? a : b;
}

bool kernel_minimum(const struct kernel_call *call) {
    return plain(call, &(struct functions){minimum_of_floats, weft_min});
}
