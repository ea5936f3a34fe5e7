/* What the files onnx_*.c share: the state of an import, and its helpers.
 *
 * An operator becomes nodes of the graph. Tensors keep the order of axes of the model, [N, C, H,
 * W]: operators that the graph knows in [N, H, W, C] alone stand between two transposes, which
 * passes move and cancel. Whatever follows from constants is computed at once: shapes, axes and
 * sizes that models compute must be known here.
 *
 * Helpers that make values return NULL when they fail, and when they are given NULL, so that
 * expressions can be nested; the error is then that of the first failure.
 *
 * Integers that QuantizeLinear and its like make carry their scale in the graph; plain operators
 * take the elements as they are (onnx_plain()). Types that nothing computes with (FLOAT16, DOUBLE,
 * UINT16, ...) are cast to one that is, and back (onnx_computed(), onnx_finish_as()).
 */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_IMPORTER_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_IMPORTER_H

#include "compiler/import/import.h"
#include "compiler/import/onnx/onnx_names.h"
#include "compiler/import/operators.h"
#include "compiler/import/unsupported.h"

enum {
    ONNX_MOST_PARTS = 1024,    /* operands of an operator, results of Split */
    ONNX_MOST_STEPS = 4096,    /* of a loop, or a sequence */
    ONNX_MOST_NODES = 1 << 20, /* of the graph: a short file can ask for many steps */
    ONNX_MOST_SCOPES = 24,     /* branches, bodies and functions in each other */
    ONNX_MOST_READ = 1 << 22,  /* operators and tensors of these, as often as they are used */
    ONNX_MOST_FUNCTIONS = 1 << 12,
};

/* A function of the model. */
struct onnx_local_function {
    const Onnx__FunctionProto *proto;
    size_t default_count;
    Onnx__AttributeProto **defaults; /* of attributes that a call leaves out */
    bool is_repeated;                /* another one has its name */
};

struct onnx_importer {
    struct weft_arena *arena;
    struct weft_graph *graph;
    const struct weft_import_options *options;
    uint64_t used_dims; /* options->dims that a shape names: a bit for each */
    const Onnx__GraphProto *file;
    int64_t opset; /* of the operators without a domain */
    size_t function_count;
    const struct onnx_local_function *functions; /* by domain and name */
    struct onnx_names
        names;       /* of the graph, or of the branch, body or function that is being read */
    uint32_t scopes; /* branches, bodies and functions that are being read */
    uint64_t read;   /* operators and tensors of these so far, as often as they are used */
    const struct onnx_local_function *function; /* that is being read; NULL: none */
    const Onnx__NodeProto *call;                /* of it */
    struct unsupported *unsupported;
    /* Reads operators, in the scope of the names that are there. What is not supported is noted,
     * and its results unknown; false where the import ends. */
    bool (*import_nodes)(struct onnx_importer *importer, size_t count,
                         Onnx__NodeProto *const *nodes);
    uint64_t steps; /* that folding may still cost */
    uint32_t index; /* of the operator in the file's graph */
    const Onnx__NodeProto *node;
    struct weft_error *error;
};

/* "operator 3 (Conv 'name')". */
const char *onnx_context(const struct onnx_importer *importer);

/* Fails; the message names the operator. The second returns NULL. */
bool onnx_wrong(const struct onnx_importer *importer, enum weft_error_code code, const char *what);
struct weft_value *onnx_none(const struct onnx_importer *importer, enum weft_error_code code,
                             const char *what);

/* ---- attributes: their types were checked against the table of operators ---- */

const Onnx__AttributeProto *onnx_attribute(const struct onnx_importer *importer, const char *name);
int64_t onnx_int(const struct onnx_importer *importer, const char *name, int64_t missing);
float onnx_float(const struct onnx_importer *importer, const char *name, float missing);
const char *onnx_text(const struct onnx_importer *importer, const char *name, const char *missing);

/* A list of `count` integers; where there is none, so many times `missing`. */
bool onnx_ints(const struct onnx_importer *importer, const char *name, uint32_t count,
               int64_t missing, int64_t *values);

/* The kinds of all attributes are those that the table says, "axis:i pads:I". */
bool onnx_check_attributes(const struct onnx_importer *importer, const char *known);

/* ---- tensors ---- */

/* The element type of a number of TensorProto.DataType; false: not supported. */
bool onnx_dtype(int32_t data_type, enum weft_dtype *dtype);
const char *onnx_type_name(int32_t data_type);

/* The constant of a tensor of the file. */
struct weft_value *onnx_constant(struct onnx_importer *importer, const Onnx__TensorProto *tensor);

/* Reads the bytes of a tensor that lie in a file of their own; `length` is what the shape asks for.
 * NULL after WEFT_MODEL, WEFT_IO. */
const uint8_t *onnx_external(struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                             size_t length);

bool onnx_add_inputs(struct onnx_importer *importer);
bool onnx_add_outputs(struct onnx_importer *importer);

/* Are the dimensions of a type, of an empty one too, those of at most WEFT_MAX_ELEMENTS elements?
 * Products of any of them do not overflow then. All tensors of an import are so. */
