/* The operators of the graph IR bound to kernels (kernels/), bit-exact to LiteRT's reference
 * kernels.
 *
 * The driver runs with them what the machine does not take; tests run whole graphs with them.
 */
#ifndef WEFT_COMPILER_HOST_HOST_H
#define WEFT_COMPILER_HOST_HOST_H

#include "compiler/host/bind_node.h"
#include "compiler/ir/ir.h"

/* Bytes that an operator keeps from one run to the next, nearly always 0. Errors: those of
 * weft_host_bind(). */
bool weft_host_state(const struct weft_node *node, size_t *state, struct weft_error *error);

/* Makes what an operator keeps as it is before the first run. `state`: its bytes, aligned to 8.
 * Errors: those of weft_host_bind(). */
bool weft_host_reset(const struct weft_node *node, void *state, struct weft_error *error);

/* Carries out one operator other than constant, composite and region. inputs[i] and results[i] are
 * the tensors, as their types in `node` say, in row-major order, aligned for their elements;
 * results do not overlap inputs. An operator with a state starts as after weft_host_reset(), and
 * forgets what it comes to. Errors: those of weft_host_bind(), WEFT_TENSOR when an index in an
 * input is outside its axis, WEFT_OPERATOR when the reference has no answer to the inputs. */
bool weft_host_run(const struct weft_node *node, const void *const *inputs, void *const *results,
                   struct weft_error *error);

/* The same, but an operator with a state goes on from `state`, and leaves it there. NULL: it has
 * none. */
bool weft_host_continue(const struct weft_node *node, const void *const *inputs,
                        void *const *results, void *state, struct weft_error *error);

/* Carries out a whole graph, going into the bodies of composites and regions. inputs and outputs
 * are those of the graph. Temporary tensors are allocated in the graph's arena. */
bool weft_host_run_graph(const struct weft_graph *graph, const void *const *inputs,
                         void *const *outputs, struct weft_error *error);

/* What a function of one 8-bit element (an activation, qnn.requantize of a tensor with one scale,
 * qnn.concatenate of operand `input`) gives for each byte; table[b] belongs to the input whose bits
 * are b. `node` must be one whose kernel works element by element. Errors: those of
 * weft_host_run(). */
bool weft_host_table(const struct weft_node *node, uint32_t input, int8_t table[256],
                     struct weft_error *error);

/* The exponentials of a qnn.softmax of bytes, by how far an element is below the largest of its
 * row. Errors: those of weft_host_bind(). */
bool weft_host_exponentials(const struct weft_node *node, int32_t exponentials[256],
                            struct weft_error *error);

#endif
