/* Every error of base/error_codes.def: each is provoked here through the headers that callers use.
 *
 * The table at the end is made from the list of codes: a new code does not compile until there is a
 * function that provokes it. Programs are written as assembly. */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "compiler/host/host.h"
#include "compiler/schedule/schedule.h"
#include "driver/energy.h"
#include "driver/lockstep.h"
#include "driver/plugins.h"
#include "sim/trace/raw.h"
#include "sweep/definition.h"
#include "tests/unit/fake_rtl.h"
#include "tests/unit/folder.h"
#include "tests/unit/remote_bytes.h"
#include "tests/unit/remote_server.h"

/* The function that provokes a code: returns what the call returned. */
#define PROVOKE(code) static bool provoke_##code(struct weft_error *error)

/* ---- the digits network, compiled once ---- */

static struct {
    uint8_t *model;
    size_t length;
    struct weft_config config;
    struct weft_module *module;
} digits;

static bool compile_digits(const struct weft_config *config, struct weft_module **module,
                           struct weft_error *error) {
    struct weft_compile_options options = {.model_name = "digits"};
    return weft_compile(digits.model, digits.length, config, &options, module, error);
}

static int open_digits(void **state) {
    (void)state;
    struct weft_error error;
    return weft_file_read(WEFT_SOURCE_DIR "/models/digits/digits.tflite", &digits.model,
                          &digits.length, &error) &&
                   weft_config_find("ref16", &digits.config, &error) &&
                   compile_digits(&digits.config, &digits.module, &error)
               ? 0
               : -1;
}

static int close_digits(void **state) {
    (void)state;
    weft_module_free(digits.module);
    free(digits.model);
    return 0;
}

static struct weft_session *open_session(const struct weft_session_options *options) {
    struct weft_session *session = NULL;
    struct weft_error error;
    ASSERT_GOOD(weft_session_open("cycle", digits.module, options, &session, &error), error);
    return session;
}

/* ---- base ---- */

PROVOKE(OUT_OF_MEMORY) {
    return weft_allocate(SIZE_MAX, 1, "everything", error) != NULL;
}

PROVOKE(IO) {
    uint8_t *bytes = NULL;
    size_t length = 0;
    return weft_file_read(WEFT_SOURCE_DIR, &bytes, &length, error);
}

PROVOKE(LIMIT) {
    struct folder folder = folder_new();
    uint8_t *bytes = NULL;
    size_t length = 0;
    const char *path = folder_write(&folder, "large", "", 0);
    assert_int_equal(truncate(path, (off_t)WEFT_FILE_LIMIT + 1), 0);
    bool good = weft_file_read(path, &bytes, &length, error);
    folder_free(&folder);
    return good;
}

/* ---- isa ---- */

PROVOKE(CONFIG) {
    struct weft_config config;
    return weft_config_parse("{}", 2, &config, error);
}

PROVOKE(ENCODING) {
    uint8_t bytes[WEFT_INSTRUCTION_BYTES];
    struct weft_instruction instruction;
    memset(bytes, 0xff, sizeof bytes);
    return weft_decode(bytes, &instruction, error);
}

PROVOKE(ASSEMBLY) {
    struct weft_program program = {0};
    return weft_assemble("jump 7\n", 7, &program, error);
}

/* ---- isa/verify ---- */

static bool verify(const char *source, struct weft_error *error) {
    struct weft_program program = {0};
    struct weft_proof proof;
    struct weft_config config = digits.config;
    struct weft_regions regions = {.writable =
                                       1U << WEFT_REGION_SCRATCH | 1U << WEFT_REGION_OUTPUTS};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        regions.limit[i] = 1 << 20;
    }
    config.semaphore_max = 1;
    ASSERT_GOOD(weft_assemble(source, strlen(source), &program, error), *error);
    bool good = weft_verify(&config, program.instructions, program.count, &regions, &proof, error);
    weft_program_free(&program);
    return good;
}

PROVOKE(VERIFY_PROGRAM) {
    return verify("fence\n", error);
}

