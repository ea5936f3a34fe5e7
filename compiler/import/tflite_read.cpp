// Reads TFLite's FlatBuffers and hands them on as plain C structures.
//
// Arena allocation may longjmp out of these functions, so none of their locals has a destructor.
#include "compiler/import/tflite_file.h"

#include <climits>
#include <cstring>

#include "compiler/import/operators.h"
#include "compiler/import/tflite_options.h"

namespace fb = weft::tflite;

namespace {

struct Reader {
    weft_arena *arena;
    const fb::Model *model;
    const fb::SubGraph *graph;
    weft_error *error;
};

template <typename T> T *allocate(weft_arena *arena, size_t count) {
    return static_cast<T *>(weft_arena_allocate(arena, count, sizeof(T)));
}

// A copy: vectors in the file may lie at any address, so an element is not read in place. Scalars
// in a file are little-endian, as the machines that Weft runs on are.
static_assert(FLATBUFFERS_LITTLEENDIAN, "the elements of vectors are copied as they lie");
template <typename T>
const T *copy(weft_arena *arena, const flatbuffers::Vector<T> *vector, uint32_t *count) {
    *count = vector == nullptr ? 0 : vector->size();
    T *values = allocate<T>(arena, *count);
    if (*count > 0) {
        std::memcpy(values, vector->Data(), *count * sizeof(T));
    }
    return values;
}

const char *text(weft_arena *arena, const flatbuffers::String *string) {
    return string == nullptr ? "" : weft_arena_string(arena, string->c_str(), string->size());
}

// Numbers stay where they are: tensors may share them, and a copy for each would be more than the
// file is worth.
template <typename T> tflite_vector numbers(const flatbuffers::Vector<T> *vector) {
    return vector == nullptr ? tflite_vector{nullptr, 0, sizeof(T)}
                             : tflite_vector{vector->Data(), vector->size(), sizeof(T)};
}

// One of the three forms of a vector of indices.
tflite_vector index_vector(fb::SparseIndexVector form, const void *table) {
    switch (table == nullptr ? fb::SparseIndexVector_NONE : form) {
    case fb::SparseIndexVector_Int32Vector:
        return numbers(static_cast<const fb::Int32Vector *>(table)->values());
    case fb::SparseIndexVector_Uint16Vector:
        return numbers(static_cast<const fb::Uint16Vector *>(table)->values());
    case fb::SparseIndexVector_Uint8Vector:
        return numbers(static_cast<const fb::Uint8Vector *>(table)->values());
    default:
        return {nullptr, 0, 1};
    }
}

bool read_sparsity(const Reader &reader, uint32_t index, const fb::SparsityParameters *from,
                   const tflite_sparsity **result) {
    const auto *metadata = from->dim_metadata();
    uint32_t count = metadata == nullptr ? 0 : metadata->size();
    if (count > TFLITE_MOST_LEVELS) {
        return weft_fail(reader.error, WEFT_MODEL, index,
                         "tensor %u: its sparsity describes %u dimensions and blocks, at most %d "
                         "are supported",
                         index, count, TFLITE_MOST_LEVELS);
    }
    auto *sparsity = allocate<tflite_sparsity>(reader.arena, 1);
    sparsity->order = numbers(from->traversal_order());
    sparsity->block_map = numbers(from->block_map());
    sparsity->level_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const fb::DimensionMetadata *level = metadata->Get(i);
        sparsity->levels[i] = {level->format(), level->dense_size(),
                               index_vector(level->array_segments_type(), level->array_segments()),
                               index_vector(level->array_indices_type(), level->array_indices())};
    }
    *result = sparsity;
    return true;
}

// Is a dimension behind the first one, which counts frames, not known?
bool has_open_dimension(const flatbuffers::Vector<int32_t> *signature) {
    bool open = false;
    for (uint32_t i = 1; signature != nullptr && i < signature->size(); i++) {
        open = open || signature->Get(i) < 0;
    }
    return open;
}

bool read_tensor(const Reader &reader, uint32_t index, tflite_tensor *tensor) {
    const fb::Tensor *from = reader.graph->tensors()->Get(index);
    tensor->type = from->type();
    const char *known = fb::EnumNameTensorType(from->type());
    tensor->type_name =
        known[0] != '\0' ? known : weft_arena_print(reader.arena, "type %d", tensor->type);
    tensor->shape = copy(reader.arena, from->shape(), &tensor->rank);
    tensor->name = text(reader.arena, from->name());
    tensor->is_variable = from->is_variable();
    tensor->is_open = has_open_dimension(from->shape_signature());
    const auto *buffers = reader.model->buffers();
    uint32_t buffer_count = buffers == nullptr ? 0 : buffers->size();
    if (from->buffer() >= buffer_count) {
        return weft_fail(reader.error, WEFT_MODEL, index,
                         "tensor %u uses buffer %u, the model has %u", index, from->buffer(),
                         buffer_count);
    }
    const auto *data = buffers->Get(from->buffer())->data();
    // A sparse tensor of zeros stores nothing and is a constant all the same.
    if (from->buffer() != 0 && data != nullptr &&
        (data->size() > 0 || from->sparsity() != nullptr)) {
        tensor->data = data->data();
        tensor->length = data->size();
    }
    if (from->quantization() != nullptr) {
        tensor->scale = copy(reader.arena, from->quantization()->scale(), &tensor->scale_count);
        tensor->zero = copy(reader.arena, from->quantization()->zero_point(), &tensor->zero_count);
        tensor->axis = from->quantization()->quantized_dimension();
    }
    return from->sparsity() == nullptr ||
           read_sparsity(reader, index, from->sparsity(), &tensor->sparsity);
}

