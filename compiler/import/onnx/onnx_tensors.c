/* Tensors of the file: constants, inputs and outputs. */
#include <inttypes.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* ---- element types ---- */

/* How the file holds elements of a type, and what they are in the graph. */
struct storage {
    const char *name; /* in onnx.proto */
    enum weft_dtype dtype;
    uint32_t bits; /* of an element of raw_data; 0: not supported */
};

static const struct storage *storage_of(int32_t data_type) {
    static const struct storage storages[] = {
        {"UNDEFINED", WEFT_I8, 0},      {"FLOAT", WEFT_F32, 32},    {"UINT8", WEFT_U8, 8},
        {"INT8", WEFT_I8, 8},           {"UINT16", WEFT_U16, 16},   {"INT16", WEFT_I16, 16},
        {"INT32", WEFT_I32, 32},        {"INT64", WEFT_I64, 64},    {"STRING", WEFT_I8, 0},
        {"BOOL", WEFT_BOOL, 8},         {"FLOAT16", WEFT_F16, 16},  {"DOUBLE", WEFT_F64, 64},
        {"UINT32", WEFT_U32, 32},       {"UINT64", WEFT_U64, 64},   {"COMPLEX64", WEFT_I8, 0},
        {"COMPLEX128", WEFT_I8, 0},     {"BFLOAT16", WEFT_I8, 0},   {"FLOAT8E4M3FN", WEFT_I8, 0},
        {"FLOAT8E4M3FNUZ", WEFT_I8, 0}, {"FLOAT8E5M2", WEFT_I8, 0}, {"FLOAT8E5M2FNUZ", WEFT_I8, 0},
        {"UINT4", WEFT_U8, 4},          {"INT4", WEFT_I8, 4},
    };
    static const struct storage other = {"an element type of a later version", WEFT_I8, 0};
    bool known = data_type >= 0 && (size_t)data_type < sizeof storages / sizeof storages[0];
    return known ? &storages[data_type] : &other;
}

bool onnx_dtype(int32_t data_type, enum weft_dtype *dtype) {
    const struct storage *storage = storage_of(data_type);
    *dtype = storage->dtype;
    return storage->bits != 0;
}

const char *onnx_type_name(int32_t data_type) {
    return storage_of(data_type)->name;
}

/* ---- elements ---- */

/* Fails; the message names the tensor. */
static const uint8_t *bad(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                          const char *what) {
    weft_error_set(importer->error, WEFT_MODEL, importer->index, "tensor '%.80s': %s",
                   onnx_string(tensor->name), what);
    return NULL;
}

/* Elements of 4 bits, two in a byte, become bytes. */
static const uint8_t *unpack(const struct onnx_importer *importer, const uint8_t *packed,
                             size_t count, bool is_signed) {
    uint8_t *bytes = WEFT_NEW_ARRAY(importer->arena, count, uint8_t);
    for (size_t i = 0; i < count; i++) {
        uint8_t four = (uint8_t)(packed[i / 2] >> (i % 2 * 4) & 15);
        bytes[i] = is_signed && four > 7 ? (uint8_t)(four | 0xf0) : four;
    }
    return bytes;
}

/* Elements that lie in a list of wider integers. */
static const uint8_t *narrow(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                             enum weft_dtype dtype, size_t count) {
    size_t size = weft_dtype_bytes(dtype);
    uint8_t *bytes = weft_arena_allocate(importer->arena, count, size);
    for (size_t i = 0; i < count; i++) {
        uint64_t element = size == 4 && tensor->n_int32_data != count
                               ? tensor->uint64_data[i]
                               : (uint64_t)(int64_t)tensor->int32_data[i];
        memcpy(bytes + i * size, &element, size);
    }
    return bytes;
}

