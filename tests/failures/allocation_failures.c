/* Every command of weft with every one of its calls for memory failing in turn: alone, and with all
 * that come after it. Each run must end with status 2, one line that names the lack of memory, and
 * no file; or, where it can do without what it asked for, as if nothing had failed.
 *
 *     allocation_failures WEFT LIBRARY SOURCE_DIR [--stride N] [--only PART]
 *
 * LIBRARY is the preloaded fail_allocation.so. --stride N takes every N-th call of commands that
 * have many; --only takes the commands whose name has PART in it. As many commands at a time as
 * there are cores, each in a folder of its own. Ends with 77 where the library cannot be preloaded.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stb/stb_image_write.h>

#include "tests/grid/processes.h"

enum {
    MOST_WORDS = 24,
    FEW_CALLS = 300,   /* of a command: all of them are taken, whatever the stride */
    MANY_CALLS = 2000, /* they do much that other commands do, too: the stride is so much longer */
    LONGER = 4,
    LONGEST = 60, /* seconds that a run may take */
    SHOWN = 5,    /* failures of a command that are printed */
    SKIPPED = 77,
    BAD_STATUS = 2
};

/* A command, with the files in the folder out/ that it makes. */
struct command {
    const char *name;
    const char *words; /* joined by spaces */
    const char *needs; /* what may not be built; NULL: nothing */
};

static const char rtl[] = "the RTL is not built";
static const char platform[] = "the virtual platform is not built";
static const char sweeps[] = "there is no SQLite";
static const char onnx[] = "ONNX cannot be written";

static const struct command commands[] = {
    {"compile", "compile digits.tflite -o out/a.weft --config small8", NULL},
    {"compile ref16", "compile digits.tflite -o out/a.weft", NULL},
    {"compile, dump", "compile digits.tflite --dump-after all", NULL},
    {"compile to a stream", "compile digits.tflite --config small8 -o -", NULL},
    {"help", "help run", NULL},
    {"verify", "verify digits.weft", NULL},
    {"verify model", "verify digits.tflite --config small8", NULL},
    {"passes, plugin", "passes --plugin plugin_good.so", NULL},
    {"explain", "explain digits.weft --json out/a.json", NULL},
    {"export", "export digits.weft --blob out/a.bin --c a -o out/a.c --header out/a.h", NULL},
    {"inspect", "inspect digits.weft", NULL},
    {"inspect, JSON", "inspect digits.weft --json out/a.json --graph", NULL},
    {"disasm", "disasm digits.weft -o out/a.asm", NULL},
    {"disasm binary", "disasm digits.bin", NULL},
    {"asm", "asm digits.asm -o out/a.bin", NULL},
    {"run func", "run digits.weft --target func --input 3.npy --output out/a.npy", NULL},
    {"run cycle", "run digits.weft --input 3.npy --output out/a.npy --json out/a.json", NULL},
    {"run host", "run digits.tflite --target host --input 3.npy --output out/a.npy", NULL},
    {"run timing", "run digits.weft --timing-only", NULL},
    {"run, all tensors",
     "run digits.tflite --config small8 --input 3.npy --output out/a.npy --dump-tensors out/t",
     NULL},
    {"run rtl", "run small.weft --target rtl --input 3.npy --output out/a.npy", rtl},
    {"cosim", "cosim small.weft --input 3.npy", rtl},
    {"soc", "soc small.weft --cpu vexriscv --input 3.npy --output out/a.npy", rtl},
    {"vp", "vp small.weft --input 3.npy --output out/a.npy --json out/a.json", platform},
    {"run PNG", "run digits.weft --target func --input 3.png --output out/a.npy", NULL},
    {"run BMP", "run digits.weft --target func --input 3.bmp --output out/a.npy", NULL},
    {"run, blended", "run digits.weft --target func --input alpha.png --output out/a.npy", NULL},
    {"run, Fortran order", "run digits.weft --target func --input fortran.npy --output -", NULL},
    {"run JPEG", "run digits.weft --target func --input 3.jpg --output out/a.npy", NULL},
    {"run, resized", "run digits.weft --target func --input large.png --output out/a.npy", NULL},
    {"configuration", "verify small.weft --config small8.json", NULL},
    {"trace", "trace digits.weft -o out/a.json", NULL},
    {"trace --raw", "trace --raw digits.weft -o out/a.raw", NULL},
    {"trace --print", "trace --print digits.raw -o out/a.txt", NULL},
    {"report", "report digits.weft -o out/a.html", NULL},
    {"report, estimates",
     "report digits.weft -o out/a.html --technology 45nm --area ecp5 --clock 100 --dram "
     "ddr3-1600@100",
     NULL},
    {"area", "area --config ref16 --json out/a.json", NULL},
    {"compare", "compare digits.weft small.weft -o out/a.html --json out/a.json", NULL},
    {"tune", "tune digits.tflite --budget 48 --jobs 1 -o out/a.weft --decisions out/a.json", NULL},
    {"tune hardware",
     "tune digits.tflite --hardware --config small8 --budget 16 --jobs 1 --grid act_bytes=32K,64K "
     "-o out/a.weft --best-config out/a.json --json out/b.json",
     NULL},
    {"sweep show", "sweep show digits.sqlite --csv out/a.csv --json out/a.json --html out/a.html",
     sweeps},
    {"quantize",
     "quantize network.ir --data data.npz -o out/a.weft --config small8 --json out/a.json --page "
     "out/a.html",
     NULL},
    {"quantize to text",
     "quantize network.ir --data data.npz --calibration entropy --equalize --min-sqnr 60 -o "
     "out/a.ir",
     NULL},
    {"quantize to ONNX", "quantize network.ir --data data.npz --calibration min-max -o out/a.onnx",
     onnx},
    {"evaluate",
     "evaluate network.ir --data data.npz --against network.ir --target host --json out/a.json",
     NULL},
    {"evaluate func", "evaluate network.weft --data data.npz", NULL},
    {"run program",
     "run relu.asm --config small8 --region inputs=relu.in --region outputs=@256 --dump-memory "
     "outputs=out/o --dump-memory acc=out/acc --json out/a.json",
     NULL},
    {"run program func",
     "run relu.bin --config small8 --region inputs=@256 --region outputs=relu.in --target func "
     "--dump-memory outputs=-",
     NULL},
    {"verify program", "verify relu.asm --config small8 --region 3=relu.in --region 4=@256", NULL},
    {"trace program",
     "trace relu.asm --config small8 --region 3=relu.in --region 4=@256 -o out/a.json", NULL},
    {"cosim program",
     "cosim relu.asm --config small8 --region 3=relu.in --region 4=@256 --dump-memory act=out/act",
     rtl},
};

