/* Options as they are kept, and as what is behind this library takes them. */
#ifndef WEFT_API_OPTIONS_H
#define WEFT_API_OPTIONS_H

#include "api/weft.h"
#include "compiler/module.h"
#include "compiler/quantize/quantize.h"
#include "driver/session.h"

enum {
    COMPILE = 1,
    READ = 2,
    RUN = 4,
    QUANTIZE = 8,
};

enum option {
#define WEFT_API_OPTION(name, kind, uses, low, high, help) OPTION_##name,
#include "api/options.def"
#undef WEFT_API_OPTION
    OPTIONS
};

/* What an option was set to. */
struct value {
    bool is_set;
    uint64_t number; /* NUMBER, SWITCH */
    double real;     /* REAL */
    char **texts;    /* TEXT: one; LIST */
    size_t count;
    size_t capacity;
};

/* The options a call takes: those of `options`, which may be NULL, that are for any of `uses`.
 * Error: WEFT_ARGUMENT when there are others. */
bool options_check(const struct weft_options *options, unsigned uses, struct weft_error *error);

/* A copy, or NULL of NULL. */
bool options_copy(const struct weft_options *options, struct weft_options **copy,
                  struct weft_error *error);

/* Put those that are set into structures with defaults; texts stay the options'. `dims` has room
 * for WEFT_MOST_DIMS. Errors: WEFT_ARGUMENT. */
bool options_to_compile(const struct weft_options *options, struct weft_compile_options *compile,
                        struct weft_error *error);
bool options_to_import(const struct weft_options *options, struct weft_dim *dims,
                       struct weft_import_options *import, struct weft_error *error);
/* Is one set? */
bool options_have(const struct weft_options *options, enum option id);

void options_to_read(const struct weft_options *options, struct weft_read_options *read);
bool options_to_run(const struct weft_options *options, struct weft_session_options *run,
                    struct weft_error *error);
bool options_to_quantize(const struct weft_options *options, struct weft_quantize_options *quantize,
                         struct weft_error *error);

#endif
