/* weft compile */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

struct dump {
    const char *pass;
    bool seen;
};

static void print_pass(void *context, const char *pass, const char *text) {
    struct dump *dump = context;
    if (dump->pass != NULL && (strcmp(dump->pass, pass) == 0 || strcmp(dump->pass, "all") == 0)) {
        printf("// after %s\n%s", pass, text);
        dump->seen = true;
    }
}

static int unknown_pass(const char *pass) {
    char list[512] = "";
    for (size_t i = 0; weft_pass_names[i] != NULL; i++) {
        size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                       weft_pass_names[i]);
    }
    return usage_error("compile", "there is no pass '%s' here (passes: %s)", pass, list);
}

/* Compiles and writes; prints its own errors. */
static int compile(const char *path, const char *out, const char *config_name, struct dump *dump) {
    struct weft_error error;
    struct weft_config config;
    struct weft_module *module = NULL;
    uint8_t *bytes = NULL;
    uint8_t *packed = NULL;
    size_t length = 0;
    size_t packed_length = 0;
    struct weft_compile_options options = {.after_pass = print_pass, .context = dump};
    if (!weft_config_find(config_name, &config, &error)) {
        return report(config_name, &error);
    }
    if (!weft_file_read(path, &bytes, &length, &error)) {
        return report(path, &error);
    }
    char stem[128];
    file_stem(path, stem, sizeof stem);
    options.model_name = stem;
    int status = STATUS_GOOD;
    if (!weft_compile(bytes, length, &config, &options, &module, &error)) {
        status = report(path, &error);
    } else if (!weft_module_write(module, &packed, &packed_length, &error) ||
               (out != NULL && !weft_file_write(out, packed, packed_length, &error))) {
        status = report(out, &error);
    }
    weft_module_free(module);
    free(packed);
    free(bytes);
    return status;
}

int command_compile(int argc, char **argv) {
    const char *out = NULL;
    const char *config = "ref16";
    struct dump dump = {0};
    const struct option_spec specs[] = {
        {.name = "output", .letter = 'o', .value = &out},
        {.name = "config", .value = &config},
        {.name = "dump-after", .value = &dump.pass},
    };
    const char *words[1];
    size_t count = 0;
    if (!read_options(argc, argv, specs, sizeof specs / sizeof specs[0], words, &count, 1)) {
        return STATUS_ERROR;
    }
    if (count != 1 || (out == NULL && dump.pass == NULL)) {
        return usage_error("compile", "give a model and -o OUT.weft");
    }
    int status = compile(words[0], out, config, &dump);
    if (status == STATUS_GOOD && dump.pass != NULL && !dump.seen) {
        return unknown_pass(dump.pass);
    }
    return status;
}