static struct {
    const char *weft, *library, *source, *only;
    unsigned long stride;
} given = {.stride = 1};

/* What came of the runs of a command. */
struct tally {
    unsigned long calls, runs, harmless, excepted, signals, wrong, left;
    unsigned shown;
};

static void stop(const char *what) {
    perror(what);
    exit(1);
}

/* ---- files ---- */

/* Cuts out the line that has `word`, a time that was measured. */
static void cut(char *bytes, size_t *length, const char *word) {
    char *at = strstr(bytes, word);
    if (at != NULL) {
        while (at > bytes && at[-1] != '\n') {
            at--;
        }
        size_t line = strcspn(at, "\n");
        memmove(at, at + line, *length - (size_t)(at - bytes) - line + 1);
        *length -= line;
    }
}

/* A whole file, and a NUL after it; NULL: there is none. */
static char *content(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    (void)fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        stop(path);
    }
    (void)fclose(file);
    bytes[size] = '\0';
    *length = (size_t)size;
    return bytes;
}

/* Do two files hold the same, but for times that were measured? */
static bool same_files(const char *a, const char *b) {
    static const char *const measured[] = {"wall_seconds",
                                           "\"cpu_seconds",
                                           "bare_cpu_seconds",
                                           "simulated_cycles_per_second",
                                           "instructions_per_second",
                                           " million instructions a second"};
    const size_t words = sizeof measured / sizeof measured[0];
    size_t lengths[2] = {0};
    char *bytes[2] = {content(a, &lengths[0]), content(b, &lengths[1])};
    bool same = bytes[0] != NULL && bytes[1] != NULL;
    for (size_t i = 0; same && i < 2 * words; i++) {
        cut(bytes[i % 2], &lengths[i % 2], measured[i / 2]);
    }
    same = same && lengths[0] == lengths[1] && memcmp(bytes[0], bytes[1], lengths[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

/* Calls `visit` with the path below `folder` of every file and folder in it; how many there are. */
static int walk(const char *folder, void (*visit)(const char *path)) {
    DIR *opened = opendir(folder);
    int count = 0;
    if (opened == NULL) {
        stop(folder);
    }
    for (struct dirent *entry = readdir(opened); entry != NULL; entry = readdir(opened)) {
        char path[600];
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count++;
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
            count += walk(path, visit);
        }
        if (visit != NULL) {
            visit(path);
        }
    }
    (void)closedir(opened);
    return count;
}

static void delete_path(const char *path) {
    if (remove(path) != 0) {
        stop(path);
    }
}

/* Of a file expected/X: is out/X the same? */
static bool all_same;

static void compare_path(const char *path) {
    char other[620];
    struct stat status;
    (void)snprintf(other, sizeof other, "out%s", strchr(path, '/'));
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode) && !same_files(path, other)) {
        all_same = false;
    }
}