PROVOKE(VERIFY_RESERVED) {
    return verify("vector act_banks=0 function=fill low=1 high=-1\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_WRITE) {
    return verify("store act_banks=0 region=1\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_BOUNDS) {
    return verify("load act_banks=0 memory=act region=3 address=1048576\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_BANKS) {
    return verify("fill act_banks=1 local=0\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_ACCUMULATOR) {
    return verify("matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=dense pixel_count=1,2\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_DEPTHWISE) {
    return verify("matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=depthwise window_rows=5 "
                  "window_columns=1 window_row_stride=16\n"
                  "halt\n",
                  error);
}

/* Two vectors: the second reads what the first has written. */
PROVOKE(VERIFY_OVERLAP) {
    return verify("vector act_banks=0 function=rescale a=0 out=1 count=1,1,2 a_stride=0,0,1 "
                  "out_stride=0,0,1\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_BALANCE) {
    return verify("fill act_banks=0 signal=matrix\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_DEADLOCK) {
    return verify("fill act_banks=0 wait=store signal=store\n"
                  "store act_banks=1 local=8192 region=4 wait=load signal=load\n"
                  "halt\n",
                  error);
}

/* Two tokens that nobody must take before the second is given. */
PROVOKE(VERIFY_OVERFLOW) {
    return verify("fill act_banks=0 signal=store\n"
                  "fill act_banks=0 signal=store\n"
                  "store act_banks=1 local=8192 region=4 wait=load\n"
                  "store act_banks=1 local=8192 region=4 wait=load\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_BANK_RACE) {
    return verify("fill act_banks=0\n"
                  "store act_banks=0 region=4\n"
                  "halt\n",
                  error);
}

PROVOKE(VERIFY_MEMORY_RACE) {
    return verify("store act_banks=0 region=2\n"
                  "load act_banks=1 memory=act local=8192 region=2\n"
                  "halt\n",
                  error);
}

/* ---- compiler ---- */

PROVOKE(MODEL) {
    struct weft_compile_options options = {0};
    struct weft_module *module = NULL;
    return weft_compile((const uint8_t *)"not a model", 11, &digits.config, &options, &module,
                        error);
}

static bool parse_graph(const char *text, struct weft_arena *arena, struct weft_graph **graph,
                        struct weft_error *error) {
    struct weft_blobs blobs = {0};
    assert_int_equal(setjmp(arena->on_failure), 0);
    return weft_graph_parse(arena, text, strlen(text), &blobs, graph, error);
}

PROVOKE(GRAPH) {
    struct weft_arena arena = {0};
    struct weft_graph *graph = NULL;
    bool good = parse_graph("graph main() { return %0 }\n", &arena, &graph, error);
    weft_arena_free(&arena);
    return good;
}

PROVOKE(OPERATOR) {
    struct weft_arena arena = {0};
    struct weft_graph *graph = NULL;
    ASSERT_GOOD(parse_graph("graph main(%0: 1xi8) {\n"
                            "  %1 = opaque(%0) : 1xi8\n"
                            "  return %1\n"
                            "}\n",
                            &arena, &graph, error),
                *error);
    int8_t byte = 0;
    bool good = weft_host_run(graph->nodes[0], (const void *[]){&byte}, (void *[]){&byte}, error);
    weft_arena_free(&arena);
    return good;
}

static bool compile_for(const struct weft_config *config, struct weft_error *error) {
    struct weft_module *module = NULL;
    bool good = compile_digits(config, &module, error);
    weft_module_free(module);
    return good;
}

/* One token at a time is too few for the waits of the program: weft_compile() then gives the
 * region to the host. */
PROVOKE(CAPACITY) {
    struct weft_arena arena = {0};
    struct weft_segment segment;
    struct weft_config config = digits.config;
    const struct weft_node *node = digits.module->graph->nodes[0];
    config.semaphore_max = 1;
    assert_true(weft_is_machine_region(node));
    bool good = weft_schedule_region(&arena, &config, node->body,
                                     &(struct schedule_terms){.frames = 1, .effort = 1}, NULL, NULL,
                                     &segment, error);
    weft_arena_free(&arena);
    return good;
}

/* Stands for what should not happen: a program that does not verify. Without a queue no program
 * can; weft_config_parse() refuses such a machine. */
PROVOKE(INTERNAL) {
    struct weft_config config = digits.config;
    config.queue_depth = 0;
    return compile_for(&config, error);
}

/* Reads the digits network's file with the byte at `flipped` changed, cut after `length` bytes. */
static bool read_changed(size_t flipped, size_t length, struct weft_error *error) {
    struct weft_module *module = NULL;
    uint8_t *file = NULL;
    size_t whole = 0;
    ASSERT_GOOD(weft_module_write(digits.module, &file, &whole, error), *error);
    file[flipped] ^= 1;
    bool good = weft_module_read(file, length < whole ? length : whole, NULL, &module, error);
    weft_module_free(module);
    free(file);
    return good;
}

PROVOKE(CONTAINER) {
    return read_changed(100, 100, error);
}

PROVOKE(FINGERPRINT) {
    return read_changed(16, SIZE_MAX, error);
}

PROVOKE(DECISIONS) {
    struct weft_compile_options options = {.decisions = "{}", .decisions_length = 2};
    struct weft_module *module = NULL;
    return weft_compile(digits.model, digits.length, &digits.config, &options, &module, error);
}

/* ---- driver ---- */

PROVOKE(ARGUMENT) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = open_session(&options);
    bool good = weft_session_set_input(session, 1, "", 1, error);
    weft_session_close(session);
    return good;
}

PROVOKE(TENSOR) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = open_session(&options);
    bool good = weft_session_set_input(session, 0, "", 1, error);
    weft_session_close(session);
    return good;
}

PROVOKE(STATE) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = open_session(&options);
    bool good = weft_session_run(session, error);
    weft_session_close(session);
    return good;
}

PROVOKE(SWEEP) {
    static struct sweep_definition definition;
    bool good = sweep_parse(&definition, "{\"models\": 3}", 13, ".", error);
    sweep_definition_free(&definition);
    return good;
}

PROVOKE(TECHNOLOGY) {
    struct weft_technology technology;
    return weft_technology_parse("{}", 2, &technology, error);
}

PROVOKE(TARGET) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    return weft_session_open("no such target", digits.module, &options, &session, error);
}

PROVOKE(PLUGIN) {
    struct weft_plugins *plugins = NULL;
    bool good = weft_plugins_load(&plugins, WEFT_FAKE_FOLDER "/weft_rtl_small8.so", error);
    weft_plugins_free(plugins);
    return good;
}

PROVOKE(FAULT) {
    struct weft_session_options options = weft_session_defaults();
    options.timing_only = true;
    options.watchdog = 100;
    struct weft_session *session = open_session(&options);
    bool good = weft_session_run(session, error);
    weft_session_close(session);
    return good;
}

PROVOKE(DIVERGENCE) {
    struct weft_lockstep_report report = {0};
    struct weft_session_options options = weft_session_defaults();
    struct weft_session *session = NULL;
    uint8_t picture[16 * 16] = {0};
    options.lockstep = &report;
    assert_int_equal(setenv("WEFT_RTL_PATH", WEFT_FAKE_FOLDER, 1), 0);
    fake_plan = (struct fake_plan){.what = FAKE_LATE_FINISH};
    ASSERT_GOOD(weft_session_open("lockstep", digits.module, &options, &session, error), *error);
    ASSERT_GOOD(weft_session_set_input(session, 0, picture, sizeof picture, error), *error);
    bool good = weft_session_run(session, error);
    weft_session_close(session);
    weft_lockstep_report_free(&report);
    return good;
}

/* ---- cli ---- */

PROVOKE(TRACE) {
    struct weft_config config;
    struct weft_trace_file file;
    return weft_trace_read((const uint8_t *)"no trace", 8, 0, &config, &file, error);
}

PROVOKE(NPY) {
    struct weft_type type = weft_type_make(WEFT_I8, 1, (const int64_t[]){1});
    uint8_t *bytes = NULL;
    return npy_parse((const uint8_t *)"not an array", 12, &type, &bytes, error);
}

PROVOKE(IMAGE) {
    const struct weft_type *type = &digits.module->graph->inputs[0]->type;
    struct image_options options = {0};
    uint8_t *bytes = NULL;
    return image_parse((const uint8_t *)"not a picture", 13, type, &options, &bytes, error);
}

/* ---- driver/remote ---- */

PROVOKE(PROTOCOL) {
    static const char nothing[FRAME_HEADER_BYTES] = "no frame at all";
    *error = remote_bytes_serve(nothing, sizeof nothing, NULL);
    return false;
}

PROVOKE(VERSION) {
    struct weft_text bytes = {0};
    uint8_t fields[FRAME_HELLO_BYTES];
    encode_hello(fields, &(struct frame_hello){PROTOCOL_MAGIC, PROTOCOL_VERSION + 1});
    remote_bytes_add(&bytes, FRAME_HELLO, fields, NULL, 0);
    *error = remote_bytes_serve(bytes.bytes, bytes.length, NULL);
    weft_text_free(&bytes);
    return false;
}

static bool open_remote(const struct remote_server *server, struct weft_session **session,
                        struct weft_error *error) {
    const struct weft_session_options options = remote_options(server);
    return weft_session_open("remote", digits.module, &options, session, error);
}

PROVOKE(REFUSED) {
    const struct weft_server_options options = {.target = "cycle"};
    const struct remote_server server = remote_server_start(&options);
    struct weft_session *session = NULL;
    remote_server_stop(&server);
    return open_remote(&server, &session, error);
}

PROVOKE(LOST) {
    struct remote_program *made = remote_program_new();
    bool good = remote_bytes_be_client(made, NULL, 0, error);
    remote_program_free(made);
    return good;
}

PROVOKE(TIMEOUT) {
    const struct weft_server_options options = {.deadline = 100};
    const struct remote_server server = remote_server_start(&options);
    struct weft_session *session = NULL;
    uint8_t input[16 * 16] = {0};
    ASSERT_GOOD(open_remote(&server, &session, error), *error);
    remote_server_await(&server, false, 0);
    bool good = weft_session_set_input(session, 0, input, sizeof input, error) &&
                weft_session_run(session, error);
    weft_session_close(session);
    remote_server_stop(&server);
    return good;
}

/* One session has the device, one waits, and no more can. */
PROVOKE(BUSY) {
    const struct weft_server_options options = {.waiting = 1};
    const struct remote_server server = remote_server_start(&options);
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    struct weft_session *session = NULL;
    int clients[2];
    remote_bytes_of_client(made, &bytes);
    for (uint32_t i = 0; i < 2; i++) {
        clients[i] = remote_server_connect(&server);
        assert_int_equal(write(clients[i], bytes.bytes, bytes.length), bytes.length);
        remote_server_await(&server, true, i);
    }
    bool good = open_remote(&server, &session, error);
    (void)close(clients[0]);
    (void)close(clients[1]);
    weft_text_free(&bytes);
    remote_program_free(made);
    remote_server_stop(&server);
    return good;
}

/* ---- all ---- */

static const struct {
    enum weft_error_code code;
    bool (*provoke)(struct weft_error *error);
} provocations[] = {
#define WEFT_ERROR(name, text) {WEFT_##name, provoke_##name},
#include "base/error_codes.def"
#undef WEFT_ERROR
};

static bool is_one_line(const char *message) {
    return message[0] != '\0' && strchr(message, '\n') == NULL;
}

static void every_code_can_be_provoked(void **state) {
    (void)state;
    size_t count = sizeof provocations / sizeof provocations[0];
    assert_int_equal(count, WEFT_ERROR_CODES - 1);
    for (size_t i = 0; i < count; i++) {
        struct weft_error error;
        memset(&error, 0, sizeof error);
        bool good = provocations[i].provoke(&error);
        if (good || error.code != provocations[i].code || !is_one_line(error.message)) {
            print_error("%s was provoked, %s came: '%s'\n", weft_error_name(provocations[i].code),
                        good ? "nothing" : weft_error_name(error.code), error.message);
            fail();
        }
    }
}

static void every_code_has_a_name_and_a_text(void **state) {
    (void)state;
    for (unsigned code = 0; code < WEFT_ERROR_CODES; code++) {
        assert_true(is_one_line(weft_error_text((enum weft_error_code)code)));
        for (unsigned other = 0; other < code; other++) {
            assert_string_not_equal(weft_error_name((enum weft_error_code)code),
                                    weft_error_name((enum weft_error_code)other));
            assert_string_not_equal(weft_error_text((enum weft_error_code)code),
                                    weft_error_text((enum weft_error_code)other));
        }
    }
    assert_string_equal(weft_error_name((enum weft_error_code)WEFT_ERROR_CODES), "unknown");
    assert_string_equal(weft_error_text((enum weft_error_code)WEFT_ERROR_CODES), "unknown error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_can_be_provoked),
        cmocka_unit_test(every_code_has_a_name_and_a_text),
    };
    return cmocka_run_group_tests(tests, open_digits, close_digits);
}
