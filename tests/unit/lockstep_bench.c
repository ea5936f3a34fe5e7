#include "tests/unit/lockstep_bench.h"

#include <stdlib.h>

#include "tests/unit/test.h"

struct bench *bench_of(const char *config, const struct weft_instruction *program, size_t count,
                       const struct weft_regions *regions) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    fake_plan = (struct fake_plan){0};
    fake_resets = 0;
    bench->config = config_of(config);
    bench->state = state_of(&bench->config);
    uint64_t seed = 1;
    state_randomise(&bench->state, &seed);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        uint64_t limit = i == 0 ? count * WEFT_INSTRUCTION_BYTES : regions->limit[i];
        bench->regions[i] = limit == 0 ? NULL : malloc(limit);
        if (limit != 0) {
            random_bytes(&seed, bench->regions[i], limit);
        }
        bench->state.region[i].bytes = bench->regions[i];
        bench->state.region[i].limit = limit;
    }
    bench->state.writable = regions->writable;
    for (size_t i = 0; i < count; i++) {
        ASSERT_GOOD(
            weft_encode(&program[i], bench->regions[0] + i * WEFT_INSTRUCTION_BYTES, &bench->error),
            bench->error);
    }
    bench->settings = (struct weft_lockstep_settings){.host = WEFT_HOST_C};
    bench->lockstep.rtl = fake_rtl_interface(&bench->config);
    ASSERT_GOOD(bench->lockstep.rtl->create(&bench->lockstep.machine, &bench->error), bench->error);
    return bench;
}

struct bench *good_bench(const char *config) {
    struct weft_config parsed = config_of(config);
    struct good good = good_program(&parsed);
    return bench_of(config, good.program, GOOD_COUNT, &good.regions);
}

void bench_free(struct bench *bench) {
    bench->lockstep.rtl->destroy(bench->lockstep.machine);
    weft_lockstep_report_free(&bench->report);
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        free(bench->regions[i]);
    }
    weft_state_free(&bench->state);
    fake_plan = (struct fake_plan){0};
    free(bench);
}

bool bench_run(struct bench *bench) {
    return weft_lockstep_run(&bench->lockstep, &bench->state, &bench->settings, &bench->report,
                             &bench->error);
}

void assert_runs(struct bench *bench) {
    ASSERT_GOOD(bench_run(bench), bench->error);
}

void assert_report(struct bench *bench, enum weft_divergence divergence, uint64_t cycle,
                   uint32_t instruction, const char *part) {
    assert_runs(bench);
    if (bench->report.divergence != divergence) {
        print_error("%s", bench->report.text.bytes);
    }
    assert_string_equal(weft_divergence_names[bench->report.divergence],
                        weft_divergence_names[divergence]);
    assert_int_equal(bench->report.cycle, cycle);
    assert_int_equal(bench->report.instruction, instruction);
    assert_mentions(bench->report.text.bytes, part);
}

void assert_same(struct bench *bench) {
    assert_report(bench, WEFT_SAME, 0, UINT32_MAX, "");
    assert_string_equal(bench->report.text.bytes, "");
}

const struct recording *good_recording(void) {
    struct weft_config config = config_of("ref16");
    struct good good = good_program(&config);
    struct weft_timing_settings settings = {0};
    settings.regions = good.regions;
    return record_with(&config, good.program, GOOD_COUNT, &settings);
}
