/* The text form of graphs: what parses must print to text that parses to the same text. */
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/ir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(struct weft_arena *arena, const uint8_t *data, size_t size,
                       struct weft_text *first, struct weft_text *second) {
    struct weft_error error;
    struct weft_graph *graph = NULL;
    if (!weft_graph_parse(arena, (const char *)data, size, NULL, &graph, &error)) {
        return;
    }
    weft_graph_write(graph, first);
    if (!weft_text_finish(first, &error) ||
        !weft_graph_parse(arena, first->bytes, first->length, NULL, &graph, &error)) {
        abort();
    }
    weft_graph_write(graph, second);
    if (!weft_text_finish(second, &error) || strcmp(first->bytes, second->bytes) != 0) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct weft_arena arena = {.limit = (size_t)1 << 28};
    struct weft_text first = {0};
    struct weft_text second = {0};
    if (setjmp(arena.on_failure) == 0) {
        round_trip(&arena, data, size, &first, &second);
    }
    weft_text_free(&first);
    weft_text_free(&second);
    weft_arena_free(&arena);
    return 0;
}
