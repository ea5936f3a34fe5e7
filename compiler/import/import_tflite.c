/* TFLite models in the quantised dialect: the way in. */
#include "compiler/import/import.h"

#include <inttypes.h>

#include "compiler/import/importer.h"
#include "compiler/import/operators.h"
#include "compiler/import/unsupported.h"

/* ---- the table of operators ---- */

enum {
    MANY = IMPORTER_MOST_PARTS,
};

struct entry {
    import_function *import;
    int32_t code;
    uint32_t most_outputs;
    uint32_t operand; /* whose element type the table names */
    bool is_pending;
};

static const struct entry entries[] = {
#define TFLITE_SUPPORTED(code, NAME, import, outputs, operand, types, place, conditions)           \
    {import, code, outputs, operand, false},
#define TFLITE_PENDING(code, NAME, import, outputs, operand, types, place, conditions)             \
    {import, code, outputs, operand, true},
#include "compiler/import/tflite_operators.def"
};

/* Every output is a tensor that nothing else makes, not even another output of the operator. */
static bool check_outputs(const struct importer *importer, uint32_t most) {
    const struct tflite_operator *op = importer->op;
    bool good = op->output_count > 0 && op->output_count <= most;
    for (uint32_t i = 0; good && i < op->output_count; i++) {
        good = importer->raw[op->outputs[i]] == NULL;
        for (uint32_t k = 0; good && k < i; k++) {
            good = op->outputs[k] != op->outputs[i];
        }
    }
    return good || importer_wrong(importer, WEFT_MODEL,
                                  "expected as many outputs as the operator has, tensors that "
                                  "nothing else makes");
}

/* "INT8, UINT8 or FLOAT32" */
static const char *type_names(struct weft_arena *arena, uint32_t types) {
    const char *names = "";
    for (enum weft_dtype dtype = 0; dtype < WEFT_DTYPES; dtype++) {
        if ((types >> dtype & 1) != 0) {
            names = weft_arena_print(arena, "%s%s%s", names,
                                     names[0] == '\0'            ? ""
                                     : types >> (dtype + 1) == 0 ? " or "
                                                                 : ", ",
                                     weft_dtype_file_name(dtype));
        }
    }
    return names;
}

/* Element types that the schema or the graph does not have at all are left to who reads them. */
static bool check_type(const struct importer *importer, uint32_t operand, uint32_t types) {
    if (!importer_has_input(importer, operand)) {
        return true;
    }
    const struct tflite_tensor *tensor = &importer->file.tensors[importer->op->inputs[operand]];
    const struct importer_storage *storage = importer_storage(tensor->type);
    return storage == NULL || (types >> storage->dtype & 1) != 0 ||
           importer_wrong_type(importer, WEFT_OPERATOR,
                               weft_arena_print(importer->arena, "%s is not supported, expected %s",
                                                tensor->type_name,
                                                type_names(importer->arena, types)));
}

static bool import_operator(struct importer *importer) {
    const struct weft_tflite_operator *facts = weft_tflite_find(importer->op->code);
    for (size_t i = 0; facts != NULL && i < sizeof entries / sizeof entries[0]; i++) {
        const struct entry *entry = &entries[i];
        if (entry->code == facts->code && !entry->is_pending) {
            return check_outputs(importer, entry->most_outputs) &&
                   check_type(importer, entry->operand, facts->types) && entry->import(importer);
        }
    }
    return importer_wrong(importer, WEFT_OPERATOR, "this operator is not supported");
}

/* Outputs that cannot be typed either are left out: their users are passed over. */
static void make_opaque(struct importer *importer) {
    const struct tflite_operator *op = importer->op;
    struct weft_error ignored;
    struct weft_error *error = importer->error;
    importer->error = &ignored;
    for (uint32_t i = 0; i < op->output_count; i++) {
        struct weft_type type = {0};
        if (importer->raw[op->outputs[i]] == NULL &&
            importer_raw_type(importer, op->outputs[i], &type)) {
            importer->raw[op->outputs[i]] =
                importer_add(importer, WEFT_OP_OPAQUE, 0, NULL, 0, NULL, &type);
        }
    }
    importer->error = error;
}

/* Lets the import go on without an operator: its outputs are of their declared types, nobody knows
 * what they hold. */
