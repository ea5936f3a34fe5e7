/* The parameters of struct weft_config as a list. */
#ifndef WEFT_ISA_PARAMETERS_H
#define WEFT_ISA_PARAMETERS_H

#include <stddef.h>

#include "weft_isa.h"

/* A parameter as data: for the reader, the fingerprint and listings. */
struct weft_parameter {
    const char *name;
    size_t offset; /* of its uint32_t in struct weft_config */
    uint32_t low;
    uint32_t high;
};
extern const struct weft_parameter weft_parameter_list[WEFT_PARAMETERS];

#endif
