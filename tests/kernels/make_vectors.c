/* Writes vectors (vectors.h): every call of a kernel that models need when the host runs them, and
 * graphs of a list for kernels that no model has. Says which kernels there are no calls of, and
 * fails then.
 *
 * usage: make_vectors OUTPUT GRAPHS MODELS...
 * GRAPHS is a file of graphs in their text form, one a line (graphs.txt); MODELS is a folder of
 * folders with model.tflite and input0.npy, ..., or a file .tflite, whose inputs are random. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/cli.h"
#include "compiler/host/host.h"
#include "tests/kernels/vectors.h"

enum {
    MOST_BYTES = 256 << 10, /* of a call's tensors; larger ones are left out */
    MOST_CALLS = 40,        /* of a kernel */
    FILE_BYTES = 64 << 20
};

static struct {
    uint8_t *bytes;
    uint32_t length;
    uint32_t last; /* where the last vector is */
    uint32_t count;
    uint32_t calls[WEFT_KERNELS];
    struct weft_error error;
} file;

static void fail(const char *what, const char *message) {
    fprintf(stderr, "make_vectors: %s: %s\n", what, message);
    exit(1);
}

/* ---- the file ---- */

/* Room for so many bytes at a multiple of 16. */
static uint32_t append(const void *bytes, size_t length) {
    const uint32_t at = (file.length + 15) / 16 * 16;
    if (length > FILE_BYTES - at) {
        fail("vectors", "more than 64 MB");
    }
    if (bytes != NULL) {
        memcpy(file.bytes + at, bytes, length);
    }
    file.length = at + (uint32_t)length;
    return at;
}

static uint32_t append_tensors(const void *const *bytes, struct weft_value *const *values,
                               uint32_t count) {
    const uint32_t list = append(NULL, count * sizeof(struct vector_tensor));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t length = (uint32_t)weft_type_bytes(&values[i]->type);
        const uint32_t at = append(bytes[i], length);
        const struct vector_tensor tensor = {at, length, values[i]->type.dtype == WEFT_F32};
        memcpy(file.bytes + list + i * sizeof tensor, &tensor, sizeof tensor);
    }
    return list;
}

static void append_call(const struct weft_node *node, const struct weft_host_binding *binding,
                        const void *const *inputs, void *const *results,
                        enum weft_kernel_status status, enum vector_state state) {
    const uint32_t at = append(NULL, sizeof(struct vector));
    const uint32_t parameters = append(binding->parameters, binding->size);
    const uint32_t operands = append_tensors(inputs, node->inputs, node->input_count);
    const struct vector vector = {
        .kernel = (uint32_t)binding->kernel,
        .status = (uint32_t)status,
        .state = (uint32_t)state,
        .parameters = parameters,
        .parameter_bytes = (uint32_t)binding->size,
        .inputs = operands,
        .input_count = node->input_count,
        .outputs = append_tensors((const void *const *)results, node->results, node->result_count),
        .output_count = node->result_count,
    };
    memcpy(file.bytes + at, &vector, sizeof vector);
    if (file.count == 0) {
        ((struct vectors *)(void *)file.bytes)->first = at;
    } else {
        ((struct vector *)(void *)(file.bytes + file.last))->next = at;
    }
    file.last = at;
    file.count++;
}

/* ---- calls ---- */

static size_t bytes_of(struct weft_value *const *values, uint32_t count) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += weft_type_bytes(&values[i]->type);
    }
    return bytes;
}

/* Runs an operator, and writes the call if it is not too large, or one of very many. */
static void call_kernel(const struct weft_node *node, const void *const *inputs,
                        void *const *results) {
    struct weft_host_binding binding;
    if (!weft_host_bind(node, &binding, &file.error)) {
        fail(weft_operator_name(node->op), file.error.message);
    }
    const struct weft_kernel_entry *kernel = &weft_kernels[binding.kernel];
    const bool is_written =
        file.calls[binding.kernel] < MOST_CALLS &&
        bytes_of(node->inputs, node->input_count) + bytes_of(node->results, node->result_count) <=
            MOST_BYTES;
    void *scratch = calloc(1, kernel->scratch == NULL ? 1 : kernel->scratch(binding.parameters));
    void *state = calloc(1, kernel->state == NULL ? 1 : kernel->state(binding.parameters));
    if (scratch == NULL || state == NULL) {
        fail(kernel->name, "no memory");
    }
    if (kernel->state != NULL) {
        kernel->reset(binding.parameters, state);
    }
    /* One with a state is called again, with the same inputs. */
    for (int call = 0; call < (kernel->state != NULL ? 3 : 1); call++) {
        const enum weft_kernel_status status =
            kernel->run(binding.parameters, inputs, results, state, scratch);
        if (is_written) {
            append_call(node, &binding, inputs, results, status,
                        kernel->state == NULL ? VECTOR_NO_STATE
                        : call == 0           ? VECTOR_RESET
                                              : VECTOR_CONTINUE);
            file.calls[binding.kernel]++;
        }
    }
    free(scratch);
    free(state);
    weft_host_binding_free(&binding);
}