static bool outputs_are_as_expected(void) {
    all_same = same_files("stdout", "expected_stdout");
    return walk("expected", compare_path) == walk("out", NULL) && all_same;
}

/* ---- runs ---- */

/* Runs weft with the variable NAME=NUMBER of the library; its wait status. */
static int run(const char *words, const char *name, const char *value) {
    pid_t child = fork();
    if (child < 0) {
        stop("fork");
    }
    if (child == 0) {
        char copy[400];
        char *argv[MOST_WORDS] = {(char *)(size_t)given.weft};
        char *next = NULL;
        int count = 1;
        (void)snprintf(copy, sizeof copy, "%s", words);
        for (char *word = strtok_r(copy, " ", &next); word != NULL && count + 1 < MOST_WORDS;
             word = strtok_r(NULL, " ", &next)) {
            argv[count++] = word;
        }
        int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        (void)dup2(out, 1);
        (void)dup2(err, 2);
        if (name != NULL) {
            (void)setenv("LD_PRELOAD", given.library, 1);
            (void)setenv(name, value, 1);
        }
        (void)alarm(LONGEST);
        (void)execv(given.weft, argv);
        _exit(127);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child) {
        stop("waitpid");
    }
    return status;
}

static void must_run(const char *words) {
    if (run(words, NULL, NULL) != 0) {
        fprintf(stderr, "setting up: weft %s failed\n", words);
        exit(1);
    }
}

/* One line that says what is missing. */
static bool complains_of_memory(void) {
    size_t length = 0;
    char *text = content("stderr", &length);
    bool good = text != NULL && strncmp(text, "weft: ", 6) == 0 && length > 0 &&
                strchr(text, '\n') == text + length - 1 && strstr(text, "no memory") != NULL;
    free(text);
    return good;
}

/* The one exception: the C library makes room for what threads own of the RTL's library when it is
 * first used, and gives the process up where it cannot. */
static bool is_excepted(const struct command *command, int status) {
    size_t length = 0;
    if (command->needs != rtl || !WIFEXITED(status) || WEXITSTATUS(status) != 127) {
        return false;
    }
    char *text = content("stderr", &length);
    bool good =
        text != NULL && strcmp(text, "cannot allocate memory for thread-local data: ABORT\n") == 0;
    free(text);
    return good;
}

static void show(struct tally *tally, const struct command *command, const char *name,
                 unsigned long call, int status, const char *what) {
    size_t length = 0;
    if (tally->shown++ >= SHOWN) {
        return;
    }
    char *text = content("stderr", &length);
    printf("    %s, %s=%lu: %s (wait status 0x%x): %s\n", command->name, name, call, what,
           (unsigned)status, text == NULL ? "" : text);
    free(text);
}

static void try_call(const struct command *command, const char *name, unsigned long call,
                     struct tally *tally) {
    char number[32];
    (void)snprintf(number, sizeof number, "%lu", call);
    int status = run(command->words, name, number);
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    tally->runs++;
    if (WIFSIGNALED(status)) {
        tally->signals++;
        show(tally, command, name, call, status, "a signal");
    } else if (is_good) {
        tally->harmless++;
        if (!outputs_are_as_expected()) {
            tally->wrong++;
            show(tally, command, name, call, status, "succeeded, and something is missing");
        }
    } else if (is_excepted(command, status)) {
        tally->excepted++;
    } else if (WEXITSTATUS(status) != BAD_STATUS || !complains_of_memory()) {
        tally->wrong++;
        show(tally, command, name, call, status, "the wrong complaint");
    }
    if (!is_good && walk("out", NULL) != 0) {
        tally->left++;
        show(tally, command, name, call, status, "left a file");
    }
    (void)walk("out", delete_path);
}

