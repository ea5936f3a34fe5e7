/* The run time for processors without an operating system: runs a model (weft_model.h) on the
 * machine and, operator by operator, on the processor beside it.
 *
 *     static struct weft_firmware firmware;
 *     enum weft_firmware_status status;
 *     status = weft_firmware_init(&firmware, &platform, digits_model, digits_kernels,
 *                                 arena, sizeof arena);
 *     if (status == WEFT_FIRMWARE_OK) {
 *         memcpy(weft_firmware_input(&firmware, 0), picture, sizeof picture);
 *         status = weft_firmware_run(&firmware, NULL, NULL);
 *     }
 *     ... weft_firmware_output(&firmware, 0) ...
 *
 * It is C17 without a library but memcpy(), memset() and memmove(), allocates nothing, computes
 * with no floats, keeps all it knows in struct weft_firmware and in the arena, and returns: no call
 * waits longer than the platform's patience. Everything that can go wrong ends with a status of its
 * own. Two machines are two structures, and so are two models that take turns on one machine; one
 * structure is used by one thread, but for weft_firmware_interrupt() and weft_firmware_abort(). C++
 * can include this header.
 */
#ifndef WEFT_FIRMWARE_H
#define WEFT_FIRMWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/weft_model.h"
#include "kernels/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum weft_firmware_status {
#define WEFT_FIRMWARE_STATUS(name, value, text) WEFT_FIRMWARE_##name = (value),
#include "firmware/status.def"
};

/* What the processor has around the machine. Functions get `context`; all must be there but wait().
 */
struct weft_platform {
    void *context;
    /* A register's half: `offset` in bytes, a multiple of 4 (docs/registers.md). */
    uint32_t (*read)(void *context, uint32_t offset);
    void (*write)(void *context, uint32_t offset, uint32_t value);
    /* The address by which the machine reaches what the processor has at `pointer`; memory that
     * follows is at the addresses that follow. weft_same_address() where it is the same. */
    uint64_t (*bus_address)(void *context, const void *pointer);
    /* cache_clean(): writes what the processor's cache has of these bytes to memory, so that the
     * machine reads it and no line of them is written later. cache_invalidate(): forgets what the
     * cache has of them, so that the processor reads what the machine wrote. Never more than their
     * lines, which nobody else uses. weft_no_cache() where there is none, or it sees what the
     * machine does. */
    void (*cache_clean)(void *context, const void *pointer, size_t bytes);
    void (*cache_invalidate)(void *context, const void *pointer, size_t bytes);
    uint32_t cache_line; /* bytes of a line, a power of two, at most WEFT_MODEL_LINE; 1: there is no
                            cache */
    /* The time in ticks of any length; goes on with 0 after 2^32 - 1. weft_no_time() where there is
     * no clock: then nothing is given up but by the machine's watchdog. */
    uint32_t (*time)(void *context);
    /* Ticks that one program of the machine may take, and its bus to become quiet after an abort;
     * UINT32_MAX: nearly for ever. 0: nothing is waited for. */
    uint32_t patience;
    /* Waits until *flag is not 0 (weft_firmware_interrupt() sets it), or so many ticks are over;
     * may return earlier. It must look at the flag where no interrupt can come between the look and
     * the sleep. NULL: no interrupts: the machine's status is read again and again. */
    void (*wait)(void *context, const volatile uint32_t *flag, uint32_t ticks);
    /* The machine's watchdog in multiples of the bound of each program, which holds for the memory
     * of the configuration: more where memory is slower. 0: no watchdog. */
    uint32_t watchdog_factor;
};

/* For platforms without address translation, a cache that matters, or a clock (defaults.c). */
uint64_t weft_same_address(void *context, const void *pointer);
void weft_no_cache(void *context, const void *pointer, size_t bytes);
uint32_t weft_no_time(void *context); /* always 0 */

/* Kernels that firmware has. */
struct weft_kernel_set {
    const struct weft_kernel_entry *entries;
    uint32_t count;
};

/* All that compute without floats (integer_kernels.c). */
extern const struct weft_kernel_set weft_integer_kernels;

/* One machine with its model. The fields below `public` may be read; the others are the run time's.
 */
struct weft_firmware {
    /* public: what the last run did */
    volatile uint32_t status; /* enum weft_firmware_status */
    uint32_t step;            /* the one it is at, or ended at, in the model's list of steps */
    uint32_t instruction;     /* at which the machine faulted; 0 otherwise */
    uint64_t cycles;          /* of the machine in this run, all programs that ended */
    /* private */
    const struct weft_platform *platform;
    const struct weft_model *model;
    const struct weft_kernel_entry *const *kernels;
    uint8_t *arena;
    void *const *outputs;
    uint32_t started;              /* time() at the start of a program */
    volatile uint32_t interrupted; /* 1: since then */
};

