/* Operators whose results are known when the model is read: shapes, and what is computed of them.
 */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/import/importer.h"

enum {
    MOST_NUMBERS = 1 << 16 /* of a range */
};

/* Makes numbers the result, as its type asks for. */
static bool finish_numbers(struct importer *importer, uint32_t rank, uint32_t count,
                           const int64_t *numbers) {
    struct weft_type type = {0};
    int64_t dims[1] = {count};
    if (!importer_result_type(importer, 0, &type)) {
        return false;
    }
    if (type.dtype != WEFT_I32 && type.dtype != WEFT_I64) {
        return importer_wrong_type(importer, WEFT_MODEL, "its output must be INT32 or INT64");
    }
    type = weft_type_make(type.dtype, rank, dims);
    size_t size = weft_dtype_bytes(type.dtype);
    uint8_t *data = weft_arena_allocate(importer->arena, (size_t)count + 1, size);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(data + size * i, &numbers[i], size); /* little-endian */
    }
    return importer_finish(importer, 0,
                           weft_graph_add_constant(importer->graph, &type, data, NULL, -1));
}

bool import_shape(struct importer *importer) {
    struct weft_value *x = NULL;
    return importer_input(importer, 0, &x) &&
           finish_numbers(importer, 1, x->type.rank, x->type.dim);
}

bool import_rank(struct importer *importer) {
    struct weft_value *x = NULL;
    if (!importer_input(importer, 0, &x)) {
        return false;
    }
    int64_t rank = x->type.rank;
    return finish_numbers(importer, 0, 1, &rank);
}

/* Inputs: two shapes. The result is that of both broadcast against each other. */
bool import_broadcast_args(struct importer *importer) {
    int64_t a[WEFT_MAX_RANK];
    int64_t b[WEFT_MAX_RANK];
    uint32_t ranks[2] = {0, 0};
    if (!importer_integers(importer, 0, WEFT_MAX_RANK, a, &ranks[0]) ||
        !importer_integers(importer, 1, WEFT_MAX_RANK, b, &ranks[1])) {
        return false;
    }
    uint32_t rank = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
    int64_t dims[WEFT_MAX_RANK] = {0};
    for (uint32_t back = 1; back <= rank; back++) {
        int64_t of_a = back <= ranks[0] ? a[ranks[0] - back] : 1;
        int64_t of_b = back <= ranks[1] ? b[ranks[1] - back] : 1;
        if (of_a != of_b && of_a != 1 && of_b != 1) {
            return importer_wrong(importer, WEFT_MODEL, "its shapes do not fit each other");
        }
        dims[rank - back] = of_a == 1 ? of_b : of_a;
    }
    return finish_numbers(importer, 1, rank, dims);
}

/* ---- ranges ---- */

static bool range_of_integers(struct importer *importer) {
    int64_t limits[3]; /* start, end, step */
    uint32_t counts[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 3; i++) {
        if (!importer_integers(importer, i, 1, &limits[i], &counts[i])) {
            return false;
        }
        if (counts[i] != 1 || limits[i] < INT32_MIN || limits[i] > INT32_MAX) {
            return importer_wrong(importer, WEFT_MODEL, "expected three numbers of 32 bits");
        }
    }
    int64_t step = limits[2];
    int64_t length = step < 0 ? limits[0] - limits[1] : limits[1] - limits[0];
    int64_t count = step == 0 ? 0 : weft_ceil_div(length, step < 0 ? -step : step);
    if (count < 1 || count > MOST_NUMBERS) {
        return importer_wrong(importer, WEFT_MODEL, "its range has none or too many elements");
    }
    int64_t *numbers = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = limits[0] + i * step;
    }
    return finish_numbers(importer, 1, (uint32_t)count, numbers);
}

static bool read_float(struct importer *importer, uint32_t number, float *value) {
    struct weft_value *constant = NULL;
    if (!importer_input(importer, number, &constant)) {
        return false;
    }
    const uint8_t *data = weft_value_data(constant);
    if (data == NULL || constant->type.dtype != WEFT_F32 ||
        weft_type_elements(&constant->type) != 1) {
        return importer_wrong_type(importer, WEFT_OPERATOR, "expected three constants");
    }
    memcpy(value, data, sizeof *value);
    return true;
}

/* Each element is the one before and a step more. */
static bool range_of_floats(struct importer *importer) {
    float limits[3] = {0.0F, 0.0F, 0.0F};
    for (uint32_t i = 0; i < 3; i++) {
        if (!read_float(importer, i, &limits[i])) {
            return false;
        }
    }
    float length = ceilf(fabsf((limits[1] - limits[0]) / limits[2]));
    bool forwards = limits[2] > 0.0F ? limits[0] < limits[1] : limits[0] > limits[1];
    if (!forwards || !(length >= 1.0F) || length > (float)MOST_NUMBERS) {
        return importer_wrong(importer, WEFT_MODEL, "its range has none or too many elements");
    }
    int64_t count = (int64_t)length;
    const struct weft_type type = weft_type_make(WEFT_F32, 1, &count);
    float *data = WEFT_NEW_ARRAY(importer->arena, (size_t)count, float);
    float value = limits[0];
    for (int64_t i = 0; i < count; i++, value += limits[2]) {
        data[i] = value;
    }
    return importer_finish(importer, 0,
                           weft_graph_add_constant(importer->graph, &type, data, NULL, -1));
}

/* Inputs: the first, the limit, the step. */
bool import_range(struct importer *importer) {
    struct weft_value *first = NULL;
    return importer_input(importer, 0, &first) &&
           (first->type.dtype == WEFT_F32 ? range_of_floats(importer)
                                          : range_of_integers(importer));
}

/* ---- where ---- */

static bool is_true(const struct weft_type *type, const uint8_t *element) {
    float number = 0;
    bool bits = false;
    for (size_t i = 0; i < weft_dtype_bytes(type->dtype); i++) {
        bits = bits || element[i] != 0;
    }
    if (type->dtype == WEFT_F32) {
        memcpy(&number, element, sizeof number);
    }
    return bits && (type->dtype != WEFT_F32 || number != 0.0F); /* -0 is not */
}

/* The place of an element: its index along each axis. */
static void place_of(const struct weft_type *type, int64_t element, int64_t *place) {
    for (uint32_t axis = type->rank; axis-- > 0;) {
        place[axis] = element % type->dim[axis];
        element /= type->dim[axis];
    }
}

/* Input: the condition. The result has a row for each element that is true: how many must be
 * known. */
bool import_where(struct importer *importer) {
    struct weft_value *x = NULL;
    if (!importer_raw_input(importer, 0, &x)) {
        return false;
    }
    const uint8_t *data = weft_value_data(x);
    const struct weft_type *type = &x->type;
    if (data == NULL || weft_type_elements(type) > MOST_NUMBERS) {
        return importer_wrong(importer, WEFT_OPERATOR,
                              "its condition must be a constant of at most 65536 elements: the "
                              "shape of its result depends on it");
    }
    int64_t *places = WEFT_NEW_ARRAY(importer->arena,
                                     (size_t)weft_type_elements(type) * (type->rank + 1), int64_t);
    int64_t rows = 0;
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        if (is_true(type, data + (size_t)i * weft_dtype_bytes(type->dtype))) {
            place_of(type, i, places + rows++ * type->rank);
        }
    }
    const int64_t dims[2] = {rows, type->rank};
    const struct weft_type result = weft_type_make(WEFT_I64, 2, dims);
    return importer_finish(importer, 0,
                           weft_graph_add_constant(importer->graph, &result, places, NULL, -1));
}
