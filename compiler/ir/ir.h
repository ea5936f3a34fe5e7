/* The graph IR: typed tensors with quantisation, and operators on them.
 *
 * A graph is a list of nodes in an order in which every value is made before it is used. Graphs are
 * not changed in place: a pass reads one graph and builds another (weft_rewrite() in
 * compiler/pattern, or by hand). All memory belongs to an arena (base/arena.h) that outlives the
 * graph.
 */
#ifndef WEFT_COMPILER_IR_IR_H
#define WEFT_COMPILER_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"

enum {
    WEFT_MAX_RANK = 8,
    /* Elements of a tensor at most; larger shapes are rejected. */
    WEFT_MAX_ELEMENTS = INT32_MAX,
};

struct weft_quantization {
    uint32_t count; /* 0: not quantised; 1: per tensor; else one for each element along `axis` */
    uint32_t axis;
    const double *scale;
    const int32_t *zero;
};

struct weft_type {
    enum weft_dtype dtype;
    uint32_t rank;
    int64_t dim[WEFT_MAX_RANK];
    struct weft_quantization quantization;
};

enum weft_operator {
#define WEFT_OP(name, text, least, most, results, attributes, infer, doc) WEFT_OP_##name,
#include "compiler/ir/operators.def"
#undef WEFT_OP
    WEFT_OPERATORS
};

/* How an operator can be carried out together with others; operators.def says what they mean. */
enum weft_fusion {
    WEFT_FUSION_OPAQUE,
    WEFT_FUSION_INJECTIVE,
    WEFT_FUSION_BY_ELEMENT,
    WEFT_FUSION_REDUCTION,
    WEFT_FUSION_COMPLEX,
};

enum weft_attribute_key {
#define WEFT_ATTRIBUTE(name, kind, doc) WEFT_ATTR_##name,
#include "compiler/ir/attributes.def"
#undef WEFT_ATTRIBUTE
    WEFT_ATTRIBUTES
};

enum weft_attribute_kind {
    WEFT_ATTRIBUTE_INT,
    WEFT_ATTRIBUTE_INTS,
    WEFT_ATTRIBUTE_FLOAT,
    WEFT_ATTRIBUTE_TEXT,
    WEFT_ATTRIBUTE_DATA,
};

struct weft_attribute {
    enum weft_attribute_key key;
    uint32_t count;      /* INTS: elements */
    const int64_t *ints; /* INT, INTS */
    double number;       /* FLOAT */
    const char *text;    /* TEXT */
    const uint8_t *data; /* DATA: as many bytes as the type of the constant says */
};

enum {
    WEFT_WHOLE_FRACTION = 1 << 30 /* what `fractions` count as 1 */
};

/* A tensor in a graph. */
struct weft_value {
    struct weft_type type;
    struct weft_node *producer; /* NULL: an input of the graph */
    uint32_t index;             /* which result of the producer, or which input of the graph */
    int32_t tensor;             /* index of the tensor in the model file, or -1 */
    const char *name;           /* without `%`; unique in a graph once weft_graph_name() ran */
};

struct weft_node {
    enum weft_operator op;
    uint32_t input_count;
    struct weft_value **inputs;
    uint32_t result_count;
    struct weft_value **results;
    uint32_t attribute_count;
    struct weft_attribute *attributes;
    struct weft_graph *body; /* COMPOSITE and REGION */
    int32_t source;          /* index of the operator in the model file, or -1 */
    uint64_t line;           /* of the text that it was read from, for messages; or 0 */
};

struct weft_map;

struct weft_graph {
    struct weft_arena *arena;
    const char *name;
    size_t input_count, input_capacity;
    struct weft_value **inputs;
    size_t output_count, output_capacity;
    struct weft_value **outputs;
    size_t node_count, node_capacity;
    struct weft_node **nodes;
};

/* ---- types ---- */

/* The name in the text form ("i8", ...). */
const char *weft_dtype_name(enum weft_dtype dtype);
/* The name in TFLite's schema ("INT8", ...), for messages. */
const char *weft_dtype_file_name(enum weft_dtype dtype);

/* Elements of a shape; -1 when a dimension is negative or there are more than WEFT_MAX_ELEMENTS. */
int64_t weft_type_elements(const struct weft_type *type);
/* Bytes of a tensor of a valid type. */
size_t weft_type_bytes(const struct weft_type *type);

