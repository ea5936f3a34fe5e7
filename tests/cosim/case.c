#include "tests/cosim/case.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isa/verify/verify.h"

bool case_config(const char *name, struct weft_config *config, struct weft_error *error) {
    char path[512];
    (void)snprintf(path, sizeof path, WEFT_SOURCE_DIR "/tests/cosim/%s.json", name);
    return access(path, R_OK) == 0 ? weft_config_read(path, config, error)
                                   : weft_config_find(name, config, error);
}

void case_free(struct cosim_case *test) {
    weft_program_free(&test->program);
    *test = (struct cosim_case){0};
}

bool case_copy(const struct cosim_case *from, struct cosim_case *to, struct weft_error *error) {
    struct cosim_case copy = *from;
    copy.program = (struct weft_program){0};
    for (size_t i = 0; i < from->program.count; i++) {
        if (!weft_program_add(&copy.program, &from->program.instructions[i], error)) {
            weft_program_free(&copy.program);
            return false;
        }
    }
    *to = copy;
    return true;
}

const struct cosim_raw *case_raw_at(const struct cosim_case *test, uint32_t number) {
    for (unsigned i = 0; i < test->raws; i++) {
        if (test->raw[i].number == number) {
            return &test->raw[i];
        }
    }
    return NULL;
}

void case_set_raw(struct cosim_case *test, uint32_t number,
                  const uint8_t bytes[WEFT_INSTRUCTION_BYTES]) {
    struct cosim_raw *raw = &test->raw[test->raws++];
    raw->number = number;
    memcpy(raw->bytes, bytes, sizeof raw->bytes);
    memset(&test->program.instructions[number], 0, sizeof test->program.instructions[number]);
}

bool case_encode(const struct cosim_case *test, uint8_t *bytes, struct weft_error *error) {
    for (uint32_t i = 0; i < test->program.count; i++) {
        const struct cosim_raw *raw = case_raw_at(test, i);
        uint8_t *at = bytes + (size_t)i * WEFT_INSTRUCTION_BYTES;
        if (raw != NULL) {
            memcpy(at, raw->bytes, sizeof raw->bytes);
        } else if (!weft_encode(&test->program.instructions[i], at, error)) {
            error->position = i;
            return weft_fail_context(error, "instruction %u", i);
        }
    }
    return true;
}

struct weft_memory_settings case_memory(const struct cosim_case *test) {
    return (struct weft_memory_settings){.latency = test->memory_latency,
                                         .interval = test->memory_interval,
                                         .dram = (enum weft_dram)test->memory_dram,
                                         .clock = (uint32_t)test->memory_clock};
}

struct weft_timing_settings case_settings(const struct cosim_case *test) {
    return (struct weft_timing_settings){
        .regions = test->regions, .memory = case_memory(test), .watchdog = test->watchdog};
}

bool case_verify(const struct cosim_case *test, struct weft_error *error) {
    struct weft_proof proof;
    return weft_verify(test->config, test->program.instructions, test->program.count,
                       &test->regions, &proof, error);
}