/* Makes `firmware` ready to run a model: one that was linked as C, with the kernels that stand
 * beside it, or one that weft_model_check() has found good, with the kernels that it has found.
 * What is passed must outlive it. The arena has at least model->arena_bytes bytes, at a multiple of
 * WEFT_MODEL_ALIGNMENT on the bus, where the machine can write. A machine that still runs is
 * stopped. States of operators are as before a first run. Returns OK, NO_MACHINE, REGISTER_MAP,
 * FINGERPRINT, ALIGNMENT, ARENA, or BUS_BUSY; calls with a structure that it has not made ready are
 * not allowed. */
enum weft_firmware_status weft_firmware_init(struct weft_firmware *firmware,
                                             const struct weft_platform *platform,
                                             const struct weft_model *model,
                                             const struct weft_kernel_entry *const *kernels,
                                             void *arena, size_t arena_bytes);

/* Where input `index` lies in the arena unless a run gets a buffer for it; it is to be filled
 * before each run, because runs use its memory again. `index` is less than model->inputs.count. */
static inline void *weft_firmware_input(const struct weft_firmware *firmware, uint32_t index) {
    const struct weft_model *model = firmware->model;
    const struct weft_model_tensor *inputs =
        (const struct weft_model_tensor *)weft_model_at(model, model->inputs.at);
    return firmware->arena + inputs[index].home.at;
}

/* Where output `index` of the last run lies, if it got no buffer; it stays until inputs are filled
 * again or the next run. `index` is less than model->outputs.count. */
static inline const void *weft_firmware_output(const struct weft_firmware *firmware,
                                               uint32_t index) {
    const struct weft_model *model = firmware->model;
    const struct weft_model_tensor *outputs =
        (const struct weft_model_tensor *)weft_model_at(model, model->outputs.at);
    const struct weft_place *home = &outputs[index].home;
    return home->kind == WEFT_PLACE_MODEL ? weft_model_at(model, home->at)
                                          : firmware->arena + home->at;
}

/* Runs the model once and returns OK, or why it did not. inputs[i] and outputs[i] are buffers for
 * the model's tensors, of their bytes; NULL, for one or for the whole array: as above. A buffer at
 * a bus address that is a multiple of the tensor's alignment is used where it lies, if with a cache
 * its bytes are a multiple of a line; what is in others is copied. Buffers do not overlap. Outputs
 * hold nothing of use when the status is not OK. */
enum weft_firmware_status weft_firmware_run(struct weft_firmware *firmware,
                                            const void *const *inputs, void *const *outputs);

/* The same without waiting. start() runs up to the first program of the machine, starts it, and
 * returns RUNNING; poll() returns RUNNING while it runs, and goes on when it has ended, up to the
 * next one or to the end. Whatever else they return is the end of the run. `inputs`, `outputs` and
 * the buffers must stay until then. start() returns STATE while a run goes on. */
enum weft_firmware_status weft_firmware_start(struct weft_firmware *firmware,
                                              const void *const *inputs, void *const *outputs);
enum weft_firmware_status weft_firmware_poll(struct weft_firmware *firmware);

/* To be called by the handler of the machine's interrupt, with the structure whose run goes on:
 * ends the interrupt, and wakes wait(). Returns false when it was not the machine's. The structure
 * is ready before the interrupt is let through. */
bool weft_firmware_interrupt(struct weft_firmware *firmware);

/* Ends a run, from wherever it is called: in wait(), by a handler of interrupts, or between polls.
 * The run ends with ABORTED, unless it was about to end by itself. Waits until the machine's bus is
 * quiet, and returns OK, or BUS_BUSY when the platform's patience ended first: the next run is
 * refused with BUS_BUSY until it is. Does nothing when no run goes on. */
enum weft_firmware_status weft_firmware_abort(struct weft_firmware *firmware);

/* Makes the states of operators (LSTM, SVDF) as they are before a first run. Not while a run goes
 * on. */
void weft_firmware_reset(struct weft_firmware *firmware);

/* What a status means, in a few words. For programs that have room for it: status_text.c. */
const char *weft_firmware_text(enum weft_firmware_status status);

/* Checks `length` bytes that may be anything: header, length, CRC-32, version, and that every list,
 * place, name and region lies where it may (weft_model.h says what that does not promise). `bytes`
 * lies at a multiple of 8. The model may be shorter than `length`. Finds its kernels in `set` and
 * writes them to kernels[0] and on, of which there are `room`: set->count is always enough. Returns
 * OK, ALIGNMENT, MODEL_MAGIC, MODEL_VERSION, MODEL_LENGTH, MODEL_CRC, MODEL_RANGE, or KERNEL when
 * `set` lacks one, or has one with other parameters, or there is no room. */
enum weft_firmware_status weft_model_check(const void *bytes, size_t length,
                                           const struct weft_kernel_set *set,
                                           const struct weft_kernel_entry **kernels, uint32_t room);

/* CRC-32 as zlib has it: of what `crc` is of, 0 being that of nothing, followed by `length` bytes.
 * Faster where they begin at a multiple of 4. */
uint32_t weft_crc32(uint32_t crc, const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
