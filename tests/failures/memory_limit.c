/* Small files that unpack to far more, and what weft takes of memory for them: never more than its
 * limit, the file, and a constant. Prints the time, and asserts nothing about it.
 *
 *     memory_limit WEFT SOURCE_DIR */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"

enum {
    CONSTANT_KB = 64 * 1024, /* of the process itself */
    LIMIT_KB = 1 << 20,      /* the default limit */
    SECTIONS = 7
};

static const char *weft;
static const char *source;
static int failures;

static void stop(const char *what) {
    perror(what);
    exit(1);
}

static void write_file(const char *path, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        stop(path);
    }
}

/* `length` bytes of zeros behind `count` bytes, deflated; freed by the caller. */
static uint8_t *deflated(const uint8_t *bytes, size_t count, size_t length, size_t *stored) {
    uint8_t *raw = calloc(1, length);
    uLongf size = compressBound((uLong)length);
    uint8_t *out = malloc(size);
    if (raw == NULL || out == NULL) {
        stop("memory");
    }
    memcpy(raw, bytes, count);
    if (compress2(out, &size, raw, (uLong)length, 9) != Z_OK) {
        stop("zlib");
    }
    free(raw);
    *stored = size;
    return out;
}

/* ---- pictures ---- */

static void put_big(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static size_t put_chunk(uint8_t *at, const char *name, const uint8_t *data, size_t length) {
    put_big(at, (uint32_t)length);
    memcpy(at + 4, name, 4);
    if (length > 0) {
        memcpy(at + 8, data, length);
    }
    put_big(at + 8 + length, (uint32_t)crc32(0, at + 4, (uInt)(4 + length)));
    return length + 12;
}

/* A picture of one colour whose data are `extra` times as long as they should be. */
static void make_png(const char *path, uint32_t side, int depth, int colour, int interlaced,
                     size_t extra) {
    static const int samples[] = {1, 0, 3, 1, 2, 0, 4};
    size_t row = ((size_t)side * (size_t)(depth * samples[colour]) + 7) / 8 + 1;
    size_t stored = 0;
    uint8_t *data = deflated((const uint8_t *)"", 0, row * side * extra + 1024, &stored);
    uint8_t *file = malloc(stored + 100);
    uint8_t header[13] = {0};
    if (file == NULL) {
        stop("memory");
    }
    put_big(header, side);
    put_big(header + 4, side);
    header[8] = (uint8_t)depth;
    header[9] = (uint8_t)colour;
    header[12] = (uint8_t)interlaced;
    memcpy(file, "\x89PNG\r\n\x1a\n", 8);
    size_t length = 8;
    length += put_chunk(file + length, "IHDR", header, sizeof header);
    length += put_chunk(file + length, "IDAT", data, stored);
    length += put_chunk(file + length, "IEND", NULL, 0);
    write_file(path, file, length);
    free(file);
    free(data);
}

/* A progressive JPEG of that side that ends where its data would begin. */
static void make_jpeg(const char *path, unsigned side) {
    uint8_t file[64] = {0xff, 0xd8, 0xff, 0xc2, 0, 17, 8};
    file[7] = (uint8_t)(side >> 8);
    file[8] = (uint8_t)side;
    file[9] = (uint8_t)(side >> 8);
    file[10] = (uint8_t)side;
    file[11] = 3;
    for (int i = 0; i < 3; i++) {
        file[12 + 3 * i] = (uint8_t)(i + 1);
        file[13 + 3 * i] = 0x11;
    }
    memcpy(file + 21, "\xff\xd9", 2);
    write_file(path, file, 23);
}

/* ---- containers ---- */

static uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = calloc(1, 1 << 20);
    if (file == NULL || bytes == NULL) {
        stop(path);
    }
    *length = fread(bytes, 1, 1 << 20, file);
    (void)fclose(file);
    return bytes;
}

