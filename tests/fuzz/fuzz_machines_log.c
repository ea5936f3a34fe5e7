/* Logs of weft tune --hardware: a search goes on with them, or refuses them as such. */
#include <stdlib.h>

#include "base/file.h"
#include "sweep/codesign.h"
#include "sweep/codesign_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop_unless(bool good) {
    if (!good) {
        abort();
    }
}

/* As tests/fuzz/make_seeds.c searches, read once. */
struct search {
    struct sweep_definition grid;
    struct weft_area_model area;
    uint8_t *model;
    size_t length;
};

static bool compile(void *context, const struct weft_config *config, struct weft_module **module,
                    struct weft_error *error) {
    const struct search *search = context;
    const struct weft_compile_options options = {.decisions = NULL};
    return weft_compile(search->model, search->length, config, &options, module, error);
}

static struct search *search_of_digits(void) {
    static struct search search;
    struct weft_error error;
    if (search.model == NULL) {
        stop_unless(weft_file_read(WEFT_SOURCE_DIR "/models/digits/digits.tflite", &search.model,
                                   &search.length, &error) &&
                    weft_area_find("ecp5", &search.area, &error) &&
                    sweep_add_config(&search.grid, "small8", &error) &&
                    sweep_add_grid(&search.grid, "act_bytes=16K..128K", &error));
    }
    return &search;
}

/* Is it a log at all? Machines are compiled for those alone. */
static bool is_log(const uint8_t *data, size_t size) {
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    struct weft_error error;
    struct codesign_log log;
    bool good = false;
    if (setjmp(arena.on_failure) == 0) {
        good = codesign_log_parse(&arena, (const char *)data, size, &log, &error);
        stop_unless(good || error.code == WEFT_DECISIONS);
    }
    weft_arena_free(&arena);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct search *search = search_of_digits();
    const struct codesign_options options = {.grid = &search->grid,
                                             .area = &search->area,
                                             .most_area = 300000,
                                             .tune = {.seed = 1, .jobs = 1},
                                             .compile = compile,
                                             .context = search};
    struct weft_error error;
    struct codesign *codesign = NULL;
    size_t whole = 0;
    bool more = false;
    if (!is_log(data, size)) {
        return 0;
    }
    stop_unless(codesign_open(&options, &codesign, &error));
    if (codesign_resume(codesign, (const char *)data, size, &whole, &error)) {
        stop_unless(whole <= size && codesign_step(codesign, 1, &more, &error));
    } else {
        /* Compiling for a machine that it says can fail in any way but the serious ones. */
        stop_unless(error.code != WEFT_OUT_OF_MEMORY && error.code != WEFT_INTERNAL);
    }
    codesign_close(codesign);
    return 0;
}
