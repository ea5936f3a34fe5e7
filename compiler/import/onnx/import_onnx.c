/* Models of ONNX: the way in. */
#include <inttypes.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"
#include "compiler/import/onnx/onnx_operators.h"

/* ---- the table of operators ---- */

/* The functions, in the order of the table. */
static onnx_function *const functions[] = {
#define ONNX_OPERATOR(NAME, domain, since, last, function, least, most, results, attributes,       \
                      where, conditions)                                                           \
    function,
#include "compiler/import/onnx/onnx_operators.def"
};

static bool wrong_version(const struct onnx_importer *importer,
                          const struct weft_onnx_operator *facts) {
    return onnx_wrong(importer, WEFT_OPERATOR,
                      weft_arena_print(importer->arena,
                                       "of operators of version %" PRId64 " it is not supported, "
                                       "only of %" PRId32 " to %" PRId32,
                                       importer->opset, facts->since, facts->last));
}

/* As many inputs and results as the operator can have. */
static bool check_counts(const struct onnx_importer *importer,
                         const struct weft_onnx_operator *facts) {
    const Onnx__NodeProto *node = importer->node;
    return (node->n_input >= facts->least && node->n_input <= facts->most && node->n_output >= 1 &&
            node->n_output <= facts->results) ||
           onnx_wrong(importer, WEFT_MODEL,
                      weft_arena_print(importer->arena,
                                       "it has %zu inputs and %zu outputs, expected %" PRIu32
                                       " to %" PRIu32 " and 1 to %" PRIu32,
                                       node->n_input, node->n_output, facts->least, facts->most,
                                       facts->results));
}

/* Every result that has a name is made now, or depends on what is not supported. */
static bool check_results(const struct onnx_importer *importer) {
    for (uint32_t i = 0; i < importer->node->n_output; i++) {
        const struct onnx_tensor *tensor =
            onnx_wants(importer, i) ? onnx_names_find(&importer->names, importer->node->output[i])
                                    : NULL;
        if (tensor != NULL && tensor->value == NULL && tensor->sequence == NULL &&
            !tensor->is_unknown) {
            return onnx_wrong(
                importer, WEFT_OPERATOR,
                weft_arena_print(importer->arena, "output %" PRIu32 " is not supported", i));
        }
    }
    return true;
}

static const char *domain_of(const Onnx__NodeProto *node) {
    const char *domain = onnx_string(node->domain);
    return strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

static bool import_operator(struct onnx_importer *importer) {
    const char *domain = domain_of(importer->node);
    size_t number = 0;
    const struct onnx_local_function *function =
        onnx_find_function(importer, domain, onnx_string(importer->node->op_type));
    if (function != NULL) {
        return onnx_call(importer, function) && check_results(importer);
    }
    const struct weft_onnx_operator *facts =
        weft_onnx_find(domain, onnx_string(importer->node->op_type), &number);
    if (facts == NULL) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          domain[0] == '\0'
                              ? "this operator is not supported"
                              : weft_arena_print(importer->arena,
                                                 "this operator of '%.60s' is not supported",
                                                 domain));
    }
    if (domain[0] == '\0' && (importer->opset < facts->since || importer->opset > facts->last)) {
        return wrong_version(importer, facts);
    }
    return check_counts(importer, facts) && onnx_check_attributes(importer, facts->attributes) &&
           functions[number](importer) && check_results(importer);
}

/* ---- operator after operator ---- */

/* Lets the import go on without an operator: nobody knows its results. */
static bool pass_over(struct onnx_importer *importer) {
    const struct unsupported_operator op = {onnx_string(importer->node->op_type),
                                            (int32_t)importer->opset, importer->index,
                                            onnx_context(importer)};
    if (!unsupported_note(importer->unsupported, importer->arena, &op, importer->error)) {
        return false;
    }
    for (uint32_t i = 0; i < importer->node->n_output; i++) {
        if (onnx_wants(importer, i)) {
            onnx_names_find(&importer->names, importer->node->output[i])->is_unknown = true;
        }
    }
    return true;
}

static bool import_nodes(struct onnx_importer *importer, size_t count,
                         Onnx__NodeProto *const *nodes) {
    const Onnx__NodeProto *outer = importer->node;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        importer->index = importer->scopes == 0 ? (uint32_t)i : importer->index;
        importer->node = onnx_given(importer, nodes[i]);
        good = import_operator(importer) || pass_over(importer);
    }
    importer->node = outer;
    return good;
}

/* ---- the way in ---- */

static bool import_graph(struct onnx_importer *importer, struct weft_unsupported_list *list) {
    struct unsupported kinds = {.count = 0};
    if (importer->file->n_node > ONNX_MOST_NODES) {
        return weft_fail(importer->error, WEFT_LIMIT, 0, "the graph has more than %d operators",
                         ONNX_MOST_NODES);
    }
    if (importer->file->n_sparse_initializer > 0) {
        return weft_fail(importer->error, WEFT_OPERATOR, 0,
                         "sparse initializers are not supported");
    }
    importer->unsupported = &kinds;
    return onnx_names_make(importer->arena, importer->file, &importer->names, importer->error) &&
           onnx_add_inputs(importer) &&
           import_nodes(importer, importer->file->n_node, importer->file->node) &&
           unsupported_finish(&kinds, importer->arena, list, importer->error) &&
           onnx_add_outputs(importer);
}

bool weft_import_onnx(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                      const struct weft_import_options *options,
                      struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                      struct weft_model_names *names, struct weft_error *error) {
    static const Onnx__NodeProto ends = {.op_type = (char *)(uintptr_t) "inputs and outputs"};
    struct onnx_importer importer = {.arena = arena,
                                     .options = options,
                                     .node = &ends,
                                     .steps = UINT64_C(1) << 30,
                                     .import_nodes = import_nodes,
                                     .error = error};
    const Onnx__ModelProto *model = NULL;
    if (unsupported != NULL) {
        *unsupported = (struct weft_unsupported_list){0, NULL};
    }
    if (!onnx_read(arena, bytes, length, &model, &importer.opset, error)) {
        return false;
    }
    importer.file = model->graph;
    importer.graph = weft_graph_new(arena, "main");
    if (!onnx_add_functions(&importer, model) || !import_graph(&importer, unsupported)) {
        return false;
    }
    weft_graph_name(importer.graph);
    onnx_names_list(arena, importer.file, &importer.names, names);
    *graph = importer.graph;
    return weft_graph_verify(importer.graph, error);
}
