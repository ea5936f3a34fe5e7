/* Runs an image on the model of the processor until it writes to the finisher, and writes what it
 * sent over the UART. A second file is put at 0x81000000. Ends with 0 when the finisher was told
 * that all is well. usage: run_image IMAGE OUTPUT [FILE] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/cpu/machine.h"

enum {
    RAM_BYTES = 64 << 20,
    FILE_AT = 16 << 20,
    PIECE = 1000, /* instructions at a time */
    MOST_PIECES = 1 << 20
};

/* Puts a file into RAM. */
static void load(struct machine *machine, const char *path, uint32_t offset) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(machine->ram + offset, 1, RAM_BYTES - offset, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: run_image IMAGE OUTPUT [FILE]\n");
        return 2;
    }
    struct machine *machine = machine_create(RAM_BYTES);
    load(machine, argv[1], 0);
    if (argc == 4) {
        load(machine, argv[3], FILE_AT);
    }
    for (int i = 0; i < MOST_PIECES && machine->finisher == 0; i++) {
        (void)weft_cpu_run(machine->cpu, PIECE);
    }
    FILE *output = fopen(argv[2], "wb");
    if (output == NULL ||
        fwrite(machine->uart, 1, machine->uart_count, output) != machine->uart_count ||
        fclose(output) != 0) {
        perror(argv[2]);
        return 1;
    }
    const bool good = machine->finisher == 0x5555;
    printf("%" PRIu64 " instructions, %u retired, %zu bytes\n", weft_cpu_executed(machine->cpu),
           machine_csr(machine, 0xb02), machine->uart_count);
    if (!good) {
        fprintf(stderr, "run_image: the finisher got 0x%x at pc 0x%08x\n", machine->finisher,
                weft_cpu_pc(machine->cpu));
    }
    machine_free(machine);
    return good ? 0 : 1;
}
