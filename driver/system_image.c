#include "driver/system_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "firmware/weft_model.h"

enum {
    BOOT_OFFSET = WEFT_BOOT_ADDRESS - WEFT_SYSTEM_RAM,
};

static const uint64_t most_bytes = (UINT64_C(1) << 31) - WEFT_MODEL_ALIGNMENT;

/* ---- what the blob says ---- */

static bool list_is_inside(const struct weft_model_list *list, size_t element, uint32_t bytes) {
    return list->at <= bytes && list->count <= (bytes - list->at) / element;
}

static bool read_model(const struct weft_system_setup *setup, struct weft_model *model,
                       struct weft_error *error) {
    if (setup->blob_bytes < sizeof *model) {
        return weft_fail(error, WEFT_CONTAINER, setup->blob_bytes,
                         "a blob of %zu bytes is shorter than its header", setup->blob_bytes);
    }
    memcpy(model, setup->blob, sizeof *model);
    if (memcmp(model->magic, WEFT_MODEL_MAGIC, sizeof model->magic) != 0 ||
        model->version != WEFT_MODEL_VERSION) {
        return weft_fail(error, WEFT_CONTAINER, 0, "no blob of version %d of weft export",
                         WEFT_MODEL_VERSION);
    }
    if (model->bytes > setup->blob_bytes ||
        !list_is_inside(&model->inputs, sizeof(struct weft_model_tensor), model->bytes) ||
        !list_is_inside(&model->outputs, sizeof(struct weft_model_tensor), model->bytes)) {
        return weft_fail(error, WEFT_CONTAINER, model->bytes,
                         "a blob of %zu bytes has no room for what its header names",
                         setup->blob_bytes);
    }
    if (model->inputs.count > WEFT_BOOT_TENSORS || model->outputs.count > WEFT_BOOT_TENSORS) {
        return weft_fail(error, WEFT_LIMIT, 0,
                         "a model of %" PRIu32 " inputs and %" PRIu32
                         " outputs, expected at most %d of each",
                         model->inputs.count, model->outputs.count, WEFT_BOOT_TENSORS);
    }
    return true;
}

static uint32_t tensor_bytes(const void *blob, const struct weft_model_list *list, uint32_t index) {
    struct weft_model_tensor tensor;
    const uint8_t *from = blob;
    memcpy(&tensor, from + list->at + index * sizeof tensor, sizeof tensor);
    return tensor.bytes;
}

/* ---- where everything lies ---- */

/* A range behind what is there, each in lines and regions of its own. */
static struct weft_boot_range place(uint64_t *end, uint32_t bytes) {
    const uint64_t at = *end;
    *end +=
        ((uint64_t)bytes + WEFT_MODEL_ALIGNMENT - 1) / WEFT_MODEL_ALIGNMENT * WEFT_MODEL_ALIGNMENT;
    return (struct weft_boot_range){(uint32_t)(WEFT_SYSTEM_RAM + at), bytes};
}

/* Fills in the ranges; returns the bytes of RAM that are taken. They may be too many for the
 * addresses. */
static uint64_t place_all(const struct weft_system_setup *setup, const struct weft_model *model,
                          struct weft_boot *boot) {
    uint64_t end = BOOT_OFFSET;
    (void)place(&end, sizeof *boot);
    boot->blob = place(&end, model->bytes);
    boot->arena = place(&end, model->arena_bytes);
    boot->input_count = model->inputs.count;
    boot->output_count = model->outputs.count;
    for (uint32_t i = 0; i < boot->input_count; i++) {
        boot->inputs[i] = place(&end, tensor_bytes(setup->blob, &model->inputs, i));
    }
    for (uint32_t i = 0; i < boot->output_count; i++) {
        boot->outputs[i] = place(&end, tensor_bytes(setup->blob, &model->outputs, i));
    }
    return end;
}

static uint8_t *at(const struct weft_system_image *image, struct weft_boot_range range) {
    return image->ram + (range.address - WEFT_SYSTEM_RAM);
}

static bool make_ram(uint64_t bytes, struct weft_system_image *image, struct weft_error *error) {
    if (bytes > most_bytes) {
        return weft_fail(error, WEFT_LIMIT, bytes,
                         "the system would need %" PRIu64
                         " bytes of RAM, expected at most %" PRIu64,
                         bytes, most_bytes);
    }
    image->ram_bytes = bytes < WEFT_SYSTEM_RAM_BYTES ? WEFT_SYSTEM_RAM_BYTES : bytes;
    image->ram = aligned_alloc(WEFT_MODEL_ALIGNMENT, image->ram_bytes);
    if (image->ram == NULL) {
        return weft_no_memory(error, "the RAM of a system");
    }
    memset(image->ram, 0, image->ram_bytes);
    return true;
}

