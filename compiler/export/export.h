/* Compiled models for firmware (firmware/weft_model.h): as bytes, and as C. */
#ifndef WEFT_COMPILER_EXPORT_EXPORT_H
#define WEFT_COMPILER_EXPORT_EXPORT_H

#include "base/text.h"
#include "compiler/module.h"
#include "kernels/kernels.h"

/* An exported model, and what it comes to. */
struct weft_export {
    const struct weft_module *module;
    uint8_t *bytes; /* the model; weft_export_free() releases it */
    size_t length;
    int64_t arena_bytes;       /* that a run needs */
    int64_t least_arena_bytes; /* that the step needs which needs most: no order of places gets
                                  along with less */
    uint32_t segments, operators, copies; /* its steps */
    uint32_t kernel_count;
    enum weft_kernel kernels[WEFT_KERNELS]; /* that it needs, in the order of its list */
};

/* Makes the bytes. `module` must outlive *made. Errors: WEFT_OPERATOR when firmware has no kernel
 * for an operator that the machine does not take (position: operator in the model); WEFT_TARGET
 * when a part is for another target; WEFT_CONTAINER when a program's inputs overlap; WEFT_LIMIT
 * when the model would have more than 2^31 bytes, or the arena 2^32; WEFT_OUT_OF_MEMORY. */
bool weft_export(const struct weft_module *module, struct weft_export *made,
                 struct weft_error *error);

void weft_export_free(struct weft_export *made);

/* Can it begin the names in C? Letters, digits and _, at most 64, a letter at first, since names
 * that begin with _ are the compiler's, and none that are ours: weft..., in capitals too, as macros
 * are. Keywords can: names go on behind them. */
bool weft_export_is_name(const char *name);

/* Appends a file of C with the model NAME_model and its kernels NAME_kernels, which firmware links
 * with those kernels and no others. `name` is one that weft_export_is_name() takes. Error:
 * WEFT_OUT_OF_MEMORY. */
bool weft_export_source(const struct weft_export *made, const char *name, struct weft_text *text,
                        struct weft_error *error);

/* Appends the header for it: what is declared, and what there is to know of inputs and outputs, for
 * the preprocessor. */
bool weft_export_header(const struct weft_export *made, const char *name, struct weft_text *text,
                        struct weft_error *error);

#endif
