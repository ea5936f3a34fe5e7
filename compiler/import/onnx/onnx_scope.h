/* Graphs in the graph: the branches of If, the bodies of Loop and Scan, functions of the model.
 * While one is read, its names are found before those outside. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_SCOPE_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_SCOPE_H

#include "compiler/import/onnx/onnx_importer.h"

/* What is there again once a graph is read. */
struct onnx_scope {
    struct onnx_names names;
    const struct onnx_local_function *function;
    const Onnx__NodeProto *call;
    int64_t opset;
};

/* What an input of a graph stands for, or what one of its outputs came to. */
struct onnx_end {
    struct weft_value *value;
    const struct onnx_sequence *sequence; /* in place of a value; NULL: it is none */
    bool is_unknown; /* an operator that is not supported makes it: there is neither */
    bool is_absent;  /* an input that is left out */
};

/* Makes the names of a graph the ones that are found, before those outside if it sees them. Error:
 * WEFT_LIMIT, WEFT_MODEL; nothing was entered then. */
bool onnx_enter(struct onnx_importer *importer, const Onnx__GraphProto *graph, bool sees_outer,
                struct onnx_scope *scope);
/* The same of a graph that was entered before and sees the names outside: `names` were its own, and
 * what it made of its initializers stays. */
bool onnx_enter_again(struct onnx_importer *importer, const Onnx__GraphProto *graph,
                      const struct onnx_names *names, struct onnx_scope *scope);
void onnx_leave(struct onnx_importer *importer, const struct onnx_scope *scope);

/* Gives an input of the graph that was entered what it stands for. */
void onnx_give_end(const struct onnx_importer *importer, const char *name,
                   const struct onnx_end *end);

/* Reads the operators of the graph that was entered and leaves it, also after an error. made: what
 * its first `count` outputs came to. */
bool onnx_read_scope(struct onnx_importer *importer, const struct onnx_scope *scope,
                     const Onnx__GraphProto *graph, size_t count, struct onnx_end *made);

/* What an input of the operator is; the operator's result. */
bool onnx_input_end(struct onnx_importer *importer, uint32_t number, struct onnx_end *end);
bool onnx_finish_end(struct onnx_importer *importer, uint32_t number, const struct onnx_end *end);

/* The graph of an attribute, without sparse initializers. NULL: it is missing, or has such. */
const Onnx__GraphProto *onnx_graph(const struct onnx_importer *importer, const char *name);

/* Whether a value is one truth (else, as of a sequence, which has none, WEFT_MODEL), and which, if
 * it is known. */
bool onnx_condition(struct onnx_importer *importer, struct weft_value *value, bool *is_known,
                    bool *condition);

#endif
