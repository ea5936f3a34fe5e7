#include "compiler/import/unsupported.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- noting ---- */

/* What is wrong, without the operator that the message begins with. */
static const char *reason_of(const struct unsupported_operator *op, const char *message) {
    size_t length = strlen(op->context);
    bool begins =
        strncmp(message, op->context, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return begins ? message + length + 2 : message;
}

static void count(struct unsupported *unsupported, struct weft_arena *arena,
                  const struct unsupported_operator *op, const char *reason) {
    for (uint32_t i = 0; i < unsupported->count; i++) {
        struct weft_unsupported *kind = &unsupported->kinds[i];
        if (kind->version == op->version && strcmp(kind->name, op->name) == 0 &&
            strcmp(kind->reason, reason) == 0) {
            kind->count++;
            return;
        }
    }
    if (unsupported->count < UNSUPPORTED_MOST) {
        unsupported->kinds[unsupported->count++] = (struct weft_unsupported){
            op->name, op->version, weft_arena_string(arena, reason, strlen(reason)), 1, op->index};
    }
}

bool unsupported_note(struct unsupported *unsupported, struct weft_arena *arena,
                      const struct unsupported_operator *op, const struct weft_error *error) {
    if (error->code != WEFT_OPERATOR && (unsupported->count == 0 || error->code != WEFT_MODEL)) {
        return false;
    }
    if (unsupported->count == 0) {
        unsupported->first = *error;
    }
    if (error->code == WEFT_OPERATOR) {
        count(unsupported, arena, op, reason_of(op, error->message));
    }
    return true;
}

/* ---- telling ---- */

/* One operator, or many for one reason. */
static void tell_one(const struct unsupported *unsupported, struct weft_error *error) {
    uint32_t more = unsupported->kinds[0].count - 1;
    *error = unsupported->first;
    if (more > 0) {
        weft_error_set(error, error->code, error->position, "%s; and %" PRIu32 " more like it",
                       unsupported->first.message, more);
    }
}

/* As many kinds as the message has room for. */
static void tell_all(const struct unsupported *unsupported, struct weft_error *error) {
    enum {
        REST = 48 /* characters that say how many are left out */
    };
    char text[sizeof error->message];
    size_t used = 0;
    uint32_t told = 0;
    for (; told < unsupported->count; told++) {
        const struct weft_unsupported *kind = &unsupported->kinds[told];
        int length =
            snprintf(text + used, sizeof text - used,
                     "%s%s version %" PRId32 " (%" PRIu32 ", first operator %" PRIu32 "): %s",
                     told == 0 ? "" : "; ", kind->name, kind->version, kind->count, kind->first,
                     kind->reason);
        if (length < 0 || used + (size_t)length > sizeof text - 2 * REST) {
            break;
        }
        used += (size_t)length;
    }
    text[used] = '\0';
    if (told < unsupported->count) {
        (void)snprintf(text + used, sizeof text - used, "%s%" PRIu32 " more, see weft inspect",
                       told == 0 ? "" : "; and ", unsupported->count - told);
    }
    weft_error_set(error, unsupported->first.code, unsupported->first.position,
                   "operators that are not supported: %s", text);
}

bool unsupported_finish(const struct unsupported *unsupported, struct weft_arena *arena,
                        struct weft_unsupported_list *list, struct weft_error *error) {
    if (unsupported->count == 0) {
        return true;
    }
    if (list != NULL) {
        struct weft_unsupported *kinds =
            WEFT_NEW_ARRAY(arena, unsupported->count, struct weft_unsupported);
        memcpy(kinds, unsupported->kinds, unsupported->count * sizeof *kinds);
        *list = (struct weft_unsupported_list){unsupported->count, kinds};
    }
    if (unsupported->count == 1) {
        tell_one(unsupported, error);
    } else {
        tell_all(unsupported, error);
    }
    return false;
}
