/* Source: TFLite's reference_integer_ops::Logistic() and Tanh() of int16. */
#include "kernels/activation.h"
#include "kernels/element.h"

/* What the reference takes for 1 / (1 + exp(-i / 24)), in steps of 1/65536: not always the nearest.
 */
static const uint16_t logistic_table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535};

/* An element in the steps of the table's arguments; what leaves 32 bits wraps. */
static int32_t argument_of(const struct weft_qnn_logistic_parameters *p, const void *input,
                           int64_t index) {
    uint32_t product = (uint32_t)load_element(WEFT_I16, input, index) * (uint32_t)p->multiplier;
    uint32_t half = p->shift > 0 ? UINT32_C(1) << (p->shift - 1) : 0;
    return (int32_t)(product + half) >> p->shift;
}

static uint32_t magnitude(int32_t value) {
    return value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
}

/* The function of x >= 0, in steps of the table's times 2^bits; `largest` beyond the table. */
static int32_t interpolate(uint32_t x, int bits, int32_t largest) {
    uint32_t index = x >> bits;
    if (index >= 255) {
        return largest * (1 << bits);
    }
    int32_t slope = logistic_table[index + 1] - logistic_table[index];
    int32_t rest = (int32_t)(x & ((UINT32_C(1) << bits) - 1));
    return logistic_table[index] * (1 << bits) + slope * rest;
}

enum weft_kernel_status
weft_kernel_qnn_logistic(const struct weft_qnn_logistic_parameters *parameters, const void *input,
                         int16_t *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t x = argument_of(parameters, input, i);
        int32_t y = interpolate(magnitude(x), 9, 0xFFFE);
        y = x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
        output[i] = (int16_t)(y >> 10);
    }
    return WEFT_KERNEL_OK;
}

/* tanh(x) = 2 / (1 + exp(-2x)) - 1 */
enum weft_kernel_status weft_kernel_qnn_tanh(const struct weft_qnn_logistic_parameters *parameters,
                                             const void *input, int16_t *output) {
    for (int32_t i = 0; i < parameters->count; i++) {
        int32_t x = argument_of(parameters, input, i);
        int32_t y = interpolate(magnitude(x), 8, 0xFFFF) - (1 << 23);
        y = (x >= 0 ? y : -y - 1) + (1 << 7);
        output[i] = (int16_t)(y >> 8);
    }
    return WEFT_KERNEL_OK;
}
