/* The file of a sweep: rows in SQLite, each written as it comes, so that a process that is killed
 * in any moment loses what it was at alone. Several processes may write to one file. */
#ifndef WEFT_SWEEP_STORE_H
#define WEFT_SWEEP_STORE_H

#include "sweep/row.h"

struct sweep_store;

/* Opens a file; where there is none, it is made if `make`. Errors: WEFT_IO, WEFT_SWEEP (it is no
 * sweep, or one of another version of Weft), WEFT_OUT_OF_MEMORY; WEFT_TARGET: this Weft is built
 * without SQLite. */
bool sweep_store_open(const char *path, bool make, struct sweep_store **store,
                      struct weft_error *error);
void sweep_store_close(struct sweep_store *store);

/* Is there a row of this key? It then fills the row. Errors: WEFT_IO, WEFT_SWEEP. */
bool sweep_store_find(struct sweep_store *store, struct sweep_row *row, bool *found,
                      struct weft_error *error);

/* Writes a row, instead of one of the same key. Error: WEFT_IO. */
bool sweep_store_put(struct sweep_store *store, const struct sweep_row *row,
                     struct weft_error *error);

/* All rows, in the order of sweep_row_order(); *rows is freed by the caller. Errors: WEFT_IO,
 * WEFT_SWEEP, WEFT_LIMIT (more than SWEEP_MOST_ROWS), WEFT_OUT_OF_MEMORY. */
enum {
    SWEEP_MOST_ROWS = 200000
};
bool sweep_store_rows(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                      struct weft_error *error);

/* One row of each kind of energy and area that there is. Else as sweep_store_rows(), in no order.
 */
bool sweep_store_kinds(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                       struct weft_error *error);

/* Adds the rows of another file that this one does not have. Errors: those of both; WEFT_SWEEP:
 * their energies or areas are not of one kind, and nothing is added. */
bool sweep_store_merge(struct sweep_store *store, const char *path, struct weft_error *error);

/* A text that is kept under a name; "" where there is none. Error: WEFT_IO. */
bool sweep_store_get(struct sweep_store *store, const char *name, char *text, size_t size,
                     struct weft_error *error);
bool sweep_store_set(struct sweep_store *store, const char *name, const char *text,
                     struct weft_error *error);

#endif
