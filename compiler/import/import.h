/* Reading models into the graph IR. */
#ifndef WEFT_COMPILER_IMPORT_IMPORT_H
#define WEFT_COMPILER_IMPORT_IMPORT_H

#include "compiler/import/names.h"
#include "compiler/ir/ir.h"

/* Operators of a model that are not supported for one reason. */
struct weft_unsupported {
    const char *name; /* of the operator */
    int32_t version;
    const char *reason;
    uint32_t count;
    uint32_t first; /* index of the first one in the file */
};

struct weft_unsupported_list {
    size_t count;
    const struct weft_unsupported *kinds; /* in the order of the first ones */
};

enum {
    WEFT_MOST_DIMS = 64,
    WEFT_DIM_NAME = 64, /* characters of a name, with the NUL */
};

/* The size of a dimension that a model leaves open under a name. */
struct weft_dim {
    char name[WEFT_DIM_NAME];
    int64_t size; /* 1 and more */
};

/* What an import needs beside the file; zeros: nothing. */
struct weft_import_options {
    /* The folder of the model, in which the files lie that hold elements of its tensors; nothing
     * outside is read. NULL: such models are refused. */
    const char *folder;
    /* May a file in it be read? `path` is the real one. NULL: each may. Any error. */
    bool (*may_read)(const void *reader, const char *path, struct weft_error *error);
    const void *reader;
    /* Dimensions that the inputs of a model leave open; others are 1. */
    size_t dim_count; /* at most WEFT_MOST_DIMS */
    const struct weft_dim *dims;
    /* Fills `bytes` with the elements of input `number` of the model, of this type, if they are
     * known already: sizes, axes and scales that a model takes as inputs. The graph is then one for
     * these elements alone. NULL: nothing is known. */
    bool (*known)(void *context, size_t number, const struct weft_type *type, void *bytes);
    void *context;
    /* A hash that goes on with the elements that are read from files beside the model
     * (base/hash.h), which belong to it as its own bytes do. NULL: nobody asks. */
    uint64_t *fingerprint;
};

/* Imports a model of ONNX, IR versions 3 to 14, operators up to version 28: each operator becomes
 * nodes of its plain meaning in the model's own order of axes. `bytes` need not outlive the call;
 * everything else as weft_import_tflite(). Errors: those; WEFT_ARGUMENT for a dimension that no
 * input names, WEFT_IO for files beside the model that can not be read, WEFT_TARGET when this build
 * can not read ONNX. */
bool weft_import_onnx(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                      const struct weft_import_options *options,
                      struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                      struct weft_model_names *names, struct weft_error *error);

/* Imports a TFLite model in the quantised dialect: each operator becomes the plain steps that its
 * kernel takes, e.g. CONV_2D: qnn.conv2d, bias_add, qnn.requantize and, where an activation is
 * fused, clip. The value that is the operator's result carries the index of its tensor in the file.
 * `bytes` must live as long as the graph. When operators are not supported, *unsupported says which
 * ones, all of them (of very many kinds the first), in the arena; it is empty otherwise, and may be
 * NULL. Errors:
 * WEFT_MODEL (position: operator or tensor), WEFT_OPERATOR (position: operator), WEFT_GRAPH,
 * WEFT_LIMIT. */
bool weft_import_tflite(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                        struct weft_unsupported_list *unsupported, struct weft_graph **graph,
                        struct weft_error *error);

#endif
