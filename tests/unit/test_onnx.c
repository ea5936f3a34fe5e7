/* compiler/import/onnx: files that are wrong give a clear error, shapes and names are kept. Models
 * are made with the messages of onnx.proto themselves. */
#include "tests/unit/graphs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/import/import_model.h"
#include "compiler/module.h"
#include "onnx.pb-c.h"
#include "tests/unit/folder.h"

enum {
    MOST = 8
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
    Onnx__NodeProto nodes[MOST];
    Onnx__NodeProto *node_list[MOST];
    char *names[MOST][4];
    Onnx__TensorProto initializer;
    Onnx__TensorProto *initializers[1];
    int64_t sizes[2];
};

/* ---- making models ---- */

static char *text(const char *string) {
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

/* One more operator of one or two inputs (`b` may be NULL) and one output. */
static Onnx__NodeProto *add_node(struct model *model, const char *op, const char *a, const char *b,
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

/* A model from x [2, 3] to y, without operators. */
static struct model *new_model(struct weft_arena *arena) {
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

/* An initializer without elements as yet; `rank` is at most 2. */
static void add_initializer(struct model *model, const char *name, int type, size_t rank,
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

/* An initializer `w` of floats [2, 3] that lies in a file. */
static void add_external(struct model *model, struct weft_arena *arena, const char *location,
                         const char *offset) {
    Onnx__StringStringEntryProto *entries = WEFT_NEW_ARRAY(arena, 2, Onnx__StringStringEntryProto);
    Onnx__StringStringEntryProto **list = WEFT_NEW_ARRAY(arena, 2, Onnx__StringStringEntryProto *);
    const char *const pairs[2][2] = {{"location", location}, {"offset", offset}};
    for (int i = 0; i < 2; i++) {
        entries[i] = (Onnx__StringStringEntryProto)ONNX__STRING_STRING_ENTRY_PROTO__INIT;
        entries[i].key = text(pairs[i][0]);
        entries[i].value = text(pairs[i][1]);
        list[i] = &entries[i];
    }
    add_initializer(model, "w", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 2, (const int64_t[]){2, 3});
    model->initializer.has_data_location = 1;
    model->initializer.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    model->initializer.n_external_data = 2;
    model->initializer.external_data = list;
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

static void assert_refused_with(struct weft_arena *arena, const struct model *model,
                                const struct weft_import_options *options,
                                enum weft_error_code code, const char *message) {
    struct weft_graph *graph = NULL;
    struct weft_model_names names;
    struct weft_error error = {0};
    ASSERT_FAILS(import(arena, model, options, &graph, &names, &error), error, code);
    if (strstr(error.message, message) == NULL) {
        print_error("got '%s', expected '%s'\n", error.message, message);
        fail();
    }
}

static const struct weft_import_options plain = {.folder = NULL};

static void assert_is_refused(struct weft_arena *arena, const struct model *model,
                              enum weft_error_code code, const char *message) {
    assert_refused_with(arena, model, &plain, code, message);
}

static struct weft_graph *imported(struct weft_arena *arena, const struct model *model,
                                   const struct weft_import_options *options,
                                   struct weft_model_names *names) {
    struct weft_graph *graph = NULL;
    struct weft_error error = {0};
    ASSERT_GOOD(import(arena, model, options, &graph, names, &error), error);
    return graph;
}

/* ---- names, and what is made when ---- */

static void names_are_kept(void **state) {
    struct model *model = new_model(*state);
    struct weft_model_names names;
    add_node(model, "Relu", "x", NULL, "between");
    add_node(model, "Abs", "between", NULL, "y");
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->node_count, 2);
    assert_string_equal(weft_model_name_of(&names, graph->inputs[0]->tensor, -1), "x");
    assert_string_equal(weft_model_name_of(&names, graph->nodes[0]->results[0]->tensor, -1),
                        "between");
    assert_string_equal(weft_model_name_of(&names, -1, 1), "y");
    assert_string_equal(graph->inputs[0]->name, "x");
    assert_string_equal(graph->nodes[0]->results[0]->name, "between");
}

static void tensors_are_made_once(void **state) {
    struct model *model = new_model(*state);
    add_node(model, "Relu", "x", NULL, "y");
    add_node(model, "Abs", "x", NULL, "y");
    assert_is_refused(*state, model, WEFT_MODEL, "the tensor 'y' is made twice");
    model->names[1][2] = text("x");
    assert_is_refused(*state, model, WEFT_MODEL, "the tensor 'x' is made twice");
}

static void cycles_and_missing_tensors_are_named(void **state) {
    struct model *model = new_model(*state);
    add_node(model, "Add", "x", "y", "z");
    add_node(model, "Relu", "z", NULL, "y");
    assert_is_refused(*state, model, WEFT_MODEL,
                      "operator 0 (Add): its input 'y' is made only by this operator or a later "
                      "one: the graph has a cycle or is out of order");
    model->names[0][1] = text("nothing");
    assert_is_refused(*state, model, WEFT_MODEL,
                      "operator 0 (Add): nothing makes its input 'nothing'");
    model->names[0][1] = text("");
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (Add): input 1 is missing");
    model->graph.n_node = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "nothing makes the output 'y' of the model");
}

/* ---- versions and operators ---- */

static void versions_are_checked(void **state) {
    struct model *model = new_model(*state);
    add_node(model, "Relu", "x", NULL, "y");
    model->proto.ir_version = 2;
    assert_is_refused(*state, model, WEFT_MODEL, "version 2 of ONNX's format, expected 3 to 14");
    model->proto.ir_version = 15;
    assert_is_refused(*state, model, WEFT_MODEL, "version 15 of ONNX's format, expected 3 to 14");
    model->proto.ir_version = 14;
    model->opset.version = 29;
    assert_is_refused(*state, model, WEFT_MODEL, "version 29 of ONNX's operators");
    model->opset.version = 5;
    assert_is_refused(
        *state, model, WEFT_OPERATOR,
        "operator 0 (Relu): of operators of version 5 it is not supported, only of 6");
}

static void operators_are_checked(void **state) {
    struct model *model = new_model(*state);
    Onnx__NodeProto *node = add_node(model, "Shrink", "x", NULL, "y");
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "operator 0 (Shrink): this operator is not supported");
    node->domain = text("somebody");
    assert_is_refused(*state, model, WEFT_OPERATOR, "this operator of 'somebody' is not supported");
    node->domain = NULL;
    node->op_type = text("Relu");
    attribute.name = text("slope");
    node->attribute = attributes;
    node->n_attribute = 1;
    assert_is_refused(*state, model, WEFT_OPERATOR, "its attribute 'slope' is not supported");
    node->op_type = text("LeakyRelu");
    attribute.name = text("alpha");
    attribute.has_i = 1;
    assert_is_refused(*state, model, WEFT_MODEL, "its attribute 'alpha' is of another type");
    node->op_type = text("Add");
    node->n_attribute = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "it has 1 inputs and 1 outputs, expected 2 to 2");
}

/* Axes of a reduction; a list without elements names all. */
static void axes_are_checked(void **state) {
    struct model *model = new_model(*state);
    struct weft_model_names names;
    int64_t axes[9] = {0};
    Onnx__NodeProto *node = add_node(model, "ReduceMax", "x", NULL, "y");
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    attribute.name = text("axes");
    attribute.has_type = 1;
    attribute.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
    attribute.ints = axes;
    node->attribute = attributes;
    node->n_attribute = 1;
    model->graph.output[0]->type = NULL;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(weft_type_elements(&graph->outputs[0]->type), 1);
    attribute.n_ints = 1;
    graph = imported(*state, model, &plain, &names);
    assert_int_equal(weft_type_elements(&graph->outputs[0]->type), 3);
    attribute.n_ints = 2;
    assert_is_refused(*state, model, WEFT_MODEL, "an axis is named twice");
    axes[0] = 2;
    assert_is_refused(*state, model, WEFT_MODEL, "axis 2 is not one of a tensor of 2 dimensions");
    attribute.n_ints = 9;
    assert_is_refused(*state, model, WEFT_MODEL, "more than 8 axes");
    node->op_type = text("Squeeze");
    assert_is_refused(*state, model, WEFT_MODEL, "more than 8 axes");
}

static void equations_name_every_axis(void **state) {
    static const char *const wrong[] = {"",           "ij,jk->ik", "i->i",       "ijk->i",
                                        "ij->k",      "ij->ii",    "i1->i",      "i..->",
                                        "ij-i",       "ij->i,j",   "ij,->i",     "ij->i-",
                                        "......ij->", "...ijk",    "ij->ij...j", "ij->aijklmnopq"};
    struct weft_model_names names;
    struct model *model = new_model(*state);
    Onnx__NodeProto *node = add_node(model, "Einsum", "x", NULL, "y");
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    attribute.name = text("equation");
    attribute.has_type = attribute.has_s = 1;
    attribute.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
    node->attribute = attributes;
    node->n_attribute = 1;
    model->graph.output[0]->type = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        attribute.s.data = (uint8_t *)text(wrong[i]);
        attribute.s.len = strlen(wrong[i]);
        assert_is_refused(*state, model, WEFT_MODEL,
                          "expected an equation with a letter for each axis of each input");
    }
    attribute.s.data = (uint8_t *)text("ii->i");
    attribute.s.len = 5;
    assert_is_refused(*state, model, WEFT_MODEL, "axes of one letter are not alike");
    attribute.s.data = (uint8_t *)text("Ba->a");
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(weft_type_elements(&graph->outputs[0]->type), 3);
    node->n_input = 2;
    node->input[1] = node->input[0];
    attribute.s.data = (uint8_t *)text("ij,ji");
    assert_is_refused(*state, model, WEFT_MODEL, "axes of one letter are not alike");
}

