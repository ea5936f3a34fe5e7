/* Slices. STRIDED_SLICE: from TensorFlow's begins, ends and masks to plain elements for each axis.
 */
#include "base/integer.h"
#include "compiler/import/importer.h"

/* What the operator says, entry by entry; an entry is an axis, an ellipsis or a new axis. */
struct entries {
    uint32_t count;
    int64_t begin[WEFT_MAX_RANK];
    int64_t end[WEFT_MAX_RANK];
    int64_t step[WEFT_MAX_RANK];
};

static bool is_set(int32_t mask, uint32_t entry) {
    return ((uint32_t)mask >> entry & 1) != 0;
}

static bool read_entries(struct importer *importer, struct entries *entries) {
    uint32_t ends = 0;
    uint32_t steps = 0;
    return importer_integers(importer, 1, WEFT_MAX_RANK, entries->begin, &entries->count) &&
           importer_integers(importer, 2, WEFT_MAX_RANK, entries->end, &ends) &&
           importer_integers(importer, 3, WEFT_MAX_RANK, entries->step, &steps) &&
           ((entries->count == ends && entries->count == steps) ||
            importer_wrong(importer, WEFT_MODEL,
                           "begins, ends and strides must be as many as each other"));
}

/* A position limited to where a walk in this direction can begin or end. */
static int64_t limited(int64_t value, int64_t dim, int64_t step) {
    return step > 0 ? weft_clamp(value, 0, dim) : weft_clamp(value, -1, dim - 1);
}

/* The same, of one that may count from the end. */
static int64_t position(int64_t value, int64_t dim, int64_t step) {
    return limited(value < 0 ? weft_max(value, -dim - 1) + dim : value, dim, step);
}

/* Source: TFLite's strided_slice_logic.h. */
static bool take_entry(const struct importer *importer, const struct entries *entries,
                       uint32_t entry, int64_t dim, struct importer_slice *taken, uint32_t axis) {
    const struct tflite_options *options = &importer->op->options;
    int64_t step = entries->step[entry];
    int64_t end = entries->end[entry];
    if (step < -INT32_MAX || step > INT32_MAX || step == 0) {
        return importer_wrong(importer, WEFT_MODEL, "a stride is 0 or has more than 32 bits");
    }
    int64_t begin = is_set(options->begin_mask, entry) ? (step > 0 ? 0 : dim - 1)
                                                       : position(entries->begin[entry], dim, step);
    if (is_set(options->end_mask, entry)) {
        end = step > 0 ? dim : -1;
    } else if (options->end_is_offset) {
        end = limited(begin + weft_clamp(end, -INT32_MAX, INT32_MAX), dim, step);
    } else {
        end = position(end, dim, step);
    }
    if (is_set(options->shrink_axis_mask, entry)) {
        if (step < 0 || begin < 0 || begin >= dim) {
            return importer_wrong(importer, WEFT_MODEL, "it takes an element outside its input");
        }
        end = begin + 1;
    }
    int64_t length = step > 0 ? end - begin : begin - end;
    taken->begin[axis] = begin;
    taken->step[axis] = step;
    taken->size[axis] = length <= 0 ? 0 : weft_ceil_div(length, step > 0 ? step : -step);
    return true;
}

static void take_all(const struct weft_type *x, struct importer_slice *taken, uint32_t *axis,
                     uint32_t until) {
    for (; *axis < until; (*axis)++) {
        taken->begin[*axis] = 0;
        taken->step[*axis] = 1;
        taken->size[*axis] = x->dim[*axis];
    }
}

/* How many axes of the input the entries from `first` on stand for. */
static uint32_t axes_of(const struct importer *importer, const struct entries *entries,
                        uint32_t first) {
    uint32_t count = 0;
    for (uint32_t i = first; i < entries->count; i++) {
        count += !is_set(importer->op->options.new_axis_mask, i);
    }
    return count;
}

static bool take(const struct importer *importer, const struct entries *entries,
                 const struct weft_type *x, struct importer_slice *taken) {
    const struct tflite_options *options = &importer->op->options;
    uint32_t axis = 0;
    bool seen = false;
    for (uint32_t i = 0; i < entries->count; i++) {
        if (is_set(options->ellipsis_mask, i) && !seen) {
            uint32_t rest = axes_of(importer, entries, i + 1);
            seen = true;
            take_all(x, taken, &axis, x->rank > rest ? x->rank - rest : 0);
        } else if (is_set(options->ellipsis_mask, i)) {
            return importer_wrong(importer, WEFT_MODEL, "it has more than one ellipsis");
        } else if (is_set(options->new_axis_mask, i)) {
            continue;
        } else if (axis >= x->rank) {
            return importer_wrong(importer, WEFT_MODEL, "it has more entries than its input axes");
        } else if (take_entry(importer, entries, i, x->dim[axis], taken, axis)) {
            axis++;
        } else {
            return false;
        }
    }
    take_all(x, taken, &axis, x->rank);
    return true;
}