/* The number of calls of the whole command, whose outputs become what is expected; 0: it cannot
 * run. */
static unsigned long count_calls(const struct command *command) {
    size_t length = 0;
    int status = run(command->words, "WEFT_FAIL_COUNT", "count");
    char *text = content("count", &length);
    unsigned long calls = text == NULL ? 0 : strtoul(text, NULL, 10);
    free(text);
    (void)unlink("count");
    if (status != 0) {
        return 0;
    }
    (void)walk("expected", delete_path);
    (void)rmdir("expected");
    if (rename("out", "expected") != 0 || mkdir("out", 0777) != 0 ||
        rename("stdout", "expected_stdout") != 0) {
        stop("out");
    }
    return calls;
}

/* True when nothing is wrong. */
static bool try_command(const struct command *command) {
    struct tally tally = {.calls = count_calls(command)};
    if (tally.calls == 0) {
        printf("%-18s %s%s\n", command->name, command->needs == NULL ? "" : "skipped: ",
               command->needs == NULL ? "FAILED without a failure" : command->needs);
        (void)walk("out", delete_path);
        return command->needs != NULL;
    }
    unsigned long stride = tally.calls <= FEW_CALLS    ? 1
                           : tally.calls <= MANY_CALLS ? given.stride
                                                       : LONGER * given.stride;
    for (unsigned long call = 1; call <= tally.calls; call += stride) {
        try_call(command, "WEFT_FAIL_AT", call, &tally);
        try_call(command, "WEFT_FAIL_FROM", call, &tally);
    }
    printf("%-18s %7lu %7lu %9lu %9lu %8lu %7lu %6lu\n", command->name, tally.calls, tally.runs,
           tally.harmless, tally.excepted, tally.signals, tally.wrong, tally.left);
    (void)fflush(stdout);
    return tally.signals + tally.wrong + tally.left == 0;
}

/* ---- what the commands work on ---- */

static void copy(const char *path, const char *to) {
    size_t length = 0;
    char *bytes = content(path, &length);
    FILE *file = bytes == NULL ? NULL : fopen(to, "wb");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        stop(path);
    }
    free(bytes);
}

static void copy_file(const char *from, const char *to) {
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", given.source, from);
    copy(path, to);
}

/* The one of tests/unit/fake_plugin.c, in a folder beside the library that is preloaded. */
static void copy_plugin(void) {
    char path[600];
    const char *slash = strrchr(given.library, '/');
    int length = slash == NULL ? 0 : (int)(slash - given.library) + 1;
    (void)snprintf(path, sizeof path, "%.*sfake/plugin_good.so", length, given.library);
    copy(path, "plugin_good.so");
}

enum {
    SIDE = 16, /* of the model's input */
    LARGE = 40
};

static void make_array(const char *path, const char *fortran) {
    int8_t pixels[SIDE * SIDE];
    char header[118];
    FILE *file = fopen(path, "wb");
    for (int i = 0; i < SIDE * SIDE; i++) {
        pixels[i] = (int8_t)(i * 31 % 256 - 128);
    }
    memset(header, ' ', sizeof header);
    int length = snprintf(header, sizeof header,
                          "{'descr': '|i1', 'fortran_order': %s, 'shape': (1, %d, %d, 1), }",
                          fortran, SIDE, SIDE);
    header[length] = ' ';
    header[sizeof header - 1] = '\n';
    if (file == NULL || fwrite("\x93NUMPY\1\0\x76\0", 1, 10, file) != 10 ||
        fwrite(header, 1, sizeof header, file) != sizeof header ||
        fwrite(pixels, 1, sizeof pixels, file) != sizeof pixels || fclose(file) != 0) {
        stop(path);
    }
}

static void make_pictures(void) {
    uint8_t pixels[LARGE * LARGE];
    for (int i = 0; i < LARGE * LARGE; i++) {
        pixels[i] = (uint8_t)(i * 37 % 251);
    }
    if (stbi_write_bmp("3.bmp", SIDE, SIDE, 1, pixels) == 0 ||
        stbi_write_jpg("3.jpg", SIDE, SIDE, 1, pixels, 90) == 0 ||
        stbi_write_png("alpha.png", SIDE, SIDE, 2, pixels, SIDE * 2) == 0 ||
        stbi_write_png("large.png", LARGE, LARGE, 1, pixels, LARGE) == 0) {
        stop("pictures");
    }
}

