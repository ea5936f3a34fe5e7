/* The structures of linux/weft_ioctl.h have one layout, for programs of 32 bits too: compiled for
 * both (test_linux_memory.c, check_layout.sh). */
#include <stddef.h>

#include "linux/weft_ioctl.h"

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), "size of " #type)
#define PLACE(type, field, byte)                                                                   \
    _Static_assert(offsetof(struct type, field) == (byte), "place of " #field)

SIZE(weft_ioctl_information, 48);
PLACE(weft_ioctl_information, configuration, 8);
PLACE(weft_ioctl_information, most_time, 24);
PLACE(weft_ioctl_information, counters, 32);
PLACE(weft_ioctl_information, flags, 44);
SIZE(weft_ioctl_allocate, 24);
PLACE(weft_ioctl_allocate, offset, 8);
PLACE(weft_ioctl_allocate, handle, 16);
SIZE(weft_ioctl_free, 8);
SIZE(weft_ioctl_program, 32);
PLACE(weft_ioctl_program, bytes, 8);
PLACE(weft_ioctl_program, configuration, 16);
PLACE(weft_ioctl_program, handle, 24);
SIZE(weft_ioctl_region, 24);
PLACE(weft_ioctl_region, bytes, 8);
PLACE(weft_ioctl_region, handle, 16);
PLACE(weft_ioctl_region, flags, 20);
SIZE(weft_ioctl_submit, 224);
PLACE(weft_ioctl_submit, time_limit, 8);
PLACE(weft_ioctl_submit, job, 16);
PLACE(weft_ioctl_submit, program, 24);
PLACE(weft_ioctl_submit, regions, 32);
SIZE(weft_ioctl_wait, 544);
PLACE(weft_ioctl_wait, time_out, 8);
PLACE(weft_ioctl_wait, outcome, 16);
PLACE(weft_ioctl_wait, instruction, 24);
PLACE(weft_ioctl_wait, counters, 32);
SIZE(weft_ioctl_abort, 8);

/* What a program of today was compiled with. */
_Static_assert(WEFT_IOCTL_INFORMATION == 0x8030bd00, "INFORMATION");
_Static_assert(WEFT_IOCTL_ALLOCATE == 0xc018bd01, "ALLOCATE");
_Static_assert(WEFT_IOCTL_FREE == 0x4008bd02, "FREE");
_Static_assert(WEFT_IOCTL_PROGRAM == 0xc020bd03, "PROGRAM");
_Static_assert(WEFT_IOCTL_SUBMIT == 0xc0e0bd04, "SUBMIT");
_Static_assert(WEFT_IOCTL_WAIT == 0xc220bd05, "WAIT");
_Static_assert(WEFT_IOCTL_ABORT == 0x4008bd06, "ABORT");
