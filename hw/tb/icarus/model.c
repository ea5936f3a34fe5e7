/* The RTL in Icarus Verilog behind driver/rtl_model.h, so that everything that compares the RTL
 * with the cycle simulator (lockstep, weft cosim) does it with a second simulator of SystemVerilog:
 * one that knows undefined bits, and with a memory of its own (external_memory.sv).
 *
 * Environment: WEFT_ICARUS is the folder of the compiled benches, NAME.vvp (scripts/icarus compiles
 * them). A run is a process of its own in a temporary folder; machine_bench.sv says what goes in
 * and out. Every run therefore begins with a reset. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "driver/rtl_model.h"
#include "weft_rtl_config.h"

enum {
    PATH_BYTES = 4096,
    LINE_BYTES = 512,
    WORD_BYTES = 8,
    GIVE_UP_CYCLES = 1000, /* after the machine's own watchdog */
};

struct weft_rtl_machine {
    uint8_t *memory[WEFT_MEMORIES];
};

static const char *const memory_files[WEFT_MEMORIES] = {
    [WEFT_MEMORY_ACT] = "act.hex", [WEFT_MEMORY_WGT] = "wgt.hex", [WEFT_MEMORY_ACC] = "acc.hex",
    [WEFT_MEMORY_PAR] = "par.hex", [WEFT_MEMORY_LUT] = "lut.hex",
};
static const char *const other_files[] = {"external.hex", "trace", "output"};
enum {
    OTHER_FILES = sizeof other_files / sizeof other_files[0],
};

/* ---- memories ---- */

static size_t memory_bytes(unsigned memory) {
    const uint32_t bytes[WEFT_MEMORIES] = {
        [WEFT_MEMORY_ACT] = rtl_config.act_bytes,
        [WEFT_MEMORY_WGT] = rtl_config.wgt_bytes,
        [WEFT_MEMORY_ACC] = rtl_config.acc_bytes,
        [WEFT_MEMORY_PAR] = rtl_config.par_bytes,
        [WEFT_MEMORY_LUT] = rtl_config.lookup != 0 ? 256 * rtl_config.block : 0,
    };
    return bytes[memory];
}

static void destroy(struct weft_rtl_machine *machine) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        free(machine->memory[i]);
    }
    free(machine);
}

static bool create(struct weft_rtl_machine **machine, struct weft_error *error) {
    struct weft_rtl_machine *made = weft_allocate(1, sizeof *made, "the RTL", error);
    if (made == NULL) {
        return false;
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        made->memory[i] = weft_allocate(memory_bytes(i), 1, "a memory of the RTL", error);
        if (made->memory[i] == NULL) {
            destroy(made);
            return false;
        }
    }
    *machine = made;
    return true;
}

static bool reset(struct weft_rtl_machine *machine, struct weft_error *error) {
    (void)machine;
    (void)error;
    return true;
}

static bool write_memories(struct weft_rtl_machine *machine,
                           const void *const memories[WEFT_MEMORIES], struct weft_error *error) {
    (void)error;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        memcpy(machine->memory[i], memories[i], memory_bytes(i));
    }
    return true;
}

static bool read_memories(struct weft_rtl_machine *machine, void *const memories[WEFT_MEMORIES],
                          struct weft_error *error) {
    (void)error;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if (memories[i] != NULL) {
            memcpy(memories[i], machine->memory[i], memory_bytes(i));
        }
    }
    return true;
}

/* ---- files of a run ---- */

struct place {
    char folder[PATH_BYTES / 2];
};

static void path_in(const struct place *place, const char *name, char path[PATH_BYTES]) {
    (void)snprintf(path, PATH_BYTES, "%s/%s", place->folder, name);
}

static FILE *open_in(const struct place *place, const char *name, const char *mode,
                     struct weft_error *error) {
    char path[PATH_BYTES];
    path_in(place, name, path);
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        weft_error_set(error, WEFT_IO, 0, "%.200s: %s", path, strerror(errno));
    }
    return file;
}

