/* What is behind the opaque structures of api/weft.h. */
#ifndef WEFT_API_OBJECTS_H
#define WEFT_API_OBJECTS_H

#include <stdatomic.h>

#include "api/weft.h"
#include "compiler/module.h"
#include "compiler/quantize/quantize.h"
#include "driver/divergence.h"
#include "driver/session.h"

struct weft_machine {
    struct weft_config config;
};

struct weft_tensor {
    const struct weft_type *type;
    const char *name;
};

/* Inputs or outputs. */
struct tensors {
    size_t count;
    struct weft_tensor *list; /* owned */
};

/* What a module refers to and does not own. */
struct backing {
    void *object;
    void (*release)(void *object);
};

struct weft_network {
    atomic_uint users; /* the caller, and runners */
    struct backing backing;
    struct weft_module *module;
    struct weft_machine machine;
    struct tensors inputs, outputs;
};

struct weft_runner {
    struct weft_network *network;
    const char *target;                                             /* one of weft_target_names */
    struct weft_session_options run;                                /* its texts are the options' */
    double seconds;                                                 /* of the last run */
    bool has_run;                                                   /* and it succeeded */
    void (*progress)(void *context, uint64_t cycle, uint64_t last); /* NULL: none */
    void *progress_context;
    struct weft_options *options;         /* whose texts the session has; NULL: none */
    struct weft_lockstep_report compared; /* target lockstep: what the session reports */
    struct weft_session *session;
};

/* Hands an error over; `failure` may be NULL. Returns false. */
bool failed(struct weft_failure *failure, const struct weft_error *error);

/* Fills the lists of a network that has its module. Error: WEFT_OUT_OF_MEMORY. */
bool tensors_make(size_t count, struct weft_value *const *values, const char *const *names,
                  struct tensors *tensors, struct weft_error *error);
const struct weft_tensor *tensors_at(const struct tensors *tensors, size_t index);

/* The configuration that a machine has, or the one of models that come without. */
bool machine_config(const struct weft_machine *machine, struct weft_config *config,
                    struct weft_error *error);

/* A network of a module, which it owns from then on, as it does the backing; on failure both stay
 * the caller's. */
bool network_of(struct weft_module *module, const struct backing *backing,
                struct weft_network **network, struct weft_error *error);
void network_hold(struct weft_network *network);

/* The file's name without folder and ending. */
void stem_of(const char *path, char *stem, size_t size);

/* The folder of a file, "." where the path has none. False: it does not fit. */
bool folder_of(const char *path, char *folder, size_t size);

/* A copy of a model's bytes as files are held: aligned, with a NUL behind them. NULL: WEFT_LIMIT,
 * WEFT_OUT_OF_MEMORY. */
uint8_t *copy_model(const void *bytes, size_t length, struct weft_error *error);

#endif
