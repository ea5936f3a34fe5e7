/* The command `weft`: picks the subcommand. */
#include <string.h>

#include "cli/cli.h"

static const struct {
    const char *name;
    command *run;
    const char *usage;
} commands[] = {
    {"compile", command_compile, "compile MODEL -o OUT.weft [--config NAME] [--dump-after PASS]"},
    {"run", command_run,
     "run MODEL|X.weft [--input IN.npy|IMAGE]... [--output OUT.npy]... [--config NAME]\n"
     "                 [--target func|cycle] [--json STATS.json] [--timing-only]\n"
     "                 [--dump-tensors DIR] [--mean M --std S] [--show] [--host KERNELS]\n"
     "                 [--watchdog CYCLES]"},
    {"cosim", command_cosim,
     "cosim MODEL|X.weft [--input IN.npy|IMAGE]... [--config NAME] [--mean M --std S]\n"
     "                 [--watchdog CYCLES] [--latency CYCLES] [--interval CYCLES]\n"
     "                 [--wave FILE [--from CYCLE] [--to CYCLE] [--segment N]]"},
    {"verify", command_verify, "verify X.weft|MODEL [--config NAME]"},
    {"disasm", command_disasm, "disasm X.weft|PROGRAM.bin [-o OUT.asm] [--segment N]"},
    {"asm", command_asm, "asm IN.asm -o PROGRAM.bin"},
    {"inspect", command_inspect,
     "inspect MODEL|X.weft [--config NAME] [--json OUT.json] [--graph]"},
};

static void print_usage(FILE *out) {
    fprintf(out, "usage: weft COMMAND ...\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fprintf(out, "    weft %s\n", commands[i].usage);
    }
    fprintf(out, "\nConfigurations: ");
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        fprintf(out, "%s, ", weft_builtin_configs[i].name);
    }
    fprintf(out, "or a JSON file. README.md shows how to use each command.\n");
}

int main(int argc, char **argv) {
    if (argc >= 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        print_usage(stdout);
        return STATUS_GOOD;
    }
    for (size_t i = 0; argc >= 2 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (argc >= 2) {
        fprintf(stderr, "weft: there is no command '%s'; try weft --help\n", argv[1]);
    } else {
        print_usage(stderr);
    }
    return STATUS_ERROR;
}
