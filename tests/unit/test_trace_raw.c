/* sim/trace/raw.h: what is written is read back, and nothing else is. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "sim/trace/raw.h"
#include "tests/cosim/random_fault.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/trace.h"
#include "tests/unit/helpers.h"

enum {
    HEADER = 24
};

static struct weft_error error;

static struct weft_trace trace_of(const struct weft_config *config, uint64_t seed, bool fault) {
    struct cosim_case test;
    struct weft_trace trace;
    ASSERT_GOOD(fault ? random_fault(config, seed, &test, &error)
                      : random_program(config, seed, 60, &test, &error),
                error);
    ASSERT_GOOD(trace_record(&test, &trace, &error), error);
    case_free(&test);
    return trace;
}

static struct weft_text text_of(const struct weft_trace *trace) {
    struct weft_text text = {0};
    ASSERT_GOOD(weft_trace_print(trace, &text, &error) && weft_text_finish(&text, &error), error);
    return text;
}

static void assert_same_trace(const struct weft_trace *a, const struct weft_trace *b) {
    struct weft_text first = text_of(a);
    struct weft_text second = text_of(b);
    assert_string_equal(first.bytes, second.bytes);
    assert_int_equal(a->settings.watchdog, b->settings.watchdog);
    assert_int_equal(a->burst_count, b->burst_count);
    assert_int_equal(a->program.count, b->program.count);
    for (size_t i = 0; i < a->burst_count; i++) {
        assert_int_equal(a->bursts[i].first, b->bursts[i].first);
    }
    weft_text_free(&first);
    weft_text_free(&second);
}

/* ---- good files ---- */

static void traces_are_read_back(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct weft_config config = config_of(shipped_configs[i]);
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct weft_trace traces[3] = {trace_of(&config, seed, false),
                                           trace_of(&config, seed + 100, false),
                                           trace_of(&config, seed + 200, false)};
            const struct weft_trace_file file = {traces, seed % 4};
            struct weft_trace_file back;
            struct weft_config read;
            uint8_t *bytes = NULL;
            size_t length = 0;
            ASSERT_GOOD(weft_trace_write(&config, &file, &bytes, &length, &error), error);
            ASSERT_GOOD(weft_trace_read(bytes, length, 0, &read, &back, &error), error);
            assert_string_equal(read.name, config.name);
            assert_int_equal(back.count, file.count);
            for (size_t k = 0; k < back.count; k++) {
                assert_same_trace(&traces[k], &back.segments[k]);
            }
            weft_trace_file_free(&back);
            free(bytes);
            for (int k = 0; k < 3; k++) {
                weft_trace_free(&traces[k]);
            }
        }
    }
}

/* Runs that stop in the middle have instructions of which the end is missing. */
static void traces_of_faults_are_read_back(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    unsigned read_back = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct weft_trace trace = trace_of(&config, seed, true);
        const struct weft_trace_file file = {&trace, 1};
        struct weft_trace_file back;
        struct weft_config read;
        uint8_t *bytes = NULL;
        size_t length = 0;
        if (trace.result.fault == WEFT_FAULT_ENCODING) {
            ASSERT_FAILS(weft_trace_write(&config, &file, &bytes, &length, &error), error,
                         WEFT_ENCODING);
        } else {
            ASSERT_GOOD(weft_trace_write(&config, &file, &bytes, &length, &error), error);
            ASSERT_GOOD(weft_trace_read(bytes, length, 0, &read, &back, &error), error);
            assert_same_trace(&trace, &back.segments[0]);
            weft_trace_file_free(&back);
            free(bytes);
            read_back++;
        }
        weft_trace_free(&trace);
    }
    assert_true(read_back > 30);
}

