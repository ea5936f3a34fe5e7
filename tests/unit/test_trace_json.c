/* cli/trace_json.h on the digits network: the JSON holds together, and accounts for every counter.
 */
#include "tests/unit/test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/trace_json.h"
#include "tests/unit/folder.h"
#include "tests/unit/modules.h"

static struct weft_error error;

static bool write_chrome_trace(const char *path, const struct weft_module *module,
                               const struct weft_trace_file *traces, const struct origin *origin,
                               struct weft_error *wrong) {
    struct chrome_trace trace;
    if (!chrome_trace_make(module, traces, origin, &trace, wrong)) {
        return false;
    }
    bool good = weft_file_write_content(path, chrome_trace_write, &trace, wrong);
    chrome_trace_free(&trace);
    return good;
}

/* A written trace. */
struct written {
    struct digits digits;
    struct weft_trace_file traces;
    json_t *root;
    json_t *events;
    const struct weft_counters *counters;
};

static struct written write_trace(const char *config, const struct weft_session_options *options,
                                  const char *layer) {
    struct written made = {.digits = digits_open(config)};
    struct folder folder = folder_new();
    const char *path = folder_file(&folder, "trace.json");
    if (layer != NULL) {
        made.digits.module->segments[0].layers[0].name = layer;
    }
    ASSERT_GOOD(traces_of(made.digits.module, options, 0, &made.traces, &error), error);
    const struct origin origin = {.options = options};
    ASSERT_GOOD(write_chrome_trace(path, made.digits.module, &made.traces, &origin, &error), error);
    json_error_t wrong;
    made.root = json_load_file(path, JSON_REJECT_DUPLICATES, &wrong);
    if (made.root == NULL) {
        fail_msg("line %d: %s", wrong.line, wrong.text);
    }
    made.events = json_object_get(made.root, "traceEvents");
    made.counters = &made.traces.segments[0].result.counters;
    folder_free(&folder);
    return made;
}

static void release(struct written *written) {
    json_decref(written->root);
    weft_trace_file_free(&written->traces);
    digits_close(&written->digits);
}

static const char *string_of(const json_t *event, const char *key) {
    const char *text = json_string_value(json_object_get(event, key));
    assert_non_null(text);
    return text == NULL ? "" : text;
}

static uint64_t number_of(const json_t *event, const char *key) {
    const json_t *number = json_object_get(event, key);
    assert_true(json_is_integer(number) && json_integer_value(number) >= 0);
    return (uint64_t)json_integer_value(number);
}

static bool is_slice(const json_t *event, const char *category) {
    return strcmp(string_of(event, "ph"), "X") == 0 &&
           (category == NULL || strcmp(string_of(event, "cat"), category) == 0);
}

/* ---- invariants ---- */

struct slice {
    uint64_t thread;
    uint64_t first;
    uint64_t end;
};

static int compare_slices(const void *a, const void *b) {
    const struct slice *one = a;
    const struct slice *other = b;
    return one->thread != other->thread
               ? (one->thread > other->thread) - (one->thread < other->thread)
               : (one->first > other->first) - (one->first < other->first);
}

static void assert_no_overlap(const struct written *written) {
    size_t index = 0;
    size_t count = 0;
    json_t *event = NULL;
    struct slice *slices = calloc(json_array_size(written->events) + 1, sizeof *slices);
    assert_non_null(slices);
    json_array_foreach(written->events, index, event) {
        if (is_slice(event, NULL)) {
            uint64_t first = number_of(event, "ts");
            uint64_t length = number_of(event, "dur");
            assert_true(first >= 1 && length >= 1);
            uint64_t thread = 10000 * number_of(event, "pid") + number_of(event, "tid");
            slices[count++] = (struct slice){thread, first, first + length};
        }
    }
    qsort(slices, count, sizeof *slices, compare_slices);
    for (size_t i = 1; i < count; i++) {
        assert_true(slices[i].thread != slices[i - 1].thread ||
                    slices[i].first >= slices[i - 1].end);
    }
    free(slices);
}

