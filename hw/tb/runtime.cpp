/* Verilator's run time with its ways out turned around: what it prints, a failed assertion and an
 * inner error come to evaluation.cpp instead of the terminal and abort(). */
#include "hw/tb/hooks.h"
#include "hw/tb/reserve.h"

#define VL_PRINTF weft_rtl_print
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL

/* Included first, so that the name below is only that of the calls. */
#include <cstring>

#define strdup weft_reserve_string

#include "verilated.cpp"
