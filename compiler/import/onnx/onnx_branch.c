/* If: the branch that is taken, where its condition is known; where it depends on inputs, both, and
 * for each result a choice between them. */
#include "compiler/import/onnx/onnx_scope.h"

/* What a branch makes of the operator's results. */
static bool read_branch(struct onnx_importer *importer, const char *name, struct onnx_end *made) {
    const Onnx__GraphProto *branch = onnx_graph(importer, name);
    struct onnx_scope scope;
    if (branch == NULL) {
        return false;
    }
    if (branch->n_input > 0 || branch->n_output != importer->node->n_output) {
        return onnx_wrong(importer, WEFT_MODEL,
                          "a branch has inputs, or another number of outputs");
    }
    return onnx_enter(importer, branch, true, &scope) &&
           onnx_read_scope(importer, &scope, branch, branch->n_output, made);
}

/* One of two, which must be alike: no shape depends on a condition. */
static bool choose(struct onnx_importer *importer, struct weft_value *condition,
                   const struct onnx_end *a, const struct onnx_end *b, struct onnx_end *chosen) {
    *chosen = *a;
    chosen->is_unknown = a->is_unknown || b->is_unknown;
    if (chosen->is_unknown || (a->value == b->value && a->sequence == b->sequence)) {
        return true;
    }
    if (a->value == NULL || b->value == NULL) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "its condition depends on inputs, and its branches make sequences");
    }
    struct weft_value *first = onnx_plain(importer, a->value);
    struct weft_value *second = onnx_plain(importer, b->value);
    if (first != NULL && second != NULL && !weft_type_equal(&first->type, &second->type)) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "its condition depends on inputs, and its branches make other shapes or "
                          "types");
    }
    chosen->value = onnx_select(importer, condition, first, second);
    return chosen->value != NULL;
}

bool onnx_if(struct onnx_importer *importer) {
    size_t count = importer->node->n_output;
    struct onnx_end *made = WEFT_NEW_ARRAY(importer->arena, count, struct onnx_end);
    struct onnx_end *others = WEFT_NEW_ARRAY(importer->arena, count, struct onnx_end);
    struct weft_value *condition = onnx_input(importer, 0);
    bool is_known = false;
    bool taken = true;
    bool good = condition != NULL && onnx_condition(importer, condition, &is_known, &taken);
    if (good && is_known) {
        good = read_branch(importer, taken ? "then_branch" : "else_branch", made);
    } else if (good) {
        condition = onnx_reshape(importer, condition, 0, NULL);
        good = condition != NULL && read_branch(importer, "then_branch", made) &&
               read_branch(importer, "else_branch", others);
        for (size_t i = 0; good && i < count; i++) {
            good = choose(importer, condition, &made[i], &others[i], &made[i]);
        }
    }
    for (uint32_t i = 0; good && i < count; i++) {
        good = onnx_finish_end(importer, i, &made[i]);
    }
    return good;
}
