/* An assembled program without a model around it: on a target, with external memory as the caller
 * gives it.
 *
 *     struct weft_bare_setup setup = {.config = &config, .program = &program};
 *     setup.region_bytes[WEFT_REGION_INPUTS] = 256;
 *     weft_bare_open("cycle", &setup, &options, &bare, &error);
 *     memcpy(weft_bare_region(bare, WEFT_REGION_INPUTS), bytes, 256);
 *     weft_bare_run(bare, &error);
 *     weft_bare_read(bare, WEFT_MEMORY_ACT, act, &error);
 *     weft_bare_close(bare);
 *
 * Nobody compiled the program, so the verifier (isa/verify) looks at it when it is opened. What it
 * proves runs with data on every target. What it rejects runs for its timing alone, on the machine
 * itself where the target is one: that shows the fault. Where there is none, what the memories
 * would hold is not defined (a race, accumulators that are shared), and the run fails with the
 * verifier's error. */
#ifndef WEFT_DRIVER_BARE_H
#define WEFT_DRIVER_BARE_H

#include "driver/session.h"

struct weft_bare_setup {
    const struct weft_config *config; /* both must outlive what is made of them */
    const struct weft_program *program;
    /* Bytes of each external region, at most WEFT_REGION_LIMIT; 0: there is no such region. The
     * program lies in its own one, whatever stands here. */
    uint64_t region_bytes[WEFT_REGIONS];
    uint64_t
        memory_limit;     /* bytes of program, regions and on-chip memories; 0: WEFT_MEMORY_LIMIT */
    uint64_t cycle_limit; /* that the program may take at most; 0: WEFT_CYCLE_LIMIT */
};

/* The regions as the machine gets them: what the compiler writes to can be written, scratch memory
 * and outputs, and what it does not use, 5 to 7; program, constants and inputs cannot. */
struct weft_regions weft_bare_regions(const struct weft_bare_setup *setup);

/* Are there instructions, are the regions no larger than they can be, and do they with the program
 * and the on-chip memories keep to the limit of memory? Errors: WEFT_ARGUMENT, WEFT_LIMIT. */
bool weft_bare_check(const struct weft_bare_setup *setup, struct weft_error *error);

/* weft_bare_check(), weft_verify(), and the cycles that the program takes at most (*bound), with
 * the memory that the options say, inside the limit. Errors: those of the three, WEFT_LIMIT. */
bool weft_bare_verify(const struct weft_bare_setup *setup,
                      const struct weft_session_options *options, struct weft_proof *proof,
                      uint64_t *bound, struct weft_error *error);

/* The program as a module of one segment without layers, inputs or outputs, for what shows modules:
 * traces and figures. `name` is what it is called. The setup and what it points to must outlive the
 * module; release it with weft_module_free(). Errors: WEFT_LIMIT, WEFT_OUT_OF_MEMORY,
 * WEFT_ENCODING. */
bool weft_bare_module(const struct weft_bare_setup *setup, const char *name,
                      struct weft_module **module, struct weft_error *error);

struct weft_bare;

/* A machine with zeros in its on-chip memories and regions, but for the program. `options` as for a
 * session; of what a machine with one program cannot have, wave_segment, nothing is read. Errors:
 * those of weft_bare_check(); WEFT_TARGET, WEFT_FINGERPRINT, WEFT_INTERNAL as
 * weft_session_open(); WEFT_LIMIT (a program that is proved takes more cycles than allowed);
 * WEFT_ENCODING; WEFT_OUT_OF_MEMORY. */
bool weft_bare_open(const char *target, const struct weft_bare_setup *setup,
                    const struct weft_session_options *options, struct weft_bare **bare,
                    struct weft_error *error);

/* The bytes of a region, to be set before a run and read after it; NULL: it has none. Those of the
 * program must stay. Runs begin with what the one before left. */
uint8_t *weft_bare_region(struct weft_bare *bare, enum weft_region region);

/* Why the verifier rejects the program; NULL: it does not. */
const struct weft_error *weft_bare_rejection(const struct weft_bare *bare);

/* As weft_session_is_modelled(). */
bool weft_bare_is_modelled(const struct weft_bare *bare);

/* Bytes of memory that are in use. */
uint64_t weft_bare_memory(const struct weft_bare *bare);

/* Runs the program once. The watchdog of a program that is rejected is the limit of cycles, where
 * the options have none. Errors: WEFT_FAULT (position = the instruction; the message has the fault
 * and what the verifier says), those of the verifier (no fault, but the program is rejected; with
 * timing_only that is a success), WEFT_DIVERGENCE, WEFT_INTERNAL and WEFT_IO as
 * weft_session_run(). */
bool weft_bare_run(struct weft_bare *bare, struct weft_error *error);

/* What the last run did, with or without a fault, `layer_finish` being NULL; NULL: there was none,
 * or it could not be carried out. */
const struct weft_segment_run *weft_bare_result(const struct weft_bare *bare);

/* The counters of the last run, of which there is a result. Where it counted cycles and the machine
 * has no other counters, the program is run once more for its timing, on a machine that has them;
 * *is_counted is false when that takes other cycles, as on a board whose memory is another, and
 * *counters are what was read. Error: WEFT_OUT_OF_MEMORY. */
bool weft_bare_counters(const struct weft_bare *bare, struct weft_counters *counters,
                        bool *is_counted, struct weft_error *error);

/* Copies an on-chip memory as the last run left it, weft_memory_bytes(), the int32 of ACC
 * little-endian. Errors: WEFT_STATE (no run succeeded, or it was for timing alone), WEFT_INTERNAL,
 * WEFT_OUT_OF_MEMORY. */
bool weft_bare_read(const struct weft_bare *bare, enum weft_memory memory, uint8_t *bytes,
                    struct weft_error *error);

void weft_bare_close(struct weft_bare *bare);

#endif
