/* What the subcommands share. */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <stdio.h>

#include "base/file.h"
#include "driver/weft.h"

/* Exit status: everything that was asked for happened, or something did not. */
enum {
    STATUS_GOOD = 0,
    STATUS_ERROR = 2
};

/* A subcommand: argv[0] is its name. */
typedef int command(int argc, char **argv);
command command_asm;
command command_compile;
command command_cosim;
command command_disasm;
command command_explain;
command command_inspect;
command command_operators;
command command_report;
command command_run;
command command_trace;
command command_verify;

/* Prints "weft: FILE: MESSAGE" (without FILE: when it is NULL) and returns STATUS_ERROR. */
int report(const char *file, const struct weft_error *error);

/* Prints a wrong use of the command line and returns STATUS_ERROR. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- options: "--name VALUE", "-o VALUE", or a flag ---- */

struct option_spec {
    const char *name; /* without dashes */
    char letter;      /* one-letter form, or 0 */
    bool is_flag;
    const char **value; /* the last one given; a flag: any text */
    /* Options that can be repeated: values in order. */
    const char **list;
    size_t *count;
    size_t most;
};

/* Reads argv[1..]; words that are no options go to `words`. False after a message. */
bool read_options(int argc, char **argv, const struct option_spec *specs, size_t spec_count,
                  const char **words, size_t *word_count, size_t most_words);

/* Reads a number that is nothing but decimal digits, at most `most`. */
bool read_number(const char *text, uint64_t most, uint64_t *number);

/* Reads --memory-limit: bytes, or with K, M or G of 1024 bytes and so on; NULL: 0, which stands for
 * the default. False after a message. */
bool read_memory_limit(const char *command, const char *text, uint64_t *bytes);

/* ---- files ---- */

/* The file's name without folders and ending. */
void file_stem(const char *path, char *stem, size_t size);

/* The options of every command that opens a model or a .weft file. */
struct open_options {
    const char *config;       /* NULL: ref16, or what the .weft file says */
    const char *memory_limit; /* bytes, as read_memory_limit() takes them */
    /* Of a .weft file: most cycles of the machine and steps of the host that it may ask for. */
    const char *cycle_limit, *host_limit;
    struct weft_read_options limits; /* what the texts say, once read_limits() has read them */
};
#define LIMIT_OPTION_SPECS(options)                                                                \
    {.name = "memory-limit", .value = &(options)->memory_limit},                                   \
        {.name = "cycle-limit", .value = &(options)->cycle_limit}, {                               \
        .name = "host-limit", .value = &(options)->host_limit                                      \
    }
#define OPEN_OPTION_SPECS(options)                                                                 \
    {.name = "config", .value = &(options)->config}, LIMIT_OPTION_SPECS(options)

/* Reads the limits, or prints what is wrong with them. */
bool read_limits(const char *command, struct open_options *given);

/* Reads a model (.tflite), compiling it, or a .weft file, inside the limits. *bytes must outlive
 * the module; free both. Prints the error and returns NULL on failure. */
struct weft_module *open_module(const char *path, const struct open_options *given,
                                uint8_t **bytes);

/* The same; `options` says how a model is compiled, its `model_name` is set here. */
struct weft_module *open_model(const char *path, const struct open_options *given,
                               struct weft_compile_options options, uint8_t **bytes);

/* Reads a .npy file, which must hold exactly the elements of `type`. *bytes is freed by the caller.
 * Error: WEFT_NPY, WEFT_TENSOR, those of weft_file_read(). */
bool npy_read(const char *path, const struct weft_type *type, uint8_t **bytes,
              struct weft_error *error);
bool npy_parse(const uint8_t *file, size_t length, const struct weft_type *type, uint8_t **bytes,
               struct weft_error *error);
/* One more file of a batch. Errors: those of weft_file_stage(). */
bool npy_stage(struct weft_file_batch *batch, const char *path, const struct weft_type *type,
               const void *bytes, struct weft_error *error);

/* Reads a PNG, JPEG or BMP picture into a tensor [1, H, W, 1 or 3] of 8-bit elements, resizing it.
 * Grey values 0 to 255 become the type's smallest to largest values; with mean or std, as TFLite
 * does it, (grey - mean) / std quantised as the type says. Errors: WEFT_IMAGE, WEFT_TENSOR,
 * WEFT_ARGUMENT, WEFT_LIMIT, WEFT_OUT_OF_MEMORY, those of weft_file_read(). */
struct image_options {
    const char *mean; /* one number, or one for each channel, joined by commas; NULL: none */
    const char *std;
    uint64_t memory_limit; /* bytes that may be in use; 0: WEFT_MEMORY_LIMIT */
    uint64_t memory_used;  /* of these, by the model and its session */
};
bool image_read(const char *path, const struct weft_type *type, const struct image_options *options,
                uint8_t **bytes, struct weft_error *error);
bool image_parse(const uint8_t *file, size_t length, const struct weft_type *type,
                 const struct image_options *options, uint8_t **bytes, struct weft_error *error);
bool is_image(const char *path);

/* What the first bytes of a picture say. */
enum image_kind {
    IMAGE_UNKNOWN,
    IMAGE_PNG,
    IMAGE_JPEG,
    IMAGE_BMP
};
enum image_kind image_kind(const uint8_t *file, size_t length);

/* Checks what the decoder cannot bear; before any other use of it. Error: WEFT_IMAGE. */
bool image_is_bearable(const uint8_t *file, size_t length, struct weft_error *error);

/* Checks what the decoder does not: checksums, and that the file holds all of the picture, of which
 * the decoder has read the size. Errors: WEFT_IMAGE; WEFT_LIMIT for a JPEG of more scans than a
 * sensible one of its size has. */
bool image_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                    struct weft_error *error);

#endif
