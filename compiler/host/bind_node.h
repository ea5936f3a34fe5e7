/* Any node bound to its kernel. */
#ifndef WEFT_COMPILER_HOST_BIND_NODE_H
#define WEFT_COMPILER_HOST_BIND_NODE_H

#include "compiler/host/binding.h"
#include "compiler/ir/ir.h"

/* Binds one operator other than constant, composite and region. Errors: WEFT_OPERATOR when no
 * kernel covers these types, WEFT_OUT_OF_MEMORY. */
bool weft_host_bind(const struct weft_node *node, struct weft_host_binding *binding,
                    struct weft_error *error);

/* Releases the parameters. A binding of zeros is allowed. */
void weft_host_binding_free(struct weft_host_binding *binding);

#endif