bool weft_shape_equal(const struct weft_type *a, const struct weft_type *b);
bool weft_quantization_equal(const struct weft_quantization *a, const struct weft_quantization *b);
/* Scales and zero points of which number i is number chosen[i] of those along an axis, for `count`
 * of them, in the arena; of one for all that one. */
struct weft_quantization weft_choose_scales(struct weft_arena *arena,
                                            const struct weft_quantization *from, size_t count,
                                            const int64_t *chosen);
/* `times` as many, those along the axis one after another; of one for all that one. */
struct weft_quantization weft_repeat_scales(struct weft_arena *arena,
                                            const struct weft_quantization *from, size_t times);
/* Same element type, shape and quantisation. */
bool weft_type_equal(const struct weft_type *a, const struct weft_type *b);

/* A type for messages, as the text form has it; of many scales the first one that differs from
 * those of `other`. */
const char *weft_type_text(struct weft_arena *arena, const struct weft_type *type,
                           const struct weft_type *other);

/* A type without quantisation. */
struct weft_type weft_type_make(enum weft_dtype dtype, uint32_t rank, const int64_t *dims);
/* Per-tensor quantisation in the arena. */
struct weft_quantization weft_quantization_make(struct weft_arena *arena, double scale,
                                                int32_t zero);

/* Scale and zero point of channel `channel` (per tensor: of all). The type must be quantised. */
double weft_type_scale(const struct weft_type *type, int64_t channel);
int32_t weft_type_zero(const struct weft_type *type, int64_t channel);

/* A real limit of values of the type, quantised as TFLite's kernels do it: divided in float32,
 * rounded half away from zero, inside the type's range. The type must be quantised, of at most 32
 * bits, with a scale that float32 can hold. */
int64_t weft_type_limit(const struct weft_type *type, float limit);

/* Element `index` of integers (or bool), little-endian at any address. */
int64_t weft_element(enum weft_dtype dtype, const uint8_t *data, int64_t index);

/* ---- building ---- */

struct weft_graph *weft_graph_new(struct weft_arena *arena, const char *name);
struct weft_value *weft_graph_add_input(struct weft_graph *graph, const struct weft_type *type,
                                        const char *name, int32_t tensor);
void weft_graph_add_output(struct weft_graph *graph, struct weft_value *value);

/* Appends a node; `inputs` and `attributes` are copied. The caller adds its results. */
struct weft_node *weft_graph_add_node(struct weft_graph *graph, enum weft_operator op,
                                      uint32_t input_count, struct weft_value *const *inputs,
                                      uint32_t attribute_count,
                                      const struct weft_attribute *attributes);
/* Adds a result with a given type. */
struct weft_value *weft_node_add_result(struct weft_graph *graph, struct weft_node *node,
                                        const struct weft_type *type, int32_t tensor);
/* A constant; `data` is not copied and must live as long as the arena. */
struct weft_value *weft_graph_add_constant(struct weft_graph *graph, const struct weft_type *type,
                                           const void *data, const char *name, int32_t tensor);

struct weft_attribute weft_attr_int(struct weft_arena *arena, enum weft_attribute_key key,
                                    int64_t value);
struct weft_attribute weft_attr_ints(struct weft_arena *arena, enum weft_attribute_key key,
                                     uint32_t count, const int64_t *values);
struct weft_attribute weft_attr_float(enum weft_attribute_key key, double value);
struct weft_attribute weft_attr_text(enum weft_attribute_key key, const char *value);
enum {
    WEFT_INTERPOLATION_ATTRIBUTES = 3
};
/* Those of interpolate_axis for `count` places, each from 0 to the axis's last element. */
void weft_attr_interpolation(struct weft_arena *arena, int64_t axis, uint32_t count,
                             const double *places,
                             struct weft_attribute made[WEFT_INTERPOLATION_ATTRIBUTES]);

/* A copy of `node` at the end of `graph` with other inputs; results have the same types and names.
 */
struct weft_node *weft_graph_copy_node(struct weft_graph *graph, const struct weft_node *node,
                                       struct weft_value *const *inputs);

/* Adds an attribute that the node does not have. */
void weft_node_add_attribute(struct weft_arena *arena, struct weft_node *node,
                             struct weft_attribute attribute);
/* Takes an attribute off, if the node has it. */
void weft_node_remove_attribute(struct weft_node *node, enum weft_attribute_key key);

