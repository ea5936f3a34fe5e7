/* Writes a .weft file whose first program is broken in one way, and whole otherwise.
 * usage: break_program race|constants|endless X.weft OUT.weft */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/module.h"
#include "sim/timing/bound.h"

static bool is_waiting(const struct weft_instruction *instruction) {
    return instruction->wait != 0;
}

static bool is_store(const struct weft_instruction *instruction) {
    return instruction->opcode == WEFT_OPCODE_STORE;
}

static bool is_load(const struct weft_instruction *instruction) {
    return instruction->opcode == WEFT_OPCODE_LOAD;
}

/* It starts too early. */
static void drop_wait(struct weft_instruction *instruction) {
    instruction->wait = 0;
}

static void store_constants(struct weft_instruction *instruction) {
    instruction->store.region = WEFT_REGION_CONSTANTS;
    instruction->store.address = 0;
}

/* The verifier has nothing against it: the same bytes 65535^3 times. */
static void load_for_ever(struct weft_instruction *instruction) {
    instruction->load.units = 0; /* coded weights are one run */
    instruction->load.base = 0;
    for (unsigned i = 0; i < 3; i++) {
        instruction->load.count[i] = UINT16_MAX;
        instruction->load.address_stride[i] = 0;
        instruction->load.local_stride[i] = 0;
    }
}

static const struct {
    const char *name;
    bool (*is_meant)(const struct weft_instruction *instruction);
    void (*change)(struct weft_instruction *instruction);
} ways[] = {
    {"race", is_waiting, drop_wait},
    {"constants", is_store, store_constants},
    {"endless", is_load, load_for_ever},
};

/* Changes the first instruction that is meant; the bound stays right. */
static bool break_first(struct weft_module *module, const char *name) {
    const struct weft_timing_settings settings = {.memory.latency = 0};
    struct weft_segment *segment = &module->segments[0];
    struct weft_program *program = &segment->program;
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        for (size_t i = 0; strcmp(name, ways[way].name) == 0 && i < program->count; i++) {
            if (ways[way].is_meant(&program->instructions[i])) {
                ways[way].change(&program->instructions[i]);
                segment->bound =
                    weft_bound(&module->config, &settings, program->instructions, program->count);
                return true;
            }
        }
    }
    return false;
}

int main(int argc, char **argv) {
    struct weft_error error = {.message =
                                   "usage: break_program race|constants|endless X.weft OUT.weft"};
    struct weft_module *module = NULL;
    uint8_t *bytes = NULL;
    uint8_t *broken = NULL;
    size_t length = 0;
    bool good = argc == 4 && weft_file_read(argv[2], &bytes, &length, &error) &&
                weft_module_read(bytes, length, NULL, &module, &error) &&
                break_first(module, argv[1]) &&
                weft_module_write(module, &broken, &length, &error) &&
                weft_file_write(argv[3], broken, length, &error);
    if (!good) {
        fprintf(stderr, "break_program: %s\n", error.message);
    }
    weft_module_free(module);
    free(bytes);
    free(broken);
    return good ? 0 : 1;
}
