/* Floats between 8-bit tensors that are a straight line for each channel, as batch normalisation in
 * front of a convolution is, become a depthwise convolution of one pixel. What a channel's 256
 * bytes become is computed by the host's kernels; a weight, a bias and a scale that make the same
 * of all of them are searched for. A weight of seven bits puts a line's root at 1/127 of a byte at
 * best, which is too coarse for one channel in some hundreds: a few of these are looked up. */
#include <math.h>
#include <string.h>

#include "base/integer.h"
#include "compiler/passes/elementwise.h"
#include "compiler/passes/fuse.h"

enum {
    VALUES = ELEMENTWISE_VALUES,
    MOST_WEIGHT = 127,
    MOST_BIAS = 1 << 30,
    MOST_CHANNELS = 1 << 16,
    MOST_LOOKED_UP = 4, /* channels */
    AT_ONCE = 64,       /* channels, of which floats are kept */
};

/* ---- the operators in between ---- */

struct finder {
    const struct weft_type *type; /* of the result: all have its shape */
    struct elementwise_group group;
    bool has_channels; /* a constant has a number for each channel */
};

static int64_t channels_of(const struct weft_type *type) {
    return type->dim[type->rank - 1];
}

static bool is_byte(const struct weft_type *type) {
    return (type->dtype == WEFT_I8 || type->dtype == WEFT_U8) && type->quantization.count == 1;
}

/* Is it a constant of one number, or of one for each channel? */
static bool take_constant(struct finder *finder, const struct weft_value *value) {
    const struct weft_type *type = &value->type;
    const int64_t channels = channels_of(finder->type);
    int64_t elements = weft_type_elements(type);
    bool is_of_channels = type->rank > 0 && elements == channels && channels_of(type) == channels;
    finder->has_channels = finder->has_channels || (is_of_channels && channels > 1);
    return type->quantization.count <= 1 && (elements == 1 || is_of_channels);
}

/* Takes the node that makes the value and, `depth` deep, those that make its operands, down to one
 * 8-bit tensor. */
static bool take(struct finder *finder, struct weft_value *value, int depth) {
    struct elementwise_group *group = &finder->group;
    if (weft_value_data(value) != NULL) {
        return take_constant(finder, value);
    }
    if (is_byte(&value->type)) {
        group->root = group->root == NULL ? value : group->root;
        return group->root == value && weft_shape_equal(&value->type, finder->type);
    }
    const struct weft_node *node = value->producer;
    for (size_t i = 0; i < group->count; i++) {
        if (group->nodes[i] == node) {
            return true;
        }
    }
    if (depth == 0 || node == NULL || node->result_count != 1 || !elementwise_is(node) ||
        node->results[0]->type.quantization.count > 1 ||
        !weft_shape_equal(&value->type, finder->type)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!take(finder, node->inputs[i], depth - 1)) {
            return false;
        }
    }
    bool fits = group->count < ELEMENTWISE_MOST;
    if (fits) {
        group->nodes[group->count++] = node;
    }
    return fits;
}

/* ---- lines ---- */

/* (weight * (byte - zero point) + bias) * scale, rounded half away from zero, and the zero point.
 */
struct line {
    int32_t weight, bias;
    double scale;
};

/* Where a line meets zero, in bytes behind the root's zero point, and whether it rises. */
struct root {
    bool is_known; /* two results tell */
    bool rises;
    double at;
};

/* What all channels become. */
struct search {
    struct elementwise_group *group;
    const struct weft_node *quantize;
    struct elementwise_channels channels; /* those that are looked at */
    double scale[2];                      /* of the root and of the result */
    int64_t first, zero[2];               /* the root's smallest byte; both zero points */
    uint8_t *bytes;                       /* [channels, 256] */
    struct root *roots;                   /* of each channel */
    int64_t low, high;                    /* of all bytes */
    struct line *lines;                   /* of each channel, in the arena of the graph */
    int looked_up; /* channels that have none, and are `low` without their table */
    int64_t channel[MOST_LOOKED_UP];
    int64_t table[MOST_LOOKED_UP][VALUES];
    bool found;
};

static int64_t byte_at(const struct search *search, int64_t i, int64_t channel) {
    return weft_element(search->quantize->results[0]->type.dtype, search->bytes + channel * VALUES,
                        i);
}

/* From the floats of a channel, `step` apart: of those that no limit made, the first and the last,
 * or the two where a step is. */
