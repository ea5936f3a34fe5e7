#include "compiler/export/image.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "firmware/weft_model.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "structures and parameters of kernels are written as they are");

/* The model while it grows. Places in it are offsets: the bytes move. */
struct image {
    struct export_plan *plan;
    struct weft_text *text;
};

/* Appends zeros; returns the offset of the first of `bytes` bytes. */
static uint32_t reserve(struct image *image, size_t bytes, size_t alignment) {
    static const char zeros[WEFT_MODEL_ALIGNMENT];
    size_t at = (image->text->length + alignment - 1) / alignment * alignment;
    size_t missing = at - image->text->length + bytes;
    while (missing > 0 && !image->text->failed) {
        size_t next = missing < sizeof zeros ? missing : sizeof zeros;
        weft_text_add_bytes(image->text, zeros, next);
        missing -= next;
    }
    return (uint32_t)at;
}

/* Writes over bytes that reserve() has appended. */
static void put(struct image *image, uint32_t at, const void *bytes, size_t length) {
    if (!image->text->failed) {
        memcpy(image->text->bytes + at, bytes, length);
    }
}

static uint32_t append(struct image *image, const void *bytes, size_t length, size_t alignment) {
    uint32_t at = reserve(image, 0, alignment);
    weft_text_add_bytes(image->text, bytes, length);
    return at;
}

static uint32_t append_string(struct image *image, const char *string) {
    const char *text = string == NULL ? "" : string;
    return append(image, text, strlen(text) + 1, 1);
}

/* ---- places ---- */

static struct weft_place place_of_area(const struct image *image, int area, int64_t offset) {
    return (struct weft_place){.kind = WEFT_PLACE_ARENA,
                               .at = (uint32_t)areas_at(&image->plan->areas, area, offset)};
}

static struct weft_place place_of_constant(struct image *image, struct tensor *tensor) {
    if (tensor->constant_at == 0) {
        tensor->constant_at =
            append(image, tensor->constant, (size_t)tensor->bytes, WEFT_MODEL_LINE);
    }
    return (struct weft_place){.kind = WEFT_PLACE_MODEL, .at = tensor->constant_at};
}

/* Where a tensor lies unless a buffer stands for it. */
static struct weft_place home_of(struct image *image, struct tensor *tensor) {
    return tensor->constant != NULL ? place_of_constant(image, tensor)
                                    : place_of_area(image, tensor->area, tensor->offset);
}

static struct weft_place place_of(struct image *image, const struct reference *reference) {
    struct tensor *tensor = reference->tensor;
    if (tensor == NULL) {
        return place_of_area(image, reference->area, reference->offset);
    }
    if (tensor->place >= 0 && !tensor->is_fixed) {
        return (struct weft_place){.kind = WEFT_PLACE_TENSOR, .at = (uint32_t)tensor->place};
    }
    return home_of(image, tensor);
}

/* 0: no area. */
static uint32_t at_of_area(const struct image *image, int area) {
    return area < 0 ? 0 : place_of_area(image, area, 0).at;
}

/* ---- inputs and outputs ---- */

static uint32_t alignment_of(const struct tensor *tensor, bool is_input) {
    if (tensor->constant != NULL || tensor->is_fixed) {
        return 0;
    }
    return tensor->is_region ? WEFT_MODEL_ALIGNMENT : is_input ? 1 : 8;
}

static void put_tensor(struct image *image, uint32_t at, struct tensor *tensor, bool is_input) {
    const struct weft_type *type = &tensor->value->type;
    const struct weft_place home = home_of(image, tensor);
    struct weft_model_tensor made = {
        .bytes = (uint32_t)tensor->bytes,
        .dtype = type->dtype,
        .rank = type->rank,
        .zero = type->quantization.count == 1 ? type->quantization.zero[0] : 0,
        .home = home,
        .alignment = alignment_of(tensor, is_input),
        .name = append_string(image, tensor->value->name)};
    for (uint32_t i = 0; i < type->rank; i++) {
        made.dim[i] = (uint32_t)type->dim[i];
    }
    put(image, at, &made, sizeof made);
}

