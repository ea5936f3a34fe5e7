/* What the subcommands share. */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include <stdio.h>

#include "base/file.h"
#include "cli/arguments.h"
#include "cli/options.h"
#include "driver/session.h"

command_run_function command_asm;
command_run_function command_compare;
command_run_function command_compile;
command_run_function command_cosim;
command_run_function command_devices;
command_run_function command_disasm;
command_run_function command_evaluate;
command_run_function command_area;
command_run_function command_explain;
command_run_function command_export;
command_run_function command_inspect;
command_run_function command_operators;
command_run_function command_passes;
command_run_function command_quantize;
command_run_function command_report;
command_run_function command_run;
command_run_function command_soc;
command_run_function command_serve;
command_run_function command_sweep;
command_run_function command_sweep_show;
command_run_function command_trace;
command_run_function command_tune;
command_run_function command_verify;
command_run_function command_vp;

/* What --target of weft run can be, ended by NULL. */
extern const char *const run_target_names[];

/* How an input that a picture becomes can be laid out, ended by NULL. */
extern const char *const layout_names[];

/* Those of `weft vp`. */
extern const char *const vp_target_names[];

/* Is it one of these names, which NULL ends? `what` is what they are names of. False after a
 * message with the nearest one. */
bool check_name(const char *command, const char *what, const char *const *names, const char *name);

/* Prints "weft: FILE: MESSAGE" (without FILE: when it is NULL) and returns STATUS_ERROR. */
int report(const char *file, const struct weft_error *error);

/* "weft: FILE: note: TEXT", of what is well but worth knowing; notes_print() prints them, once all
 * is known to be well: an error is one line alone. */
