/* What tests/vp/test_platform.c and its guest on the platform's processor say to each other. */
#ifndef WEFT_TESTS_VP_GUEST_H
#define WEFT_TESTS_VP_GUEST_H

#include <stdint.h>

/* What the guest does. Each ends with the finisher: passed, or failed with the line of guest.c
 * where something was not as expected. */
enum guest_command {
    GUEST_HELLO,     /* prints a line */
    GUEST_FAIL,      /* fails with `parameter` */
    GUEST_TIMER,     /* waits with WFI for the timer, `parameter` times */
    GUEST_SOFTWARE,  /* interrupts itself */
    GUEST_UART,      /* its registers, and its interrupt */
    GUEST_PLIC,      /* its registers */
    GUEST_REGISTERS, /* those of the accelerator by halves */
    GUEST_POLL,      /* runs the accelerator `parameter` times and looks at STATUS */
    GUEST_INTERRUPT, /* the same with its interrupt */
    GUEST_ABORT,     /* aborts a run in its middle */
    GUEST_TRAPS,     /* addresses where nothing is */
    GUEST_SLEEP,     /* WFI without any interrupt */
    GUEST_SPIN,      /* for ever */
    GUEST_WORK,      /* `parameter` thousand instructions */
};

#define GUEST_BASE   UINT32_C(0x80000000)
#define GUEST_SHARED UINT32_C(0x80200000)
#define GUEST_PLACES UINT32_C(0x80210000)

enum {
    GUEST_PLACE = 0x4000, /* bytes of each of the accelerator's regions, from GUEST_PLACES on */
};

struct guest_shared {
    uint32_t command;
    uint32_t parameter;
    uint32_t limits[8]; /* bytes of each region */
    uint32_t writable;
    uint32_t cycles;     /* answer: of the accelerator's last run */
    uint32_t interrupts; /* answer: how many there were */
    uint32_t mcycle;     /* answer: from the start of the last run to its end */
};

#endif
