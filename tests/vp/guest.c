/* Runs on the processor of the virtual platform, without a library. */
#include "tests/vp/guest.h"

#include <stdbool.h>

#include "firmware/boot.h"
#include "isa/registers.h"

#define SHARED ((volatile struct guest_shared *)GUEST_SHARED)

/* Fails with the number of the line. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            finish(WEFT_FINISHER_FAIL | (uint32_t)__LINE__ << 16);                                 \
        }                                                                                          \
    } while (0)

enum {
    MIE = 1 << 3, /* of mstatus */
    SOFTWARE = 1 << 3,
    TIMER = 1 << 7,
    EXTERNAL = 1 << 11,
    UART_SOURCE = 10,
};

static void put(uint32_t address, uint32_t value) {
    *(volatile uint32_t *)address = value;
}
static uint32_t get(uint32_t address) {
    return *(volatile uint32_t *)address;
}
static void put8(uint32_t address, uint8_t value) {
    *(volatile uint8_t *)address = value;
}
static uint8_t get8(uint32_t address) {
    return *(volatile uint8_t *)address;
}

static void finish(uint32_t value) {
    put(WEFT_SYSTEM_FINISHER, value);
    for (;;) {
    }
}

static void print(const char *text) {
    for (; *text != 0; text++) {
        while ((get8(WEFT_SYSTEM_UART + 5) & 0x20) == 0) {
        }
        put8(WEFT_SYSTEM_UART, (uint8_t)*text);
    }
}

static void print_number(uint32_t value) {
    char digits[11];
    char *next = digits + sizeof digits - 1;
    *next = 0;
    do {
        *--next = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    print(next);
}

static uint32_t cycles_now(void) {
    uint32_t value;
    __asm__ volatile("csrr %0, mcycle" : "=r"(value));
    return value;
}

static void allow(uint32_t interrupts) {
    __asm__ volatile("csrw mie, %0" ::"r"(interrupts));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MIE));
}

static void sleep_once(void) {
    __asm__ volatile("wfi");
}

/* ---- traps ---- */

static volatile uint32_t timer_interrupts;
static volatile uint32_t software_interrupts;
static volatile uint32_t external_interrupts;
static volatile uint32_t last_source;
static volatile uint32_t last_trap;

static uint32_t timer_now(void) {
    return get(WEFT_SYSTEM_CLINT + 0xbff8);
}

static void set_timer(uint32_t low) {
    put(WEFT_SYSTEM_CLINT + 0x4004, 0xffffffff);
    put(WEFT_SYSTEM_CLINT + 0x4000, low);
    put(WEFT_SYSTEM_CLINT + 0x4004, 0);
}

static void handle_external(void) {
    last_source = get(WEFT_SYSTEM_PLIC + 0x200004);
    external_interrupts++;
    if (last_source == WEFT_SYSTEM_INTERRUPT) {
        put(WEFT_SYSTEM_ACCELERATOR + WEFT_REGISTER_interrupt, 3);
    } else if (last_source == UART_SOURCE) {
        EXPECT((get8(WEFT_SYSTEM_UART + 2) & 0xf) == 2);
    }
    put(WEFT_SYSTEM_PLIC + 0x200004, last_source);
}

void handle_trap(void);
void handle_trap(void) {
    uint32_t cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    if (cause == 0x80000003) {
        software_interrupts++;
        put(WEFT_SYSTEM_CLINT, 0);
    } else if (cause == 0x80000007) {
        timer_interrupts++;
        put(WEFT_SYSTEM_CLINT + 0x4004, 0xffffffff);
    } else if (cause == 0x8000000b) {
        handle_external();
    } else {
        uint32_t pc;
        last_trap = cause;
        __asm__ volatile("csrr %0, mepc" : "=r"(pc));
        const uint32_t length = (*(volatile uint16_t *)pc & 3) == 3 ? 4 : 2;
        __asm__ volatile("csrw mepc, %0" ::"r"(pc + length));
    }
}

