/* firmware/check.c: models that are no models, damaged, cut off, or lead outside. */
#include "tests/unit/firmware_bench.h"
#include "tests/unit/sessions.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* An exported model in memory that ends with it. */
struct image {
    uint8_t *bytes;
    size_t length;
};

static struct image image_of(const struct weft_module *module) {
    struct weft_error error;
    struct weft_export made;
    struct image image;
    ASSERT_GOOD(weft_export(module, &made, &error), error);
    image = (struct image){malloc(made.length), made.length};
    assert_non_null(image.bytes);
    memcpy(image.bytes, made.bytes, made.length);
    weft_export_free(&made);
    return image;
}

static struct image network_image(struct weft_arena *arena) {
    return image_of(compiled(arena, network).module);
}

static struct weft_model *model_of(const struct image *image) {
    return (struct weft_model *)(void *)image->bytes;
}

static enum weft_firmware_status check_all(const struct image *image, size_t length) {
    const struct weft_kernel_entry *kernels[BENCH_KERNELS];
    return weft_model_check(image->bytes, length, &weft_integer_kernels, kernels, BENCH_KERNELS);
}

/* The checksum of what is there now. */
static void seal(const struct image *image) {
    const size_t first = offsetof(struct weft_model, crc) + sizeof(uint32_t);
    model_of(image)->crc =
        (uint32_t)crc32_z(0, image->bytes + first, model_of(image)->bytes - first);
}

#define ASSERT_STATUS(call, name)                                                                  \
    assert_string_equal(weft_firmware_text(call), weft_firmware_text(WEFT_FIRMWARE_##name))

/* ---- checksum ---- */

static void checksums_are_those_of_zlib(void **state) {
    (void)state;
    uint8_t bytes[512];
    uint64_t seed = 1;
    random_fill(&seed, bytes, sizeof bytes);
    for (size_t skew = 0; skew < 8; skew++) {
        for (size_t length = 0; length + skew <= sizeof bytes; length += 1 + length / 20) {
            uint32_t first = weft_crc32(0, bytes + skew, length / 3);
            uint32_t expected = (uint32_t)crc32_z(0, bytes + skew, length);
            assert_int_equal(weft_crc32(0, bytes + skew, length), expected);
            assert_int_equal(weft_crc32(first, bytes + skew + length / 3, length - length / 3),
                             expected);
        }
    }
}

/* ---- header ---- */

static void models_must_be_aligned(void **state) {
    struct image image = network_image(*state);
    uint8_t *room = calloc(1, image.length + 8);
    for (size_t skew = 0; skew < 8; skew++) {
        const struct image moved = {room + skew, image.length};
        memcpy(moved.bytes, image.bytes, image.length);
        if (skew == 0) {
            ASSERT_STATUS(check_all(&moved, moved.length), OK);
        } else {
            ASSERT_STATUS(check_all(&moved, moved.length), ALIGNMENT);
        }
    }
    free(room);
    free(image.bytes);
}

static void headers_are_checked(void **state) {
    struct image image = network_image(*state);
    struct weft_model *model = model_of(&image);
    ASSERT_STATUS(check_all(&image, image.length), OK);
    model->magic[3] ^= 1;
    ASSERT_STATUS(check_all(&image, image.length), MODEL_MAGIC);
    model->magic[3] ^= 1;
    model->version++;
    ASSERT_STATUS(check_all(&image, image.length), MODEL_VERSION);
    model->version--;
    model->bytes += WEFT_MODEL_LINE;
    ASSERT_STATUS(check_all(&image, image.length), MODEL_LENGTH);
    model->bytes = 16;
    ASSERT_STATUS(check_all(&image, image.length), MODEL_LENGTH);
    model->bytes = (uint32_t)image.length;
    ASSERT_STATUS(check_all(&image, image.length), OK);
    free(image.bytes);
}

static void models_that_are_cut_off_are_refused(void **state) {
    struct image image = network_image(*state);
    for (size_t length = 0; length < image.length; length += length < 256 ? 1 : 101) {
        const struct image part = {malloc(length + 1), length};
        memcpy(part.bytes, image.bytes, length);
        ASSERT_STATUS(check_all(&part, length), MODEL_LENGTH);
        free(part.bytes);
    }
    free(image.bytes);
}

static void what_is_behind_a_model_does_not_matter(void **state) {
    struct image image = network_image(*state);
    struct image more = {calloc(1, image.length + 1000), image.length + 1000};
    memcpy(more.bytes, image.bytes, image.length);
    ASSERT_STATUS(check_all(&more, more.length), OK);
    free(image.bytes);
    free(more.bytes);
}

static void damage_is_found(void **state) {
    struct image image = network_image(*state);
    for (size_t i = offsetof(struct weft_model, crc); i < image.length; i += i < 1024 ? 1 : 37) {
        if (i >= offsetof(struct weft_model, bytes) && i < offsetof(struct weft_model, bytes) + 4) {
            continue; /* a length, or as above */
        }
        image.bytes[i] ^= 0x10;
        ASSERT_STATUS(check_all(&image, image.length), MODEL_CRC);
        image.bytes[i] ^= 0x10;
    }
    free(image.bytes);
}

/* ---- ranges ---- */

/* Every word of the lists, replaced, with a checksum that fits: a few may be anything (cycles, zero
 * points, ...), what leads somewhere is refused. */
static void words_that_lead_outside_are_refused(void **state) {
    static const uint32_t values[] = {UINT32_MAX, 0x7ffffff8, 0x80000000, 0x00fffff8, 3};
    struct image image = network_image(*state);
    struct weft_model *model = model_of(&image);
    int refused = 0;
    int tried = 0;
    for (size_t at = offsetof(struct weft_model, arena_bytes); at + 4 <= 1024; at += 4) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            uint32_t saved;
            memcpy(&saved, image.bytes + at, 4);
            memcpy(image.bytes + at, &values[i], 4);
            seal(&image);
            enum weft_firmware_status status = check_all(&image, image.length);
            assert_true(status == WEFT_FIRMWARE_OK || status == WEFT_FIRMWARE_MODEL_RANGE ||
                        status == WEFT_FIRMWARE_KERNEL);
            refused += status == WEFT_FIRMWARE_OK ? 0 : 1;
            tried++;
            memcpy(image.bytes + at, &saved, 4);
        }
    }
    assert_true(refused > tried / 3);
    seal(&image);
    assert_int_equal(model->bytes, image.length);
    ASSERT_STATUS(check_all(&image, image.length), OK);
    free(image.bytes);
}

