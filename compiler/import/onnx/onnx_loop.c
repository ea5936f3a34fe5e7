/* Loop and Scan, unrolled: the operators of the body stand once for each step. */
#include <inttypes.h>

#include "compiler/import/onnx/onnx_scope.h"

/* A body: its inputs are `first` of the operator's own, states, and parts of what Scan scans; its
 * outputs Loop's condition, states, and what each step adds to the other results. */
struct body {
    struct onnx_importer *importer;
    const Onnx__GraphProto *graph;
    size_t states;
    size_t added;
    struct onnx_end *given, *made; /* of a step: its inputs, its outputs */
    struct onnx_end *given_states; /* among the inputs */
    struct onnx_end *made_states;  /* among the outputs; what is added lies behind them */
    struct onnx_names names;       /* its own, since the first step */
    struct onnx_end *parts;        /* that steps have added, step by step */
    size_t part_count, part_capacity;
    int64_t steps;
};

/* The body of the operator, with as many states as it has; `own` inputs and outputs come before
 * the states, `scanned` inputs behind them. */
static bool find_body(struct onnx_importer *importer, size_t states, size_t own_inputs,
                      size_t own_outputs, size_t scanned, struct body *body) {
    const Onnx__GraphProto *graph = onnx_graph(importer, "body");
    if (graph == NULL) {
        return false;
    }
    if (graph->n_input != own_inputs + states + scanned || graph->n_output < own_outputs + states ||
        importer->node->n_output > graph->n_output - own_outputs) {
        (void)onnx_wrong(
            importer, WEFT_MODEL,
            weft_arena_print(
                importer->arena,
                "its body has %zu inputs and %zu outputs, which the operator's %zu and "
                "%zu do not fit",
                graph->n_input, graph->n_output, importer->node->n_input,
                importer->node->n_output));
        return false;
    }
    *body = (struct body){
        .importer = importer,
        .graph = graph,
        .states = states,
        .added = graph->n_output - own_outputs - states,
        .given = WEFT_NEW_ARRAY(importer->arena, graph->n_input + 1, struct onnx_end),
        .made = WEFT_NEW_ARRAY(importer->arena, graph->n_output + 1, struct onnx_end)};
    body->given_states = body->given + own_inputs;
    body->made_states = body->made + own_outputs;
    return true;
}

/* The operator's inputs from `first` on, as the states before the first step. */
static bool begin_states(struct body *body, uint32_t first) {
    bool good = true;
    for (uint32_t i = 0; good && i < body->states; i++) {
        good = onnx_input_end(body->importer, first + i, &body->given_states[i]);
        if (good && body->given_states[i].is_absent) {
            return onnx_wrong(body->importer, WEFT_MODEL,
                              weft_arena_print(body->importer->arena,
                                               "input %" PRIu32 ", a state, is missing",
                                               first + i));
        }
    }
    return good;
}

/* ---- steps ---- */

static void add_part(struct body *body, const struct onnx_end *part) {
    body->parts = weft_arena_grow(body->importer->arena, body->parts, body->part_count,
                                  &body->part_capacity, sizeof *body->parts);
    body->parts[body->part_count++] = *part;
}

/* Reads the body once more, with the inputs that are there: its states are those of the next step
 * then, and what it adds is noted. */
static bool read_step(struct body *body) {
    struct onnx_importer *importer = body->importer;
    struct onnx_scope scope;
    if (body->steps == ONNX_MOST_STEPS) {
        return onnx_wrong(importer, WEFT_LIMIT, "it takes more than 4096 steps");
    }
    if (body->steps == 0 ? !onnx_enter(importer, body->graph, true, &scope)
                         : !onnx_enter_again(importer, body->graph, &body->names, &scope)) {
        return false;
    }
    body->names = importer->names;
    for (size_t i = 0; i < body->graph->n_input; i++) {
        onnx_give_end(importer, onnx_string(body->graph->input[i]->name), &body->given[i]);
    }
    if (!onnx_read_scope(importer, &scope, body->graph, body->graph->n_output, body->made)) {
        return false;
    }
    for (size_t i = 0; i < body->states; i++) {
        body->given_states[i] = body->made_states[i];
    }
    for (size_t i = 0; i < body->added; i++) {
        add_part(body, &body->made_states[body->states + i]);
    }
    body->steps++;
    return true;
}

/* ---- results ---- */

/* What all steps have added to a result, in the order of the steps or backwards. Parts that are not
 * known are NULL, then *is_unknown. */
