#include "cli/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/streams.h"

/* Does the name leave it open whether it is a picture? */
static bool is_open(const char *path) {
    const char *dot = strrchr(path, '.');
    return is_stream(path) || dot == NULL || strcmp(dot, ".npy") != 0;
}

static bool wants_picture(const struct given *given) {
    return given_count(given, OPTION_MEAN) > 0 || given_count(given, OPTION_STD) > 0 ||
           given_count(given, OPTION_LAYOUT) > 0;
}

static int no_picture(const struct given *given) {
    bool has_numbers = given_count(given, OPTION_MEAN) > 0 || given_count(given, OPTION_STD) > 0;
    return usage_error(given->command->name, has_numbers
                                                 ? "--mean and --std need a picture as --input"
                                                 : "--layout needs a picture as --input");
}

bool inputs_check(const struct given *given) {
    const char *const *paths = given_values(given, OPTION_INPUT);
    const char *layout = given_value(given, OPTION_LAYOUT);
    bool can = !wants_picture(given);
    if (layout != NULL && !check_name(given->command->name, "layout", layout_names, layout)) {
        return false;
    }
    for (size_t i = 0; i < given_count(given, OPTION_INPUT); i++) {
        can = can || is_open(paths[i]);
    }
    if (!can) {
        no_picture(given);
    }
    return can;
}

/* Prints an 8-bit tensor [1, H, W, C] as characters, dark to bright, if it is narrow enough; one
 * whose channels come first is none. */
static void show_picture(const struct weft_type *type, const uint8_t *bytes) {
    static const char shades[] = " .:-=+*#%@";
    enum {
        WIDEST = 64,
        SHADES = sizeof shades - 1
    };
    if (type->rank != 4 || weft_dtype_bytes(type->dtype) != 1 || type->dim[2] > WIDEST ||
        type->dim[3] > 4) {
        return;
    }
    for (int64_t y = 0; y < type->dim[1]; y++) {
        printf("    ");
        for (int64_t x = 0; x < type->dim[2]; x++) {
            uint8_t byte = bytes[(y * type->dim[2] + x) * type->dim[3]];
            int grey = type->dtype == WEFT_I8 ? (int8_t)byte - INT8_MIN : byte;
            char shade = shades[grey * SHADES / 256];
            printf("%c%c", shade, shade);
        }
        printf("\n");
    }
}

/* A file called like a picture must be one; others are known by their first bytes. */
static bool is_picture(const char *path, const uint8_t *file, size_t length) {
    return is_image(path) || image_kind(file, length) != IMAGE_UNKNOWN ||
           image_foreign(file, length) != NULL;
}

/* Where an input comes from: a file of all frames, or one for each. */
struct input_source {
    const struct given *given;
    const char *const *paths;
    size_t step; /* from the path of a frame to that of the next; 0: one for all */
    uint32_t frames;
    const struct image_options *image;
    bool *any_picture;
};

/* The type of one frame of an input. */
static struct weft_type frame_type(const struct weft_type *type, uint32_t frames) {
    struct weft_type frame = *type;
    if (frames > 1) {
        frame.dim[0] /= frames;
    }
    return frame;
}

/* Does the file hold an array of all frames? */
static bool has_all_frames(const uint8_t *file, size_t length, const struct weft_type *type) {
    struct weft_type held;
    struct weft_error error; /* what is wrong with it is told when it is read */
    return npy_type(file, length, &held, &error) &&
           weft_type_elements(&held) == weft_type_elements(type);
}

/* Reads one frame, or all of them where the file has them: *count says how many. */
static bool read_frames(const struct input_source *source, const char *path,
                        const struct weft_type *type, uint8_t **bytes, uint32_t *count,
                        struct weft_error *error) {
    struct image_options image = *source->image;
    const struct weft_type frame = frame_type(type, source->frames);
    uint8_t *file = NULL;
    size_t length = 0;
    bool blended = false;
    image.blended = &blended;
    if (!stream_read(path, &file, &length, error)) {
        return false;
    }
    bool picture = is_picture(path, file, length);
    bool all = !picture && source->step == 0 && has_all_frames(file, length, type);
    *count = all ? source->frames : 1;
    *source->any_picture = *source->any_picture || picture;
    bool good = picture ? image_parse(file, length, &frame, &image, bytes, error)
                        : npy_parse(file, length, all ? type : &frame, bytes, error);
    free(file);
    if (good && blended) {
        note(path, "pixels that are not opaque are blended on white");
    }
    if (good && given_count(source->given, OPTION_SHOW) > 0) {
        show_picture(&frame, *bytes);
    }
    return good;
}

