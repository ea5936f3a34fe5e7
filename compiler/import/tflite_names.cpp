// The names of a model's tensors. Arena allocation may longjmp out of here: no local has a
// destructor.
#include "compiler/import/names.h"

#include "tflite_generated.h"

namespace fb = weft::tflite;

namespace {

template <typename T> T *allocate(weft_arena *arena, size_t count) {
    return static_cast<T *>(weft_arena_allocate(arena, count, sizeof(T)));
}

int32_t first_result(const fb::Operator *from) {
    const auto *outputs = from->outputs();
    return outputs == nullptr || outputs->size() == 0 ? -1 : outputs->Get(0);
}

} // namespace

void weft_tflite_names(weft_arena *arena, const uint8_t *bytes, weft_model_names *names) {
    const fb::SubGraph *graph = fb::GetModel(bytes)->subgraphs()->Get(0);
    names->tensor_count = graph->tensors()->size();
    names->tensors = allocate<const char *>(arena, names->tensor_count);
    for (uint32_t i = 0; i < names->tensor_count; i++) {
        const flatbuffers::String *name = graph->tensors()->Get(i)->name();
        names->tensors[i] =
            name == nullptr ? "" : weft_arena_string(arena, name->c_str(), name->size());
    }
    names->operator_count = graph->operators()->size();
    names->results = allocate<int32_t>(arena, names->operator_count);
    for (uint32_t i = 0; i < names->operator_count; i++) {
        names->results[i] = first_result(graph->operators()->Get(i));
    }
}