static void assert_threads_are_named(const struct written *written) {
    size_t index = 0;
    json_t *event = NULL;
    bool named[2000] = {false};
    bool sorted[2000] = {false};
    for (int round = 0; round < 2; round++) {
        json_array_foreach(written->events, index, event) {
            if (strcmp(string_of(event, "ph"), "M") == 0 && json_object_get(event, "tid") != NULL) {
                uint64_t thread = number_of(event, "tid");
                assert_true(thread < 2000);
                named[thread] |= strcmp(string_of(event, "name"), "thread_name") == 0;
                sorted[thread] |= strcmp(string_of(event, "name"), "thread_sort_index") == 0;
            } else if (round == 1 && is_slice(event, NULL) && !is_slice(event, "host")) {
                assert_true(named[number_of(event, "tid")] && sorted[number_of(event, "tid")]);
            }
        }
    }
}

static void assert_cycles_are_counted(const struct written *written) {
    size_t index = 0;
    json_t *event = NULL;
    uint64_t cycles[WEFT_COUNTERS] = {0};
    json_array_foreach(written->events, index, event) {
        for (unsigned i = 0; is_slice(event, "cycles") && i < WEFT_COUNTERS; i++) {
            if (strcmp(string_of(event, "name"), weft_counter_names[i]) == 0) {
                uint64_t counted = number_of(json_object_get(event, "args"), "cycles");
                bool bursts = strstr(weft_counter_names[i], "_limit") != NULL ||
                              strstr(weft_counter_names[i], "_lost") != NULL;
                assert_true(bursts ? counted <= number_of(event, "dur")
                                   : counted == number_of(event, "dur"));
                cycles[i] += counted;
            }
        }
    }
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        const char *name = weft_counter_names[i];
        bool is_lane = strstr(name, "_busy") != NULL || strstr(name, "_wait") != NULL ||
                       strstr(name, "_empty") != NULL || strstr(name, "_limit") != NULL ||
                       strstr(name, "_lost") != NULL || strstr(name, "dispatch_") != NULL;
        assert_int_equal(cycles[i], is_lane ? weft_counter_get(written->counters, i) : 0);
    }
}

static void assert_memory_is_counted(const struct written *written) {
    size_t index = 0;
    json_t *event = NULL;
    uint64_t bytes[WEFT_MASTERS] = {0};
    uint64_t cycles[WEFT_MASTERS] = {0};
    uint64_t interval = weft_trace_interval(&written->traces.segments[0]);
    json_array_foreach(written->events, index, event) {
        for (unsigned i = 0; is_slice(event, "memory") && i < WEFT_MASTERS; i++) {
            if (strcmp(string_of(event, "name"), weft_master_names[i]) == 0) {
                bytes[i] += number_of(json_object_get(event, "args"), "bytes");
                cycles[i] += number_of(event, "dur");
            }
        }
    }
    const struct weft_counters *counters = written->counters;
    assert_int_equal(bytes[WEFT_MASTER_FETCH], counters->fetch_bytes);
    assert_int_equal(bytes[WEFT_MASTER_STORE], counters->store_bytes);
    assert_int_equal(bytes[WEFT_MASTER_LOAD], counters->load_bytes);
    assert_int_equal(cycles[WEFT_MASTER_FETCH], counters->fetch_beats * interval);
    assert_int_equal(cycles[WEFT_MASTER_STORE], counters->store_beats * interval);
    assert_int_equal(cycles[WEFT_MASTER_LOAD], counters->load_beats * interval);
}

/* Every instruction of a unit has its slice, and every bank of it that is its own in these cycles.
 */
