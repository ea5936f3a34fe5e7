/* Modules for tests: the digits network, and graphs without a model file. */
#ifndef WEFT_TESTS_UNIT_MODULES_H
#define WEFT_TESTS_UNIT_MODULES_H

#include "tests/unit/graphs.h"

#include "driver/session.h"

/* The configurations that every such test runs on, ended by NULL. */
extern const char *const test_configs[];

struct weft_config config_named(const char *name);

/* ---- the digits network ---- */

#define DIGITS_FOLDER WEFT_SOURCE_DIR "/models/digits"

struct digits {
    uint8_t *model; /* the .tflite file, in which the module's constants lie */
    size_t model_length;
    struct weft_module *module;
};

/* Compiles it; fails the test when that fails. */
struct digits digits_open(const char *config);
void digits_close(struct digits *digits);

/* The picture of a digit as the network's input, and the answer of LiteRT; freed by the caller. */
uint8_t *digits_picture(const struct digits *digits, int digit);
uint8_t *digits_golden(const struct digits *digits, int digit);

/* ---- graphs ---- */

/* What weft_compile() does after its import: partitions and schedules the graph for a
 * configuration. The module is in the graph's arena; it must not be freed. Errors: those of
 * weft_schedule_region(). */
bool module_of(const struct weft_graph *graph, const char *config, struct weft_module **module,
               struct weft_error *error);

/* weft_compile_graph() for a configuration, with decisions or, if they are NULL, without. Errors:
 * its own. */
bool compile_with_decisions(const struct weft_graph *graph, const char *config,
                            const struct weft_text *decisions, struct weft_module **module,
                            struct weft_error *error);

/* The body of a module's first region; fails the test where there is none. */
const struct weft_graph *body_of(const struct weft_module *module);

/* The decisions of a module; the caller frees them. */
struct weft_text decisions_of(const struct weft_module *module);

/* Runs a module on a target; `outputs` has room for its outputs. On the cycle simulator,
 * WEFT_INTERNAL when it takes other cycles than the compiler predicted. */
bool module_run(const struct weft_module *module, const char *target, const void *const *inputs,
                void *const *outputs, struct weft_error *error);

#endif
