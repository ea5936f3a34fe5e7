#include "compiler/import/onnx/onnx_importer.h"

#include <inttypes.h>

/* ---- failing ---- */

const char *onnx_context(const struct onnx_importer *importer) {
    const char *name = onnx_string(importer->node->name);
    return weft_arena_print(importer->arena, "operator %" PRIu32 " (%.60s%s%.60s%s)",
                            importer->index, onnx_string(importer->node->op_type),
                            name[0] == '\0' ? "" : " '", name, name[0] == '\0' ? "" : "'");
}

bool onnx_wrong(const struct onnx_importer *importer, enum weft_error_code code, const char *what) {
    return weft_fail(importer->error, code, importer->index, "%s: %s", onnx_context(importer),
                     what);
}

struct weft_value *onnx_none(const struct onnx_importer *importer, enum weft_error_code code,
                             const char *what) {
    onnx_wrong(importer, code, what);
    return NULL;
}

/* ---- shapes ---- */

bool onnx_is_bearable(const struct weft_type *type) {
    int64_t elements = 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dim[i] < 0 || type->dim[i] > WEFT_MAX_ELEMENTS) {
            return false;
        }
        elements *= type->dim[i] == 0 ? 1 : type->dim[i];
        if (elements > WEFT_MAX_ELEMENTS) {
            return false;
        }
    }
    return true;
}

/* ---- axes ---- */

bool onnx_axis(const struct onnx_importer *importer, int64_t axis, uint32_t rank, int64_t *result) {
    *result = axis < 0 ? axis + (int64_t)rank : axis;
    return (*result >= 0 && *result < (int64_t)rank) ||
           onnx_wrong(importer, WEFT_MODEL,
                      weft_arena_print(importer->arena,
                                       "axis %" PRId64 " is not one of a tensor of %" PRIu32
                                       " dimensions",
                                       axis, rank));
}

bool onnx_axes(const struct onnx_importer *importer, uint32_t count, const int64_t *axes,
               uint32_t rank, uint32_t *mask) {
    *mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = 0;
        if (!onnx_axis(importer, axes[i], rank, &axis)) {
            return false;
        }
        if ((*mask >> axis & 1) != 0) {
            return onnx_wrong(importer, WEFT_MODEL, "an axis is named twice");
        }
        *mask |= UINT32_C(1) << axis;
    }
    return true;
}
