#include "driver/plugins.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "driver/shared_library.h"

enum {
    MOST_NAME = 64 /* characters */
};

struct loaded {
    struct loaded *before; /* that was registered before this one */
    struct weft_arena arena;
    struct weft_plugin plugin;
    void *handle; /* of dlopen; NULL: a function of this program */
};

struct weft_plugins {
    struct loaded *last;
    size_t pass_count, target_count;
    struct weft_user_pass *passes;
    struct weft_external_target *targets;
};

static void unload(struct loaded *loaded) {
    weft_arena_free(&loaded->arena);
    if (loaded->handle != NULL) {
        (void)dlclose(loaded->handle);
    }
    free(loaded);
}

void weft_plugins_free(struct weft_plugins *plugins) {
    while (plugins != NULL && plugins->last != NULL) {
        struct loaded *loaded = plugins->last;
        plugins->last = loaded->before;
        unload(loaded);
    }
    if (plugins != NULL) {
        free(plugins->passes);
        free(plugins->targets);
        free(plugins);
    }
}

/* ---- what it says of itself ---- */

static bool is_name(const char *name) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = name == NULL ? 0 : strlen(name);
    return length > 0 && length <= MOST_NAME && strspn(name, letters) == length;
}

static bool check_plugin(const struct weft_plugins *plugins, const struct weft_plugin *plugin,
                         struct weft_error *error) {
    if (!is_name(plugin->name)) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "it has no name of 1 to %d letters, digits, '.', '_' and '-'", MOST_NAME);
    }
    if ((plugin->pass_count > 0 && plugin->passes == NULL) ||
        (plugin->target_count > 0 && plugin->targets == NULL)) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "it says that it has passes or targets, and has "
                         "NULL for them");
    }
    for (const struct loaded *other = plugins->last; other != NULL; other = other->before) {
        if (strcmp(other->plugin.name, plugin->name) == 0) {
            return weft_fail(error, WEFT_PLUGIN, 0, "there is a plugin %s already", plugin->name);
        }
    }
    return true;
}

/* The entry begins with the same fields in every version, so they can be looked at. */
static bool check_entry(const char *path, const struct weft_plugin_entry *entry,
                        struct weft_error *error) {
    uint64_t fingerprint = weft_plugin_fingerprint();
    if (!weft_shared_library_check_version(path, entry->version, WEFT_PLUGIN_VERSION, error)) {
        error->code = WEFT_PLUGIN;
        return false;
    }
    if (entry->fingerprint != fingerprint) {
        return weft_fail(error, WEFT_PLUGIN, 0,
                         "%.200s was compiled with other headers of Weft (fingerprint %016" PRIx64
                         ", expected %016" PRIx64 "): build again",
                         path, entry->fingerprint, fingerprint);
    }
    return entry->open != NULL ||
           weft_fail(error, WEFT_PLUGIN, 0, "%.200s has no function to open it", path);
}

static bool open_plugin(struct loaded *loaded, const struct weft_plugin_entry *entry,
                        struct weft_error *error) {
    struct weft_error said = {0};
    if (setjmp(loaded->arena.on_failure) != 0) {
        return weft_arena_failed(&loaded->arena, error);
    }
    if (!entry->open(&loaded->arena, &loaded->plugin, &said)) {
        weft_error_settle(error, &said, WEFT_PLUGIN);
        return false;
    }
    return true;
}

/* ---- registering ---- */

/* An array with the elements of another one behind it; NULL: no memory. */
static void *join(const void *first, size_t first_count, const void *second, size_t second_count,
                  size_t size, struct weft_error *error) {
    uint8_t *joined = weft_allocate(first_count + second_count, size, "plugins", error);
    if (joined != NULL && first_count > 0) {
        memcpy(joined, first, first_count * size);
    }
    if (joined != NULL && second_count > 0) {
        memcpy(joined + first_count * size, second, second_count * size);
    }
    return joined;
}

