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

/* Multiplications of all segments. */
int64_t module_macs(const struct weft_module *module);

/* Cycles that the programs of the last run take at most: the sum of their bounds. */
uint64_t bound_cycles(const struct weft_session *session, const struct weft_module *module);

/* Prints a line for each layer, segment and host operator. */
void print_layer_table(const struct weft_session *session, const struct weft_module *module);

/* A string for JSON, which is UTF-8: bytes of a name that is not become '?'. The caller owns it. */
json_t *text_json(const char *text);

/* [{op, operator, reason}] of what the host carries out; the caller owns it. */
json_t *host_operators(const struct weft_module *module);

/* Writes and releases `root`, alone or as one more file of a batch. */
bool write_json_file(const char *path, json_t *root, struct weft_error *error);
bool stage_json_file(struct weft_file_batch *batch, const char *path, json_t *root,
                     struct weft_error *error);

/* The statistics of the last run; the caller owns it. */
json_t *statistics_json(const struct weft_session *session, const struct weft_module *module,
                        const char *target, double wall_seconds);

#endif
