/* isa: hardware configurations. */
#include "tests/unit/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "isa/record.h"
#include "tests/unit/folder.h"
#include "tests/unit/helpers.h"

/* JSON of ref16 with one line replaced; `replacement` NULL leaves the line out. */
struct json {
    char text[4096];
    size_t length;
};

static void json_add(struct json *json, const char *line) {
    assert_true(json->length + strlen(line) < sizeof json->text);
    memcpy(json->text + json->length, line, strlen(line) + 1);
    json->length += strlen(line);
}

static struct json json_with(const struct weft_config *config, const char *key,
                             const char *replacement) {
    struct json json = {.text = "{"};
    json.length = 1;
    char line[200];
    (void)snprintf(line, sizeof line, "\"name\": \"%s\"", config->name);
    json_add(&json, strcmp(key, "name") == 0 ? replacement : line);
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        (void)snprintf(line, sizeof line, ",\n\"%s\": %" PRIu32, parameter->name,
                       weft_parameter_get(config, parameter));
        if (strcmp(key, parameter->name) != 0) {
            json_add(&json, line);
        } else if (replacement != NULL) {
            json_add(&json, ",\n");
            json_add(&json, replacement);
        }
    }
    json_add(&json, "\n}\n");
    return json;
}

static bool parse(const struct json *json, struct weft_config *config, struct weft_error *error) {
    return weft_config_parse(json->text, json->length, config, error);
}

static void assert_text_rejected(const char *text, uint64_t position) {
    struct weft_config config;
    struct weft_config before;
    struct weft_error error;
    memset(&config, 0x5a, sizeof config);
    before = config;
    ASSERT_FAILS(weft_config_parse(text, strlen(text), &config, &error), error, WEFT_CONFIG);
    assert_int_equal(error.position, position);
    assert_memory_equal(&config, &before, sizeof config);
}

/* ref16 with the line of `key` replaced is rejected, and the message names `part`. */
static void assert_rejected(const char *key, const char *replacement, const char *part) {
    struct weft_config ref16 = shipped_config_of("ref16");
    struct json json = json_with(&ref16, key, replacement);
    struct weft_config config;
    struct weft_error error;
    ASSERT_FAILS(parse(&json, &config, &error), error, WEFT_CONFIG);
    assert_int_equal(error.position, 0);
    assert_mentions(error.message, part);
}

static void print_and_parse(const struct weft_config *config, struct weft_config *parsed) {
    struct weft_text text = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_config_print(config, &text, &error), error);
    ASSERT_GOOD(weft_config_parse(text.bytes, text.length, parsed, &error), error);
    weft_text_free(&text);
}

static void shipped_configurations_are_read_and_printed(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = shipped_config_of(shipped_configs[i]);
        assert_string_equal(config.name, shipped_configs[i]);
        struct weft_config again;
        print_and_parse(&config, &again);
        assert_memory_equal(&config, &again, sizeof config);
    }
}

static void parameters_have_these_values_in_ref16(void **state) {
    (void)state;
    struct weft_config config = shipped_config_of("ref16");
    assert_int_equal(config.block, 16);
    assert_int_equal(config.memory_width, 8);
    assert_int_equal(config.memory_latency, 100);
    assert_int_equal(config.memory_burst, 256);
    assert_int_equal(config.queue_depth, 8);
    assert_int_equal(config.semaphore_max, 63);
    assert_int_equal(config.matrix_instructions, 4);
}

struct sizes {
    const char *name;
    uint32_t bytes[WEFT_MEMORIES];
    uint32_t bank[WEFT_MEMORIES];
    uint32_t acc_entries;
};