static void put_tensors(struct image *image, struct weft_model *model) {
    const struct weft_graph *graph = image->plan->module->graph;
    size_t count = graph->input_count + graph->output_count;
    uint32_t at = reserve(image, count * sizeof(struct weft_model_tensor), 8);
    model->inputs = (struct weft_model_list){at, (uint32_t)graph->input_count};
    model->outputs = (struct weft_model_list){
        at + (uint32_t)(graph->input_count * sizeof(struct weft_model_tensor)),
        (uint32_t)graph->output_count};
    for (size_t i = 0; i < count; i++) {
        bool is_input = i < graph->input_count;
        const struct weft_value *value =
            is_input ? graph->inputs[i] : graph->outputs[i - graph->input_count];
        put_tensor(image, at, weft_map_get(image->plan->tensors, value), is_input);
        at += (uint32_t)sizeof(struct weft_model_tensor);
    }
}

static void put_kernels(struct image *image, struct weft_model *model) {
    const struct export_plan *plan = image->plan;
    uint32_t at = reserve(image, plan->kernel_count * sizeof(struct weft_model_kernel), 8);
    model->kernels = (struct weft_model_list){at, plan->kernel_count};
    for (uint32_t i = 0; i < plan->kernel_count; i++) {
        const struct weft_kernel_entry *entry = &weft_kernels[plan->kernels[i]];
        struct weft_model_kernel made = {.name = append_string(image, entry->name),
                                         .parameter_bytes = (uint32_t)entry->parameter_size};
        put(image, at, &made, sizeof made);
        at += (uint32_t)sizeof made;
    }
}

/* ---- steps ---- */

static uint32_t append_operands(struct image *image, const struct operator_step *operator) {
    uint32_t count = operator->node->input_count + operator->node->result_count;
    uint32_t first = reserve(image, count * sizeof(struct weft_model_operand), 8);
    for (uint32_t i = 0; i < count; i++) {
        const struct reference reference = {.tensor = operator->operands[i] };
        struct weft_model_operand made = {.place = place_of(image, &reference),
                                          .bytes = (uint32_t)reference.tensor->bytes};
        put(image, first + i * (uint32_t)sizeof made, &made, sizeof made);
    }
    return first;
}

static uint32_t append_operator(struct image *image, const struct operator_step *operator) {
    const uint32_t parameters =
        append(image, operator->binding.parameters, operator->binding.size, 8);
    struct weft_model_operator made = {.kernel = operator->kernel,
                                       .parameters = parameters,
                                       .parameter_bytes = (uint32_t) operator->binding.size,
                                       .operands = append_operands(image, operator),
                                       .input_count = operator->node->input_count,
                                       .output_count = operator->node->result_count,
                                       .pointers = at_of_area(image, operator->pointers),
                                       .scratch = at_of_area(image, operator->scratch),
                                       .scratch_bytes = (uint32_t) operator->scratch_bytes,
                                       .state = at_of_area(image, operator->state),
                                       .state_bytes = (uint32_t) operator->state_bytes };
    return append(image, &made, sizeof made, 8);
}

static uint32_t append_copy(struct image *image, const struct copy_step *copy) {
    const struct weft_place from = place_of(image, &copy->from);
    struct weft_model_copy made = {
        .from = from, .to = place_of(image, &copy->to), .bytes = (uint32_t)copy->bytes};
    return append(image, &made, sizeof made, 8);
}

/* Program and constants come later, behind all that the processor reads. */
static uint32_t append_segment(struct image *image, const struct segment_step *step) {
    struct weft_regions regions;
    struct weft_model_segment made = {.cycles = step->segment->cycles,
                                      .bound = step->segment->bound};
    weft_segment_regions(step->segment, &regions);
    for (uint32_t i = WEFT_REGION_SCRATCH; i < WEFT_REGIONS; i++) {
        if (step->regions[i].bytes > 0) {
            made.regions[i] =
                (struct weft_model_region){.place = place_of(image, &step->regions[i].at),
                                           .bytes = (uint32_t)step->regions[i].bytes,
                                           .is_writable = regions.writable >> i & 1};
        }
    }
    return append(image, &made, sizeof made, 8);
}

static void put_steps(struct image *image, struct weft_model *model) {
    const struct export_plan *plan = image->plan;
    uint32_t at = reserve(image, plan->step_count * sizeof(struct weft_model_step), 8);
    model->steps = (struct weft_model_list){at, (uint32_t)plan->step_count};
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct step *step = &plan->steps[i];
        struct weft_model_step made = {.kind = step->kind};
        switch (step->kind) {
        case WEFT_STEP_SEGMENT:
            made.at = append_segment(image, &step->segment);
            break;
        case WEFT_STEP_OPERATOR:
            made.at = append_operator(image, &step->operator);
            break;
        default:
            made.at = append_copy(image, &step->copy);
            break;
        }
        put(image, at + (uint32_t)(i * sizeof made), &made, sizeof made);
    }
}

