/* Graphs in the graph: the branch of If that is taken, and functions of the model. Their operators
 * stand in place of the operator that holds or calls them. */
#include <stdlib.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

enum {
    DEFAULTS = 11, /* fields of FunctionProto that older versions of onnx.proto do not have */
};

/* What is there again once a branch or function is read. */
struct scope {
    struct onnx_names names;
    const struct onnx_local_function *function;
    const Onnx__NodeProto *call;
    int64_t opset;
};

/* ---- entering and leaving ---- */

/* What reading a graph costs: its operators with their inputs, attributes and results, and its
 * tensors. */
static uint64_t cost_of(const Onnx__GraphProto *graph) {
    uint64_t cost = 1 + graph->n_input + graph->n_initializer + graph->n_output;
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        cost += 1 + node->n_input + node->n_attribute + node->n_output;
    }
    return cost;
}

/* Makes the names of a graph the ones that are found, before those that `scope` keeps if it sees
 * them. A short file can name one function very often: what that costs is counted. */
static bool enter(struct onnx_importer *importer, const Onnx__GraphProto *graph, bool sees_outer,
                  struct scope *scope) {
    struct onnx_names names;
    *scope = (struct scope){importer->names, importer->function, importer->call, importer->opset};
    importer->read += cost_of(graph);
    if (importer->scopes == ONNX_MOST_SCOPES) {
        return onnx_wrong(importer, WEFT_LIMIT,
                          "more than 24 branches and functions in each other");
    }
    if (importer->read > ONNX_MOST_READ) {
        return onnx_wrong(importer, WEFT_LIMIT,
                          "branches and functions become more than 2^22 operators and tensors");
    }
    if (!onnx_names_make(importer->arena, graph, &names, importer->error)) {
        return weft_fail_context(importer->error, "%s", onnx_context(importer));
    }
    for (uint32_t i = 0; i < names.count; i++) {
        names.tensors[i].index = -1;
    }
    names.outer = sees_outer ? &scope->names : NULL;
    importer->names = names;
    importer->scopes++;
    return true;
}

static void leave(struct onnx_importer *importer, const struct scope *scope) {
    importer->names = scope->names;
    importer->function = scope->function;
    importer->call = scope->call;
    importer->opset = scope->opset;
    importer->scopes--;
}

/* What a name stands for in the scope; NULL after an error, and where it is not known. */
static struct weft_value *result_of(struct onnx_importer *importer, const char *name,
                                    bool *is_unknown) {
    struct onnx_tensor *tensor = onnx_names_find(&importer->names, name);
    *is_unknown = tensor != NULL && tensor->is_unknown;
    if (tensor != NULL && tensor->value == NULL && tensor->initializer != NULL) {
        tensor->value = onnx_constant(importer, tensor->initializer);
        return tensor->value;
    }
    if (tensor == NULL || (tensor->value == NULL && !*is_unknown)) {
        return onnx_none(
            importer, WEFT_MODEL,
            weft_arena_print(importer->arena, "nothing makes its output '%.80s'", name));
    }
    if (tensor->value != NULL && tensor->index < 0 && tensor->value->tensor < 0 &&
        tensor->producer >= 0) {
        tensor->value->name = NULL; /* it gets that of the operator's result */
    }
    return tensor->value;
}

/* Reads the operators of the scope, leaves it, and makes its outputs the operator's results. */
static bool read_scope(struct onnx_importer *importer, const struct scope *scope,
                       const Onnx__GraphProto *graph) {
    size_t count = importer->node->n_output;
    struct weft_value **results = WEFT_NEW_ARRAY(importer->arena, count, struct weft_value *);
    bool *are_unknown = WEFT_NEW_ARRAY(importer->arena, count, bool);
    bool good = importer->import_nodes(importer, graph->n_node, graph->node);
    for (size_t i = 0; good && i < count; i++) {
        results[i] = result_of(importer, onnx_string(graph->output[i]->name), &are_unknown[i]);
        good = results[i] != NULL || are_unknown[i];
    }
    leave(importer, scope);
    for (uint32_t i = 0; good && i < count; i++) {
        if (!are_unknown[i]) {
            good = onnx_finish_at(importer, i, results[i]);
        } else if (onnx_wants(importer, i)) {
            onnx_names_find(&importer->names, importer->node->output[i])->is_unknown = true;
        }
    }
    return good;
}

