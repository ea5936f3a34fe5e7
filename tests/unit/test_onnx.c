/* compiler/import/onnx: files that are wrong give a clear error, shapes and names are kept. */
#include "tests/unit/onnx_models.h"

#include <string.h>
#include <unistd.h>

#include "compiler/module.h"
#include "tests/unit/folder.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
