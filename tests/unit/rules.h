/* Rules of type inference: operators with operands of some types, and what comes of them. */
#ifndef WEFT_TESTS_UNIT_RULES_H
#define WEFT_TESTS_UNIT_RULES_H

#include "tests/unit/graphs.h"

/* An operator on inputs of some types: `words` of the message that refuses it, or NULL when the
 * result type is right. */
struct rule {
    const char *inputs; /* separated by `, ` outside braces */
    const char *node;   /* after the operands */
    const char *result;
    const char *words;
};

/* Asserts that each graph of one node is taken or refused as its rule says. */
void assert_rules(struct weft_arena *arena, const char *op, size_t count, const struct rule *rules);
#define ASSERT_RULES(op, rules) assert_rules(*state, op, sizeof(rules) / sizeof((rules)[0]), rules)

#endif
