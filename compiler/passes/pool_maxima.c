/* The most of rows and columns of bytes as pools, which the machine has, with windows that it
 * takes: reduce_max, and max_pool2d of a whole image that is larger than a window can be. Of other
 * windows the most of each row, then of the columns of these, where that is fewer elements. */
#include "compiler/passes/rules.h"

#include "base/integer.h"

enum {
    MOST_WINDOW = 63 /* rows, and columns, of a window of the machine */
};

/* x as [outer, rows, columns, inner], whose rows and columns are those that the most is taken of.
 */
struct picture {
    int64_t outer, rows, columns, inner;
};

static struct weft_type type_of(const struct weft_type *like, const struct picture *picture) {
    const int64_t dims[4] = {picture->outer, picture->rows, picture->columns, picture->inner};
    return rule_shaped(like, 4, dims);
}

/* Are the axes whose bit is set side by side, with others of more than one element behind them?
 * Axes of one element do not count. */
static bool find_picture(const struct weft_type *type, uint32_t axes, struct picture *picture) {
    bool found = false;
    *picture = (struct picture){1, 1, 1, 1};
    for (uint32_t i = 0; i < type->rank; i++) {
        if (type->dim[i] == 1) {
            continue;
        }
        if ((axes >> i & 1) == 0) {
            *(found ? &picture->inner : &picture->outer) *= type->dim[i];
        } else if (picture->inner > 1) {
            return false;
        } else {
            picture->rows *= picture->columns; /* of three axes the first two are one */
            picture->columns = type->dim[i];
            found = true;
        }
    }
    return found && picture->inner > 1;
}

static bool fits(const struct picture *picture) {
    return picture->rows <= MOST_WINDOW && picture->columns <= MOST_WINDOW;
}

/* The same elements in rows and columns that a window can have; else all of them in a row. */
static void fold(struct picture *picture) {
    int64_t all = picture->rows * picture->columns;
    for (int64_t columns = MOST_WINDOW; !fits(picture) && columns >= 1; columns--) {
        if (all % columns == 0 && all / columns <= MOST_WINDOW) {
            picture->rows = all / columns;
            picture->columns = columns;
        }
    }
    if (!fits(picture)) {
        picture->rows = 1;
        picture->columns = all;
    }
}

static struct weft_value *make_pool(struct weft_rewrite *rewrite, struct weft_value *x,
                                    const int64_t window[2], const int64_t strides[2],
                                    const int64_t padding[4], const struct weft_type *type) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_attribute attributes[] = {
        weft_attr_ints(arena, WEFT_ATTR_kernel, 2, window),
        weft_attr_ints(arena, WEFT_ATTR_strides, 2, strides),
        weft_attr_ints(arena, WEFT_ATTR_padding, 4, padding)};
    return weft_rewrite_node(rewrite, WEFT_OP_MAX_POOL2D, 1, &x, 3, attributes, type);
}

/* The pool of x, [N, H, W, C], by windows side by side, the last one of which may hang over the
 * end: *picture becomes that of its result. */
static struct weft_value *pool(struct weft_rewrite *rewrite, struct weft_value *x,
                               struct picture *picture) {
    const int64_t window[2] = {weft_min(picture->rows, MOST_WINDOW),
                               weft_min(picture->columns, MOST_WINDOW)};
    const int64_t windows[2] = {weft_ceil_div(picture->rows, window[0]),
                                weft_ceil_div(picture->columns, window[1])};
    const int64_t padding[4] = {0, 0, windows[0] * window[0] - picture->rows,
                                windows[1] * window[1] - picture->columns};
    picture->rows = windows[0];
    picture->columns = windows[1];
    const struct weft_type type = type_of(&x->type, picture);
    return make_pool(rewrite, x, window, window, padding, &type);
}

/* The most over the axes whose bit is set, as a value of the type `to`; NULL: no pool makes it. */
static struct weft_value *pool_all(struct weft_rewrite *rewrite, struct weft_value *x,
                                   uint32_t axes, const struct weft_type *to) {
    struct picture picture;
    bool are_bytes = x->type.dtype == WEFT_I8 || x->type.dtype == WEFT_U8;
    if (!are_bytes || x->type.quantization.count > 1 || weft_value_data(x) != NULL ||
        !weft_quantization_equal(&x->type.quantization, &to->quantization) ||
        weft_type_elements(&x->type) == 0 || !find_picture(&x->type, axes, &picture)) {
        return NULL;
    }
    do {
        fold(&picture);
        const struct weft_type type = type_of(&x->type, &picture);
        x = pool(rewrite, rule_reshape(rewrite, x, &type), &picture);
    } while (picture.rows > 1 || picture.columns > 1);
    return rule_reshape(rewrite, x, to);
}

