/* How fast the model of the processor is, on a CRC-32 bit by bit (short blocks, few loads) and on
 * sums of products (loads, a multiplication). Both are compared with the same in C; times are
 * figures alone. usage: cpu_speed [MILLIONS]   instructions of each program; 200 by default */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/bytes.h"
#include "vp/cpu/cpu.h"

#define RAM_BASE   UINT32_C(0x80000000)
#define POLYNOMIAL UINT32_C(0xedb88320)

enum {
    RAM_BYTES = 1 << 16,
    DATA = 0x8000, /* offset in RAM of what the programs read */
    BYTES = 4096,
    A0 = 10, /* registers */
    S1 = 9
};

/* A program that goes over the data again and again, counting rounds in s1; a0 is what they come
 * to. */
struct program {
    const char *name;
    uint32_t code[32];
    uint32_t (*round)(const uint8_t *data, uint32_t value); /* the same in C */
};

static uint32_t crc_round(const uint8_t *data, uint32_t value) {
    for (int i = 0; i < BYTES; i++) {
        value ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ (POLYNOMIAL & (0 - (value & 1)));
        }
    }
    return value;
}

static uint32_t product_round(const uint8_t *data, uint32_t value) {
    for (int i = 0; i < BYTES; i += 8) {
        value += weft_read_u32(data + i) * weft_read_u32(data + i + 4);
    }
    return value;
}

static const struct program programs[] = {
    {"crc-32",
     {
         0x80008437, /* lui s0, 0x80008: the data */
         0x00001637, /* lui a2, 1: bytes */
         0x00c40633, /* add a2, s0, a2 */
         0xedb886b7, /* lui a3, 0xedb88: the polynomial */
         0x32068693, /* addi a3, a3, 0x320 */
         0x00040593, /* round: addi a1, s0, 0 */
         0x0005c703, /* byte: lbu a4, 0(a1) */
         0x00158593, /* addi a1, a1, 1 */
         0x00e54533, /* xor a0, a0, a4 */
         0x00800793, /* addi a5, zero, 8 */
         0x00157293, /* bit: andi t0, a0, 1 */
         0x405002b3, /* sub t0, zero, t0 */
         0x00d2f2b3, /* and t0, t0, a3 */
         0x00155513, /* srli a0, a0, 1 */
         0x00554533, /* xor a0, a0, t0 */
         0xfff78793, /* addi a5, a5, -1 */
         0xfe0794e3, /* bne a5, zero, bit */
         0xfcc59ae3, /* bne a1, a2, byte */
         0x00148493, /* addi s1, s1, 1 */
         0xfc9ff06f, /* jal zero, round */
     },
     crc_round},
    {"products",
     {
         0x80008437, /* lui s0, 0x80008: the data */
         0x00001637, /* lui a2, 1: bytes */
         0x00c40633, /* add a2, s0, a2 */
         0x00040593, /* round: addi a1, s0, 0 */
         0x0005a703, /* pair: lw a4, 0(a1) */
         0x0045a783, /* lw a5, 4(a1) */
         0x02f70733, /* mul a4, a4, a5 */
         0x00858593, /* addi a1, a1, 8 */
         0x00e50533, /* add a0, a0, a4 */
         0xfec596e3, /* bne a1, a2, pair */
         0x00148493, /* addi s1, s1, 1 */
         0xfe1ff06f, /* jal zero, round */
     },
     product_round},
};

static bool no_read(void *context, uint32_t address, uint32_t bytes, uint32_t *value) {
    (void)context;
    (void)address;
    (void)bytes;
    (void)value;
    return false;
}

static bool no_write(void *context, uint32_t address, uint32_t bytes, uint32_t value) {
    (void)context;
    (void)address;
    (void)bytes;
    (void)value;
    return false;
}

static uint64_t no_clock(void *context) {
    (void)context;
    return 0;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Lets the last round come to its end; false: what came of it is not what C computes. */
static bool check(struct weft_cpu *cpu, const struct program *program, const uint8_t *data) {
    const uint32_t rounds = weft_cpu_register(cpu, S1) + 1;
    while (weft_cpu_register(cpu, S1) != rounds) {
        weft_cpu_run(cpu, 1);
    }
    uint32_t expected = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        expected = program->round(data, expected);
    }
    return weft_cpu_register(cpu, A0) == expected;
}

static bool measure(const struct program *program, uint64_t instructions) {
    static uint8_t ram[RAM_BYTES];
    struct weft_cpu *cpu;
    struct weft_error error;
    const struct weft_cpu_options options = {.ram = ram,
                                             .ram_base = RAM_BASE,
                                             .ram_bytes = RAM_BYTES,
                                             .reset_vector = RAM_BASE,
                                             .read = no_read,
                                             .write = no_write,
                                             .cycles = no_clock};
    for (uint32_t i = 0; i < 32; i++) {
        weft_write_u32(ram + (size_t)4 * i, program->code[i]);
    }
    for (uint32_t i = 0; i < BYTES; i++) {
        ram[DATA + i] = (uint8_t)(i * 167 + 13);
    }
    if (!weft_cpu_create(&options, &cpu, &error)) {
        fprintf(stderr, "cpu_speed: %s\n", error.message);
        return false;
    }
    const double begin = seconds();
    weft_cpu_run(cpu, instructions);
    const double spent = seconds() - begin;
    printf("%-10s %6.1f million instructions a second\n", program->name,
           1e-6 * (double)instructions / spent);
    const bool good = check(cpu, program, ram + DATA);
    if (!good) {
        fprintf(stderr, "cpu_speed: %s: a wrong result\n", program->name);
    }
    weft_cpu_destroy(cpu);
    return good;
}

int main(int argc, char **argv) {
    const uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    bool good = true;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        good = measure(&programs[i], millions * 1000000) && good;
    }
    return good ? 0 : 1;
}
