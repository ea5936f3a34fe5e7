/* The run time in one file, so that compilers see all callers: small code is what it is for. */
#include "firmware/weft_firmware.h"

#include <string.h>

#include "isa/registers.h"

/* The same bytes for every compiler. */
_Static_assert(sizeof(struct weft_model) == 88, "the header of a model has 88 bytes");
_Static_assert(sizeof(struct weft_model_segment) == 144, "a segment has 144 bytes");
_Static_assert(sizeof(struct weft_model_operator) == 48, "an operator has 48 bytes");
_Static_assert(WEFT_KERNEL_OK == 0 && WEFT_KERNEL_INDEX == 1 && WEFT_KERNEL_UNDEFINED == 2,
               "statuses of kernels and of firmware are in the same order");

/* ---- the platform ---- */

static uint32_t read(const struct weft_firmware *firmware, uint32_t offset) {
    return firmware->platform->read(firmware->platform->context, offset);
}

static void write(const struct weft_firmware *firmware, uint32_t offset, uint32_t value) {
    firmware->platform->write(firmware->platform->context, offset, value);
}

/* Of a register that does not change meanwhile. */
static uint64_t read64(const struct weft_firmware *firmware, uint32_t offset) {
    return read(firmware, offset) | (uint64_t)read(firmware, offset + 4) << 32;
}

static void write64(const struct weft_firmware *firmware, uint32_t offset, uint64_t value) {
    write(firmware, offset, (uint32_t)value);
    write(firmware, offset + 4, (uint32_t)(value >> 32));
}

static uint64_t bus_address(const struct weft_firmware *firmware, const void *pointer) {
    return firmware->platform->bus_address(firmware->platform->context, pointer);
}

static void start_clock(struct weft_firmware *firmware) {
    firmware->started = firmware->platform->time(firmware->platform->context);
}

/* Ticks that are left of the platform's patience. */
static uint32_t ticks_left(const struct weft_firmware *firmware) {
    const struct weft_platform *platform = firmware->platform;
    uint32_t elapsed = platform->time(platform->context) - firmware->started;
    return elapsed < platform->patience ? platform->patience - elapsed : 0;
}

/* ---- inputs and outputs ---- */

/* Where the inputs and outputs are in this run, as they are listed. */
static void **places_of_tensors(const struct weft_firmware *firmware) {
    return (void **)(void *)(firmware->arena + firmware->model->tensors);
}

static void *address_of(const struct weft_firmware *firmware, const struct weft_place *place) {
    if (place->kind == WEFT_PLACE_TENSOR) {
        return places_of_tensors(firmware)[place->at];
    }
    return (place->kind == WEFT_PLACE_ARENA ? firmware->arena
                                            : (uint8_t *)(uintptr_t)firmware->model) +
           place->at;
}

static const struct weft_model_tensor *tensors_of(const struct weft_firmware *firmware) {
    return weft_model_at(firmware->model, firmware->model->inputs.at);
}

/* Can the caller's buffer stand for the home? */
static bool is_used_itself(const struct weft_firmware *firmware,
                           const struct weft_model_tensor *tensor, const void *buffer) {
    return tensor->alignment != 0 &&
           ((uint32_t)bus_address(firmware, buffer) & (tensor->alignment - 1)) == 0 &&
           (tensor->bytes & (firmware->platform->cache_line - 1)) == 0;
}

/* Decides where tensors are, and copies inputs that are elsewhere. `buffer` is the caller's for the
 * first input, then for the others; NULL: the caller has none. */
static void place_tensors(const struct weft_firmware *firmware, const void *const *buffer) {
    const struct weft_model *model = firmware->model;
    const struct weft_model_tensor *tensor = tensors_of(firmware);
    void **place = places_of_tensors(firmware);
    for (uint32_t i = 0; i < model->inputs.count + model->outputs.count; i++, tensor++, place++) {
        if (i == model->inputs.count) {
            buffer = (const void *const *)firmware->outputs;
        }
        *place = address_of(firmware, &tensor->home);
        const void *given = buffer == NULL ? NULL : *buffer++;
        if (given == NULL) {
            continue;
        }
        if (is_used_itself(firmware, tensor, given)) {
            *place = (void *)(uintptr_t)given;
        } else if (i < model->inputs.count) {
            memcpy(*place, given, tensor->bytes);
        }
    }
}

