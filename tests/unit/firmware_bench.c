#include "tests/unit/firmware_bench.h"

#include <stdlib.h>
#include <string.h>

enum {
    BASE = 0x40000000, /* of memory on the bus */
    LINE = WEFT_MODEL_LINE,
    PAGE = 4096,
    ROOM = 1 << 22, /* for buffers */
    ACCESS = 3,     /* cycles that a register takes */
};

/* ---- memory ---- */

uint64_t bench_address(const struct firmware_bench *bench, const void *pointer) {
    size_t offset = (size_t)((const uint8_t *)pointer - bench->seen);
    assert_true(offset <= bench->bytes);
    return BASE + (uint64_t)offset;
}

static uint64_t bus_address(void *context, const void *pointer) {
    return bench_address(context, pointer);
}

static bool covers(const struct firmware_bench *bench, uint64_t address, size_t length) {
    return address >= BASE && address - BASE <= bench->bytes &&
           length <= bench->bytes - (address - BASE) &&
           (bench->refused == 0 || address + length <= bench->refused);
}

static bool read_memory(void *context, uint64_t address, void *bytes, size_t length) {
    struct firmware_bench *bench = context;
    if (!covers(bench, address, length)) {
        return false;
    }
    memcpy(bytes, bench->memory + (address - BASE), length);
    return true;
}

static bool write_memory(void *context, uint64_t address, const void *bytes, size_t length) {
    struct firmware_bench *bench = context;
    if (!covers(bench, address, length)) {
        return false;
    }
    memcpy(bench->memory + (address - BASE), bytes, length);
    return true;
}

/* ---- the cache ---- */

/* A line of the cache, written to memory if it is dirty. */
static void write_back(struct firmware_bench *bench, size_t line) {
    if (memcmp(bench->seen + line, bench->agreed + line, LINE) != 0) {
        memcpy(bench->memory + line, bench->seen + line, LINE);
        memcpy(bench->agreed + line, bench->seen + line, LINE);
    }
}

static void clean(void *context, const void *pointer, size_t bytes) {
    struct firmware_bench *bench = context;
    size_t first = (size_t)((const uint8_t *)pointer - bench->seen);
    assert_true(first + bytes <= bench->bytes);
    for (size_t line = first / LINE * LINE; line < first + bytes; line += LINE) {
        write_back(bench, line);
    }
}

static void invalidate(void *context, const void *pointer, size_t bytes) {
    struct firmware_bench *bench = context;
    size_t first = (size_t)((const uint8_t *)pointer - bench->seen);
    assert_true(first + bytes <= bench->bytes);
    for (size_t line = first / LINE * LINE; line < first + bytes; line += LINE) {
        memcpy(bench->seen + line, bench->memory + line, LINE);
        memcpy(bench->agreed + line, bench->memory + line, LINE);
    }
}

void bench_evict(struct firmware_bench *bench) {
    for (size_t line = 0; bench->has_cache && line < bench->used; line += LINE) {
        write_back(bench, line);
    }
}

/* ---- registers ---- */

static uint32_t spoiled(const struct firmware_bench *bench, uint32_t offset, uint32_t value) {
    if (offset == WEFT_REGISTER_status && bench->is_stuck) {
        return value | WEFT_STATUS_RUNNING;
    }
    if (offset == WEFT_REGISTER_status && bench->fault != 0 && (value & WEFT_STATUS_ENDED) != 0) {
        return value | bench->fault << WEFT_STATUS_FAULT_SHIFT;
    }
    if (offset == WEFT_REGISTER_status + 4 && bench->fault != 0) {
        return 42;
    }
    if (offset < WEFT_REGISTER_identity + 8 && bench->identity[offset / 4] != 0) {
        return bench->identity[offset / 4];
    }
    return value;
}

static uint32_t read_register(void *context, uint32_t offset) {
    struct firmware_bench *bench = context;
    bench->now += ACCESS;
    uint32_t value = weft_device_read32(bench->device, offset, bench->now);
    if (bench->is_started) { /* dirty lines come late: over what the machine has written */
        bench_evict(bench);
    }
    return spoiled(bench, offset, value);
}

static void write_register(void *context, uint32_t offset, uint32_t value) {
    struct firmware_bench *bench = context;
    uint32_t region = (offset - WEFT_REGISTER_region_base) / 8;
    bench->now += ACCESS;
    if (offset >= WEFT_REGISTER_region_base && region < BENCH_REGIONS && offset % 8 == 0) {
        assert_int_equal(value % 1024, 0);
        bench->bases[region] = value;
    }
    ASSERT_GOOD(weft_device_write32(bench->device, offset, value, bench->now, &bench->error),
                bench->error);
    /* Nothing goes to memory by itself before a program starts; after that, at any time. */
    if (offset == WEFT_REGISTER_start) {
        bench_evict(bench);
        bench->is_started = true;
    } else if (offset == WEFT_REGISTER_interrupt) {
        bench->is_started = false;
    }
}