/* Words of 8 bytes for $readmemh, the first byte the lowest; the last word may be of fewer. */
static void put_hex(FILE *file, const uint8_t *bytes, size_t length) {
    for (size_t at = 0; at < length; at += WORD_BYTES) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, length - at < WORD_BYTES ? length - at : WORD_BYTES);
        (void)fprintf(file, "%016" PRIx64 "\n", word);
    }
}

static bool close_written(FILE *file, struct weft_error *error) {
    bool good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
    return good || weft_fail(error, WEFT_IO, 0, "a file for Icarus cannot be written");
}

static bool write_files(const struct place *place, const struct weft_rtl_machine *machine,
                        const struct weft_rtl_run *run, struct weft_error *error) {
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        FILE *file = open_in(place, memory_files[i], "w", error);
        if (file == NULL) {
            return false;
        }
        put_hex(file, machine->memory[i], memory_bytes(i));
        if (!close_written(file, error)) {
            return false;
        }
    }
    FILE *file = open_in(place, "external.hex", "w", error);
    if (file == NULL) {
        return false;
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        put_hex(file, run->bytes[i], (size_t)run->regions.limit[i]);
    }
    return close_written(file, error);
}

static void remove_files(const struct place *place) {
    char path[PATH_BYTES];
    for (unsigned i = 0; i < WEFT_MEMORIES + OTHER_FILES; i++) {
        path_in(place, i < WEFT_MEMORIES ? memory_files[i] : other_files[i - WEFT_MEMORIES], path);
        (void)unlink(path);
    }
    (void)rmdir(place->folder);
}

/* The next word that $writememh wrote, without its comments; false at the end. */
static bool next_word(FILE *file, char word[LINE_BYTES]) {
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '/' && sscanf(line, "%511s", word) == 1) {
            return true;
        }
    }
    return false;
}

static bool get_hex(FILE *file, const char *name, uint8_t *bytes, size_t length,
                    struct weft_error *error) {
    char word[LINE_BYTES];
    for (size_t at = 0; at < length; at += WORD_BYTES) {
        if (!next_word(file, word)) {
            return weft_fail(error, WEFT_INTERNAL, 0, "%s ends at byte %zu", name, at);
        }
        char *end = NULL;
        uint64_t value = strtoull(word, &end, 16);
        if (*end != '\0') {
            return weft_fail(error, WEFT_INTERNAL, 0,
                             "%s: a word with undefined bits at byte %zu: %s", name, at, word);
        }
        memcpy(bytes + at, &value, length - at < WORD_BYTES ? length - at : WORD_BYTES);
    }
    return true;
}