/* ---- timer and software ---- */

static void try_timer(void) {
    for (uint32_t i = 0; i < SHARED->parameter; i++) {
        const uint32_t begin = cycles_now();
        const uint32_t tick = timer_now();
        set_timer(tick + 50); /* of 100 ns: 500 cycles */
        allow(TIMER);
        while (timer_interrupts == i) {
            sleep_once();
        }
        const uint32_t took = cycles_now() - begin;
        EXPECT(timer_now() - tick >= 50 && timer_now() - tick < 60);
        EXPECT(took > 490 && took < 600);
        EXPECT(timer_interrupts == i + 1);
    }
    print("timer ");
    print_number(timer_interrupts);
    print("\n");
}

static void try_software(void) {
    allow(SOFTWARE);
    for (uint32_t i = 0; i < 10; i++) {
        put(WEFT_SYSTEM_CLINT, 1);
        EXPECT(software_interrupts == i + 1);
        EXPECT(get(WEFT_SYSTEM_CLINT) == 0);
    }
    put(WEFT_SYSTEM_CLINT + 0xbff8, 0xfffffff0); /* mtime goes on from there */
    put(WEFT_SYSTEM_CLINT + 0xbffc, 7);
    while (timer_now() >= 0xfffffff0) {
    }
    EXPECT(get(WEFT_SYSTEM_CLINT + 0xbffc) == 8);
    print("software\n");
}

/* ---- UART and PLIC ---- */

static void enable_source(uint32_t number, uint32_t priority) {
    put(WEFT_SYSTEM_PLIC + 4 * number, priority);
    put(WEFT_SYSTEM_PLIC + 0x2000 + number / 32 * 4, 1U << number % 32);
}

static void try_uart(void) {
    const uint32_t uart = WEFT_SYSTEM_UART;
    put8(uart + 7, 0xa5);
    EXPECT(get8(uart + 7) == 0xa5);
    put8(uart + 3, 0x83);
    put8(uart, 0x12);
    put8(uart + 1, 0x34);
    EXPECT(get8(uart) == 0x12 && get8(uart + 1) == 0x34 && get8(uart + 3) == 0x83);
    put8(uart + 3, 0x03);
    EXPECT(get8(uart) == 0 && get8(uart + 1) == 0 && (get8(uart + 5) & 0x61) == 0x60);
    EXPECT(get8(uart + 2) == 1);
    put8(uart + 2, 1);
    EXPECT(get8(uart + 2) == 0xc1 && (get8(uart + 6) & 0x10) != 0);
    put8(uart + 4, 0xff);
    EXPECT(get8(uart + 4) == 0x1f);
    enable_source(UART_SOURCE, 3);
    allow(EXTERNAL);
    put8(uart + 1, 2);
    EXPECT(external_interrupts == 1 && last_source == UART_SOURCE);
    put8(uart, 'u');
    EXPECT(external_interrupts == 2);
    put8(uart + 1, 0);
    print("art\n");
    EXPECT(external_interrupts == 2);
}

static void try_plic(void) {
    const uint32_t plic = WEFT_SYSTEM_PLIC;
    put(plic + 4 * 40, 0xffffffff);
    EXPECT(get(plic + 4 * 40) == 7);
    put(plic, 5);
    EXPECT(get(plic) == 0); /* source 0 does not exist */
    enable_source(40, 2);
    EXPECT(get(plic + 0x2004) == 1U << 8 && get(plic + 0x2000) == 0);
    put(plic + 0x200000, 3);
    EXPECT(get(plic + 0x200000) == 3);
    EXPECT(get(plic + 0x200004) == 0);
    /* The UART, pending, behind a threshold; then in front of it. */
    enable_source(UART_SOURCE, 3);
    put8(WEFT_SYSTEM_UART + 1, 2);
    EXPECT(get(plic + 0x1000) == 1U << UART_SOURCE);
    allow(EXTERNAL);
    EXPECT(external_interrupts == 0);
    put(plic + 0x200000, 2);
    EXPECT(external_interrupts == 1 && last_source == UART_SOURCE);
    EXPECT(get(plic + 0x1000) == 0);
    print("plic\n");
}

