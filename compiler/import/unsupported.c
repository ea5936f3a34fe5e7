#include "compiler/import/unsupported.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- noting ---- */

/* What is wrong, without the operator that the message begins with. */
static const char *reason_of(const struct importer *importer) {
    const char *context = importer_context(importer);
    size_t length = strlen(context);
    const char *message = importer->error->message;
    bool begins = strncmp(message, context, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return begins ? message + length + 2 : message;
}

static void count(struct unsupported *unsupported, const struct importer *importer) {
    const struct tflite_operator *op = importer->op;
    const char *reason = reason_of(importer);
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
            op->name, op->version, weft_arena_string(importer->arena, reason, strlen(reason)), 1,
            importer->index};
    }
}

/* Outputs that cannot be typed either are left out: their users are passed over. */
static void make_opaque(struct importer *importer) {
    const struct tflite_operator *op = importer->op;
    struct weft_error ignored;
    struct weft_error *error = importer->error;
    importer->error = &ignored;
    for (uint32_t i = 0; i < op->output_count; i++) {
        struct weft_type type = {0};
        if (importer->raw[op->outputs[i]] == NULL &&
            importer_raw_type(importer, op->outputs[i], &type)) {
            importer->raw[op->outputs[i]] =
                importer_add(importer, WEFT_OP_OPAQUE, 0, NULL, 0, NULL, &type);
        }
    }
    importer->error = error;
}

bool unsupported_add(struct unsupported *unsupported, struct importer *importer) {
    enum weft_error_code code = importer->error->code;
    if (code != WEFT_OPERATOR && (unsupported->count == 0 || code != WEFT_MODEL)) {
        return false;
    }
    if (unsupported->count == 0) {
        unsupported->first = *importer->error;
    }
    if (code == WEFT_OPERATOR) {
        count(unsupported, importer);
    }
    make_opaque(importer);
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