static void call_node(struct weft_arena *arena, const struct weft_node *node,
                      struct weft_map *tensors) {
    const void **inputs = weft_arena_allocate(arena, node->input_count + 1, sizeof *inputs);
    void **results = weft_arena_allocate(arena, node->result_count + 1, sizeof *results);
    for (uint32_t i = 0; i < node->input_count; i++) {
        inputs[i] = weft_map_get(tensors, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->result_count; i++) {
        results[i] = node->op == WEFT_OP_CONSTANT
                         ? (void *)(uintptr_t)weft_value_data(node->results[i])
                         : weft_arena_allocate(arena, weft_type_bytes(&node->results[i]->type), 1);
        weft_map_set(tensors, node->results[i], results[i]);
    }
    if (node->op != WEFT_OP_CONSTANT) {
        call_kernel(node, inputs, results);
    }
}

/* A graph without bodies. */
static void call_graph(struct weft_arena *arena, const struct weft_graph *graph,
                       const void *const *inputs) {
    struct weft_map *tensors = weft_map_new(arena);
    for (size_t i = 0; i < graph->input_count; i++) {
        weft_map_set(tensors, graph->inputs[i], (void *)(uintptr_t)inputs[i]);
    }
    for (size_t i = 0; i < graph->node_count; i++) {
        call_node(arena, graph->nodes[i], tensors);
    }
}

/* ---- random inputs ---- */

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

/* Elements as tests/kernels/graphs.txt says. */
static void *random_tensor(struct weft_arena *arena, const struct weft_type *type, bool wide) {
    const size_t count = (size_t)weft_type_elements(type);
    uint8_t *bytes = weft_arena_allocate(arena, weft_type_bytes(type), 1);
    for (size_t i = 0; i < weft_type_bytes(type); i++) {
        bytes[i] = (uint8_t)draw(256);
    }
    for (size_t i = 0; type->dtype == WEFT_F32 && i < count; i++) {
        const float value = ((float)draw(8001) - 4000) / 1000;
        memcpy(bytes + 4 * i, &value, sizeof value);
    }
    for (size_t i = 0; type->dtype == WEFT_I32 && i < count; i++) {
        const uint32_t value = wide ? 1 + draw(1000) : draw(2);
        weft_write_u32(bytes + 4 * i, wide && draw(2) != 0 ? 0 - value : value);
    }
    for (size_t i = 0; type->dtype == WEFT_BOOL && i < count; i++) {
        bytes[i] = (uint8_t)draw(2);
    }
    return bytes;
}

static const void **random_tensors(struct weft_arena *arena, const struct weft_graph *graph,
                                   bool wide) {
    const void **inputs = weft_arena_allocate(arena, graph->input_count + 1, sizeof *inputs);
    for (size_t i = 0; i < graph->input_count; i++) {
        inputs[i] = random_tensor(arena, &graph->inputs[i]->type, wide);
    }
    return inputs;
}

/* ---- models ---- */

/* The inputs of a case; folder NULL: random ones. */
static const void **read_inputs(struct weft_arena *arena, const struct weft_graph *graph,
                                const char *folder) {
    if (folder == NULL) {
        return random_tensors(arena, graph, false);
    }
    const void **inputs = weft_arena_allocate(arena, graph->input_count + 1, sizeof *inputs);
    for (size_t i = 0; i < graph->input_count; i++) {
        char path[1024];
        uint8_t *bytes = NULL;
        const struct weft_type *type = &graph->inputs[i]->type;
        (void)snprintf(path, sizeof path, "%s/input%zu.npy", folder, i);
        if (!npy_read(path, type, &bytes, &file.error)) {
            fail(path, file.error.message);
        }
        void *copy = weft_arena_allocate(arena, weft_type_bytes(type), 1);
        memcpy(copy, bytes, weft_type_bytes(type));
        inputs[i] = copy;
        free(bytes);
    }
    return inputs;
}

/* A model as it was read, and as the host runs it when nothing is left to the machine. */
static void call_model(const char *path, const char *folder) {
    uint8_t *model = NULL;
    size_t length = 0;
    struct weft_arena arena = {0};
    struct weft_graph *graph = NULL;
    struct weft_module *module = NULL;
    struct weft_config config;
    const struct weft_compile_options options = {.host_only = true};
    if (!weft_file_read(path, &model, &length, &file.error) ||
        !weft_config_find("ref16", &config, &file.error) ||
        !weft_import_tflite(&arena, model, length, NULL, &graph, &file.error) ||
        !weft_compile(model, length, &config, &options, &module, &file.error)) {
        fail(path, file.error.message);
    }
    call_graph(&arena, graph, read_inputs(&arena, graph, folder));
    call_graph(&arena, module->graph, read_inputs(&arena, module->graph, folder));
    weft_module_free(module);
    weft_arena_free(&arena);
    free(model);
}

static int is_model(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void call_folder(const char *folder) {
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_model, alphasort);
    if (count <= 0) {
        fail(folder, "there is nothing in it");
    }
    for (int i = 0; i < count; i++) {
        char path[1024];
        char model[1100];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        (void)snprintf(model, sizeof model, "%s/model.tflite", path);
        call_model(model, path);
        free(entries[i]);
    }
    free((void *)entries);
}

/* ---- graphs ---- */

static void call_text(const char *text, size_t length, uint32_t line) {
    static const char word[] = "wide ";
    const bool wide = length >= sizeof word && memcmp(text, word, sizeof word - 1) == 0;
    struct weft_arena arena = {0};
    struct weft_graph *graph = NULL;
    text += wide ? sizeof word - 1 : 0;
    length -= wide ? sizeof word - 1 : 0;
    if (!weft_graph_parse(&arena, text, length, NULL, &graph, &file.error)) {
        char where[32];
        (void)snprintf(where, sizeof where, "graph in line %u", line);
        fail(where, file.error.message);
    }
    call_graph(&arena, graph, random_tensors(&arena, graph, wide));
    weft_arena_free(&arena);
}

/* Lines; those that begin with # and empty ones are nothing. */
static void call_texts(const char *path) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (!weft_file_read(path, &bytes, &length, &file.error)) {
        fail(path, file.error.message);
    }
    uint32_t line = 0;
    for (size_t begin = 0; begin < length;) {
        size_t end = begin;
        line++;
        while (end < length && bytes[end] != '\n') {
            end++;
        }
        if (end > begin && bytes[begin] != '#') {
            call_text((const char *)bytes + begin, end - begin, line);
        }
        begin = end + 1;
    }
    free(bytes);
}