bool onnx_is_bearable(const struct weft_type *type);

/* ---- inputs and results of the operator ---- */

bool onnx_has(const struct onnx_importer *importer, uint32_t number);
struct weft_value *onnx_input(struct onnx_importer *importer, uint32_t number);
/* Without its scale, in a type that operators compute with: i32, i64, f32 or bool. */
struct weft_value *onnx_computed_input(struct onnx_importer *importer, uint32_t number);
/* The same, which must be floats. */
struct weft_value *onnx_float_input(struct onnx_importer *importer, uint32_t number);

/* A value whose elements must be known when the model is read: a constant, if they are. */
struct weft_value *onnx_known(struct onnx_importer *importer, struct weft_value *value);
struct weft_value *onnx_known_input(struct onnx_importer *importer, uint32_t number);

/* The integers, or floats, of a constant input, at most `most`. */
bool onnx_integers(struct onnx_importer *importer, uint32_t number, uint32_t most, int64_t *values,
                   uint32_t *count);
bool onnx_floats(struct onnx_importer *importer, uint32_t number, uint32_t most, float *values,
                 uint32_t *count);
/* The axes that an attribute names, or, later, input 1; none where neither is there. They are as
 * they stand: onnx_axes checks them. */
bool onnx_named_axes(struct onnx_importer *importer, int64_t axes[WEFT_MAX_RANK], uint32_t *count);

/* Makes a value the result `number`; false when it is NULL. A result that nobody names is dropped.
 */
bool onnx_finish_at(struct onnx_importer *importer, uint32_t number, struct weft_value *value);
bool onnx_finish(struct onnx_importer *importer, struct weft_value *value);
/* The result, cast to an element type. */
bool onnx_finish_as(struct onnx_importer *importer, struct weft_value *value,
                    enum weft_dtype dtype);
/* The result, cast to the element type of input 0. */
bool onnx_finish_like(struct onnx_importer *importer, struct weft_value *value);
bool onnx_wants(const struct onnx_importer *importer, uint32_t number);

/* An axis in [0, rank), of one that may count from the end. */
bool onnx_axis(const struct onnx_importer *importer, int64_t axis, uint32_t rank, int64_t *result);
/* The same of axes, as a bit for each; each once. */
bool onnx_axes(const struct onnx_importer *importer, uint32_t count, const int64_t *axes,
               uint32_t rank, uint32_t *mask);

/* ---- building (onnx_build.c) ---- */

/* A node whose result type follows from its inputs, and of constants the constant. */
struct weft_value *onnx_apply(struct onnx_importer *importer, enum weft_operator op,
                              uint32_t input_count, struct weft_value *const *inputs,
                              uint32_t attribute_count, const struct weft_attribute *attributes);
/* The same, of a type that is declared and must fit. */
struct weft_value *onnx_declare(struct onnx_importer *importer, enum weft_operator op,
                                uint32_t input_count, struct weft_value *const *inputs,
                                uint32_t attribute_count, const struct weft_attribute *attributes,
                                const struct weft_type *type);
/* A node whose results the caller adds; NULL when there are too many, or an input is NULL. */
struct weft_node *onnx_node(struct onnx_importer *importer, enum weft_operator op,
                            uint32_t input_count, struct weft_value *const *inputs,
                            uint32_t attribute_count, const struct weft_attribute *attributes);

struct weft_value *onnx_unary(struct onnx_importer *importer, enum weft_operator op,
                              struct weft_value *x);
struct weft_value *onnx_binary(struct onnx_importer *importer, enum weft_operator op,
                               struct weft_value *a, struct weft_value *b);
/* "equal", "less", ... */
struct weft_value *onnx_compare(struct onnx_importer *importer, const char *relation,
                                struct weft_value *a, struct weft_value *b);
struct weft_value *onnx_select(struct onnx_importer *importer, struct weft_value *condition,
                               struct weft_value *a, struct weft_value *b);

/* Constants: one float; one integer, or truth, of a type; many integers of int64; bytes that live
 * as long as the arena. */
struct weft_value *onnx_scalar(struct onnx_importer *importer, float number);
struct weft_value *onnx_integer(struct onnx_importer *importer, enum weft_dtype dtype,
                                int64_t number);
/* One element of the type of `like`, i32, i64 or f32. */
struct weft_value *onnx_number(struct onnx_importer *importer, const struct weft_value *like,
                               int64_t number);
struct weft_value *onnx_list(struct onnx_importer *importer, uint32_t rank, const int64_t *dims,
                             const int64_t *numbers);
struct weft_value *onnx_data(struct onnx_importer *importer, enum weft_dtype dtype, uint32_t rank,
                             const int64_t *dims, const void *data);

struct weft_value *onnx_cast(struct onnx_importer *importer, struct weft_value *x,
                             enum weft_dtype dtype);
struct weft_value *onnx_plain(struct onnx_importer *importer, struct weft_value *x);
struct weft_value *onnx_computed(struct onnx_importer *importer, struct weft_value *x);
/* The same elements under another scale. */
struct weft_value *onnx_relabel(struct onnx_importer *importer, struct weft_value *x,
                                struct weft_quantization quantization);
