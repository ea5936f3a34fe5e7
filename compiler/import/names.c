#include "compiler/import/names.h"

const char *weft_model_name_of(const struct weft_model_names *names, int32_t tensor,
                               int32_t source) {
    if (tensor < 0 && source >= 0 && (uint32_t)source < names->operator_count) {
        tensor = names->results[source];
    }
    bool there = tensor >= 0 && (uint32_t)tensor < names->tensor_count;
    return there && names->tensors[tensor][0] != '\0' ? names->tensors[tensor] : NULL;
}
