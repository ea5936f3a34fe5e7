/* Models of ONNX for tests, made with the messages of onnx.proto themselves, and importing them. */
#ifndef WEFT_TESTS_UNIT_ONNX_MODELS_H
#define WEFT_TESTS_UNIT_ONNX_MODELS_H

#include "tests/unit/graphs.h"

#include "compiler/import/import_model.h"
#include "onnx.pb-c.h"

enum {
    MODEL_NODES = 8, /* at most */
};

/* A model of a few operators on float tensors, and the memory of its messages. */
struct model {
    Onnx__ModelProto proto;
    Onnx__GraphProto graph;
    Onnx__OperatorSetIdProto opset;
    Onnx__OperatorSetIdProto *opsets[1];
    Onnx__ValueInfoProto ends[2];
    Onnx__TypeProto types[2];
    Onnx__TypeProto__Tensor tensors[2];
    Onnx__TensorShapeProto shapes[2];
    Onnx__TensorShapeProto__Dimension dims[2][2];
    Onnx__TensorShapeProto__Dimension *dim_list[2][2];
    Onnx__ValueInfoProto *inputs[1], *outputs[1];
    Onnx__NodeProto nodes[MODEL_NODES];
    Onnx__NodeProto *node_list[MODEL_NODES];
    char *names[MODEL_NODES][4];
    Onnx__TensorProto initializer;
    Onnx__TensorProto *initializers[1];
    int64_t sizes[2];
};

/* As the messages want it. */
char *text(const char *string);

/* A model from x [2, 3] to y, without operators. */
struct model *new_model(struct weft_arena *arena);

/* One more operator of one or two inputs (`b` may be NULL) and one output. */
Onnx__NodeProto *add_node(struct model *model, const char *op, const char *a, const char *b,
                          const char *out);

/* An initializer without elements as yet; `rank` is at most 2. */
void add_initializer(struct model *model, const char *name, int type, size_t rank,
                     const int64_t *dims);

/* ---- importing them ---- */

/* Options that say nothing. */
extern const struct weft_import_options plain;

/* The graph, or the test fails. */
struct weft_graph *imported(struct weft_arena *arena, const struct model *model,
                            const struct weft_import_options *options,
                            struct weft_model_names *names);

/* Fails the test unless importing does, with a message that has this one in it. */
void assert_refused_with(struct weft_arena *arena, const struct model *model,
                         const struct weft_import_options *options, enum weft_error_code code,
                         const char *message);

/* The same with the plain options. */
void assert_is_refused(struct weft_arena *arena, const struct model *model,
                       enum weft_error_code code, const char *message);

#endif