static void copy_outputs(const struct weft_firmware *firmware) {
    const struct weft_model *model = firmware->model;
    const struct weft_model_tensor *tensor = tensors_of(firmware) + model->inputs.count;
    void *const *place = places_of_tensors(firmware) + model->inputs.count;
    for (uint32_t i = 0; firmware->outputs != NULL && i < model->outputs.count; i++) {
        void *buffer = firmware->outputs[i];
        if (buffer != NULL && buffer != place[i]) {
            memcpy(buffer, place[i], tensor[i].bytes);
        }
    }
}

/* ---- the machine ---- */

/* Ends an interrupt that is pending; enables them where somebody waits for them. */
static void clear_interrupt(const struct weft_firmware *firmware) {
    write(firmware, WEFT_REGISTER_interrupt,
          firmware->platform->wait != NULL ? WEFT_INTERRUPT_PENDING | WEFT_INTERRUPT_ENABLED
                                           : WEFT_INTERRUPT_PENDING);
}

/* Ends what the machine does, and waits until its bus is quiet. */
static enum weft_firmware_status stop_machine(struct weft_firmware *firmware) {
    write(firmware, WEFT_REGISTER_abort, WEFT_ABORT_RUN);
    start_clock(firmware);
    while ((read(firmware, WEFT_REGISTER_status) & WEFT_STATUS_RUNNING) != 0) {
        if (ticks_left(firmware) == 0) {
            return WEFT_FIRMWARE_BUS_BUSY;
        }
    }
    return WEFT_FIRMWARE_OK;
}

/* Before a program: gives the machine its regions, in which all is in memory that the processor has
 * written. After it: forgets what the cache has of those that the machine may have written. */
static void walk_regions(const struct weft_firmware *firmware,
                         const struct weft_model_segment *segment, bool is_after) {
    const struct weft_platform *platform = firmware->platform;
    uint32_t writable = 0;
    for (uint32_t i = 0; i < WEFT_MODEL_REGIONS; i++) {
        const struct weft_model_region *region = &segment->regions[i];
        const void *address = address_of(firmware, &region->place);
        uint32_t bytes = region->bytes;
        if (is_after) {
            if (region->is_writable != 0) {
                platform->cache_invalidate(platform->context, address, bytes);
            }
            continue;
        }
        if (region->place.kind != WEFT_PLACE_MODEL) { /* that was cleaned once for all */
            platform->cache_clean(platform->context, address, bytes);
        }
        write64(firmware, WEFT_REGISTER_region_base + 8 * i, bus_address(firmware, address));
        write64(firmware, WEFT_REGISTER_region_limit + 8 * i, bytes);
        writable |= region->is_writable << i;
    }
    if (!is_after) {
        write(firmware, WEFT_REGISTER_region_writable, writable);
    }
}

/* ---- steps ---- */

static enum weft_firmware_status start_segment(struct weft_firmware *firmware,
                                               const struct weft_model_segment *segment) {
    if ((read(firmware, WEFT_REGISTER_status) & WEFT_STATUS_RUNNING) != 0) {
        return WEFT_FIRMWARE_BUS_BUSY;
    }
    walk_regions(firmware, segment, false);
    write64(firmware, WEFT_REGISTER_watchdog, segment->bound * firmware->platform->watchdog_factor);
    clear_interrupt(firmware);
    firmware->interrupted = 0; /* after an interrupt that the machine had asked for before */
    start_clock(firmware);
    write(firmware, WEFT_REGISTER_start, WEFT_START_RUN);
    if (firmware->status != WEFT_FIRMWARE_RUNNING) { /* a handler has aborted just before it */
        write(firmware, WEFT_REGISTER_abort, WEFT_ABORT_RUN);
    }
    return WEFT_FIRMWARE_RUNNING;
}