static bool read_files(const struct place *place, const struct weft_rtl_machine *machine,
                       const struct weft_rtl_run *run, struct weft_error *error) {
    bool good = true;
    for (unsigned i = 0; good && i < WEFT_MEMORIES; i++) {
        FILE *file = open_in(place, memory_files[i], "r", error);
        good = file != NULL &&
               get_hex(file, memory_files[i], machine->memory[i], memory_bytes(i), error);
        if (file != NULL) {
            (void)fclose(file);
        }
    }
    FILE *file = good ? open_in(place, "external.hex", "r", error) : NULL;
    good = file != NULL;
    for (unsigned i = 0; good && i < WEFT_REGIONS; i++) {
        good =
            get_hex(file, "external memory", run->bytes[i], (size_t)run->regions.limit[i], error);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

/* ---- the process ---- */

enum {
    ARGUMENTS = 32,
    ARGUMENT_BYTES = 64,
};

struct command {
    char text[ARGUMENTS][ARGUMENT_BYTES];
    char bench[PATH_BYTES];
    char *words[ARGUMENTS + 8];
    unsigned count;
};

static void add_setting(struct command *command, const char *name, unsigned index, uint64_t value) {
    char *text = command->text[command->count];
    if (index < WEFT_REGIONS) {
        (void)snprintf(text, ARGUMENT_BYTES, "+%s%u=%" PRIu64, name, index, value);
    } else {
        (void)snprintf(text, ARGUMENT_BYTES, "+%s=%" PRIu64, name, value);
    }
    command->words[command->count++] = text;
}

static bool make_command(struct command *command, const struct weft_rtl_run *run,
                         struct weft_error *error) {
    const char *folder = getenv("WEFT_ICARUS");
    if (folder == NULL) {
        return weft_fail(error, WEFT_TARGET, 0, "WEFT_ICARUS is not set: scripts/icarus does that");
    }
    static char vvp[] = "vvp";
    static char no_prompt[] = "-N";
    (void)snprintf(command->bench, PATH_BYTES, "%s/%s.vvp", folder, rtl_config.name);
    command->words[0] = vvp;
    command->words[1] = no_prompt;
    command->words[2] = command->bench;
    command->count = 3;
    add_setting(command, "latency", WEFT_REGIONS, run->memory.latency);
    add_setting(command, "interval", WEFT_REGIONS, run->memory.interval);
    add_setting(command, "watchdog", WEFT_REGIONS, run->watchdog);
    add_setting(command, "give_up", WEFT_REGIONS,
                run->give_up == 0 ? run->watchdog + GIVE_UP_CYCLES : run->give_up);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        add_setting(command, "limit", i, run->regions.limit[i]);
    }
    add_setting(command, "writable", WEFT_REGIONS, run->regions.writable);
    command->words[command->count] = NULL;
    return true;
}

/* Runs it in the folder, what it prints in the file `output`. */
static bool execute(const struct command *command, const struct place *place,
                    struct weft_error *error) {
    pid_t child = fork();
    if (child == 0) {
        if (chdir(place->folder) == 0 && freopen("/dev/null", "r", stdin) != NULL &&
            freopen("output", "w", stdout) != NULL && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0) {
            (void)execvp(command->words[0], command->words);
        }
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return weft_fail(error, WEFT_IO, 0, "vvp cannot be started: %s", strerror(errno));
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           weft_fail(error, WEFT_INTERNAL, 0, "vvp %s ends with status 0x%x", command->bench,
                     (unsigned)status);
}

/* ---- what came out ---- */

struct outcome {
    const struct weft_observer *observer;
    struct weft_run_result result;
    bool is_broken; /* with this error */
    struct weft_error *error;
    bool ended;
    uint64_t cycle; /* of the last line that has one */
};

static void break_run(struct outcome *outcome, const char *reason) {
    if (!outcome->is_broken) {
        outcome->is_broken = true;
        weft_error_set(outcome->error, WEFT_INTERNAL, outcome->cycle, "cycle %" PRIu64 ": %s",
                       outcome->cycle, reason);
    }
}

static void take_status(struct outcome *outcome, uint64_t status) {
    uint64_t code = status >> 8 & 15;
    if ((status & 3) != 2 || code >= WEFT_FAULTS) {
        break_run(outcome, "STATUS does not show an end after the interrupt");
        return;
    }
    outcome->result.fault = (enum weft_fault)code;
    outcome->result.fault_instruction = (uint32_t)(status >> 32);
}

static void take_event(struct outcome *outcome, const char *kind, uint32_t number, uint64_t cycle) {
    const struct weft_observer *observer = outcome->observer;
    if (strcmp(kind, "dispatched") == 0 && observer->dispatched != NULL) {
        observer->dispatched(observer->context, number, cycle);
    } else if (strcmp(kind, "started") == 0 && observer->started != NULL) {
        observer->started(observer->context, number, NULL, cycle);
    } else if (strcmp(kind, "finished") == 0 && observer->finished != NULL) {
        observer->finished(observer->context, number, cycle);
    }
}

static void take_line(struct outcome *outcome, char *line) {
    const struct weft_observer *observer = outcome->observer;
    char kind[LINE_BYTES];
    unsigned master = 0;
    uint32_t number = 0;
    uint64_t address = 0;
    uint64_t value = 0;
    uint64_t first = 0;
    int reason = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "burst %u %" SCNu64 " %" SCNu32 " %" SCNu64 " %" SCNu64, &master, &address,
               &number, &value, &first) == 5) {
        outcome->cycle = value;
        if (observer->burst != NULL) {
            observer->burst(observer->context, (enum weft_master)master, address, number, value,
                            first);
        }
    } else if (sscanf(line, "broken %" SCNu64 " %n", &value, &reason) == 1 && reason > 0) {
        outcome->cycle = value;
        break_run(outcome, line + reason);
    } else if (sscanf(line, "status %" SCNx64, &value) == 1) {
        take_status(outcome, value);
    } else if (sscanf(line, "counter %" SCNu32 " %" SCNx64, &number, &value) == 2 &&
               number < WEFT_COUNTERS) {
        memcpy((char *)&outcome->result.counters + sizeof value * number, &value, sizeof value);
    } else if (sscanf(line, "end %" SCNu64, &value) == 1) {
        outcome->ended = true;
    } else if (sscanf(line, "%511s %" SCNu32 " %" SCNu64, kind, &number, &value) == 3) {
        outcome->cycle = value;
        take_event(outcome, kind, number, value);
    } else {
        break_run(outcome, line);
    }
}

