/* The command `weft`: picks the subcommand. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    command *run;
    const char *usage;
} commands[] = {
    {"compile", command_compile,
     "compile MODEL -o OUT.weft [--config NAME] [--dump-after PASS] [--keep-tensors]"},
    {"run", command_run,
     "run MODEL|X.weft [--input IN.npy|IMAGE]... [--output OUT.npy]... [--config NAME]\n"
     "                 [--cycle-limit N] [--target func|cycle|rtl|host] [--json STATS.json]\n"
     "                 [--timing-only] [--dump-tensors DIR] [--mean M --std S] [--show]\n"
     "                 [--host KERNELS] [--watchdog CYCLES] [--latency CYCLES] [--interval "
     "CYCLES]\n"
     "                 [--wave FILE [--from CYCLE] [--to CYCLE] [--segment N]]"},
    {"cosim", command_cosim,
     "cosim MODEL|X.weft [--input IN.npy|IMAGE]... [--config NAME] [--cycle-limit N]\n"
     "                 [--mean M --std S]\n"
     "                 [--watchdog CYCLES] [--latency CYCLES] [--interval CYCLES]\n"
     "                 [--wave FILE [--from CYCLE] [--to CYCLE] [--segment N]]"},
    {"verify", command_verify, "verify X.weft|MODEL [--config NAME] [--cycle-limit N]"},
    {"disasm", command_disasm,
     "disasm X.weft|PROGRAM.bin [-o OUT.asm] [--segment N] [--cycle-limit N]"},
    {"asm", command_asm, "asm IN.asm -o PROGRAM.bin"},
    {"inspect", command_inspect,
     "inspect MODEL|X.weft [--config NAME] [--cycle-limit N] [--json OUT.json] [--graph]"},
    {"trace", command_trace,
     "trace MODEL|X.weft -o OUT.json [--raw] [--config NAME] [--cycle-limit N]\n"
     "                 [--latency CYCLES] [--interval CYCLES]\n"
     "    weft trace --print OUT.raw [-o OUT.txt]"},
    {"report", command_report,
     "report MODEL|X.weft -o OUT.html [--config NAME] [--cycle-limit N] [--latency CYCLES]\n"
     "                 [--interval CYCLES]"},
};

static void print_usage(void) {
    printf("usage: weft COMMAND ...\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        printf("    weft %s\n", commands[i].usage);
    }
    printf("\nConfigurations: ");
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        printf("%s, ", weft_builtin_configs[i].name);
    }
    printf("or a JSON file.\n"
           "A .weft file may ask for %" PRIu64 " cycles; --cycle-limit N makes that N.\n"
           "README.md shows how to use each command.\n",
           WEFT_CYCLE_LIMIT);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "weft: give a command; try weft --help\n");
        return STATUS_ERROR;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage();
        return STATUS_GOOD;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "weft: there is no command '%s'; try weft --help\n", argv[1]);
    return STATUS_ERROR;
}

int main(int argc, char **argv) {
    int status = run(argc, argv);
    /* What was printed is part of what was asked for. */
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == STATUS_GOOD) {
        fprintf(stderr, "weft: standard output: could not be written\n");
        return STATUS_ERROR;
    }
    return status;
}
