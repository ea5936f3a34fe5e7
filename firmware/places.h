/* Offsets of a model. */
#ifndef WEFT_FIRMWARE_PLACES_H
#define WEFT_FIRMWARE_PLACES_H

#include "firmware/weft_model.h"

/* What is at an offset of the model. */
static inline const void *model_at(const struct weft_model *model, uint32_t at) {
    return (const uint8_t *)model + at;
}

#endif