static enum weft_firmware_status run_operator(const struct weft_firmware *firmware,
                                              const struct weft_model_operator *operator) {
    const struct weft_model_operand *operands = weft_model_at(firmware->model, operator->operands);
    void **pointers = (void **)(void *)(firmware->arena + operator->pointers);
    for (uint32_t i = 0; i < operator->input_count + operator->output_count; i++) {
        pointers[i] = address_of(firmware, &operands[i].place);
    }
    enum weft_kernel_status status =
        firmware->kernels[operator->kernel]->run(weft_model_at(firmware->model, operator->parameters),
                                                 (const void *const *)pointers,
                                                 pointers + operator->input_count,
                                                 firmware->arena + operator->state,
                                                 firmware->arena + operator->scratch);
    return status == WEFT_KERNEL_OK
               ? WEFT_FIRMWARE_OK
               : (enum weft_firmware_status)(WEFT_FIRMWARE_KERNEL_INDEX - 1 + status);
}

static void copy(const struct weft_firmware *firmware, const struct weft_model_copy *what) {
    memcpy(address_of(firmware, &what->to), address_of(firmware, &what->from), what->bytes);
}

static enum weft_firmware_status run_step(struct weft_firmware *firmware,
                                          const struct weft_model_step *step) {
    const void *what = weft_model_at(firmware->model, step->at);
    if (step->kind == WEFT_STEP_SEGMENT) {
        return start_segment(firmware, what);
    }
    if (step->kind == WEFT_STEP_OPERATOR) {
        return run_operator(firmware, what);
    }
    copy(firmware, what);
    return WEFT_FIRMWARE_OK;
}

/* ---- runs ---- */

static const struct weft_model_step *steps_of(const struct weft_firmware *firmware) {
    return weft_model_at(firmware->model, firmware->model->steps.at);
}

/* The end of a run, unless an abort was faster. */
static void finish(struct weft_firmware *firmware, enum weft_firmware_status status) {
    if (firmware->status == WEFT_FIRMWARE_RUNNING) {
        firmware->status = status;
    }
}

/* Goes on from the step it is at until the machine runs or all is done. A run goes on by nobody
 * writing its status: a handler's abort between a look at it and the write would be lost. */
static void advance(struct weft_firmware *firmware) {
    enum weft_firmware_status status = WEFT_FIRMWARE_OK;
    while (firmware->status == WEFT_FIRMWARE_RUNNING && status == WEFT_FIRMWARE_OK) {
        if (firmware->step == firmware->model->steps.count) {
            copy_outputs(firmware);
            finish(firmware, status);
            break;
        }
        status = run_step(firmware, &steps_of(firmware)[firmware->step]);
        if (status == WEFT_FIRMWARE_OK) {
            firmware->step++;
        } else if (status != WEFT_FIRMWARE_RUNNING) {
            finish(firmware, status);
        }
    }
}

enum weft_firmware_status weft_firmware_start(struct weft_firmware *firmware,
                                              const void *const *inputs, void *const *outputs) {
    if (firmware->status == WEFT_FIRMWARE_RUNNING) {
        return WEFT_FIRMWARE_STATE;
    }
    firmware->step = 0;
    firmware->instruction = 0;
    firmware->cycles = 0;
    firmware->outputs = outputs;
    firmware->status = WEFT_FIRMWARE_RUNNING;
    place_tensors(firmware, inputs);
    advance(firmware);
    return (enum weft_firmware_status)firmware->status;
}

static bool has_ended(uint32_t status) {
    return (status & (WEFT_STATUS_RUNNING | WEFT_STATUS_ENDED)) == WEFT_STATUS_ENDED;
}

/* The machine has ended a program. */
static void end_segment(struct weft_firmware *firmware, uint32_t status) {
    uint32_t fault = (status & WEFT_STATUS_FAULT_MASK) >> WEFT_STATUS_FAULT_SHIFT;
    firmware->cycles += read64(firmware, WEFT_REGISTER_counter);
    clear_interrupt(firmware);
    if (fault != 0) {
        firmware->instruction = read(firmware, WEFT_REGISTER_status + 4);
        finish(firmware, (enum weft_firmware_status)(WEFT_FIRMWARE_FAULT_NONE + fault));
        return;
    }
    walk_regions(firmware, weft_model_at(firmware->model, steps_of(firmware)[firmware->step].at),
                 true);
    firmware->step++;
    advance(firmware);
}

/* Gives a program up. That its bus is not quiet the next one finds out. */
static void give_up(struct weft_firmware *firmware, enum weft_firmware_status status) {
    finish(firmware, status);
    (void)stop_machine(firmware);
}

