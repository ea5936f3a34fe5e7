#include "report/json.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/limit.h"
#include "base/memory.h"

static _Thread_local bool json_lacks; /* something since json_begin() */
static _Thread_local uint64_t json_used;
static _Thread_local uint64_t json_limit; /* bytes, of all that is allocated, freed or not */

/* Those of jansson before ours. Programs that use this library may use jansson themselves: outside
 * of our documents, and in other threads, nothing is counted. */
static json_malloc_t malloc_before;
static json_free_t free_before;
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static _Thread_local bool is_counting; /* since json_begin(), until json_end() */

static void *json_allocate(size_t length) {
    enum {
        OVERHEAD = 16 /* of the C library for a block */
    };
    if (!is_counting) {
        return malloc_before(length);
    }
    json_used = weft_add_saturated(json_used, length + OVERHEAD);
    void *memory = json_used > json_limit ? NULL : malloc_before(length);
    json_lacks = json_lacks || memory == NULL;
    return memory;
}

static void install(void) {
    json_get_alloc_funcs(&malloc_before, &free_before);
    json_set_alloc_funcs(json_allocate, free_before);
}

void json_begin(const struct weft_module *module, uint64_t memory) {
    uint64_t limit = weft_memory_limit(module == NULL ? 0 : module->arena.limit);
    json_begin_within(limit);
    json_limit = limit > memory ? limit - memory : 0;
}

void json_begin_within(uint64_t limit) {
    json_lacks = false;
    json_used = 0;
    json_limit = weft_memory_limit(limit);
    (void)pthread_once(&installed, install);
    is_counting = true;
}

bool json_complete(const void *made, struct weft_error *error) {
    if (json_used > json_limit) {
        return weft_limit_passed(error, "JSON", json_used, json_limit);
    }
    return (made != NULL && !json_lacks) || weft_no_memory(error, "JSON");
}

void json_end(void) {
    is_counting = false;
}

void json_release(char *text) {
    if (text != NULL) {
        (void)pthread_once(&installed, install);
        free_before(text);
    }
}

void json_note(const void *made) {
    json_lacks = json_lacks || made == NULL;
}

json_t *text_json(const char *text) {
    json_t *json = json_string(text);
    char *copy = json == NULL ? strdup(text) : NULL;
    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        *at = (char)((unsigned char)*at < 0x80 ? *at : '?');
    }
    if (copy != NULL) {
        json = json_string(copy);
        free(copy);
    }
    return json;
}