static struct root find_root(const struct search *search, const float *exact, int64_t step) {
    float least = INFINITY;
    float most = -INFINITY;
    int64_t first = -1;
    int64_t last = -1;
    for (int64_t i = 0; i < VALUES; i++) {
        least = fminf(least, exact[i * step]);
        most = fmaxf(most, exact[i * step]);
    }
    for (int64_t i = 0; i < VALUES; i++) {
        bool tells = exact[i * step] > least && exact[i * step] < most;
        first = tells && first < 0 ? i : first;
        last = tells ? i : last;
    }
    if (first == last) {
        for (first = 0; first < VALUES - 2; first++) {
            if (exact[first * step] != exact[(first + 1) * step]) {
                break;
            }
        }
        last = first + 1;
    }
    double from = (double)exact[first * step];
    double slope = ((double)exact[last * step] - from) / (double)(last - first);
    double at = (double)(first + search->first - search->zero[0]) - from / slope;
    return (struct root){slope != 0 && isfinite(at), slope > 0, at};
}

/* The scale with which a weight and a bias make all bytes of the channel; 0: there is none. */
static double find_scale(const struct search *search, int64_t channel, const struct line *line) {
    double low = 0;
    double high = INFINITY;
    for (int64_t i = 0; i < VALUES && low < high; i++) {
        int64_t byte = byte_at(search, i, channel);
        double sum = (double)(line->weight * (i + search->first - search->zero[0]) + line->bias);
        double result = (double)(byte - search->zero[1]);
        double least = byte > search->low ? result - 0.5 : -INFINITY;
        double most = byte < search->high ? result + 0.5 : INFINITY;
        if (sum == 0) {
            low = least < 0 && most > 0 ? low : INFINITY;
        } else {
            low = fmax(low, (sum > 0 ? least : most) / sum);
            high = fmin(high, (sum > 0 ? most : least) / sum);
        }
    }
    /* Far enough apart for a multiplier of 31 bits. */
    return low * (1 + 0x1p-24) < high ? (isinf(high) ? 2 * low + 1 : (low + high) / 2) : 0;
}

/* As it is computed: of a scale of weights, in double. */
static bool makes_all(const struct search *search, int64_t channel, const struct line *line) {
    double weights = line->scale * (search->scale[1] / search->scale[0]);
    double scale = search->scale[0] * weights / search->scale[1];
    bool makes = isfinite(weights) && weights > 0 && isfinite(search->scale[0] * weights);
    for (int64_t i = 0; i < VALUES && makes; i++) {
        int64_t sum = line->weight * (i + search->first - search->zero[0]) + line->bias;
        double scaled = round((double)sum * scale) + (double)search->zero[1];
        makes = fmin(fmax(scaled, (double)search->low), (double)search->high) ==
                (double)byte_at(search, i, channel);
    }
    return makes;
}

static bool is_constant(const struct search *search, int64_t channel) {
    bool constant = true;
    for (int64_t i = 1; i < VALUES; i++) {
        constant = constant && byte_at(search, i, channel) == byte_at(search, 0, channel);
    }
    return constant;
}

static bool find_line(const struct search *search, int64_t channel, struct line *line) {
    const struct root *root = &search->roots[channel];
    if (is_constant(search, channel)) {
        int64_t bias = byte_at(search, 0, channel) - search->zero[1];
        *line = (struct line){0, (int32_t)bias, 1};
        return makes_all(search, channel, line);
    }
    for (int32_t weight = MOST_WEIGHT; weight > 0 && root->is_known; weight--) {
        int32_t turned = root->rises ? weight : -weight;
        double bias = -root->at * turned;
        if (fabs(bias) <= (double)MOST_BIAS) {
            *line = (struct line){turned, (int32_t)lround(bias), 0};
            line->scale = find_scale(search, channel, line);
            if (line->scale > 0 && makes_all(search, channel, line)) {
                return true;
            }
        }
    }
    return false;
}

/* A channel without a line; false: there are too many. */
static bool look_up(struct search *search, int64_t channel) {
    int at = search->looked_up;
    if (at == MOST_LOOKED_UP) {
        return false;
    }
    search->looked_up++;
    search->channel[at] = channel;
    for (int64_t i = 0; i < VALUES; i++) {
        search->table[at][i] = byte_at(search, i, channel);
    }
    search->lines[channel] = (struct line){0, (int32_t)(search->low - search->zero[1]), 1};
    return true;
}

