/* Sequences of tensors: lists that are known when the model is read. Nothing of them is left. */
#include <inttypes.h>

#include "compiler/import/onnx/onnx_scope.h"

enum {
    COPIED = 8 /* so many elements cost as much as reading a tensor */
};

/* ---- what operators take and make ---- */

/* NULL: the input is no sequence, or not known. */
static const struct onnx_sequence *sequence_input(struct onnx_importer *importer, uint32_t number) {
    struct onnx_end end;
    if (!onnx_input_end(importer, number, &end)) {
        return NULL;
    }
    if (end.sequence == NULL) {
        (void)onnx_wrong(importer, WEFT_MODEL,
                         weft_arena_print(importer->arena,
                                          end.is_unknown ? "input %" PRIu32 " is not known"
                                                         : "input %" PRIu32 " is not a sequence",
                                          number));
    }
    return end.sequence;
}

/* A sequence of so many elements, which are still to come. A short file can copy one often: what
 * that costs is counted. */
static struct onnx_sequence *new_sequence(struct onnx_importer *importer, uint32_t count) {
    importer->read += 1 + count / COPIED;
    if (count > ONNX_MOST_STEPS || importer->read > ONNX_MOST_READ) {
        (void)onnx_wrong(
            importer, WEFT_LIMIT,
            "sequences have more than 4096 elements, or become more than 2^22 together "
            "with branches, bodies and functions");
        return NULL;
    }
    struct onnx_sequence *sequence = WEFT_NEW(importer->arena, struct onnx_sequence);
    sequence->count = count;
    sequence->values = WEFT_NEW_ARRAY(importer->arena, count + 1, struct weft_value *);
    return sequence;
}

static bool finish(struct onnx_importer *importer, const struct onnx_sequence *sequence) {
    const struct onnx_end end = {.sequence = sequence};
    return sequence != NULL && onnx_finish_end(importer, 0, &end);
}

/* A place in a sequence, input `number`, which may count from the end: at most `last`, which it is
 * where there is no such input. */
static bool read_place(struct onnx_importer *importer, uint32_t number, uint32_t count,
                       int64_t last, uint32_t *place) {
    int64_t at = last;
    uint32_t numbers = 1;
    if (onnx_has(importer, number) && !onnx_integers(importer, number, 1, &at, &numbers)) {
        return false;
    }
    at += at < 0 ? count : 0;
    if (numbers != 1 || at < 0 || at > last) {
        return onnx_wrong(importer, WEFT_MODEL, "its place is not one of the sequence");
    }
    *place = (uint32_t)at;
    return true;
}

/* ---- making and changing ---- */

bool onnx_sequence_empty(struct onnx_importer *importer) {
    return finish(importer, new_sequence(importer, 0));
}

bool onnx_sequence_construct(struct onnx_importer *importer) {
    struct onnx_sequence *sequence = new_sequence(importer, (uint32_t)importer->node->n_input);
    for (uint32_t i = 0; sequence != NULL && i < sequence->count; i++) {
        sequence->values[i] = onnx_input(importer, i);
        if (sequence->values[i] == NULL) {
            return false;
        }
    }
    return finish(importer, sequence);
}

bool onnx_sequence_insert(struct onnx_importer *importer) {
    const struct onnx_sequence *old = sequence_input(importer, 0);
    struct weft_value *value = old == NULL ? NULL : onnx_input(importer, 1);
    uint32_t place = 0;
    if (value == NULL || !read_place(importer, 2, old->count, old->count, &place)) {
        return false;
    }
    struct onnx_sequence *sequence = new_sequence(importer, old->count + 1);
    for (uint32_t i = 0; sequence != NULL && i < sequence->count; i++) {
        sequence->values[i] = i == place ? value : old->values[i < place ? i : i - 1];
    }
    return finish(importer, sequence);
}

bool onnx_sequence_erase(struct onnx_importer *importer) {
    const struct onnx_sequence *old = sequence_input(importer, 0);
    uint32_t place = 0;
    if (old == NULL || !read_place(importer, 1, old->count, (int64_t)old->count - 1, &place)) {
        return false;
    }
    struct onnx_sequence *sequence = new_sequence(importer, old->count - 1);
    for (uint32_t i = 0; sequence != NULL && i < sequence->count; i++) {
        sequence->values[i] = old->values[i < place ? i : i + 1];
    }
    return finish(importer, sequence);
}

/* ---- reading ---- */

