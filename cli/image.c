/* Pictures as inputs. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/integer.h"
#include "base/limit.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/orientation.h"
#include "cli/pixels.h"
#include "cli/streams.h"

enum {
    MAX_CHANNELS = 3
};

bool is_image(const char *path) {
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".bmp"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* One number for all channels, or one for each. */
static bool parse_numbers(const char *text, int64_t channels, double *numbers,
                          struct weft_error *error) {
    int64_t count = 0;
    const char *at = text;
    bool more = true;
    while (more && count < MAX_CHANNELS) {
        char *end = NULL;
        numbers[count] = strtod(at, &end);
        if (end == at || !isfinite(numbers[count])) {
            break;
        }
        count++;
        more = *end == ',';
        at = more ? end + 1 : end;
    }
    if (more || *at != '\0' || (count != 1 && count != channels)) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "'%.40s': expected one number, or one for each of %lld channels", text,
                         (long long)channels);
    }
    for (int64_t i = count; i < channels; i++) {
        numbers[i] = numbers[0];
    }
    return true;
}

/* TFLite's rule: real = (grey - mean) / std, then the input's own quantisation. */
static bool convert(const struct weft_type *type, const struct image_options *options,
                    const uint8_t *grey, uint8_t *out, struct weft_error *error) {
    double mean[MAX_CHANNELS] = {0};
    double std[MAX_CHANNELS] = {0};
    int64_t low = weft_dtype_min(type->dtype);
    bool scaled = options->mean != NULL || options->std != NULL;
    if (!parse_numbers(options->mean == NULL ? "0" : options->mean, type->dim[3], mean, error) ||
        !parse_numbers(options->std == NULL ? "1" : options->std, type->dim[3], std, error)) {
        return false;
    }
    for (int64_t i = 0; i < type->dim[3]; i++) {
        if (std[i] == 0) {
            return weft_fail(error, WEFT_ARGUMENT, 0, "'%.40s': nothing can be divided by 0",
                             options->std);
        }
    }
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int64_t channel = i % type->dim[3];
        int64_t value = grey[i] + low;
        if (scaled) {
            double real = (grey[i] - mean[channel]) / std[channel];
            double steps = round(real / weft_type_scale(type, 0)) + weft_type_zero(type, 0);
            value = (int64_t)fmin(fmax(steps, (double)low), (double)weft_dtype_max(type->dtype));
        }
        out[i] = (uint8_t)value;
    }
    return true;
}

/* Reads the size and checks that the picture is all there, before the decoder sees its pixels. */
static bool check_picture(const uint8_t *file, size_t length, struct weft_error *error) {
    struct pixels_size size = {0};
    const char *foreign = image_foreign(file, length);
    if (foreign != NULL) {
        return weft_fail(error, WEFT_IMAGE, 0, "%s; pictures are read as PNG, JPEG or BMP",
                         foreign);
    }
    if (image_kind(file, length) == IMAGE_UNKNOWN || length > INT_MAX) {
        return weft_fail(error, WEFT_IMAGE, 0, "not a PNG, JPEG or BMP picture");
    }
    if (!image_is_bearable(file, length, error) || !pixels_read_size(file, length, &size, error)) {
        return false;
    }
    int64_t rows = llabs(size.height); /* a BMP from top to bottom has a negative one */
    if (size.width < 1 || rows < 1 || size.width > PIXELS_MAX_SIDE || rows > PIXELS_MAX_SIDE) {
        return weft_fail(
            error, WEFT_IMAGE, 0,
            "the picture has %lld x %lld pixels, expected 1 x 1 to at most %d x %d pixels",
            (long long)size.width, (long long)rows, PIXELS_MAX_SIDE, PIXELS_MAX_SIDE);
    }
    return image_is_whole(file, length, size.width, rows, error);
}

/* What is left for the decoder beside the two tensors made of a picture. */
static bool picture_limit(const struct weft_type *type, const struct image_options *options,
                          uint64_t *limit, struct weft_error *error) {
    uint64_t all = weft_memory_limit(options->memory_limit);
    uint64_t tensors = 2 * (uint64_t)weft_type_bytes(type) + options->memory_used;
    if (tensors > all) {
        return weft_limit_passed(error, "a picture as input", tensors, all);
    }
    *limit = all - tensors;
    return true;
}

/* Decodes it the right way up, without holes. */
static bool read_picture(const uint8_t *file, size_t length, struct pixels_wanted *wanted,
                         uint64_t limit, uint8_t *grey, const struct image_options *options,
                         struct weft_error *error) {
    bool blended = false;
    wanted->orientation = jpeg_orientation(file, length);
    wanted->may_have_holes = image_may_have_holes(file, length);
    bool good = pixels_read(file, length, wanted, limit, grey, &blended, error);
    if (good && blended && options->blended != NULL) {
        *options->blended = true;
    }
    return good;
}

bool image_parse(const uint8_t *file, size_t length, const struct weft_type *type,
                 const struct image_options *options, uint8_t **bytes, struct weft_error *error) {
    bool fits = type->rank == 4 && type->dim[0] == 1 && (type->dim[3] == 1 || type->dim[3] == 3) &&
                (type->dtype == WEFT_I8 || type->dtype == WEFT_U8) && type->quantization.count == 1;
    if (!fits) {
        return weft_fail(
            error, WEFT_TENSOR, 0,
            "a picture needs an input [1, H, W, 1 or 3] of INT8 or UINT8, quantised per "
            "tensor, found %s",
            weft_dtype_file_name(type->dtype));
    }
    struct pixels_wanted wanted = {.size = {type->dim[2], type->dim[1], type->dim[3]}};
    uint8_t *grey = NULL;
    uint8_t *out = NULL;
    uint64_t limit = 0;
    bool good = check_picture(file, length, error) && picture_limit(type, options, &limit, error);
    if (good) {
        grey = weft_allocate(weft_type_bytes(type), 1, "a picture", error);
        out = weft_allocate(weft_type_bytes(type), 1, "a picture", error);
        good = grey != NULL && out != NULL &&
               read_picture(file, length, &wanted, limit, grey, options, error) &&
               convert(type, options, grey, out, error);
    }
    free(grey);
    if (good) {
        *bytes = out;
    } else {
        free(out);
    }
    return good;
}

bool image_read(const char *path, const struct weft_type *type, const struct image_options *options,
                uint8_t **bytes, struct weft_error *error) {
    uint8_t *file = NULL;
    size_t length = 0;
    if (!stream_read(path, &file, &length, error)) {
        return false;
    }
    bool good = image_parse(file, length, type, options, bytes, error);
    free(file);
    return good;
}
