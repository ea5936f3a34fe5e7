#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
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

static bool read_descriptor(int descriptor, uint8_t **bytes, size_t *length,
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
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return weft_fail(error, WEFT_IO, 0, "%s", strerror(errno));
    }
    bool good = read_descriptor(descriptor, bytes, length, error);
    (void)close(descriptor);
    return good;
}

static bool write_all(int descriptor, const uint8_t *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t put = write(descriptor, bytes + done, length - done);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        done += put < 0 ? 0 : (size_t)put;
    }
    return true;
}

bool weft_file_write(const char *path, const void *bytes, size_t length, struct weft_error *error) {
    size_t room = strlen(path) + 32;
    char *temporary = weft_allocate(room, 1, "a file name", error);
    if (temporary == NULL) {
        return false;
    }
    (void)snprintf(temporary, room, "%s.%ld.tmp", path, (long)getpid());
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = descriptor >= 0;
    if (good) {
        good = write_all(descriptor, bytes, length);
        good = close(descriptor) == 0 && good;
        good = good && rename(temporary, path) == 0;
        if (!good) {
            int reason = errno;
            (void)unlink(temporary);
            errno = reason;
        }
    }
    if (!good) {
        weft_fail(error, WEFT_IO, 0, "could not be written: %s", strerror(errno));
    }
    free(temporary);
    return good;
}
