/* Graphs in the graph: reading one, and functions of the model, whose operators stand in place of
 * those that call them. */
#include "compiler/import/onnx/onnx_scope.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFAULTS = 11, /* fields of FunctionProto that older versions of onnx.proto do not have */
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

/* A short file can name one function very often: what that costs is counted. */
static bool charge(struct onnx_importer *importer, const Onnx__GraphProto *graph) {
    importer->read += cost_of(graph);
    if (importer->scopes == ONNX_MOST_SCOPES) {
        return onnx_wrong(importer, WEFT_LIMIT,
                          "more than 24 branches, bodies and functions in each other");
    }
    return importer->read <= ONNX_MOST_READ ||
           onnx_wrong(importer, WEFT_LIMIT,
                      "branches, bodies and functions become more than 2^22 operators and tensors");
}

/* The names are those that are found, before those outside if `sees_outer`. */
static void use_names(struct onnx_importer *importer, const struct onnx_names *names,
                      bool sees_outer, struct onnx_scope *scope) {
    *scope =
        (struct onnx_scope){importer->names, importer->function, importer->call, importer->opset};
    importer->names = *names;
    importer->names.outer = sees_outer ? &scope->names : NULL;
    importer->scopes++;
}

bool onnx_enter(struct onnx_importer *importer, const Onnx__GraphProto *graph, bool sees_outer,
                struct onnx_scope *scope) {
    struct onnx_names names;
    if (!charge(importer, graph)) {
        return false;
    }
    if (!onnx_names_make(importer->arena, graph, &names, importer->error)) {
        return weft_fail_context(importer->error, "%s", onnx_context(importer));
    }
    for (uint32_t i = 0; i < names.count; i++) {
        names.tensors[i].index = -1;
    }
    use_names(importer, &names, sees_outer, scope);
    return true;
}

bool onnx_enter_again(struct onnx_importer *importer, const Onnx__GraphProto *graph,
                      const struct onnx_names *names, struct onnx_scope *scope) {
    if (!charge(importer, graph)) {
        return false;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        struct onnx_tensor *tensor = &names->tensors[i];
        if (tensor->initializer == NULL || tensor->input != NULL) {
            tensor->value = NULL;
            tensor->sequence = NULL;
            tensor->is_unknown = false;
        }
    }
    use_names(importer, names, true, scope);
    return true;
}

void onnx_leave(struct onnx_importer *importer, const struct onnx_scope *scope) {
    importer->names = scope->names;
    importer->function = scope->function;
    importer->call = scope->call;
    importer->opset = scope->opset;
    importer->scopes--;
}

/* What a name stands for in the scope. */
static bool find_end(struct onnx_importer *importer, const char *name, struct onnx_end *end) {
    struct onnx_tensor *tensor = onnx_names_find(&importer->names, name);
    *end = (struct onnx_end){.is_unknown = tensor != NULL && tensor->is_unknown};
    if (tensor != NULL && tensor->value == NULL && tensor->initializer != NULL) {
        tensor->value = onnx_constant(importer, tensor->initializer);
        end->value = tensor->value;
        return end->value != NULL;
    }
    if (tensor == NULL || (tensor->value == NULL && tensor->sequence == NULL && !end->is_unknown)) {
        return onnx_wrong(
            importer, WEFT_MODEL,
            weft_arena_print(importer->arena, "nothing makes its output '%.80s'", name));
    }
    if (tensor->value != NULL && tensor->index < 0 && tensor->value->tensor < 0 &&
        tensor->producer >= 0) {
        tensor->value->name = NULL; /* it gets that of the operator's result */
    }
    end->value = tensor->value;
    end->sequence = tensor->sequence;
    return true;
}

bool onnx_read_scope(struct onnx_importer *importer, const struct onnx_scope *scope,
                     const Onnx__GraphProto *graph, size_t count, struct onnx_end *made) {
    bool good = importer->import_nodes(importer, graph->n_node, graph->node);
    for (size_t i = 0; good && i < count; i++) {
        good = find_end(importer, onnx_string(graph->output[i]->name), &made[i]);
    }
    onnx_leave(importer, scope);
    return good;
}