/* ---- dimensions ---- */

static void open_dimensions_have_sizes(void **state) {
    struct model *model = new_model(*state);
    struct weft_model_names names;
    struct weft_dim dims[1] = {{.name = "N", .size = 5}};
    const struct weft_import_options five = {.dim_count = 1, .dims = dims};
    add_node(model, "Relu", "x", NULL, "y");
    model->dims[0][0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    model->dims[0][0].dim_param = text("N");
    assert_int_equal(imported(*state, model, &plain, &names)->inputs[0]->type.dim[0], 1);
    assert_int_equal(imported(*state, model, &five, &names)->inputs[0]->type.dim[0], 5);
    dims[0].name[0] = 'M';
    assert_refused_with(*state, model, &five, WEFT_ARGUMENT,
                        "no input of the model has a dimension 'M'");
    model->dims[0][1].dim_value = INT64_C(1) << 40;
    assert_is_refused(*state, model, WEFT_MODEL, "input 'x': it has more than 2^31 - 1 elements");
}

/* ---- what operators mean ---- */

/* Version 10 of Resize, nearest: the element before, but when it shrinks the one behind. Expected:
 * what ONNX Runtime gives. */
static void the_nearest_of_version_10_is_the_one_behind(void **state) {
    const float x[2][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    float scales[2] = {1, 0.4F};
    const void *inputs[] = {x};
    struct weft_model_names names;
    struct model *model = new_model(*state);
    model->opset.version = 10;
    add_node(model, "Resize", "x", "w", "y");
    model->dims[0][1].dim_value = 5;
    add_initializer(model, "w", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, (const int64_t[]){2});
    model->initializer.n_float_data = 2;
    model->initializer.float_data = scales;
    model->dims[1][1].dim_value = 2;
    const float shrunk[] = {1, 4, 6, 9};
    assert_memory_equal(host_outputs(imported(*state, model, &plain, &names), inputs)[0], shrunk,
                        sizeof shrunk);
    scales[1] = 1.4F;
    model->dims[1][1].dim_value = 7;
    const float grown[] = {1, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 8, 9, 10};
    assert_memory_equal(host_outputs(imported(*state, model, &plain, &names), inputs)[0], grown,
                        sizeof grown);
}

/* Samples of one dimension are pixels of one row: the machine repeats these. */
static void samples_are_repeated_as_pixels(void **state) {
    const float x[2][2] = {{1, 2}, {3, 4}};
    const float doubled[] = {1, 1, 2, 2, 3, 3, 4, 4};
    float scales[3] = {1, 1, 2};
    const void *inputs[] = {x};
    struct weft_model_names names;
    Onnx__TensorShapeProto__Dimension one = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
    struct model *model = new_model(*state);
    one.value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    one.dim_value = 1;
    model->dims[0][1].dim_value = 2;
    model->dims[1][1].dim_value = 4;
    for (int i = 0; i < 2; i++) { /* [1, 2, 2] to [1, 2, 4] */
        Onnx__TensorShapeProto__Dimension **dims =
            WEFT_NEW_ARRAY((struct weft_arena *)*state, 3, Onnx__TensorShapeProto__Dimension *);
        dims[0] = &one;
        dims[1] = &model->dims[i][0];
        dims[2] = &model->dims[i][1];
        model->shapes[i].n_dim = 3;
        model->shapes[i].dim = dims;
    }
    model->opset.version = 10;
    add_node(model, "Resize", "x", "w", "y");
    add_initializer(model, "w", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, (const int64_t[]){3});
    model->initializer.n_float_data = 3;
    model->initializer.float_data = scales;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(count_of(graph, WEFT_OP_RESIZE_NEAREST_NEIGHBOR), 1);
    assert_memory_equal(host_outputs(graph, inputs)[0], doubled, sizeof doubled);
}

/* A mask that is neither truths nor floats. */
static void masks_of_integers_are_refused(void **state) {
    int64_t shape[3] = {1, 2, 3};
    struct model *model = new_model(*state);
    model->opset.version = 23;
    add_initializer(model, "shape", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){3});
    model->initializer.n_int64_data = 3;
    model->initializer.int64_data = shape;
    add_node(model, "Reshape", "x", "shape", "q");
    Onnx__NodeProto *attention = add_node(model, "Attention", "q", "q", "y");
    char *inputs[] = {text("q"), text("q"), text("q"), text("shape")};
    Onnx__AttributeProto counts[2] = {ONNX__ATTRIBUTE_PROTO__INIT, ONNX__ATTRIBUTE_PROTO__INIT};
    Onnx__AttributeProto *attributes[] = {&counts[0], &counts[1]};
    for (int i = 0; i < 2; i++) {
        counts[i].name = text(i == 0 ? "q_num_heads" : "kv_num_heads");
        counts[i].has_type = counts[i].has_i = 1;
        counts[i].type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        counts[i].i = 1;
    }
    attention->input = inputs;
    attention->n_input = 4;
    attention->attribute = attributes;
    attention->n_attribute = 2;
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "operator 1 (Attention): input 3 is of INT64, expected FLOAT");
}

