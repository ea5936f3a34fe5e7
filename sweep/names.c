#include "sweep/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    MOST_SHORTENED = 1024, /* models: each path is compared with all others */
    FINGERPRINT_DIGITS = 8 /* that are shown */
};

/* Does a path end with the name, from a slash on or as a whole? */
static bool ends_with(const char *path, const char *name) {
    size_t length = strlen(path);
    size_t end = strlen(name);
    return length >= end && strcmp(path + length - end, name) == 0 &&
           (length == end || path[length - end - 1] == '/');
}

/* Does the path of another model end so? */
static bool is_anothers(const struct sweep_row *const *first, size_t count,
                        const struct sweep_row *row, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(first[i]->model, row->model) != 0 &&
            strcmp(first[i]->model_fingerprint, row->model_fingerprint) != 0 &&
            ends_with(first[i]->model, name)) {
            return true;
        }
    }
    return false;
}

/* The end of the path of a row. */
static const char *shorten(const struct sweep_row *const *first, size_t count,
                           const struct sweep_row *row) {
    const char *path = row->model;
    const char *name = path + strlen(path);
    if (count > MOST_SHORTENED) {
        return path;
    }
    do {
        while (name > path && name[-1] == '/') {
            name--;
        }
        while (name > path && name[-1] != '/') {
            name--;
        }
    } while (name > path && is_anothers(first, count, row, name));
    return name;
}

/* `first`: a row of each, by model and then by version. */
static const char *name_of(struct weft_arena *arena, const struct sweep_row *const *first,
                           size_t count, size_t index) {
    const struct sweep_row *row = first[index];
    size_t begin = index; /* of this model's versions */
    size_t end = index + 1;
    bool is_path_shared = false;
    while (begin > 0 && strcmp(first[begin - 1]->model_fingerprint, row->model_fingerprint) == 0) {
        begin--;
    }
    while (end < count && strcmp(first[end]->model_fingerprint, row->model_fingerprint) == 0) {
        end++;
    }
    const char *path = first[begin]->model;
    for (size_t i = 0; i < count && !is_path_shared; i++) {
        is_path_shared = (i < begin || i >= end) && strcmp(first[i]->model, path) == 0;
    }
    bool has_versions = end - begin > 1;
    return weft_arena_print(arena, "%s%s%.*s%s%s%s", shorten(first, count, first[begin]),
                            is_path_shared ? " " : "", is_path_shared ? FINGERPRINT_DIGITS : 0,
                            row->model_fingerprint, has_versions ? " (" : "",
                            has_versions ? row->version : "", has_versions ? ")" : "");
}

static int order_by_kin(const void *a, const void *b) {
    const struct sweep_row *const *x = a;
    const struct sweep_row *const *y = b;
    int order = sweep_compare_kin(*x, *y);
    return order != 0 ? order : (*x > *y) - (*x < *y);
}

struct named {
    struct sweep_names *names;
    const struct sweep_row *rows;
    size_t count;
    const struct sweep_row **sorted; /* becomes the first row of each model */
};

static bool fill(struct weft_arena *arena, void *context, struct weft_error *error) {
    struct named *named = context;
    struct sweep_names *names = named->names;
    (void)error;
    names->of_row = WEFT_NEW_ARRAY(arena, named->count, size_t);
    for (size_t i = 0; i < named->count; i++) {
        const struct sweep_row *row = named->sorted[i];
        bool is_new =
            names->count == 0 || sweep_compare_kin(named->sorted[names->count - 1], row) != 0;
        if (is_new) {
            named->sorted[names->count++] = row;
        }
        names->of_row[row - named->rows] = names->count - 1;
    }
    names->list = WEFT_NEW_ARRAY(arena, names->count, const char *);
    for (size_t i = 0; i < names->count; i++) {
        names->list[i] = name_of(arena, named->sorted, names->count, i);
    }
    return true;
}

bool sweep_names_find(struct sweep_names *names, const struct sweep_row *rows, size_t count,
                      struct weft_error *error) {
    struct named named = {names, rows, count,
                          weft_allocate(count, sizeof(struct sweep_row *), "rows", error)};
    if (named.sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        named.sorted[i] = &rows[i];
    }
    qsort(named.sorted, count, sizeof *named.sorted, order_by_kin);
    bool good = weft_arena_do(&names->arena, fill, &named, error);
    free(named.sorted);
    return good;
}

void sweep_names_free(struct sweep_names *names) {
    weft_arena_free(&names->arena);
}
