#include "cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Where standard output was before it was given to a file. */
static int output = STDOUT_FILENO;

bool is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

void streams_open(void) {
    (void)signal(SIGXFSZ, SIG_IGN);
    /* open() returns the lowest number that is free. Nothing can be read from what is open for
     * writing alone, and the other way round. */
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

bool streams_give_output(struct weft_error *error) {
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return weft_fail(error, WEFT_IO, 0, "%s", strerror(errno));
    }
    (void)signal(SIGPIPE, SIG_IGN);
    return true;
}

bool stream_read(const char *path, uint8_t **bytes, size_t *length, struct weft_error *error) {
    return is_stream(path) ? weft_descriptor_read(STDIN_FILENO, bytes, length, error)
                           : weft_file_read(path, bytes, length, error);
}

bool stream_write_content(const char *path, weft_file_content *content, void *context,
                          struct weft_error *error) {
    return is_stream(path) ? weft_descriptor_write(output, content, context, error)
                           : weft_file_write_content(path, content, context, error);
}

bool stream_write(const char *path, const void *bytes, size_t length, struct weft_error *error) {
    struct weft_file_bytes all = {bytes, length};
    return stream_write_content(path, weft_file_write_bytes, &all, error);
}

bool stream_stage(struct weft_file_batch *batch, const char *path, const void *bytes, size_t length,
                  struct weft_error *error) {
    return is_stream(path) ? stream_write(path, bytes, length, error)
                           : weft_file_stage(batch, path, bytes, length, error);
}

bool stream_stage_content(struct weft_file_batch *batch, const char *path,
                          weft_file_content *content, void *context, struct weft_error *error) {
    return is_stream(path) ? stream_write_content(path, content, context, error)
                           : weft_file_stage_content(batch, path, content, context, error);
}
