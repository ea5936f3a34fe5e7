#include "tests/bench/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static double counter(const json_t *network, const char *name) {
    const json_t *value = json_object_get(json_object_get(network, "counters"), name);
    return value == NULL ? 0 : json_number_value(value);
}

static double cycles_of(const json_t *network) {
    return json_number_value(json_object_get(network, "cycles"));
}

/* ---- stalls ---- */

static const struct column {
    const char *title;
    const char *counter;
} columns[] = {
    {"matrix", "matrix_busy"},      {"stream", "matrix_stream"},
    {"w.load", "matrix_wait_load"}, {"w.vec", "matrix_wait_vector"},
    {"empty", "matrix_empty"},      {"vector", "vector_busy"},
    {"w.load", "vector_wait_load"}, {"w.mat", "vector_wait_matrix"},
    {"load", "load_busy"},          {"w.mat", "load_wait_matrix"},
    {"w.vec", "load_wait_vector"},  {"store", "store_busy"},
};
enum {
    COLUMNS = sizeof columns / sizeof columns[0]
};

void print_stalls(const json_t *networks) {
    const char *name;
    json_t *network;
    printf("\n%-28s", "% of cycles (w. waits for)");
    for (int i = 0; i < COLUMNS; i++) {
        printf(" %6s", columns[i].title);
    }
    printf(" %6s %10s\n", "port", "ext. bytes");
    json_object_foreach((json_t *)networks, name, network) {
        double percent = 100.0 / cycles_of(network);
        printf("%-28s", name);
        for (int i = 0; i < COLUMNS; i++) {
            printf(" %6.1f", counter(network, columns[i].counter) * percent);
        }
        double beats = counter(network, "fetch_beats") + counter(network, "load_beats") +
                       counter(network, "store_beats");
        double bytes = counter(network, "fetch_bytes") + counter(network, "load_bytes") +
                       counter(network, "store_bytes");
        printf(" %6.1f %10.0f\n", beats * percent, bytes);
    }
}

/* ---- comparison ---- */

/* Counters that moved by at least this part of the cycles are listed. */
static const double noteworthy = 0.001;

static void compare_network(const char *name, const json_t *before, const json_t *now) {
    double old = cycles_of(before);
    double difference = cycles_of(now) - old;
    printf("%-28s %10.0f -> %10.0f  %+8.2f %%\n", name, old, old + difference,
           100 * difference / old);
    const char *counter_name;
    json_t *value;
    json_object_foreach(json_object_get(now, "counters"), counter_name, value) {
        double moved = json_number_value(value) - counter(before, counter_name);
        if (moved > noteworthy * old || -moved > noteworthy * old) {
            printf("    %-24s %10.0f -> %10.0f  %+11.0f\n", counter_name,
                   counter(before, counter_name), json_number_value(value), moved);
        }
    }
}

void print_comparison(const json_t *before, const json_t *now) {
    const char *name;
    json_t *network;
    printf("\nchanged since then:\n");
    unsigned same = 0;
    json_object_foreach((json_t *)now, name, network) {
        const json_t *old = json_object_get(before, name);
        if (old == NULL) {
            printf("%-28s is new\n", name);
        } else if (json_equal(json_object_get(old, "counters"),
                              json_object_get(network, "counters"))) {
            same++;
        } else {
            compare_network(name, old, network);
        }
    }
    printf("%u networks with every counter the same\n", same);
}
