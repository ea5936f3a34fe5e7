/* What a request to a server on this machine takes beside the run itself, plain and through TLS.
 *
 * usage: remote_bench [REQUESTS [BYTES]]     scripts/bench --remote
 * A request is a run of a program that does next to nothing, with inputs of so many bytes (147 KB,
 * a picture of 224 x 224 without it) on target func, in one session; the same run in this process
 * is taken off. Prints the median, and the shares of faster ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "driver/bare.h"
#include "driver/remote/tls.h"
#include "tests/unit/remote_server.h"

enum {
    REQUESTS = 5000,
    BYTES = 224 * 224 * 3,
    OUTPUTS = 1000,
    WARM = 100, /* requests that are not counted */
};

struct bench {
    struct weft_config config;
    struct weft_program program;
    struct weft_bare_setup setup;
    size_t requests;
    double *microseconds; /* of each request */
};

static void check(bool good, const struct weft_error *error) {
    if (!good) {
        fprintf(stderr, "remote_bench: %s\n", error->message);
        exit(1);
    }
}

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

/* The median of a target's requests. */
static double measure(struct bench *bench, const char *target,
                      const struct weft_session_options *options, const char *name) {
    struct weft_error error;
    struct weft_bare *bare = NULL;
    check(weft_bare_open(target, &bench->setup, options, &bare, &error), &error);
    uint8_t *inputs = weft_bare_region(bare, WEFT_REGION_INPUTS);
    for (size_t i = 0; i < WARM + bench->requests; i++) {
        double start = now();
        inputs[0] = (uint8_t)i;
        check(weft_bare_run(bare, &error), &error);
        if (i >= WARM) {
            bench->microseconds[i - WARM] = now() - start;
        }
    }
    weft_bare_close(bare);
    qsort(bench->microseconds, bench->requests, sizeof(double), compare);
    double median = bench->microseconds[bench->requests / 2];
    printf("%-8s %8.1f us %8.1f us %8.1f us\n", name, bench->microseconds[bench->requests / 10],
           median, bench->microseconds[bench->requests * 9 / 10]);
    return median;
}

static double measure_server(struct bench *bench, const char *key, const char *name) {
    const struct weft_server_options options = {.target = "func", .key_file = key};
    const struct remote_server server = remote_server_start(&options);
    struct weft_session_options there = remote_options(&server);
    there.key_file = key;
    double median = measure(bench, "remote", &there, name);
    remote_server_stop(&server);
    return median;
}

static const char *write_key(void) {
    static char path[] = "/tmp/weft-key-XXXXXX";
    static const char key[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
    struct weft_error error;
    int file = mkstemp(path);
    bool good = file >= 0 && write(file, key, sizeof key - 1) == (ssize_t)sizeof key - 1;
    weft_error_set(&error, WEFT_IO, 0, "%s cannot be written", path);
    check(good, &error);
    (void)close(file);
    return path;
}

static void make_program(struct bench *bench, uint64_t bytes) {
    static const char source[] = "load act_banks=0 memory=act region=3 run=16 signal=store\n"
                                 "store wait=load act_banks=0 region=4 run=16\n"
                                 "halt\n";
    struct weft_error error;
    check(weft_config_find("ref16", &bench->config, &error) &&
              weft_assemble(source, strlen(source), &bench->program, &error),
          &error);
    bench->setup = (struct weft_bare_setup){.config = &bench->config, .program = &bench->program};
    bench->setup.region_bytes[WEFT_REGION_INPUTS] = bytes;
    bench->setup.region_bytes[WEFT_REGION_OUTPUTS] = OUTPUTS;
}

int main(int argc, char **argv) {
    struct bench bench = {.requests = argc > 1 ? strtoul(argv[1], NULL, 10) : REQUESTS};
    uint64_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : BYTES;
    const struct weft_session_options here = weft_session_defaults();
    bench.microseconds = calloc(bench.requests + 1, sizeof(double));
    if (bench.requests == 0 || bench.microseconds == NULL) {
        fprintf(stderr, "usage: remote_bench [REQUESTS [BYTES]]\n");
        return 2;
    }
    make_program(&bench, bytes);
    printf("%zu requests of %zu bytes\n%-8s %11s %11s %11s\n", bench.requests, (size_t)bytes, "",
           "10 %", "median", "90 %");
    double local = measure(&bench, "func", &here, "here");
    double plain = measure_server(&bench, NULL, "plain");
    printf("overhead of a server: %.1f us plain (200 at most)", plain - local);
    if (tls_is_built) {
        const char *key = write_key();
        printf("\n");
        double tls = measure_server(&bench, key, "TLS");
        (void)unlink(key);
        printf("overhead of a server: %.1f us through TLS (500 at most)", tls - local);
    }
    printf("\n");
    weft_program_free(&bench.program);
    free(bench.microseconds);
    return 0;
}
