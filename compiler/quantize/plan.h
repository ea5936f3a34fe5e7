/* What becomes of a float graph when it is quantised: its layers, and the scale of every tensor;
 * used in compiler/quantize alone.
 *
 * A layer is what becomes one operator of the machine: a product with its bias and the clip after
 * it, a sum with its clip, or one operator. Tensors inside of a layer have no scale.
 */
#ifndef WEFT_COMPILER_QUANTIZE_PLAN_H
#define WEFT_COMPILER_QUANTIZE_PLAN_H

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/quantize.h"
#include "compiler/quantize/values.h"

enum {
    WEFT_MOST_OPERANDS = 1024 /* of an operator that is quantised */
};

enum layer_kind {
    LAYER_FLOAT,    /* an operator that has no quantised form here */
    LAYER_PRODUCT,  /* of a tensor and constant weights */
    LAYER_BINARY,   /* of two tensors, with a scale of its own */
    LAYER_FUNCTION, /* of one tensor, with a scale of its own */
    LAYER_JOIN,     /* of any number of tensors, which it brings to its own scale: a concatenation,
                       the larger or smaller one of two */
    LAYER_MOVE,     /* its results have the scale of its operand */
};

/* Weights [O, ...], quantised along their first axis or as a whole; zero points are 0. */
struct layer_weights {
    struct weft_quantization quantization;
    int8_t *elements;
    float *simulated; /* the elements times their scales */
};

struct layer {
    enum layer_kind kind;
    const struct weft_node *root;
    const struct weft_node *bias;       /* bias_add, or NULL */
    const struct weft_node *activation; /* relu, relu6, relu_n1_to_1, float.clip, or NULL */
    const struct weft_value *result;    /* of the last one of the three */
    bool is_quantized;
    const char *reason; /* why it is not */
    const char *held;   /* what the samples showed, for which it is not; NULL: nothing */
    /* Of a quantised product: */
    struct layer_weights weights;
    int64_t channels;       /* O */
    double *float_bias;     /* [O], with what corrects it */
    int32_t *bias_elements; /* [O], at the scale of input times weights */
    float *bias_simulated;  /* [O] */
};

/* The limits of an activation that a layer takes; from FLT_MAX on there is none. */
struct layer_limits {
    float low, high;
};

/* Is it an activation that a layer takes? */
bool layer_is_clip(enum weft_operator op);

struct layer_limits layer_limits_of(const struct weft_node *activation);

/* The scale and the zero point of a tensor of bytes. */
struct tensor_scale {
    bool is_set;
    double scale; /* a number that float32 holds */
    int32_t zero;
    int32_t least, most; /* of the bytes */
};

struct plan {
    struct weft_arena *arena;
    const struct weft_graph *graph; /* prepared: weft_quantize_prepare() */
    const struct weft_model_names *names;
    const char **outputs; /* their names in the model, whose last nodes preparation may take away */
    const struct weft_quantize_options *options;
    struct value_table *table;
    bool *between; /* by number of the value: plan_is_between() */
    struct weft_use_index *users;
    size_t layer_count;
    struct layer *layers;        /* in the order of their first nodes */
    struct tensor_scale *scales; /* by number of the value */
    const float **constants;     /* by number of the value: what the quantised form of a constant
                                    operand stands for; NULL: it is none */
    /* By number of the value: the tensor that it follows from inside of what becomes one table, so
     * that it has no scale; NULL: it is not inside of one. */
    const struct weft_value **tables;
    /* By number of the value: that which it is observed as, together with others, since the steps
     * of a recurrent operator make them alike; itself. */
    size_t *observed_as;
    size_t recurrent_count;
    int32_t *recurrent;         /* these operators of the model, in order */
    struct weft_limits *limits; /* by number of the value: what was observed */
    struct weft_range *ranges;  /* by number of the value: what calibration chose */
    /* By number of the value: the range that a mask has, and scores behind one, whatever was
     * observed; NULL: it is neither. */
    const struct weft_range **masked;
};

/* What an operator can become. */
enum layer_kind layer_kind_of(const struct weft_node *node);

/* Divides a prepared graph into layers, none of which is quantised yet. */
struct plan *plan_new(struct weft_arena *arena, const struct weft_graph *graph,
                      const struct weft_model_names *names,
                      const struct weft_quantize_options *options);

/* Says which layers are quantised: those that can be, where it is of use, not inside of what
 * becomes a table (plan->tables), and not those that `keep_float` (by layer; NULL: none) holds
 * back. */
void plan_choose_layers(struct plan *plan, const bool *keep_float);

/* Does the tensor have a scale: does a quantised layer make or use it? */
bool plan_is_quantized(const struct plan *plan, const struct weft_value *value);

/* The type of a value that has a scale when it is quantised. */
struct weft_type plan_type_of(const struct plan *plan, const struct weft_value *value);

/* Sets plan->observed_as, and which operators are recurrent. */
void plan_find_steps(struct plan *plan);

/* Changes plan->ranges so that the sigmoids and tanhs of a recurrent operator are one table, where
 * that costs no more than a bit, and what joins its steps has their range. */
void plan_share_tables(const struct plan *plan);

/* Sets plan->masked. */
void plan_find_masks(const struct plan *plan);

/* Scales of all tensors, out of plan->ranges and plan->masked, and of constant operands that are
 * not weights. */
void plan_choose_scales(struct plan *plan);

/* Quantises the weights of all products, and their biases out of layer->float_bias. */
void plan_quantize_weights(struct plan *plan);
void plan_quantize_bias(const struct plan *plan, struct layer *layer);

/* Is it a tensor of floats between layers, or one of the graph's inputs, so one that can have a
 * scale? By number of the value. */
bool plan_is_between(const struct plan *plan, size_t number);

/* What a layer, or a tensor, is called in reports: by the model's own name of its result. */
const char *plan_name_of(const struct plan *plan, const struct weft_value *value);

/* Is it an average pool whose one window is all rows and columns? */
bool layer_is_whole_pool(const struct layer *layer);

/* Is it the mean over all rows and columns of [N, H, W, C]? */
bool layer_is_global_average(const struct layer *layer);

/* Constant operands of the layer. */
const struct weft_value *layer_weights_value(const struct layer *layer);
const float *layer_bias_data(const struct layer *layer); /* NULL: there is none */

#endif