static bool collect(const struct body *body, uint32_t number, bool backwards,
                    struct weft_value **parts, bool *is_unknown) {
    *is_unknown = false;
    for (int64_t i = 0; i < body->steps; i++) {
        const struct onnx_end *part = &body->parts[(size_t)i * body->added + number];
        *is_unknown = *is_unknown || part->is_unknown;
        parts[backwards ? body->steps - 1 - i : i] = part->value;
        if (part->sequence != NULL) {
            return onnx_wrong(body->importer, WEFT_MODEL, "what its steps add is a sequence");
        }
    }
    return true;
}

/* The same along a new axis. */
static bool finish_added(const struct body *body, uint32_t number, int64_t axis, bool backwards) {
    struct onnx_importer *importer = body->importer;
    struct weft_value *parts[ONNX_MOST_STEPS];
    uint32_t count = (uint32_t)body->steps;
    uint32_t result = (uint32_t)body->states + number;
    struct onnx_end end = {.value = NULL};
    if (!onnx_wants(importer, result)) {
        return true;
    }
    if (count == 0) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "it takes no step, and what none of them makes has no shape");
    }
    if (!collect(body, number, backwards, parts, &end.is_unknown)) {
        return false;
    }
    if (!end.is_unknown) {
        if (!onnx_plain_unless_alike(importer, count, parts) ||
            !onnx_axis(importer, axis, parts[0]->type.rank + 1, &axis)) {
            return false;
        }
        end.value = onnx_stack(importer, count, parts, (uint32_t)axis);
    }
    return (end.is_unknown || end.value != NULL) && onnx_finish_end(importer, result, &end);
}

static bool finish_states(const struct body *body) {
    bool good = true;
    for (uint32_t i = 0; good && i < body->states && i < body->importer->node->n_output; i++) {
        good = onnx_finish_end(body->importer, i, &body->given_states[i]);
    }
    return good;
}

/* How many results steps add to. */
static size_t count_added(const struct body *body) {
    size_t count = body->importer->node->n_output;
    return count > body->states ? count - body->states : 0;
}

/* ---- Loop ---- */

/* One integer or truth, as an input of the body that has an axis, or none. */
static struct weft_value *one_for(const struct body *body, size_t input, enum weft_dtype dtype,
                                  int64_t number) {
    const Onnx__TypeProto *type = body->graph->input[input]->type;
    const Onnx__TensorShapeProto *shape =
        type != NULL && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
            ? type->tensor_type->shape
            : NULL;
    const int64_t one = 1;
    struct weft_value *value = onnx_integer(body->importer, dtype, number);
    return shape != NULL && shape->n_dim == 1 ? onnx_reshape(body->importer, value, 1, &one)
                                              : value;
}

/* Input 0, the most steps, and input 1, whether there is a first one; both may be missing. */
static bool read_terms(struct onnx_importer *importer, int64_t *most, bool *goes_on) {
    uint32_t count = 0;
    bool is_known = true;
    *most = INT64_MAX;
    *goes_on = true;
    if (onnx_has(importer, 0)) {
        if (!onnx_integers(importer, 0, 1, most, &count)) {
            return false;
        }
        if (count != 1) {
            return onnx_wrong(importer, WEFT_MODEL, "input 0 is not one integer");
        }
    }
    if (onnx_has(importer, 1)) {
        struct weft_value *condition = onnx_input(importer, 1);
        if (condition == NULL || !onnx_condition(importer, condition, &is_known, goes_on)) {
            return false;
        }
    }
    return is_known || onnx_wrong(importer, WEFT_OPERATOR,
                                  "whether it begins must be known when the model is read, and "
                                  "depends on inputs");
}

bool onnx_loop(struct onnx_importer *importer) {
    size_t inputs = importer->node->n_input;
    struct body body;
    int64_t most = 0;
    bool goes_on = false;
    if (!read_terms(importer, &most, &goes_on) ||
        !find_body(importer, inputs < 2 ? 0 : inputs - 2, 2, 1, 0, &body) ||
        !begin_states(&body, 2)) {
        return false;
    }
    bool is_known = true;
    while (is_known && goes_on && body.steps < most) {
        body.given[0].value = one_for(&body, 0, WEFT_I64, body.steps);
        body.given[1].value = one_for(&body, 1, WEFT_BOOL, true);
        if (body.given[0].value == NULL || body.given[1].value == NULL || !read_step(&body) ||
            (!body.made[0].is_unknown &&
             !onnx_condition(importer, body.made[0].value, &is_known, &goes_on))) {
            return false;
        }
        is_known = is_known && !body.made[0].is_unknown;
    }
    if (!is_known) {
        return onnx_wrong(importer, WEFT_OPERATOR,
                          "how many steps it takes must be known when the model is read, and "
                          "depends on inputs");
    }
    bool good = finish_states(&body);
    for (uint32_t i = 0; good && i < count_added(&body); i++) {
        good = finish_added(&body, i, 0, false);
    }
    return good;
}