/* ---- files beside the model ---- */

static bool may_not_read(const void *reader, const char *path, struct weft_error *error) {
    return weft_fail(error, WEFT_ARGUMENT, 0, "%s%s", (const char *)reader, strrchr(path, '/'));
}

static void files_stay_in_the_folder(void **state) {
    struct weft_arena *arena = *state;
    struct folder inside = folder_new();
    struct folder outside = folder_new();
    const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct weft_import_options options = {.folder = inside.path};
    struct weft_model_names names;
    struct model *model = new_model(arena);
    folder_write(&inside, "w.bin", numbers, sizeof numbers);
    const char *other = folder_write(&outside, "other.bin", numbers, sizeof numbers);
    other = weft_arena_string(arena, other, strlen(other));
    assert_int_equal(symlink(other, folder_file(&inside, "link")), 0);
    add_node(model, "Add", "x", "w", "y");
    add_external(model, arena, "w.bin", "8");
    const struct weft_graph *graph = imported(arena, model, &options, &names);
    const uint8_t *bytes = weft_value_data(graph->nodes[graph->node_count - 1]->inputs[1]);
    assert_memory_equal(bytes, numbers + 2, 6 * sizeof numbers[0]);
    assert_refused_with(arena, model, &plain, WEFT_MODEL, "the model is not in a folder");
    struct weft_import_options not_it = options;
    not_it.may_read = may_not_read;
    not_it.reader = "this is not for models: ";
    assert_refused_with(arena, model, &not_it, WEFT_ARGUMENT,
                        "tensor 'w': this is not for models: /w.bin");
    add_external(model, arena, "w.bin", "12");
    assert_refused_with(arena, model, &options, WEFT_MODEL,
                        "has not the bytes that the tensor's shape asks for");
    add_external(model, arena, "w.bin", "-1");
    assert_refused_with(arena, model, &options, WEFT_MODEL,
                        "an offset or length that is no number");
    add_external(model, arena, "missing", "0");
    assert_refused_with(arena, model, &options, WEFT_IO, "can not be opened");
    const char *const wrong[] = {"../other.bin", other, "link", "", "a/../../other.bin", "..", "."};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        add_external(model, arena, wrong[i], "0");
        assert_refused_with(arena, model, &options, WEFT_MODEL,
                            "is not inside the folder of the model");
    }
    folder_free(&inside);
    folder_free(&outside);
}