static void memories_and_banks_have_the_sizes_of_the_design(void **state) {
    (void)state;
    enum {
        KB = 1024
    };
    static const struct sizes expected[] = {
        {"ref16",
         {256 * KB, 128 * KB, 64 * KB, 16 * KB, 4 * KB},
         {8 * KB, 16 * KB, 16 * KB, 8 * KB, 4 * KB},
         1024},
        {"small8",
         {64 * KB, 32 * KB, 16 * KB, 4 * KB, 2 * KB},
         {2 * KB, 4 * KB, 4 * KB, 2 * KB, 2 * KB},
         512},
        {"large32",
         {1024 * KB, 512 * KB, 256 * KB, 16 * KB, 8 * KB},
         {32 * KB, 64 * KB, 64 * KB, 8 * KB, 8 * KB},
         2048},
    };
    static const uint32_t banks[WEFT_MEMORIES] = {32, 8, 4, 2, 1};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        struct weft_config config = shipped_config_of(expected[i].name);
        for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
            assert_int_equal(weft_memory_banks[memory], banks[memory]);
            assert_int_equal(weft_banks(&config, (enum weft_memory)memory), banks[memory]);
            assert_int_equal(weft_memory_bytes(&config, (enum weft_memory)memory),
                             expected[i].bytes[memory]);
            assert_int_equal(weft_bank_bytes(&config, (enum weft_memory)memory),
                             expected[i].bank[memory]);
        }
        assert_int_equal(weft_acc_entries(&config), expected[i].acc_entries);
    }
    assert_int_equal(weft_memory_bytes(&(struct weft_config){.block = 8}, WEFT_MEMORIES), 0);
    assert_int_equal(weft_banks(&(struct weft_config){.act_banks = 8}, WEFT_MEMORIES), 0);
}

static void banks_are_parameters(void **state) {
    (void)state;
    struct weft_config config = few_banks_config();
    struct weft_config parsed;
    print_and_parse(&config, &parsed);
    static const uint32_t banks[WEFT_MEMORIES] = {4, 2, 2, 1, 1};
    static const uint32_t masks[WEFT_MEMORIES] = {15, 3, 3, 1, 1};
    static const uint32_t bytes[WEFT_MEMORIES] = {65536, 65536, 32768, 16384, 4096};
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        assert_int_equal(weft_banks(&parsed, (enum weft_memory)memory), banks[memory]);
        assert_int_equal(weft_bank_mask(&parsed, (enum weft_memory)memory), masks[memory]);
        assert_int_equal(weft_bank_bytes(&parsed, (enum weft_memory)memory), bytes[memory]);
    }
    assert_int_equal(weft_acc_bank_entries(&parsed), 512);
    struct weft_config ref16 = shipped_config_of("ref16");
    assert_int_equal(weft_bank_mask(&ref16, WEFT_MEMORY_ACT), UINT32_MAX);
}

static void instructions_name_banks_that_are_there(void **state) {
    (void)state;
    struct weft_config ref16 = shipped_config_of("ref16");
    struct weft_config few = few_banks_config();
    for (unsigned memory = 0; memory < WEFT_MEMORIES; memory++) {
        for (unsigned bank = 0; bank < weft_memory_banks[memory]; bank++) {
            struct weft_instruction load = weft_instruction_new(WEFT_OPCODE_LOAD);
            load.banks[memory] = 1U << bank;
            assert_true(weft_config_takes(&ref16, &load));
            assert_int_equal(weft_config_takes(&few, &load),
                             bank < weft_banks(&few, (enum weft_memory)memory));
        }
    }
    struct weft_instruction fence = weft_instruction_new(WEFT_OPCODE_FENCE);
    assert_true(weft_config_takes(&few, &fence));
    fence.opcode = 0;
    assert_false(weft_config_takes(&ref16, &fence));
    fence.opcode = WEFT_FORMATS;
    assert_false(weft_config_takes(&ref16, &fence));
}

