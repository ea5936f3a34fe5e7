/* Figures that weft run --json wrote: what is needed of them is read, all else is gone over. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/printable.h"
#include "cli/compare/compare.h"

enum {
    MOST_DEPTH = 32,
    MOST_LAYERS = 20000,
    MOST_KEY = 64
};

struct reading {
    struct weft_arena *arena;
    struct weft_json in;
    struct compared_side *side;
    size_t capacity;
    uint64_t sum;     /* of the cycles of all layers */
    uint64_t latency; /* of the configuration; 0: it is not said */
    bool has_layers;
    int depth;
};

/* ---- values of any kind ---- */

static bool skip(struct reading *r);

/* A number, true, false or null. */
static bool skip_word(struct reading *r) {
    const char *begin = r->in.at;
    while (r->in.at < r->in.end && *r->in.at != '\0' &&
           strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *r->in.at) != NULL) {
        r->in.at++;
    }
    return r->in.at > begin || weft_json_malformed(&r->in, "a value");
}

/* Calls `member` for each member of an object, whose value is next then. */
static bool for_members(struct reading *r, void *context,
                        bool (*member)(struct reading *r, void *context, const char *key)) {
    char key[MOST_KEY];
    if (!weft_json_take(&r->in, '{') || ++r->depth > MOST_DEPTH) {
        return weft_json_malformed(&r->in, "an object, not too deep in others");
    }
    bool first = true;
    while (!weft_json_take(&r->in, '}')) {
        if ((!first && !weft_json_take(&r->in, ',')) ||
            !weft_json_take_string(&r->in, key, sizeof key) || !weft_json_take(&r->in, ':')) {
            return weft_json_malformed(&r->in, "a member of an object");
        }
        if (!member(r, context, key)) {
            return false;
        }
        first = false;
    }
    r->depth--;
    return true;
}

static bool for_elements(struct reading *r, void *context,
                         bool (*element)(struct reading *r, void *context)) {
    if (!weft_json_take(&r->in, '[') || ++r->depth > MOST_DEPTH) {
        return weft_json_malformed(&r->in, "a list, not too deep in others");
    }
    bool first = true;
    while (!weft_json_take(&r->in, ']')) {
        if (!first && !weft_json_take(&r->in, ',')) {
            return weft_json_malformed(&r->in, "an element of a list");
        }
        if (!element(r, context)) {
            return false;
        }
        first = false;
    }
    r->depth--;
    return true;
}

static bool skip_member(struct reading *r, void *context, const char *key) {
    (void)context;
    (void)key;
    return skip(r);
}

static bool skip_element(struct reading *r, void *context) {
    (void)context;
    return skip(r);
}

static bool skip(struct reading *r) {
    char text[1];
    switch (weft_json_peek(&r->in)) {
    case '{':
        return for_members(r, NULL, skip_member);
    case '[':
        return for_elements(r, NULL, skip_element);
    case '"':
        return weft_json_take_string(&r->in, text, sizeof text) ||
               weft_json_malformed(&r->in, "a string");
    default:
        return skip_word(r);
    }
}

/* ---- values that are needed ---- */

static bool read_bytes(struct reading *r, char **text) {
    if (weft_json_peek(&r->in) != '"') {
        return weft_json_malformed(&r->in, "a string");
    }
    size_t room = weft_json_string_room(&r->in) + 1;
    *text = WEFT_NEW_ARRAY(r->arena, room, char);
    return weft_json_take_string(&r->in, *text, room);
}

static bool read_string(struct reading *r, const char **text) {
    char *bytes = NULL;
    bool good = read_bytes(r, &bytes);
    *text = good ? bytes : *text;
    return good;
}

/* One that is printed as it is. */
static bool read_printed(struct reading *r, const char **text) {
    char *bytes = NULL;
    if (!read_bytes(r, &bytes)) {
        return false;
    }
    weft_make_printable(bytes);
    *text = bytes;
    return true;
}

/* Cycles or bytes: sums of as many layers as there can be do not overflow. */
static bool read_count(struct reading *r, uint64_t *value) {
    int64_t number = 0;
    bool good = weft_json_take_integer(&r->in, &number) && number >= 0 && number < INT64_C(1) << 46;
    *value = (uint64_t)number;
    return good || weft_json_malformed(&r->in, "a count");
}

static bool read_dim(struct reading *r, void *context) {
    const char **shape = context;
    int64_t dim = 0;
    if (!weft_json_take_integer(&r->in, &dim) || strlen(*shape) > 100) {
        return weft_json_malformed(&r->in, "a shape");
    }
    *shape = weft_arena_print(r->arena, "%s%s%" PRId64, *shape, **shape == '\0' ? "" : "x", dim);
    return true;
}

/* A layer, and what it says about itself. */
struct read_layer {
    struct compared_layer layer;
    bool has_uses;
    uint64_t used; /* of all uses, those of another version among them */
};

static bool read_use(struct reading *r, void *context, const char *key) {
    struct read_layer *read = context;
    uint64_t cycles = 0;
    if (!read_count(r, &cycles)) {
        return false;
    }
    read->used += cycles;
    for (unsigned use = 0; use < WEFT_USES; use++) {
        if (strcmp(weft_use_names[use], key) == 0) {
            read->layer.used[use] += cycles;
        }
    }
    return true;
}