/* Some channels at once, so that floats of all of them are never there. */
static bool run_channels(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct search *search = context;
    const struct elementwise_channels channels = search->channels;
    const struct weft_node *quantize = search->quantize;
    const struct weft_value *const values[2] = {quantize->inputs[0], quantize->results[0]};
    float *exact = WEFT_NEW_ARRAY(arena, (size_t)(VALUES * channels.count), float);
    uint8_t *bytes = weft_arena_allocate(arena, (size_t)(VALUES * channels.count), 1);
    (void)error;
    search->found =
        elementwise_run(arena, search->group, channels, 2, values, (void *const[]){exact, bytes});
    for (int64_t k = 0; search->found && k < channels.count; k++) {
        const int64_t channel = channels.first + k;
        for (int64_t i = 0; i < VALUES; i++) {
            search->bytes[channel * VALUES + i] = bytes[i * channels.count + k];
            search->low = weft_min(search->low, byte_at(search, i, channel));
            search->high = weft_max(search->high, byte_at(search, i, channel));
        }
        search->roots[channel] = find_root(search, exact + k, channels.count);
    }
    return true;
}

/* All lines, or tables, or nothing. */
static bool find_lines(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct search *search = context;
    struct weft_arena *aside = weft_arena_child(arena);
    const int64_t all = search->channels.all;
    search->bytes = weft_arena_allocate(arena, (size_t)all, VALUES);
    search->roots = WEFT_NEW_ARRAY(arena, (size_t)all, struct root);
    search->low = INT64_MAX;
    search->high = INT64_MIN;
    search->found = true;
    for (int64_t first = 0; first < all && search->found; first += AT_ONCE) {
        search->channels.first = first;
        search->channels.count = weft_min(AT_ONCE, all - first);
        if (!weft_arena_do(aside, run_channels, search, error)) {
            return false;
        }
    }
    for (int64_t i = 0; i < all && search->found; i++) {
        search->found = find_line(search, i, &search->lines[i]) || look_up(search, i);
    }
    return true;
}

static bool search_lines(struct weft_arena *arena, struct search *search) {
    struct weft_arena *aside = weft_arena_child(arena);
    struct weft_error error;
    bool done = weft_arena_do(aside, find_lines, search, &error);
    weft_arena_free(aside);
    if (!done && error.code == WEFT_OUT_OF_MEMORY) {
        longjmp(arena->on_failure, 1); /* another program would come out */
    }
    return search->found;
}

/* ---- the convolution ---- */

/* Weights [channels, 1, 1, 1], each with the scale that makes the line's of it. */
static struct weft_value *weights_of(struct weft_rewrite *rewrite, int64_t channels,
                                     const struct line *lines, double of_scales) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const int64_t dims[4] = {channels, 1, 1, 1};
    struct weft_type type = weft_type_make(WEFT_I8, 4, dims);
    int8_t *data = WEFT_NEW_ARRAY(arena, (size_t)channels, int8_t);
    double *scale = WEFT_NEW_ARRAY(arena, (size_t)channels, double);
    int32_t *zero = WEFT_NEW_ARRAY(arena, (size_t)channels, int32_t);
    for (int64_t i = 0; i < channels; i++) {
        data[i] = (int8_t)lines[i].weight;
        scale[i] = lines[i].scale * of_scales;
        zero[i] = 0;
    }
    type.quantization = (struct weft_quantization){
        .count = (uint32_t)channels, .axis = 0, .scale = scale, .zero = zero};
    return weft_rewrite_constant(rewrite, &type, data);
}

static struct weft_value *biases_of(struct weft_rewrite *rewrite, int64_t channels,
                                    const struct line *lines) {
    struct weft_type type = weft_type_make(WEFT_I32, 1, &channels);
    int32_t *data = WEFT_NEW_ARRAY(weft_rewrite_arena(rewrite), (size_t)channels, int32_t);
    for (int64_t i = 0; i < channels; i++) {
        data[i] = lines[i].bias;
    }
    return weft_rewrite_constant(rewrite, &type, data);
}

/* The lines of x, [N, H, W, C]; NULL: a scale is too small, or too large. */
static struct weft_value *convolve(struct weft_rewrite *rewrite, struct weft_value *x,
                                   const struct line *lines, const struct weft_type *to) {
    static const int64_t once[2] = {1, 1};
    const int64_t channels = channels_of(to);
    struct weft_attribute attributes[RULE_WINDOW_ATTRIBUTES];
    struct weft_value *inputs[2] = {
        x, weights_of(rewrite, channels, lines,
                      weft_type_scale(to, 0) / weft_type_scale(&x->type, 0))};
    rule_window(weft_rewrite_arena(rewrite), once, channels, attributes);
    struct weft_value *sums =
        fuse_sums(rewrite, WEFT_OP_QNN_CONV2D, inputs, RULE_WINDOW_ATTRIBUTES, attributes);
    if (sums == NULL) {
        return NULL;
    }
    const struct weft_attribute rounding = weft_attr_text(WEFT_ATTR_rounding, "single");
    sums = fuse_binary(rewrite, WEFT_OP_BIAS_ADD, sums, biases_of(rewrite, channels, lines),
                       &sums->type);
    return weft_rewrite_node(rewrite, WEFT_OP_QNN_REQUANTIZE, 1, &sums, 1, &rounding, to);
}