static void assert_instructions(const struct written *written) {
    const struct weft_trace *trace = &written->traces.segments[0];
    size_t index = 0;
    json_t *event = NULL;
    size_t found = 0;
    json_array_foreach(written->events, index, event) {
        if (!is_slice(event, "instruction")) {
            continue;
        }
        const json_t *args = json_object_get(event, "args");
        uint64_t number = number_of(args, "number");
        struct weft_text text = {0};
        weft_disassemble(&trace->program.instructions[number], &text);
        assert_string_equal(string_of(args, "text"), text.bytes);
        assert_int_equal(number_of(event, "ts"), trace->times[number].started);
        assert_int_equal(number_of(event, "ts") + number_of(event, "dur"),
                         trace->times[number].finished + 1);
        weft_text_free(&text);
        found++;
    }
    assert_int_equal(found, trace->program.count - 1); /* all but HALT */
}

/* The slice of an instruction that an end of an arrow lies in. */
static const json_t *slice_at(const struct written *written, const json_t *end) {
    size_t index = 0;
    json_t *event = NULL;
    uint64_t cycle = number_of(end, "ts");
    json_array_foreach(written->events, index, event) {
        if (is_slice(event, "instruction") && number_of(event, "tid") == number_of(end, "tid") &&
            number_of(event, "ts") <= cycle &&
            cycle < number_of(event, "ts") + number_of(event, "dur")) {
            return event;
        }
    }
    return NULL;
}

/* Does the instruction of a slice take, or give, tokens? */
static const struct weft_instruction *instruction_of(const struct written *written,
                                                     const json_t *slice) {
    assert_non_null(slice);
    uint64_t number = number_of(json_object_get(slice, "args"), "number");
    return &written->traces.segments[0].program.instructions[number];
}

/* Every token is an arrow from the last cycle of the one that gives it to the first of the one that
 * takes it. */
static void assert_tokens(const struct written *written) {
    const struct weft_trace *trace = &written->traces.segments[0];
    const json_t *begin = NULL;
    size_t index = 0;
    json_t *event = NULL;
    size_t found = 0;
    size_t expected = 0;
    json_array_foreach(written->events, index, event) {
        if (strcmp(string_of(event, "ph"), "s") == 0) {
            begin = event;
        } else if (strcmp(string_of(event, "ph"), "f") == 0) {
            assert_non_null(begin);
            assert_int_equal(number_of(event, "id"), number_of(begin, "id"));
            assert_int_equal(number_of(event, "id"), ++found);
            assert_string_equal(string_of(event, "bp"), "e");
            assert_true(number_of(begin, "ts") < number_of(event, "ts"));
            const struct weft_instruction *gives =
                instruction_of(written, slice_at(written, begin));
            const struct weft_instruction *takes =
                instruction_of(written, slice_at(written, event));
            assert_true((gives->signal >> weft_format_of(takes->opcode)->unit & 1) != 0);
            assert_true((takes->wait >> weft_format_of(gives->opcode)->unit & 1) != 0);
            begin = NULL;
        }
    }
    for (size_t i = 0; i < trace->program.count; i++) {
        expected += (size_t)__builtin_popcount(trace->program.instructions[i].wait);
    }
    assert_int_equal(found, expected);
}

/* The critical path has every cycle, and the host's operator comes after the machine's. */
static void assert_path_and_host(const struct written *written) {
    size_t index = 0;
    json_t *event = NULL;
    uint64_t end = 1;
    size_t hosts = 0;
    json_array_foreach(written->events, index, event) {
        if (is_slice(event, "path")) {
            assert_int_equal(number_of(event, "ts"), end);
            end += number_of(event, "dur");
        }
    }
    assert_int_equal(end, written->counters->cycles + 1);
    json_array_foreach(written->events, index, event) {
        if (is_slice(event, "host")) {
            assert_int_equal(number_of(event, "ts"), end);
            assert_int_equal(number_of(event, "pid"), 2);
            assert_string_equal(string_of(event, "name"), "qnn.softmax");
            hosts++;
        }
    }
    assert_int_equal(hosts, 1);
}

