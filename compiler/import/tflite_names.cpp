// The names of a model's tensors. Arena allocation may longjmp out of here: no local has a
// destructor.
#include "compiler/import/names.h"

#include <cstdio>
#include <cstring>

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

const flatbuffers::String *signature_of(const fb::Model *model, uint32_t graph) {
    const auto *signatures = model->signature_defs();
    for (uint32_t i = 0; signatures != nullptr && i < signatures->size(); i++) {
        if (signatures->Get(i)->subgraph_index() == graph) {
            return signatures->Get(i)->signature_key();
        }
    }
    return nullptr;
}

// Adds ` signature "decode"`, ` subgraph "decode"` or ` subgraph 1`; what does not fit is cut.
void add_name(const fb::Model *model, uint32_t graph, char *text, size_t size) {
    const flatbuffers::String *signature = signature_of(model, graph);
    const flatbuffers::String *name =
        signature != nullptr ? signature : model->subgraphs()->Get(graph)->name();
    const char *kind = signature != nullptr ? "signature" : "subgraph";
    size_t used = std::strlen(text);
    if (name == nullptr || name->size() == 0) {
        std::snprintf(text + used, size - used, " %s %u", kind, graph);
    } else {
        std::snprintf(text + used, size - used, " %s \"%.64s\"", kind, name->c_str());
    }
}

void add(const char *more, char *text, size_t size) {
    size_t used = std::strlen(text);
    std::snprintf(text + used, size - used, "%s", more);
}

} // namespace

bool weft_tflite_left_out(const uint8_t *bytes, char *text, size_t size) {
    const fb::Model *model = fb::GetModel(bytes);
    uint32_t count = model->subgraphs()->size();
    if (count < 2) {
        return false;
    }
    std::snprintf(text, size, "of %u subgraphs the first one is taken,", count);
    add_name(model, 0, text, size);
    add(", and not", text, size);
    for (uint32_t i = 1; i < count; i++) {
        add(i == 1 ? "" : ",", text, size);
        add_name(model, i, text, size);
    }
    return true;
}

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
