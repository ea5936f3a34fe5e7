/* What a run took, as a table and as JSON. */
#ifndef WEFT_CLI_STATISTICS_H
#define WEFT_CLI_STATISTICS_H

#include <jansson.h>

#include "base/file.h"
#include "driver/weft.h"

/* What a layer took of a run. */
struct layer_statistics {
    const struct weft_layer_info *info;
    const char *unit;        /* that does its arithmetic: "matrix", "vector", or "-" */
    uint64_t cycles;         /* by which it moved the end of the program; layers overlap */
    double utilisation;      /* macs / (B * B * cycles) */
    uint64_t external_bytes; /* that its instructions move, without their fetch */
};

/* Fills one entry for each layer of segment `index`; `finishes` has the cycles in which the last
 * instruction of each finished. */
void layer_statistics(const struct weft_module *module, uint32_t index, const uint64_t *finishes,
                      struct layer_statistics *layers);

/* Share of a whole, 0 to 1; 0 of nothing. */
double share(int64_t part, int64_t other);

/* Cycles that the programs of the last run take at most: the sum of their bounds. */
uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module);

/* Appends what the host does and its share of the whole inference. A lack of memory is noted in
 * `text`. */
void add_host_work(const struct weft_module *module, struct weft_text *text);

/* Appends a line for each layer and host operator, in the order in which they are carried out. A
 * lack of memory is noted in `text`. */
void layer_table(const struct weft_session *session, const struct weft_module *module,
                 struct weft_text *text);

/* What jansson has no memory for, it leaves out, and goes on: json_begin() before a document is
 * made, when `memory` bytes of the module's limit (without a module: of the default) are in use,
 * and json_complete() when it is made: false where it is NULL or something was left out. Errors:
 * WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
void json_begin(const struct weft_module *module, uint64_t memory);
bool json_complete(const void *made, struct weft_error *error);

/* A string for JSON, which is UTF-8: bytes of a name that is not become '?'. The caller owns it. */
json_t *text_json(const char *text);

/* [{op, operator, tensor, shape, macs, elements, before, reason}] of what the host carries out;
 * `before`: how many layers of the machine come before it. The caller owns it. */
json_t *host_operators(const struct weft_module *module);

/* {operators, macs, macs_share, elements, elements_share} of the host; the caller owns it. */
json_t *host_work(const struct weft_module *module);

/* Writes and releases `root`, made since json_begin(), alone or as one more file of a batch.
 * Errors: those of weft_file_write(). */
bool write_json_file(const char *path, json_t *root, struct weft_error *error);
bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error);

/* The statistics of the last run; the caller owns it. */
json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const char *target, double wall_seconds);

#endif