static void instructions_need_features_that_are_there(void **state) {
    (void)state;
    struct weft_config whole = shipped_config_of("ref16");
    for (size_t i = 0; i < NEEDING; i++) {
        const char *parameter = NULL;
        struct weft_instruction instruction = needing(i, &parameter);
        struct weft_config config = whole;
        set_parameter(&config, parameter, 0);
        assert_null(weft_config_lacks(&whole, &instruction));
        assert_true(weft_config_takes(&whole, &instruction));
        const struct weft_feature *lacks = weft_config_lacks(&config, &instruction);
        assert_non_null(lacks);
        assert_string_equal(lacks->name, parameter);
        assert_false(weft_config_takes(&config, &instruction));
    }
    /* A product needs two. */
    struct weft_instruction product = {.opcode = WEFT_OPCODE_VECTOR,
                                       .vector = {.function = WEFT_FUNCTION_MUL}};
    struct weft_config config = whole;
    config.gemmlowp = 0;
    assert_string_equal(weft_config_lacks(&config, &product)->name, "gemmlowp");
    product.vector.function = WEFT_FUNCTION_SQUARED_DIFFERENCE;
    assert_string_equal(weft_config_lacks(&config, &product)->name, "gemmlowp");
}

/* What no feature has to do with is taken by the machine that has none. */
static void machines_without_features_take_the_rest(void **state) {
    (void)state;
    struct weft_config config = shipped_config_of("ref16");
    config.weight_zero_point = config.lookup = config.multiply = config.gemmlowp = 0;
    config.compression = config.performance_counters = config.dense_rows = config.softmax = 0;
    config.activation_zero_point = config.short_records = 0;
    assert_int_equal(weft_memory_bytes(&config, WEFT_MEMORY_LUT), 0);
    for (uint32_t opcode = WEFT_OPCODE_LOAD; opcode <= WEFT_OPCODE_HALT; opcode++) {
        struct weft_instruction instruction = weft_instruction_new((enum weft_opcode)opcode);
        if (opcode != WEFT_OPCODE_VECTOR) {
            assert_true(weft_config_takes(&config, &instruction));
            continue;
        }
        static const uint32_t functions[] = {WEFT_FUNCTION_MAX, WEFT_FUNCTION_MIN,
                                             WEFT_FUNCTION_POOL, WEFT_FUNCTION_COPY,
                                             WEFT_FUNCTION_FILL};
        for (size_t i = 0; i < LENGTH(functions); i++) {
            instruction.vector.function = functions[i];
            assert_true(weft_config_takes(&config, &instruction));
        }
        instruction.vector.function = WEFT_FUNCTION_REQUANT;
        instruction.vector.rounding = WEFT_ROUNDING_SINGLE;
        assert_true(weft_config_takes(&config, &instruction));
        instruction.vector.rounding = WEFT_ROUNDING_FLOAT;
        assert_true(weft_config_takes(&config, &instruction));
    }
}

static void records_are_whole_lines(void **state) {
    (void)state;
    assert_int_equal(weft_record_lines(false, false), 4);
    assert_int_equal(weft_record_lines(true, false), 9);
    assert_int_equal(weft_record_lines(true, true), 7);
    static const uint32_t expected[][2] = {{8, 2}, {16, 1}, {32, 1}};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        struct weft_config config = {.block = expected[i][0]};
        assert_int_equal(weft_sum_record_lines(&config), expected[i][1]);
    }
}

static void weight_tiles_have_these_sizes(void **state) {
    (void)state;
    struct weft_config config = {.block = 16};
    struct weft_matrix_fields dense = {.mode = WEFT_MODE_DENSE};
    struct weft_matrix_fields depthwise = {
        .mode = WEFT_MODE_DEPTHWISE, .window_rows = 3, .window_columns = 5};
    assert_int_equal(weft_weight_tile_bytes(&config, &dense), 256);
    assert_int_equal(weft_weight_tile_bytes(&config, &depthwise), 240);
}

static void parameters_at_their_bounds_are_in_range(void **state) {
    (void)state;
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        const uint32_t bounds[] = {parameter->low, parameter->high};
        for (size_t k = 0; k < LENGTH(bounds); k++) {
            struct weft_config ref16 = shipped_config_of("ref16");
            char line[100];
            (void)snprintf(line, sizeof line, "\"%s\": %" PRIu32, parameter->name, bounds[k]);
            struct json json = json_with(&ref16, parameter->name, line);
            struct weft_config config;
            struct weft_error error;
            /* A relation with the others may be broken, but not the range. */
            if (!parse(&json, &config, &error)) {
                assert_int_equal(error.code, WEFT_CONFIG);
                assert_mentions(error.message, "rule broken");
            } else {
                assert_int_equal(weft_parameter_get(&config, parameter), bounds[k]);
            }
        }
    }
}