/* The container good.weft with sections of `length` zeros in place of those that `mask` names. */
static void make_container(const char *path, unsigned mask, size_t length) {
    enum {
        HEADER = 24,
        ENTRY = 32
    };
    size_t good_length = 0;
    size_t zeros_length = 0;
    uint8_t *good = read_file("good.weft", &good_length);
    uint8_t *zeros = deflated((const uint8_t *)"", 0, length, &zeros_length);
    uint8_t *out = calloc(1, good_length + SECTIONS * zeros_length);
    size_t at = HEADER + SECTIONS * ENTRY;
    if (out == NULL) {
        stop("memory");
    }
    memcpy(out, good, at);
    for (unsigned i = 0; i < SECTIONS; i++) {
        uint8_t *entry = out + HEADER + i * ENTRY;
        bool is_bomb = (mask >> i & 1) != 0;
        const uint8_t *stored = is_bomb ? zeros : good + weft_read_u64(entry + 8);
        size_t stored_length = is_bomb ? zeros_length : weft_read_u64(entry + 16);
        memcpy(out + at, stored, stored_length);
        weft_write_u32(entry + 4, (uint32_t)crc32_z(0, stored, stored_length));
        weft_write_u64(entry + 8, at);
        weft_write_u64(entry + 16, stored_length);
        weft_write_u64(entry + 24, is_bomb ? length : weft_read_u64(entry + 24));
        at += stored_length;
    }
    write_file(path, out, at);
    free(out);
    free(zeros);
    free(good);
}

/* ---- runs ---- */

/* Runs weft on a hostile file: status 2, and no more memory than `limit_kb`, the file and a
 * constant. */
static void run(const char *file, long limit_kb, char *const argv[]) {
    struct timespec times[2];
    struct rusage usage;
    struct stat status;
    int result = 0;
    if (stat(file, &status) != 0 || clock_gettime(CLOCK_MONOTONIC, &times[0]) != 0) {
        stop(file);
    }
    pid_t child = fork();
    if (child == 0) {
        int quiet = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        (void)dup2(quiet, 1);
        (void)dup2(quiet, 2);
        (void)execv(weft, argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &result, 0, &usage) != child) {
        stop("fork");
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &times[1]);
    long allowed = limit_kb + status.st_size / 1024 + CONSTANT_KB;
    bool good = WIFEXITED(result) && WEXITSTATUS(result) == 2 && usage.ru_maxrss <= allowed;
    printf("%-24s %9lld bytes %9ld KB of %9ld %7.2f s%s\n", file, (long long)status.st_size,
           usage.ru_maxrss, allowed,
           (double)(times[1].tv_sec - times[0].tv_sec) +
               1e-9 * (double)(times[1].tv_nsec - times[0].tv_nsec),
           good ? "" : "  FAILED");
    (void)fflush(stdout);
    failures += !good;
}

static void run_picture(const char *file) {
    run(file, LIMIT_KB,
        (char *[]){"weft", "run", "good.weft", "--input", (char *)(size_t)file, NULL});
    run(file, LIMIT_KB / 16,
        (char *[]){"weft", "run", "good.weft", "--input", (char *)(size_t)file, "--memory-limit",
                   "64M", NULL});
}

static void run_container(const char *file) {
    run(file, LIMIT_KB, (char *[]){"weft", "inspect", (char *)(size_t)file, NULL});
    run(file, LIMIT_KB / 16,
        (char *[]){"weft", "inspect", (char *)(size_t)file, "--memory-limit", "64M", NULL});
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/weft_limit_XXXXXX";
    char command[800];
    if (argc != 3 || mkdtemp(folder) == NULL || chdir(folder) != 0) {
        fprintf(stderr, "usage: memory_limit WEFT SOURCE_DIR\n");
        return 1;
    }
    weft = argv[1];
    source = argv[2];
    (void)snprintf(command, sizeof command,
                   "'%s' compile '%s/models/digits/digits.tflite' -o good.weft", weft, source);
    if (system(command) != 0) {
        stop("compile");
    }
    make_png("bits.png", 30000, 1, 0, 0, 1);
    make_png("deep.png", 11000, 16, 6, 0, 1);
    make_png("interlaced.png", 11000, 16, 6, 1, 1);
    make_png("bomb.png", 16, 8, 2, 0, 1500000);
    make_jpeg("progressive.jpg", 16384);
    make_container("all.weft", 127, (size_t)300 << 20);
    make_container("program.weft", 8, (size_t)900 << 20);
    make_container("graph.weft", 2, (size_t)900 << 20);
    make_container("constants.weft", 16, (size_t)1100 << 20);
    static const char *const pictures[] = {"bits.png", "deep.png", "interlaced.png", "bomb.png",
                                           "progressive.jpg"};
    static const char *const containers[] = {"all.weft", "program.weft", "graph.weft",
                                             "constants.weft"};
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        run_picture(pictures[i]);
        (void)unlink(pictures[i]);
    }
    for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++) {
        run_container(containers[i]);
        (void)unlink(containers[i]);
    }
    (void)unlink("good.weft");
    (void)unlink("stderr");
    (void)chdir("/");
    (void)rmdir(folder);
    return failures == 0 ? 0 : 1;
}