/* The elements that a field of their type holds. */
static const uint8_t *typed(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                            const struct storage *storage, size_t count) {
    enum weft_dtype dtype = storage->dtype;
    size_t packed = (count * storage->bits + 7) / 8;
    bool is_int32 = dtype != WEFT_F32 && dtype != WEFT_F64 && dtype != WEFT_I64 &&
                    dtype != WEFT_U64 && dtype != WEFT_U32;
    if (dtype == WEFT_F32 && tensor->n_float_data == count) {
        return (const uint8_t *)tensor->float_data;
    }
    if (dtype == WEFT_F64 && tensor->n_double_data == count) {
        return (const uint8_t *)tensor->double_data;
    }
    if (dtype == WEFT_I64 && tensor->n_int64_data == count) {
        return (const uint8_t *)tensor->int64_data;
    }
    if (dtype == WEFT_U64 && tensor->n_uint64_data == count) {
        return (const uint8_t *)tensor->uint64_data;
    }
    if (storage->bits == 4 && tensor->n_int32_data == packed) {
        return unpack(importer, narrow(importer, tensor, WEFT_U8, packed), count, dtype == WEFT_I8);
    }
    if (storage->bits != 4 && ((is_int32 && tensor->n_int32_data == count) ||
                               (dtype == WEFT_U32 && tensor->n_uint64_data == count))) {
        return narrow(importer, tensor, dtype, count);
    }
    return bad(importer, tensor, "it has another number of elements than its shape asks for");
}

static bool is_external(const Onnx__TensorProto *tensor) {
    return tensor->has_data_location &&
           tensor->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
}

static const uint8_t *elements_of(struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                                  const struct storage *storage, size_t count) {
    size_t length = (count * storage->bits + 7) / 8;
    const uint8_t *bytes = NULL;
    if (is_external(tensor)) {
        bytes = onnx_external(importer, tensor, length);
    } else if (!tensor->has_raw_data) {
        return typed(importer, tensor, storage, count);
    } else if (tensor->raw_data.len != length) {
        return bad(importer, tensor, "it has another number of bytes than its shape asks for");
    } else {
        bytes = tensor->raw_data.data;
    }
    if (bytes != NULL && storage->bits == 4) {
        return unpack(importer, bytes, count, storage->dtype == WEFT_I8);
    }
    return bytes;
}

/* Bytes of truths are 0 or 1. */
static bool are_truths(const uint8_t *bytes, size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = good && bytes[i] <= 1;
    }
    return good;
}

struct weft_value *onnx_constant(struct onnx_importer *importer, const Onnx__TensorProto *tensor) {
    static const uint8_t nothing[8];
    const struct storage *storage = storage_of(tensor->data_type);
    if (storage->bits == 0) {
        bad(importer, tensor,
            weft_arena_print(importer->arena, "%s is not supported", storage->name));
        importer->error->code = WEFT_OPERATOR;
        return NULL;
    }
    if (tensor->n_dims > WEFT_MAX_RANK) {
        bad(importer, tensor, "it has more than 8 dimensions");
        return NULL;
    }
    struct weft_type type = weft_type_make(storage->dtype, (uint32_t)tensor->n_dims, tensor->dims);
    int64_t count = weft_type_elements(&type);
    if (!onnx_is_bearable(&type) || tensor->segment != NULL) {
        bad(importer, tensor, "its dimensions are below 0 or too large, or it is in segments");
        return NULL;
    }
    const uint8_t *bytes =
        count == 0 ? nothing : elements_of(importer, tensor, storage, (size_t)count);
    if (bytes == NULL) {
        return NULL;
    }
    if (storage->dtype == WEFT_BOOL && !are_truths(bytes, (size_t)count)) {
        bad(importer, tensor, "a truth is neither 0 nor 1");
        return NULL;
    }
    return onnx_data(importer, type.dtype, type.rank, type.dim, bytes);
}

/* ---- inputs ---- */

/* A dimension with a name: what the options say, else 1. */
static int64_t named_dim(struct onnx_importer *importer, const char *name) {
    for (size_t i = 0; i < importer->options->dim_count; i++) {
        if (strcmp(importer->options->dims[i].name, name) == 0) {
            importer->used_dims |= UINT64_C(1) << i;
            return importer->options->dims[i].size;
        }
    }
    return 1;
}