static bool add_contents(struct weft_plugins *plugins, const struct weft_plugin *plugin,
                         struct weft_error *error) {
    struct weft_user_pass *passes = join(plugins->passes, plugins->pass_count, plugin->passes,
                                         plugin->pass_count, sizeof *passes, error);
    struct weft_external_target *targets =
        join(plugins->targets, plugins->target_count, plugin->targets, plugin->target_count,
             sizeof *targets, error);
    if (passes == NULL || targets == NULL) {
        free(passes);
        free(targets);
        return false;
    }
    for (size_t i = 0; i < plugin->pass_count; i++) {
        passes[plugins->pass_count + i].plugin = plugin->name;
    }
    for (size_t i = 0; i < plugin->target_count; i++) {
        targets[plugins->target_count + i].plugin = plugin->name;
    }
    free(plugins->passes);
    free(plugins->targets);
    plugins->passes = passes;
    plugins->targets = targets;
    plugins->pass_count += plugin->pass_count;
    plugins->target_count += plugin->target_count;
    return true;
}

/* Takes `handle` over when it succeeds. */
static bool add(struct weft_plugins *plugins, weft_plugin_function *function, const char *path,
                void *handle, struct weft_error *error) {
    struct weft_plugin_entry entry = function();
    if (!check_entry(path, &entry, error)) {
        return false;
    }
    struct loaded *loaded = weft_allocate(1, sizeof *loaded, "a plugin", error);
    if (loaded == NULL) {
        return false;
    }
    if (!open_plugin(loaded, &entry, error) || !check_plugin(plugins, &loaded->plugin, error) ||
        !add_contents(plugins, &loaded->plugin, error)) {
        unload(loaded);
        return weft_fail_context(error, "%.200s", path);
    }
    loaded->handle = handle;
    loaded->before = plugins->last;
    plugins->last = loaded;
    return true;
}

static bool begin(struct weft_plugins **plugins, struct weft_error *error) {
    if (*plugins == NULL) {
        *plugins = weft_allocate(1, sizeof **plugins, "plugins", error);
    }
    return *plugins != NULL;
}

bool weft_plugins_add(struct weft_plugins **plugins, weft_plugin_function *function,
                      struct weft_error *error) {
    return begin(plugins, error) &&
           add(*plugins, function, "a plugin of this program", NULL, error);
}

bool weft_plugins_load(struct weft_plugins **plugins, const char *path, struct weft_error *error) {
    char file[WEFT_SHARED_LIBRARY_PATH];
    weft_shared_library_function *function = NULL;
    void *handle = NULL;
    int length = snprintf(file, sizeof file, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (length >= (int)sizeof file) {
        return weft_fail(error, WEFT_PLUGIN, 0, "the path of %.100s is too long", path);
    }
    if (!begin(plugins, error)) {
        return false;
    }
    if (!weft_shared_library_open(file, "a plugin", WEFT_PLUGIN_SYMBOL, &handle, &function,
                                  error)) {
        error->code = error->code == WEFT_TARGET ? WEFT_PLUGIN : error->code;
        return false;
    }
    if (!add(*plugins, (weft_plugin_function *)function, file, handle, error)) {
        (void)dlclose(handle);
        return false;
    }
    return true;
}

/* ---- using them ---- */

void weft_plugins_use(const struct weft_plugins *plugins, struct weft_compile_options *options) {
    static const struct weft_plugins none = {0};
    const struct weft_plugins *used = plugins == NULL ? &none : plugins;
    options->pass_count = used->pass_count;
    options->passes = used->passes;
    options->target_count = used->target_count;
    options->targets = used->targets;
}

void weft_plugins_use_to_read(const struct weft_plugins *plugins,
                              struct weft_read_options *options) {
    options->target_count = plugins == NULL ? 0 : plugins->target_count;
    options->targets = plugins == NULL ? NULL : plugins->targets;
}