static void parameters_outside_their_range_are_rejected(void **state) {
    (void)state;
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        const int64_t outside[] = {
            (int64_t)parameter->low - 1,
            (int64_t)parameter->high + 1,
            -1,
            0,
            INT64_C(1) << 32,
            (INT64_C(1) << 32) + parameter->low,
            INT64_MAX,
            INT64_MIN,
        };
        for (size_t k = 0; k < LENGTH(outside); k++) {
            char line[100];
            if (outside[k] == 0 && parameter->low == 0) {
                continue; /* a feature */
            }
            (void)snprintf(line, sizeof line, "\"%s\": %" PRId64, parameter->name, outside[k]);
            assert_rejected(parameter->name, line, parameter->name);
        }
    }
}

static void parameters_must_be_there(void **state) {
    (void)state;
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        assert_rejected(weft_parameter_list[i].name, NULL, weft_parameter_list[i].name);
    }
}

static void parameters_must_be_integers(void **state) {
    (void)state;
    static const char *const values[] = {"16.0", "\"16\"", "true", "null", "[16]", "{}"};
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        for (size_t k = 0; k < LENGTH(values); k++) {
            char line[100];
            (void)snprintf(line, sizeof line, "\"%s\": %s", weft_parameter_list[i].name, values[k]);
            assert_rejected(weft_parameter_list[i].name, line, weft_parameter_list[i].name);
        }
    }
}

static void numbers_that_are_refused_are_shown_as_written(void **state) {
    (void)state;
    assert_rejected("block", "\"block\": 99999999999999999999",
                    "\"block\" is 99999999999999999999, expected 8 to 32");
    assert_rejected("block", "\"block\": -99999999999999999999 ",
                    "\"block\" is -99999999999999999999, expected 8 to 32");
    assert_rejected("block", "\"block\": 12345678901234567890123456789012345678901234567890",
                    "\"block\" is 1234567890123456789012345678901234567890..., expected 8 to 32");
}

static void unknown_keys_are_rejected(void **state) {
    (void)state;
    assert_rejected("block", "\"block\": 16,\n\"blocks\": 16", "blocks");
    assert_rejected("block", "\"block\": 16,\n\"\": 16", "\"\"");
    assert_rejected("block", "\"block\": 16,\n\"Block\": 16", "Block");
}

static void names_are_short_and_plain(void **state) {
    (void)state;
    static const char *const bad[] = {
        "\"name\": \"\"",         "\"name\": \"a b\"",
        "\"name\": \"a/b\"",      "\"name\": \"a.b\"",
        "\"name\": \"\xc3\xa4\"", "\"name\": 5",
        "\"name\": null",         "\"name\": \"abcdefghijabcdefghijabcdefghij12\"",
        "\"nome\": \"a\"",
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        assert_rejected("name", bad[i], "name");
    }
    static const char *const good[] = {"a", "A-z_09", "abcdefghijabcdefghijabcdefghij1"};
    for (size_t i = 0; i < LENGTH(good); i++) {
        struct weft_config before = shipped_config_of("ref16");
        struct weft_config after;
        (void)snprintf(before.name, sizeof before.name, "%s", good[i]);
        print_and_parse(&before, &after);
        assert_string_equal(after.name, good[i]);
    }
}

static void syntax_errors_carry_their_line(void **state) {
    (void)state;
    assert_text_rejected("", 1);
    assert_text_rejected("{\n\"name\": \"a\",\n\"block\" 16\n}\n", 3);
    assert_text_rejected("{\n\"name\": \"a\",\n\n\n\"block\": }\n", 5);
    assert_text_rejected("{\"name\":\n\"a\"}\nx", 3);
    assert_text_rejected("{\"block\": 8,\n\"block\": 8}", 2);
}

static void the_top_must_be_an_object(void **state) {
    (void)state;
    assert_text_rejected("[]", 0);
    assert_text_rejected("{}", 0);
}