/* ---- branches ---- */

/* The condition, which is one truth that is known. */
static bool read_condition(struct onnx_importer *importer, bool *condition) {
    const struct weft_value *value = onnx_known_input(importer, 0);
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (value == NULL) {
        return false;
    }
    if (value->type.dtype != WEFT_BOOL || weft_type_elements(&value->type) != 1) {
        return onnx_wrong(importer, WEFT_MODEL, "its condition is not one BOOL");
    }
    if (data == NULL) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "its condition must be known when the model is read, and depends on "
                          "inputs");
    }
    *condition = data[0] != 0;
    return true;
}

bool onnx_if(struct onnx_importer *importer) {
    bool condition = false;
    struct scope scope;
    if (!read_condition(importer, &condition)) {
        return false;
    }
    const Onnx__AttributeProto *attribute =
        onnx_attribute(importer, condition ? "then_branch" : "else_branch");
    if (attribute == NULL) {
        return onnx_wrong(importer, WEFT_MODEL, "the branch that its condition takes is missing");
    }
    const Onnx__GraphProto *branch = attribute->g;
    if (branch->n_input > 0 || branch->n_output != importer->node->n_output) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "a branch has inputs, or another number of outputs");
    }
    if (branch->n_sparse_initializer > 0) {
        return onnx_wrong(importer, WEFT_OPERATOR, "sparse initializers are not supported");
    }
    return enter(importer, branch, true, &scope) && read_scope(importer, &scope, branch);
}

/* ---- functions ---- */

/* The defaults of a function's attributes, which older versions of onnx.proto do not know. */
static bool read_defaults(struct onnx_importer *importer, struct onnx_local_function *function) {
    const ProtobufCMessage *message = &function->proto->base;
    function->defaults =
        WEFT_NEW_ARRAY(importer->arena, message->n_unknown_fields + 1, Onnx__AttributeProto *);
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];
        size_t head = 0;
        if (field->tag != DEFAULTS || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) {
            continue;
        }
        while (head < field->len && field->data[head] >= 0x80) {
            head++; /* of the length, which stands before the bytes */
        }
        head += head < field->len;
        if (!onnx_read_attribute(importer->arena, field->data + head, field->len - head,
                                 &function->defaults[function->default_count++], importer->error)) {
            return weft_fail_context(importer->error, "function '%.80s'",
                                     onnx_string(function->proto->name));
        }
    }
    return true;
}

/* By domain, then by name. */
static int compare_names(const char *domain, const char *name,
                         const struct onnx_local_function *function) {
    int order = strcmp(domain, onnx_string(function->proto->domain));
    return order != 0 ? order : strcmp(name, onnx_string(function->proto->name));
}

static int compare(const void *a, const void *b) {
    const struct onnx_local_function *function = a;
    return compare_names(onnx_string(function->proto->domain), onnx_string(function->proto->name),
                         b);
}

bool onnx_add_functions(struct onnx_importer *importer, const Onnx__ModelProto *model) {
    if (model->n_functions > ONNX_MOST_FUNCTIONS) {
        return weft_fail(importer->error, WEFT_LIMIT, 0, "the model has more than %d functions",
                         ONNX_MOST_FUNCTIONS);
    }
    struct onnx_local_function *functions =
        WEFT_NEW_ARRAY(importer->arena, model->n_functions, struct onnx_local_function);
    for (size_t i = 0; i < model->n_functions; i++) {
        functions[i] = (struct onnx_local_function){.proto = model->functions[i]};
        if (!read_defaults(importer, &functions[i])) {
            return false;
        }
    }
    if (model->n_functions > 1) {
        qsort(functions, model->n_functions, sizeof *functions, compare);
    }
    for (size_t i = 1; i < model->n_functions; i++) {
        bool is_same = compare(&functions[i - 1], &functions[i]) == 0;
        functions[i].is_repeated = is_same;
        functions[i - 1].is_repeated = functions[i - 1].is_repeated || is_same;
    }
    importer->function_count = model->n_functions;
    importer->functions = functions;
    return true;
}