static int64_t dim_of(struct onnx_importer *importer,
                      const Onnx__TensorShapeProto__Dimension *dim) {
    if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) {
        return dim->dim_value < 0 ? 1 : dim->dim_value; /* some write -1 for what is not known */
    }
    return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
               ? named_dim(importer, dim->dim_param)
               : 1;
}

static bool bad_input(const struct onnx_importer *importer, const Onnx__ValueInfoProto *info,
                      enum weft_error_code code, const char *what) {
    return weft_fail(importer->error, code, 0, "input '%.80s': %s", onnx_string(info->name), what);
}

static bool input_type(struct onnx_importer *importer, const Onnx__ValueInfoProto *info,
                       struct weft_type *type) {
    const Onnx__TypeProto *proto = info->type;
    if (proto == NULL || proto->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ||
        proto->tensor_type->shape == NULL) {
        return bad_input(importer, info, WEFT_MODEL, "expected a tensor with a shape");
    }
    const Onnx__TensorShapeProto *shape = proto->tensor_type->shape;
    *type = (struct weft_type){.rank = (uint32_t)shape->n_dim};
    if (!onnx_dtype(proto->tensor_type->elem_type, &type->dtype)) {
        return bad_input(importer, info, WEFT_OPERATOR,
                         weft_arena_print(importer->arena, "%s is not supported",
                                          onnx_type_name(proto->tensor_type->elem_type)));
    }
    if (shape->n_dim > WEFT_MAX_RANK) {
        return bad_input(importer, info, WEFT_MODEL, "it has more than 8 dimensions");
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        type->dim[i] = dim_of(importer, shape->dim[i]);
    }
    return onnx_is_bearable(type) ||
           bad_input(importer, info, WEFT_MODEL, "it has more than 2^31 - 1 elements");
}

/* What was said of dimensions must be of some. */
static bool check_dims(const struct onnx_importer *importer) {
    for (size_t i = 0; i < importer->options->dim_count; i++) {
        if ((importer->used_dims >> i & 1) == 0) {
            return weft_fail(importer->error, WEFT_ARGUMENT, i,
                             "no input of the model has a dimension '%.80s'",
                             importer->options->dims[i].name);
        }
    }
    return true;
}

bool onnx_add_inputs(struct onnx_importer *importer) {
    for (size_t i = 0; i < importer->file->n_input; i++) {
        const Onnx__ValueInfoProto *info = importer->file->input[i];
        struct onnx_tensor *tensor = onnx_names_find(&importer->names, onnx_string(info->name));
        struct weft_type type;
        if (tensor == NULL || tensor->initializer != NULL) {
            continue; /* known: in version 3 of the format every initializer is an input, too */
        }
        if (!input_type(importer, info, &type)) {
            return false;
        }
        tensor->value = weft_graph_add_input(importer->graph, &type, tensor->name, tensor->index);
    }
    return check_dims(importer);
}

/* ---- outputs ---- */

bool onnx_add_outputs(struct onnx_importer *importer) {
    for (size_t i = 0; i < importer->file->n_output; i++) {
        const char *name = onnx_string(importer->file->output[i]->name);
        struct onnx_tensor *tensor = onnx_names_find(&importer->names, name);
        if (tensor != NULL && tensor->value == NULL && tensor->initializer != NULL) {
            tensor->value = onnx_constant(importer, tensor->initializer);
            if (tensor->value == NULL) {
                return false;
            }
        }
        if (tensor == NULL || tensor->value == NULL) {
            return weft_fail(importer->error, WEFT_MODEL, i,
                             tensor != NULL && tensor->sequence != NULL
                                 ? "the output '%.80s' of the model is a sequence"
                                 : "nothing makes the output '%.80s' of the model",
                             name);
        }
        weft_graph_add_output(importer->graph, tensor->value);
    }
    return true;
}