static void the_text_tells_everything_in_order(void **state) {
    (void)state;
    struct weft_config config = config_of("ref16");
    struct weft_program program = {0};
    struct weft_timing_settings settings = {.regions = {.limit = {128, 1024}, .writable = 6}};
    struct weft_trace trace;
    static const char source[] = "load act_banks=0 memory=act region=1 address=16 run=32\nhalt\n";
    ASSERT_GOOD(weft_assemble(source, strlen(source), &program, &error), error);
    ASSERT_GOOD(
        weft_trace_record(&config, program.instructions, 2, &settings, NULL, &trace, &error),
        error);
    struct weft_text text = text_of(&trace);
    static const char *const parts[] = {
        "; configuration ref16, memory latency 100, interval 1\n",
        "; bytes of the regions: 128 1024 0 0 0 0 0 0, writable: 1 2\n",
        "; 2 instructions, 223 cycles, fault: no fault\n",
        "; load_bytes 32\n",
        "         1 counting    load: load_empty\n",
        "         1 burst       0 fetch, 128 bytes at 0, first beat in 101\n",
        " dispatched  0\n",
        " started     0 load act_banks=0 memory=act region=1 address=16 run=32\n",
        " burst       0 load, 32 bytes at 16, first beat in 2",
        " finished    0\n",
        " counting    load: load_empty\n",
        " dispatched  1\n",
    };
    const char *at = text.bytes;
    for (size_t i = 0; i < LENGTH(parts); i++) {
        const char *found = strstr(at, parts[i]);
        if (found == NULL) {
            fail_msg("no '%s' in:\n%s", parts[i], text.bytes);
        }
        at = found == NULL ? at : found + 1;
    }
    weft_text_free(&text);
    weft_trace_free(&trace);
    weft_program_free(&program);
}

/* ---- bad files ---- */

/* A good file. */
struct file {
    uint8_t *bytes;
    size_t length;
};

static struct file good_file(void) {
    struct weft_config config = config_of("ref16");
    struct weft_trace trace = trace_of(&config, 3, false);
    const struct weft_trace_file traces = {&trace, 1};
    struct file file;
    ASSERT_GOOD(weft_trace_write(&config, &traces, &file.bytes, &file.length, &error), error);
    weft_trace_free(&trace);
    return file;
}

static bool reads(const uint8_t *bytes, size_t length) {
    struct weft_config config;
    struct weft_trace_file file;
    bool good = weft_trace_read(bytes, length, 0, &config, &file, &error);
    if (good) {
        weft_trace_file_free(&file);
    }
    return good;
}

/* Asserts that the bytes, in a buffer of their own so that reading past them is seen, are refused,
 * for a reason that has a part. */
