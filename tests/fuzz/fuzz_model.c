/* Models for firmware. They have a checksum: mutate_model.c. */
#include <stdlib.h>
#include <string.h>

#include "firmware/weft_firmware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t seen;

/* Reads the ends of what lies in the model. */
static void touch(const struct weft_model *model, const struct weft_place *place, uint32_t bytes) {
    if (place->kind == WEFT_PLACE_MODEL && bytes > 0) {
        const uint8_t *first = weft_model_at(model, place->at);
        seen = (uint8_t)(first[0] ^ first[bytes - 1]);
    } else if (place->kind == WEFT_PLACE_ARENA &&
               (uint64_t)place->at + bytes > model->arena_bytes) {
        abort();
    }
}

static void touch_operator(const struct weft_model *model,
                           const struct weft_model_operator *operator) {
    const struct weft_model_operand *operands = weft_model_at(model, operator->operands);
    const struct weft_place parameters = {WEFT_PLACE_MODEL, operator->parameters };
    touch(model, &parameters, operator->parameter_bytes);
    for (uint32_t i = 0; i < operator->input_count + operator->output_count; i++) {
        touch(model, &operands[i].place, operands[i].bytes);
    }
}

static void touch_step(const struct weft_model *model, const struct weft_model_step *step) {
    const void *what = weft_model_at(model, step->at);
    if (step->kind == WEFT_STEP_OPERATOR) {
        touch_operator(model, what);
    } else if (step->kind == WEFT_STEP_COPY) {
        const struct weft_model_copy *copy = what;
        touch(model, &copy->from, copy->bytes);
        touch(model, &copy->to, copy->bytes);
    } else {
        const struct weft_model_segment *segment = what;
        for (uint32_t i = 0; i < WEFT_MODEL_REGIONS; i++) {
            touch(model, &segment->regions[i].place, segment->regions[i].bytes);
        }
    }
}

/* All that a run would read. */
static void touch_model(const struct weft_model *model) {
    const struct weft_model_tensor *tensors = weft_model_at(model, model->inputs.at);
    const struct weft_model_step *steps = weft_model_at(model, model->steps.at);
    const struct weft_model_copy *resets = weft_model_at(model, model->resets.at);
    seen = (uint8_t)strlen(weft_model_at(model, model->name));
    for (uint32_t i = 0; i < model->inputs.count + model->outputs.count; i++) {
        touch(model, &tensors[i].home, tensors[i].bytes);
        seen = (uint8_t)strlen(weft_model_at(model, tensors[i].name));
    }
    for (uint32_t i = 0; i < model->steps.count; i++) {
        touch_step(model, &steps[i]);
    }
    for (uint32_t i = 0; i < model->resets.count; i++) {
        touch(model, &resets[i].from, resets[i].bytes);
        touch(model, &resets[i].to, resets[i].bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct weft_kernel_entry *kernels[128];
    uint8_t *bytes = malloc(size == 0 ? 1 : size); /* aligned, and without a byte more */
    if (bytes == NULL) {
        return 0;
    }
    memcpy(bytes, data, size);
    if (weft_model_check(bytes, size, &weft_integer_kernels, kernels, 128) == WEFT_FIRMWARE_OK) {
        touch_model((const struct weft_model *)(const void *)bytes);
    }
    free(bytes);
    return 0;
}
