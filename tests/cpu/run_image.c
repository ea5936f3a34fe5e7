/* Runs an image on the model of the processor until it writes to the finisher, and writes what it
 * sent over the UART. usage: run_image IMAGE OUTPUT */
#include <inttypes.h>
#include <stdio.h>

#include "tests/cpu/machine.h"

enum {
    PIECE = 1000, /* instructions at a time */
    MOST_PIECES = 1 << 20
};

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: run_image IMAGE OUTPUT\n");
        return 2;
    }
    struct machine *machine = machine_create();
    FILE *image = fopen(argv[1], "rb");
    if (image == NULL || fread(machine->ram, 1, MACHINE_RAM_BYTES, image) == 0) {
        perror(argv[1]);
        return 1;
    }
    fclose(image);
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