static void nul_bytes_in_the_text_are_rejected(void **state) {
    (void)state;
    struct weft_config ref16 = shipped_config_of("ref16");
    struct json json = json_with(&ref16, "", NULL);
    json.length++;
    struct weft_config config;
    struct weft_error error;
    ASSERT_FAILS(parse(&json, &config, &error), error, WEFT_CONFIG);
    assert_text_rejected("{\"block\": 8,\n\"name\": \"a\\u0000b\"}", 2);
}

struct change {
    const char *name;
    uint32_t value;
};

/* `config` is good; with the changes a relation is broken. */
static void assert_relation(const char *config, const struct change *changes, size_t count,
                            const char *rule) {
    struct weft_config changed = shipped_config_of(config);
    for (size_t i = 0; i < count; i++) {
        set_parameter(&changed, changes[i].name, changes[i].value);
    }
    struct json json = json_with(&changed, "", NULL);
    struct weft_config parsed;
    struct weft_error error;
    ASSERT_FAILS(parse(&json, &parsed, &error), error, WEFT_CONFIG);
    assert_int_equal(error.position, 0);
    assert_mentions(error.message, rule);
}

static void one_parameter_can_break_a_relation(void **state) {
    (void)state;
    static const struct {
        const char *config;
        struct change change;
        const char *rule;
    } cases[] = {
        {"ref16", {"block", 12}, "block is a power of two"},
        {"ref16", {"block", 24}, "block is a power of two"},
        {"ref16", {"act_bytes", 262144 - 8192}, "powers of two"},
        {"ref16", {"wgt_bytes", 131072 + 4096}, "powers of two"},
        {"ref16", {"acc_bytes", 65537}, "powers of two"},
        {"ref16", {"par_bytes", 3000}, "powers of two"},
        {"ref16", {"act_banks", 12}, "numbers of banks are powers of two"},
        {"ref16", {"wgt_banks", 6}, "numbers of banks are powers of two"},
        {"ref16", {"acc_banks", 3}, "numbers of banks are powers of two"},
        {"ref16", {"act_bytes", 4194304}, "ACT has at most 131072 lines"},
        {"small8", {"act_bytes", 1024}, "expected 2048 to 4194304"},
        {"ref16", {"act_bytes", 2048}, "an ACT bank holds at least two lines"},
        {"large32", {"act_bytes", 4096}, "an ACT bank holds at least two lines"},
        {"small8", {"act_bytes", 2097152}, "ACT has at most 131072 lines"},
        {"large32", {"wgt_bytes", 4096}, "a WGT bank holds at least one weight tile"},
        {"large32", {"acc_bytes", 8192}, "an ACC bank holds at least B entries"},
        {"small8", {"acc_bytes", 1048576}, "ACC has at most 16384 entries"},
        {"ref16", {"memory_width", 12}, "memory_width"},
        {"ref16", {"memory_width", 32}, "memory_width"},
        {"ref16", {"memory_burst", 192}, "memory_burst is a power of two"},
        {"ref16", {"fetch_buffer", 12}, "fetch_buffer"},
        {"ref16", {"load_beats", 64}, "load_beats"},
        {"ref16", {"store_beats", 64}, "store_beats"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct change changes[] = {cases[i].change, {"memory_burst", 1024}};
        bool beats = strstr(cases[i].change.name, "_beats") != NULL;
        assert_relation(cases[i].config, changes, beats ? 2 : 1, cases[i].rule);
    }
}

static void bursts_must_fit_the_fetch_buffer(void **state) {
    (void)state;
    const struct change changes[] = {{"memory_burst", 1024}, {"fetch_buffer", 8}};
    assert_relation("large32", changes, LENGTH(changes), "fetch_buffer");
}

static void relations_hold_at_their_edge(void **state) {
    (void)state;
    static const struct {
        const char *config;
        struct change change;
    } cases[] = {
        {"ref16", {"act_bytes", 2097152}},   {"ref16", {"act_bytes", 4096}},
        {"large32", {"act_bytes", 8192}},    {"large32", {"wgt_bytes", 8192}},
        {"small8", {"act_bytes", 2048}},     {"small8", {"wgt_bytes", 2048}},
        {"small8", {"act_bytes", 1048576}},  {"large32", {"act_bytes", 4194304}},
        {"ref16", {"wgt_bytes", 2048}},      {"small8", {"wgt_bytes", 1048576}},
        {"large32", {"act_banks", 4}},       {"large32", {"wgt_banks", 2}},
        {"large32", {"acc_banks", 2}},       {"large32", {"par_banks", 1}},
        {"large32", {"acc_bytes", 16384}},   {"small8", {"acc_bytes", 524288}},
        {"large32", {"par_bytes", 1024}},    {"small8", {"par_bytes", 131072}},
        {"ref16", {"memory_width", 16}},     {"large32", {"fetch_buffer", 8}},
        {"large32", {"memory_burst", 1024}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct weft_config config = shipped_config_of(cases[i].config);
        struct weft_config parsed;
        set_parameter(&config, cases[i].change.name, cases[i].change.value);
        print_and_parse(&config, &parsed);
        assert_memory_equal(&config, &parsed, sizeof config);
    }
}

/* Every power of two of ACT from 2 KB to what 131072 lines are, and of WGT from 2 KB to 1 MB, is
 * legal with banks enough for it. */
static void every_size_has_a_number_of_banks(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = shipped_config_of(shipped_configs[i]);
        for (uint32_t act = 2048; act <= config.block << 17; act *= 2) {
            for (uint32_t wgt = 2048; wgt <= 1048576; wgt *= 2) {
                struct weft_config sized = config;
                struct weft_config parsed;
                sized.act_bytes = act;
                sized.wgt_bytes = wgt;
                sized.act_banks = (uint32_t)weft_min(32, act / (8 * config.block));
                sized.wgt_banks = (uint32_t)weft_min(8, wgt / (config.block * config.block));
                assert_true(sized.act_banks >= 8 && sized.wgt_banks >= 2);
                print_and_parse(&sized, &parsed);
                assert_memory_equal(&sized, &parsed, sizeof sized);
            }
        }
    }
}

static void fingerprints_follow_every_parameter_and_not_the_name(void **state) {
    (void)state;
    struct weft_config config = shipped_config_of("ref16");
    uint64_t before = weft_config_fingerprint(&config);
    uint64_t seen[WEFT_PARAMETERS];
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        struct weft_config changed = config;
        set_parameter(&changed, weft_parameter_list[i].name,
                      weft_parameter_get(&config, &weft_parameter_list[i]) + 1);
        seen[i] = weft_config_fingerprint(&changed);
        assert_true(seen[i] != before);
        for (size_t k = 0; k < i; k++) {
            assert_true(seen[i] != seen[k]);
        }
    }
    (void)snprintf(config.name, sizeof config.name, "other");
    assert_true(weft_config_fingerprint(&config) == before);
}

