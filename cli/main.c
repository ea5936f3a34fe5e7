/* The command `weft`: picks the subcommand. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/origin.h"

static const struct {
    const char *name;
    command *run;
    const char *usage;
} commands[] = {
    {"compile", command_compile,
     "compile MODEL -o OUT.weft [--config NAME] [--dump-after PASS] [--keep-tensors]\n"
     "                 [--decisions OUT.json] [--use DECISIONS.json]"},
    {"run", command_run,
     "run MODEL|X.weft [--input IN.npy|IMAGE]... [--output OUT.npy]... [--config NAME]\n"
     "                 [--target func|cycle|rtl|host] [--json STATS.json]\n"
     "                 [--timing-only] [--dump-tensors DIR] [--mean M --std S] [--show]\n"
     "                 [--host KERNELS] [--watchdog CYCLES] [--latency CYCLES] [--interval "
     "CYCLES]\n"
     "                 [--clock MHZ]\n"
     "                 [--wave FILE [--from CYCLE] [--to CYCLE] [--segment N]]"},
    {"cosim", command_cosim,
     "cosim MODEL|X.weft [--input IN.npy|IMAGE]... [--config NAME] [--mean M --std S]\n"
     "                 [--watchdog CYCLES] [--latency CYCLES] [--interval CYCLES]\n"
     "                 [--wave FILE [--from CYCLE] [--to CYCLE] [--segment N]]"},
    {"verify", command_verify, "verify X.weft|MODEL [--config NAME]"},
    {"disasm", command_disasm, "disasm X.weft|PROGRAM.bin [-o OUT.asm] [--segment N]"},
    {"asm", command_asm, "asm IN.asm -o PROGRAM.bin"},
    {"inspect", command_inspect,
     "inspect MODEL|X.weft [--config NAME] [--json OUT.json] [--graph]"},
    {"operators", command_operators, "operators [--json OUT.json] [--markdown]"},
    {"explain", command_explain, "explain MODEL|X.weft [--config NAME] [--json OUT.json]"},
    {"trace", command_trace,
     "trace MODEL|X.weft -o OUT.json [--raw] [--config NAME]\n"
     "                 [--latency CYCLES] [--interval CYCLES]\n"
     "    weft trace --print OUT.raw [-o OUT.txt]"},
    {"report", command_report,
     "report MODEL|X.weft -o OUT.html [--config NAME] [--latency CYCLES]\n"
     "                 [--interval CYCLES] [--clock MHZ]"},
};

static void print_usage(void) {
    printf("usage: weft COMMAND ...\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        printf("    weft %s\n", commands[i].usage);
    }
    printf("\nLimits of commands that read models and .weft files:\n"
           "    --memory-limit BYTES   what they may unpack, also 512M or 4G; 1G without it\n"
           "    --cycle-limit N        cycles that a .weft file may ask for; %" PRIu64 "\n"
           "    --host-limit N         steps of the host that it may ask for; %" PRIu64 "\n",
           WEFT_CYCLE_LIMIT, WEFT_HOST_LIMIT);
    printf("\nConfigurations: ");
    for (size_t i = 0; weft_builtin_configs[i].name != NULL; i++) {
        printf("%s, ", weft_builtin_configs[i].name);
    }
    printf("or a JSON file.\n"
           "README.md shows how to use each command.\n");
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
    note_command_line(argc, argv);
    int status = run(argc, argv);
    /* What was printed is part of what was asked for. */
    if ((fflush(stdout) != 0 || ferror(stdout) != 0) && status == STATUS_GOOD) {
        fprintf(stderr, "weft: standard output: could not be written\n");
        return STATUS_ERROR;
    }
    return status;
}
