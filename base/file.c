#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool read_all(int descriptor, uint8_t *bytes, size_t length, struct weft_error *error) {
    size_t done = 0;
    while (done < length) {
        ssize_t got = read(descriptor, bytes + done, length - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return weft_fail(error, WEFT_IO, done, "read failed: %s", strerror(errno));
        }
        if (got == 0) {
            return weft_fail(error, WEFT_IO, done, "file ended at byte %zu of %zu", done, length);
        }
        done += (size_t)got;
    }
    return true;
}

static bool read_regular(int descriptor, uint8_t **bytes, size_t *length,
                         struct weft_error *error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return weft_fail(error, WEFT_IO, 0, "%s", strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return weft_fail(error, WEFT_IO, 0, "not a regular file");
    }
    if ((uint64_t)status.st_size > WEFT_FILE_LIMIT) {
        return weft_fail(error, WEFT_LIMIT, 0, "file has %lld bytes, at most %zu are read",
                         (long long)status.st_size, WEFT_FILE_LIMIT);
    }
    size_t size = (size_t)status.st_size;
    uint8_t *content = weft_allocate(size + 1, 1, "the file", error);
    if (content == NULL) {
        return false;
    }
    if (!read_all(descriptor, content, size, error)) {
        free(content);
        return false;
    }
    *bytes = content;
    *length = size;
    return true;
}

bool weft_file_read(const char *path, uint8_t **bytes, size_t *length, struct weft_error *error) {
    /* Without O_NONBLOCK a pipe would wait for somebody to write to it. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return weft_fail(error, WEFT_IO, 0, "%s", strerror(errno));
    }
    bool good = read_regular(descriptor, bytes, length, error);
    (void)close(descriptor);
    return good;
}

/* ---- reading what has no size before its end ---- */

struct stream {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
};

/* Reads until the end, or until there is a byte more than the limit. */
static bool read_to_end(int descriptor, struct stream *in, struct weft_error *error) {
    enum {
        FIRST = 65536
    };
    ssize_t got = 1;
    while (got > 0 && in->length <= WEFT_FILE_LIMIT) {
        void *bytes = in->bytes;
        if (!weft_reserve(&bytes, &in->capacity, in->length + in->length / 2 + FIRST, 1, "a stream",
                          error)) {
            return false;
        }
        in->bytes = bytes;
        do {
            got = read(descriptor, in->bytes + in->length, in->capacity - 1 - in->length);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            return weft_fail(error, WEFT_IO, in->length, "read failed: %s", strerror(errno));
        }
        in->length += (size_t)got;
    }
    return in->length <= WEFT_FILE_LIMIT ||
           weft_fail(error, WEFT_LIMIT, 0, "the stream has more than %zu bytes", WEFT_FILE_LIMIT);
}

bool weft_descriptor_read(int descriptor, uint8_t **bytes, size_t *length,
                          struct weft_error *error) {
    struct stream in = {0};
    if (!read_to_end(descriptor, &in, error)) {
        free(in.bytes);
        return false;
    }
    in.bytes[in.length] = 0;
    *bytes = in.bytes;
    *length = in.length;
    return true;
}

/* ---- writing ---- */

/* A file whose content is written and whose name is not. */
struct weft_staged_file {
    const char *path; /* as the caller gave it */
    char *target;     /* what it names, behind all links */
    char *temporary;  /* NULL: a device or a pipe, already written */
};

static bool not_written(struct weft_error *error) {
    if (errno == ENOMEM) {
        return weft_no_memory(error, "writing a file");
    }
    return weft_fail(error, WEFT_IO, 0, "could not be written: %s", strerror(errno));
}

bool weft_file_write_bytes(void *context, FILE *file, struct weft_error *error) {
    const struct weft_file_bytes *all = context;
    (void)error;
    (void)fwrite(all->bytes, 1, all->length, file);
    return true;
}

/* Writes to a descriptor, or none where opening it failed, and closes it. */
static bool write_and_close(int descriptor, weft_file_content *content, void *context,
                            struct weft_error *error) {
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) {
        not_written(error);
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        return false;
    }
    bool good = content(context, file, error);
    bool written = fflush(file) == 0 && ferror(file) == 0;
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    errno = reason;
    return good && (written || not_written(error));
}

bool weft_descriptor_write(int descriptor, weft_file_content *content, void *context,
                           struct weft_error *error) {
    return write_and_close(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), content, context, error);
}

static void staged_free(struct weft_staged_file *file) {
    free(file->target);
    free(file->temporary);
}

