/* ONNX's messages, built piece by piece in an arena; used by onnx_write.c alone. */
#ifndef WEFT_COMPILER_QUANTIZE_ONNX_MESSAGE_H
#define WEFT_COMPILER_QUANTIZE_ONNX_MESSAGE_H

#include "compiler/ir/ir.h"
#include "onnx.pb-c.h"

enum {
    ONNX_IR_VERSION = 9,
    ONNX_OPSET = 20,
    ONNX_MOST_NAMES = 1024, /* operands of a node */
};

struct onnx_message {
    struct weft_arena *arena;
    Onnx__GraphProto graph;
    size_t node_capacity, initializer_capacity;
};

/* A node that makes `result`; attributes follow. */
Onnx__NodeProto *onnx_add_node(struct onnx_message *message, const char *op, size_t input_count,
                               const char *const *inputs, const char *result);

void onnx_add_int(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                  int64_t value);
void onnx_add_ints(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                   size_t count, const int64_t *values);
void onnx_add_float(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                    double value);

void onnx_add_text(struct onnx_message *message, Onnx__NodeProto *node, const char *name,
                   const char *value);

/* The names of all results of a node, in the place of the one that it has. */
void onnx_add_results(struct onnx_message *message, Onnx__NodeProto *node, size_t count,
                      const char *const *results);

/* The number of an element type in ONNX: of booleans, floats of 32 bits and integers. */
int32_t onnx_type_code(enum weft_dtype dtype);

/* A tensor that is known; `data` must live as long as the arena. Elements: those of
 * onnx_type_code(). */
void onnx_add_tensor(struct onnx_message *message, const char *name, enum weft_dtype dtype,
                     uint32_t rank, const int64_t *dims, const void *data);

/* An input or output of the graph. */
void onnx_add_end(struct onnx_message *message, bool is_output, const char *name,
                  enum weft_dtype dtype, uint32_t rank, const int64_t *dims);

/* The bytes of the whole model; freed by the caller. Errors: WEFT_LIMIT (2 GB and more),
 * WEFT_OUT_OF_MEMORY. */
bool onnx_pack(struct onnx_message *message, uint8_t **bytes, size_t *length,
               struct weft_error *error);

#endif