bool onnx_sequence_at(struct onnx_importer *importer) {
    const struct onnx_sequence *sequence = sequence_input(importer, 0);
    uint32_t place = 0;
    return sequence != NULL &&
           read_place(importer, 1, sequence->count, (int64_t)sequence->count - 1, &place) &&
           onnx_finish(importer, sequence->values[place]);
}

bool onnx_sequence_length(struct onnx_importer *importer) {
    const struct onnx_sequence *sequence = sequence_input(importer, 0);
    return sequence != NULL &&
           onnx_finish(importer, onnx_integer(importer, WEFT_I64, sequence->count));
}

/* ---- joining and splitting ---- */

bool onnx_concat_from_sequence(struct onnx_importer *importer) {
    const struct onnx_sequence *sequence = sequence_input(importer, 0);
    bool is_new = onnx_int(importer, "new_axis", 0) != 0;
    int64_t axis = 0;
    if (sequence == NULL) {
        return false;
    }
    if (sequence->count == 0) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "the sequence is empty, and what is made of it has no shape");
    }
    struct weft_value **parts =
        WEFT_NEW_ARRAY(importer->arena, sequence->count, struct weft_value *);
    for (uint32_t i = 0; i < sequence->count; i++) {
        parts[i] = sequence->values[i];
    }
    uint32_t rank = parts[0]->type.rank + is_new;
    return onnx_plain_unless_alike(importer, sequence->count, parts) &&
           onnx_axis(importer, onnx_int(importer, "axis", INT64_MAX / 2), rank, &axis) &&
           onnx_finish(importer, is_new
                                     ? onnx_stack(importer, sequence->count, parts, (uint32_t)axis)
                                     : onnx_join(importer, sequence->count, parts, (uint32_t)axis));
}

/* The sizes of the parts along an axis of `length`, and how many there are: each 1 without input 1,
 * equal ones but for the last where that is one number. */
static bool read_parts(struct onnx_importer *importer, int64_t length, int64_t *sizes,
                       uint32_t *count, bool *is_split) {
    const struct weft_value *split = NULL;
    int64_t size = 1;
    int64_t sum = 0;
    *is_split = onnx_has(importer, 1);
    if (*is_split) {
        split = onnx_known_input(importer, 1);
        if (split == NULL || !onnx_integers(importer, 1, ONNX_MOST_PARTS, sizes, count)) {
            return false;
        }
        size = *count == 1 ? sizes[0] : 1;
    }
    if (split == NULL || split->type.rank == 0) {
        if (size < 1 || (length + size - 1) / size > ONNX_MOST_PARTS) {
            return onnx_wrong(importer, WEFT_OPERATOR, "expected 1 to 1024 parts");
        }
        *count = (uint32_t)((length + size - 1) / size);
        for (uint32_t i = 0; i < *count; i++) {
            sizes[i] = i + 1 < *count ? size : length - size * i;
        }
    }
    for (uint32_t i = 0; i < *count; i++) {
        sum = sizes[i] < 0 || sizes[i] > length - sum ? length + 1 : sum + sizes[i];
        if (sum > length) {
            break;
        }
    }
    return sum == length || onnx_wrong(importer, WEFT_MODEL, "its parts are not those of the axis");
}

bool onnx_split_to_sequence(struct onnx_importer *importer) {
    struct weft_value *x = onnx_input(importer, 0);
    int64_t sizes[ONNX_MOST_PARTS] = {0};
    int64_t dims[WEFT_MAX_RANK];
    int64_t axis = 0;
    int64_t begin = 0;
    uint32_t count = 0;
    bool is_split = false;
    if (x == NULL || !onnx_axis(importer, onnx_int(importer, "axis", 0), x->type.rank, &axis) ||
        !read_parts(importer, x->type.dim[axis], sizes, &count, &is_split)) {
        return false;
    }
    bool keeps = is_split || onnx_int(importer, "keepdims", 1) != 0;
    uint32_t rank = onnx_without_axis(x, (uint32_t)axis, dims);
    struct onnx_sequence *sequence = new_sequence(importer, count);
    for (uint32_t i = 0; sequence != NULL && i < count; i++) {
        struct weft_value *part = onnx_part(importer, x, (uint32_t)axis, begin, 1, sizes[i]);
        sequence->values[i] = keeps ? part : onnx_reshape(importer, part, rank, dims);
        if (sequence->values[i] == NULL) {
            return false;
        }
        begin += sizes[i];
    }
    return finish(importer, sequence);
}