/* The channel number `at` of those that are looked up, where y has the smallest byte: the larger of
 * y and of the table's result, with the smallest byte in all other channels. */
static struct weft_value *put_in(struct weft_rewrite *rewrite, const struct search *search, int at,
                                 struct weft_value *x, struct weft_value *y) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_type to = y->type;
    const struct weft_attribute table =
        weft_attr_ints(arena, WEFT_ATTR_table, VALUES, search->table[at]);
    struct line *lines = WEFT_NEW_ARRAY(arena, (size_t)search->channels.all, struct line);
    for (int64_t i = 0; i < search->channels.all; i++) {
        lines[i] = i == search->channel[at]
                       ? (struct line){1, 0, 1}
                       : (struct line){0, (int32_t)(search->low - search->zero[1]), 1};
    }
    struct weft_value *made = weft_rewrite_node(rewrite, WEFT_OP_QNN_TABLE, 1, &x, 1, &table, &to);
    made = convolve(rewrite, made, lines, &to);
    return made == NULL ? NULL : fuse_binary(rewrite, WEFT_OP_MAXIMUM, y, made, &to);
}

/* The type as pixels of an image. */
static struct weft_type as_image(const struct weft_type *type) {
    int64_t pixels = 1;
    for (uint32_t i = 1; i + 1 < type->rank; i++) {
        pixels *= type->dim[i];
    }
    const int64_t dims[4] = {type->dim[0], 1, pixels, channels_of(type)};
    return type->rank == 4 ? *type : rule_shaped(type, 4, dims);
}

static struct weft_value *make_convolutions(struct weft_rewrite *rewrite,
                                            const struct search *search,
                                            const struct weft_type *to) {
    const struct weft_type image = as_image(to);
    const struct weft_type from = as_image(&search->group->root->type);
    struct weft_value *x = rule_reshape(rewrite, search->group->root, &from);
    struct weft_value *y = convolve(rewrite, x, search->lines, &image);
    y = y == NULL ? NULL : rule_clip(rewrite, y, search->low, search->high);
    for (int i = 0; i < search->looked_up && y != NULL; i++) {
        y = put_in(rewrite, search, i, x, y);
    }
    return y == NULL ? NULL : rule_reshape(rewrite, y, to);
}

/* ---- the pass ---- */

static struct weft_value *scale_channels(struct weft_rewrite *rewrite,
                                         const struct weft_site *site) {
    struct weft_arena *arena = weft_rewrite_arena(rewrite);
    const struct weft_type *to = &site->post->type;
    struct finder finder = {.type = to};
    if (!is_byte(to) || to->rank < 2 || channels_of(to) > MOST_CHANNELS ||
        weft_type_elements(to) == 0 ||
        !take(&finder, site->post->producer->inputs[0], ELEMENTWISE_MOST) ||
        finder.group.root == NULL || !finder.has_channels ||
        finder.group.count == ELEMENTWISE_MOST) {
        return NULL;
    }
    finder.group.nodes[finder.group.count++] = site->post->producer;
    const struct weft_type *from = &finder.group.root->type;
    struct search search = {.group = &finder.group,
                            .quantize = site->post->producer,
                            .channels = {.all = channels_of(to)},
                            .scale = {weft_type_scale(from, 0), weft_type_scale(to, 0)},
                            .first = weft_dtype_min(from->dtype),
                            .zero = {weft_type_zero(from, 0), weft_type_zero(to, 0)},
                            .lines = WEFT_NEW_ARRAY(arena, (size_t)channels_of(to), struct line)};
    return search_lines(arena, &search) ? make_convolutions(rewrite, &search, to) : NULL;
}

struct weft_graph *weft_pass_scale_channels(const struct weft_graph *graph) {
    struct weft_arena *arena = graph->arena;
    const struct weft_rule rule = {
        rule_unary(arena, WEFT_OP_QNN_QUANTIZE, weft_pattern_wildcard(arena)), scale_channels,
        NULL};
    return weft_rewrite(graph, 1, &rule);
}