#define ASSERT_RANGE(image, field, value)                                                          \
    do {                                                                                           \
        const uint32_t saved_value = (field);                                                      \
        (field) = (value);                                                                         \
        seal(image);                                                                               \
        ASSERT_STATUS(check_all(image, (image)->length), MODEL_RANGE);                             \
        (field) = saved_value;                                                                     \
        seal(image);                                                                               \
    } while (0)

static void *at_offset(const struct image *image, uint32_t at) {
    assert_true(at < image->length);
    return image->bytes + at;
}

/* The first step of a kind. */
static void *step_of(const struct image *image, enum weft_step_kind kind) {
    const struct weft_model_step *steps = at_offset(image, model_of(image)->steps.at);
    for (uint32_t i = 0; i < model_of(image)->steps.count; i++) {
        if (steps[i].kind == (uint32_t)kind) {
            return at_offset(image, steps[i].at);
        }
    }
    fail_msg("there is no such step");
    return NULL;
}

static void places_are_checked(void **state) {
    struct image image = network_image(*state);
    struct weft_model *model = model_of(&image);
    struct weft_model_segment *segment = step_of(&image, WEFT_STEP_SEGMENT);
    struct weft_model_region *program = &segment->regions[WEFT_REGION_PROGRAM];
    struct weft_model_region *outputs = &segment->regions[WEFT_REGION_OUTPUTS];
    ASSERT_RANGE(&image, program->place.at, program->place.at + 64); /* no region begins there */
    ASSERT_RANGE(&image, program->bytes, (uint32_t)image.length);
    ASSERT_RANGE(&image, program->is_writable, 1);
    ASSERT_RANGE(&image, program->is_writable, 2);
    ASSERT_RANGE(&image, outputs->place.kind, WEFT_PLACES);
    ASSERT_RANGE(&image, outputs->place.kind, WEFT_PLACE_MODEL);
    ASSERT_RANGE(&image, outputs->bytes, model->arena_bytes + 64);
    struct weft_model_operator *operator= step_of(&image, WEFT_STEP_OPERATOR);
    struct weft_model_operand *operands = at_offset(&image, operator->operands);
    ASSERT_RANGE(&image, operator->kernel, model->kernels.count);
    ASSERT_RANGE(&image, operator->parameters, operator->parameters + 4);
    ASSERT_RANGE(&image, operator->parameter_bytes, operator->parameter_bytes - 1);
    ASSERT_RANGE(&image, operator->input_count, 2);
    ASSERT_RANGE(&image, operator->pointers, model->arena_bytes - 8);
    ASSERT_RANGE(&image, operator->scratch, model->arena_bytes + 8);
    ASSERT_RANGE(&image, operator->state_bytes, model->arena_bytes + 8);
    ASSERT_RANGE(&image, operands[0].bytes, model->arena_bytes + 1);
    ASSERT_RANGE(&image, operands[1].place.at, operands[1].place.at + 4); /* results are aligned */
    ASSERT_RANGE(&image, operands[1].place.kind, WEFT_PLACE_MODEL);
    struct weft_model_tensor *tensors = at_offset(&image, model->inputs.at);
    ASSERT_RANGE(&image, tensors[0].bytes, tensors[0].bytes + 1);
    ASSERT_RANGE(&image, tensors[0].dtype, WEFT_DTYPES);
    ASSERT_RANGE(&image, tensors[0].rank, WEFT_MODEL_RANK + 1);
    ASSERT_RANGE(&image, tensors[0].dim[0], 0x80000000);
    ASSERT_RANGE(&image, tensors[0].alignment, 3);
    ASSERT_RANGE(&image, tensors[0].home.kind, WEFT_PLACE_TENSOR);
    ASSERT_RANGE(&image, tensors[0].home.kind, WEFT_PLACE_MODEL);
    ASSERT_RANGE(&image, tensors[0].name, (uint32_t)image.length);
    ASSERT_RANGE(&image, model->outputs.at, model->outputs.at + 8);
    model->inputs.count = 0; /* outputs would be counted from there all the same */
    ASSERT_RANGE(&image, model->inputs.at, UINT32_MAX - 7);
    model->inputs.count = INPUTS;
    seal(&image);
    ASSERT_RANGE(&image, model->tensors, model->arena_bytes);
    ASSERT_RANGE(&image, model->name, (uint32_t)image.length);
    ASSERT_RANGE(&image, model->steps.count, 100000000);
    ASSERT_STATUS(check_all(&image, image.length), OK);
    free(image.bytes);
}

