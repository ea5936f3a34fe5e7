/* What a point comes to: a compilation, and a run of its programs on the cycle model. */
#ifndef WEFT_SWEEP_MEASURE_H
#define WEFT_SWEEP_MEASURE_H

#include "compiler/module.h"
#include "driver/energy.h"
#include "sim/timing/timing.h"
#include "sweep/definition.h"

/* The first option of a point that has a value with which nothing can run; SWEEP_AXES: none has.
 * Error: WEFT_ARGUMENT. */
unsigned sweep_wrong_option(const uint32_t values[SWEEP_AXES], struct weft_error *error);

/* Model files, read once. */
struct sweep_model {
    const char *path;
    uint8_t *bytes; /* owned; NULL: it could not be read, or is no model */
    size_t length;
    uint64_t fingerprint; /* weft_model_fingerprint(); of a file that could not be read: of
                             its path */
    struct weft_constant_reader constants; /* of a graph in text form, in files */
    struct weft_error error;
};

struct sweep_models {
    const struct sweep_definition *definition;
    uint64_t limit; /* bytes that a compilation may take; 0: the default */
    size_t count;
    struct sweep_model *list;
};

/* Reads the models of a definition, which must outlive them. A file that cannot be read is an error
 * of its points. Constants that a graph in text form has in files are read by `read`, whose context
 * is the path of the text. Error: WEFT_OUT_OF_MEMORY. */
bool sweep_models_read(const struct sweep_definition *definition, uint64_t limit,
                       weft_constant_read *read, struct sweep_models *models,
                       struct weft_error *error);
void sweep_models_free(struct sweep_models *models);

/* What was measured; plain bytes, which go from process to process. */
struct sweep_result {
    enum weft_error_code code; /* WEFT_OK, or why there are no figures */
    char message[512];
    uint64_t cycles;
    uint64_t segments;
    uint64_t macs; /* that the machine carries out */
    uint64_t host_macs;
    uint64_t elements; /* of the machine's results */
    uint64_t host_elements;
    uint64_t host_operators;
    uint64_t read_bytes; /* of external memory, with instructions */
    uint64_t written_bytes;
    struct weft_matrix_traffic matrix; /* on the chip */
    uint64_t counters[WEFT_COUNTERS];  /* of all segments */
    double seconds;                    /* that it took to find out */
};

/* The last module, for points that differ in how it runs alone. Starts as zeros. */
struct sweep_cache {
    bool is_there;
    struct sweep_point point;
    struct weft_module *module;
};

void sweep_measure(const struct sweep_models *models, const struct sweep_point *point,
                   struct sweep_cache *cache, struct sweep_result *result);
void sweep_cache_free(struct sweep_cache *cache);

/* Compiles the model of a point: for its report, too. Errors: those of weft_compile();
 * WEFT_ARGUMENT; WEFT_CONFIG; WEFT_IO, files beside the model changed since it was read. */
bool sweep_compile(const struct sweep_models *models, const struct sweep_point *point,
                   struct weft_module **module, struct weft_error *error);

#endif
