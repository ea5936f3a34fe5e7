#include "tests/unit/rules.h"

#include <string.h>

/* `graph g(%0: A, %1: B) { %r = OP(%0, %1) REST : RESULT return %r }` */
static const char *graph_text(struct weft_arena *arena, const char *op, const struct rule *rule) {
    const char *inputs = "";
    const char *operands = "";
    const char *at = rule->inputs;
    for (int i = 0; *at != '\0'; i++) {
        int length = 0;
        for (int depth = 0; at[length] != '\0' && (depth > 0 || at[length] != ','); length++) {
            depth += at[length] == '{' ? 1 : at[length] == '}' ? -1 : 0;
        }
        const char *comma = i == 0 ? "" : ", ";
        inputs = weft_arena_print(arena, "%s%s%%%d: %.*s", inputs, comma, i, length, at);
        operands = weft_arena_print(arena, "%s%s%%%d", operands, comma, i);
        at += length + (at[length] == ',' ? 2 : 0);
    }
    return weft_arena_print(arena, "graph g(%s) {\n  %%r = %s(%s)%s%s : %s\n  return %%r\n}\n",
                            inputs, op, operands, rule->node[0] == '\0' ? "" : " ", rule->node,
                            rule->result);
}

void assert_rules(struct weft_arena *arena, const char *op, size_t count,
                  const struct rule *rules) {
    for (size_t i = 0; i < count; i++) {
        struct weft_error error = {0};
        struct weft_graph *graph = NULL;
        const char *text = graph_text(arena, op, &rules[i]);
        bool good = weft_graph_parse(arena, text, strlen(text), NULL, &graph, &error);
        bool right = rules[i].words == NULL ? good
                                            : !good && error.code == WEFT_GRAPH &&
                                                  strstr(error.message, rules[i].words) != NULL;
        if (!right) {
            print_error("%sexpected %s, got %s\n", text,
                        rules[i].words == NULL ? "no error" : rules[i].words,
                        good ? "no error" : error.message);
            fail();
        }
    }
}
