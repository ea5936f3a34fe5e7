/* Operators that an import does not support: all of a model, not the first alone. */
#ifndef WEFT_COMPILER_IMPORT_UNSUPPORTED_H
#define WEFT_COMPILER_IMPORT_UNSUPPORTED_H

#include "compiler/import/import.h"

enum {
    UNSUPPORTED_MOST = 64, /* kinds that are told apart */
};

struct unsupported {
    uint32_t count; /* of kinds */
    struct weft_unsupported kinds[UNSUPPORTED_MOST];
    struct weft_error first; /* of the first operator */
};

/* The operator that is being read. */
struct unsupported_operator {
    const char *name;
    int32_t version;
    uint32_t index;      /* in the file */
    const char *context; /* what messages about it begin with, before ": " */
};

/* Notes that the import of an operator failed, as the error says; true: the import goes on without
 * it. False when the failure ends the import: the model itself is wrong. Once an operator is not
 * supported, what seems wrong with later ones may come from that, and is passed over. */
bool unsupported_note(struct unsupported *unsupported, struct weft_arena *arena,
                      const struct unsupported_operator *op, const struct weft_error *error);

/* Fails with what was noted, if anything was, and fills the list, unless it is NULL. */
bool unsupported_finish(const struct unsupported *unsupported, struct weft_arena *arena,
                        struct weft_unsupported_list *list, struct weft_error *error);

#endif
