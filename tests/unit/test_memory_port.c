/* sim/timing/memory.h: the port beat by beat, as the bench of the RTL uses it. */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "sim/timing/burst.h"
#include "sim/timing/duration.h"
#include "sim/timing/memory.h"
#include "tests/unit/good_program.h"
#include "tests/unit/recording.h"

enum {
    REGION_BYTES = 2048,
    SOURCE = 3,
    TARGET = 4,
};

/* A port with two regions, and the cycle that comes next. */
struct bench {
    struct weft_config config;
    struct weft_memory_port port;
    uint8_t source[REGION_BYTES];
    uint8_t target[REGION_BYTES];
    uint64_t cycle;
    struct weft_error error;
};

static struct bench *bench_of(const char *config, uint64_t latency, uint64_t interval) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->config = config_of(config);
    for (unsigned i = 0; i < REGION_BYTES; i++) {
        bench->source[i] = (uint8_t)(i * 7 + i / 256);
    }
    uint8_t *const regions[WEFT_REGIONS] = {[SOURCE] = bench->source, [TARGET] = bench->target};
    const uint64_t limits[WEFT_REGIONS] = {[SOURCE] = REGION_BYTES, [TARGET] = REGION_BYTES};
    weft_port_open(&bench->port, &bench->config, regions, limits,
                   &(struct weft_memory_settings){.latency = latency, .interval = interval});
    return bench;
}

static struct weft_port_request request_of(const struct bench *bench, enum weft_master master,
                                           uint64_t region, uint64_t offset, uint32_t bytes) {
    return (struct weft_port_request){
        .master = master,
        .address = region << WEFT_PORT_REGION_SHIFT | offset,
        .bytes = bytes,
        .beats = weft_beats(offset, bytes, bench->config.memory_width),
    };
}

static uint64_t accept(struct bench *bench, enum weft_master master, uint64_t region,
                       uint64_t offset, uint32_t bytes) {
    struct weft_port_request request = request_of(bench, master, region, offset, bytes);
    uint64_t first = 0;
    ASSERT_GOOD(weft_port_accept(&bench->port, bench->cycle, &request, &first, &bench->error),
                bench->error);
    return first;
}

/* What is on the port in the next cycle, which must be `cycle`. */
static enum weft_port_beat step(struct bench *bench, uint64_t cycle,
                                uint8_t data[WEFT_PORT_WIDTH]) {
    while (bench->cycle + 1 < cycle) {
        bench->cycle++;
        assert_int_equal(weft_port_step(&bench->port, bench->cycle, data), WEFT_PORT_NONE);
    }
    bench->cycle++;
    return weft_port_step(&bench->port, bench->cycle, data);
}

/* ---- reads ---- */

static void beats_come_at_the_times_of_the_model_with_their_bytes(void **state) {
    (void)state;
    static const uint64_t memories[][2] = {{1, 1}, {7, 1}, {20, 3}};
    for (size_t i = 0; i < SHIPPED_CONFIGS * LENGTH(memories); i++) {
        const uint64_t *memory = memories[i % LENGTH(memories)];
        struct bench *bench = bench_of(shipped_configs[i / LENGTH(memories)], memory[0], memory[1]);
        uint32_t width = bench->config.memory_width;
        bench->cycle = 10;
        /* From the last byte of a beat to the first one of another. */
        uint64_t first = accept(bench, WEFT_MASTER_LOAD, SOURCE, 2 * width - 1, 2 * width + 2);
        assert_int_equal(first, 10 + memory[0]);
        for (uint32_t beat = 0; beat < 4; beat++) {
            uint8_t data[WEFT_PORT_WIDTH];
            assert_int_equal(step(bench, first + beat * memory[1], data), WEFT_PORT_LOAD);
            for (uint32_t k = 0; k < width; k++) {
                uint32_t offset = width + beat * width + k;
                bool inside = offset >= 2 * width - 1 && offset < 4 * width + 1;
                assert_int_equal(data[k], inside ? bench->source[offset] : WEFT_PORT_JUNK);
            }
        }
        uint8_t data[WEFT_PORT_WIDTH];
        assert_true(weft_port_is_idle(&bench->port));
        assert_int_equal(step(bench, bench->cycle + 30, data), WEFT_PORT_NONE);
        free(bench);
    }
}

