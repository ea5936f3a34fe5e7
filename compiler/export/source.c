/* An exported model as C. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "compiler/export/export.h"

/* A text in a comment that it must not end. */
static void add_plain(struct weft_text *text, const char *string) {
    for (; *string != '\0'; string++) {
        bool is_plain = isalnum((unsigned char)*string) != 0 || strchr(" _-.+", *string) != NULL;
        weft_text_add(text, "%c", is_plain ? *string : '_');
    }
}

static void add_title(struct weft_text *text, const struct weft_export *made, const char *what) {
    weft_text_add(text, "/* %s: model ", what);
    add_plain(text, made->module->model_name);
    weft_text_add(text,
                  " for configuration %s.\n"
                  " * Made by `weft export`, not to be edited. */\n",
                  made->module->config.name);
}

static void add_declarations(struct weft_text *text, const struct weft_export *made,
                             const char *name) {
    uint32_t count = made->kernel_count;
    weft_text_add(text, "extern const uint32_t %s_words[%zu];\n", name, made->length / 4);
    weft_text_add(text, "extern const struct weft_kernel_entry *const %s_kernels[%u];\n", name,
                  count == 0 ? 1 : count);
}

/* ---- the source ---- */

static void add_entry(struct weft_text *text, enum weft_kernel kernel) {
    const struct weft_kernel_entry *entry = &weft_kernels[kernel];
    weft_text_add(text, "_Static_assert(WEFT_PARAMETERS_%s == %zu, \"export the model again\");\n",
                  entry->name, entry->parameter_size);
    weft_text_add(text,
                  "static const struct weft_kernel_entry entry_%s = {\n"
                  "    .name = \"%s\",\n"
                  "    .parameter_size = %zu,\n"
                  "    .inputs = %" PRId32 ",\n"
                  "    .outputs = %" PRId32 ",\n"
                  "    .run = weft_call_%s,\n",
                  entry->name, entry->name, entry->parameter_size, entry->inputs, entry->outputs,
                  entry->name);
    weft_text_add(text, "};\n\n");
}

static void add_kernels(struct weft_text *text, const struct weft_export *made, const char *name) {
    for (uint32_t i = 0; i < made->kernel_count; i++) {
        add_entry(text, made->kernels[i]);
    }
    weft_text_add(text, "const struct weft_kernel_entry *const %s_kernels[] = {", name);
    for (uint32_t i = 0; i < made->kernel_count; i++) {
        weft_text_add(text, "%s&entry_%s", i == 0 ? "" : ", ", weft_kernels[made->kernels[i]].name);
    }
    weft_text_add(text, "%s};\n\n", made->kernel_count == 0 ? "NULL" : "");
}

static void add_words(struct weft_text *text, const struct weft_export *made, const char *name) {
    enum {
        IN_LINE = 8
    };
    weft_text_add(text, "_Alignas(WEFT_MODEL_ALIGNMENT) const uint32_t %s_words[] = {", name);
    for (size_t i = 0; i < made->length / 4; i++) {
        weft_text_add(text, "%s0x%08" PRIx32 ",", i % IN_LINE == 0 ? "\n    " : " ",
                      weft_read_u32(made->bytes + 4 * i));
    }
    weft_text_add(text, "\n};\n");
}

bool weft_export_source(const struct weft_export *made, const char *name, struct weft_text *text,
                        struct weft_error *error) {
    add_title(text, made, name);
    weft_text_add(text, "#include \"firmware/weft_model.h\"\n"
                        "#include \"kernels/call.h\"\n\n"
                        "#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n"
                        "#error \"models are little-endian\"\n"
                        "#endif\n\n");
    add_declarations(text, made, name);
    weft_text_add(text, "\n");
    add_kernels(text, made, name);
    add_words(text, made, name);
    return weft_text_finish(text, error);
}

/* ---- the header ---- */

static void add_define(struct weft_text *text, const char *name, const char *rest) {
    weft_text_add(text, "#define ");
    for (size_t i = 0; name[i] != '\0'; i++) {
        weft_text_add(text, "%c", toupper((unsigned char)name[i]));
    }
    weft_text_add(text, "_%s ", rest);
}

/* A constant of double, also where it is a whole number. */
static void add_double(struct weft_text *text, double value) {
    char number[32];
    (void)snprintf(number, sizeof number, "%.17g", value);
    weft_text_add(text, "%s%s\n", number, strpbrk(number, ".e") == NULL ? ".0" : "");
}

static void add_tensor(struct weft_text *text, const char *name, const char *what, size_t i,
                       const struct weft_value *value) {
    const struct weft_type *type = &value->type;
    char rest[64];
    weft_text_add(text, "\n/* %s %zu: %s, shape", what, i, weft_dtype_name(type->dtype));
    for (uint32_t k = 0; k < type->rank; k++) {
        weft_text_add(text, " %" PRId64, type->dim[k]);
    }
    weft_text_add(text, " */\n");
    (void)snprintf(rest, sizeof rest, "%s_%zu_BYTES", what, i);
    add_define(text, name, rest);
    weft_text_add(text, "%zu\n", weft_type_bytes(type));
    if (type->quantization.count == 1) {
        (void)snprintf(rest, sizeof rest, "%s_%zu_SCALE", what, i);
        add_define(text, name, rest);
        add_double(text, weft_type_scale(type, 0));
        (void)snprintf(rest, sizeof rest, "%s_%zu_ZERO", what, i);
        add_define(text, name, rest);
        weft_text_add(text, "(%" PRId32 ")\n", weft_type_zero(type, 0));
    }
}

bool weft_export_header(const struct weft_export *made, const char *name, struct weft_text *text,
                        struct weft_error *error) {
    const struct weft_graph *graph = made->module->graph;
    add_title(text, made, name);
    weft_text_add(text, "#ifndef WEFT_EXPORT_%s\n#define WEFT_EXPORT_%s\n\n", name, name);
    weft_text_add(text, "#include \"firmware/weft_firmware.h\"\n\n"
                        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    add_declarations(text, made, name);
    weft_text_add(text, "#ifdef __cplusplus\n}\n#endif\n\n");
    weft_text_add(text, "#define %s_model ((const struct weft_model *)(const void *)%s_words)\n\n",
                  name, name);
    add_define(text, name, "ARENA_BYTES");
    weft_text_add(text, "%" PRId64 "\n", made->arena_bytes);
    add_define(text, name, "INPUTS");
    weft_text_add(text, "%zu\n", graph->input_count);
    add_define(text, name, "OUTPUTS");
    weft_text_add(text, "%zu\n", graph->output_count);
    for (size_t i = 0; i < graph->input_count; i++) {
        add_tensor(text, name, "INPUT", i, graph->inputs[i]);
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        add_tensor(text, name, "OUTPUT", i, graph->outputs[i]);
    }
    weft_text_add(text, "\n#endif\n");
    return weft_text_finish(text, error);
}
