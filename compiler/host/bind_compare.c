/* Comparisons, and choices by their results. */
#include <string.h>

#include "compiler/host/bind.h"

static enum weft_relation relation_of(const struct bind *bind) {
    static const char *const names[] = {
        [WEFT_EQUAL] = "equal",     [WEFT_NOT_EQUAL] = "not_equal",
        [WEFT_LESS] = "less",       [WEFT_LESS_EQUAL] = "less_equal",
        [WEFT_GREATER] = "greater", [WEFT_GREATER_EQUAL] = "greater_equal"};
    const char *name = weft_node_text(bind->node, WEFT_ATTR_relation);
    uint32_t relation = 0; /* the graph has no others */
    while (strcmp(names[relation], name) != 0) {
        relation++;
    }
    return (enum weft_relation)relation;
}

/* Scales of 1 and more, which the reference shifts by negative numbers, are made smaller together.
 */
bool bind_qnn_compare(const struct bind *bind) {
    struct weft_qnn_compare_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_qnn_compare, 0);
    if (parameters == NULL) {
        return false;
    }
    int32_t above = 0;
    bind_broadcast(bind, &parameters->broadcast);
    parameters->dtype = bind_input(bind, 0)->dtype;
    parameters->relation = relation_of(bind);
    for (uint32_t i = 0; i < 2; i++) {
        parameters->zero[i] = weft_type_zero(bind_input(bind, i), 0);
        parameters->factor[i] = bind_factor(weft_type_scale(bind_input(bind, i), 0));
        above = parameters->factor[i].shift > above ? parameters->factor[i].shift : above;
    }
    for (int i = 0; i < 2; i++) {
        int32_t shift = parameters->factor[i].shift - above;
        parameters->factor[i].shift = shift < -31 ? -31 : shift;
    }
    return true;
}

bool bind_compare(const struct bind *bind) {
    enum weft_dtype dtype = bind_input(bind, 0)->dtype;
    struct weft_compare_parameters *parameters =
        bind_kernel(bind, dtype == WEFT_F32 ? WEFT_KERNEL_compare_float : WEFT_KERNEL_compare, 0);
    if (parameters == NULL) {
        return false;
    }
    bind_broadcast(bind, &parameters->broadcast);
    parameters->dtype = dtype;
    parameters->relation = relation_of(bind);
    return true;
}

bool bind_select(const struct bind *bind) {
    const struct weft_type *out = bind_result(bind, 0);
    struct weft_select_parameters *parameters = bind_kernel(bind, WEFT_KERNEL_select, 0);
    if (parameters == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        bind_broadcast_steps(bind_input(bind, i), out->rank, parameters->step[i]);
    }
    parameters->shape.rank = (int32_t)out->rank;
    bind_dims(out, (int)out->rank, parameters->shape.dim);
    parameters->size = (int32_t)weft_dtype_bytes(out->dtype);
    return true;
}