static void zero_stands_for_the_configuration(void **state) {
    (void)state;
    struct bench *bench = bench_of("ref16", 0, 0);
    assert_int_equal(accept(bench, WEFT_MASTER_FETCH, SOURCE, 0, 64), 100);
    uint8_t data[WEFT_PORT_WIDTH];
    for (unsigned beat = 0; beat < 8; beat++) {
        assert_int_equal(step(bench, 100 + beat, data), WEFT_PORT_FETCH);
        assert_memory_equal(data, bench->source + (size_t)8 * beat, 8);
    }
    assert_true(weft_port_is_idle(&bench->port));
    free(bench);
}

static void bursts_are_served_in_the_order_of_acceptance(void **state) {
    (void)state;
    struct bench *bench = bench_of("ref16", 5, 2);
    uint8_t data[WEFT_PORT_WIDTH];
    assert_int_equal(accept(bench, WEFT_MASTER_LOAD, SOURCE, 0, 16), 5);
    assert_int_equal(step(bench, 1, data), WEFT_PORT_NONE);
    assert_int_equal(accept(bench, WEFT_MASTER_FETCH, SOURCE, 64, 8), 9);
    assert_int_equal(step(bench, 5, data), WEFT_PORT_LOAD);
    assert_int_equal(accept(bench, WEFT_MASTER_STORE, TARGET, 0, 8), 11);
    assert_int_equal(step(bench, 7, data), WEFT_PORT_LOAD);
    assert_int_equal(step(bench, 9, data), WEFT_PORT_FETCH);
    assert_int_equal(data[0], bench->source[64]);
    assert_int_equal(step(bench, 11, data), WEFT_PORT_WRITE);
    assert_false(weft_port_is_idle(&bench->port)); /* the data are to come */
    free(bench);
}

static void a_read_sees_what_was_written_in_the_cycle_before_its_beat(void **state) {
    (void)state;
    struct bench *bench = bench_of("ref16", 1, 1);
    uint8_t data[WEFT_PORT_WIDTH] = {0};
    uint8_t ones[WEFT_PORT_WIDTH];
    memset(ones, 1, sizeof ones);
    assert_int_equal(accept(bench, WEFT_MASTER_STORE, TARGET, 0, 8), 1);
    assert_int_equal(step(bench, 1, data), WEFT_PORT_WRITE);
    assert_int_equal(step(bench, 4, data), WEFT_PORT_NONE);
    ASSERT_GOOD(weft_port_write(&bench->port, 4, true, ones, 0xff, &bench->error), bench->error);
    assert_int_equal(accept(bench, WEFT_MASTER_LOAD, TARGET, 0, 8), 5);
    assert_int_equal(step(bench, 5, data), WEFT_PORT_LOAD);
    assert_memory_equal(data, ones, 8);
    free(bench);
}

/* ---- writes ---- */

static void write_data_come_three_cycles_after_they_are_asked_for(void **state) {
    (void)state;
    for (size_t i = 0; i < SHIPPED_CONFIGS; i++) {
        struct bench *bench = bench_of(shipped_configs[i], 4, 1);
        uint32_t width = bench->config.memory_width;
        uint32_t bytes = 3 * width - 2; /* all but the first and the last byte */
        uint64_t first = accept(bench, WEFT_MASTER_STORE, TARGET, 64 + 1, bytes);
        uint8_t data[WEFT_PORT_WIDTH];
        for (uint64_t cycle = 1; cycle <= first + 2 + WEFT_STORE_DRAIN; cycle++) {
            bool asked = cycle >= first && cycle <= first + 2;
            assert_int_equal(step(bench, cycle, data), asked ? WEFT_PORT_WRITE : WEFT_PORT_NONE);
            uint64_t beat = cycle - first - WEFT_STORE_DRAIN;
            bool due = beat <= 2; /* unsigned */
            assert_int_equal(weft_port_write_due(&bench->port, cycle), due);
            uint32_t strobe = (uint32_t)((UINT64_C(1) << width) - 1);
            strobe = beat == 0 ? strobe & ~1U : beat == 2 ? strobe >> 1 : strobe;
            memset(data, (int)beat + 1, sizeof data);
            ASSERT_GOOD(weft_port_write(&bench->port, cycle, due, data, strobe, &bench->error),
                        bench->error);
        }
        assert_true(weft_port_is_idle(&bench->port));
        for (uint32_t k = 0; k < REGION_BYTES; k++) {
            bool written = k >= 65 && k < 65 + bytes;
            assert_int_equal(bench->target[k], written ? (k - 64) / width + 1 : 0);
        }
        free(bench);
    }
}

