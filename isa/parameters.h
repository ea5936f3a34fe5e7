/* The parameters of struct weft_config as a list. */
#ifndef WEFT_ISA_PARAMETERS_H
#define WEFT_ISA_PARAMETERS_H

#include <stddef.h>

#include "isa/isa.h"

/* A parameter as data: for the reader, the fingerprint and listings. */
struct weft_parameter {
    const char *name;
    size_t offset; /* of its uint32_t in struct weft_config */
    uint32_t low;
    uint32_t high;
};
extern const struct weft_parameter weft_parameter_list[WEFT_PARAMETERS];

/* Instructions that need a parameter to be 1, from isa/features.def: those of `opcode` of which all
 * conditions hold. */
struct weft_feature {
    const char *name; /* of the parameter */
    size_t offset;    /* of its uint32_t in struct weft_config */
    uint32_t opcode;
    struct {
        const struct weft_field *field; /* NULL: always holds */
        bool is;                        /* it is the value; else: it is not */
        int64_t value;
    } conditions[2];
};
extern const struct weft_feature weft_features[]; /* ended by a NULL name */

#endif
