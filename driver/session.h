/* Running a compiled model on a target. What others link with is api/weft.h, which calls this.
 *
 *     struct weft_session *session = NULL;
 *     weft_session_open("cycle", module, &options, &session, &error);
 *     weft_session_set_input(session, 0, bytes, length, &error);
 *     weft_session_run(session, &error);
 *     weft_session_output(session, 0, &bytes, &length, &error);
 *     weft_session_close(session);
 *
 * Models are compiled or read with compiler/module.h, passes and targets of one's own come from
 * driver/plugins.h. Operators that the machine does not take run
 * on the host, between the programs of the machine. Calls return; none waits for ever: programs are
 * verified, and a watchdog ends what takes longer than a program can. After a fault no result can
 * be read until a run succeeds.
 *
 * Operators with a state (LSTM, SVDF) go on from run to run, as LiteRT's do from invoke() to
 * invoke(); sessions share none of it.
 */
#ifndef WEFT_DRIVER_SESSION_H
#define WEFT_DRIVER_SESSION_H

#include "compiler/module.h"
#include "sim/exec/exec.h"
#include "sim/timing/timing.h"

struct weft_session_options {
    enum weft_host host; /* kernels of the simulators; see weft_host_best() */
    bool timing_only;    /* run programs without data: no inputs, no outputs, no host operators */
    bool no_fusion;      /* each host operator by itself, every tensor as a whole */
    /* Only for targets that know time: */
    uint64_t watchdog; /* cycles after which a program is given up; 0: its bound */
    struct weft_memory_settings memory;
    /* Waveforms (FST) of the RTL: file, segment, and cycles of its run; NULL: none. They need a
     * library of the RTL that is built for it. */
    const char *wave;
    uint32_t wave_segment;
    uint64_t wave_from;
    uint64_t wave_to;
    /* Target lockstep: where it reports (driver/lockstep.h). It belongs to the caller. */
    struct weft_lockstep_report *lockstep;
    /* Called now and then while the RTL runs, here or on a server, which takes long: the cycle it
     * is in, and the last one of the program. May be NULL. */
    void (*progress)(void *context, uint64_t cycle, uint64_t last);
    void *progress_context;
    /* Target remote: where the server is, "HOST:PORT" or "[IPV6]:PORT", and the file of the key
     * that is shared with it; NULL: none, which is for servers of this machine alone. Its own
     * kernels compute, whatever `host` says. */
    const char *server;
    const char *key_file;
};

enum {
    /* No memory is slower: the most cycles of latency, and from beat to beat, that are taken from
     * outside. Times cannot overflow then. */
    WEFT_SLOWEST_MEMORY = 100000
};

/* Sensible options: best kernels, everything else 0. */
struct weft_session_options weft_session_defaults(void);

/* What one program did in the last run. */
struct weft_segment_run {
    struct weft_run_result result; /* of counters, func fills `instructions` alone */
    /* Cycles that the program takes at most, with the memory that the options say: where they do
     * not say otherwise the watchdog of all targets. On func, which knows no time, the bounds of
     * instructions are counted (sim/sim.h). */
    uint64_t bound;
    /* By layer of the segment: the cycle in which its last instruction finished, 0 on targets
     * without time. Layers overlap; the finishes in layer order say how far each moved the end. */
    uint64_t *layer_finish;
    double seconds; /* that the target took, without compiling, copying and host operators */
};

struct weft_session;

/* Names of the targets, ended by NULL: "func" (data only), "cycle" (data and exact time), "rtl"
 * (the hardware, simulated), "lockstep" (cycle and rtl, compared; the data are those of cycle),
 * "linux" (a machine behind /dev/weftN, docs/linux.md), "remote" (whatever a server has:
 * docs/remote.md). */
extern const char *const weft_target_names[];

/* Makes a machine of the module's configuration and gives it the module's programs. The module must
 * outlive the session. Errors: WEFT_TARGET when there is no such target, it cannot do what the
 * options ask, the RTL of the configuration is not built, or there is no such machine;
 * WEFT_ARGUMENT when the segment for waveforms does not exist; WEFT_FINGERPRINT when it is built
 * for another configuration of this name; WEFT_LIMIT when module and session would take more memory
 * than the module's limit (compiler/module.h) allows; WEFT_INTERNAL when the RTL does not come out
 * of reset; WEFT_OUT_OF_MEMORY. Of target remote, those of the server's, too, and WEFT_ARGUMENT and
 * WEFT_IO (address, key), WEFT_REFUSED, WEFT_VERSION, WEFT_BUSY, WEFT_TIMEOUT, WEFT_LOST,
 * WEFT_PROTOCOL. */
bool weft_session_open(const char *target, const struct weft_module *module,
                       const struct weft_session_options *options, struct weft_session **session,
                       struct weft_error *error);

/* Copies an input of the model: elements in row-major order, little-endian. `length` must be that
 * of its type. Errors: WEFT_ARGUMENT (no such input), WEFT_TENSOR (wrong length). */
bool weft_session_set_input(struct weft_session *session, size_t index, const void *bytes,
                            size_t length, struct weft_error *error);

/* Runs the model once. Inputs stay as they are until they are set again. Operators with a state go
 * on from where the last run left them, whether it succeeded or not. Errors: WEFT_STATE (an input
 * was never set), WEFT_FAULT (the message names the fault and the instruction; position = its
 * number), WEFT_DIVERGENCE (lockstep; position = cycle), WEFT_INTERNAL (the RTL breaks its
 * contract), WEFT_TARGET (linux: the device does not carry the run
 * out), WEFT_IO (waveforms), those of host operators; on target remote those of
 * weft_session_open(), after which the session's machine is gone for good when it was the
 * connection that failed. */
bool weft_session_run(struct weft_session *session, struct weft_error *error);

/* Makes all states as they are when the session is opened: 0, those of int8 the zero point. Error:
 * WEFT_OUT_OF_MEMORY. */
bool weft_session_reset(struct weft_session *session, struct weft_error *error);

/* An output of the last run; *bytes belongs to the session and stays until the next run. Errors:
 * WEFT_ARGUMENT, WEFT_STATE (the last run did not succeed, or was for timing only). */
bool weft_session_output(const struct weft_session *session, size_t index, const void **bytes,
                         size_t *length, struct weft_error *error);

/* What the program of segment `index` did in the last run, successful or not; NULL when it was not
 * reached. */
const struct weft_segment_run *weft_session_segment(const struct weft_session *session,
                                                    uint32_t index);

/* Sum of a counter over all segments of the last run; `index` as in isa/counters.def. 0 when there
 * is no such counter. */
uint64_t weft_session_counter(const struct weft_session *session, unsigned index);

/* Are the cycles that its machine counts those of docs/timing.md? Those of a machine with a memory
 * of its own, of target linux or of a server with that, are not: neither bounds nor figures of
 * layers hold for them. */
bool weft_session_is_modelled(const struct weft_session *session);

/* Bytes of memory that the module and the session take: part of what WEFT_LIMIT is about. */
uint64_t weft_session_memory(const struct weft_session *session);

void weft_session_close(struct weft_session *session);

#endif