/* Making a graph out of another one, node by node. */
struct weft_copy {
    const struct weft_graph *from;
    struct weft_graph *to;
    struct weft_map *values; /* value of `from` -> value of `to` that stands for it */
};
/* A new graph with the inputs of `from`. */
struct weft_copy weft_copy_start(const struct weft_graph *from);
/* The same in another arena. The new graph still uses what nodes of the old one point to. */
struct weft_copy weft_copy_start_in(struct weft_arena *arena, const struct weft_graph *from);
/* The value of `to` that stands for a value of `from`; NULL when there is none yet. */
struct weft_value *weft_copy_value(const struct weft_copy *copy, const struct weft_value *value);
/* Copies a node whose inputs stand for values of `to`. */
struct weft_node *weft_copy_node(struct weft_copy *copy, const struct weft_node *node);
/* Adds the outputs of `from` and returns the new graph. */
struct weft_graph *weft_copy_finish(struct weft_copy *copy);

/* ---- reading ---- */

const char *weft_operator_name(enum weft_operator op);
enum weft_fusion weft_operator_fusion(enum weft_operator op);
const char *weft_attribute_name(enum weft_attribute_key key);
enum weft_attribute_kind weft_attribute_kind(enum weft_attribute_key key);

/* Same key and value. Constants' elements (kind DATA) are equal when they lie at one place. */
bool weft_attribute_equal(const struct weft_attribute *a, const struct weft_attribute *b);

/* The attribute, or NULL when the node has none of that name. */
const struct weft_attribute *weft_node_attribute(const struct weft_node *node,
                                                 enum weft_attribute_key key);
/* Attributes that weft_graph_verify() has found to be there. */
int64_t weft_node_int(const struct weft_node *node, enum weft_attribute_key key);
const int64_t *weft_node_ints(const struct weft_node *node, enum weft_attribute_key key);
double weft_node_float(const struct weft_node *node, enum weft_attribute_key key);
const char *weft_node_text(const struct weft_node *node, enum weft_attribute_key key);

/* Puts "operator N (NAME): ", N the operator of the model that the node came from, or "NAME: " of a
 * node that came from none, before the message of an error that is already filled, and makes N its
 * position (0 where there is none). */
void weft_node_error_prefix(const struct weft_node *node, struct weft_error *error);

/* The bytes of a value that a constant makes, or NULL. */
const uint8_t *weft_value_data(const struct weft_value *value);

/* Who uses each value: for passes that look downwards. */
struct weft_users {
    uint32_t count;
    struct weft_node **nodes; /* a node that uses the value twice is in here twice */
    bool is_output;           /* of the graph */
};
/* Numbers the values of a graph from 0 and lists their users. */
struct weft_use_index {
    const struct weft_graph *graph;
    size_t value_count;
    struct weft_users *users; /* by weft_value_number() */
    struct weft_map *numbers;
};
struct weft_use_index *weft_use_index_new(const struct weft_graph *graph);
const struct weft_users *weft_users_of(const struct weft_use_index *index,
                                       const struct weft_value *value);

/* Is the value no output, and do nodes of this operator alone use it, perhaps over reshapes and
 * transposes, at most four behind each other? */
bool weft_feeds_alone(const struct weft_use_index *index, const struct weft_value *value,
                      enum weft_operator op);

/* ---- maps from pointers to pointers, in an arena ---- */

struct weft_map {
    struct weft_arena *arena;
    size_t count, capacity; /* capacity: a power of two */
    const void **keys;
    void **values;
};
struct weft_map *weft_map_new(struct weft_arena *arena);
/* With room for `count` keys, so that the arena is not left with smaller tables. */
struct weft_map *weft_map_new_for(struct weft_arena *arena, size_t count);
void weft_map_set(struct weft_map *map, const void *key, void *value);
/* NULL when the key is not there. */
void *weft_map_get(const struct weft_map *map, const void *key);

/* ---- arithmetic ---- */

/* The multipliers and shifts of a qnn.add or qnn.subtract that weft_graph_verify() takes, as
 * weft_sum_multipliers() says, with its corrections. */
void weft_node_sum_multipliers(const struct weft_node *node, int bits, int32_t multiplier[3],
                               int shift[3]);

/* The multiplier and shift of a qnn.mul that weft_graph_verify() takes: those of its factor, or of
 * its scales. */
void weft_node_product_multiplier(const struct weft_node *node, int32_t *multiplier, int *shift);

/* ---- work ---- */

