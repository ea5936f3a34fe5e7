/* Inputs and results of the operator. */
#include <inttypes.h>
#include <string.h>

#include "compiler/import/onnx/onnx_importer.h"

/* ---- inputs ---- */

bool onnx_has(const struct onnx_importer *importer, uint32_t number) {
    return number < importer->node->n_input && importer->node->input[number][0] != '\0';
}

struct weft_value *onnx_input(struct onnx_importer *importer, uint32_t number) {
    if (!onnx_has(importer, number)) {
        return onnx_none(importer, WEFT_MODEL,
                         weft_arena_print(importer->arena, "input %" PRIu32 " is missing", number));
    }
    const char *name = importer->node->input[number];
    struct onnx_tensor *tensor = onnx_names_find(&importer->names, name);
    if (tensor == NULL) {
        return onnx_none(
            importer, WEFT_MODEL,
            weft_arena_print(importer->arena, "nothing makes its input '%.80s'", name));
    }
    if (tensor->value == NULL && tensor->initializer != NULL) {
        tensor->value = onnx_constant(importer, tensor->initializer);
        if (tensor->value != NULL) {
            tensor->value->name = tensor->name;
        }
        return tensor->value;
    }
    if (tensor->value == NULL) {
        return onnx_none(importer, WEFT_MODEL,
                         weft_arena_print(importer->arena,
                                          tensor->sequence != NULL
                                              ? "its input '%.80s' is a sequence"
                                          : tensor->is_unknown
                                              ? "its input '%.80s' is not known"
                                              : "its input '%.80s' is made only by this operator "
                                                "or a later one: the graph has a cycle or is out "
                                                "of order",
                                          name));
    }
    return tensor->value;
}

struct weft_value *onnx_computed_input(struct onnx_importer *importer, uint32_t number) {
    return onnx_computed(importer, onnx_input(importer, number));
}

struct weft_value *onnx_float_input(struct onnx_importer *importer, uint32_t number) {
    struct weft_value *value = onnx_computed_input(importer, number);
    if (value != NULL && value->type.dtype != WEFT_F32) {
        return onnx_none(importer, WEFT_OPERATOR,
                         weft_arena_print(importer->arena,
                                          "input %" PRIu32 " is of %s, expected FLOAT", number,
                                          weft_dtype_file_name(value->type.dtype)));
    }
    return value;
}

/* What the caller knows of an input of the model; else the value itself. */
struct weft_value *onnx_known(struct onnx_importer *importer, struct weft_value *value) {
    const struct weft_import_options *options = importer->options;
    if (value == NULL || value->producer != NULL || options->known == NULL) {
        return value;
    }
    void *bytes = weft_arena_allocate(importer->arena, weft_type_bytes(&value->type) + 1, 1);
    return options->known(options->context, value->index, &value->type, bytes)
               ? onnx_data(importer, value->type.dtype, value->type.rank, value->type.dim, bytes)
               : value;
}

struct weft_value *onnx_known_input(struct onnx_importer *importer, uint32_t number) {
    struct weft_value *value = onnx_input(importer, number);
    return onnx_known(importer, value);
}

/* The elements of a constant input, at most `most`. */
static const uint8_t *constant_input(struct onnx_importer *importer, uint32_t number, uint32_t most,
                                     struct weft_type *type, uint32_t *count) {
    const struct weft_value *value = onnx_computed(importer, onnx_known_input(importer, number));
    const uint8_t *data = value == NULL ? NULL : weft_value_data(value);
    if (value == NULL) {
        return NULL;
    }
    if (data == NULL || weft_type_elements(&value->type) > most) {
        onnx_none(importer, WEFT_OPERATOR,
                  weft_arena_print(importer->arena,
                                   "input %" PRIu32 " must be known when the model is read, and "
                                   "have at most %" PRIu32 " elements",
                                   number, most));
        return NULL;
    }
    *type = value->type;
    *count = (uint32_t)weft_type_elements(type);
    return data;
}

bool onnx_integers(struct onnx_importer *importer, uint32_t number, uint32_t most, int64_t *values,
                   uint32_t *count) {
    struct weft_type type;
    uint32_t found = 0;
    const uint8_t *data = constant_input(importer, number, most, &type, &found);
    if (data == NULL) {
        return false;
    }
    if (type.dtype == WEFT_F32) {
        return onnx_wrong(importer, WEFT_MODEL, "sizes, axes and positions must be integers");
    }
    for (uint32_t i = 0; i < found; i++) {
        values[i] = weft_element(type.dtype, data, i);
    }
    *count = found;
    return true;
}

bool onnx_floats(struct onnx_importer *importer, uint32_t number, uint32_t most, float *values,
                 uint32_t *count) {
    struct weft_type type;
    uint32_t found = 0;
    const uint8_t *data = constant_input(importer, number, most, &type, &found);
    if (data == NULL) {
        return false;
    }
    if (type.dtype != WEFT_F32) {
        return onnx_wrong(importer, WEFT_MODEL, "expected FLOAT elements");
    }
    memcpy(values, data, found * sizeof *values);
    *count = found;
    return true;
}

bool onnx_named_axes(struct onnx_importer *importer, int64_t axes[WEFT_MAX_RANK], uint32_t *count) {
    const Onnx__AttributeProto *attribute = onnx_attribute(importer, "axes");
    *count = 0;
    if (attribute == NULL) {
        return !onnx_has(importer, 1) || onnx_integers(importer, 1, WEFT_MAX_RANK, axes, count);
    }
    if (attribute->n_ints > WEFT_MAX_RANK) {
        return onnx_wrong(importer, WEFT_MODEL, "more than 8 axes");
    }
    for (; *count < attribute->n_ints; (*count)++) {
        axes[*count] = attribute->ints[*count];
    }
    return true;
}

/* ---- results ---- */

bool onnx_wants(const struct onnx_importer *importer, uint32_t number) {
    return number < importer->node->n_output && importer->node->output[number][0] != '\0';
}

bool onnx_finish_at(struct onnx_importer *importer, uint32_t number, struct weft_value *value) {
    if (value == NULL) {
        return false;
    }
    if (onnx_wants(importer, number)) {
        struct onnx_tensor *tensor =
            onnx_names_find(&importer->names, importer->node->output[number]);
        tensor->value = value;
        value->tensor = value->tensor < 0 ? tensor->index : value->tensor;
        value->name = value->name == NULL ? tensor->name : value->name;
    }
    return true;
}

bool onnx_finish(struct onnx_importer *importer, struct weft_value *value) {
    return onnx_finish_at(importer, 0, value);
}

bool onnx_finish_as(struct onnx_importer *importer, struct weft_value *value,
                    enum weft_dtype dtype) {
    return onnx_finish(importer, onnx_cast(importer, value, dtype));
}

bool onnx_finish_like(struct onnx_importer *importer, struct weft_value *value) {
    const struct weft_value *like = onnx_input(importer, 0);
    return like != NULL && onnx_finish_as(importer, value, like->type.dtype);
}
