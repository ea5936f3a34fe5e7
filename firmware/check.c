/* Models that may be any bytes, before they are used. */

#include "firmware/weft_firmware.h"

/* ---- ranges ---- */

/* Do `count` elements of `size` bytes lie at `at`, a multiple of `alignment`, inside of `limit`
 * bytes? */
static bool fits(uint32_t at, uint64_t count, uint32_t size, uint32_t alignment, uint32_t limit) {
    return at % alignment == 0 && at <= limit && count * size <= limit - at;
}

static bool has_list(const struct weft_model *model, struct weft_model_list list, uint32_t size) {
    return list.count == 0 ||
           (list.at >= sizeof *model && fits(list.at, list.count, size, 8, model->bytes));
}

/* Is there something of `size` bytes at an offset? */
static bool has(const struct weft_model *model, uint32_t at, uint32_t size) {
    return has_list(model, (struct weft_model_list){at, 1}, size);
}

static bool has_text(const struct weft_model *model, uint32_t at) {
    const char *text = weft_model_at(model, at);
    uint32_t left = at < model->bytes ? model->bytes - at : 0;
    while (left > 0 && *text != '\0') {
        text++;
        left--;
    }
    return left > 0;
}

static const struct weft_model_tensor *tensor_at(const struct weft_model *model, uint32_t index) {
    const struct weft_model_tensor *tensors = weft_model_at(model, model->inputs.at);
    return &tensors[index];
}

/* How a step uses a place. */
struct use {
    uint32_t bytes;
    uint32_t alignment;
    bool is_written;
};

static bool is_place(const struct weft_model *model, const struct weft_place *place,
                     struct use use) {
    switch (place->kind) {
    case WEFT_PLACE_ARENA:
        return fits(place->at, use.bytes, 1, use.alignment, model->arena_bytes);
    case WEFT_PLACE_MODEL:
        return !use.is_written && fits(place->at, use.bytes, 1, use.alignment, model->bytes);
    case WEFT_PLACE_TENSOR:
        return place->at < model->inputs.count + model->outputs.count &&
               tensor_at(model, place->at)->alignment % use.alignment == 0 &&
               tensor_at(model, place->at)->alignment != 0 &&
               use.bytes <= tensor_at(model, place->at)->bytes &&
               !(use.is_written && place->at < model->inputs.count);
    default:
        return false;
    }
}

static bool is_arena(const struct weft_model *model, uint32_t at, uint64_t count, uint32_t size) {
    return fits(at, count, size, 8, model->arena_bytes);
}

/* ---- tensors ---- */

static bool is_shape(const struct weft_model_tensor *tensor) {
    uint64_t bytes =
        tensor->dtype < WEFT_DTYPES ? weft_dtype_bytes((enum weft_dtype)tensor->dtype) : UINT32_MAX;
    bool good = tensor->rank <= WEFT_MODEL_RANK;
    for (uint32_t i = 0; good && i < tensor->rank; i++) {
        good = tensor->dim[i] <= INT32_MAX && bytes <= UINT32_MAX;
        bytes *= good ? tensor->dim[i] : 0;
    }
    return good && bytes == tensor->bytes;
}

static bool is_tensor(const struct weft_model *model, const struct weft_model_tensor *tensor,
                      bool is_input) {
    uint32_t alignment = tensor->alignment == 0 ? 1 : tensor->alignment;
    bool is_home = tensor->home.kind == WEFT_PLACE_ARENA ||
                   (tensor->home.kind == WEFT_PLACE_MODEL && !is_input && tensor->alignment == 0);
    return is_home && alignment <= WEFT_MODEL_ALIGNMENT && (alignment & (alignment - 1)) == 0 &&
           is_shape(tensor) && has_text(model, tensor->name) &&
           is_place(model, &tensor->home, (struct use){tensor->bytes, alignment, false});
}