static void assert_bad_write(uint64_t cycle, bool valid, uint32_t strobe, const char *part) {
    struct bench *bench = bench_of("ref16", 1, 1);
    uint8_t data[WEFT_PORT_WIDTH] = {0};
    accept(bench, WEFT_MASTER_STORE, TARGET, 2, 4);
    for (uint64_t now = 1; now < cycle; now++) {
        (void)step(bench, now, data);
        assert_true(weft_port_write(&bench->port, now, false, data, 0, &bench->error));
    }
    ASSERT_FAILS(weft_port_write(&bench->port, cycle, valid, data, strobe, &bench->error),
                 bench->error, WEFT_INTERNAL);
    assert_int_equal(bench->error.position, cycle);
    assert_mentions(bench->error.message, part);
    free(bench);
}

static void wrong_write_data_are_refused(void **state) {
    (void)state;
    assert_bad_write(1, true, 0x3c, "cycle 1: write data that were not asked for");
    assert_bad_write(3, true, 0x3c, "were not asked for");
    assert_bad_write(4, false, 0, "strobes 0x0, expected 0x3c, asked for in cycle 1");
    assert_bad_write(4, true, 0xff, "strobes 0xff, expected 0x3c");
    assert_bad_write(4, true, 0x1c, "strobes 0x1c, expected 0x3c");
}

/* ---- what a correct machine does not ask for ---- */

static void assert_refused(struct weft_port_request request, const char *part) {
    struct bench *bench = bench_of("ref16", 1, 1);
    uint64_t first = 77;
    ASSERT_FAILS(weft_port_accept(&bench->port, 5, &request, &first, &bench->error), bench->error,
                 WEFT_INTERNAL);
    assert_int_equal(bench->error.position, 5);
    assert_int_equal(first, 77);
    assert_mentions(bench->error.message, "cycle 5: burst of ");
    assert_mentions(bench->error.message, part);
    assert_true(weft_port_is_idle(&bench->port));
    free(bench);
}

static void wrong_bursts_are_refused(void **state) {
    (void)state;
    uint64_t source = (uint64_t)SOURCE << WEFT_PORT_REGION_SHIFT;
    struct weft_port_request good = {WEFT_MASTER_LOAD, source, 64, 8};
    struct weft_port_request bad = good;
    bad.master = 3;
    assert_refused(bad, "expected master 0 to 2");
    bad = good;
    bad.address = UINT64_C(8) << WEFT_PORT_REGION_SHIFT;
    assert_refused(bad, "the address is in no region");
    bad.address = UINT64_MAX;
    assert_refused(bad, "the address is in no region");
    bad = good;
    bad.bytes = 0;
    assert_refused(bad, "it has no bytes");
    bad = good;
    bad.address += 250;
    bad.bytes = 7;
    bad.beats = 2;
    assert_refused(bad, "it crosses a multiple of memory_burst");
    bad = good;
    bad.bytes = 257;
    assert_refused(bad, "it crosses a multiple of memory_burst");
    bad = good;
    bad.beats = 9;
    assert_refused(bad, "its bytes take another number of beats");
    bad = good;
    bad.address += REGION_BYTES;
    assert_refused(bad, "it passes the limit of its region");
    bad = good;
    bad.address = 0;
    assert_refused(bad, "burst of load, address 0x0, 64 bytes, 8 beats: it passes the limit");
}

