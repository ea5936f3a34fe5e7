/* Pools. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_ONNX_POOL_H
#define WEFT_COMPILER_IMPORT_ONNX_ONNX_POOL_H

#include "compiler/import/onnx/onnx_importer.h"

/* The mean of the operator's windows over floats [N, C, ...], as AveragePool has it. `with_extra`:
 * where padding counts, so does what ceil_mode adds behind it, as in ONNX Runtime's operator of
 * integers. */
struct weft_value *onnx_average(struct onnx_importer *importer, struct weft_value *x,
                                bool with_extra);

#endif