static bool pass_over(struct importer *importer, struct unsupported *unsupported) {
    const struct unsupported_operator op = {importer->op->name, importer->op->version,
                                            importer->index, importer_context(importer)};
    if (!unsupported_note(unsupported, importer->arena, &op, importer->error)) {
        return false;
    }
    make_opaque(importer);
    return true;
}

static bool import_operators(struct importer *importer, struct unsupported *unsupported) {
    for (importer->index = 0; importer->index < importer->file.operator_count; importer->index++) {
        importer->op = &importer->file.operators[importer->index];
        if (!import_operator(importer) && !pass_over(importer, unsupported)) {
            return false;
        }
    }
    return true;
}

/* ---- the way in ---- */

static void count_uses(struct importer *importer, uint32_t count, const int32_t *tensors) {
    for (uint32_t i = 0; i < count; i++) {
        if (tensors[i] >= 0) {
            importer->uses[tensors[i]]++;
        }
    }
}

static void count_all_uses(struct importer *importer) {
    const struct tflite_file *file = &importer->file;
    importer->uses = WEFT_NEW_ARRAY(importer->arena, file->tensor_count, uint32_t);
    count_uses(importer, file->input_count, file->inputs);
    count_uses(importer, file->output_count, file->outputs);
    for (uint32_t i = 0; i < file->operator_count; i++) {
        count_uses(importer, file->operators[i].input_count, file->operators[i].inputs);
        count_uses(importer, file->operators[i].output_count, file->operators[i].outputs);
    }
}

static bool add_inputs(struct importer *importer) {
    for (uint32_t i = 0; i < importer->file.input_count; i++) {
        int32_t index = importer->file.inputs[i];
        struct weft_type type = {0};
        if (!importer_raw_type(importer, index, &type)) {
            return false;
        }
        if (importer->raw[index] != NULL) {
            return importer_wrong(importer, WEFT_MODEL, "a tensor is an input twice");
        }
        importer->raw[index] = weft_graph_add_input(importer->graph, &type, NULL, index);
    }
    return true;
}

static bool add_outputs(struct importer *importer) {
    for (uint32_t i = 0; i < importer->file.output_count; i++) {
        struct weft_value *value = NULL;
        struct weft_type type = {0};
        if (!importer_raw_type(importer, importer->file.outputs[i], &type) ||
            !importer_raw(importer, importer->file.outputs[i], &value)) {
            return false;
        }
        weft_graph_add_output(importer->graph, value);
    }
    return true;
}

/* Models whose inputs are of any size say 1: what does not fit then may be because of that. */
static bool tell_open_inputs(const struct importer *importer) {
    const struct tflite_file *file = &importer->file;
    struct weft_error *error = importer->error;
    for (uint32_t i = 0; i < file->input_count; i++) {
        const struct tflite_tensor *tensor = &file->tensors[file->inputs[i]];
        if (tensor->is_open) {
            const char *message = weft_arena_print(importer->arena, "%s", error->message);
            return weft_fail(error, error->code, error->position,
                             "%s; the model leaves dimensions of its input %u open, which are "
                             "taken as 1: convert it with a fixed shape",
                             message, i);
        }
    }
    return false;
}

bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                        struct weft_error *error) {
    static const struct tflite_operator inputs = {.name = "inputs"};
    struct importer importer = {.arena = arena, .op = &inputs, .error = error};
    struct unsupported kinds = {.count = 0};
    if (unsupported != NULL) {
        *unsupported = (struct weft_unsupported_list){0, NULL};
    }
    if (!tflite_file_read(arena, bytes, length, &importer.file, error)) {
        return false;
    }
    importer.graph = weft_graph_new(arena, "main");
    importer.raw = WEFT_NEW_ARRAY(arena, importer.file.tensor_count, struct weft_value *);
    importer.values = WEFT_NEW_ARRAY(arena, importer.file.tensor_count, struct weft_value *);
    count_all_uses(&importer);
    if (!add_inputs(&importer) || !import_operators(&importer, &kinds) ||
        !unsupported_finish(&kinds, arena, unsupported, error) || !add_outputs(&importer)) {
        return tell_open_inputs(&importer);
    }
    weft_graph_name(importer.graph);
    *graph = importer.graph;
    return weft_graph_verify(importer.graph, error);
}
