/* The image of a board (hw/board): reads the pictures that are linked in, says on the UART which
 * digit each shows, and tells the end. The model and all memory lie in block RAM, of which there is
 * just enough: no boot block, no reader of blobs. */
#include <string.h>

#include "digits.h"
#include "firmware/riscv/system.h"
#include "firmware/weft_firmware.h"
#include "pictures.h"

static _Alignas(WEFT_MODEL_ALIGNMENT) uint8_t arena[DIGITS_ARENA_BYTES];

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
    uint32_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now));
    return now;
}

static const struct weft_platform platform = {
    .read = read_register,
    .write = write_register,
    .bus_address = weft_same_address,
    .cache_clean = weft_no_cache,
    .cache_invalidate = weft_no_cache,
    .cache_line = 1,
    .time = cycles,
    .patience = 10000000,
    .watchdog_factor = 10,
};

_Noreturn void finish(uint32_t word) {
    write_word(WEFT_SYSTEM_FINISHER, word);
    for (;;) {
    }
}

/* print_number() divides numbers of 64 bits, which takes more memory than there is. */
static void print_small(uint32_t number) {
    if (number >= 10) {
        print_small(number / 10);
    }
    put_letter((char)('0' + number % 10));
}

static int best_of(const int8_t *scores) {
    int best = 0;
    for (int i = 1; i < DIGITS_OUTPUT_0_BYTES; i++) {
        best = scores[i] > scores[best] ? i : best;
    }
    return best;
}

int main(void) {
    static struct weft_firmware firmware;
    print("weft: digits\n");
    enum weft_firmware_status status =
        weft_firmware_init(&firmware, &platform, digits_model, digits_kernels, arena, sizeof arena);
    for (int i = 0; i < PICTURES && status == WEFT_FIRMWARE_OK; i++) {
        memcpy(weft_firmware_input(&firmware, 0), pictures[i], DIGITS_INPUT_0_BYTES);
        status = weft_firmware_run(&firmware, NULL, NULL);
        if (status == WEFT_FIRMWARE_OK) {
            const int8_t *scores = weft_firmware_output(&firmware, 0);
            print("picture ");
            print_small((uint32_t)i);
            print(": ");
            print_small((uint32_t)best_of(scores));
            print(", scores");
            for (int k = 0; k < DIGITS_OUTPUT_0_BYTES; k++) {
                print(" ");
                print_hexadecimal((uint8_t)scores[k], 2);
            }
            print(", ");
            print_small((uint32_t)firmware.cycles);
            print(" cycles\n");
        }
    }
    if (status != WEFT_FIRMWARE_OK) {
        print("weft: status ");
        print_small(status);
        print("\n");
        return (int)(WEFT_FINISHER_FAIL | (uint32_t)status << 16);
    }
    print("weft: done\n");
    return (int)WEFT_FINISHER_PASS;
}
