#include "compiler/quantize/onnx_message.h"

#include <string.h>

#include "base/memory.h"

static char *text_of(struct onnx_message *message, const char *text) {
    return weft_arena_string(message->arena, text, strlen(text));
}

/* One more pointer at the end of a list of `count`. */
static void **append(struct onnx_message *message, void **list, size_t count, size_t *capacity,
                     void *entry) {
    list = weft_arena_grow(message->arena, list, count, capacity, sizeof *list);
    list[count] = entry;
    return list;
}

/* ---- nodes ---- */

Onnx__NodeProto *onnx_add_node(struct onnx_message *message, const char *op, size_t input_count,
                               const char *const *inputs, const char *result) {
    Onnx__NodeProto *node = WEFT_NEW(message->arena, Onnx__NodeProto);
    onnx__node_proto__init(node);
    node->op_type = text_of(message, op);
    node->name = text_of(message, result);
    node->n_input = input_count;
    node->input = WEFT_NEW_ARRAY(message->arena, input_count, char *);
    for (size_t i = 0; i < input_count; i++) {
        node->input[i] = text_of(message, inputs[i]);
    }
    node->n_output = 1;
    node->output = WEFT_NEW_ARRAY(message->arena, 1, char *);
    node->output[0] = text_of(message, result);
    message->graph.node =
        (Onnx__NodeProto **)append(message, (void **)message->graph.node, message->graph.n_node,
                                   &message->node_capacity, node);
    message->graph.n_node++;
    return node;
}

static Onnx__AttributeProto *add_attribute(struct onnx_message *message, Onnx__NodeProto *node,
                                           const char *name,
                                           Onnx__AttributeProto__AttributeType type) {
    enum {
        MOST = 8 /* attributes of a node */
    };
    Onnx__AttributeProto *attribute = WEFT_NEW(message->arena, Onnx__AttributeProto);
    onnx__attribute_proto__init(attribute);
    attribute->name = text_of(message, name);
    attribute->has_type = 1;
    attribute->type = type;
    if (node->attribute == NULL) {
        node->attribute = WEFT_NEW_ARRAY(message->arena, MOST, Onnx__AttributeProto *);
    }
    node->attribute[node->n_attribute++] = attribute;
    return attribute;
}