/* Elements in files beside a model belong to it as its own bytes do; without such files the
 * fingerprint is that of the bytes. */
static void fingerprints_know_files_beside(void **state) {
    struct weft_arena *arena = *state;
    struct weft_error error;
    struct folder folder = folder_new();
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    struct weft_config config;
    const struct weft_compile_options options = {.import = {.folder = folder.path},
                                                 .host_only = true};
    const struct weft_compile_options nowhere = {.host_only = true};
    uint64_t fingerprints[2];
    struct model *model = new_model(arena);
    add_node(model, "Add", "x", "w", "y");
    add_external(model, arena, "w.bin", "0");
    ASSERT_GOOD(weft_config_find("ref16", &config, &error), error);
    size_t length = onnx__model_proto__get_packed_size(&model->proto);
    uint8_t *bytes = WEFT_NEW_ARRAY(arena, length, uint8_t);
    onnx__model_proto__pack(&model->proto, bytes);
    for (int i = 0; i < 2; i++) {
        struct weft_module *module = NULL;
        numbers[5] += 1;
        folder_write(&folder, "w.bin", numbers, sizeof numbers);
        ASSERT_GOOD(weft_compile(bytes, length, &config, &options, &module, &error), error);
        fingerprints[i] = weft_model_fingerprint(bytes, length, &options);
        assert_true(module->fingerprint == fingerprints[i]);
        weft_module_free(module);
    }
    assert_true(fingerprints[0] != fingerprints[1]);
    uint64_t alone = weft_fingerprint(bytes, length);
    assert_true(fingerprints[0] != alone && fingerprints[1] != alone);
    /* A model that cannot be read has that of its bytes. */
    assert_true(weft_model_fingerprint(bytes, length, &nowhere) == alone);
    struct model *whole = new_model(arena);
    add_node(whole, "Relu", "x", NULL, "y");
    length = onnx__model_proto__get_packed_size(&whole->proto);
    onnx__model_proto__pack(&whole->proto, bytes);
    assert_true(weft_model_fingerprint(bytes, length, &options) == weft_fingerprint(bytes, length));
    folder_free(&folder);
}

/* ---- bytes ---- */

static void damaged_files_are_refused(void **state) {
    struct model *model = new_model(*state);
    struct weft_graph *graph = NULL;
    struct weft_model_names names;
    struct weft_error error = {0};
    add_node(model, "Relu", "x", NULL, "y");
    size_t length = onnx__model_proto__get_packed_size(&model->proto);
    uint8_t *bytes = WEFT_NEW_ARRAY(*state, length, uint8_t);
    onnx__model_proto__pack(&model->proto, bytes);
    for (size_t i = 2; i < length; i++) {
        assert_false(weft_is_model(bytes, i) &&
                     weft_import(*state, bytes, i, &plain, NULL, &graph, &names, &error));
    }
}

/* Graphs in attributes of operators in graphs, without end: the unpacker would need a stack. */
static void deep_files_are_refused(void **state) {
    enum {
        LEVELS = 2000
    };
    struct weft_graph *graph = NULL;
    struct weft_model_names names;
    struct weft_error error = {0};
    uint8_t *bytes = WEFT_NEW_ARRAY(*state, 16 * LEVELS, uint8_t);
    uint8_t *at = bytes + 16 * LEVELS;
    size_t length = 0;
    static const uint8_t tags[3] = {6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2}; /* g, attribute, node */
    for (int i = 0; i < 3 * LEVELS; i++) {
        uint8_t head[4] = {tags[i % 3], (uint8_t)(length | 0x80), (uint8_t)(length >> 7 | 0x80),
                           (uint8_t)(length >> 14)};
        at -= sizeof head;
        memcpy(at, head, sizeof head);
        length += sizeof head;
    }
    const uint8_t start[6] = {1 << 3,
                              8,
                              7 << 3 | 2,
                              (uint8_t)(length | 0x80),
                              (uint8_t)(length >> 7 | 0x80),
                              (uint8_t)(length >> 14)};
    at -= sizeof start;
    memcpy(at, start, sizeof start);
    ASSERT_FAILS(
        weft_import(*state, at, length + sizeof start, &plain, NULL, &graph, &names, &error), error,
        WEFT_MODEL);
    assert_non_null(strstr(error.message, "more than 32 messages in each other"));
}

