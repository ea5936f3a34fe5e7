/* What a build without SQLite says. */
#include "sweep/store.h"

static bool none(struct weft_error *error) {
    return weft_fail(error, WEFT_TARGET, 0,
                     "this weft is built without SQLite, which holds sweeps; scripts/setup "
                     "installs libsqlite3-dev");
}

bool sweep_store_open(const char *path, bool make, struct sweep_store **store,
                      struct weft_error *error) {
    (void)path, (void)make, (void)store;
    return none(error);
}

void sweep_store_close(struct sweep_store *store) {
    (void)store;
}

bool sweep_store_find(struct sweep_store *store, struct sweep_row *row, bool *found,
                      struct weft_error *error) {
    (void)store, (void)row, (void)found;
    return none(error);
}

bool sweep_store_put(struct sweep_store *store, const struct sweep_row *row,
                     struct weft_error *error) {
    (void)store, (void)row;
    return none(error);
}

bool sweep_store_rows(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                      struct weft_error *error) {
    (void)store, (void)rows, (void)count;
    return none(error);
}

bool sweep_store_kinds(struct sweep_store *store, struct sweep_row **rows, size_t *count,
                       struct weft_error *error) {
    (void)store, (void)rows, (void)count;
    return none(error);
}

bool sweep_store_merge(struct sweep_store *store, const char *path, struct weft_error *error) {
    (void)store, (void)path;
    return none(error);
}

bool sweep_store_get(struct sweep_store *store, const char *name, char *text, size_t size,
                     struct weft_error *error) {
    (void)store, (void)name, (void)text, (void)size;
    return none(error);
}

bool sweep_store_set(struct sweep_store *store, const char *name, const char *text,
                     struct weft_error *error) {
    (void)store, (void)name, (void)text;
    return none(error);
}
