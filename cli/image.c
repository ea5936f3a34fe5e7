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

/* ---- where its pixels go ---- */

const char *const layout_names[] = {"nhwc", "nchw", NULL};

/* What a picture becomes. */
struct shape {
    int64_t rows, columns, channels;
    bool channels_first;
};

static bool is_channels(int64_t size) {
    return size == 1 || size == 3;
}

static bool read_shape(const struct weft_type *type, const char *layout, struct shape *shape) {
    if (type->rank != 4 || type->dim[0] != 1) {
        return false;
    }
    shape->channels_first =
        layout == NULL ? !is_channels(type->dim[3]) : strcmp(layout, "nchw") == 0;
    shape->rows = type->dim[shape->channels_first ? 2 : 1];
    shape->columns = type->dim[shape->channels_first ? 3 : 2];
    shape->channels = type->dim[shape->channels_first ? 1 : 3];
    return is_channels(shape->channels);
}

/* ---- what becomes of its greys ---- */

/* Of each channel: real = (grey - mean) / std. */
struct scaling {
    bool is_given;
    double mean[MAX_CHANNELS], std[MAX_CHANNELS];
};

static bool read_scaling(const struct image_options *options, int64_t channels,
                         struct scaling *scaling, struct weft_error *error) {
    *scaling = (struct scaling){.is_given = options->mean != NULL || options->std != NULL};
    if (!parse_numbers(options->mean == NULL ? "0" : options->mean, channels, scaling->mean,
                       error) ||
        !parse_numbers(options->std == NULL ? "1" : options->std, channels, scaling->std, error)) {
        return false;
    }
    for (int64_t i = 0; i < channels; i++) {
        if (scaling->std[i] == 0) {
            return weft_fail(error, WEFT_ARGUMENT, 0, "'%.40s': nothing can be divided by 0",
                             options->std);
        }
    }
    return true;
}

static void store_float(uint8_t *out, int64_t index, double real) {
    float number = (float)real;
    memcpy(out + index * (int64_t)sizeof number, &number, sizeof number);
}

/* TFLite's rule: the real value, then the input's own quantisation. */
static void convert(const struct weft_type *type, const struct shape *shape,
                    const struct scaling *scaling, const uint8_t *grey, uint8_t *out) {
    int64_t low = weft_dtype_min(type->dtype);
    int64_t pixels = shape->rows * shape->columns;
    for (int64_t i = 0; i < weft_type_elements(type); i++) {
        int64_t channel = i % shape->channels;
        int64_t place = shape->channels_first ? channel * pixels + i / shape->channels : i;
        double real = (grey[i] - scaling->mean[channel]) / scaling->std[channel];
        if (type->dtype == WEFT_F32) {
            store_float(out, place, real);
            continue;
        }
        int64_t value = grey[i] + low;
        if (scaling->is_given) {
            double steps = round(real / weft_type_scale(type, 0)) + weft_type_zero(type, 0);
            value = (int64_t)fmin(fmax(steps, (double)low), (double)weft_dtype_max(type->dtype));
        }
        out[place] = (uint8_t)value;
    }
}

/* Floats, or bytes with one scale; without a scale, greys as they are. */
static bool is_fit(const struct weft_type *type, const struct scaling *scaling) {
    bool bytes = type->dtype == WEFT_I8 || type->dtype == WEFT_U8;
    return (type->dtype == WEFT_F32 && type->quantization.count == 0) ||
           (bytes && (type->quantization.count == 1 ||
                      (type->quantization.count == 0 && !scaling->is_given)));
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
    uint64_t tensors =
        (uint64_t)weft_type_elements(type) + (uint64_t)weft_type_bytes(type) + options->memory_used;
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

/* Can the picture become such a tensor? */
static bool check_type(const struct weft_type *type, const struct image_options *options,
                       struct shape *shape, struct scaling *scaling, struct weft_error *error) {
    bool fits = read_shape(type, options->layout, shape);
    if (fits && !read_scaling(options, shape->channels, scaling, error)) {
        return false;
    }
    return (fits && is_fit(type, scaling)) ||
           weft_fail(error, WEFT_TENSOR, 0,
                     "a picture needs an input [1, H, W, 1 or 3] or [1, 1 or 3, H, W] of FLOAT32, "
                     "or of INT8 or UINT8, quantised per tensor, found %s",
                     weft_dtype_file_name(type->dtype));
}

bool image_parse(const uint8_t *file, size_t length, const struct weft_type *type,
                 const struct image_options *options, uint8_t **bytes, struct weft_error *error) {
    struct shape shape = {0};
    struct scaling scaling = {.is_given = false};
    uint8_t *grey = NULL;
    uint8_t *out = NULL;
    uint64_t limit = 0;
    bool good = check_type(type, options, &shape, &scaling, error) &&
                check_picture(file, length, error) && picture_limit(type, options, &limit, error);
    struct pixels_wanted wanted = {.size = {shape.columns, shape.rows, shape.channels}};
    if (good) {
        grey = weft_allocate((size_t)weft_type_elements(type), 1, "a picture", error);
        out = weft_allocate(weft_type_bytes(type), 1, "a picture", error);
        good = grey != NULL && out != NULL &&
               read_picture(file, length, &wanted, limit, grey, options, error);
    }
    if (good) {
        convert(type, &shape, &scaling, grey, out);
        *bytes = out;
    } else {
        free(out);
    }
    free(grey);
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