enum weft_firmware_status weft_firmware_poll(struct weft_firmware *firmware) {
    if (firmware->status == WEFT_FIRMWARE_RUNNING) {
        uint32_t status = read(firmware, WEFT_REGISTER_status);
        if (has_ended(status)) {
            end_segment(firmware, status);
        } else if (ticks_left(firmware) == 0) {
            give_up(firmware, WEFT_FIRMWARE_DEADLINE);
        }
    }
    return (enum weft_firmware_status)firmware->status;
}

/* Waits for the interrupt; gives the program up when its time has passed without one. */
static void await_interrupt(struct weft_firmware *firmware) {
    const struct weft_platform *platform = firmware->platform;
    while (firmware->interrupted == 0) {
        uint32_t ticks = ticks_left(firmware);
        if (ticks == 0) {
            give_up(firmware, has_ended(read(firmware, WEFT_REGISTER_status))
                                  ? WEFT_FIRMWARE_LOST_INTERRUPT
                                  : WEFT_FIRMWARE_DEADLINE);
            return;
        }
        platform->wait(platform->context, &firmware->interrupted, ticks);
    }
}

enum weft_firmware_status weft_firmware_run(struct weft_firmware *firmware,
                                            const void *const *inputs, void *const *outputs) {
    enum weft_firmware_status status = weft_firmware_start(firmware, inputs, outputs);
    while (status == WEFT_FIRMWARE_RUNNING) {
        if (firmware->platform->wait != NULL) {
            await_interrupt(firmware);
        }
        status = weft_firmware_poll(firmware);
    }
    return status;
}

bool weft_firmware_interrupt(struct weft_firmware *firmware) {
    if ((read(firmware, WEFT_REGISTER_interrupt) & WEFT_INTERRUPT_PENDING) == 0) {
        return false;
    }
    clear_interrupt(firmware);
    firmware->interrupted = 1;
    return true;
}

enum weft_firmware_status weft_firmware_abort(struct weft_firmware *firmware) {
    if (firmware->status != WEFT_FIRMWARE_RUNNING) {
        return WEFT_FIRMWARE_OK;
    }
    firmware->status = WEFT_FIRMWARE_ABORTED;
    firmware->interrupted = 1;
    return stop_machine(firmware);
}

/* ---- before the first ---- */

static enum weft_firmware_status check_machine(const struct weft_firmware *firmware) {
    if (read(firmware, WEFT_REGISTER_identity) != WEFT_REGISTER_MAGIC) {
        return WEFT_FIRMWARE_NO_MACHINE;
    }
    if (read(firmware, WEFT_REGISTER_identity + 4) != WEFT_REGISTER_MAP_VERSION) {
        return WEFT_FIRMWARE_REGISTER_MAP;
    }
    return read64(firmware, WEFT_REGISTER_configuration) == firmware->model->configuration
               ? WEFT_FIRMWARE_OK
               : WEFT_FIRMWARE_FINGERPRINT;
}

void weft_firmware_reset(struct weft_firmware *firmware) {
    const struct weft_model_copy *resets =
        weft_model_at(firmware->model, firmware->model->resets.at);
    for (uint32_t i = 0; i < firmware->model->resets.count; i++) {
        copy(firmware, &resets[i]);
    }
}

enum weft_firmware_status weft_firmware_init(struct weft_firmware *firmware,
                                             const struct weft_platform *platform,
                                             const struct weft_model *model,
                                             const struct weft_kernel_entry *const *kernels,
                                             void *arena, size_t arena_bytes) {
    *firmware = (struct weft_firmware){
        .platform = platform, .model = model, .kernels = kernels, .arena = arena};
    if (((uint32_t)(bus_address(firmware, model) | bus_address(firmware, arena)) &
         (WEFT_MODEL_ALIGNMENT - 1)) != 0) {
        return WEFT_FIRMWARE_ALIGNMENT; /* before the model is read */
    }
    enum weft_firmware_status status = check_machine(firmware);
    if (status != WEFT_FIRMWARE_OK) {
        return status;
    }
    if (arena_bytes < model->arena_bytes) {
        return WEFT_FIRMWARE_ARENA;
    }
    platform->cache_clean(platform->context, model, model->bytes);
    weft_firmware_reset(firmware);
    return stop_machine(firmware);
}