/* ---- branches and functions ---- */

/* The function `own.F` from `a` to `b` of at most three operators. */
struct function {
    Onnx__FunctionProto proto;
    Onnx__FunctionProto *list[2];
    Onnx__NodeProto nodes[3];
    Onnx__NodeProto *node_list[3];
    char *names[3][2];
    char *ends[2];
};

static void add_to_function(struct function *function, const char *domain, const char *op,
                            const char *in, const char *out) {
    size_t i = function->proto.n_node++;
    function->nodes[i] = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
    function->names[i][0] = text(in);
    function->names[i][1] = text(out);
    function->nodes[i].domain = text(domain);
    function->nodes[i].op_type = text(op);
    function->nodes[i].n_input = function->nodes[i].n_output = 1;
    function->nodes[i].input = &function->names[i][0];
    function->nodes[i].output = &function->names[i][1];
    function->node_list[i] = &function->nodes[i];
}

/* A model whose one operator calls a function. */
static struct function *new_function(struct weft_arena *arena, struct model *model) {
    struct function *function = WEFT_NEW(arena, struct function);
    add_node(model, "F", "x", NULL, "y")->domain = text("own");
    function->proto = (Onnx__FunctionProto)ONNX__FUNCTION_PROTO__INIT;
    function->proto.domain = text("own");
    function->proto.name = text("F");
    function->ends[0] = text("a");
    function->ends[1] = text("b");
    function->proto.n_input = function->proto.n_output = 1;
    function->proto.input = &function->ends[0];
    function->proto.output = &function->ends[1];
    function->proto.node = function->node_list;
    function->list[0] = function->list[1] = &function->proto;
    model->proto.n_functions = 1;
    model->proto.functions = function->list;
    return function;
}

static void functions_stand_in_place_of_their_calls(void **state) {
    struct model *model = new_model(*state);
    struct function *function = new_function(*state, model);
    struct weft_model_names names;
    Onnx__OperatorSetIdProto old = ONNX__OPERATOR_SET_ID_PROTO__INIT;
    Onnx__OperatorSetIdProto *sets[1] = {&old};
    add_to_function(function, "", "Relu", "a", "x"); /* a name that the graph has, too */
    add_to_function(function, "", "Abs", "x", "b");
    add_node(model, "Neg", "x", NULL, "z");
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->node_count, 3);
    assert_string_equal(graph->outputs[0]->name, "y");
    assert_int_equal(graph->nodes[1]->op, WEFT_OP_ABS);
    assert_int_equal(graph->nodes[1]->source, 0);
    assert_ptr_equal(graph->nodes[2]->inputs[0], graph->inputs[0]);
    function->proto.n_opset_import = 1;
    function->proto.opset_import = sets;
    old.has_version = 1;
    old.version = 5;
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "Relu version 5 (1, first operator 0): of operators of version 5 it is not");
    old.version = 99;
    assert_is_refused(*state, model, WEFT_MODEL,
                      "operator 0 (F): the function is of a version of ONNX's operators that is "
                      "not known");
}

static void calls_fit_their_functions(void **state) {
    struct model *model = new_model(*state);
    struct function *function = new_function(*state, model);
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    char *known[1] = {text("slope")};
    add_to_function(function, "", "Shrink", "a", "b");
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "operator 0 (Shrink): this operator is not supported");
    add_node(model, "Abs", "y", NULL, "z");
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "operator 0 (Shrink): this operator is not supported");
    function->proto.n_input = 0;
    assert_is_refused(
        *state, model, WEFT_MODEL,
        "operator 0 (F): it has 1 inputs and 1 outputs, the function that it calls 0 and 1");
    function->proto.n_input = 1;
    function->names[0][1] = text("c");
    function->nodes[0].op_type = text("Abs");
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (F): nothing makes its output 'b'");
    model->nodes[0].n_attribute = 1;
    model->nodes[0].attribute = attributes;
    attribute.name = text("slope");
    assert_is_refused(*state, model, WEFT_MODEL,
                      "its attribute 'slope' is none of the function that it calls");
    function->proto.n_attribute = 1;
    function->proto.attribute = known;
    assert_is_refused(*state, model, WEFT_MODEL, "nothing makes its output 'b'");
    model->proto.n_functions = 2;
    assert_is_refused(*state, model, WEFT_OPERATOR, "several functions of the model have its name");
}

