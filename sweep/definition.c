#include "sweep/definition.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

const char *const sweep_objective_names[] = {
#define OBJECTIVE(id, name) name,
    SWEEP_OBJECTIVES(OBJECTIVE)
#undef OBJECTIVE
        NULL};

static bool unknown_axis(const char *name, size_t length, struct weft_error *error) {
    return weft_fail(error, WEFT_SWEEP, 0,
                     "there is no '%.*s': expected model, config, a parameter of docs/isa.md, "
                     "latency, interval, dram, clock, effort, frames or batch",
                     (int)(length < 40 ? length : 40), name);
}

/* ---- adding ---- */

/* The index of a text in a list; `count`: it is not there. */
static size_t find_text(const char *const *list, size_t count, const char *text) {
    size_t i = 0;
    while (i < count && strcmp(list[i], text) != 0) {
        i++;
    }
    return i;
}

/* What allocates from the arena lands here when there is no memory. */
#define CATCH_ARENA(definition, error)                                                             \
    if (setjmp((definition)->arena.on_failure) != 0) {                                             \
        return weft_arena_failed(&(definition)->arena, error);                                     \
    }

static bool add_model(struct sweep_definition *definition, const char *path, size_t *index,
                      struct weft_error *error) {
    *index = find_text(definition->models, definition->model_count, path);
    if (*index < definition->model_count) {
        return true;
    }
    if (*index == SWEEP_MOST_MODELS) {
        return weft_fail(error, WEFT_LIMIT, 0, "more than %d models", SWEEP_MOST_MODELS);
    }
    definition->models[definition->model_count++] =
        weft_arena_string(&definition->arena, path, strlen(path));
    return true;
}

static bool add_config(struct sweep_definition *definition, const char *name, size_t *index,
                       struct weft_error *error) {
    *index = find_text(definition->config_names, definition->config_count, name);
    if (*index < definition->config_count) {
        return true;
    }
    if (*index == SWEEP_MOST_CONFIGS) {
        return weft_fail(error, WEFT_LIMIT, 0, "more than %d configurations", SWEEP_MOST_CONFIGS);
    }
    if (!weft_config_find(name, &definition->configs[*index], error)) {
        return false;
    }
    definition->config_names[definition->config_count++] =
        weft_arena_string(&definition->arena, name, strlen(name));
    return true;
}

/* Adds an index to a list that has room for all, once. */
static void add_common(uint32_t *list, size_t *count, size_t index) {
    for (size_t i = 0; i < *count; i++) {
        if (list[i] == index) {
            return;
        }
    }
    list[(*count)++] = (uint32_t)index;
}

/* A model of all machines, and a configuration that the grid begins with. */
static bool add_common_model(struct sweep_definition *definition, const char *path,
                             struct weft_error *error) {
    size_t index = 0;
    if (!add_model(definition, path, &index, error)) {
        return false;
    }
    add_common(definition->common_models, &definition->common_model_count, index);
    return true;
}

static bool add_common_config(struct sweep_definition *definition, const char *name,
                              struct weft_error *error) {
    size_t index = 0;
    if (!add_config(definition, name, &index, error)) {
        return false;
    }
    add_common(definition->common_configs, &definition->common_config_count, index);
    return true;
}

bool sweep_add_model(struct sweep_definition *definition, const char *path,
                     struct weft_error *error) {
    CATCH_ARENA(definition, error)
    return add_common_model(definition, path, error);
}

bool sweep_add_config(struct sweep_definition *definition, const char *name,
                      struct weft_error *error) {
    CATCH_ARENA(definition, error)
    return add_common_config(definition, name, error);
}

/* The part of a list that ends at a comma. */
static bool add_grid_part(struct sweep_definition *definition, const char *name, size_t length,
                          const char *start, const char *end, struct weft_error *error) {
    bool is_model = length == 5 && memcmp(name, "model", length) == 0;
    if (is_model || (length == 6 && memcmp(name, "config", length) == 0)) {
        const char *text = weft_arena_string(&definition->arena, start, (size_t)(end - start));
        return is_model ? add_common_model(definition, text, error)
                        : add_common_config(definition, text, error);
    }
    unsigned axis = sweep_axis_find(name, length);
    return axis == SWEEP_AXES ? unknown_axis(name, length, error)
                              : sweep_add_values(&definition->axes[axis], &definition->arena, axis,
                                                 start, end, error);
}

bool sweep_add_grid(struct sweep_definition *definition, const char *text,
                    struct weft_error *error) {
    const char *equals = strchr(text, '=');
    CATCH_ARENA(definition, error)
    if (equals == NULL) {
        return weft_fail(error, WEFT_SWEEP, 0, "'%.60s': expected NAME=VALUE,VALUE...", text);
    }
    definition->has_grid = true;
    for (const char *start = equals + 1;;) {
        size_t part = strcspn(start, ",");
        if (!add_grid_part(definition, text, (size_t)(equals - text), start, start + part, error)) {
            return false;
        }
        if (start[part] == '\0') {
            return true;
        }
        start += part + 1;
    }
}

/* ---- JSON ---- */

