/* A model that Verilator made, from the side of its run time: what is evaluated at the moment, and
 * what goes wrong in it. Whatever does is noted in the evaluation, first come, and ends the call
 * after it. */
#ifndef WEFT_HW_TB_EVALUATION_H
#define WEFT_HW_TB_EVALUATION_H

#include <cinttypes>
#include <memory>
#include <new>
#include <string>

extern "C" {
#include "base/error.h"
}
#include "hw/tb/reserve.h"
#include "verilated.h"

namespace rtl {

/* An evaluation that Verilator's run time could not go on with. */
struct broken {
    std::string message;
};

/* What the object behind every model begins with. */
struct evaluation {
    weft_reserve reserve{};                    /* for all that follows */
    std::unique_ptr<VerilatedContext> context; /* before what lives in it */
    uint64_t cycle = 0;                        /* that the next rising edge ends */
    bool failed = false;                       /* in the call that is going on: */
    weft_error error{};                        /* with this */
    bool is_broken = false;                    /* for good */
    std::string printed;                       /* by the RTL, not looked at yet */
};

/* Notes what went wrong, unless something did before. */
__attribute__((format(printf, 2, 3))) void fail(evaluation *current, const char *format, ...);

void fail_no_memory(evaluation *current);

/* What this thread evaluates, for what the evaluation calls; NULL: nothing. */
void set_current(evaluation *current);

/* Carries out a call: what is noted or thrown on the way is its error. */
template <class Work> bool guarded(evaluation *current, weft_error *error, const Work &work) {
    if (current->is_broken) {
        return weft_fail(error, WEFT_INTERNAL, 0, "the RTL broke down in an earlier call");
    }
    current->failed = false;
    current->printed.clear();
    set_current(current);
    weft_reserve *before = weft_reserve_use(&current->reserve);
    try {
        if (current->context != nullptr) {
            Verilated::threadContextp(current->context.get());
        }
        work();
    } catch (const broken &reason) {
        current->is_broken = true;
        fail(current, "%s", reason.message.c_str());
    } catch (const std::bad_alloc &) {
        current->is_broken = true;
        fail_no_memory(current);
    }
    if (current->reserve.used > 0) {
        current->is_broken = true; /* there is no reserve for the next call */
        fail_no_memory(current);
    }
    weft_reserve_use(before);
    set_current(nullptr);
    if (current->failed) {
        *error = current->error;
    }
    return !current->failed;
}

} // namespace rtl

#endif