static struct weft_value *pool_reduction(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const struct weft_attribute *axes = weft_node_attribute(node, WEFT_ATTR_axes);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < axes->count; i++) {
        mask |= UINT32_C(1) << axes->ints[i];
    }
    return pool_all(rewrite, node->inputs[0], mask, &site->post->type);
}

/* The most along one axis of windows, 0 for rows or 1 for columns. */
static struct weft_value *pool_along(struct weft_rewrite *rewrite, struct weft_value *x,
                                     const struct weft_node *node, int axis) {
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    int64_t window[2] = {1, 1};
    int64_t strides[2] = {1, 1};
    int64_t around[4] = {0};
    struct weft_type type = x->type;
    window[axis] = weft_node_ints(node, WEFT_ATTR_kernel)[axis];
    strides[axis] = weft_node_ints(node, WEFT_ATTR_strides)[axis];
    around[axis] = padding[axis];
    around[2 + axis] = padding[2 + axis];
    type.dim[1 + axis] = node->results[0]->type.dim[1 + axis];
    return make_pool(rewrite, x, window, strides, around, &type);
}

/* Cycles for each image and channel block with `axis` first: a result takes one more than its
 * window has elements. */
static double cycles_along(const struct weft_node *node, int axis) {
    const int64_t *window = weft_node_ints(node, WEFT_ATTR_kernel);
    const int64_t *from = node->inputs[0]->type.dim + 1;
    const int64_t *to = node->results[0]->type.dim + 1;
    return (double)(window[axis] + 1) * (double)to[axis] * (double)from[1 - axis] +
           (double)(window[1 - axis] + 1) * (double)to[0] * (double)to[1];
}

/* Both axes one after the other, where that takes three quarters of the cycles or fewer. */
static struct weft_value *divide_pool(struct weft_rewrite *rewrite, const struct weft_node *node) {
    const int64_t *window = weft_node_ints(node, WEFT_ATTR_kernel);
    const struct weft_type *to = &node->results[0]->type;
    bool are_bytes = to->dtype == WEFT_I8 || to->dtype == WEFT_U8;
    double whole =
        ((double)window[0] * (double)window[1] + 1) * (double)to->dim[1] * (double)to->dim[2];
    int first = cycles_along(node, 0) < cycles_along(node, 1) ? 0 : 1;
    return are_bytes && window[0] > 1 && window[1] > 1 && cycles_along(node, first) <= 0.75 * whole
               ? pool_along(rewrite, pool_along(rewrite, node->inputs[0], node, first), node,
                            1 - first)
               : NULL;
}

/* A window that is the whole image, and larger than the machine's; or one of many elements. */
static struct weft_value *split_pool(struct weft_rewrite *rewrite, const struct weft_site *site) {
    const struct weft_node *node = site->post->producer;
    const int64_t *window = weft_node_ints(node, WEFT_ATTR_kernel);
    const int64_t *padding = weft_node_ints(node, WEFT_ATTR_padding);
    const int64_t *dims = node->inputs[0]->type.dim;
    bool is_whole = window[0] == dims[1] && window[1] == dims[2] && padding[0] == 0 &&
                    padding[1] == 0 && padding[2] == 0 && padding[3] == 0;
    return is_whole && (window[0] > MOST_WINDOW || window[1] > MOST_WINDOW)
               ? pool_all(rewrite, node->inputs[0], 1U << 1 | 1U << 2, &site->post->type)
               : divide_pool(rewrite, node);
}

struct weft_graph *weft_pass_pool_maxima(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    struct weft_pattern *any = weft_pattern_wildcard(arena);
    const struct weft_rule rules[] = {
        {rule_unary(arena, WEFT_OP_REDUCE_MAX, any), pool_reduction, NULL},
        {rule_unary(arena, WEFT_OP_MAX_POOL2D, any), split_pool, NULL},
    };
    return weft_rewrite(graph, sizeof rules / sizeof rules[0], rules);
}
