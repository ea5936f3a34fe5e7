/* Operators that an import does not support: all of a model, not the first alone. */
#ifndef WEFT_COMPILER_IMPORT_UNSUPPORTED_H
#define WEFT_COMPILER_IMPORT_UNSUPPORTED_H

#include "compiler/import/importer.h"

enum {
    UNSUPPORTED_MOST = 64, /* kinds that are told apart */
};

struct unsupported {
    uint32_t count; /* of kinds */
    struct weft_unsupported kinds[UNSUPPORTED_MOST];
    struct weft_error first; /* of the first operator */
};

/* Notes that the import of the current operator failed, and lets the import go on without it: its
 * outputs are of their declared types, nobody knows what they hold. False when the failure ends the
 * import: the model itself is wrong. Once an operator is not supported, what seems wrong with later
 * ones may come from that, and is passed over. */
bool unsupported_add(struct unsupported *unsupported, struct importer *importer);

/* Fails with what was noted, if anything was, and fills the list, unless it is NULL. */
bool unsupported_finish(const struct unsupported *unsupported, struct weft_arena *arena,
                        struct weft_unsupported_list *list, struct weft_error *error);

#endif
