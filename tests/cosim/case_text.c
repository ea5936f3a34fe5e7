/* Cases as assembly with comments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cosim/case.h"

/* ---- printing ---- */

static void print_settings(const struct cosim_case *test, struct weft_text *text) {
    weft_text_add(text, ";! config %s\n", test->config->name);
    weft_text_add(text, ";! seed %" PRIu64 "\n", test->seed);
    weft_text_add(text, ";! data %" PRIu64 "\n", test->data_seed);
    weft_text_add(text, ";! latency %" PRIu64 "\n", test->memory_latency);
    weft_text_add(text, ";! interval %" PRIu64 "\n", test->memory_interval);
    if (test->memory_dram != WEFT_DRAM_NONE) {
        weft_text_add(text, ";! dram %" PRIu64 "\n", test->memory_dram);
        weft_text_add(text, ";! clock %" PRIu64 "\n", test->memory_clock);
    }
    weft_text_add(text, ";! watchdog %" PRIu64 "\n", test->watchdog);
    weft_text_add(text, ";! timing_only %d\n", test->timing_only);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        weft_text_add(text, ";! limit%u %" PRIu64 "\n", i, test->regions.limit[i]);
    }
    weft_text_add(text, ";! writable %" PRIu32 "\n", test->regions.writable);
}

static void print_raw(const struct cosim_raw *raw, struct weft_text *text) {
    weft_text_add(text, ";! raw%" PRIu32 " ", raw->number);
    for (unsigned i = 0; i < sizeof raw->bytes; i++) {
        weft_text_add(text, "%02x", raw->bytes[i]);
    }
    weft_text_add(text, "\n");
}

void case_print(const struct cosim_case *test, struct weft_text *text) {
    print_settings(test, text);
    for (uint32_t i = 0; i < test->program.count; i++) {
        const struct cosim_raw *raw = case_raw_at(test, i);
        if (raw != NULL) {
            print_raw(raw, text);
            weft_text_add(text, "fence ; its place is taken by the bytes above\n");
        } else {
            weft_disassemble(&test->program.instructions[i], text);
            weft_text_add(text, "\n");
        }
    }
}

/* ---- reading ---- */

struct setting {
    char name[16];
    char value[2 * WEFT_INSTRUCTION_BYTES + 1];
};

struct text_reader {
    struct cosim_case *test;
    struct weft_config *config;
    uint64_t line;
    struct weft_error *error;
};

static bool parse_raw(const struct text_reader *reader, uint32_t number, const char *digits) {
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct cosim_case *test = reader->test;
    if (strlen(digits) != 2 * sizeof bytes || test->raws == CASE_RAWS) {
        return weft_fail(reader->error, WEFT_ASSEMBLY, reader->line,
                         "line %" PRIu64 ": expected 64 bytes, of at most %d instructions",
                         reader->line, CASE_RAWS);
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    struct cosim_raw *raw = &test->raw[test->raws++];
    raw->number = number;
    memcpy(raw->bytes, bytes, sizeof raw->bytes);
    return true;
}

/* A name that ends in a number: limit3, raw12. */
static bool is_numbered(const char *name, const char *prefix, uint32_t *number) {
    size_t length = strlen(prefix);
    char *end = NULL;
    *number = strncmp(name, prefix, length) == 0 ? (uint32_t)strtoul(name + length, &end, 10) : 0;
    return end != NULL && end != name + length && *end == '\0';
}

static bool set(const struct text_reader *reader, const struct setting *setting) {
    struct cosim_case *test = reader->test;
    uint64_t value = strtoull(setting->value, NULL, 10);
    uint32_t number = 0;
    const struct {
        const char *name;
        uint64_t *to;
    } numbers[] = {
        {"seed", &test->seed},
        {"data", &test->data_seed},
        {"latency", &test->memory_latency},
        {"interval", &test->memory_interval},
        {"dram", &test->memory_dram},
        {"clock", &test->memory_clock},
        {"watchdog", &test->watchdog},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(setting->name, numbers[i].name) == 0) {
            *numbers[i].to = value;
            return true;
        }
    }
    if (strcmp(setting->name, "writable") == 0) {
        test->regions.writable = (uint32_t)value;
        return true;
    }
    if (strcmp(setting->name, "timing_only") == 0) {
        test->timing_only = value != 0;
        return true;
    }
    if (strcmp(setting->name, "config") == 0) {
        test->config = reader->config;
        return case_config(setting->value, reader->config, reader->error);
    }
    if (is_numbered(setting->name, "limit", &number) && number < WEFT_REGIONS) {
        test->regions.limit[number] = value;
        return true;
    }
    if (is_numbered(setting->name, "raw", &number)) {
        return parse_raw(reader, number, setting->value);
    }
    return weft_fail(reader->error, WEFT_ASSEMBLY, reader->line, "line %" PRIu64 ": no setting %s",
                     reader->line, setting->name);
}

static bool parse_settings(const char *source, size_t length, struct text_reader *reader) {
    for (const char *at = source; at < source + length;) {
        const char *newline = memchr(at, '\n', (size_t)(source + length - at));
        const char *end = newline == NULL ? source + length : newline;
        reader->line++;
        char line[256] = "";
        memcpy(line, at, (size_t)(end - at) < sizeof line ? (size_t)(end - at) : 0);
        struct setting setting;
        if (strncmp(line, ";!", 2) == 0) {
            if (sscanf(line + 2, " %15s %128s", setting.name, setting.value) != 2) {
                return weft_fail(reader->error, WEFT_ASSEMBLY, reader->line,
                                 "line %" PRIu64 ": expected ;! NAME VALUE", reader->line);
            }
            if (!set(reader, &setting)) {
                return false;
            }
        }
        at = end + 1;
    }
    return true;
}

static bool is_complete(const struct text_reader *reader) {
    const struct cosim_case *test = reader->test;
    bool has_clock =
        test->memory_clock >= WEFT_DRAM_LEAST_CLOCK && test->memory_clock <= WEFT_DRAM_MOST_CLOCK;
    bool good = test->config != NULL && test->memory_latency != 0 && test->memory_interval != 0 &&
                test->memory_dram < WEFT_DRAMS && (test->memory_dram == 0 || has_clock);
    for (unsigned i = 0; good && i < test->raws; i++) {
        struct weft_instruction instruction;
        struct weft_error ignored;
        good = test->raw[i].number < test->program.count &&
               !weft_decode(test->raw[i].bytes, &instruction, &ignored);
    }
    return good ||
           weft_fail(
               reader->error, WEFT_ASSEMBLY, 0,
               "a case needs config, latency and interval, with DRAM a clock; raw bytes stand for "
               "instructions of the program and do not decode");
}

bool case_parse(const char *source, size_t length, struct weft_config *config,
                struct cosim_case *test, struct weft_error *error) {
    struct cosim_case read = {0};
    struct text_reader reader = {.test = &read, .config = config, .error = error};
    if (!parse_settings(source, length, &reader) ||
        !weft_assemble(source, length, &read.program, error)) {
        return false;
    }
    if (!is_complete(&reader)) {
        case_free(&read);
        return false;
    }
    for (unsigned i = 0; i < read.raws; i++) {
        memset(&read.program.instructions[read.raw[i].number], 0, sizeof(struct weft_instruction));
    }
    *test = read;
    return true;
}
