#include "compiler/import/onnx/onnx_operators.h"

#include <string.h>

/* Names for the table alone. */
enum {
    NEWEST = WEFT_ONNX_NEWEST,
    MANY = 1024,
};

static const struct weft_onnx_operator operators[] = {
#define ONNX_OPERATOR(NAME, domain, since, last, function, least, most, results, attributes,       \
                      where, conditions)                                                           \
    {#NAME, domain, attributes, conditions, since, last, least, most, results, WEFT_PLACE_##where},
#include "compiler/import/onnx/onnx_operators.def"
};

const struct weft_onnx_operator *weft_onnx_operator_at(size_t index) {
    return index < sizeof operators / sizeof operators[0] ? &operators[index] : NULL;
}

const struct weft_onnx_operator *weft_onnx_find(const char *domain, const char *name,
                                                size_t *number) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(operators[i].name, name) == 0 && strcmp(operators[i].domain, domain) == 0) {
            *number = i;
            return &operators[i];
        }
    }
    return NULL;
}