static bool read_layer_member(struct reading *r, void *context, const char *key) {
    struct read_layer *read = context;
    struct compared_layer *layer = &read->layer;
    const char *unit = "";
    if (strcmp(key, "op") == 0) {
        return read_string(r, &layer->op);
    }
    if (strcmp(key, "tensor") == 0) {
        return read_string(r, &layer->tensor);
    }
    if (strcmp(key, "shape") == 0) {
        return for_elements(r, &layer->shape, read_dim);
    }
    if (strcmp(key, "cycles") == 0) {
        return read_count(r, &layer->cycles);
    }
    if (strcmp(key, "external_bytes") == 0) {
        return read_count(r, &layer->bytes);
    }
    if (strcmp(key, "uses") == 0) {
        read->has_uses = true;
        return for_members(r, read, read_use);
    }
    if (strcmp(key, "unit") == 0) {
        bool good = read_string(r, &unit);
        layer->on_host = good && strcmp(unit, "host") == 0;
        return good;
    }
    return skip(r);
}

static bool read_layer(struct reading *r, void *context) {
    (void)context;
    struct compared_side *side = r->side;
    struct read_layer read = {.layer = {.op = "", .tensor = "", .shape = ""}};
    const struct compared_layer *layer = &read.layer;
    if (side->count == MOST_LAYERS) {
        return weft_fail(r->in.error, WEFT_LIMIT, MOST_LAYERS, "more than %d layers", MOST_LAYERS);
    }
    if (!for_members(r, &read, read_layer_member)) {
        return false;
    }
    if (read.has_uses && read.used != layer->cycles) {
        return weft_fail(r->in.error, WEFT_ARGUMENT, r->in.line,
                         "line %" PRIu64 ": the uses of layer %zu come to %" PRIu64
                         " cycles, expected its %" PRIu64,
                         r->in.line, side->count, read.used, layer->cycles);
    }
    r->sum += layer->cycles;
    side->layers =
        weft_arena_grow(r->arena, side->layers, side->count, &r->capacity, sizeof *layer);
    side->layers[side->count++] = *layer;
    return true;
}

static bool read_override(struct reading *r, void *context, const char *key) {
    (void)context;
    struct compared_memory *memory = &r->side->memory;
    return strcmp(key, "memory_latency") == 0    ? read_count(r, &memory->latency)
           : strcmp(key, "memory_interval") == 0 ? read_count(r, &memory->interval)
           : strcmp(key, "dram") == 0            ? read_printed(r, &memory->dram)
                                                 : skip(r);
}

static bool read_parameter(struct reading *r, void *context, const char *key) {
    (void)context;
    return strcmp(key, "memory_latency") == 0 ? read_count(r, &r->latency) : skip(r);
}

static bool read_member(struct reading *r, void *context, const char *key) {
    (void)context;
    const struct {
        const char *key;
        const char **text;
    } texts[] = {
        {"model", &r->side->model}, {"config", &r->side->config}, {"version", &r->side->version}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(key, texts[i].key) == 0) {
            return read_printed(r, texts[i].text);
        }
    }
    if (strcmp(key, "cycles") == 0) {
        return read_count(r, &r->side->cycles);
    }
    if (strcmp(key, "inferences") == 0) {
        return read_count(r, &r->side->inferences) &&
               (r->side->inferences > 0 || weft_json_malformed(&r->in, "1 inference at least"));
    }
    if (strcmp(key, "overrides") == 0) {
        return for_members(r, NULL, read_override);
    }
    if (strcmp(key, "parameters") == 0) {
        return for_members(r, NULL, read_parameter);
    }
    if (strcmp(key, "layers") == 0 && !r->has_layers) {
        r->has_layers = true;
        return for_elements(r, NULL, read_layer);
    }
    return skip(r);
}

/* Layers one after the other: a file of figures does not say what happened when. */
static void own_in_order(struct weft_arena *arena, struct compared_side *side) {
    side->owned = WEFT_NEW_ARRAY(arena, side->count * WEFT_USES, struct compared_owned);
    for (size_t i = 0; i < side->count; i++) {
        for (unsigned use = 0; use < WEFT_USES; use++) {
            if (side->layers[i].used[use] > 0) {
                side->owned[side->owned_count++] = (struct compared_owned){
                    side->layers[i].used[use], (uint32_t)i, (enum weft_use)use};
            }
        }
    }
}

bool side_of_json(struct weft_arena *arena, const char *text, size_t length, const char *path,
                  struct compared_side *side, struct weft_error *error) {
    struct reading r = {
        .arena = arena, .in = {text, text + length, 1, WEFT_ARGUMENT, error}, .side = side};
    *side = (struct compared_side){.path = path,
                                   .model = "",
                                   .config = "",
                                   .version = "",
                                   .memory = {.dram = ""},
                                   .inferences = 1};
    if (!for_members(&r, NULL, read_member) || !weft_json_finish(&r.in)) {
        return false;
    }
    if (!r.has_layers) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "it has no layers: not what weft run --json writes");
    }
    if (r.sum != side->cycles) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "its layers come to %" PRIu64 " cycles, expected the %" PRIu64
                         " of \"cycles\"",
                         r.sum, side->cycles);
    }
    side->memory = compared_memory_of(side->memory, r.latency);
    own_in_order(arena, side);
    return true;
}