static void assert_refused(const uint8_t *bytes, size_t length, const char *part) {
    uint8_t *copy = malloc(length + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    ASSERT_FAILS(reads(copy, length), error, WEFT_TRACE);
    assert_mentions(error.message, part);
    free(copy);
}

/* A file whose inflated content is given. */
static struct file packed(const uint8_t *raw, size_t length, uint64_t claimed) {
    uLongf stored = compressBound((uLong)length);
    struct file file = {.bytes = malloc(HEADER + stored)};
    assert_non_null(file.bytes);
    assert_int_equal(compress2(file.bytes + HEADER, &stored, raw, (uLong)length, 1), Z_OK);
    memcpy(file.bytes, "WTRC\r\n\x1a\n", 8);
    weft_write_u32(file.bytes + 8, 3);
    weft_write_u32(file.bytes + 12, (uint32_t)crc32_z(0, file.bytes + HEADER, stored));
    weft_write_u64(file.bytes + 16, claimed);
    file.length = HEADER + stored;
    return file;
}

static uint8_t *unpacked(const struct file *file, size_t *length) {
    uLongf raw = (uLongf)weft_read_u64(file->bytes + 16);
    uint8_t *bytes = malloc(raw);
    assert_non_null(bytes);
    assert_int_equal(uncompress(bytes, &raw, file->bytes + HEADER, (uLong)(file->length - HEADER)),
                     Z_OK);
    *length = raw;
    return bytes;
}

static void damaged_files_are_refused(void **state) {
    (void)state;
    struct file file = good_file();
    assert_true(reads(file.bytes, file.length));
    for (size_t cut = 0; cut < file.length; cut += cut < HEADER ? 1 : 97) {
        assert_refused(file.bytes, cut, cut < HEADER ? "does not begin" : "");
    }
    for (size_t at = 0; at < file.length; at += at < HEADER ? 1 : 53) {
        file.bytes[at] ^= 0x10;
        assert_refused(file.bytes, file.length, "");
        file.bytes[at] ^= 0x10;
    }
    file.bytes[8] = 4;
    assert_refused(file.bytes, file.length, "version 4, expected 3");
    file.bytes[8] = 3;
    file.bytes[12]++;
    assert_refused(file.bytes, file.length, "wrong checksum");
    free(file.bytes);
}

static void lies_about_the_size_are_refused(void **state) {
    (void)state;
    struct file good = good_file();
    size_t length = 0;
    uint8_t *raw = unpacked(&good, &length);
    static const char damaged[] = "damaged";
    const struct {
        uint64_t claimed;
        const char *part;
    } lies[] = {
        {length - 1, damaged},
        {length + 1, damaged},
        {WEFT_TRACE_LIMIT + 1, "cannot be in this file"},
        {UINT64_MAX, "cannot be in this file"},
        {2000 * length, "cannot be in this file"},
    };
    for (size_t i = 0; i < LENGTH(lies); i++) {
        struct file file = packed(raw, length, lies[i].claimed);
        assert_refused(file.bytes, file.length, lies[i].part);
        free(file.bytes);
    }
    raw = realloc(raw, length + 1);
    assert_non_null(raw);
    raw[length] = 0;
    struct file file = packed(raw, length + 1, length + 1);
    assert_refused(file.bytes, file.length, "bytes are left over");
    free(file.bytes);
    free(raw);
    free(good.bytes);
}

/* Content that ends early, at any byte. */
static void content_that_ends_early_is_refused(void **state) {
    (void)state;
    struct file good = good_file();
    size_t length = 0;
    uint8_t *raw = unpacked(&good, &length);
    for (size_t cut = 0; cut < length; cut += 7) {
        struct file file = packed(raw, cut, cut);
        assert_refused(file.bytes, file.length, "byte ");
        free(file.bytes);
    }
    free(raw);
    free(good.bytes);
}

/* Content with any byte changed is refused, or is a trace that can be printed. */
static void changed_content_does_no_harm(void **state) {
    (void)state;
    struct file good = good_file();
    size_t length = 0;
    unsigned refused = 0;
    uint8_t *raw = unpacked(&good, &length);
    for (size_t at = 0; at < length; at += 3) {
        uint8_t before = raw[at];
        raw[at] = at % 2 == 0 ? 0xff : (uint8_t)(before + 1);
        struct file file = packed(raw, length, length);
        struct weft_config config;
        struct weft_trace_file traces;
        if (weft_trace_read(file.bytes, file.length, 0, &config, &traces, &error)) {
            for (size_t i = 0; i < traces.count; i++) {
                struct weft_text text = text_of(&traces.segments[i]);
                weft_text_free(&text);
            }
            weft_trace_file_free(&traces);
        } else {
            refused++;
        }
        free(file.bytes);
        raw[at] = before;
    }
    assert_true(refused > length / 12);
    free(raw);
    free(good.bytes);
}

static void another_configuration_is_refused(void **state) {
    (void)state;
    struct file good = good_file();
    size_t length = 0;
    uint8_t *raw = unpacked(&good, &length);
    raw[0] ^= 1; /* of the fingerprint */
    struct file file = packed(raw, length, length);
    ASSERT_FAILS(reads(file.bytes, file.length), error, WEFT_FINGERPRINT);
    free(file.bytes);
    free(raw);
    free(good.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_read_back),
        cmocka_unit_test(traces_of_faults_are_read_back),
        cmocka_unit_test(the_text_tells_everything_in_order),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(lies_about_the_size_are_refused),
        cmocka_unit_test(content_that_ends_early_is_refused),
        cmocka_unit_test(changed_content_does_no_harm),
        cmocka_unit_test(another_configuration_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
