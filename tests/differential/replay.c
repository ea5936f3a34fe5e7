/* Replays the cases that the differential tests once found: usage: replay DIR
 *
 * A folder a case: model.tflite, input0.npy ..., and output0.npy ..., the golden bytes of LiteRT's
 * reference kernels. Every case runs with everything on the host, and on the functional and the cycle
 * simulator.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"

struct replay {
    const char *folder;
    const char *name;
    unsigned cases, wrong;
    struct weft_error error;
};

static bool fail(struct replay *replay, const char *target, const char *what) {
    replay->wrong++;
    printf("%s on %s: %s\n", replay->name, target, what);
    return false;
}

static void path_of(const struct replay *replay, const char *what, size_t index, char path[1024]) {
    (void)snprintf(path, 1024, "%s/%s/%s%zu.npy", replay->folder, replay->name, what, index);
}

static bool set_inputs(struct replay *replay, const struct weft_module *module,
                       struct weft_session *session) {
    for (size_t i = 0; i < module->graph->input_count; i++) {
        char path[1024];
        uint8_t *bytes = NULL;
        const struct weft_type *type = &module->graph->inputs[i]->type;
        path_of(replay, "input", i, path);
        bool good = npy_read(path, type, &bytes, &replay->error) &&
                    weft_session_set_input(session, i, bytes, weft_type_bytes(type), &replay->error);
        free(bytes);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool compare_outputs(struct replay *replay, const char *target,
                            const struct weft_module *module, struct weft_session *session) {
    for (size_t i = 0; i < module->graph->output_count; i++) {
        char path[1024];
        uint8_t *expected = NULL;
        const void *got = NULL;
        size_t length = 0;
        path_of(replay, "output", i, path);
        if (!npy_read(path, &module->graph->outputs[i]->type, &expected, &replay->error) ||
            !weft_session_output(session, i, &got, &length, &replay->error)) {
            free(expected);
            return fail(replay, target, replay->error.message);
        }
        bool same = memcmp(got, expected, length) == 0;
        free(expected);
        if (!same) {
            return fail(replay, target, path);
        }
    }
    return true;
}

static bool run_target(struct replay *replay, const uint8_t *model, size_t length,
                       const char *target) {
    struct weft_config config;
    struct weft_module *module = NULL;
    struct weft_session *session = NULL;
    struct weft_session_options options = weft_session_defaults();
    bool host_only = strcmp(target, "host") == 0;
    struct weft_compile_options compile = {.host_only = host_only};
    bool good =
        weft_config_find("ref16", &config, &replay->error) &&
        weft_compile(model, length, &config, &compile, &module, &replay->error) &&
        weft_session_open(host_only ? "func" : target, module, &options, &session,
                          &replay->error) &&
        set_inputs(replay, module, session) && weft_session_run(session, &replay->error);
    good = good ? compare_outputs(replay, target, module, session)
                : fail(replay, target, replay->error.message);
    weft_session_close(session);
    weft_module_free(module);
    return good;
}

static void replay_case(struct replay *replay) {
    static const char *const targets[] = {"host", "func", "cycle"};
    char path[1024];
    uint8_t *model = NULL;
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/%s/model.tflite", replay->folder, replay->name);
    if (!weft_file_read(path, &model, &length, &replay->error)) {
        fail(replay, "disk", replay->error.message);
        return;
    }
    replay->cases++;
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        (void)run_target(replay, model, length, targets[i]);
    }
    free(model);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: replay DIR\n");
        return 2;
    }
    struct replay replay = {.folder = argv[1]};
    DIR *folder = opendir(argv[1]);
    if (folder == NULL) {
        perror(argv[1]);
        return 2;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            replay.name = entry->d_name;
            replay_case(&replay);
        }
    }
    (void)closedir(folder);
    printf("%u cases replayed, %u wrong\n", replay.cases, replay.wrong);
    return replay.wrong > 0 || replay.cases == 0;
}
