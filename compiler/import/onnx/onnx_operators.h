/* What Weft takes of ONNX's operators: onnx_operators.def as a table. It is there in builds that
 * can not read ONNX, too. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_OPERATORS_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_OPERATORS_H

#include "compiler/import/operators.h"

enum {
    WEFT_ONNX_NEWEST = 28, /* version of the operators: that of PyPI's package onnx 1.23 */
};

struct weft_onnx_operator {
    const char *name;
    const char *domain;     /* "": ONNX's own */
    const char *attributes; /* that it takes, "axis:i pads:I": i an integer, f a float, s a text, t
                               a tensor, g a graph, I, F, S lists */
    const char *conditions; /* what else must hold, in words; may be empty */
    int32_t since, last;    /* versions of ONNX's operators, of ONNX's own */
    uint32_t least, most;   /* inputs */
    uint32_t results;       /* at most */
    enum weft_place place;
};

/* Operator number `index` of the table, in alphabetical order; NULL after the last one. */
const struct weft_onnx_operator *weft_onnx_operator_at(size_t index);

/* The operator of a name and its number; NULL: it is not supported. */
const struct weft_onnx_operator *weft_onnx_find(const char *domain, const char *name,
                                                size_t *number);

#endif