/* New axes and dropped ones only change the shape, which is that of the output tensor. */
bool import_strided_slice(struct importer *importer) {
    struct weft_value *x = NULL;
    struct weft_value *value = NULL;
    struct weft_type type = {0};
    struct entries entries = {0};
    struct importer_slice taken = {0};
    if (!importer_need_options(importer, TFLITE_TABLE_STRIDED_SLICE) ||
        !importer_input(importer, 0, &x) || !read_entries(importer, &entries) ||
        !importer_result_type(importer, 0, &type) || !take(importer, &entries, &x->type, &taken)) {
        return false;
    }
    if (!importer_add_slice(importer, x, &taken, &value)) {
        return false;
    }
    if (weft_type_elements(&value->type) != weft_type_elements(&type)) {
        return importer_wrong(importer, WEFT_MODEL,
                              "the shape of its output is not what it takes of its input");
    }
    return importer_finish(importer, 0, importer_reshape(importer, value, type.rank, type.dim));
}

/* Inputs: x, begins, sizes; a size of -1 stands for the rest. */
bool import_slice(struct importer *importer) {
    struct weft_value *x = NULL;
    struct importer_slice slice;
    uint32_t begins = 0;
    uint32_t sizes = 0;
    if (!importer_input(importer, 0, &x)) {
        return false;
    }
    slice = importer_whole_slice(&x->type);
    if (!importer_integers(importer, 1, WEFT_MAX_RANK, slice.begin, &begins) ||
        !importer_integers(importer, 2, WEFT_MAX_RANK, slice.size, &sizes)) {
        return false;
    }
    if (begins != x->type.rank || sizes != x->type.rank) {
        return importer_wrong(importer, WEFT_MODEL, "expected a begin and a size for each axis");
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (slice.size[i] == -1 && slice.begin[i] >= 0 && slice.begin[i] <= x->type.dim[i]) {
            slice.size[i] = x->type.dim[i] - slice.begin[i];
        }
    }
    return importer_add_slice(importer, x, &slice, &x) && importer_finish(importer, 0, x);
}

/* The axis from its end to its begin. */
static void reverse_axis(struct importer_slice *slice, int64_t axis) {
    slice->begin[axis] = slice->size[axis] - 1;
    slice->step[axis] = -1;
}

/* Inputs: x, axes. */
bool import_reverse(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t axes[WEFT_MAX_RANK];
    uint32_t count = 0;
    if (!importer_input(importer, 0, &x) ||
        !importer_integers(importer, 1, WEFT_MAX_RANK, axes, &count)) {
        return false;
    }
    struct importer_slice slice = importer_whole_slice(&x->type);
    for (uint32_t i = 0; i < count; i++) {
        if (!importer_axis(importer, axes[i], x->type.rank, &axes[i])) {
            return false;
        }
        reverse_axis(&slice, axes[i]);
    }
    return importer_add_slice(importer, x, &slice, &x) && importer_finish(importer, 0, x);
}

/* ---- mirrors ---- */

/* `count` elements of an axis backwards, from `begin` on. */
static bool mirrored(struct importer *importer, struct weft_value *x, uint32_t axis, int64_t begin,
                     int64_t count, struct weft_value **part) {
    struct importer_slice slice = importer_whole_slice(&x->type);
    slice.begin[axis] = begin;
    slice.step[axis] = -1;
    slice.size[axis] = count;
    return importer_add_slice(importer, x, &slice, part);
}

/* One axis with its mirrored ends; `edge`: 1 when the edge itself is not repeated. */
static bool mirror_axis(struct importer *importer, uint32_t axis, int64_t before, int64_t after,
                        int64_t edge, struct weft_value **x) {
    int64_t dim = (*x)->type.dim[axis];
    struct weft_value *parts[3] = {NULL, NULL, NULL};
    uint32_t count = 0;
    if (before < 0 || after < 0 || before > dim - edge || after > dim - edge) {
        return importer_wrong(importer, WEFT_MODEL, "a pad is longer than what it mirrors");
    }
    if (before > 0 && !mirrored(importer, *x, axis, before - 1 + edge, before, &parts[count++])) {
        return false;
    }
    parts[count++] = *x;
    if (after > 0 && !mirrored(importer, *x, axis, dim - 1 - edge, after, &parts[count++])) {
        return false;
    }
    struct weft_attribute attribute = weft_attr_int(importer->arena, WEFT_ATTR_axis, axis);
    return count == 1 ||
           importer_infer(importer, WEFT_OP_CONCATENATE, count, parts, 1, &attribute, x);
}

/* Inputs: x, two pads for each axis. */
bool import_mirror_pad(struct importer *importer) {
    struct weft_value *x = NULL;
    int64_t pads[2 * WEFT_MAX_RANK];
    uint32_t count = 0;
    int64_t edge = importer->op->options.mirror_mode == 0 ? 1 : 0;
    if (!importer_need_options(importer, TFLITE_TABLE_MIRROR_PAD) ||
        !importer_input(importer, 0, &x) ||
        !importer_integers(importer, 1, 2 * WEFT_MAX_RANK, pads, &count)) {
        return false;
    }
    if (count != 2 * x->type.rank) {
        return importer_wrong(importer, WEFT_MODEL, "expected two pads for each dimension");
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (!mirror_axis(importer, i, pads[2 * i], pads[2 * i + 1], edge, &x)) {
            return false;
        }
    }
    return importer_finish(importer, 0, x);
}