void note(const char *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_print(void);

/* ---- files ---- */

/* Where this program is, for tasks of Slurm. Error: WEFT_IO. */
bool own_path(char *path, size_t size, struct weft_error *error);

/* The file's name without folders and ending; "stdin" of standard input. */
void file_stem(const char *path, char *stem, size_t size);

/* What a model is compiled for when nobody says. */
#define DEFAULT_CONFIG "ref16"

/* weft_config_find(), which also says what was perhaps meant. */
bool find_config(const char *name, struct weft_config *config, struct weft_error *error);

/* What a command that opens a model or a .weft file was given. */
struct open_options {
    const struct given *given;
    const char *config;                /* NULL: ref16, or what a .weft file says */
    const struct weft_config *machine; /* of a model; NULL: as `config` says */
    bool takes_floats;    /* a model of floats is what one may want: nothing is said about it */
    bool has_weft_limits; /* some that are for .weft files alone */
    uint32_t frames;      /* --frames or --batch; 0: neither */
    bool one_by_one;      /* --frames */
    uint32_t effort;      /* --effort; 0: without it */
    struct weft_read_options limits;
    size_t dim_count;
    struct weft_dim dims[WEFT_MOST_DIMS]; /* --dim */
};

/* Fills the folder (`folder`, of `size` bytes) and the dimensions of a model at a path. What the
 * command writes is no file of the model's. */
void import_options_fill(const struct open_options *open, const char *path, char *folder,
                         size_t size, struct weft_import_options *options);

/* Reads them, or prints what is wrong with them. */
bool open_options_read(const struct given *given, struct open_options *open);

/* open_options_read() and open_model() of what a command was given. */
struct weft_module *open_given(const struct given *given, struct weft_compile_options options,
                               uint8_t **bytes);

/* Reads a model (.tflite), compiling it, or a .weft file, inside the limits. *bytes must outlive
 * the module; free both. Prints the error and returns NULL on failure. */
struct weft_module *open_module(const char *path, const struct open_options *open, uint8_t **bytes);

/* The same; `options` says how a model is compiled, its `model_name` is set here. */
struct weft_module *open_model(const char *path, const struct open_options *open,
                               struct weft_compile_options options, uint8_t **bytes);

/* The same of what was read already; `bytes` must outlive the module. */
struct weft_module *make_model(const char *path, const uint8_t *bytes, size_t length,
                               const struct open_options *open,
                               struct weft_compile_options options);

/* The same, without a message where it fails: errors of weft_compile(), weft_module_read() and
 * weft_config_find(); WEFT_ARGUMENT. */
bool try_model(const char *path, const uint8_t *bytes, size_t length,
               const struct open_options *open, struct weft_compile_options options,
               struct weft_module **module, struct weft_error *error);

/* A note when a model has more subgraphs than the one that is taken, as one of several signatures.
 */
void note_left_out(const char *path, const uint8_t *bytes, size_t length);

/* A note when a model leaves everything to the host because it is of floats. */
void note_float_model(const char *path, const struct weft_module *module);

/* Reads a .npy file, which must hold exactly the elements of `type`, in any order of axes and
 * bytes; *bytes are in C order, little-endian, and freed by the caller. Error: WEFT_NPY,
 * WEFT_TENSOR, those of weft_file_read(). */
bool npy_read(const char *path, const struct weft_type *type, uint8_t **bytes,
              struct weft_error *error);
bool npy_parse(const uint8_t *file, size_t length, const struct weft_type *type, uint8_t **bytes,
               struct weft_error *error);
/* The elements and the shape of a .npy file; its elements need not be there. Errors: WEFT_NPY,
 * WEFT_TENSOR (elements that the graph does not have). */
bool npy_type(const uint8_t *file, size_t length, struct weft_type *type, struct weft_error *error);
/* One more file of a batch. Errors: those of weft_file_stage(). */
bool npy_stage(struct weft_file_batch *batch, const char *path, const struct weft_type *type,
               const void *bytes, struct weft_error *error);

/* Reads a PNG, JPEG or BMP picture into a tensor [1, H, W, 1 or 3], or [1, 1 or 3, H, W], of 8-bit
 * elements or floats, resizing it. It is turned as the EXIF orientation of a JPEG says; what is
 * transparent is blended on white. Grey values 0 to 255 become the type's smallest to largest
 * values, of floats 0 to 255; with mean or std, as TFLite does it, (grey - mean) / std, quantised
 * where the type is. Errors: WEFT_IMAGE, WEFT_TENSOR,
 * WEFT_ARGUMENT, WEFT_LIMIT, WEFT_OUT_OF_MEMORY, those of weft_file_read(). */
struct image_options {
    const char *mean; /* one number, or one for each channel, joined by commas; NULL: none */
    const char *std;
    const char *layout;    /* of layout_names; NULL: as the shape says, "nhwc" where it says both */
    uint64_t memory_limit; /* bytes that may be in use; 0: WEFT_MEMORY_LIMIT */
    uint64_t memory_used;  /* of these, by the model and its session */
    bool *blended;         /* set when a pixel was not opaque; NULL: nobody asks */
};
bool image_read(const char *path, const struct weft_type *type, const struct image_options *options,
                uint8_t **bytes, struct weft_error *error);
bool image_parse(const uint8_t *file, size_t length, const struct weft_type *type,
                 const struct image_options *options, uint8_t **bytes, struct weft_error *error);
bool is_image(const char *path); /* by its ending */

/* What the first bytes of a picture say. */
enum image_kind {
    IMAGE_UNKNOWN,
    IMAGE_PNG,
    IMAGE_JPEG,
    IMAGE_BMP
};
enum image_kind image_kind(const uint8_t *file, size_t length);

/* The format of a picture that is known but not read, as "a GIF picture"; NULL: none of these. */
const char *image_foreign(const uint8_t *file, size_t length);

/* Can a whole picture have pixels that are not opaque? */
bool image_may_have_holes(const uint8_t *file, size_t length);

/* Checks what the decoder cannot bear; before any other use of it. Error: WEFT_IMAGE. */
bool image_is_bearable(const uint8_t *file, size_t length, struct weft_error *error);

/* Checks what the decoder does not: checksums, and that the file holds all of the picture, of which
 * the decoder has read the size. Errors: WEFT_IMAGE; WEFT_LIMIT for a JPEG of more scans than a
 * sensible one of its size has. */
bool image_is_whole(const uint8_t *file, size_t length, int64_t width, int64_t height,
                    struct weft_error *error);

#endif
