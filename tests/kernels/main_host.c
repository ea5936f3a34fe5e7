/* Repeats vectors as a process: usage: kernels_x86-64 FILE. Ends with 0 when every call came to the
 * same. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "tests/kernels/vectors.h"

enum {
    FILE_BYTES = 64 << 20,
    MEMORY_BYTES = 16 << 20
};

static void print_report(const struct vector_report *report) {
    printf("%s: call %u, status %u, differ %u, beyond %u, most %u\n",
           weft_kernels[report->kernel].name, report->vector, report->status, report->differ,
           report->beyond, report->most);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: kernels_x86-64 FILE\n");
        return 2;
    }
    uint8_t *vectors = calloc(1, FILE_BYTES);
    uint8_t *memory = calloc(1, MEMORY_BYTES);
    FILE *file = fopen(argv[1], "rb");
    if (vectors == NULL || memory == NULL || file == NULL ||
        fread(vectors, 1, FILE_BYTES, file) == 0) {
        perror(argv[1]);
        return 1;
    }
    const uint32_t wrong = run_vectors(vectors, memory, MEMORY_BYTES, print_report);
    printf("%u calls, %u came to something else\n", ((struct vectors *)(void *)vectors)->count,
           wrong);
    fclose(file);
    free(vectors);
    free(memory);
    return wrong == 0 ? 0 : 1;
}