void onnx_give_end(const struct onnx_importer *importer, const char *name,
                   const struct onnx_end *end) {
    struct onnx_tensor *tensor = onnx_names_find(&importer->names, name);
    tensor->value = end->value;
    tensor->sequence = end->sequence;
    tensor->is_unknown = end->is_unknown;
    tensor->is_absent = end->is_absent;
}

bool onnx_input_end(struct onnx_importer *importer, uint32_t number, struct onnx_end *end) {
    const struct onnx_tensor *tensor =
        onnx_has(importer, number)
            ? onnx_names_find(&importer->names, importer->node->input[number])
            : NULL;
    *end = (struct onnx_end){.sequence = tensor == NULL ? NULL : tensor->sequence,
                             .is_unknown = tensor != NULL && tensor->is_unknown,
                             .is_absent = !onnx_has(importer, number)};
    if (end->sequence != NULL || end->is_unknown || end->is_absent) {
        return true;
    }
    end->value = onnx_input(importer, number);
    return end->value != NULL;
}

bool onnx_finish_end(struct onnx_importer *importer, uint32_t number, const struct onnx_end *end) {
    if (end->value != NULL) {
        return onnx_finish_at(importer, number, end->value);
    }
    if (onnx_wants(importer, number)) {
        struct onnx_tensor *tensor =
            onnx_names_find(&importer->names, importer->node->output[number]);
        tensor->sequence = end->sequence;
        tensor->is_unknown = end->is_unknown;
    }
    return true;
}

/* ---- what their operators have ---- */

const Onnx__GraphProto *onnx_graph(const struct onnx_importer *importer, const char *name) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, name);
    if (attribute == NULL) {
        (void)onnx_wrong(importer, WEFT_MODEL,
                         weft_arena_print(importer->arena, "its %s is missing", name));
        return NULL;
    }
    if (attribute->g->n_sparse_initializer > 0) {
        (void)onnx_wrong(importer, WEFT_OPERATOR, "sparse initializers are not supported");
        return NULL;
    }
    return attribute->g;
}

bool onnx_condition(struct onnx_importer *importer, struct weft_value *value, bool *is_known,
                    bool *condition) {
    const struct weft_value *known = onnx_known(importer, value);
    const uint8_t *data = known == NULL ? NULL : weft_value_data(known);
    if (known == NULL || known->type.dtype != WEFT_BOOL || weft_type_elements(&known->type) != 1) {
        return onnx_wrong(importer, WEFT_MODEL, "its condition is not one BOOL");
    }
    *is_known = data != NULL;
    *condition = data != NULL && data[0] != 0;
    return true;
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
    size_t made_count = call->n_output;
    struct onnx_scope scope;
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
    struct onnx_end *given = WEFT_NEW_ARRAY(importer->arena, proto->n_input + 1, struct onnx_end);
    struct onnx_end *made = WEFT_NEW_ARRAY(importer->arena, made_count, struct onnx_end);
    bool good = true;
    for (uint32_t i = 0; good && i < proto->n_input; i++) {
        good = onnx_input_end(importer, i, &given[i]);
    }
    if (!good || !onnx_enter(importer, &body, false, &scope)) {
        return false;
    }
    for (size_t i = 0; i < proto->n_input; i++) {
        onnx_give_end(importer, proto->input[i], &given[i]);
    }
    importer->function = function;
    importer->call = call;
    if (!read_version(importer, proto)) {
        onnx_leave(importer, &scope);
        return false;
    }
    good = onnx_read_scope(importer, &scope, &body, made_count, made);
    for (uint32_t i = 0; good && i < made_count; i++) {
        good = onnx_finish_end(importer, i, &made[i]);
    }
    return good;
}
