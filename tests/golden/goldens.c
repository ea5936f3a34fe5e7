#include "tests/golden/goldens.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

struct golden_set golden_set_of(const char *goldens, const char *network) {
    struct golden_set set = {.ending = ".input.npy"};
    (void)snprintf(set.inputs, sizeof set.inputs, "%s/%s", goldens, network);
    (void)snprintf(set.outputs, sizeof set.outputs, "%s/%s", goldens, network);
    return set;
}

struct golden_set golden_set_of_digits(const char *digits) {
    struct golden_set set = {.ending = ".png"};
    (void)snprintf(set.inputs, sizeof set.inputs, "%s", digits);
    (void)snprintf(set.outputs, sizeof set.outputs, "%s/goldens", digits);
    return set;
}

static size_t stem_length(const char *file, const char *ending) {
    size_t length = strlen(file);
    size_t tail = strlen(ending);
    return length > tail && strcmp(file + length - tail, ending) == 0 ? length - tail : 0;
}

struct golden_cases golden_cases_list(const struct golden_set *set) {
    struct golden_cases cases = {0, NULL};
    struct dirent **entries = NULL;
    int count = scandir(set->inputs, &entries, NULL, alphasort);
    cases.names = calloc((size_t)(count > 0 ? count : 1), sizeof *cases.names);
    for (int i = 0; i < count; i++) {
        size_t length = stem_length(entries[i]->d_name, set->ending);
        if (cases.names != NULL && length > 0) {
            cases.names[cases.count++] = strndup(entries[i]->d_name, length);
        }
        free(entries[i]);
    }
    free((void *)entries);
    return cases;
}

void golden_cases_free(struct golden_cases *cases) {
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->names[i]);
    }
    free((void *)cases->names);
    *cases = (struct golden_cases){0, NULL};
}

static bool read_input(const struct golden_set *set, const char *name, const struct weft_type *type,
                       uint8_t **bytes, struct weft_error *error) {
    char path[1024];
    const struct image_options options = {0};
    (void)snprintf(path, sizeof path, "%s/%s%s", set->inputs, name, set->ending);
    return strcmp(set->ending, ".png") == 0 ? image_read(path, type, &options, bytes, error)
                                            : npy_read(path, type, bytes, error);
}

bool golden_run(const struct golden_set *set, const char *name, const struct weft_module *module,
                struct weft_session *session, struct weft_error *error) {
    uint8_t *input = NULL;
    const struct weft_type *type = &module->graph->inputs[0]->type;
    bool good = read_input(set, name, type, &input, error) &&
                weft_session_set_input(session, 0, input, weft_type_bytes(type), error) &&
                weft_session_run(session, error);
    free(input);
    return good;
}

bool golden_compare(const struct golden_set *set, const char *name,
                    const struct weft_module *module, const struct weft_session *session,
                    bool *equal, struct weft_error *error) {
    char path[1024];
    uint8_t *expected = NULL;
    const void *got = NULL;
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/%s.output.npy", set->outputs, name);
    if (!npy_read(path, &module->graph->outputs[0]->type, &expected, error) ||
        !weft_session_output(session, 0, &got, &length, error)) {
        free(expected);
        return false;
    }
    *equal = memcmp(got, expected, length) == 0;
    free(expected);
    return true;
}
