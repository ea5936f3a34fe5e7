#include "compiler/import/operators.h"

#include "compiler/ir/ir.h"

/* Names for the table alone. */
enum {
    I8 = 1 << WEFT_I8,
    U8 = 1 << WEFT_U8,
    I16 = 1 << WEFT_I16,
    I32 = 1 << WEFT_I32,
    I64 = 1 << WEFT_I64,
    F32 = 1 << WEFT_F32,
    BOOL = 1 << WEFT_BOOL,
    BYTES = I8 | U8,
    QUANTIZED = BYTES | I16,
    NUMBERS = QUANTIZED | I32 | I64 | F32,
    ALL = NUMBERS | BOOL,
};

static const struct weft_tflite_operator operators[] = {
#define TFLITE_OPERATOR(code, NAME) {code, #NAME, WEFT_PLACE_NONE, 0, ""},
#define TFLITE_SUPPORTED(code, NAME, import, outputs, operand, types, place, conditions)           \
    {code, #NAME, WEFT_PLACE_##place, types, conditions},
#include "compiler/import/tflite_operators.def"
};

const struct weft_tflite_operator *weft_tflite_operator_at(size_t index) {
    return index < sizeof operators / sizeof operators[0] ? &operators[index] : NULL;
}

const struct weft_tflite_operator *weft_tflite_find(int32_t code) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (operators[i].code == code) {
            return &operators[i];
        }
    }
    return NULL;
}

const char *weft_place_name(enum weft_place place) {
    static const char *const names[] = {
        [WEFT_PLACE_NONE] = "not supported",
        [WEFT_PLACE_FOLDED] = "when read",
        [WEFT_PLACE_HOST] = "host",
        [WEFT_PLACE_MACHINE] = "machine",
    };
    return names[place];
}