/* One that calls itself, and a chain of which each calls the next one twice. */
static void functions_without_end_are_refused(void **state) {
    enum {
        LEVELS = 23
    };
    struct model *model = new_model(*state);
    struct function *function = new_function(*state, model);
    Onnx__FunctionProto *list[LEVELS];
    add_to_function(function, "own", "F", "a", "b");
    assert_is_refused(*state, model, WEFT_LIMIT, "more than 24 branches and functions");
    for (int i = 0; i < LEVELS; i++) {
        struct function *level = new_function(*state, new_model(*state));
        const char *next = i + 1 == LEVELS ? "" : weft_arena_print(*state, "F%d", i + 1);
        level->proto.name = i == 0 ? text("F") : text(weft_arena_print(*state, "F%d", i));
        add_to_function(level, i + 1 == LEVELS ? "" : "own", i + 1 == LEVELS ? "Identity" : next,
                        "a", "c");
        add_to_function(level, i + 1 == LEVELS ? "" : "own", i + 1 == LEVELS ? "Identity" : next,
                        "c", "b");
        list[i] = &level->proto;
    }
    model->proto.n_functions = LEVELS;
    model->proto.functions = list;
    assert_is_refused(*state, model, WEFT_LIMIT,
                      "branches and functions become more than 2^22 operators and tensors");
}

static void branches_are_taken(void **state) {
    struct model *model = new_model(*state);
    Onnx__GraphProto branch = ONNX__GRAPH_PROTO__INIT;
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    uint8_t yes[1] = {1};
    add_node(model, "If", "c", NULL, "y");
    model->nodes[0].n_attribute = 1;
    model->nodes[0].attribute = attributes;
    attribute.name = text("then_branch");
    attribute.g = &branch;
    branch.n_node = 1;
    branch.node = &model->node_list[1];
    branch.n_output = 1;
    branch.output = model->outputs;
    add_node(model, "Relu", "x", NULL, "y");
    model->graph.n_node = 1;
    add_initializer(model, "c", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, 0, model->sizes);
    model->initializer.has_raw_data = 1;
    model->initializer.raw_data = (ProtobufCBinaryData){1, yes};
    struct weft_model_names names;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->outputs[0]->producer->op, WEFT_OP_RELU);
    yes[0] = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (If): its else_branch is missing");
    yes[0] = 1;
    branch.n_output = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "a branch has inputs, or another number");
    branch.n_output = 1;
    model->names[0][0] = text("x");
    assert_is_refused(*state, model, WEFT_MODEL, "its condition is not one BOOL");
    model->tensors[0].elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    model->dims[0][1].dim_value = 1;
    model->dims[0][0].dim_value = 1;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (If): its else_branch is missing");
}

/* ---- loops and sequences ---- */

/* A model whose one operator has a body: a copy of its first input becomes its output by `op`. */
struct loop_model {
    struct model *model;
    Onnx__GraphProto body;
    Onnx__ValueInfoProto ends[5];
    Onnx__ValueInfoProto *inputs[3], *outputs[2];
    Onnx__NodeProto nodes[2];
    Onnx__NodeProto *node_list[2];
    char *names[6];
    Onnx__AttributeProto attributes[2];
    Onnx__AttributeProto *attribute_list[2];
};

/* `y = Loop(most, "", x)`, whose body is `on = Identity(go); new = op(s)`. */
static struct loop_model *new_loop(struct weft_arena *arena, const char *op) {
    static const char *const ends[5] = {"i", "go", "s", "on", "new"};
    struct loop_model *loop = WEFT_NEW(arena, struct loop_model);
    struct model *model = new_model(arena);
    loop->model = model;
    loop->body = (Onnx__GraphProto)ONNX__GRAPH_PROTO__INIT;
    for (int i = 0; i < 5; i++) {
        loop->ends[i] = (Onnx__ValueInfoProto)ONNX__VALUE_INFO_PROTO__INIT;
        loop->ends[i].name = text(ends[i]);
        *(i < 3 ? &loop->inputs[i] : &loop->outputs[i - 3]) = &loop->ends[i];
    }
    for (int i = 0; i < 2; i++) {
        loop->nodes[i] = (Onnx__NodeProto)ONNX__NODE_PROTO__INIT;
        loop->nodes[i].op_type = text(i == 0 ? "Identity" : op);
        loop->names[2 * i] = text(ends[1 + i]);
        loop->names[2 * i + 1] = text(ends[3 + i]);
        loop->nodes[i].n_input = loop->nodes[i].n_output = 1;
        loop->nodes[i].input = &loop->names[2 * i];
        loop->nodes[i].output = &loop->names[2 * i + 1];
        loop->node_list[i] = &loop->nodes[i];
        loop->attributes[i] = (Onnx__AttributeProto)ONNX__ATTRIBUTE_PROTO__INIT;
        loop->attribute_list[i] = &loop->attributes[i];
    }
    loop->body.n_input = 3;
    loop->body.input = loop->inputs;
    loop->body.n_output = 2;
    loop->body.output = loop->outputs;
    loop->body.n_node = 2;
    loop->body.node = loop->node_list;
    loop->attributes[0].name = text("body");
    loop->attributes[0].g = &loop->body;
    Onnx__NodeProto *node = add_node(model, "Loop", "most", "", "y");
    loop->names[4] = node->input[0];
    node->n_input = 3;
    node->input = WEFT_NEW_ARRAY(arena, 3, char *);
    node->input[0] = loop->names[4];
    node->input[1] = text("");
    node->input[2] = text("x");
    node->n_attribute = 1;
    node->attribute = loop->attribute_list;
    add_initializer(model, "most", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 0, model->sizes);
    return loop;
}