void onnx_add_int(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                  int64_t value) {
    Onnx__AttributeProto *attribute =
        add_attribute(message, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    attribute->has_i = 1;
    attribute->i = value;
}

void onnx_add_ints(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                   size_t count, const int64_t *values) {
    Onnx__AttributeProto *attribute =
        add_attribute(message, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    attribute->n_ints = count;
    attribute->ints = WEFT_NEW_ARRAY(message->arena, count, int64_t);
    if (count > 0) {
        memcpy(attribute->ints, values, count * sizeof *values);
    }
}

void onnx_add_float(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                    double value) {
    Onnx__AttributeProto *attribute =
        add_attribute(message, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    attribute->has_f = 1;
    attribute->f = (float)value;
}

void onnx_add_text(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                   const char *value) {
    Onnx__AttributeProto *attribute =
        add_attribute(message, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    attribute->has_s = 1;
    attribute->s = (ProtobufCBinaryData){strlen(value), (uint8_t *)text_of(message, value)};
}

void onnx_add_results(struct onnx_message *message, Onnx__NodeProto *node, size_t count,
                      const char *const *results) {
    node->n_output = count;
    node->output = WEFT_NEW_ARRAY(message->arena, count, char *);
    for (size_t i = 0; i < count; i++) {
        node->output[i] = text_of(message, results[i]);
    }
}

/* ---- tensors ---- */

int32_t onnx_type_code(enum weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case WEFT_U8:
        return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    case WEFT_I16:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT16;
    case WEFT_I32:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    case WEFT_I64:
        return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    case WEFT_BOOL:
        return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    default:
        return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    }
}

void onnx_add_tensor(struct onnx_message *message, const char *name, enum weft_dtype dtype,
                     uint32_t rank, const int64_t *dims, const void *data) {
    const struct weft_type type = weft_type_make(dtype, rank, dims);
    Onnx__TensorProto *tensor = WEFT_NEW(message->arena, Onnx__TensorProto);
    onnx__tensor_proto__init(tensor);
    tensor->name = text_of(message, name);
    tensor->has_data_type = 1;
    tensor->data_type = onnx_type_code(dtype);
    tensor->n_dims = rank;
    tensor->dims = WEFT_NEW_ARRAY(message->arena, (size_t)rank + 1, int64_t);
    memcpy(tensor->dims, type.dim, rank * sizeof *tensor->dims);
    tensor->has_raw_data = 1;
    tensor->raw_data = (ProtobufCBinaryData){weft_type_bytes(&type), (uint8_t *)(uintptr_t)data};
    message->graph.initializer = (Onnx__TensorProto **)append(
        message, (void **)message->graph.initializer, message->graph.n_initializer,
        &message->initializer_capacity, tensor);
    message->graph.n_initializer++;
}

static Onnx__TensorShapeProto *shape_of(struct onnx_message *message, uint32_t rank,
                                        const int64_t *dims) {
    Onnx__TensorShapeProto *shape = WEFT_NEW(message->arena, Onnx__TensorShapeProto);
    onnx__tensor_shape_proto__init(shape);
    shape->n_dim = rank;
    shape->dim =
        WEFT_NEW_ARRAY(message->arena, (size_t)rank + 1, Onnx__TensorShapeProto__Dimension *);
    for (uint32_t i = 0; i < rank; i++) {
        shape->dim[i] = WEFT_NEW(message->arena, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
        shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        shape->dim[i]->dim_value = dims[i];
    }
    return shape;
}

void onnx_add_end(struct onnx_message *message, bool is_output, const char *name,
                  enum weft_dtype dtype, uint32_t rank, const int64_t *dims) {
    Onnx__ValueInfoProto *info = WEFT_NEW(message->arena, Onnx__ValueInfoProto);
    Onnx__TypeProto *type = WEFT_NEW(message->arena, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *tensor = WEFT_NEW(message->arena, Onnx__TypeProto__Tensor);
    onnx__value_info_proto__init(info);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(tensor);
    tensor->has_elem_type = 1;
    tensor->elem_type = onnx_type_code(dtype);
    tensor->shape = shape_of(message, rank, dims);
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    info->name = text_of(message, name);
    info->type = type;
    size_t *count = is_output ? &message->graph.n_output : &message->graph.n_input;
    Onnx__ValueInfoProto ***list = is_output ? &message->graph.output : &message->graph.input;
    /* Few: a new list each time. */
    Onnx__ValueInfoProto **longer =
        WEFT_NEW_ARRAY(message->arena, *count + 1, Onnx__ValueInfoProto *);
    if (*count > 0) {
        memcpy(longer, *list, *count * sizeof(void *));
    }
    longer[(*count)++] = info;
    *list = longer;
}

/* ---- bytes ---- */

bool onnx_pack(struct onnx_message *message, uint8_t **bytes, size_t *length,
               struct weft_error *error) {
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto *opsets[1] = {&opset};
    char name[] = "weft";
    char domain[] = "";
    opset.domain = domain;
    opset.has_version = 1;
    opset.version = ONNX_OPSET;
    model.has_ir_version = 1;
    model.ir_version = ONNX_IR_VERSION;
    model.n_opset_import = 1;
    model.opset_import = opsets;
    model.producer_name = name;
    model.graph = &message->graph;
    size_t size = onnx__model_proto__get_packed_size(&model);
    if (size > INT32_MAX) {
        return weft_fail(error, WEFT_LIMIT, 0, "a file of ONNX has at most 2 GB, not %zu bytes",
                         size);
    }
    uint8_t *packed = weft_allocate(size, 1, "a model of ONNX", error);
    if (packed == NULL) {
        return false;
    }
    *length = onnx__model_proto__pack(&model, packed);
    *bytes = packed;
    return true;
}
