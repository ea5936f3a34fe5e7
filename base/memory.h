/* Checked allocation. */
#ifndef WEFT_BASE_MEMORY_H
#define WEFT_BASE_MEMORY_H

#include <stddef.h>

#include "base/error.h"

/* Fills *error with WEFT_OUT_OF_MEMORY: "no memory for WHAT", the words that every such message
 * has. Returns false. */
bool weft_no_memory(struct weft_error *error, const char *what);

/* Allocates count * size zeroed bytes; `what` names them in the error. Returns NULL with
 * WEFT_OUT_OF_MEMORY when the product overflows or there is no memory. A product of 0 allocates one
 * byte, so NULL always means failure. The caller frees with free(). */
void *weft_allocate(size_t count, size_t size, const char *what, struct weft_error *error);

/* Makes room for at least `needed` elements of `size` bytes in the array *array of capacity
 * *capacity, growing geometrically. The array may move; the new elements are not initialised. */
bool weft_reserve(void **array, size_t *capacity, size_t needed, size_t size, const char *what,
                  struct weft_error *error);

#endif