static void set_most(struct loop_model *loop, int64_t *most) {
    loop->model->initializer.has_raw_data = 1;
    loop->model->initializer.raw_data = (ProtobufCBinaryData){sizeof *most, (uint8_t *)most};
}

static void loops_are_unrolled(void **state) {
    struct loop_model *loop = new_loop(*state, "Exp");
    struct weft_model_names names;
    int64_t most = 3;
    set_most(loop, &most);
    const struct weft_graph *graph = imported(*state, loop->model, &plain, &names);
    const struct weft_value *value = graph->outputs[0];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(value->producer->op, WEFT_OP_EXP);
        assert_int_equal(value->producer->source, 0);
        value = value->producer->inputs[0];
    }
    assert_null(value->producer);
    assert_string_equal(graph->outputs[0]->name, "y");
    most = 0;
    graph = imported(*state, loop->model, &plain, &names);
    assert_null(graph->outputs[0]->producer);
}

static void loops_end(void **state) {
    struct loop_model *loop = new_loop(*state, "Exp");
    struct model *model = loop->model;
    int64_t most = 4096;
    struct weft_model_names names;
    set_most(loop, &most);
    const struct weft_value *value = imported(*state, model, &plain, &names)->outputs[0];
    int steps = 0;
    for (; value->producer != NULL; value = value->producer->inputs[0]) {
        steps++;
    }
    assert_int_equal(steps, 4096);
    most = 4097;
    assert_is_refused(*state, model, WEFT_LIMIT,
                      "operator 0 (Loop): it takes more than 4096 steps");
    most = INT64_MIN;
    assert_null(imported(*state, model, &plain, &names)->outputs[0]->producer);
    model->nodes[0].input[0] = text("x");
    assert_is_refused(*state, model, WEFT_OPERATOR, "input 0 must be known when the model is read");
    model->nodes[0].input[0] = text("");
    loop->names[0] = text("x"); /* the condition */
    assert_is_refused(*state, model, WEFT_MODEL, "its condition is not one BOOL");
    loop->nodes[0].op_type = text("SequenceConstruct");
    assert_is_refused(*state, model, WEFT_MODEL, "its condition is not one BOOL");
}

static void bodies_fit_their_operators(void **state) {
    struct loop_model *loop = new_loop(*state, "Exp");
    struct model *model = loop->model;
    int64_t most = 2;
    set_most(loop, &most);
    loop->body.n_input = 2;
    assert_is_refused(
        *state, model, WEFT_MODEL,
        "its body has 2 inputs and 2 outputs, which the operator's 3 and 1 do not fit");
    loop->body.n_input = 3;
    loop->body.n_output = 1;
    assert_is_refused(*state, model, WEFT_MODEL, "its body has 3 inputs and 1 outputs");
    loop->body.n_output = 2;
    loop->names[3] = text("other");
    assert_is_refused(*state, model, WEFT_MODEL, "nothing makes its output 'new'");
    loop->names[3] = text("new");
    model->nodes[0].input[2] = text("");
    assert_is_refused(*state, model, WEFT_MODEL, "input 2, a state, is missing");
    model->nodes[0].input[2] = text("x");
    model->nodes[0].n_attribute = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (Loop): its body is missing");
    model->nodes[0].n_attribute = 1;
    /* Without states what its body makes is added: [steps, 2, 3]. */
    model->nodes[0].n_input = 2;
    loop->body.n_input = 2;
    loop->names[2] = text("x");
    model->graph.output[0]->type = NULL;
    struct weft_model_names names;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->outputs[0]->type.rank, 3);
    assert_int_equal(graph->outputs[0]->type.dim[0], 2);
    most = 0;
    assert_is_refused(*state, model, WEFT_OPERATOR,
                      "it takes no step, and what none of them makes has no shape");
    model->nodes[0].op_type = text("Scan");
    assert_is_refused(*state, model, WEFT_MODEL, "num_scan_inputs must be 1 or more of its inputs");
}

static void scans_have_one_length(void **state) {
    struct loop_model *loop = new_loop(*state, "Exp");
    struct model *model = loop->model;
    struct weft_model_names names;
    int64_t axes[2] = {0, 1};
    model->nodes[0].op_type = text("Scan");
    model->nodes[0].input[0] = text("x");
    model->nodes[0].input[1] = text("x");
    model->nodes[0].n_input = 2;
    model->nodes[0].n_attribute = 2;
    model->graph.n_initializer = 0;
    model->graph.output[0]->type = NULL;
    loop->attributes[1].name = text("num_scan_inputs");
    loop->attributes[1].has_i = 1;
    loop->attributes[1].i = 1;
    /* The state i becomes on, and what is added new, of x: two rows. */
    loop->body.n_input = 2;
    loop->names[0] = text("i");
    loop->names[2] = text("go");
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->outputs[0]->type.rank, 2);
    assert_null(graph->outputs[0]->producer); /* the state */
    loop->attributes[1].i = 2;
    loop->body.n_output = 2;
    graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->outputs[0]->type.dim[0], 2);
    Onnx__AttributeProto scanned = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *list[3] = {&loop->attributes[0], &loop->attributes[1], &scanned};
    scanned.name = text("scan_input_axes");
    scanned.n_ints = 2;
    scanned.ints = axes;
    model->nodes[0].n_attribute = 3;
    model->nodes[0].attribute = list;
    assert_is_refused(*state, model, WEFT_MODEL, "what it scans has several lengths");
    axes[0] = 2;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 0 (Scan): ");
    scanned.n_ints = 1;
    assert_is_refused(*state, model, WEFT_MODEL, "scan_input_axes has 1 numbers, expected 2");
}

