/* Random programs on the model of a processor (vp/cpu) and on a CPU as RTL: registers at
 * checkpoints and all of memory must be the same.
 *
 *     random_cpu CPU CONFIG [--instructions N] [--seed N] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/soc_library.h"
#include "firmware/boot.h"
#include "tests/soc/program.h"
#include "vp/cpu/cpu.h"

enum {
    ITEMS = 1500,
    STATUS_SKIPPED = 77,
};

#define MOST_INSTRUCTIONS UINT64_C(1000000) /* of one program */
#define MOST_CYCLES       UINT64_C(10000000)

struct comparison {
    const char *cpu;
    struct weft_soc_library library;
    uint8_t *model_ram;
    uint8_t *rtl_ram;
    uint64_t instructions; /* so far */
    uint64_t cycles;
    uint64_t checkpoints;
};

/* ---- the model ---- */

struct model {
    struct weft_cpu *cpu;
    uint32_t finish;
};

static bool read_nothing(void *context, uint32_t address, uint32_t bytes, uint32_t *value) {
    (void)context;
    (void)address;
    (void)bytes;
    *value = 0;
    return false;
}

static bool write_finisher(void *context, uint32_t address, uint32_t bytes, uint32_t value) {
    struct model *model = context;
    if (address != WEFT_SYSTEM_FINISHER || bytes != 4) {
        return false;
    }
    model->finish = value;
    weft_cpu_stop(model->cpu);
    return true;
}

static uint64_t no_cycles(void *context) {
    (void)context;
    return 0;
}

static bool run_model(struct comparison *comparison) {
    struct weft_error error;
    struct model model = {0};
    const struct weft_cpu_options options = {
        .ram = comparison->model_ram,
        .ram_base = WEFT_SYSTEM_RAM,
        .ram_bytes = PROGRAM_RAM_BYTES,
        .reset_vector = WEFT_SYSTEM_RAM,
        .context = &model,
        .read = read_nothing,
        .write = write_finisher,
        .cycles = no_cycles,
    };
    if (!weft_cpu_create(&options, &model.cpu, &error)) {
        printf("the model cannot be made: %s\n", error.message);
        return false;
    }
    (void)weft_cpu_run(model.cpu, MOST_INSTRUCTIONS);
    comparison->instructions += weft_cpu_executed(model.cpu);
    if (model.finish != WEFT_FINISHER_PASS) {
        printf("the program does not end on the model: it is at 0x%08" PRIx32 "\n",
               weft_cpu_pc(model.cpu));
    }
    weft_cpu_destroy(model.cpu);
    return model.finish == WEFT_FINISHER_PASS;
}

/* ---- the RTL ---- */

static bool run_rtl(struct comparison *comparison) {
    struct weft_error error;
    struct weft_soc_result result = {0};
    const struct weft_soc_run run = {
        .ram = comparison->rtl_ram,
        .ram_bytes = PROGRAM_RAM_BYTES,
        .memory_latency = 2,
        .most_cycles = MOST_CYCLES,
    };
    if (!comparison->library.interface->run(&run, &result, &error)) {
        printf("%s: %s\n", comparison->cpu, error.message);
        return false;
    }
    comparison->cycles += result.cycles;
    return result.finish == WEFT_FINISHER_PASS;
}

/* ---- the difference ---- */

static uint32_t word_at(const uint8_t *ram, uint32_t offset) {
    uint32_t word = 0;
    memcpy(&word, ram + offset, sizeof word);
    return word;
}

/* Says what the first word that differs is. */
static void print_difference(const struct comparison *comparison, uint32_t offset) {
    const uint32_t model = word_at(comparison->model_ram, offset);
    const uint32_t rtl = word_at(comparison->rtl_ram, offset);
    if (offset >= PROGRAM_CHECKPOINTS) {
        const uint32_t from = offset - PROGRAM_CHECKPOINTS;
        printf("checkpoint %" PRIu32 ": register %" PRIu32 " is ", from / PROGRAM_CHECKPOINT_BYTES,
               from % PROGRAM_CHECKPOINT_BYTES / 4);
    } else {
        printf("the word at 0x%08" PRIx32 " is ", WEFT_SYSTEM_RAM + offset);
    }
    printf("0x%08" PRIx32 " on the model, 0x%08" PRIx32 " on %s\n", model, rtl, comparison->cpu);
}