/* ---- time ---- */

static uint32_t time_now(void *context) {
    const struct firmware_bench *bench = context;
    return (uint32_t)bench->now;
}

static void wait(void *context, const volatile uint32_t *flag, uint32_t ticks) {
    struct firmware_bench *bench = context;
    uint64_t event = weft_device_next_event(bench->device);
    uint64_t end = bench->now + ticks;
    if (*flag != 0) {
        return;
    }
    if (bench->abort_at != 0 && bench->abort_at < end) {
        bench->now = bench->abort_at > bench->now ? bench->abort_at : bench->now;
        bench->abort_at = 0;
        bench->aborted = weft_firmware_abort(&bench->firmware);
        return;
    }
    bench->now = event < end && !bench->is_stuck ? event : end;
    if (weft_device_interrupt(bench->device, bench->now) && !bench->loses_interrupts &&
        !bench->is_stuck) {
        assert_true(weft_firmware_interrupt(&bench->firmware));
        assert_false(weft_firmware_interrupt(&bench->firmware)); /* it has ended */
    }
}

/* ---- the system ---- */

void *bench_place(struct firmware_bench *bench, size_t bytes, size_t skew) {
    size_t at = (bench->used + PAGE - 1) / PAGE * PAGE + skew;
    assert_true(at + bytes <= bench->bytes);
    bench->used = at + bytes;
    return bench->seen + at;
}

static uint8_t *memory_of(size_t bytes) {
    void *memory = NULL;
    assert_int_equal(posix_memalign(&memory, PAGE, bytes), 0);
    memset(memory, 0xa5, bytes);
    return memory;
}

struct firmware_bench *bench_open(const struct weft_module *module, bool has_interrupts,
                                  bool has_cache) {
    struct firmware_bench *bench = calloc(1, sizeof *bench);
    struct weft_export made;
    assert_non_null(bench);
    ASSERT_GOOD(weft_export(module, &made, &bench->error), bench->error);
    bench->has_cache = has_cache;
    bench->bytes = (made.length + (size_t)made.arena_bytes + ROOM) / PAGE * PAGE;
    bench->seen = memory_of(bench->bytes);
    bench->memory = has_cache ? memory_of(bench->bytes) : bench->seen;
    bench->agreed = has_cache ? memory_of(bench->bytes) : bench->seen;
    bench->model = bench_place(bench, made.length, 0);
    memcpy(bench->model, made.bytes, made.length);
    bench->arena = bench_place(bench, (size_t)made.arena_bytes, 0);
    weft_export_free(&made);
    const struct weft_device_bus bus = {bench, read_memory, write_memory};
    ASSERT_GOOD(
        weft_device_open("cycle", &module->config, &bus, NULL, &bench->device, &bench->error),
        bench->error);
    bench->now = UINT32_MAX - 1000; /* the platform's time soon begins again */
    bench->platform =
        (struct weft_platform){.context = bench,
                               .read = read_register,
                               .write = write_register,
                               .bus_address = bus_address,
                               .cache_clean = has_cache ? clean : weft_no_cache,
                               .cache_invalidate = has_cache ? invalidate : weft_no_cache,
                               .cache_line = has_cache ? LINE : 1,
                               .patience = 100000000,
                               .time = time_now,
                               .wait = has_interrupts ? wait : NULL,
                               .watchdog_factor = 1};
    return bench;
}

void bench_close(struct firmware_bench *bench) {
    weft_device_close(bench->device);
    if (bench->has_cache) {
        free(bench->memory);
        free(bench->agreed);
    }
    free(bench->seen);
    free(bench);
}

enum weft_firmware_status bench_init(struct firmware_bench *bench) {
    enum weft_firmware_status status = weft_model_check(
        bench->model, bench->model->bytes, &weft_integer_kernels, bench->kernels, BENCH_KERNELS);
    return status != WEFT_FIRMWARE_OK
               ? status
               : weft_firmware_init(&bench->firmware, &bench->platform, bench->model,
                                    bench->kernels, bench->arena, bench->model->arena_bytes);
}

const struct weft_model_tensor *bench_tensor(const struct firmware_bench *bench, bool is_output,
                                             uint32_t index) {
    const struct weft_model *model = bench->model;
    const struct weft_model_list *list = is_output ? &model->outputs : &model->inputs;
    assert_true(index < list->count);
    return (const struct weft_model_tensor *)((const uint8_t *)model + list->at) + index;
}