/* Fills an input frame by frame; *path: the file that was read last. */
static bool fill_input(const struct input_source *source, size_t index,
                       const struct weft_type *type, uint8_t *to, const char **path,
                       struct weft_error *error) {
    size_t frame_bytes = weft_type_bytes(type) / source->frames;
    uint32_t frame = 0;
    uint8_t *read = NULL;
    uint32_t count = 0;
    bool good = true;
    while (good && frame < source->frames) {
        *path = source->paths[index + frame * source->step];
        if (frame == 0 || source->step > 0) {
            free(read);
            read = NULL;
            good = read_frames(source, *path, type, &read, &count, error);
        }
        if (good) {
            memcpy(to + frame * frame_bytes, read, count * frame_bytes);
            frame += count;
        }
    }
    free(read);
    return good;
}

static bool set_input(const struct input_source *source, const struct weft_module *module,
                      size_t index, const struct input_taker *taker) {
    struct weft_error error;
    const struct weft_type *type = &module->graph->inputs[index]->type;
    const char *path = source->paths[index];
    uint8_t *bytes = weft_allocate(weft_type_bytes(type), 1, "an input", &error);
    bool good = bytes != NULL && fill_input(source, index, type, bytes, &path, &error) &&
                taker->set(taker->context, index, bytes, weft_type_bytes(type), &error);
    free(bytes);
    if (!good) {
        report(path, &error);
    }
    return good;
}

int inputs_read(const struct given *given, const struct weft_module *module, uint64_t memory_limit,
                const struct input_taker *taker) {
    size_t count = module->graph->input_count;
    size_t paths_given = given_count(given, OPTION_INPUT);
    bool any_picture = false;
    const struct image_options image = {.mean = given_value(given, OPTION_MEAN),
                                        .std = given_value(given, OPTION_STD),
                                        .layout = given_value(given, OPTION_LAYOUT),
                                        .memory_limit = memory_limit,
                                        .memory_used = taker->memory};
    const struct input_source source = {.given = given,
                                        .paths = given_values(given, OPTION_INPUT),
                                        .step = paths_given == count ? 0 : count,
                                        .frames = module->frames,
                                        .image = &image,
                                        .any_picture = &any_picture};
    if (paths_given != count && paths_given != count * module->frames) {
        return module->frames == 1
                   ? usage_error(given->command->name, "the model has %zu inputs, %zu are given",
                                 count, paths_given)
                   : usage_error(given->command->name,
                                 "the model has %zu inputs of %u frames, %zu are given", count,
                                 (unsigned)module->frames, paths_given);
    }
    for (size_t i = 0; i < count; i++) {
        if (!set_input(&source, module, i, taker)) {
            return STATUS_ERROR;
        }
    }
    return wants_picture(given) && !any_picture ? no_picture(given) : STATUS_GOOD;
}

bool inputs_known(void *context, size_t number, const struct weft_type *type, void *bytes) {
    const struct given *given = context;
    struct weft_error error; /* what is wrong with the file is told when it is read for the run */
    uint8_t *read = NULL;
    if (number >= given_count(given, OPTION_INPUT)) {
        return false;
    }
    const char *path = given_values(given, OPTION_INPUT)[number];
    if (is_stream(path) || !npy_read(path, type, &read, &error)) {
        return false;
    }
    memcpy(bytes, read, weft_type_bytes(type));
    free(read);
    return true;
}

static bool set_session(void *context, size_t index, const void *bytes, size_t length,
                        struct weft_error *error) {
    struct weft_session *session = context;
    return weft_session_set_input(session, index, bytes, length, error);
}

int inputs_set(const struct given *given, const struct weft_module *module, uint64_t memory_limit,
               struct weft_session *session) {
    const struct input_taker taker = {set_session, session, weft_session_memory(session)};
    return inputs_read(given, module, memory_limit, &taker);
}