/* States as they are before a first run. */
static void put_resets(struct image *image, struct weft_model *model) {
    const struct export_plan *plan = image->plan;
    uint32_t at = reserve(image, plan->state_count * sizeof(struct weft_model_copy), 8);
    model->resets = (struct weft_model_list){at, plan->state_count};
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct operator_step *operator= & plan->steps[i].operator;
        if (plan->steps[i].kind != WEFT_STEP_OPERATOR || operator->state<0) {
            continue;
        }
        struct weft_model_copy made = {
            .from = {.kind = WEFT_PLACE_MODEL,
                     .at = append(image, operator->first_state, operator->state_bytes, 8)},
            .to = place_of_area(image, operator->state, 0),
            .bytes = (uint32_t) operator->state_bytes };
        put(image, at, &made, sizeof made);
        at += (uint32_t)sizeof made;
    }
}

/* ---- what the machine reads ---- */

static void put_region(struct image *image, uint32_t segment_at, unsigned region, const void *bytes,
                       size_t length) {
    struct weft_model_region made = {.place = {.kind = WEFT_PLACE_MODEL},
                                     .bytes = (uint32_t)length};
    if (length > 0) {
        made.place.at = append(image, bytes, length, WEFT_MODEL_ALIGNMENT);
        put(image,
            segment_at +
                (uint32_t)(offsetof(struct weft_model_segment, regions) + region * sizeof made),
            &made, sizeof made);
    }
}

static bool put_programs(struct image *image, const struct weft_model *model,
                         struct weft_error *error) {
    const struct export_plan *plan = image->plan;
    for (size_t i = 0; !image->text->failed && i < plan->step_count; i++) {
        if (plan->steps[i].kind != WEFT_STEP_SEGMENT) {
            continue;
        }
        const struct weft_segment *segment = plan->steps[i].segment.segment;
        struct weft_model_step step;
        uint8_t *program = NULL;
        memcpy(&step, image->text->bytes + model->steps.at + i * sizeof step, sizeof step);
        if (!weft_program_encode(&segment->program, &program, error)) {
            return false;
        }
        put_region(image, step.at, WEFT_REGION_PROGRAM, program,
                   segment->program.count * WEFT_INSTRUCTION_BYTES);
        free(program);
        put_region(image, step.at, WEFT_REGION_CONSTANTS, segment->constants,
                   (size_t)segment->constant_bytes);
    }
    return true;
}

/* ---- all ---- */

static void put_header(struct image *image, struct weft_model *model) {
    const size_t first = offsetof(struct weft_model, crc) + sizeof model->crc;
    (void)reserve(image, 0, WEFT_MODEL_LINE);
    memcpy(model->magic, WEFT_MODEL_MAGIC, sizeof model->magic);
    model->bytes = (uint32_t)image->text->length;
    put(image, 0, model, sizeof *model);
    if (!image->text->failed) {
        const uint8_t *bytes = (const uint8_t *)image->text->bytes;
        model->crc = (uint32_t)crc32_z(0, bytes + first, image->text->length - first);
    }
    put(image, 0, model, sizeof *model);
}

bool export_image(struct export_plan *plan, struct weft_text *text, struct weft_error *error) {
    struct image image = {plan, text};
    if (plan->arena_bytes > UINT32_MAX) {
        return weft_fail(error, WEFT_LIMIT, 0, "a run needs an arena of %lld bytes, at most %u",
                         (long long)plan->arena_bytes, UINT32_MAX);
    }
    struct weft_model model = {.version = WEFT_MODEL_VERSION,
                               .arena_bytes = (uint32_t)plan->arena_bytes,
                               .configuration = weft_config_fingerprint(&plan->module->config),
                               .cycles = weft_module_cycles(plan->module),
                               .tensors = at_of_area(&image, plan->places)};
    (void)reserve(&image, sizeof model, 8);
    put_tensors(&image, &model);
    put_kernels(&image, &model);
    model.name = append_string(&image, plan->module->model_name);
    put_steps(&image, &model);
    put_resets(&image, &model);
    if (!put_programs(&image, &model, error)) {
        return false;
    }
    put_header(&image, &model);
    return weft_text_finish(text, error);
}
