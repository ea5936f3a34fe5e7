/* Documents of jansson, inside the limit of memory. */
#ifndef WEFT_REPORT_JSON_H
#define WEFT_REPORT_JSON_H

#include <jansson.h>

#include "compiler/module.h"

/* What jansson has no memory for, it leaves out, and goes on: json_begin() before a document is
 * made, when `memory` bytes of the module's limit (without a module: of the default) are in use,
 * and json_complete() when it is made: false where it is NULL or something was left out. Errors:
 * WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
void json_begin(const struct weft_module *module, uint64_t memory);

/* The same of a document without a module, in at most `limit` bytes; 0: the default. */
void json_begin_within(uint64_t limit);
bool json_complete(const void *made, struct weft_error *error);

/* Nothing is counted from now on in this thread: for a library, whose caller may use jansson. */
void json_end(void);

/* Releases a text of json_dumps(); NULL is allowed. */
void json_release(char *text);

/* A string for JSON, which is UTF-8: bytes of a name that is not become '?'. The caller owns it. */
json_t *text_json(const char *text);

/* Notes that something is left out when `made` is NULL. */
void json_note(const void *made);

#endif