/* Checkpoints first: they are the closest to what went wrong. */
static bool compare(struct comparison *comparison) {
    const uint8_t *const model = comparison->model_ram;
    const uint8_t *const rtl = comparison->rtl_ram;
    for (uint32_t offset = PROGRAM_CHECKPOINTS; offset < PROGRAM_RAM_BYTES; offset += 4) {
        comparison->checkpoints += offset % PROGRAM_CHECKPOINT_BYTES == 4 * 31 &&
                                   word_at(model, offset) != 0; /* register 31 is never 0 */
        if (word_at(model, offset) != word_at(rtl, offset)) {
            print_difference(comparison, offset);
            return false;
        }
    }
    for (uint32_t offset = 0; offset < PROGRAM_CHECKPOINTS; offset += 4) {
        if (word_at(model, offset) != word_at(rtl, offset)) {
            print_difference(comparison, offset);
            return false;
        }
    }
    return true;
}

static bool compare_program(struct comparison *comparison, uint64_t seed) {
    const struct program_options options = {
        .seed = seed, .items = ITEMS, .has_csr = strcmp(comparison->cpu, "picorv32") != 0};
    program_make(&options, comparison->model_ram);
    memcpy(comparison->rtl_ram, comparison->model_ram, PROGRAM_RAM_BYTES);
    if (run_model(comparison) && run_rtl(comparison) && compare(comparison)) {
        return true;
    }
    printf("seed %" PRIu64 "\n", seed);
    return false;
}

static int compare_all(struct comparison *comparison, uint64_t instructions, uint64_t seed) {
    uint64_t programs = 0;
    while (comparison->instructions < instructions) {
        if (!compare_program(comparison, seed + programs)) {
            return EXIT_FAILURE;
        }
        programs++;
    }
    printf("%s: %" PRIu64 " random instructions in %" PRIu64 " programs (%" PRIu64
           " cycles): the registers of %" PRIu64 " checkpoints and all memory as on the model\n",
           comparison->cpu, comparison->instructions, programs, comparison->cycles,
           comparison->checkpoints);
    return EXIT_SUCCESS;
}

/* Not built is a reason to skip. */
static int compare_cpu(const char *cpu, const char *config_name, uint64_t instructions,
                       uint64_t seed) {
    struct weft_error error;
    struct weft_config config;
    struct comparison comparison = {.cpu = cpu};
    if (!weft_config_find(config_name, &config, &error)) {
        printf("%s\n", error.message);
        return EXIT_FAILURE;
    }
    if (!weft_soc_load(cpu, &config, &comparison.library, &error)) {
        printf("skipped: %s\n", error.message);
        return STATUS_SKIPPED;
    }
    comparison.model_ram = aligned_alloc(16, PROGRAM_RAM_BYTES);
    comparison.rtl_ram = aligned_alloc(16, PROGRAM_RAM_BYTES);
    int status = EXIT_FAILURE;
    if (comparison.model_ram != NULL && comparison.rtl_ram != NULL) {
        status = compare_all(&comparison, instructions, seed);
    }
    free(comparison.model_ram);
    free(comparison.rtl_ram);
    weft_soc_unload(&comparison.library);
    return status;
}

int main(int count, char **words) {
    uint64_t instructions = 100000;
    uint64_t seed = 1;
    if (count < 3 || count % 2 == 0) {
        fprintf(stderr, "usage: random_cpu CPU CONFIG [--instructions N] [--seed N]\n");
        return EXIT_FAILURE;
    }
    for (int i = 3; i + 1 < count; i += 2) {
        uint64_t *const value = strcmp(words[i], "--seed") == 0 ? &seed : &instructions;
        *value = strtoull(words[i + 1], NULL, 10);
    }
    return compare_cpu(words[1], words[2], instructions, seed);
}
