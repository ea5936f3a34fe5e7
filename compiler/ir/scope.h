/* Names of the values of one graph. */
#ifndef WEFT_COMPILER_IR_SCOPE_H
#define WEFT_COMPILER_IR_SCOPE_H

#include "compiler/ir/ir.h"

/* A hash table in an arena. Starts as zeros. */
struct scope {
    struct scope_entry *slots;
    size_t count, capacity;
};

/* What the name stands for; NULL: nothing. */
void *scope_get(const struct scope *scope, const char *name);

/* Gives a name a meaning; false when it has one already. The name is not copied. */
bool scope_add(struct weft_arena *arena, struct scope *scope, const char *name, void *meaning);

#endif
