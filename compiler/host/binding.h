/* A node bound to a kernel. */
#ifndef WEFT_COMPILER_HOST_BINDING_H
#define WEFT_COMPILER_HOST_BINDING_H

#include "kernels/kernels.h"

/* The kernel that carries out a node, with what of the node's types and attributes it needs. Its
 * inputs and outputs are those of the node. */
struct weft_host_binding {
    enum weft_kernel kernel;
    size_t size;      /* bytes of the parameters */
    void *parameters; /* without pointers in them; weft_host_binding_free() of bind_node.h releases
                         them */
};

#endif
