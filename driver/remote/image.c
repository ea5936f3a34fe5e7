#include "driver/remote/image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* Maps the file; what is written is for all who have it (MAP_SHARED) or this process alone. */
static bool map(struct image *image, int sharing, struct weft_error *error) {
    void *bytes = mmap(NULL, image->length, PROT_READ | PROT_WRITE, sharing, image->file, 0);
    if (bytes == MAP_FAILED) {
        image->bytes = NULL;
        image_free(image);
        return weft_no_memory(error, "the image of a program");
    }
    image->bytes = bytes;
    return true;
}

bool image_create(size_t length, struct image *image, struct weft_error *error) {
    struct image made = {.file = memfd_create("weft image", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                         .length = length};
    if (made.file < 0 || ftruncate(made.file, (off_t)length) != 0) {
        image_free(&made);
        return weft_no_memory(error, "the image of a program");
    }
    if (!map(&made, MAP_SHARED, error)) {
        return false;
    }
    *image = made;
    return true;
}

bool image_seal(struct image *image, struct weft_error *error) {
    (void)munmap(image->bytes, image->length);
    image->bytes = NULL;
    if (fcntl(image->file, F_ADD_SEALS, SEALS) != 0) {
        image_free(image);
        return weft_fail(error, WEFT_INTERNAL, 0, "the image of a program cannot be sealed");
    }
    return map(image, MAP_PRIVATE, error);
}

bool image_is_sealed(int file, size_t length) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_size >= 0 && (size_t)status.st_size == length &&
           fcntl(file, F_GET_SEALS) == SEALS;
}

bool image_open(int file, size_t length, struct image *image, struct weft_error *error) {
    struct image made = {.file = file, .length = length};
    if (!image_is_sealed(file, length)) {
        image_free(&made);
        return weft_fail(error, WEFT_INTERNAL, 0, "the image of a program is not sealed");
    }
    if (!map(&made, MAP_PRIVATE, error)) {
        return false;
    }
    *image = made;
    return true;
}

bool image_matches(const struct image *image, const uint8_t hash[WEFT_SHA256_BYTES]) {
    struct weft_sha256 state;
    uint8_t found[WEFT_SHA256_BYTES];
    weft_sha256_start(&state);
    weft_sha256_add(&state, image->bytes, image->length);
    weft_sha256_end(&state, found);
    return memcmp(found, hash, sizeof found) == 0;
}

void image_free(struct image *image) {
    if (image->bytes != NULL) {
        (void)munmap(image->bytes, image->length);
    }
    if (image->file >= 0) {
        (void)close(image->file);
    }
    *image = IMAGE_NONE;
}