bool check_indices(const Reader &reader, const int32_t *indices, uint32_t count, int32_t least,
                   const char *what, uint32_t position) {
    uint32_t tensors = reader.graph->tensors()->size();
    for (uint32_t i = 0; i < count; i++) {
        if (indices[i] < least ||
            (indices[i] >= 0 && static_cast<uint32_t>(indices[i]) >= tensors)) {
            return weft_fail(reader.error, WEFT_MODEL, position,
                             "%s %u: tensor %d does not exist, there are %u", what, position,
                             indices[i], tensors);
        }
    }
    return true;
}

bool read_operator(const Reader &reader, uint32_t index, tflite_operator *op) {
    const fb::Operator *from = reader.graph->operators()->Get(index);
    const auto *codes = reader.model->operator_codes();
    if (codes == nullptr || from->opcode_index() >= codes->size()) {
        return weft_fail(reader.error, WEFT_MODEL, index, "operator %u has no operator code",
                         index);
    }
    const fb::OperatorCode *code = codes->Get(from->opcode_index());
    // Files older than 2020 have only the first of the two fields.
    op->code = code->builtin_code() > code->deprecated_builtin_code()
                   ? code->builtin_code()
                   : code->deprecated_builtin_code();
    op->version = code->version();
    const weft_tflite_operator *known = weft_tflite_find(op->code);
    op->name = op->code == TFLITE_CUSTOM ? text(reader.arena, code->custom_code())
               : known != nullptr        ? known->name
                                  : weft_arena_print(reader.arena, "operator code %d", op->code);
    op->inputs = copy(reader.arena, from->inputs(), &op->input_count);
    op->outputs = copy(reader.arena, from->outputs(), &op->output_count);
    op->intermediates = copy(reader.arena, from->intermediates(), &op->intermediate_count);
    tflite_options_read(from, &op->options);
    const auto *custom = from->custom_options();
    op->custom = custom == nullptr ? nullptr : custom->data();
    op->custom_length = custom == nullptr ? 0 : custom->size();
    if (const auto *squeeze = from->builtin_options_as_SqueezeOptions()) {
        op->options.axes = copy(reader.arena, squeeze->squeeze_dims(), &op->options.axis_count);
    }
    return check_indices(reader, op->inputs, op->input_count, -1, "input of operator", index) &&
           check_indices(reader, op->outputs, op->output_count, 0, "output of operator", index) &&
           check_indices(reader, op->intermediates, op->intermediate_count, -1,
                         "intermediate tensor of operator", index);
}

bool read_graph(const Reader &reader, tflite_file *file) {
    if (reader.graph->tensors() == nullptr || reader.graph->operators() == nullptr) {
        return weft_fail(reader.error, WEFT_MODEL, 0, "the subgraph has no tensors or operators");
    }
    file->tensor_count = reader.graph->tensors()->size();
    auto *tensors = allocate<tflite_tensor>(reader.arena, file->tensor_count);
    file->tensors = tensors;
    for (uint32_t i = 0; i < file->tensor_count; i++) {
        if (!read_tensor(reader, i, &tensors[i])) {
            return false;
        }
    }
    file->operator_count = reader.graph->operators()->size();
    auto *operators = allocate<tflite_operator>(reader.arena, file->operator_count);
    file->operators = operators;
    for (uint32_t i = 0; i < file->operator_count; i++) {
        if (!read_operator(reader, i, &operators[i])) {
            return false;
        }
    }
    file->inputs = copy(reader.arena, reader.graph->inputs(), &file->input_count);
    file->outputs = copy(reader.arena, reader.graph->outputs(), &file->output_count);
    return check_indices(reader, file->inputs, file->input_count, 0, "subgraph input", 0) &&
           check_indices(reader, file->outputs, file->output_count, 0, "subgraph output", 0);
}

} // namespace

bool tflite_file_read(weft_arena *arena, const uint8_t *bytes, size_t length, tflite_file *file,
                      weft_error *error) {
    if (length >= INT_MAX) {
        return weft_fail(error, WEFT_MODEL, 0,
                         "a TFLite file has less than 2 GiB, this has %zu bytes", length);
    }
    if (length == 0) {
        return weft_fail(error, WEFT_MODEL, 0, "the file is empty: not a TFLite model");
    }
    if (length < 8 || !fb::ModelBufferHasIdentifier(bytes)) {
        return weft_fail(error, WEFT_MODEL, 4, "bytes 4 to 7 are not \"TFL3\": not a TFLite model");
    }
    flatbuffers::Verifier verifier(bytes, length);
    if (!fb::VerifyModelBuffer(verifier)) {
        return weft_fail(
            error, WEFT_MODEL, 0,
            "the FlatBuffers structure is damaged (an offset or size points outside the file)");
    }
    const fb::Model *model = fb::GetModel(bytes);
    if (model->version() != 3) {
        return weft_fail(error, WEFT_MODEL, 0, "schema version is %u, expected 3",
                         model->version());
    }
    if (model->subgraphs() == nullptr || model->subgraphs()->size() == 0) {
        return weft_fail(error, WEFT_MODEL, 0, "the model has no subgraph");
    }
    Reader reader = {arena, model, model->subgraphs()->Get(0), error};
    *file = {};
    return read_graph(reader, file);
}