static void the_last_bytes_of_a_region_can_be_reached(void **state) {
    (void)state;
    struct bench *bench = bench_of("ref16", 1, 1);
    accept(bench, WEFT_MASTER_LOAD, SOURCE, REGION_BYTES - 1, 1);
    uint8_t data[WEFT_PORT_WIDTH];
    assert_int_equal(step(bench, 1, data), WEFT_PORT_LOAD);
    assert_int_equal(data[7], bench->source[REGION_BYTES - 1]);
    /* A region that ends inside a beat. */
    bench->port.limits[SOURCE] = 13;
    accept(bench, WEFT_MASTER_LOAD, SOURCE, 8, 5);
    struct weft_port_request past = request_of(bench, WEFT_MASTER_LOAD, SOURCE, 8, 6);
    uint64_t first = 0;
    assert_false(weft_port_accept(&bench->port, 3, &past, &first, &bench->error));
    free(bench);
}

static void bursts_that_never_end_are_refused_in_the_end(void **state) {
    (void)state;
    struct bench *bench = bench_of("ref16", 100000, 1);
    struct weft_port_request request = request_of(bench, WEFT_MASTER_LOAD, SOURCE, 0, 8);
    uint64_t first = 0;
    for (unsigned i = 0; i < WEFT_PORT_BURSTS; i++) {
        accept(bench, WEFT_MASTER_LOAD, SOURCE, 0, 8);
    }
    ASSERT_FAILS(weft_port_accept(&bench->port, 1, &request, &first, &bench->error), bench->error,
                 WEFT_INTERNAL);
    assert_mentions(bench->error.message, "too many bursts are outstanding");
    free(bench);
}

/* ---- beside the cycle simulator ---- */

static void a_program_of_the_cycle_simulator_gets_the_same_times(void **state) {
    (void)state;
    static const struct weft_memory_settings memories[] = {
        {0},
        {.latency = 1, .interval = 1},
        {.latency = 30, .interval = 3},
    };
    for (size_t i = 0; i < SHIPPED_CONFIGS * LENGTH(memories); i++) {
        struct weft_config config = config_of(shipped_configs[i / LENGTH(memories)]);
        struct good good = good_program(&config);
        struct weft_timing_settings settings = {.memory = memories[i % LENGTH(memories)]};
        const struct recording *run = record_with(&config, good.program, GOOD_COUNT, &settings);
        static uint8_t bytes[1 << 20];
        uint8_t *regions[WEFT_REGIONS];
        uint64_t limits[WEFT_REGIONS];
        for (unsigned k = 0; k < WEFT_REGIONS; k++) {
            regions[k] = bytes;
            limits[k] = sizeof bytes;
        }
        struct weft_memory_port port;
        weft_port_open(&port, &config, regions, limits, &settings.memory);
        uint64_t beats = 0;
        unsigned next = 0;
        uint8_t data[WEFT_PORT_WIDTH] = {0};
        for (uint64_t cycle = 1; next < run->bursts || !weft_port_is_idle(&port); cycle++) {
            beats += weft_port_step(&port, cycle, data) != WEFT_PORT_NONE;
            port.write_count = 0; /* data are not of interest */
            const struct recorded_burst *burst = &run->burst[next];
            if (next < run->bursts && burst->cycle == cycle) {
                struct weft_port_request request = {
                    burst->master, burst->address, burst->bytes,
                    weft_beats(burst->address, burst->bytes, config.memory_width)};
                struct weft_error error;
                uint64_t first = 0;
                ASSERT_GOOD(weft_port_accept(&port, cycle, &request, &first, &error), error);
                assert_int_equal(first, burst->first);
                next++;
            }
        }
        const struct weft_counters *counters = &run->result.counters;
        assert_int_equal(beats,
                         counters->fetch_beats + counters->load_beats + counters->store_beats);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_come_at_the_times_of_the_model_with_their_bytes),
        cmocka_unit_test(zero_stands_for_the_configuration),
        cmocka_unit_test(bursts_are_served_in_the_order_of_acceptance),
        cmocka_unit_test(a_read_sees_what_was_written_in_the_cycle_before_its_beat),
        cmocka_unit_test(write_data_come_three_cycles_after_they_are_asked_for),
        cmocka_unit_test(wrong_write_data_are_refused),
        cmocka_unit_test(wrong_bursts_are_refused),
        cmocka_unit_test(the_last_bytes_of_a_region_can_be_reached),
        cmocka_unit_test(bursts_that_never_end_are_refused_in_the_end),
        cmocka_unit_test(a_program_of_the_cycle_simulator_gets_the_same_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