/* Files that all commands read. */
static void set_up(void) {
    copy_file("models/digits/digits.tflite", "digits.tflite");
    copy_file("models/digits/3.png", "3.png");
    copy_file("hw/configs/small8.json", "small8.json");
    copy_file("tests/cli/relu.asm", "relu.asm");
    copy_file("tests/cli/relu.asm", "relu.in"); /* bytes, 256 or more */
    copy_plugin();
    copy_file("tests/failures/network.ir", "network.ir");
    copy_file("tests/fuzz/seeds/npz/stored.npz", "data.npz");
    make_pictures();
    make_array("3.npy", "False");
    make_array("fortran.npy", "True");
    must_run("compile digits.tflite -o digits.weft");
    must_run("compile digits.tflite -o small.weft --config small8");
    must_run("quantize network.ir --data data.npz --config small8 -o network.weft");
    must_run("disasm digits.weft -o digits.asm");
    must_run("asm digits.asm -o digits.bin");
    must_run("asm relu.asm -o relu.bin");
    must_run("trace --raw digits.weft -o digits.raw");
    (void)run("sweep --model digits.tflite --grid block=8,16 -o digits.sqlite", NULL, NULL);
    delete_path("stdout");
    delete_path("stderr");
}

/* Links to the files of the folder above. */
static void link_files(void) {
    DIR *opened = opendir("..");
    if (opened == NULL) {
        stop("..");
    }
    for (struct dirent *entry = readdir(opened); entry != NULL; entry = readdir(opened)) {
        char path[600];
        struct stat status;
        (void)snprintf(path, sizeof path, "../%s", entry->d_name);
        if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode) &&
            symlink(path, entry->d_name) != 0) {
            stop(path);
        }
    }
    (void)closedir(opened);
}

/* Tries a command, if it was asked for, in a folder of its own, named by its number. */
static void try_asked(void *context, size_t index) {
    bool *good = context;
    char folder[32];
    good[index] = given.only != NULL && strstr(commands[index].name, given.only) == NULL;
    if (good[index]) {
        return;
    }
    (void)snprintf(folder, sizeof folder, "%zu", index);
    if (mkdir(folder, 0777) != 0 || chdir(folder) != 0) {
        stop(folder);
    }
    link_files();
    if (mkdir("out", 0777) != 0 || mkdir("expected", 0777) != 0) {
        stop("out");
    }
    good[index] = try_command(&commands[index]);
}

static void note_death(void *context, size_t index, const char *how) {
    (void)context;
    printf("%-18s FAILED: %s\n", commands[index].name, how);
}

/* Tries the commands that were asked for; true when nothing is wrong. */
static bool try_commands(void) {
    enum {
        COMMANDS = sizeof commands / sizeof commands[0]
    };
    bool *good = shared_memory(COMMANDS * sizeof *good);
    struct tasks tasks = {.context = good, .run = try_asked, .died = note_death, .count = COMMANDS};
    bool all = good != NULL;
    if (all) {
        run_tasks(&tasks);
    }
    for (size_t i = 0; i < COMMANDS && all; i++) {
        all = good[i];
    }
    return all;
}

static bool read_arguments(int argc, char **argv) {
    if (argc < 4) {
        return false;
    }
    given.weft = argv[1];
    given.library = argv[2];
    given.source = argv[3];
    for (int i = 4; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--stride") == 0) {
            given.stride = strtoul(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--only") == 0) {
            given.only = argv[i + 1];
        } else {
            return false;
        }
    }
    return argc % 2 == 0 && given.stride > 0;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/weft_failures_XXXXXX";
    if (!read_arguments(argc, argv)) {
        fprintf(stderr, "usage: allocation_failures WEFT LIBRARY SOURCE_DIR [--stride N] "
                        "[--only PART]\n");
        return 1;
    }
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        stop(folder);
    }
    set_up();
    printf("%-18s %7s %7s %9s %9s %8s %7s %6s\n", "command", "calls", "failed", "harmless",
           "excepted", "signals", "wrong", "files");
    (void)fflush(stdout);
    bool good = try_commands();
    (void)walk(".", delete_path);
    (void)chdir("/");
    (void)rmdir(folder);
    return good ? 0 : 1;
}