static bool are_tensors(const struct weft_model *model) {
    uint64_t count = (uint64_t)model->inputs.count + model->outputs.count;
    const uint32_t size = (uint32_t)sizeof(struct weft_model_tensor);
    bool good = count <= UINT32_MAX && has_list(model, model->inputs, size) &&
                has_list(model, model->outputs, size) &&
                (model->outputs.count == 0 ||
                 model->outputs.at == model->inputs.at + model->inputs.count * size) &&
                (count == 0 || is_arena(model, model->tensors, count, 8));
    for (uint32_t i = 0; good && i < count; i++) {
        good = is_tensor(model, tensor_at(model, i), i < model->inputs.count);
    }
    return good;
}

/* ---- steps ---- */

static bool is_segment(const struct weft_model *model, const struct weft_model_segment *segment) {
    bool good = true;
    for (uint32_t i = 0; good && i < WEFT_MODEL_REGIONS; i++) {
        const struct weft_model_region *region = &segment->regions[i];
        const struct use use = {region->bytes, WEFT_MODEL_ALIGNMENT, region->is_writable != 0};
        good = region->is_writable <= 1 && is_place(model, &region->place, use);
    }
    return good;
}

static bool are_operands(const struct weft_model *model,
                         const struct weft_model_operator *operator) {
    uint64_t count = (uint64_t) operator->input_count + operator->output_count;
    const struct weft_model_operand *operands = weft_model_at(model, operator->operands);
    bool good = count <= UINT32_MAX &&
                has_list(model, (struct weft_model_list){operator->operands, (uint32_t)count},
                         sizeof *operands) &&
                is_arena(model, operator->pointers, count, 8);
    for (uint32_t i = 0; good && i < count; i++) {
        bool is_output = i >= operator->input_count;
        good = is_place(model, &operands[i].place,
                        (struct use){operands[i].bytes, is_output ? 8 : 1, is_output});
    }
    return good;
}

static bool is_operator(const struct weft_model *model, const struct weft_model_operator *operator,
                        const struct weft_kernel_entry * const * kernels) {
    if (operator->kernel >= model->kernels.count) {
        return false;
    }
    const struct weft_kernel_entry *kernel = kernels[operator->kernel];
    return has(model, operator->parameters, operator->parameter_bytes) &&
           operator->parameter_bytes >= kernel->parameter_size &&(
               kernel->inputs < 0 || operator->input_count ==(uint32_t) kernel->inputs) &&
           (kernel->outputs < 0 || operator->output_count ==(uint32_t) kernel->outputs) &&
           are_operands(model, operator) &&
           is_arena(model, operator->state, operator->state_bytes, 1) &&
           is_arena(model, operator->scratch, operator->scratch_bytes, 1);
}

static bool is_copy(const struct weft_model *model, const struct weft_model_copy *copy) {
    return is_place(model, &copy->from, (struct use){copy->bytes, 1, false}) &&
           is_place(model, &copy->to, (struct use){copy->bytes, 1, true});
}

static bool is_step(const struct weft_model *model, const struct weft_model_step *step,
                    const struct weft_kernel_entry *const *kernels) {
    switch (step->kind) {
    case WEFT_STEP_SEGMENT:
        return has(model, step->at, sizeof(struct weft_model_segment)) &&
               is_segment(model, weft_model_at(model, step->at));
    case WEFT_STEP_OPERATOR:
        return has(model, step->at, sizeof(struct weft_model_operator)) &&
               is_operator(model, weft_model_at(model, step->at), kernels);
    case WEFT_STEP_COPY:
        return has(model, step->at, sizeof(struct weft_model_copy)) &&
               is_copy(model, weft_model_at(model, step->at));
    default:
        return false;
    }
}

static bool are_steps(const struct weft_model *model,
                      const struct weft_kernel_entry *const *kernels) {
    const struct weft_model_step *steps = weft_model_at(model, model->steps.at);
    bool good = has_list(model, model->steps, sizeof *steps);
    for (uint32_t i = 0; good && i < model->steps.count; i++) {
        good = is_step(model, &steps[i], kernels);
    }
    return good;
}