/* ---- the accelerator ---- */

static uint32_t reg(enum weft_register name) {
    return WEFT_SYSTEM_ACCELERATOR + (uint32_t)name;
}

static void set_up(void) {
    for (uint32_t i = 0; i < 8; i++) {
        put(reg(WEFT_REGISTER_region_base) + 8 * i, GUEST_PLACES + i * GUEST_PLACE);
        put(reg(WEFT_REGISTER_region_base) + 8 * i + 4, 0);
        put(reg(WEFT_REGISTER_region_limit) + 8 * i, SHARED->limits[i]);
        put(reg(WEFT_REGISTER_region_limit) + 8 * i + 4, 0);
    }
    put(reg(WEFT_REGISTER_region_writable), SHARED->writable);
}

static volatile uint8_t *place(uint32_t region) {
    return (volatile uint8_t *)(GUEST_PLACES + region * GUEST_PLACE);
}

/* New inputs; outputs that are none of them. */
static void fill(uint32_t run) {
    for (uint32_t i = 0; i < SHARED->limits[3]; i++) {
        place(3)[i] = (uint8_t)(i * 3 + run);
        place(4)[i] = (uint8_t) ~(i * 3 + run);
    }
}

static void expect_copy(uint32_t run) {
    for (uint32_t i = 0; i < SHARED->limits[3]; i++) {
        EXPECT(place(4)[i] == (uint8_t)(i * 3 + run));
    }
}

/* Does it run? Outputs that were there before it had ended came too early. */
static bool look_at_run(uint32_t run) {
    const uint8_t byte = place(4)[0];
    const uint32_t status = get(reg(WEFT_REGISTER_status));
    EXPECT(byte == (uint8_t)~run || (status & WEFT_STATUS_ENDED) != 0);
    return (status & WEFT_STATUS_RUNNING) != 0;
}

static void try_registers(void) {
    EXPECT(get(reg(WEFT_REGISTER_identity)) == WEFT_REGISTER_MAGIC);
    EXPECT(get(reg(WEFT_REGISTER_identity) + 4) == WEFT_REGISTER_MAP_VERSION);
    set_up();
    put(reg(WEFT_REGISTER_watchdog) + 4, 0x12345678);
    EXPECT(get(reg(WEFT_REGISTER_watchdog)) == 0);
    EXPECT(get(reg(WEFT_REGISTER_watchdog) + 4) == 0x12345678);
    EXPECT(get(reg(WEFT_REGISTER_region_base) + 8) == GUEST_PLACES + GUEST_PLACE);
    print("registers\n");
}

static void try_poll(void) {
    set_up();
    for (uint32_t run = 0; run < SHARED->parameter; run++) {
        fill(run);
        const uint32_t begin = cycles_now();
        put(reg(WEFT_REGISTER_start), 1);
        for (bool is_running = true; is_running;) {
            is_running = look_at_run(run);
        }
        SHARED->mcycle = cycles_now() - begin;
        EXPECT(get(reg(WEFT_REGISTER_status)) == WEFT_STATUS_ENDED);
        expect_copy(run);
        SHARED->cycles = get(reg(WEFT_REGISTER_counter));
        EXPECT(SHARED->mcycle >= SHARED->cycles && SHARED->mcycle < SHARED->cycles + 100);
    }
    print("polled ");
    print_number(SHARED->cycles);
    print("\n");
}