/* ---- all ---- */

/* Whether every kernel has a call. */
static bool is_complete(void) {
    bool complete = true;
    for (int i = 0; i < WEFT_KERNELS; i++) {
        if (file.calls[i] == 0) {
            fprintf(stderr, "make_vectors: no call of %s\n", weft_kernels[i].name);
            complete = false;
        }
    }
    return complete;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: make_vectors OUTPUT GRAPHS MODELS...\n");
        return 2;
    }
    file.bytes = calloc(1, FILE_BYTES);
    if (file.bytes == NULL) {
        fail("vectors", "no memory");
    }
    (void)append(NULL, sizeof(struct vectors));
    call_texts(argv[2]);
    for (int i = 3; i < argc; i++) {
        if (strstr(argv[i], ".tflite") != NULL) {
            call_model(argv[i], NULL);
        } else {
            call_folder(argv[i]);
        }
    }
    struct vectors *header = (struct vectors *)(void *)file.bytes;
    header->magic = VECTORS_MAGIC;
    header->count = file.count;
    header->bytes = file.length;
    FILE *output = fopen(argv[1], "wb");
    if (output == NULL || fwrite(file.bytes, 1, file.length, output) != file.length ||
        fclose(output) != 0) {
        perror(argv[1]);
        return 1;
    }
    printf("%u calls of %d kernels, %u bytes\n", file.count, WEFT_KERNELS, file.length);
    free(file.bytes);
    return is_complete() ? 0 : 1;
}
