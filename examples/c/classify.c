/* From a picture to its class, with the cycles that the accelerator takes for it.
 *
 *     cc classify.c $(pkg-config --cflags --libs weft) -o classify
 *     ./classify MODEL PICTURE [TARGET]
 *
 * MODEL is a TFLite, ONNX or .weft file of a classifier with one picture as input, PICTURE a PGM or
 * PPM of the size that it wants, TARGET cycle or any other that docs/library.md lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

struct picture {
    unsigned width, height, channels;
    unsigned char *bytes; /* height x width x channels */
};

/* Reads a binary PGM (P5) or PPM (P6) without comments. */
static bool read_picture(const char *path, struct picture *picture) {
    FILE *file = fopen(path, "rb");
    char kind = 0;
    unsigned most = 0;
    bool good =
        file != NULL &&
        fscanf(file, "P%c %u %u %u", &kind, &picture->width, &picture->height, &most) == 4 &&
        fgetc(file) != EOF && (kind == '5' || kind == '6') && most == 255 && picture->width > 0 &&
        picture->width <= 4096 && picture->height > 0 && picture->height <= 4096;
    if (good) {
        picture->channels = kind == '5' ? 1 : 3;
        size_t length = (size_t)picture->width * picture->height * picture->channels;
        picture->bytes = malloc(length);
        good = picture->bytes != NULL && fread(picture->bytes, 1, length, file) == length;
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/* Is the picture of the shape [1, height, width, channels] that the network wants? */
static bool fits(const struct weft_tensor *input, const struct picture *picture) {
    bool same = weft_tensor_rank(input) == 4 && weft_tensor_dim(input, 0) == 1 &&
                weft_tensor_dim(input, 1) == picture->height &&
                weft_tensor_dim(input, 2) == picture->width &&
                weft_tensor_dim(input, 3) == picture->channels;
    if (!same) {
        fprintf(stderr, "the picture is %u x %u x %u, the input '%s'", picture->height,
                picture->width, picture->channels, weft_tensor_name(input));
        for (size_t i = 1; i < weft_tensor_rank(input); i++) {
            fprintf(stderr, "%s %lld", i == 1 ? "" : " x", (long long)weft_tensor_dim(input, i));
        }
        fprintf(stderr, "\n");
    }
    return same;
}

/* Sets the input to the picture, of which 0 to 255 stand for 0 to 1. */
static bool set_picture(struct weft_runner *runner, const struct weft_tensor *input,
                        const struct picture *picture, struct weft_failure *failure) {
    size_t count = weft_tensor_elements(input);
    size_t length = weft_tensor_bytes(input);
    float *numbers = malloc(count * sizeof *numbers);
    void *elements = malloc(length);
    bool good = numbers != NULL && elements != NULL;
    for (size_t i = 0; good && i < count; i++) {
        numbers[i] = (float)picture->bytes[i] / 255.0F;
    }
    good = good && weft_tensor_quantize(input, numbers, count, elements, length, failure) &&
           weft_runner_set_input(runner, 0, elements, length, failure);
    free(elements);
    free(numbers);
    return good;
}

/* Prints the class with the largest value. */
static bool show(const struct weft_runner *runner, const struct weft_tensor *output,
                 struct weft_failure *failure) {
    const void *elements = NULL;
    size_t length = 0;
    size_t count = weft_tensor_elements(output);
    size_t best = 0;
    float *numbers = malloc(count * sizeof *numbers);
    bool good = numbers != NULL && weft_runner_output(runner, 0, &elements, &length, failure) &&
                weft_tensor_dequantize(output, elements, length, numbers, count, failure);
    for (size_t i = 1; good && i < count; i++) {
        best = numbers[i] > numbers[best] ? i : best;
    }
    if (good) {
        printf("class %zu (%.3f) after %llu cycles\n", best, (double)numbers[best],
               (unsigned long long)weft_runner_cycles(runner));
    }
    free(numbers);
    return good;
}

int main(int argc, char **argv) {
    struct weft_failure failure = {.message = "out of memory"};
    struct weft_network *network = NULL;
    struct weft_runner *runner = NULL;
    struct picture picture = {0};
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: classify MODEL PICTURE [TARGET]\n");
        return 2;
    }
    if (!read_picture(argv[2], &picture)) {
        fprintf(stderr, "%s is no PGM or PPM file\n", argv[2]);
        free(picture.bytes);
        return 2;
    }
    bool made = weft_network_load(argv[1], NULL, NULL, &network, &failure) &&
                weft_runner_open(network, argc == 4 ? argv[3] : "cycle", NULL, &runner, &failure);
    bool wanted = made && fits(weft_network_input(network, 0), &picture);
    bool good = wanted && set_picture(runner, weft_network_input(network, 0), &picture, &failure) &&
                weft_runner_run(runner, &failure) &&
                show(runner, weft_network_output(network, 0), &failure);
    if (!good && (!made || wanted)) {
        fprintf(stderr, "%s: %s\n", argv[1], failure.message);
    }
    weft_runner_close(runner);
    weft_network_free(network);
    free(picture.bytes);
    return good ? 0 : 2;
}