/* They are there before the addresses of tensors are. */
static bool are_resets(const struct weft_model *model) {
    const struct weft_model_copy *resets = weft_model_at(model, model->resets.at);
    bool good = has_list(model, model->resets, sizeof *resets);
    for (uint32_t i = 0; good && i < model->resets.count; i++) {
        good = is_copy(model, &resets[i]) && resets[i].from.kind == WEFT_PLACE_MODEL &&
               resets[i].to.kind == WEFT_PLACE_ARENA;
    }
    return good;
}

/* ---- all ---- */

static enum weft_firmware_status check_header(const struct weft_model *model, size_t length) {
    const size_t first = offsetof(struct weft_model, crc) + sizeof model->crc;
    if (length < sizeof *model) {
        return WEFT_FIRMWARE_MODEL_LENGTH;
    }
    for (uint32_t i = 0; i < sizeof model->magic; i++) {
        if (model->magic[i] != (uint8_t)WEFT_MODEL_MAGIC[i]) {
            return WEFT_FIRMWARE_MODEL_MAGIC;
        }
    }
    if (model->version != WEFT_MODEL_VERSION) {
        return WEFT_FIRMWARE_MODEL_VERSION;
    }
    if (model->bytes > length || model->bytes < sizeof *model) {
        return WEFT_FIRMWARE_MODEL_LENGTH;
    }
    return weft_crc32(0, (const uint8_t *)model + first, model->bytes - first) == model->crc
               ? WEFT_FIRMWARE_OK
               : WEFT_FIRMWARE_MODEL_CRC;
}

static bool is_same(const char *a, const char *b) {
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static const struct weft_kernel_entry *find_kernel(const struct weft_kernel_set *set,
                                                   const char *name) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (is_same(set->entries[i].name, name)) {
            return &set->entries[i];
        }
    }
    return NULL;
}

static enum weft_firmware_status find_kernels(const struct weft_model *model,
                                              const struct weft_kernel_set *set,
                                              const struct weft_kernel_entry **kernels,
                                              uint32_t room) {
    const struct weft_model_kernel *list = weft_model_at(model, model->kernels.at);
    if (!has_list(model, model->kernels, sizeof *list)) {
        return WEFT_FIRMWARE_MODEL_RANGE;
    }
    if (model->kernels.count > room) {
        return WEFT_FIRMWARE_KERNEL;
    }
    for (uint32_t i = 0; i < model->kernels.count; i++) {
        if (!has_text(model, list[i].name)) {
            return WEFT_FIRMWARE_MODEL_RANGE;
        }
        kernels[i] = find_kernel(set, weft_model_at(model, list[i].name));
        if (kernels[i] == NULL || kernels[i]->parameter_size != list[i].parameter_bytes) {
            return WEFT_FIRMWARE_KERNEL;
        }
    }
    return WEFT_FIRMWARE_OK;
}

enum weft_firmware_status weft_model_check(const void *bytes, size_t length,
                                           const struct weft_kernel_set *set,
                                           const struct weft_kernel_entry **kernels,
                                           uint32_t room) {
    const struct weft_model *model = bytes;
    enum weft_firmware_status status =
        (uintptr_t)bytes % 8 != 0 ? WEFT_FIRMWARE_ALIGNMENT : check_header(model, length);
    if (status == WEFT_FIRMWARE_OK) {
        status = find_kernels(model, set, kernels, room);
    }
    if (status != WEFT_FIRMWARE_OK) {
        return status;
    }
    bool good = has_text(model, model->name) && are_tensors(model) && are_steps(model, kernels) &&
                are_resets(model);
    return good ? WEFT_FIRMWARE_OK : WEFT_FIRMWARE_MODEL_RANGE;
}
