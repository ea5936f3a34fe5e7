#include "cli/plugins.h"

#include "driver/plugins.h"

/* A command line has one set of them. */
static struct weft_plugins *plugins;

bool plugins_open(const struct given *given, struct weft_error *error) {
    for (size_t i = 0; i < given_count(given, OPTION_PLUGIN); i++) {
        if (!weft_plugins_load(&plugins, given_values(given, OPTION_PLUGIN)[i], error)) {
            return false;
        }
    }
    return true;
}

void plugins_close(void) {
    weft_plugins_free(plugins);
    plugins = NULL;
}

void plugins_use(struct weft_compile_options *options) {
    weft_plugins_use(plugins, options);
}

void plugins_use_to_read(struct weft_read_options *options) {
    weft_plugins_use_to_read(plugins, options);
}