/* Multiplications that a product asks for, of elements that padding adds, too; 0 for every other
 * operator. The node must be one that weft_graph_verify() takes; at most 2^62. */
int64_t weft_node_macs(const struct weft_node *node);

/* Multiplications of the model that the node does not carry out, since passes cut channels or parts
 * of its window: its attribute `cut_macs` where that is above 0, or 0. */
int64_t weft_node_cut_macs(const struct weft_node *node);

/* Multiplications that the operator asks for in the model: those that it carries out and
 * `cut_macs`, which is below 0 where it carries out more; 0 to INT64_MAX. */
int64_t weft_node_model_macs(const struct weft_node *node);

/* What a node without a body costs a processor at most: its multiplications, the elements of its
 * operands and results, and those that windows of pools read. UINT64_MAX: 2^64 and more. */
uint64_t weft_node_steps(const struct weft_node *node);

/* Elements of all results of a node; of a node with a body, and of a graph: of everything in it but
 * constants. An operator that is several nodes, such as a convolution with bias, requantisation and
 * clip, counts each of them. */
int64_t weft_node_elements(const struct weft_node *node);
int64_t weft_graph_elements(const struct weft_graph *graph);

/* ---- checking ---- */

/* How many results the inputs and attributes of a node ask for: 1, but for split, unpack, topk and
 * bodies.
 */
uint32_t weft_node_expected_results(const struct weft_node *node);

/* The types of the results of a node that follow from its inputs and attributes: element type and
 * shape, and quantisation where the operator fixes it. Where it does not (qnn.requantize, qnn.add,
 * qnn.softmax, ...), the type of the node's first result decides and is only checked. A node that
 * has no results yet gets the usual type (a product: int32), where all of it follows. `results` has
 * room for weft_node_expected_results() types. Inputs and attributes must be those of the operator.
 * Error: WEFT_GRAPH. */
bool weft_node_infer(struct weft_arena *arena, const struct weft_node *node,
                     struct weft_type *results, struct weft_error *error);

/* Checks everything that passes rely on: inputs made before they are used, attribute kinds and
 * counts, shapes and types as inferred, valid quantisation (positive finite scales, zero points in
 * range), bodies that fit their nodes. Error: WEFT_GRAPH, position = index of the node. */
bool weft_graph_verify(const struct weft_graph *graph, struct weft_error *error);

/* ---- text form ---- */

/* Gives every value a name that no other value of the graph has: the one it has, where it is the
 * first to have it, else the number of its tensor or one of its own. */
void weft_graph_name(struct weft_graph *graph);

/* Constants that are too long for the text: the text says `blob N`. */
struct weft_blobs {
    size_t count, capacity;
    struct weft_blob {
        const uint8_t *bytes;
        size_t length;
    } * blob;
};

/* Appends the text form (docs/ir.md) of a graph whose values have names. Constants of more than 16
 * elements go to `blobs` (in the arena of the graph). */
void weft_graph_print(const struct weft_graph *graph, struct weft_text *text,
                      struct weft_blobs *blobs);

/* The same with these constants at the end of the text. */
void weft_graph_write(const struct weft_graph *graph, struct weft_text *text);

/* Reads the text form and verifies the graph. The elements of blobs are in `blobs`, which are not
 * copied; NULL: in the text. Errors: WEFT_GRAPH, position = line, or, where the text is well formed
 * but not the graph, index of the node. */
bool weft_graph_parse(struct weft_arena *arena, const char *text, size_t length,
                      const struct weft_blobs *blobs, struct weft_graph **graph,
                      struct weft_error *error);

/* Writes the elements of type `type` from the file that the text calls `path` to `bytes`, as many
 * bytes as the type says, little-endian. Whether `path` may be read is for the reader to say.
 * Errors: its own. */
typedef bool weft_constant_read(void *context, const char *path, const struct weft_type *type,
                                uint8_t *bytes, struct weft_error *error);

/* Who reads constants that are in files. */
struct weft_constant_reader {
    weft_constant_read *read;
    void *context;
};

/* weft_graph_parse() of a text whose constants may be in files. */
bool weft_graph_read(struct weft_arena *arena, const char *text, size_t length,
                     const struct weft_constant_reader *reader, struct weft_graph **graph,
                     struct weft_error *error);

/* Do the bytes begin like a graph in text form? */
bool weft_is_graph_text(const uint8_t *bytes, size_t length);

#endif
