#include "compiler/externals.h"

#include <string.h>

/* The error of a target, with its name before it. */
static bool failed(const struct weft_external_target *target, const struct weft_error *said,
                   struct weft_error *error) {
    weft_error_settle(error, said, WEFT_TARGET);
    return weft_fail_context(error, "target %s", target->patterns->name);
}

bool externals_check(size_t count, const struct weft_external_target *targets,
                     struct weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        const struct weft_external_target *target = &targets[i];
        if (target->patterns == NULL || target->patterns->name == NULL ||
            target->patterns->name[0] == '\0' || target->compile == NULL || target->run == NULL ||
            (target->write == NULL) != (target->read == NULL)) {
            return weft_fail(error, WEFT_ARGUMENT, i,
                             "target %zu: expected a pattern table with a name, compile and run, "
                             "and write and read or neither",
                             i);
        }
        const char *name = target->patterns->name;
        bool taken = strcmp(name, "weft") == 0;
        for (size_t k = 0; k < i; k++) {
            taken = taken || strcmp(name, targets[k].patterns->name) == 0;
        }
        if (taken) {
            return weft_fail(error, WEFT_ARGUMENT, i, "target %zu: the name %.100s is taken", i,
                             name);
        }
    }
    return true;
}

static const struct weft_external_target *
find(size_t count, const struct weft_external_target *targets, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(targets[i].patterns->name, name) == 0) {
            return &targets[i];
        }
    }
    return NULL;
}

bool externals_compile(struct weft_arena *arena, size_t count,
                       const struct weft_external_target *targets, const struct weft_node *region,
                       struct weft_external *external, struct weft_error *error) {
    const char *name = weft_node_text(region, WEFT_ATTR_target);
    const struct weft_external_target *target = find(count, targets, name);
    struct weft_error said = {0};
    if (target == NULL) {
        return weft_fail(error, WEFT_TARGET, 0, "there is no target %.100s", name);
    }
    *external = (struct weft_external){.target = target};
    return target->compile(target->context, arena, region->body, &external->program, &said) ||
           failed(target, &said, error);
}

bool externals_write(const struct weft_external *external, struct weft_text *bytes,
                     struct weft_error *error) {
    const struct weft_external_target *target = external->target;
    struct weft_error said = {0};
    if (target->write == NULL) {
        return weft_fail(error, WEFT_TARGET, 0, "programs of target %.100s have no written form",
                         target->patterns->name);
    }
    return target->write(target->context, external->program, bytes, &said) ||
           failed(target, &said, error);
}

bool externals_read(struct weft_arena *arena, size_t count,
                    const struct weft_external_target *targets, const char *name,
                    const char *plugin, const struct weft_graph *body, const uint8_t *bytes,
                    size_t length, struct weft_external *external, struct weft_error *error) {
    const struct weft_external_target *target = find(count, targets, name);
    struct weft_error said = {0};
    if (target == NULL || target->read == NULL) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "a region is for target %.64s of plugin %.64s, which --plugin must name",
                         name, plugin[0] == '\0' ? "(none)" : plugin);
    }
    *external = (struct weft_external){.target = target};
    return target->read(target->context, arena, body, bytes, length, &external->program, &said) ||
           failed(target, &said, error);
}

bool weft_external_run(const struct weft_external *external, const void *const *inputs,
                       void *const *results, struct weft_error *error) {
    const struct weft_external_target *target = external->target;
    struct weft_error said = {0};
    return target->run(target->context, external->program, inputs, results, &said) ||
           failed(target, &said, error);
}
