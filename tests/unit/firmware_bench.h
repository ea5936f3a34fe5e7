/* A system for tests of firmware: memory, a cache that writes back when it likes, the machine
 * behind its registers (driver/device.h), and a platform that leads there. What goes wrong in it is
 * a field. */
#ifndef WEFT_TESTS_UNIT_FIRMWARE_BENCH_H
#define WEFT_TESTS_UNIT_FIRMWARE_BENCH_H

#include "tests/unit/modules.h"

#include "compiler/export/export.h"
#include "driver/device.h"
#include "firmware/weft_firmware.h"

enum {
    BENCH_KERNELS = 128,
    BENCH_REGIONS = 8,
};

struct firmware_bench {
    /* Memory as the processor sees it, as it is, and as both last agreed: a line of the cache is
     * dirty where the first and the last differ. Without a cache all are one. */
    uint8_t *seen, *memory, *agreed;
    size_t bytes, used;
    bool has_cache;
    bool is_started; /* from the start of a program to the end of its interrupt */
    struct weft_device *device;
    uint64_t now; /* cycles of the machine */
    struct weft_platform platform;
    struct weft_firmware firmware;
    const struct weft_kernel_entry *kernels[BENCH_KERNELS];
    struct weft_model *model; /* in memory, where tests may spoil it */
    void *arena;
    uint64_t bases[BENCH_REGIONS]; /* that the machine was given last */
    struct weft_error error;
    /* what goes wrong */
    uint64_t refused;      /* address from which on the bus answers with errors; 0: none */
    bool loses_interrupts; /* the processor never gets one */
    bool is_stuck;         /* the bus is, and the machine runs for ever */
    uint64_t abort_at; /* wait() is interrupted by somebody who aborts at this time; 0: nobody */
    uint32_t aborted;  /* how that ended */
    uint32_t fault; /* code of the fault that every program ends with, at instruction 42; 0: as it
                       does */
    uint32_t identity[2]; /* that the registers have instead of the machine's; 0: the machine's */
};

/* Places the exported module, an arena that ends where the model says, and a machine of its
 * configuration. `has_interrupts`: wait() is there. Not ready yet: weft_firmware_init() is
 * bench_init(). */
struct firmware_bench *bench_open(const struct weft_module *module, bool has_interrupts,
                                  bool has_cache);
void bench_close(struct firmware_bench *bench);

/* Checks the model, and makes it ready. */
enum weft_firmware_status bench_init(struct firmware_bench *bench);

/* Memory of so many bytes: `skew` bytes behind a multiple of 1024, with a page before the next. */
void *bench_place(struct firmware_bench *bench, size_t bytes, size_t skew);

uint64_t bench_address(const struct firmware_bench *bench, const void *pointer);

/* The processor has forgotten nothing and everything: dirty lines go to memory. */
void bench_evict(struct firmware_bench *bench);

/* The tensors of the model. */
const struct weft_model_tensor *bench_tensor(const struct firmware_bench *bench, bool is_output,
                                             uint32_t index);

#endif
