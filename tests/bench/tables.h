/* Tables of what the benchmark saves. */
#ifndef WEFT_TESTS_BENCH_TABLES_H
#define WEFT_TESTS_BENCH_TABLES_H

#include <jansson.h>

/* Both take what bench.c saves: an object of networks, each with "cycles" and "counters" by name.
 */

/* Where the cycles of each unit went, in percent, and the bytes of external memory. */
void print_stalls(const json_t *networks);

/* What is different from an earlier file: cycles, bytes and stalls of networks that both have. */
void print_comparison(const json_t *before, const json_t *now);

#endif