static void sequences_are_known(void **state) {
    struct model *model = new_model(*state);
    add_node(model, "SequenceConstruct", "x", "x", "s");
    add_node(model, "ConcatFromSequence", "s", NULL, "y");
    Onnx__AttributeProto attribute = ONNX__ATTRIBUTE_PROTO__INIT;
    Onnx__AttributeProto *attributes[1] = {&attribute};
    struct weft_model_names names;
    attribute.name = text("axis");
    attribute.has_i = 1;
    model->nodes[1].n_attribute = 1;
    model->nodes[1].attribute = attributes;
    model->graph.output[0]->type = NULL;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    assert_int_equal(graph->outputs[0]->producer->op, WEFT_OP_CONCATENATE);
    assert_int_equal(graph->outputs[0]->type.dim[0], 4);
    attribute.i = 2;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 1 (ConcatFromSequence): ");
    attribute.i = 0;
    model->names[1][0] = text("x");
    assert_is_refused(*state, model, WEFT_MODEL, "input 0 is not a sequence");
    model->names[1][0] = text("s");
    model->nodes[1].op_type = text("Relu");
    model->nodes[1].n_attribute = 0;
    assert_is_refused(*state, model, WEFT_MODEL, "operator 1 (Relu): its input 's' is a sequence");
    model->nodes[1].op_type = text("Identity");
    assert_is_refused(*state, model, WEFT_MODEL, "the output 'y' of the model is a sequence");
    model->nodes[0].op_type = text("SequenceEmpty");
    model->nodes[0].n_input = 0;
    model->nodes[1].op_type = text("ConcatFromSequence");
    assert_is_refused(*state, model, WEFT_OPERATOR, "the sequence is empty");
    model->nodes[1].op_type = text("SequenceErase");
    assert_is_refused(*state, model, WEFT_MODEL, "its place is not one of the sequence");
}

/* What a loop adds to a sequence costs: a short file cannot make it copy without end. */
static void sequences_are_not_endless(void **state) {
    struct loop_model *loop = new_loop(*state, "SequenceInsert");
    struct model *model = loop->model;
    int64_t most = 4096;
    char *both[2] = {text("s"), text("x")};
    set_most(loop, &most);
    add_node(model, "SequenceLength", "all", NULL, "y");
    model->names[0][2] = text("all");
    Onnx__NodeProto empty = ONNX__NODE_PROTO__INIT;
    char *none = text("none");
    empty.op_type = text("SequenceEmpty");
    empty.n_output = 1;
    empty.output = &none;
    Onnx__NodeProto *nodes[3] = {&empty, &model->nodes[0], &model->nodes[1]};
    model->graph.n_node = 3;
    model->graph.node = nodes;
    model->nodes[0].input[2] = none;
    model->graph.output[0]->type = NULL;
    loop->nodes[1].n_input = 2;
    loop->nodes[1].input = both;
    struct weft_model_names names;
    const struct weft_graph *graph = imported(*state, model, &plain, &names);
    const void *length = weft_value_data(graph->outputs[0]);
    assert_non_null(length);
    assert_int_equal(*(const int64_t *)length, 4096);
    most = 4097;
    assert_is_refused(*state, model, WEFT_LIMIT, "more than 4096");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ARENA_TEST(names_are_kept),
        ARENA_TEST(tensors_are_made_once),
        ARENA_TEST(cycles_and_missing_tensors_are_named),
        ARENA_TEST(versions_are_checked),
        ARENA_TEST(operators_are_checked),
        ARENA_TEST(axes_are_checked),
        ARENA_TEST(equations_name_every_axis),
        ARENA_TEST(open_dimensions_have_sizes),
        ARENA_TEST(the_nearest_of_version_10_is_the_one_behind),
        ARENA_TEST(samples_are_repeated_as_pixels),
        ARENA_TEST(masks_of_integers_are_refused),
        ARENA_TEST(files_stay_in_the_folder),
        ARENA_TEST(fingerprints_know_files_beside),
        ARENA_TEST(damaged_files_are_refused),
        ARENA_TEST(deep_files_are_refused),
        ARENA_TEST(functions_stand_in_place_of_their_calls),
        ARENA_TEST(calls_fit_their_functions),
        ARENA_TEST(functions_without_end_are_refused),
        ARENA_TEST(branches_are_taken),
        ARENA_TEST(loops_are_unrolled),
        ARENA_TEST(loops_end),
        ARENA_TEST(bodies_fit_their_operators),
        ARENA_TEST(scans_have_one_length),
        ARENA_TEST(sequences_are_known),
        ARENA_TEST(sequences_are_not_endless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