struct reader {
    struct sweep_definition *definition;
    struct weft_json in;
    const char *folder;
    struct weft_error *error;
};

/* Errors of a value: with its line. */
static bool at_line(const struct reader *r, bool good) {
    if (good) {
        return true;
    }
    r->error->position = r->in.line;
    return weft_fail_context(r->error, "line %" PRIu64, r->in.line);
}

static const char *take_string(struct reader *r) {
    size_t room = weft_json_string_room(&r->in) + 1;
    char *text = WEFT_NEW_ARRAY(&r->definition->arena, room, char);
    return weft_json_take_string(&r->in, text, room) ? text : NULL;
}

/* A string that names a file, from the folder of the definition on. */
static const char *take_path(struct reader *r) {
    const char *text = take_string(r);
    bool stays = text == NULL || text[0] == '/' || strcmp(r->folder, ".") == 0;
    return stays ? text : weft_arena_print(&r->definition->arena, "%s/%s", r->folder, text);
}

/* Built-in configurations have names, others are files. */
static const char *take_config(struct reader *r) {
    struct weft_json ahead = r->in;
    char name[64];
    if (weft_json_take_string(&ahead, name, sizeof name) && weft_config_builtin(name) != NULL) {
        return take_string(r);
    }
    return take_path(r);
}

/* Calls `take` for a value, or for each value of a list. */
static bool take_list(struct reader *r, bool (*take)(struct reader *r, void *context),
                      void *context) {
    if (!weft_json_take(&r->in, '[')) {
        return take(r, context);
    }
    do {
        if (!take(r, context)) {
            return false;
        }
    } while (weft_json_take(&r->in, ','));
    return weft_json_take(&r->in, ']') || weft_json_malformed(&r->in, "',' or ']'");
}

/* Calls `take` for each key of an object. */
static bool take_object(struct reader *r,
                        bool (*take)(struct reader *r, const char *key, void *context),
                        void *context) {
    if (!weft_json_take(&r->in, '{')) {
        return weft_json_malformed(&r->in, "'{'");
    }
    if (weft_json_take(&r->in, '}')) {
        return true;
    }
    do {
        char key[64];
        if (!weft_json_take_string(&r->in, key, sizeof key)) {
            return false;
        }
        if (!weft_json_take(&r->in, ':')) {
            return weft_json_malformed(&r->in, "':'");
        }
        if (!take(r, key, context)) {
            return false;
        }
    } while (weft_json_take(&r->in, ','));
    return weft_json_take(&r->in, '}') || weft_json_malformed(&r->in, "',' or '}'");
}

static bool take_common_model(struct reader *r, void *context) {
    (void)context;
    const char *path = take_path(r);
    return path != NULL && at_line(r, add_common_model(r->definition, path, r->error));
}

static bool take_common_config(struct reader *r, void *context) {
    (void)context;
    const char *name = take_config(r);
    return name != NULL && at_line(r, add_common_config(r->definition, name, r->error));
}

/* A number, or a string as on the command line. */
static bool take_values(struct reader *r, void *context) {
    const unsigned *axis = context;
    int64_t number = 0;
    if (weft_json_peek(&r->in) == '"') {
        const char *text = take_string(r);
        return text != NULL &&
               at_line(r, sweep_add_values(&r->definition->axes[*axis], &r->definition->arena,
                                           *axis, text, text + strlen(text), r->error));
    }
    if (!weft_json_take_integer(&r->in, &number) || number < 0 || number > UINT32_MAX) {
        return weft_json_malformed(&r->in, "a number from 0 to 4294967295, or a string as \"64K\"");
    }
    return at_line(r, sweep_add_value(&r->definition->axes[*axis], &r->definition->arena, *axis,
                                      (uint32_t)number, r->error));
}

static bool take_grid_key(struct reader *r, const char *key, void *context) {
    unsigned axis = sweep_axis_find(key, strlen(key));
    r->definition->has_grid = true;
    if (strcmp(key, "config") == 0) {
        return take_list(r, take_common_config, context);
    }
    return axis == SWEEP_AXES ? at_line(r, unknown_axis(key, strlen(key), r->error))
                              : take_list(r, take_values, &axis);
}

/* One value of a listed point. */
static bool take_value(struct reader *r, unsigned axis, uint32_t *value) {
    int64_t number = 0;
    if (weft_json_peek(&r->in) == '"') {
        char text[32];
        if (!weft_json_take_string(&r->in, text, sizeof text)) {
            return false;
        }
        const char *at = text;
        const char *end = text + strlen(text);
        return (sweep_take_value(axis, &at, end, value) && at == end) ||
               weft_json_malformed(&r->in, "one number, as 65536 or \"64K\"");
    }
    if (!weft_json_take_integer(&r->in, &number) || number < 0 || number > UINT32_MAX) {
        return weft_json_malformed(&r->in, "one number, as 65536 or \"64K\"");
    }
    *value = (uint32_t)number;
    return true;
}

