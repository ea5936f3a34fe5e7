/* What Verilator's run time (runtime.cpp) calls in evaluation.cpp, beside the DPI functions of
 * weft_bench.sv and vl_finish, vl_stop, vl_fatal. */
#ifndef WEFT_HW_TB_HOOKS_H
#define WEFT_HW_TB_HOOKS_H

/* Text that would be printed: that of $error comes before the call of vl_stop(). */
int weft_rtl_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
