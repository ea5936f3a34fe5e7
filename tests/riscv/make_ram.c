/* Writes the memory of a system that runs a model with the generic image (driver/system_image.h) to
 * a file, for QEMU's loader: from the start of RAM up to the last byte that is not 0. The inputs
 * are zeros. usage: make_ram IMAGE BLOB OUTPUT [PATIENCE]   with PATIENCE the processor waits for
 * interrupts, so many cycles */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "driver/system_image.h"

static struct weft_error error;

static void fail(const char *what) {
    fprintf(stderr, "make_ram: %s: %s\n", what, error.message);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: make_ram IMAGE BLOB OUTPUT [PATIENCE]\n");
        return 2;
    }
    uint8_t *image = NULL;
    uint8_t *blob = NULL;
    size_t image_bytes = 0;
    size_t blob_bytes = 0;
    if (!weft_file_read(argv[1], &image, &image_bytes, &error)) {
        fail(argv[1]);
    }
    if (!weft_file_read(argv[2], &blob, &blob_bytes, &error)) {
        fail(argv[2]);
    }
    const struct weft_system_setup setup = {
        .image = image,
        .image_bytes = image_bytes,
        .blob = blob,
        .blob_bytes = blob_bytes,
        .interrupt = argc == 5,
        .runs = 1,
        .patience = argc == 5 ? strtoull(argv[4], NULL, 10) : 0,
    };
    struct weft_system_image system;
    if (!weft_system_image_make(&setup, &system, &error)) {
        fail(argv[2]);
    }
    uint64_t length = system.ram_bytes;
    while (length > 0 && system.ram[length - 1] == 0) {
        length--;
    }
    FILE *file = fopen(argv[3], "wb");
    if (file == NULL || fwrite(system.ram, 1, length, file) != length || fclose(file) != 0) {
        perror(argv[3]);
        return 1;
    }
    weft_system_image_free(&system);
    free(image);
    free(blob);
    return 0;
}