/* ---- Scan ---- */

/* What Scan scans: `count` inputs, each along an axis, forwards or backwards. */
struct scanned {
    uint32_t first, count; /* inputs of the operator */
    int64_t *axes, *backwards;
    struct weft_value **values;
    int64_t length;
};

static bool read_scanned(struct onnx_importer *importer, struct scanned *scanned) {
    size_t inputs = importer->node->n_input;
    int64_t count = onnx_int(importer, "num_scan_inputs", 0);
    if (count < 1 || (uint64_t)count > inputs) {
        (void)onnx_wrong(importer, WEFT_MODEL, "num_scan_inputs must be 1 or more of its inputs");
        return false;
    }
    *scanned = (struct scanned){
        .first = (uint32_t)inputs - (uint32_t)count,
        .count = (uint32_t)count,
        .axes = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t),
        .backwards = WEFT_NEW_ARRAY(importer->arena, (size_t)count, int64_t),
        .values = WEFT_NEW_ARRAY(importer->arena, (size_t)count, struct weft_value *)};
    return onnx_ints(importer, "scan_input_axes", scanned->count, 0, scanned->axes) &&
           onnx_ints(importer, "scan_input_directions", scanned->count, 0, scanned->backwards);
}

/* Axes are in range, and all inputs as long. */
static bool check_scanned(struct onnx_importer *importer, struct scanned *scanned) {
    for (uint32_t i = 0; i < scanned->count; i++) {
        struct weft_value *x = onnx_plain(importer, onnx_input(importer, scanned->first + i));
        if (x == NULL || !onnx_axis(importer, scanned->axes[i], x->type.rank, &scanned->axes[i])) {
            return false;
        }
        int64_t length = x->type.dim[scanned->axes[i]];
        scanned->values[i] = x;
        scanned->length = i == 0 ? length : scanned->length;
        if (length != scanned->length) {
            return onnx_wrong(importer, WEFT_MODEL, "what it scans has several lengths");
        }
    }
    return true;
}

/* A part of an input for one step, without the axis. */
static struct weft_value *part_for(struct onnx_importer *importer, const struct scanned *scanned,
                                   uint32_t number, int64_t step) {
    struct weft_value *x = scanned->values[number];
    int64_t axis = scanned->axes[number];
    int64_t at = scanned->backwards[number] != 0 ? scanned->length - 1 - step : step;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = onnx_without_axis(x, (uint32_t)axis, dims);
    return onnx_reshape(importer, onnx_part(importer, x, (uint32_t)axis, at, 1, 1), rank, dims);
}

bool onnx_scan(struct onnx_importer *importer) {
    struct body body;
    struct scanned scanned;
    if (!read_scanned(importer, &scanned) || !check_scanned(importer, &scanned) ||
        !find_body(importer, scanned.first, 0, 0, scanned.count, &body) ||
        !begin_states(&body, 0)) {
        return false;
    }
    int64_t *axes = WEFT_NEW_ARRAY(importer->arena, body.added + 1, int64_t);
    int64_t *backwards = WEFT_NEW_ARRAY(importer->arena, body.added + 1, int64_t);
    if (!onnx_ints(importer, "scan_output_axes", (uint32_t)body.added, 0, axes) ||
        !onnx_ints(importer, "scan_output_directions", (uint32_t)body.added, 0, backwards)) {
        return false;
    }
    for (int64_t step = 0; step < scanned.length; step++) {
        for (uint32_t i = 0; i < scanned.count; i++) {
            struct onnx_end *given = &body.given_states[body.states + i];
            given->value = part_for(importer, &scanned, i, step);
            if (given->value == NULL) {
                return false;
            }
        }
        if (!read_step(&body)) {
            return false;
        }
    }
    bool good = finish_states(&body);
    for (uint32_t i = 0; good && i < count_added(&body); i++) {
        good = finish_added(&body, i, axes[i], backwards[i] != 0);
    }
    return good;
}