static bool take_point_key(struct reader *r, const char *key, void *context) {
    struct sweep_listed *listed = context;
    size_t index = 0;
    unsigned axis = sweep_axis_find(key, strlen(key));
    if (strcmp(key, "model") == 0) {
        const char *path = take_path(r);
        bool good = path != NULL && at_line(r, add_model(r->definition, path, &index, r->error));
        listed->model = (int32_t)index;
        return good;
    }
    if (strcmp(key, "config") == 0) {
        const char *name = take_config(r);
        bool good = name != NULL && at_line(r, add_config(r->definition, name, &index, r->error));
        listed->config = (int32_t)index;
        return good;
    }
    if (axis == SWEEP_AXES) {
        return at_line(r, unknown_axis(key, strlen(key), r->error));
    }
    listed->given |= UINT64_C(1) << axis;
    return take_value(r, axis, &listed->values[axis]);
}

static bool take_point(struct reader *r, void *context) {
    (void)context;
    struct sweep_definition *d = r->definition;
    struct sweep_listed listed = {.model = -1, .config = -1};
    if (!take_object(r, take_point_key, &listed)) {
        return false;
    }
    if (d->listed_count == SWEEP_MOST_POINTS) {
        return weft_fail(r->error, WEFT_LIMIT, r->in.line, "more than %d points",
                         SWEEP_MOST_POINTS);
    }
    d->listed = weft_arena_grow(&d->arena, d->listed, d->listed_count, &d->listed_capacity,
                                sizeof *d->listed);
    d->listed[d->listed_count++] = listed;
    return true;
}

static bool take_count(struct reader *r, uint64_t *count) {
    int64_t number = 0;
    if (!weft_json_take_integer(&r->in, &number) || number < 0) {
        return weft_json_malformed(&r->in, "a number");
    }
    *count = (uint64_t)number;
    return true;
}

static bool take_objective(struct reader *r) {
    const char *name = take_string(r);
    for (int i = 0; name != NULL && i < SWEEP_OBJECTIVE_COUNT; i++) {
        if (strcmp(name, sweep_objective_names[i]) == 0) {
            r->definition->objective = (enum sweep_objective)i;
            r->definition->has_objective = true;
            return true;
        }
    }
    return name != NULL &&
           weft_json_malformed(&r->in, "cycles, energy, cycles-area or cycles-energy");
}

static bool take_key(struct reader *r, const char *key, void *context) {
    if (strcmp(key, "models") == 0) {
        return take_list(r, take_common_model, context);
    }
    if (strcmp(key, "config") == 0) {
        return take_list(r, take_common_config, context);
    }
    if (strcmp(key, "grid") == 0) {
        return take_object(r, take_grid_key, context);
    }
    if (strcmp(key, "points") == 0) {
        return take_list(r, take_point, context);
    }
    if (strcmp(key, "objective") == 0) {
        return take_objective(r);
    }
    r->definition->has_seed = r->definition->has_seed || strcmp(key, "seed") == 0;
    uint64_t *count = strcmp(key, "random") == 0   ? &r->definition->random
                      : strcmp(key, "guided") == 0 ? &r->definition->guided
                      : strcmp(key, "seed") == 0   ? &r->definition->seed
                                                   : NULL;
    return count == NULL ? weft_json_malformed(&r->in, "models, config, grid, points, random, "
                                                       "guided, seed or objective")
                         : take_count(r, count);
}

bool sweep_parse(struct sweep_definition *definition, const char *text, size_t length,
                 const char *folder, struct weft_error *error) {
    struct reader r = {.definition = definition,
                       .in = {text, text + length, 1, WEFT_SWEEP, error},
                       .folder = folder,
                       .error = error};
    CATCH_ARENA(definition, error)
    return take_object(&r, take_key, NULL) && weft_json_finish(&r.in);
}

/* A path, of a file that is not in `folder` but of this process's own. */
static void print_path(struct weft_text *text, const char *folder, const char *path) {
    bool stays = path[0] == '/' || weft_config_builtin(path) != NULL;
    struct weft_text whole = {0};
    weft_text_add(&whole, "%s%s%s", stays ? "" : folder, stays ? "" : "/", path);
    text->failed = text->failed || whole.failed;
    if (!whole.failed) {
        weft_json_add_string(text, whole.bytes);
    }
    weft_text_free(&whole);
}

bool sweep_print(const struct sweep_definition *definition, const struct sweep_point *points,
                 size_t count, const char *folder, struct weft_text *text,
                 struct weft_error *error) {
    weft_text_add(text, "{\"points\": [");
    for (size_t i = 0; i < count; i++) {
        const struct sweep_point *point = &points[i];
        weft_text_add(text, "%s\n{\"model\": ", i == 0 ? "" : ",");
        print_path(text, folder, definition->models[point->model]);
        weft_text_add(text, ", \"config\": ");
        print_path(text, folder, definition->config_names[point->config]);
        for (unsigned axis = 0; axis < SWEEP_AXES; axis++) {
            weft_text_add(text, ", \"%s\": %" PRIu32, sweep_axis_name(axis), point->values[axis]);
        }
        weft_text_add(text, "}");
    }
    weft_text_add(text, "\n]}\n");
    return weft_text_finish(text, error);
}

void sweep_definition_free(struct sweep_definition *definition) {
    weft_arena_free(&definition->arena);
}
