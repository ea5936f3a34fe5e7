/* Verilator's run time with its ways out turned around: what it prints, a failed assertion and an
 * inner error come to model.cpp instead of the terminal and abort(). */
#include "hw/tb/hooks.h"

#define VL_PRINTF weft_rtl_print
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL

#include "verilated.cpp"
