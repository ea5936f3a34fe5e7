/* What Weft takes of TFLite's operators: tflite_operators.def as a table. */
#ifndef WEFT_COMPILER_IMPORT_OPERATORS_H
#define WEFT_COMPILER_IMPORT_OPERATORS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who carries an operator out. */
enum weft_place {
    WEFT_PLACE_NONE,    /* not supported */
    WEFT_PLACE_FOLDED,  /* nobody: it is gone once the model is read */
    WEFT_PLACE_HOST,    /* the host */
    WEFT_PLACE_MACHINE, /* the machine, of int8 and uint8; else the host */
};

struct weft_tflite_operator {
    int32_t code;     /* in the schema */
    const char *name; /* in the schema */
    enum weft_place place;
    uint32_t types;         /* of elements that it takes: bit 1 << enum weft_dtype */
    const char *conditions; /* what else must hold, in words; may be empty */
};

/* Operator number `index` of the table, in alphabetical order; NULL after the last one. */
const struct weft_tflite_operator *weft_tflite_operator_at(size_t index);

/* The operator of a code; NULL when the schema has none. */
const struct weft_tflite_operator *weft_tflite_find(int32_t code);

/* "host", ... */
const char *weft_place_name(enum weft_place place);

#ifdef __cplusplus
}
#endif

#endif