static void missing_files_are_io_errors(void **state) {
    (void)state;
    struct weft_config config;
    struct weft_error error;
    ASSERT_FAILS(weft_config_read(WEFT_SOURCE_DIR "/hw/configs/none.json", &config, &error), error,
                 WEFT_IO);
    ASSERT_FAILS(weft_config_read(WEFT_SOURCE_DIR "/LICENSE", &config, &error), error, WEFT_CONFIG);
}

/* Both ends of every range are values of machines that keep the rules: what docs/isa.md says is
 * what is read. */
static void ends_of_ranges_are_reached(void **state) {
    (void)state;
    for (size_t i = 0; i < WEFT_PARAMETERS; i++) {
        const struct weft_parameter *parameter = &weft_parameter_list[i];
        const uint32_t ends[] = {parameter->low, parameter->high};
        for (size_t k = 0; k < LENGTH(ends); k++) {
            bool reached = false;
            for (size_t n = 0; n < SHIPPED_CONFIGS; n++) {
                struct weft_config config = shipped_config_of(shipped_configs[n]);
                struct weft_error error;
                config.memory_width = config.block;
                config.memory_burst = 256;
                config.act_banks = 4;
                config.wgt_banks = config.acc_banks = 2;
                set_parameter(&config, parameter->name, ends[k]);
                reached = reached || weft_config_check(&config, &error);
            }
            if (!reached) {
                print_error("no machine has %s = %" PRIu32 "\n", parameter->name, ends[k]);
            }
            assert_true(reached);
        }
    }
}