struct weft_value *onnx_reshape(struct onnx_importer *importer, struct weft_value *x, uint32_t rank,
                                const int64_t *dims);
/* The dimensions of x without an axis; returns how many. */
uint32_t onnx_without_axis(const struct weft_value *x, uint32_t axis, int64_t dims[WEFT_MAX_RANK]);
/* The same where the first axis, along which x may have scales, stays as it is. */
struct weft_value *onnx_reshape_behind(struct onnx_importer *importer, struct weft_value *x,
                                       uint32_t rank, const int64_t *dims);
/* Axes in another order: axis i of the result is axis order[i] of x. */
struct weft_value *onnx_transpose(struct onnx_importer *importer, struct weft_value *x,
                                  const int64_t *order);
/* [N, C, H, W] to [N, H, W, C], and back. */
struct weft_value *onnx_to_last(struct onnx_importer *importer, struct weft_value *x);
struct weft_value *onnx_to_first(struct onnx_importer *importer, struct weft_value *x);
/* Two axes swapped. */
struct weft_value *onnx_swap(struct onnx_importer *importer, struct weft_value *x, uint32_t a,
                             uint32_t b);
/* Over the axes whose bit is set. */
struct weft_value *onnx_reduce(struct onnx_importer *importer, enum weft_operator op,
                               struct weft_value *x, uint32_t axes, bool keep);
/* pads: before and after, for each axis; `value` may be NULL: zeros. */
struct weft_value *onnx_pad(struct onnx_importer *importer, struct weft_value *x,
                            const int64_t *pads, struct weft_value *value);
/* `size` elements of one axis from `begin` on, `step` apart. */
struct weft_value *onnx_part(struct onnx_importer *importer, struct weft_value *x, uint32_t axis,
                             int64_t begin, int64_t step, int64_t size);
struct weft_value *onnx_slice(struct onnx_importer *importer, struct weft_value *x,
                              const int64_t *begin, const int64_t *steps, const int64_t *sizes);
struct weft_value *onnx_concatenate(struct onnx_importer *importer, uint32_t count,
                                    struct weft_value *const *parts, uint32_t axis);
/* Parts whose scales differ are put together as they are: as plain ones, if they are not alike. */
bool onnx_plain_unless_alike(struct onnx_importer *importer, uint32_t count,
                             struct weft_value **parts);
/* At most ONNX_MOST_STEPS parts, along an axis; parts that are alike, along a new one. */
struct weft_value *onnx_join(struct onnx_importer *importer, uint32_t count,
                             struct weft_value *const *parts, uint32_t axis);
struct weft_value *onnx_stack(struct onnx_importer *importer, uint32_t count,
                              struct weft_value *const *parts, uint32_t axis);
struct weft_value *onnx_gather(struct onnx_importer *importer, struct weft_value *x,
                               struct weft_value *indices, uint32_t axis);
/* Repeated to a shape that it is broadcast to. */
struct weft_value *onnx_expand(struct onnx_importer *importer, struct weft_value *x, uint32_t rank,
                               const int64_t *dims);
/* The softmax, or another operator along the last axis, along any axis. */
struct weft_value *onnx_along(struct onnx_importer *importer, enum weft_operator op,
                              struct weft_value *x, uint32_t axis, uint32_t attribute_count,
                              const struct weft_attribute *attributes);

/* ---- normalisations (onnx_normalize.c): over the axes whose bit is set ---- */

/* (x - mean) / sqrt(variance + epsilon); *mean and *inverse (1 over the root) may be NULL. */
struct weft_value *onnx_normalize(struct onnx_importer *importer, struct weft_value *x,
                                  uint32_t axes, float epsilon, struct weft_value **mean,
                                  struct weft_value **inverse);
/* x * inverse, which is 1 / sqrt(mean of the squares + epsilon). */
struct weft_value *onnx_normalize_size(struct onnx_importer *importer, struct weft_value *x,
                                       uint32_t axes, float epsilon, struct weft_value **inverse);

/* ---- functions (onnx_scope.c) ---- */

/* Reads the defaults of the attributes of the model's functions. Error: WEFT_MODEL, WEFT_LIMIT. */
bool onnx_add_functions(struct onnx_importer *importer, const Onnx__ModelProto *model);

/* The function of the model that an operator names; NULL: it is none. */
const struct onnx_local_function *onnx_find_function(const struct onnx_importer *importer,
                                                     const char *domain, const char *name);

/* An operator with the attributes and inputs that the call of the function it is in gives it. */
const Onnx__NodeProto *onnx_given(struct onnx_importer *importer, const Onnx__NodeProto *node);

/* Puts the operators of a function in place of the operator that calls it. */
bool onnx_call(struct onnx_importer *importer, const struct onnx_local_function *function);

/* ---- operators: one function for each kind ---- */

typedef bool onnx_function(struct onnx_importer *importer);

#define ONNX_OPERATOR(NAME, domain, since, last, function, least, most, results, attributes,       \
                      where, conditions)                                                           \
    onnx_function function;
#include "compiler/import/onnx/onnx_operators.def"
#undef ONNX_OPERATOR

#endif