static void assert_operators(const struct written *written) {
    const struct weft_segment *segment = &written->digits.module->segments[0];
    size_t index = 0;
    json_t *event = NULL;
    size_t found = 0;
    uint64_t cycles = 0;
    json_array_foreach(written->events, index, event) {
        if (is_slice(event, "operator")) {
            const json_t *args = json_object_get(event, "args");
            uint64_t layer = number_of(args, "layer");
            assert_true(layer < segment->layer_count);
            assert_int_equal(number_of(args, "macs"), segment->layers[layer].macs);
            cycles += number_of(args, "cycles");
            found++;
        }
    }
    assert_int_equal(found, segment->layer_count);
    assert_int_equal(cycles, written->counters->cycles);
}

static void assert_whole(const struct written *written) {
    assert_no_overlap(written);
    assert_threads_are_named(written);
    assert_cycles_are_counted(written);
    assert_memory_is_counted(written);
    assert_instructions(written);
    assert_tokens(written);
    assert_operators(written);
    assert_path_and_host(written);
}

static void traces_account_for_every_cycle(void **state) {
    (void)state;
    const struct weft_session_options none = {0};
    const struct weft_session_options slow = {.memory = {.latency = 300, .interval = 3}};
    for (size_t i = 0; test_configs[i] != NULL; i++) {
        struct written written = write_trace(test_configs[i], &none, NULL);
        uint64_t cycles = written.counters->cycles;
        assert_whole(&written);
        release(&written);
        written = write_trace(test_configs[i], &slow, NULL);
        assert_true(written.counters->cycles > cycles);
        assert_whole(&written);
        release(&written);
    }
}

/* ---- banks and memories ---- */

static void banks_belong_to_units(void **state) {
    (void)state;
    const struct weft_session_options none = {0};
    struct written written = write_trace("ref16", &none, NULL);
    const struct weft_trace *trace = &written.traces.segments[0];
    size_t index = 0;
    json_t *event = NULL;
    uint64_t matrix = 0;
    uint64_t peak = 0;
    json_array_foreach(written.events, index, event) {
        if (is_slice(event, "bank")) {
            matrix += strcmp(string_of(event, "name"), "matrix") == 0;
        }
        if (strcmp(string_of(event, "ph"), "C") == 0 &&
            strcmp(string_of(event, "name"), "act in use") == 0) {
            uint64_t bytes = number_of(json_object_get(event, "args"), "bytes");
            assert_true(bytes <= trace->config.act_bytes);
            peak = bytes > peak ? bytes : peak;
        }
    }
    assert_true(matrix > 4);
    assert_true(peak >= 2048); /* two tensors of 16x16x16, at least in part */
    release(&written);
}

static void names_are_escaped(void **state) {
    (void)state;
    static const char name[] = "a\"b\\c\n</script>\xff";
    const struct weft_session_options none = {0};
    struct written written = write_trace("ref16", &none, name);
    size_t index = 0;
    json_t *event = NULL;
    unsigned found = 0;
    json_array_foreach(written.events, index, event) {
        found += is_slice(event, "operator") &&
                 strncmp(string_of(event, "name"), "a\"b\\c\n</script>? ", 17) == 0;
    }
    assert_int_equal(found, 1);
    release(&written);
}

static void what_cannot_be_written_is_an_error(void **state) {
    (void)state;
    const struct weft_session_options none = {0};
    const struct origin origin = {.options = &none};
    struct digits digits = digits_open("ref16");
    struct weft_trace_file traces;
    const struct weft_session_options hasty = {.watchdog = 100};
    ASSERT_FAILS(traces_of(digits.module, &hasty, 0, &traces, &error), error, WEFT_FAULT);
    ASSERT_GOOD(traces_of(digits.module, &none, 0, &traces, &error), error);
    ASSERT_FAILS(write_chrome_trace("/dev/full", digits.module, &traces, &origin, &error), error,
                 WEFT_IO);
    ASSERT_FAILS(write_chrome_trace("/nowhere/x", digits.module, &traces, &origin, &error), error,
                 WEFT_IO);
    weft_trace_file_free(&traces);
    digits_close(&digits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_account_for_every_cycle),
        cmocka_unit_test(banks_belong_to_units),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