/* Who reads the name of a built-in configuration can rely on it. */
static void names_of_built_in_configurations_are_theirs(void **state) {
    (void)state;
    static const struct {
        const char *file, *name;
        uint32_t latency;
        const char *message; /* NULL: it is read */
    } cases[] = {
        {"ref16.json", "ref16", 100, NULL},
        {"ref16", "mine", 100, NULL},
        {"mine.json", "mine", 50, NULL},
        {"mine.json", "ref16", 100, NULL},
        {"ref16.json.old", "mine", 50, NULL},
        {"xref16.json", "mine", 50, NULL},
        {"mine.json", "ref16", 50, "it is called ref16, as a built-in configuration is, whose "},
        {"ref16.json", "mine", 50, "it is called ref16, as a built-in configuration is, whose "},
        {"small8", "mine", 100, "it is called small8, as a built-in configuration is, whose "},
        {"mine.json", "mine", 1, "\"memory_latency\" is 1, expected 4 to 4096"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct folder folder = folder_new();
        struct weft_config config = shipped_config_of("ref16");
        struct weft_config found;
        struct weft_error error;
        struct weft_text text = {0};
        (void)snprintf(config.name, sizeof config.name, "%s", cases[i].name);
        config.memory_latency = cases[i].latency;
        ASSERT_GOOD(weft_config_print(&config, &text, &error), error);
        const char *path = folder_write(&folder, cases[i].file, text.bytes, text.length);
        weft_text_free(&text);
        if (cases[i].message == NULL) {
            ASSERT_GOOD(weft_config_find(path, &found, &error), error);
            assert_memory_equal(&found, &config, sizeof config);
        } else {
            ASSERT_FAILS(weft_config_find(path, &found, &error), error, WEFT_CONFIG);
            assert_mentions(error.message, cases[i].message);
            assert_mentions(error.message, "configuration /");
            assert_mentions(error.message, path);
        }
        folder_free(&folder);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_ranges_are_reached),
        cmocka_unit_test(names_of_built_in_configurations_are_theirs),
        cmocka_unit_test(shipped_configurations_are_read_and_printed),
        cmocka_unit_test(parameters_have_these_values_in_ref16),
        cmocka_unit_test(memories_and_banks_have_the_sizes_of_the_design),
        cmocka_unit_test(banks_are_parameters),
        cmocka_unit_test(instructions_name_banks_that_are_there),
        cmocka_unit_test(instructions_need_features_that_are_there),
        cmocka_unit_test(machines_without_features_take_the_rest),
        cmocka_unit_test(records_are_whole_lines),
        cmocka_unit_test(weight_tiles_have_these_sizes),
        cmocka_unit_test(parameters_at_their_bounds_are_in_range),
        cmocka_unit_test(parameters_outside_their_range_are_rejected),
        cmocka_unit_test(parameters_must_be_there),
        cmocka_unit_test(parameters_must_be_integers),
        cmocka_unit_test(numbers_that_are_refused_are_shown_as_written),
        cmocka_unit_test(unknown_keys_are_rejected),
        cmocka_unit_test(names_are_short_and_plain),
        cmocka_unit_test(syntax_errors_carry_their_line),
        cmocka_unit_test(the_top_must_be_an_object),
        cmocka_unit_test(nul_bytes_in_the_text_are_rejected),
        cmocka_unit_test(one_parameter_can_break_a_relation),
        cmocka_unit_test(bursts_must_fit_the_fetch_buffer),
        cmocka_unit_test(relations_hold_at_their_edge),
        cmocka_unit_test(every_size_has_a_number_of_banks),
        cmocka_unit_test(fingerprints_follow_every_parameter_and_not_the_name),
        cmocka_unit_test(missing_files_are_io_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
