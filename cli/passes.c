/* weft passes: the passes of the compiler in order, with those of plugins. */
#include <string.h>

#include "cli/cli.h"
#include "cli/plugins.h"

/* Those of one's own, as they come. */
struct printer {
    size_t next; /* of the list, not yet printed */
};

static void print_listed(struct printer *printer, const char *last) {
    for (; weft_pass_names[printer->next] != NULL; printer->next++) {
        puts(weft_pass_names[printer->next]);
        if (last != NULL && strcmp(weft_pass_names[printer->next], last) == 0) {
            printer->next++;
            return;
        }
    }
}

static bool is_printed(const struct printer *printer, const char *name) {
    for (size_t i = 0; i < printer->next; i++) {
        if (strcmp(weft_pass_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void print_own(void *context, const struct weft_user_pass *pass, const char *behind) {
    struct printer *printer = context;
    if (!is_printed(printer, behind)) {
        print_listed(printer, behind);
    }
    printf("%s (plugin %s)\n", pass->name, pass->plugin);
}

int command_passes(const struct given *given) {
    struct weft_error error;
    struct weft_compile_options options = {.keep_tensors = false};
    struct printer printer = {0};
    (void)given;
    plugins_use(&options);
    if (!weft_place_passes(&options, print_own, &printer, &error)) {
        return report(NULL, &error);
    }
    print_listed(&printer, NULL);
    return STATUS_GOOD;
}
