#include "compiler/ir/scope.h"

#include <string.h>

struct scope_entry {
    const char *name;
    void *meaning;
};

/* Begins with the address of the table, so that nobody can choose names that collide. */
static size_t hash(const struct scope *scope, const char *name) {
    uint64_t value = (uintptr_t)scope->slots * UINT64_C(0x9e3779b97f4a7c15);
    for (; *name != '\0'; name++) {
        value = (value ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
        value ^= value >> 32;
    }
    return (size_t)value;
}

static struct scope_entry *slot_of(const struct scope *scope, const char *name) {
    size_t slot = hash(scope, name) & (scope->capacity - 1);
    while (scope->slots[slot].name != NULL && strcmp(scope->slots[slot].name, name) != 0) {
        slot = (slot + 1) & (scope->capacity - 1);
    }
    return &scope->slots[slot];
}

void *scope_get(const struct scope *scope, const char *name) {
    return scope->capacity == 0 ? NULL : slot_of(scope, name)->meaning;
}

static void grow(struct weft_arena *arena, struct scope *scope) {
    struct scope larger = {.count = scope->count,
                           .capacity = scope->capacity == 0 ? 64 : 2 * scope->capacity};
    larger.slots = WEFT_NEW_ARRAY(arena, larger.capacity, struct scope_entry);
    for (size_t i = 0; i < scope->capacity; i++) {
        if (scope->slots[i].name != NULL) {
            *slot_of(&larger, scope->slots[i].name) = scope->slots[i];
        }
    }
    *scope = larger;
}

bool scope_add(struct weft_arena *arena, struct scope *scope, const char *name, void *meaning) {
    if (2 * (scope->count + 1) > scope->capacity) {
        grow(arena, scope);
    }
    struct scope_entry *slot = slot_of(scope, name);
    if (slot->name != NULL) {
        return false;
    }
    *slot = (struct scope_entry){name, meaning};
    scope->count++;
    return true;
}