static void try_interrupt(void) {
    set_up();
    enable_source(WEFT_SYSTEM_INTERRUPT, 1);
    allow(EXTERNAL);
    for (uint32_t run = 0; run < SHARED->parameter; run++) {
        fill(run);
        put(reg(WEFT_REGISTER_interrupt), WEFT_INTERRUPT_ENABLED | WEFT_INTERRUPT_PENDING);
        const uint32_t begin = cycles_now();
        put(reg(WEFT_REGISTER_start), 1);
        while (external_interrupts == run) {
            (void)look_at_run(run);
            if (run % 2 == 0) {
                sleep_once();
            }
        }
        SHARED->mcycle = cycles_now() - begin;
        EXPECT(last_source == WEFT_SYSTEM_INTERRUPT);
        expect_copy(run);
        SHARED->cycles = get(reg(WEFT_REGISTER_counter));
        EXPECT(SHARED->mcycle >= SHARED->cycles);
        EXPECT(run % 2 != 0 || SHARED->mcycle < SHARED->cycles + 200);
        EXPECT(external_interrupts == run + 1);
    }
    SHARED->interrupts = external_interrupts;
    print("interrupted ");
    print_number(SHARED->cycles);
    print("\n");
}

static void try_abort(void) {
    set_up();
    enable_source(WEFT_SYSTEM_INTERRUPT, 1);
    allow(EXTERNAL);
    put(reg(WEFT_REGISTER_interrupt), WEFT_INTERRUPT_ENABLED);
    fill(1);
    put(reg(WEFT_REGISTER_start), 1);
    put(reg(WEFT_REGISTER_abort), 1);
    EXPECT(get(reg(WEFT_REGISTER_status)) == 0);
    set_timer(timer_now() + 1000);
    allow(EXTERNAL | TIMER);
    while (timer_interrupts == 0) {
        sleep_once();
    }
    EXPECT(external_interrupts == 0 && place(4)[0] == (uint8_t)~1U);
    put(reg(WEFT_REGISTER_start), 1);
    while (external_interrupts == 0) {
        sleep_once();
    }
    expect_copy(1);
    print("aborted\n");
}

/* ---- the rest ---- */

static void try_traps(void) {
    (void)get(0x50000000);
    EXPECT(last_trap == 5);
    put(0x50000000, 1);
    EXPECT(last_trap == 7);
    last_trap = 0;
    (void)get8(WEFT_SYSTEM_PLIC);
    EXPECT(last_trap == 5);
    last_trap = 0;
    put8(WEFT_SYSTEM_ACCELERATOR + WEFT_REGISTER_watchdog, 1);
    EXPECT(last_trap == 7);
    last_trap = 0;
    (void)get(WEFT_SYSTEM_UART);
    EXPECT(last_trap == 5);
    print("trapped\n");
}

static void work(void) {
    for (uint32_t i = 0; i < SHARED->parameter; i++) {
        uint32_t left = 500;
        __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(left));
    }
    print("worked\n");
}

void main(void);
void main(void) {
    static void (*const commands[])(void) = {
        [GUEST_TIMER] = try_timer,         [GUEST_SOFTWARE] = try_software,
        [GUEST_UART] = try_uart,           [GUEST_PLIC] = try_plic,
        [GUEST_REGISTERS] = try_registers, [GUEST_POLL] = try_poll,
        [GUEST_INTERRUPT] = try_interrupt, [GUEST_ABORT] = try_abort,
        [GUEST_TRAPS] = try_traps,         [GUEST_WORK] = work,
    };
    const uint32_t command = SHARED->command;
    if (command == GUEST_HELLO) {
        print("hello, world\n");
    } else if (command == GUEST_FAIL) {
        finish(WEFT_FINISHER_FAIL | SHARED->parameter << 16);
    } else if (command == GUEST_SLEEP) {
        sleep_once();
    } else if (command == GUEST_SPIN) {
        for (;;) {
        }
    } else {
        commands[command]();
    }
    finish(WEFT_FINISHER_PASS);
}
