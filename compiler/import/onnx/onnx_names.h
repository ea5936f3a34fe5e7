/* The tensors of an ONNX graph by name: each is made once. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_NAMES_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_NAMES_H

#include "compiler/import/names.h"
#include "compiler/import/onnx/onnx_read.h"
#include "compiler/ir/ir.h"

/* A sequence of tensors, which is known when the model is read. */
struct onnx_sequence {
    uint32_t count;
    struct weft_value **values;
};

struct onnx_tensor {
    const char *name;
    int32_t index; /* in the order of the file: inputs, initializers, results of operators; -1: of
                      a branch or function */
    const Onnx__ValueInfoProto *input;    /* NULL: no input */
    const Onnx__TensorProto *initializer; /* NULL: none */
    int64_t producer;                     /* the operator that makes it, or -1 */
    struct weft_value *value;             /* NULL: not made yet, or a sequence */
    const struct onnx_sequence *sequence; /* NULL: it is none */
    bool is_unknown;                      /* an operator that is not supported makes it */
    bool is_absent;                       /* an input that a call of its function leaves out */
};

struct onnx_names {
    uint32_t count;
    struct onnx_tensor *tensors;    /* by name */
    const struct onnx_names *outer; /* what a branch sees besides; NULL: nothing */
};

/* Lists all tensors. Error: WEFT_MODEL when a name is missing or there twice; an initializer may
 * have the name of an input. */
bool onnx_names_make(struct weft_arena *arena, const Onnx__GraphProto *graph,
                     struct onnx_names *names, struct weft_error *error);

/* The tensor of a name, the innermost one; NULL: there is none. */
struct onnx_tensor *onnx_names_find(const struct onnx_names *names, const char *name);

/* The names for who shows the graph. */
void onnx_names_list(struct weft_arena *arena, const Onnx__GraphProto *graph,
                     const struct onnx_names *names, struct weft_model_names *list);

#endif
