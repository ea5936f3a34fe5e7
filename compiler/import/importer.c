#include "compiler/import/importer.h"
#include "compiler/import/fold.h"

#include <inttypes.h>

#include "base/integer.h"

const char *importer_context(const struct importer *importer) {
    return weft_arena_print(importer->arena, "operator %" PRIu32 " (%s version %" PRId32 ")",
                            importer->index, importer->op->name, importer->op->version);
}

bool importer_wrong(const struct importer *importer, enum weft_error_code code, const char *what) {
    return weft_fail(importer->error, code, importer->index, "%s: %s", importer_context(importer),
                     what);
}

/* The element types of tensors, as the file names them; of many the first ones. */
static const char *type_names(const struct importer *importer, uint32_t count,
                              const int32_t *tensors) {
    static const uint32_t most = 8;
    const char *names = count == 0 ? "none" : "";
    for (uint32_t i = 0; i < count && i < most; i++) {
        const struct tflite_tensor *tensor =
            tensors[i] < 0 ? NULL : &importer->file.tensors[tensors[i]];
        names = weft_arena_print(importer->arena, "%s%s%s%s", names, i == 0 ? "" : ", ",
                                 tensor == NULL ? "none" : tensor->type_name,
                                 tensor == NULL || tensor->scale_count == 0 ? "" : " (quantised)");
    }
    return count > most ? weft_arena_print(importer->arena, "%s, ...", names) : names;
}

bool importer_wrong_type(const struct importer *importer, enum weft_error_code code,
                         const char *what) {
    const struct tflite_operator *op = importer->op;
    return importer_wrong(importer, code,
                          weft_arena_print(importer->arena, "%s; inputs: %s; outputs: %s", what,
                                           type_names(importer, op->input_count, op->inputs),
                                           type_names(importer, op->output_count, op->outputs)));
}

/* ---- checks ---- */

bool importer_need_options(const struct importer *importer, int32_t table) {
    return importer->op->options.table == table ||
           importer_wrong(importer, WEFT_MODEL, "its options are missing");
}

bool importer_need_quantized(const struct importer *importer, const struct weft_value *value) {
    enum weft_dtype dtype = value->type.dtype;
    return ((dtype == WEFT_I8 || dtype == WEFT_I16) && value->type.quantization.count > 0) ||
           importer_wrong_type(importer, WEFT_OPERATOR,
                               "expected FLOAT32 or quantised INT8, UINT8 or INT16");
}

/* ---- building ---- */

struct weft_value *importer_add(struct importer *importer, enum weft_operator op,
                                uint32_t input_count, struct weft_value *const *inputs,
                                uint32_t attribute_count, const struct weft_attribute *attributes,
                                const struct weft_type *type) {
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    return weft_node_add_result(importer->graph, node, type, -1);
}

bool importer_infer_node(struct importer *importer, const struct weft_node *node,
                         struct weft_type *types) {
    if (weft_node_infer(importer->arena, node, types, importer->error)) {
        return true;
    }
    importer->error->code = WEFT_MODEL;
    importer->error->position = importer->index;
    return weft_fail_context(importer->error, "%s", importer_context(importer));
}

bool importer_infer(struct importer *importer, enum weft_operator op, uint32_t input_count,
                    struct weft_value *const *inputs, uint32_t attribute_count,
                    const struct weft_attribute *attributes, struct weft_value **value) {
    struct weft_type type = {0};
    struct weft_node *node =
        weft_graph_add_node(importer->graph, op, input_count, inputs, attribute_count, attributes);
    node->source = (int32_t)importer->index;
    if (!importer_infer_node(importer, node, &type)) {
        return false;
    }
    *value = fold_small(importer->graph, weft_node_add_result(importer->graph, node, &type, -1));
    return true;
}

bool importer_declare(struct importer *importer, enum weft_operator op, uint32_t input_count,
                      struct weft_value *const *inputs, uint32_t attribute_count,
                      const struct weft_attribute *attributes, const struct weft_type *type,
                      struct weft_value **value) {
    struct weft_type inferred = {0};
    *value = importer_add(importer, op, input_count, inputs, attribute_count, attributes, type);
    return importer_infer_node(importer, (*value)->producer, &inferred) &&
           (weft_type_equal(type, &inferred) ||
            importer_wrong_type(importer, WEFT_MODEL,
                                "the type of its output tensor is not what follows from its "
                                "inputs"));
}

struct weft_value *importer_reshape(struct importer *importer, struct weft_value *value,
                                    uint32_t rank, const int64_t *dims) {
    struct weft_type type = weft_type_make(value->type.dtype, rank, dims);
    type.quantization = value->type.quantization;
    return weft_shape_equal(&type, &value->type)
               ? value
               : fold_small(importer->graph,
                            importer_add(importer, WEFT_OP_RESHAPE, 1, &value, 0, NULL, &type));
}

struct importer_slice importer_whole_slice(const struct weft_type *type) {
    struct importer_slice slice = {{0}, {0}, {0}};
    for (uint32_t i = 0; i < type->rank; i++) {
        slice.step[i] = 1;
        slice.size[i] = type->dim[i];
    }
    return slice;
}

bool importer_add_slice(struct importer *importer, struct weft_value *x,
                        const struct importer_slice *slice, struct weft_value **value) {
    const struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_begin, x->type.rank, slice->begin),
        weft_attr_ints(importer->arena, WEFT_ATTR_steps, x->type.rank, slice->step),
        weft_attr_ints(importer->arena, WEFT_ATTR_sizes, x->type.rank, slice->size),
    };
    return importer_infer(importer, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes, value);
}

bool importer_padding(const struct importer *importer, int64_t size, int64_t kernel,
                      int64_t dilation, int64_t stride, int64_t *before, int64_t *after) {
    *before = 0;
    *after = 0;
    if (stride < 1 || dilation < 1 || kernel < 1) {
        return importer_wrong(importer, WEFT_MODEL,
                              "strides, dilations and kernels must be positive");
    }
    if (importer->op->options.padding == TFLITE_PADDING_SAME) {
        int64_t reach = (kernel - 1) * dilation + 1;
        int64_t total = weft_max((weft_ceil_div(size, stride) - 1) * stride + reach - size, 0);
        *before = total / 2;
        *after = total - *before;
    } else if (importer->op->options.padding != TFLITE_PADDING_VALID) {
        return importer_wrong(importer, WEFT_MODEL, "padding must be SAME or VALID");
    }
    return true;
}
