/* The machine behind its registers (docs/registers.md), for whoever has a bus and a clock: a
 * virtual platform, firmware on the host, a process that plays the device.
 *
 *     const struct weft_device_bus bus = {memory, read_memory, write_memory};
 *     weft_device_open("cycle", &config, &bus, NULL, &device, &error);
 *     weft_device_write32(device, WEFT_REGISTER_region_base, 0x80000000, now, &error);
 *     ...
 *     weft_device_write32(device, WEFT_REGISTER_start, 1, now, &error);
 *     now = weft_device_next_event(device);
 *     if (weft_device_interrupt(device, now)) ...
 *     weft_device_close(device);
 *
 * `now` is the caller's time in cycles of the machine. It must not go back from call to call; a
 * call with an earlier one counts as at the latest so far.
 *
 * START reads the program and what it touches of its regions over the bus, and carries the run out
 * at once, in private memory. Nothing of it is to be seen before `now` reaches its end: then
 * whichever call comes first writes to the bus those bytes of writable regions that the run changed
 * and sets status, counters and the pending interrupt. So memory is to be looked at after a call
 * with that time. In between STATUS says that it runs and the counter `cycles` goes on; the other
 * counters are 0. ABORT drops the run and writes nothing.
 *
 * A read that the bus refuses is fault BUS after the latency of the memory, of instruction 0; a
 * write that it refuses is fault BUS at the end, of the instruction after the last.
 *
 * A device belongs to one thread at a time. */
#ifndef WEFT_DRIVER_DEVICE_H
#define WEFT_DRIVER_DEVICE_H

#include "driver/session.h"
#include "isa/registers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory as the machine reaches it. `address` is that of the bus, `length` is not 0. False: the bus
 * answers with an error. */
struct weft_device_bus {
    void *context;
    bool (*read)(void *context, uint64_t address, void *bytes, size_t length);
    bool (*write)(void *context, uint64_t address, const void *bytes, size_t length);
};

struct weft_device_settings {
    enum weft_host host; /* kernels of the cycle simulator */
    struct weft_memory_settings memory;
    uint64_t memory_limit; /* bytes that a run may take; 0: WEFT_MEMORY_LIMIT */
    uint64_t cycle_limit;  /* cycles that a program may take; 0: WEFT_CYCLE_LIMIT */
};

/* The best kernels, everything else 0. */
struct weft_device_settings weft_device_defaults(void);

struct weft_device;

/* A machine in reset. `target` is "cycle" or "rtl". `config`, `bus` and `settings` (NULL: the
 * defaults) are copied. Errors: WEFT_TARGET (no such target, no time in it, the RTL is not built),
 * WEFT_FINGERPRINT, WEFT_INTERNAL, WEFT_OUT_OF_MEMORY. */
bool weft_device_open(const char *target, const struct weft_config *config,
                      const struct weft_device_bus *bus,
                      const struct weft_device_settings *settings, struct weft_device **device,
                      struct weft_error *error);

void weft_device_close(struct weft_device *device);

/* The half of a register at `offset` (enum weft_register, + 4 for the upper half). 0 where no
 * register is, and where the offset is no multiple of 4. */
uint32_t weft_device_read32(struct weft_device *device, uint32_t offset, uint64_t now);

/* Writes that half; as on the machine, writes are ignored where no register is, and while a run is
 * on all but those to INTERRUPT and ABORT. Fails only when a run begins that cannot be carried out,
 * as if START had not been written: WEFT_LIMIT (regions of too many bytes, a program of too many
 * cycles), WEFT_OUT_OF_MEMORY, WEFT_INTERNAL (of the RTL), and the errors of weft_verify() for a
 * program that does not fault and is rejected all the same, since its results are nobody's. */
bool weft_device_write32(struct weft_device *device, uint32_t offset, uint32_t value, uint64_t now,
                         struct weft_error *error);

/* The time at which the run that is on ends; UINT64_MAX: there is none. */
uint64_t weft_device_next_event(const struct weft_device *device);

/* Is the interrupt request raised at this time: pending and enabled? */
bool weft_device_interrupt(struct weft_device *device, uint64_t now);

#ifdef __cplusplus
}
#endif

#endif