static struct weft_boot begin_boot(const struct weft_system_setup *setup) {
    struct weft_boot boot = {
        .version = WEFT_BOOT_VERSION,
        .flags = setup->interrupt ? WEFT_BOOT_INTERRUPT : 0,
        .runs = setup->runs,
        .watchdog_factor = setup->watchdog_factor,
        .patience = setup->patience,
        .status = WEFT_BOOT_UNFINISHED,
    };
    memcpy(boot.magic, WEFT_BOOT_MAGIC, sizeof boot.magic);
    return boot;
}

bool weft_system_image_make(const struct weft_system_setup *setup, struct weft_system_image *image,
                            struct weft_error *error) {
    struct weft_model model;
    *image = (struct weft_system_image){.boot = begin_boot(setup)};
    if (setup->runs == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "a model that runs 0 times, expected at least 1");
    }
    if (setup->image_bytes > BOOT_OFFSET) {
        return weft_fail(error, WEFT_LIMIT, setup->image_bytes,
                         "firmware of %zu bytes, expected at most %d", setup->image_bytes,
                         BOOT_OFFSET);
    }
    if (!read_model(setup, &model, error) ||
        !make_ram(place_all(setup, &model, &image->boot), image, error)) {
        return false;
    }
    memcpy(image->ram, setup->image, setup->image_bytes);
    memcpy(image->ram + BOOT_OFFSET, &image->boot, sizeof image->boot);
    memcpy(at(image, image->boot.blob), setup->blob, model.bytes);
    return true;
}

void weft_system_image_free(struct weft_system_image *image) {
    free(image->ram);
    *image = (struct weft_system_image){0};
}

/* ---- what goes in and out ---- */

struct weft_boot weft_system_image_boot(const struct weft_system_image *image) {
    struct weft_boot boot;
    memcpy(&boot, image->ram + BOOT_OFFSET, sizeof boot);
    return boot;
}

bool weft_system_image_set_input(struct weft_system_image *image, size_t index, const void *bytes,
                                 size_t length, struct weft_error *error) {
    if (index >= image->boot.input_count) {
        return weft_fail(error, WEFT_ARGUMENT, index,
                         "there is no input %zu: the model has %" PRIu32, index,
                         image->boot.input_count);
    }
    const struct weft_boot_range range = image->boot.inputs[index];
    if (length != range.bytes) {
        return weft_fail(error, WEFT_TENSOR, index, "input %zu has %zu bytes, expected %" PRIu32,
                         index, length, range.bytes);
    }
    memcpy(at(image, range), bytes, length);
    return true;
}

bool weft_system_image_output(const struct weft_system_image *image, size_t index,
                              const void **bytes, size_t *length, struct weft_error *error) {
    if (index >= image->boot.output_count) {
        return weft_fail(error, WEFT_ARGUMENT, index,
                         "there is no output %zu: the model has %" PRIu32, index,
                         image->boot.output_count);
    }
    *bytes = at(image, image->boot.outputs[index]);
    *length = image->boot.outputs[index].bytes;
    return true;
}

/* ---- how it ended ---- */

static const char *status_text(uint32_t status) {
    switch (status) {
#define WEFT_FIRMWARE_STATUS(name, value, text)                                                    \
    case (value):                                                                                  \
        return text;
#include "firmware/status.def"
    case WEFT_BOOT_BAD_BLOCK:
        return "the boot block is not what the firmware expects";
    case WEFT_BOOT_BAD_TENSOR:
        return "the boot block's tensors are not the model's";
    case WEFT_BOOT_TRAP:
        return "an exception that nobody expected";
    case WEFT_BOOT_UNFINISHED:
        return "it did not finish";
    default:
        return "a status that nobody knows";
    }
}

bool weft_system_image_check(const struct weft_system_image *image, uint32_t finish,
                             struct weft_error *error) {
    const struct weft_boot boot = weft_system_image_boot(image);
    if (finish == WEFT_FINISHER_PASS && boot.status == 0) {
        return true;
    }
    if (finish != (WEFT_FINISHER_FAIL | boot.status << 16)) {
        return weft_fail(error, WEFT_INTERNAL, finish,
                         "the firmware wrote 0x%08" PRIx32
                         " to the test finisher, and left status %" PRIu32,
                         finish, boot.status);
    }
    if (boot.status == WEFT_BOOT_TRAP) {
        return weft_fail(error, WEFT_FAULT, boot.trap_pc,
                         "the firmware stopped: %s: cause %" PRIu32 " at 0x%08" PRIx32
                         ", value 0x%08" PRIx32,
                         status_text(boot.status), boot.trap_cause, boot.trap_pc, boot.trap_value);
    }
    return weft_fail(error, WEFT_FAULT, boot.instruction,
                     "the firmware stopped after %" PRIu32 " runs, in step %" PRIu32
                     " of the model, instruction %" PRIu32 ": %s",
                     boot.runs_done, boot.step, boot.instruction, status_text(boot.status));
}