/* What vvp printed: that the reset is over, and what $error and $fatal say from then on. Before it,
 * assertions look at registers that hold nothing yet. */
static void take_output(struct outcome *outcome, FILE *file) {
    char line[LINE_BYTES];
    bool running = false;
    while (fgets(line, sizeof line, file) != NULL) {
        running = running || strncmp(line, "reset is over", 13) == 0;
        bool said = strncmp(line, "ERROR", 5) == 0 || strncmp(line, "FATAL", 5) == 0;
        if (running && said) {
            line[strcspn(line, "\n")] = '\0';
            break_run(outcome, line);
        }
    }
}

static bool read_outcome(const struct place *place, struct outcome *outcome,
                         struct weft_error *error) {
    char line[LINE_BYTES];
    FILE *file = open_in(place, "trace", "r", error);
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        take_line(outcome, line);
    }
    (void)fclose(file);
    file = open_in(place, "output", "r", error);
    if (file == NULL) {
        return false;
    }
    take_output(outcome, file);
    (void)fclose(file);
    if (!outcome->ended) {
        break_run(outcome, "the simulation stopped");
    }
    return !outcome->is_broken;
}

/* ---- a run ---- */

static bool run_in(const struct place *place, struct weft_rtl_machine *machine,
                   const struct weft_rtl_run *run, struct weft_run_result *result,
                   struct weft_error *error) {
    static const struct weft_observer nobody = {0};
    struct command command = {0};
    struct outcome outcome = {.observer = run->observer == NULL ? &nobody : run->observer,
                              .error = error};
    if (!make_command(&command, run, error) || !write_files(place, machine, run, error) ||
        !execute(&command, place, error) || !read_outcome(place, &outcome, error) ||
        !read_files(place, machine, run, error)) {
        return false;
    }
    *result = outcome.result;
    return true;
}

static bool run(struct weft_rtl_machine *machine, const struct weft_rtl_run *run,
                struct weft_run_result *result, struct weft_error *error) {
    const char *parent = getenv("TMPDIR");
    struct place place;
    if (run->wave != NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "Icarus writes no waveforms here");
    }
    if (run->watchdog == 0 && run->give_up == 0) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "a run of the RTL needs an end: no watchdog");
    }
    (void)snprintf(place.folder, sizeof place.folder, "%s/weft_icarus_XXXXXX",
                   parent == NULL ? "/tmp" : parent);
    if (mkdtemp(place.folder) == NULL) {
        return weft_fail(error, WEFT_IO, 0, "%.200s: %s", place.folder, strerror(errno));
    }
    bool good = run_in(&place, machine, run, result, error);
    remove_files(&place);
    return good;
}

static struct weft_rtl_interface interface = {
    .version = WEFT_RTL_VERSION,
    .create = create,
    .destroy = destroy,
    .reset = reset,
    .run = run,
    .write_memories = write_memories,
    .read_memories = read_memories,
};

__attribute__((visibility("default"))) weft_rtl_interface_function weft_rtl_interface;

const struct weft_rtl_interface *weft_rtl_interface(void) {
    interface.fingerprint = rtl_fingerprint;
    interface.config_name = rtl_config.name;
    return &interface;
}
