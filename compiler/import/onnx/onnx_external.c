/* Elements of tensors that lie in files beside the model. Nothing outside the model's folder is
 * read, whatever paths and links say. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "compiler/import/onnx/onnx_importer.h"

/* Where the elements are. */
struct place {
    const char *location;
    uint64_t offset;
    uint64_t length; /* UINT64_MAX: to the end */
};

static bool bad(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                enum weft_error_code code, const char *what, const char *detail) {
    return weft_fail(importer->error, code, importer->index, "tensor '%.80s': its file '%.120s' %s",
                     onnx_string(tensor->name), detail, what);
}

/* A decimal number and nothing else. */
static bool parse_number(const char *text, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static bool read_place(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                       struct place *place) {
    *place = (struct place){.location = "", .length = UINT64_MAX};
    for (size_t i = 0; i < tensor->n_external_data; i++) {
        const char *key = onnx_string(tensor->external_data[i]->key);
        const char *value = onnx_string(tensor->external_data[i]->value);
        bool good = true;
        if (strcmp(key, "location") == 0) {
            place->location = value;
        } else if (strcmp(key, "offset") == 0) {
            good = parse_number(value, &place->offset);
        } else if (strcmp(key, "length") == 0) {
            good = parse_number(value, &place->length);
        }
        if (!good) {
            return bad(importer, tensor, WEFT_MODEL, "has an offset or length that is no number",
                       place->location);
        }
    }
    return true;
}

/* Is a path one inside the folder, as it is written? */
static bool stays_inside(const char *path) {
    if (path[0] == '/' || path[0] == '\0') {
        return false;
    }
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) {
            return false;
        }
    }
    return true;
}

/* The real path of the file, through links, when it is inside the real folder; freed by the caller.
 */
static char *real_path(const struct onnx_importer *importer, const char *location, bool *outside) {
    char *folder = realpath(importer->options->folder, NULL);
    char *joined = weft_arena_print(importer->arena, "%s/%s", importer->options->folder, location);
    char *path = realpath(joined, NULL);
    size_t length = folder == NULL ? 0 : strlen(folder);
    *outside = folder != NULL && path != NULL && strcmp(folder, "/") != 0 &&
               (strncmp(path, folder, length) != 0 || path[length] != '/');
    free(folder);
    if (*outside) {
        free(path);
        path = NULL;
    }
    return path;
}

static int open_inside(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                       const char *location) {
    bool outside = false;
    if (importer->options->folder == NULL) {
        bad(importer, tensor, WEFT_MODEL, "can not be read: the model is not in a folder",
            location);
        return -1;
    }
    char *path = stays_inside(location) ? real_path(importer, location, &outside) : NULL;
    if (outside || !stays_inside(location)) {
        bad(importer, tensor, WEFT_MODEL, "is not inside the folder of the model", location);
        return -1;
    }
    if (path != NULL && importer->options->may_read != NULL &&
        !importer->options->may_read(importer->options->reader, path, importer->error)) {
        free(path);
        importer->error->position = importer->index;
        (void)weft_fail_context(importer->error, "tensor '%.80s'", onnx_string(tensor->name));
        return -1;
    }
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (file < 0) {
        bad(importer, tensor, WEFT_IO, "can not be opened", location);
    }
    return file;
}

static bool read_all(int file, uint64_t offset, uint8_t *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t got = pread(file, bytes + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/* The file is a plain one, and holds the bytes. */
static bool check_file(const struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                       const struct place *place, int file, size_t length) {
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return bad(importer, tensor, WEFT_IO, "is not a file", place->location);
    }
    uint64_t size = (uint64_t)facts.st_size;
    uint64_t rest = place->offset > size ? 0 : size - place->offset;
    bool fits = place->offset <= size && length <= rest &&
                (place->length == UINT64_MAX || place->length == length);
    return fits || bad(importer, tensor, WEFT_MODEL,
                       "has not the bytes that the tensor's shape asks for there", place->location);
}

const uint8_t *onnx_external(struct onnx_importer *importer, const Onnx__TensorProto *tensor,
                             size_t length) {
    struct place place;
    if (!read_place(importer, tensor, &place)) {
        return NULL;
    }
    int file = open_inside(importer, tensor, place.location);
    if (file < 0) {
        return NULL;
    }
    if (!check_file(importer, tensor, &place, file, length)) {
        (void)close(file);
        return NULL;
    }
    (void)close(file);
    /* The arena may jump: the file is not open meanwhile. */
    uint8_t *bytes = weft_arena_allocate(importer->arena, length + 1, 1);
    file = open_inside(importer, tensor, place.location);
    if (file < 0) {
        return NULL;
    }
    bool good = check_file(importer, tensor, &place, file, length);
    if (good && !read_all(file, place.offset, bytes, length)) {
        good = bad(importer, tensor, WEFT_IO, "can not be read", place.location);
    }
    (void)close(file);
    if (good && importer->options->fingerprint != NULL) {
        *importer->options->fingerprint =
            weft_hash_bytes(*importer->options->fingerprint, bytes, length);
    }
    return good ? bytes : NULL;
}
