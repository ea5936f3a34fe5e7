/* STRIDED_SLICE: from TensorFlow's begins, ends and masks to plain elements for each axis. */
#include "base/integer.h"
#include "compiler/import/importer.h"

/* What the operator says, entry by entry; an entry is an axis, an ellipsis or a new axis. */
struct entries {
    uint32_t count;
    int64_t begin[WEFT_MAX_RANK];
    int64_t end[WEFT_MAX_RANK];
    int64_t step[WEFT_MAX_RANK];
};

/* What is taken of each axis of the input. */
struct taken {
    int64_t begin[WEFT_MAX_RANK];
    int64_t step[WEFT_MAX_RANK];
    int64_t size[WEFT_MAX_RANK];
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
                       uint32_t entry, int64_t dim, struct taken *taken, uint32_t axis) {
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

static void take_all(const struct weft_type *x, struct taken *taken, uint32_t *axis,
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
                 const struct weft_type *x, struct taken *taken) {
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
    struct taken taken = {0};
    if (!importer_need_options(importer, TFLITE_TABLE_STRIDED_SLICE) ||
        !importer_input(importer, 0, &x) || !read_entries(importer, &entries) ||
        !importer_result_type(importer, 0, &type) || !take(importer, &entries, &x->type, &taken)) {
        return false;
    }
    struct weft_attribute attributes[] = {
        weft_attr_ints(importer->arena, WEFT_ATTR_begin, x->type.rank, taken.begin),
        weft_attr_ints(importer->arena, WEFT_ATTR_steps, x->type.rank, taken.step),
        weft_attr_ints(importer->arena, WEFT_ATTR_sizes, x->type.rank, taken.size),
    };
    if (!importer_infer(importer, WEFT_OP_STRIDED_SLICE, 1, &x, 3, attributes, &value)) {
        return false;
    }
    if (weft_type_elements(&value->type) != weft_type_elements(&type)) {
        return importer_wrong(importer, WEFT_MODEL,
                              "the shape of its output is not what it takes of its input");
    }
    return importer_finish(importer, 0, importer_reshape(importer, value, type.rank, type.dim));
}
