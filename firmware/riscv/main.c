/* The generic image: runs the model that stands behind the boot block, as the block says, with all
 * kernels of integers, and says on the UART what came of it. What it prints does not depend on
 * time, but for the accelerator's cycles, which are a promise. */
#include <stddef.h>
#include <string.h>

#include "firmware/riscv/system.h"
#include "firmware/weft_firmware.h"

enum {
    MOST_KERNELS = 64 /* that one model needs */
};

static struct weft_firmware firmware;

static struct weft_boot *boot_block(void) {
    return (struct weft_boot *)(uintptr_t)WEFT_BOOT_ADDRESS;
}

/* ---- the platform ---- */

static uint32_t read_register(void *context, uint32_t offset) {
    (void)context;
    return read_word(WEFT_SYSTEM_ACCELERATOR + offset);
}

static void write_register(void *context, uint32_t offset, uint32_t value) {
    (void)context;
    write_word(WEFT_SYSTEM_ACCELERATOR + offset, value);
}

static uint32_t cycles(void *context) {
    (void)context;
    return (uint32_t)system_cycles();
}

static void wait(void *context, const volatile uint32_t *flag, uint32_t ticks) {
    (void)context;
    (void)ticks; /* it wakes up often enough for the run time to see the deadline itself */
    interrupts_wait(flag, boot_block()->patience != 0);
}

void accelerator_interrupt(void) {
    (void)weft_firmware_interrupt(&firmware);
}

/* ---- the end ---- */

/* What the finisher is told. */
static uint32_t end_with(uint32_t status, const char *text) {
    boot_block()->status = status;
    if (status == 0) {
        print("weft: done\n");
        return WEFT_FINISHER_PASS;
    }
    print("weft: status ");
    print_number(status);
    print(": ");
    print(text);
    print("\n");
    return WEFT_FINISHER_FAIL | status << 16;
}

void unexpected_trap(uint32_t cause, uint32_t pc, uint32_t value) {
    struct weft_boot *boot = boot_block();
    boot->trap_cause = cause;
    boot->trap_pc = pc;
    boot->trap_value = value;
    print("weft: trap ");
    print_hexadecimal(cause, 8);
    print(" at ");
    print_hexadecimal(pc, 8);
    print(", value ");
    print_hexadecimal(value, 8);
    print("\n");
    finish(end_with(WEFT_BOOT_TRAP, "a trap that nobody expected"));
}

static uint32_t fail(enum weft_firmware_status status) {
    boot_block()->step = firmware.step;
    boot_block()->instruction = firmware.instruction;
    return end_with((uint32_t)status, weft_firmware_text(status));
}

/* ---- the model ---- */

static void *range_at(const struct weft_boot_range *range) {
    return (void *)(uintptr_t)range->address;
}

/* Whether the block's tensors have the bytes of the model's. */
static bool tensors_fit(const struct weft_model *model, const struct weft_model_list *list,
                        const struct weft_boot_range *ranges, uint32_t count) {
    const struct weft_model_tensor *tensors =
        (const struct weft_model_tensor *)(const void *)((const uint8_t *)model + list->at);
    if (count != list->count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].bytes != tensors[i].bytes) {
            return false;
        }
    }
    return true;
}

/* CRC-32 of the outputs one after the other. */
static uint32_t crc_of_outputs(const struct weft_boot *boot) {
    uint32_t crc = 0;
    for (uint32_t i = 0; i < boot->output_count; i++) {
        crc = weft_crc32(crc, range_at(&boot->outputs[i]), boot->outputs[i].bytes);
    }
    return crc;
}

static void print_run(const struct weft_boot *boot, uint32_t run) {
    print("run ");
    print_number(run);
    print(": ");
    print_number(boot->cycles);
    print(" accelerator cycles, outputs have CRC-32 ");
    print_hexadecimal(crc_of_outputs(boot), 8);
    print("\n");
}

/* All runs; the status of the last one. */
static enum weft_firmware_status run_model(struct weft_boot *boot) {
    const void *inputs[WEFT_BOOT_TENSORS];
    void *outputs[WEFT_BOOT_TENSORS];
    enum weft_firmware_status status = WEFT_FIRMWARE_OK;
    for (uint32_t i = 0; i < WEFT_BOOT_TENSORS; i++) {
        inputs[i] = range_at(&boot->inputs[i]);
        outputs[i] = range_at(&boot->outputs[i]);
    }
    const uint64_t begin = system_cycles();
    for (uint32_t run = 0; run < boot->runs && status == WEFT_FIRMWARE_OK; run++) {
        status = weft_firmware_run(&firmware, inputs, outputs);
        boot->cycles = firmware.cycles;
        boot->processor_cycles = system_cycles() - begin;
        if (status == WEFT_FIRMWARE_OK) {
            boot->runs_done = run + 1;
            print_run(boot, run + 1);
        }
    }
    return status;
}

static bool is_boot_block(const struct weft_boot *boot) {
    return memcmp(boot->magic, WEFT_BOOT_MAGIC, sizeof boot->magic) == 0 &&
           boot->version == WEFT_BOOT_VERSION && boot->runs != 0 &&
           boot->input_count <= WEFT_BOOT_TENSORS && boot->output_count <= WEFT_BOOT_TENSORS;
}

int main(void) {
    static const struct weft_kernel_entry *kernels[MOST_KERNELS];
    static struct weft_platform platform = {
        .read = read_register,
        .write = write_register,
        .bus_address = weft_same_address,
        .cache_clean = weft_no_cache,
        .cache_invalidate = weft_no_cache,
        .cache_line = 1,
        .time = cycles,
    };
    struct weft_boot *boot = boot_block();
    if (!is_boot_block(boot)) {
        return (int)end_with(WEFT_BOOT_BAD_BLOCK, "there is no boot block of this version");
    }
    const bool has_interrupts = (boot->flags & WEFT_BOOT_INTERRUPT) != 0;
    if (has_interrupts) {
        traps_start();
    }
    const struct weft_model *model = range_at(&boot->blob);
    enum weft_firmware_status status =
        weft_model_check(model, boot->blob.bytes, &weft_integer_kernels, kernels, MOST_KERNELS);
    if (status != WEFT_FIRMWARE_OK) {
        return (int)fail(status);
    }
    if (!tensors_fit(model, &model->inputs, boot->inputs, boot->input_count) ||
        !tensors_fit(model, &model->outputs, boot->outputs, boot->output_count)) {
        return (int)end_with(WEFT_BOOT_BAD_TENSOR, "the inputs or outputs are not the model's");
    }
    print("weft: ");
    print((const char *)model + model->name);
    print("\n");
    platform.patience =
        boot->patience == 0 || boot->patience > UINT32_MAX ? UINT32_MAX : (uint32_t)boot->patience;
    platform.watchdog_factor = boot->watchdog_factor;
    platform.wait = has_interrupts ? wait : NULL;
    status = weft_firmware_init(&firmware, &platform, model, kernels, range_at(&boot->arena),
                                boot->arena.bytes);
    if (status == WEFT_FIRMWARE_OK) {
        if (has_interrupts) {
            interrupts_start(); /* now there is somebody whom the handler can call */
        }
        status = run_model(boot);
    }
    return (int)(status == WEFT_FIRMWARE_OK ? end_with(0, "") : fail(status));
}