/* Counts whose products and sums have more than 32 bits. */
static void counts_near_the_end_of_their_type_are_refused(void **state) {
    struct image image = network_image(*state);
    struct weft_model *model = model_of(&image);
    struct weft_model_operator *operator= step_of(&image, WEFT_STEP_OPERATOR);
    static const uint32_t counts[] = {UINT32_MAX, UINT32_MAX - 1, 0x80000000, 0x10000000,
                                      0x04000001};
    struct weft_model_list *lists[] = {&model->inputs, &model->outputs, &model->steps,
                                       &model->kernels, &model->resets};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
            const struct weft_model_list good = *lists[k];
            lists[k]->at = model->inputs.at; /* of something, where the list is empty */
            ASSERT_RANGE(&image, lists[k]->count, counts[i]);
            *lists[k] = good;
        }
        ASSERT_RANGE(&image, operator->input_count, counts[i]);
        ASSERT_RANGE(&image, operator->output_count, counts[i]);
        ASSERT_RANGE(&image, operator->scratch_bytes, counts[i]);
        ASSERT_RANGE(&image, operator->parameter_bytes, counts[i]);
    }
    const uint32_t inputs = model->inputs.count;
    model->inputs.count = UINT32_MAX; /* together as many as there are */
    ASSERT_RANGE(&image, model->outputs.count, model->outputs.count + inputs + 1);
    model->inputs.count = inputs;
    operator->input_count = UINT32_MAX;
    ASSERT_RANGE(&image, operator->output_count, 3);
    free(image.bytes);
}

/* ---- kernels ---- */

static void kernels_must_be_there(void **state) {
    struct image image = network_image(*state);
    const struct weft_kernel_entry *found[BENCH_KERNELS];
    const struct weft_kernel_set none = {NULL, 0};
    ASSERT_STATUS(weft_model_check(image.bytes, image.length, &none, found, BENCH_KERNELS), KERNEL);
    ASSERT_STATUS(weft_model_check(image.bytes, image.length, &weft_integer_kernels, found, 0),
                  KERNEL);
    struct weft_model_kernel *kernels = at_offset(&image, model_of(&image)->kernels.at);
    kernels[0].parameter_bytes += 8;
    seal(&image);
    ASSERT_STATUS(check_all(&image, image.length), KERNEL);
    kernels[0].parameter_bytes -= 8;
    seal(&image);
    ASSERT_STATUS(weft_model_check(image.bytes, image.length, &weft_integer_kernels, found, 1), OK);
    assert_string_equal(found[0]->name, "qnn_softmax");
    free(image.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_are_those_of_zlib),
        ARENA_TEST(models_must_be_aligned),
        ARENA_TEST(headers_are_checked),
        ARENA_TEST(models_that_are_cut_off_are_refused),
        ARENA_TEST(what_is_behind_a_model_does_not_matter),
        ARENA_TEST(damage_is_found),
        ARENA_TEST(words_that_lead_outside_are_refused),
        ARENA_TEST(places_are_checked),
        ARENA_TEST(counts_near_the_end_of_their_type_are_refused),
        ARENA_TEST(kernels_must_be_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