/* What a path names behind all links, also where nothing is yet; NULL: errno says why. */
static char *follow(const char *path) {
    char link[PATH_MAX];
    char *target = realpath(path, NULL);
    ssize_t length = target == NULL && errno == ENOENT ? readlink(path, link, sizeof link - 1) : -1;
    if (target != NULL || length < 0) {
        return target != NULL ? target : strdup(path);
    }
    /* A link to nothing: of a chain of them, the file that the first names is made. */
    link[length] = '\0';
    const char *name = strrchr(path, '/');
    size_t folder = link[0] == '/' || name == NULL ? 0 : (size_t)(name - path) + 1;
    size_t room = folder + (size_t)length + 1;
    target = malloc(room);
    if (target != NULL) {
        (void)snprintf(target, room, "%.*s%s", (int)folder, path, link);
    }
    return target;
}

/* Makes a file of a name that nothing has, in the folder of `target`, for its content until that is
 * complete; the caller frees the name. A negative descriptor: errno, or *error where there is no
 * name, says why. */
static int open_new(const char *target, mode_t mode, char **name, struct weft_error *error) {
    enum {
        TRIES = 1000
    };
    static atomic_uint next;
    const char *slash = strrchr(target, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - target) + 1;
    size_t room = folder + 64;
    int descriptor = -1;
    *name = weft_allocate(room, 1, "a file name", error);
    for (int i = 0; *name != NULL && i < TRIES && descriptor < 0; i++) {
        (void)snprintf(*name, room, "%.*s.weft.%ld.%u.tmp", (int)folder, target, (long)getpid(),
                       atomic_fetch_add(&next, 1));
        descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor < 0 && errno != EEXIST) {
            break;
        }
    }
    return descriptor;
}

/* A directory fails here already, and so does no name at all, so that nothing is renamed in vain.
 * What takes the place of a file may be read and written by whom that may. */
static bool stage(struct weft_staged_file *file, weft_file_content *content, void *context,
                  struct weft_error *error) {
    struct stat status;
    bool exists = stat(file->path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        return write_and_close(open(file->path, O_WRONLY | O_CLOEXEC), content, context, error);
    }
    if (file->path[0] == '\0') {
        return weft_fail(error, WEFT_IO, 0, "the name of a file is empty");
    }
    file->target = follow(file->path);
    if (file->target == NULL) {
        return not_written(error);
    }
    int descriptor =
        open_new(file->target, exists ? S_IRUSR | S_IWUSR : 0666, &file->temporary, error);
    if (file->temporary == NULL) {
        return false;
    }
    if (descriptor >= 0 && exists) {
        (void)fchmod(descriptor, status.st_mode & 0777);
    }
    bool is_made = descriptor >= 0;
    bool good = write_and_close(descriptor, content, context, error);
    if (is_made && !good) {
        (void)unlink(file->temporary);
    }
    return good;
}

bool weft_file_stage_content(struct weft_file_batch *batch, const char *path,
                             weft_file_content *content, void *context, struct weft_error *error) {
    void *files = batch->files;
    struct weft_staged_file file = {.path = path};
    if (!weft_reserve(&files, &batch->capacity, batch->count + 1, sizeof *batch->files, "files",
                      error)) {
        return false;
    }
    batch->files = files;
    if (!stage(&file, content, context, error)) {
        staged_free(&file);
        return false;
    }
    batch->files[batch->count++] = file;
    return true;
}

bool weft_file_stage(struct weft_file_batch *batch, const char *path, const void *bytes,
                     size_t length, struct weft_error *error) {
    struct weft_file_bytes all = {bytes, length};
    return weft_file_stage_content(batch, path, weft_file_write_bytes, &all, error);
}

bool weft_file_check(const char *path, struct weft_error *error) {
    struct weft_file_batch batch = {0};
    struct stat status;
    bool is_file = stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
    bool good = !is_file || weft_file_stage(&batch, path, "", 0, error);
    weft_file_discard(&batch);
    return good;
}

bool weft_file_commit(struct weft_file_batch *batch, const char **path, struct weft_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < batch->count; i++) {
        struct weft_staged_file *file = &batch->files[i];
        good = file->temporary == NULL || rename(file->temporary, file->target) == 0;
        if (!good) {
            *path = file->path;
            not_written(error);
        } else {
            free(file->temporary);
            file->temporary = NULL;
        }
    }
    weft_file_discard(batch);
    return good;
}

void weft_file_discard(struct weft_file_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->files[i].temporary != NULL) {
            (void)unlink(batch->files[i].temporary);
        }
        staged_free(&batch->files[i]);
    }
    free(batch->files);
    *batch = (struct weft_file_batch){0};
}

bool weft_file_write_content(const char *path, weft_file_content *content, void *context,
                             struct weft_error *error) {
    struct weft_file_batch batch = {0};
    const char *wrong = NULL;
    if (!weft_file_stage_content(&batch, path, content, context, error)) {
        weft_file_discard(&batch);
        return false;
    }
    return weft_file_commit(&batch, &wrong, error);
}

bool weft_file_write(const char *path, const void *bytes, size_t length, struct weft_error *error) {
    struct weft_file_bytes all = {bytes, length};
    return weft_file_write_content(path, weft_file_write_bytes, &all, error);
}