const struct onnx_local_function *onnx_find_function(const struct onnx_importer *importer,
                                                     const char *domain, const char *name) {
    size_t low = 0;
    size_t high = importer->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(domain, name, &importer->functions[middle]);
        if (order == 0) {
            return &importer->functions[middle];
        }
        low = order > 0 ? middle + 1 : low;
        high = order < 0 ? middle : high;
    }
    return NULL;
}

/* ---- what a call gives ---- */

/* The attribute that a call gives a function, or its default; NULL: neither is there. */
static const Onnx__AttributeProto *attribute_of(const struct onnx_importer *importer,
                                                const char *name) {
    const struct onnx_local_function *function = importer->function;
    for (size_t i = 0; i < importer->call->n_attribute; i++) {
        if (strcmp(onnx_string(importer->call->attribute[i]->name), name) == 0) {
            return importer->call->attribute[i];
        }
    }
    for (size_t i = 0; i < function->default_count; i++) {
        if (strcmp(onnx_string(function->defaults[i]->name), name) == 0) {
            return function->defaults[i];
        }
    }
    return NULL;
}

/* Attributes that refer to such of the function become these; none where the call gives none. */
static void give_attributes(struct onnx_importer *importer, const Onnx__NodeProto *node,
                            Onnx__NodeProto *given) {
    given->n_attribute = 0;
    given->attribute =
        WEFT_NEW_ARRAY(importer->arena, node->n_attribute + 1, Onnx__AttributeProto *);
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        const char *reference = onnx_string(attribute->ref_attr_name);
        const Onnx__AttributeProto *actual =
            reference[0] == '\0' ? attribute : attribute_of(importer, reference);
        if (actual != NULL) {
            Onnx__AttributeProto *copy = WEFT_NEW(importer->arena, Onnx__AttributeProto);
            *copy = *actual;
            copy->name = attribute->name;
            given->attribute[given->n_attribute++] = copy;
        }
    }
}

/* An input of the function that its call leaves out is one that the operator leaves out. */
static void give_inputs(struct onnx_importer *importer, const Onnx__NodeProto *node,
                        Onnx__NodeProto *given) {
    given->input = WEFT_NEW_ARRAY(importer->arena, node->n_input + 1, char *);
    for (size_t i = 0; i < node->n_input; i++) {
        const struct onnx_tensor *tensor = onnx_names_find(&importer->names, node->input[i]);
        given->input[i] =
            tensor != NULL && tensor->is_absent ? (char *)(uintptr_t) "" : node->input[i];
    }
}

const Onnx__NodeProto *onnx_given(struct onnx_importer *importer, const Onnx__NodeProto *node) {
    if (importer->function == NULL) {
        return node;
    }
    Onnx__NodeProto *given = WEFT_NEW(importer->arena, Onnx__NodeProto);
    *given = *node;
    give_attributes(importer, node, given);
    give_inputs(importer, node, given);
    return given;
}

/* ---- calls ---- */

/* Only attributes that the function has, each once. */
static bool check_attributes(const struct onnx_importer *importer,
                             const struct onnx_local_function *function) {
    for (size_t i = 0; i < importer->node->n_attribute; i++) {
        const char *name = onnx_string(importer->node->attribute[i]->name);
        bool known = false;
        for (size_t k = 0; k < function->proto->n_attribute; k++) {
            known = known || strcmp(function->proto->attribute[k], name) == 0;
        }
        for (size_t k = 0; k < function->default_count; k++) {
            known = known || strcmp(onnx_string(function->defaults[k]->name), name) == 0;
        }
        if (!known || onnx_attribute(importer, name) != importer->node->attribute[i]) {
            return onnx_wrong(importer, WEFT_MODEL,
                              weft_arena_print(importer->arena,
                                               "its attribute '%.60s' is none of the function that "
                                               "it calls, or there twice",
                                               name));
        }
    }
    return true;
}

