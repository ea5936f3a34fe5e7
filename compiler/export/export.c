#include "compiler/export/export.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "compiler/export/image.h"
#include "firmware/weft_model.h"

/* Bytes of a model; places in it have 32 bits. */
#define LARGEST ((size_t)1 << 31)

static void take_figures(const struct export_plan *plan, struct weft_export *made) {
    for (size_t i = 0; i < plan->step_count; i++) {
        uint32_t kind = plan->steps[i].kind;
        made->segments += kind == WEFT_STEP_SEGMENT ? 1 : 0;
        made->operators += kind == WEFT_STEP_OPERATOR ? 1 : 0;
        made->copies += kind == WEFT_STEP_COPY ? 1 : 0;
    }
    made->arena_bytes = plan->arena_bytes;
    made->least_arena_bytes = plan->least_arena_bytes;
    made->kernel_count = plan->kernel_count;
    memcpy(made->kernels, plan->kernels, sizeof made->kernels);
}

static bool export(struct weft_arena *arena, const struct weft_module *module,
                   struct export_plan *plan, struct weft_text *image, struct weft_error *error) {
    if (setjmp(arena->on_failure) != 0) {
        return weft_arena_failed(arena, error);
    }
    return export_plan(arena, module, plan, error) && export_image(plan, image, error);
}

bool weft_export(const struct weft_module *module, struct weft_export *made,
                 struct weft_error *error) {
    struct weft_arena arena = {.limit = module->arena.limit};
    struct weft_text image = {.limit = LARGEST};
    struct export_plan plan = {0};
    bool good = export(&arena, module, &plan, &image, error);
    if (good) {
        *made = (struct weft_export){
            .module = module, .bytes = (uint8_t *)image.bytes, .length = image.length};
        take_figures(&plan, made);
    } else {
        weft_text_free(&image);
    }
    export_plan_free(&plan);
    weft_arena_free(&arena);
    return good;
}

void weft_export_free(struct weft_export *made) {
    struct weft_text image = {.bytes = (char *)made->bytes};
    weft_text_free(&image);
    *made = (struct weft_export){0};
}

bool weft_export_is_name(const char *name) {
    bool good = isalpha((unsigned char)name[0]) != 0;
    for (size_t i = 1; good && name[i] != '\0'; i++) {
        good = isalnum((unsigned char)name[i]) != 0 || name[i] == '_';
    }
    return good && strlen(name) <= 64 && strncasecmp(name, "weft", 4) != 0;
}
