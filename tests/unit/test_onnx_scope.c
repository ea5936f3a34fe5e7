/* compiler/import/onnx: functions of a model and graphs in its graph (If, Loop, Scan), and the
 * sequences that loops make. */
#include "tests/unit/onnx_models.h"

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
    assert_is_refused(*state, model, WEFT_LIMIT, "more than 24 branches, bodies and functions");
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
                      "branches, bodies and functions become more than 2^22 operators and tensors");
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