static bool check_call(const struct onnx_importer *importer,
                       const struct onnx_local_function *function) {
    const Onnx__FunctionProto *proto = function->proto;
    if (function->is_repeated) {
        return onnx_wrong(importer, WEFT_OPERATOR, "several functions of the model have its name");
    }
    if (importer->node->n_input > proto->n_input || importer->node->n_output > proto->n_output) {
        return onnx_wrong(importer, WEFT_MODEL,
                          weft_arena_print(importer->arena,
                                           "it has %zu inputs and %zu outputs, the function that "
                                           "it calls %zu and %zu",
                                           importer->node->n_input, importer->node->n_output,
                                           proto->n_input, proto->n_output));
    }
    return check_attributes(importer, function);
}

/* Names of tensors as those of inputs or outputs of a graph. */
static Onnx__ValueInfoProto **as_ends(struct onnx_importer *importer, size_t count,
                                      char *const *names) {
    Onnx__ValueInfoProto *ends = WEFT_NEW_ARRAY(importer->arena, count + 1, Onnx__ValueInfoProto);
    Onnx__ValueInfoProto **list =
        WEFT_NEW_ARRAY(importer->arena, count + 1, Onnx__ValueInfoProto *);
    for (size_t i = 0; i < count; i++) {
        ends[i] = (Onnx__ValueInfoProto)ONNX__VALUE_INFO_PROTO__INIT;
        ends[i].name = names[i];
        list[i] = &ends[i];
    }
    return list;
}

/* Before the scope is entered: the tensors that the call gives, as those of the function. */
static bool read_arguments(struct onnx_importer *importer, struct onnx_tensor *arguments,
                           size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!onnx_has(importer, i)) {
            arguments[i].is_absent = true;
            continue;
        }
        const struct onnx_tensor *tensor =
            onnx_names_find(&importer->names, importer->node->input[i]);
        if (tensor != NULL && tensor->is_unknown) {
            arguments[i].is_unknown = true;
            continue;
        }
        arguments[i].value = onnx_input(importer, i);
        if (arguments[i].value == NULL) {
            return false;
        }
    }
    return true;
}

/* The version of ONNX's operators that a function is written in, if it says so. */
static bool read_version(struct onnx_importer *importer, const Onnx__FunctionProto *function) {
    for (size_t i = 0; i < function->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = function->opset_import[i];
        const char *domain = onnx_string(set->domain);
        if (domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0) {
            importer->opset = set->version;
        }
    }
    return (importer->opset >= 1 && importer->opset <= WEFT_ONNX_NEWEST) ||
           onnx_wrong(importer, WEFT_MODEL,
                      "the function is of a version of ONNX's operators that is not known");
}

bool onnx_call(struct onnx_importer *importer, const struct onnx_local_function *function) {
    const Onnx__FunctionProto *proto = function->proto;
    const Onnx__NodeProto *call = importer->node;
    struct scope scope;
    if (!check_call(importer, function)) {
        return false;
    }
    Onnx__GraphProto body = ONNX__GRAPH_PROTO__INIT;
    body.n_input = proto->n_input;
    body.input = as_ends(importer, proto->n_input, proto->input);
    body.n_output = proto->n_output;
    body.output = as_ends(importer, proto->n_output, proto->output);
    body.n_node = proto->n_node;
    body.node = proto->node;
    struct onnx_tensor *arguments =
        WEFT_NEW_ARRAY(importer->arena, proto->n_input + 1, struct onnx_tensor);
    if (!read_arguments(importer, arguments, proto->n_input) ||
        !enter(importer, &body, false, &scope)) {
        return false;
    }
    for (size_t i = 0; i < proto->n_input; i++) {
        struct onnx_tensor *tensor = onnx_names_find(&importer->names, proto->input[i]);
        tensor->value = arguments[i].value;
        tensor->is_unknown = arguments[i].is_unknown;
        tensor->is_absent = arguments[i].is_absent;
    }
    importer->function = function;
    importer->call = call;
    if (!read_version(importer, proto)) {
        leave(importer, &scope);
        return false;
    }
    return read_scope(importer, &scope, &body);
}
