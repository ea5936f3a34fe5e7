#include "tests/unit/onnx_models.h"

#include <string.h>

const struct weft_import_options plain = {.folder = NULL};

/* ---- making models ---- */

char *text(const char *string) {
    return (char *)(uintptr_t)string;
}

/* An input or output [first, 3] of floats. */
static void make_end(struct model *model, int i, const char *name, int64_t first) {
    model->ends[i] = (Onnx__ValueInfoProto)ONNX__VALUE_INFO_PROTO__INIT;
    model->types[i] = (Onnx__TypeProto)ONNX__TYPE_PROTO__INIT;
    model->tensors[i] = (Onnx__TypeProto__Tensor)ONNX__TYPE_PROTO__TENSOR__INIT;
    model->shapes[i] = (Onnx__TensorShapeProto)ONNX__TENSOR_SHAPE_PROTO__INIT;
    for (int k = 0; k < 2; k++) {
        Onnx__TensorShapeProto__Dimension *dim = &model->dims[i][k];
        *dim = (Onnx__TensorShapeProto__Dimension)ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = k == 0 ? first : 3;
        model->dim_list[i][k] = dim;
    }
    model->shapes[i].n_dim = 2;
    model->shapes[i].dim = model->dim_list[i];
    model->tensors[i].has_elem_type = 1;
    model->tensors[i].elem_type = 1;
    model->tensors[i].shape = &model->shapes[i];
    model->types[i].value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    model->types[i].tensor_type = &model->tensors[i];
    model->ends[i].name = text(name);
    model->ends[i].type = &model->types[i];
}

Onnx__NodeProto *add_node(struct model *model, const char *op, const char *a, const char *b,
                          const char *out) {
    size_t i = model->graph.n_node++;
    Onnx__NodeProto *node = &model->nodes[i];
    *node = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
    model->names[i][0] = text(a);
    model->names[i][1] = text(b);
    model->names[i][2] = text(out);
    node->op_type = text(op);
    node->n_input = b == NULL ? 1 : 2;
    node->input = model->names[i];
    node->n_output = 1;
    node->output = &model->names[i][2];
    model->node_list[i] = node;
    return node;
}

struct model *new_model(struct weft_arena *arena) {
    struct model *model = WEFT_NEW(arena, struct model);
    model->proto = (Onnx__ModelProto)ONNX__MODEL_PROTO__INIT;
    model->graph = (Onnx__GraphProto)ONNX__GRAPH_PROTO__INIT;
    model->opset = (Onnx__OperatorSetIdProto)ONNX__OPERATOR_SET_ID_PROTO__INIT;
    model->opset.has_version = 1;
    model->opset.version = 13;
    model->opsets[0] = &model->opset;
    model->proto.has_ir_version = 1;
    model->proto.ir_version = 8;
    model->proto.n_opset_import = 1;
    model->proto.opset_import = model->opsets;
    model->proto.graph = &model->graph;
    make_end(model, 0, "x", 2);
    make_end(model, 1, "y", 2);
    model->inputs[0] = &model->ends[0];
    model->outputs[0] = &model->ends[1];
    model->graph.n_input = model->graph.n_output = 1;
    model->graph.input = model->inputs;
    model->graph.output = model->outputs;
    model->graph.node = model->node_list;
    return model;
}

void add_initializer(struct model *model, const char *name, int type, size_t rank,
                     const int64_t *dims) {
    model->initializer = (Onnx__TensorProto)ONNX__TENSOR_PROTO__INIT;
    model->initializer.name = text(name);
    model->initializer.has_data_type = 1;
    model->initializer.data_type = type;
    memcpy(model->sizes, dims, rank * sizeof *dims);
    model->initializer.n_dims = rank;
    model->initializer.dims = model->sizes;
    model->initializers[0] = &model->initializer;
    model->graph.n_initializer = 1;
    model->graph.initializer = model->initializers;
}

/* ---- importing them ---- */

static bool import(struct weft_arena *arena, const struct model *model,
                   const struct weft_import_options *options, struct weft_graph **graph,
                   struct weft_model_names *names, struct weft_error *error) {
    size_t length = onnx__model_proto__get_packed_size(&model->proto);
    uint8_t *bytes = WEFT_NEW_ARRAY(arena, length, uint8_t);
    onnx__model_proto__pack(&model->proto, bytes);
    assert_true(weft_is_model(bytes, length));
    return weft_import(arena, bytes, length, options, NULL, graph, names, error);
}

void assert_refused_with(struct weft_arena *arena, const struct model *model,
                         const struct weft_import_options *options, enum weft_error_code code,
                         const char *message) {
    struct weft_graph *graph = NULL;
    struct weft_model_names names;
    struct weft_error error = {0};
    ASSERT_FAILS(import(arena, model, options, &graph, &names, &error), error, code);
    if (strstr(error.message, message) == NULL) {
        print_error("got '%s', expected '%s'\n", error.message, message);
        fail();
    }
}

void assert_is_refused(struct weft_arena *arena, const struct model *model,
                       enum weft_error_code code, const char *message) {
    assert_refused_with(arena, model, &plain, code, message);
}

struct weft_graph *imported(struct weft_arena *arena, const struct model *model,
                            const struct weft_import_options *options,
                            struct weft_model_names *names) {
    struct weft_graph *graph = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(import(arena, model, options, &graph, names, &error), error);
    return graph;
}
