/* Compiled graphs compute on the simulators what the kernels of the host compute. */
#ifndef WEFT_TESTS_UNIT_COMPUTES_H
#define WEFT_TESTS_UNIT_COMPUTES_H

#include "compiler/module.h"

/* Are these outputs of the graph the same? Prints the first byte that is not, with the graph. */
bool same_outputs(const struct weft_graph *graph, const char *config, const char *target,
                  void *const *expected, void *const *got);

/* Does the graph compute on all configurations (test_configs) and both simulators, and as a .weft
 * file, what the host does, byte for byte? Prints what does not. Inputs are those of the seed; adds
 * the programs that were compiled to *programs, NULL: nobody asks. */
bool computes(const struct weft_graph *graph, uint64_t seed, int *programs);

/* The same on one configuration, a name or a file. */
bool computes_on(const struct weft_graph *graph, const char *config, uint64_t seed);

/* Does a module that the graph became on a configuration, on the cycle simulator? */
bool module_computes(const struct weft_graph *graph, const char *config,
                     const struct weft_module *module, uint64_t seed);

#endif
