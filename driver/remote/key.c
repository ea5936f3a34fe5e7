#include "driver/remote/key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPECTED                                                                                   \
    "one line of 64 to 96 hexadecimal digits, an even number, as openssl rand -hex 32 makes"

static int digit(char character) {
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    return character >= 'A' && character <= 'F' ? character - 'A' + 10 : -1;
}

static bool parse(const char *text, size_t length, struct key *key) {
    if (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    if (length % 2 != 0 || length / 2 < KEY_LEAST_BYTES || length / 2 > KEY_MOST_BYTES) {
        return false;
    }
    for (size_t i = 0; i < length; i += 2) {
        int high = digit(text[i]);
        int low = digit(text[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        key->bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    key->length = length / 2;
    return true;
}

/* Looks at the file that is open, not at a name that can mean another one by then. */
static bool check_file(const char *path, int file, struct weft_error *error) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "key %.200s: not a regular file", path);
    }
    if (status.st_uid != geteuid() && status.st_uid != 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "key %.200s: it belongs to another user", path);
    }
    return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 ||
           weft_fail(error, WEFT_ARGUMENT, 0,
                     "key %.200s: mode %04o lets others at it; chmod 600 keeps them away", path,
                     (unsigned)status.st_mode & 07777);
}

static bool read_open(const char *path, int file, struct key *key, struct weft_error *error) {
    char text[2 * KEY_MOST_BYTES + 2]; /* one byte more than there can be */
    size_t length = 0;
    if (!check_file(path, file, error)) {
        return false;
    }
    while (length < sizeof text) {
        ssize_t got = read(file, text + length, sizeof text - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return weft_fail(error, WEFT_IO, 0, "key %.200s: %s", path, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        length += (size_t)got;
    }
    bool good = parse(text, length, key);
    explicit_bzero(text, sizeof text);
    return good || weft_fail(error, WEFT_ARGUMENT, 0, "key %.200s: expected " EXPECTED, path);
}

bool key_read(const char *path, struct key *key, struct weft_error *error) {
    struct key read = {.length = 0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return weft_fail(error, WEFT_IO, 0, "key %.200s: %s", path, strerror(errno));
    }
    bool good = read_open(path, file, &read, error);
    (void)close(file);
    if (good) {
        *key = read;
    }
    return good;
}
