/* What the tests of the compiler share: graphs in text form, random data, and runs on the host. */
#ifndef WEFT_TESTS_UNIT_GRAPHS_H
#define WEFT_TESTS_UNIT_GRAPHS_H

#include "tests/unit/test.h"

#include <stdbool.h>

#include "compiler/ir/ir.h"

/* A test whose state is an arena that is released after it. Running out of memory ends the test
 * program. */
#define ARENA_TEST(function) cmocka_unit_test_setup_teardown(function, arena_setup, arena_teardown)
int arena_setup(void **state);
int arena_teardown(void **state);

/* ---- text form ---- */

/* Reads a graph, or fails the test with the parser's words. */
struct weft_graph *graph_of(struct weft_arena *arena, const char *text);

/* The same of a text in which a constant has $N for N values from -125 to 125, or #N for N values
 * from -1 to 1, which are few bytes when they are coded. */
struct weft_graph *graph_filled(struct weft_arena *arena, const char *text);

/* The text form with the names as they are; in the graph's arena. Blobs are left out. */
const char *text_of(const struct weft_graph *graph);

/* Shows both texts and fails when they differ. */
void assert_text(const struct weft_graph *graph, const char *expected);

/* ---- looking into graphs ---- */

/* The value of that name; fails the test when there is none. */
struct weft_value *value_named(const struct weft_graph *graph, const char *name);

/* The node that makes it. */
struct weft_node *node_named(const struct weft_graph *graph, const char *name);

/* Nodes of an operator, without those in bodies. */
size_t count_of(const struct weft_graph *graph, enum weft_operator op);

/* ---- random numbers: xorshift64*, the same on every machine ---- */

uint64_t random_next(uint64_t *seed);
/* low <= result <= high */
int64_t random_in(uint64_t *seed, int64_t low, int64_t high);
bool random_once_in(uint64_t *seed, int64_t times);
void random_fill(uint64_t *seed, void *bytes, size_t length);

/* How many of `count` random cases to try: all, or one in N if the environment's WEFT_ONE_IN says
 * N, as it does with sanitizers, which are slow (scripts/test). At least one. */
int random_share(int count);

/* ---- running ---- */

/* Tensors of the inputs of a graph, filled from a seed; in the graph's arena. */
const void **random_inputs(const struct weft_graph *graph, uint64_t seed);

/* Room for the outputs of a graph. */
void **output_room(const struct weft_graph *graph);

/* The outputs that weft_host_run_graph() computes; fails the test when it does. */
void **host_outputs(const struct weft_graph *graph, const void *const *inputs);

/* Runs a graph of up to two inputs, or up to three; the bytes of its first output must be
 * `expected`. */
void assert_host(struct weft_arena *arena, const char *text, const void *a, const void *b,
                 const void *expected);
void assert_host_of_three(struct weft_arena *arena, const char *text, const void *a, const void *b,
                          const void *c, const void *expected);

/* Both graphs take the same inputs; the outputs of `a` must be the first ones of `b`, byte for
 * byte, for several random inputs. */
void assert_same_results(const struct weft_graph *a, const struct weft_graph *b);

/* Runs a pass on a graph: the result must be `after`, and compute what `before` computes. The
 * graph itself must stay as it was. */
void assert_pass(struct weft_arena *arena, struct weft_graph *(*pass)(const struct weft_graph *),
                 const char *before, const char *after);

/* The pass must leave the graph as it is. */
void assert_stays(struct weft_arena *arena, struct weft_graph *(*pass)(const struct weft_graph *),
                  const char *text);

#endif
