/* Weft as a library: compiles networks for the accelerator and runs them on its simulators, its
 * RTL, or the machine itself.
 *
 *     struct weft_network *network = NULL;
 *     struct weft_runner *runner = NULL;
 *     struct weft_failure failure;
 *     const void *result;
 *     size_t length;
 *     if (!weft_network_load("model.tflite", NULL, NULL, &network, &failure) ||
 *         !weft_runner_open(network, "cycle", NULL, &runner, &failure) ||
 *         !weft_runner_set_input(runner, 0, picture, picture_bytes, &failure) ||
 *         !weft_runner_run(runner, &failure) ||
 *         !weft_runner_output(runner, 0, &result, &length, &failure)) {
 *         fprintf(stderr, "%s\n", failure.message);
 *     }
 *     weft_runner_close(runner);
 *     weft_network_free(network);
 *
 * This is all that the shared library shows, and it stays: functions, options, names and codes are
 * added, none is taken away or changed, as long as the library is called libweft.so.0. examples/c
 * and examples/cpp have whole programs; docs/library.md says how to build against it.
 *
 * What holds for every function
 *
 * Failure. A function that can fail returns true for success. On failure it fills *failure, and
 * leaves every other output as it was. `failure` may be NULL. Every function that allocates can
 * fail with WEFT_FAILURE_OUT_OF_MEMORY, which is not named again below. The library does not print,
 * exit or abort.
 *
 * Pointers. What is not said to be allowed to be NULL must not be. Strings end with a NUL. What a
 * function makes through a `**` argument belongs to the caller, who releases it with the function
 * that is named there; releasing NULL does nothing. What is returned as a pointer to const belongs
 * to the object that was asked.
 *
 * Threads. Calls about different objects may be made at the same time. So may calls that take an
 * object as a pointer to const, and those that open runners of one network. All others about one
 * object must be made one after the other.
 *
 * Memory. What comes from outside (models, .weft files) is not trusted. What it unpacks to is at
 * most the option `memory_limit`.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

/* Of this header. */
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH" of the library. */
const char *weft_library_version(void);

/* ---- failures ---- */

/* Classes of failures. Their numbers do not change. */
enum weft_failure_code {
    WEFT_FAILURE_NONE = 0,
    WEFT_FAILURE_OUT_OF_MEMORY = 1,
    WEFT_FAILURE_IO = 2,           /* a file could not be read or written */
    WEFT_FAILURE_ARGUMENT = 3,     /* an argument is outside its documented range */
    WEFT_FAILURE_STATE = 4,        /* the call is not allowed now */
    WEFT_FAILURE_LIMIT = 5,        /* an input is larger than a documented limit */
    WEFT_FAILURE_CONFIG = 6,       /* a configuration is malformed or outside its ranges */
    WEFT_FAILURE_ENCODING = 7,     /* not a legal instruction */
    WEFT_FAILURE_ASSEMBLY = 8,     /* assembly text is malformed */
    WEFT_FAILURE_CONTAINER = 9,    /* a .weft file is malformed */
    WEFT_FAILURE_FINGERPRINT = 10, /* compiled, or built, for another configuration */
    WEFT_FAILURE_TRACE = 11,       /* a trace is malformed */
    WEFT_FAILURE_NPY = 12,         /* a .npy file is malformed */
    WEFT_FAILURE_IMAGE = 13,       /* a picture could not be decoded */
    WEFT_FAILURE_MODEL = 14,       /* a model file is malformed */
    WEFT_FAILURE_OPERATOR = 15,    /* an operator is not supported */
    WEFT_FAILURE_GRAPH = 16,       /* a graph is malformed */
    WEFT_FAILURE_TENSOR = 17,      /* a tensor has the wrong shape, type or size */
    WEFT_FAILURE_CAPACITY = 18,    /* an operator does not fit the machine */
    WEFT_FAILURE_DECISIONS = 19,   /* decisions are malformed, or not for this model and machine */
    WEFT_FAILURE_TARGET = 20,      /* a target is not available */
    WEFT_FAILURE_PLUGIN = 21,      /* a plugin cannot be used, or does what it must not */
    WEFT_FAILURE_FAULT = 22,       /* the machine stopped with a fault */
    WEFT_FAILURE_DIVERGENCE = 23,  /* cycle simulator and RTL differ */
    WEFT_FAILURE_PROTOCOL = 24,    /* what came over a connection is malformed */
    WEFT_FAILURE_REFUSED = 25,     /* no server answers there, or it refuses */
    WEFT_FAILURE_VERSION = 26,     /* the server speaks another version */
    WEFT_FAILURE_BUSY = 27,        /* the server has no room */
    WEFT_FAILURE_TIMEOUT = 28,     /* the time for it is over */
    WEFT_FAILURE_LOST = 29,        /* the connection was lost */
    /* What the verifier finds in a program: */
    WEFT_FAILURE_VERIFY_PROGRAM = 30,     /* it does not end in exactly one HALT */
    WEFT_FAILURE_VERIFY_RESERVED = 31,    /* reserved bits set, or a field outside its range */
    WEFT_FAILURE_VERIFY_BOUNDS = 32,      /* an address outside a memory or region */
    WEFT_FAILURE_VERIFY_WRITE = 33,       /* a store to what cannot be written */
    WEFT_FAILURE_VERIFY_BANKS = 34,       /* a mask does not cover the banks that are touched */
    WEFT_FAILURE_VERIFY_ACCUMULATOR = 35, /* accumulators of a pass are not distinct */
    WEFT_FAILURE_VERIFY_DEPTHWISE = 36,   /* a rule of windows is broken */
    WEFT_FAILURE_VERIFY_OVERLAP = 37,     /* source and destination overlap */
    WEFT_FAILURE_VERIFY_BALANCE = 38,     /* a semaphore is not balanced */
    WEFT_FAILURE_VERIFY_OVERFLOW = 39,    /* a semaphore can overflow */
    WEFT_FAILURE_VERIFY_DEADLOCK = 40,    /* it deadlocks */
    WEFT_FAILURE_VERIFY_BANK_RACE = 41,   /* two units can own a bank at once */
    WEFT_FAILURE_VERIFY_MEMORY_RACE = 42, /* unordered accesses to external memory overlap */
    WEFT_FAILURE_INTERNAL = 43,           /* an error in Weft itself: please report it */
    WEFT_FAILURE_SWEEP = 44,              /* a sweep is malformed */
    WEFT_FAILURE_TECHNOLOGY = 45,         /* a technology is malformed */
};

/* What went wrong. Its size does not change. */
struct weft_failure {
    int32_t code; /* enum weft_failure_code */
    int32_t reserved;
    /* Where: a byte of a binary file, a line of a text, the number of an instruction or operator;
     * the message says which. 0 where there is no place. */
    uint64_t position;
    char message[512]; /* one line of text without a newline: what is wrong, where, what was
                          expected */
};

/* The name of a code without its prefix ("OUT_OF_MEMORY"); "unknown". */
const char *weft_failure_name(int32_t code);

/* Releases bytes and texts that the functions below hand over. NULL is allowed. */
void weft_free(void *bytes);

/* ---- options ---- */

/* Options of compiling, reading, running and quantising, as names and values in text form.
 *
 * A call refuses options that it has no use for, or that have no effect beside others
 * (WEFT_FAILURE_ARGUMENT), so that nothing that was asked for is dropped. A set is copied where it
 * is used, and can be changed and released afterwards.
 *
 * Names, values, and in parentheses what holds without them (weft_options_describe() lists them):
 *
 *   for all but running
 *     memory_limit     bytes that a model may unpack to, with its tensors (1 GiB)
 *   for compiling
 *     model_name       for messages and reports (the file's name without its ending)
 *     dim              NAME=N: a dimension that an ONNX model leaves open (1); repeatable
 *     frames           1 to 4096 inferences in one program, whose first axes are as long (1)
 *     one_by_one       1: each frame is done before the next begins, of 2 frames or more; 0: the
 *                      fastest order found (0)
 *     effort           1 to 64: how long schedules are searched for (1)
 *     keep_tensors     1: every tensor of the model is an output, nothing is fused (0)
 *     host_only        1: the host carries out everything (0), without effort or one_by_one
 *     decisions        what weft_network_decisions() made, instead of a search and its effort
 *   for reading .weft files
 *     cycle_limit      cycles that its programs may take at most (200000000)
 *     host_limit       steps of the host's operators at most (536870912)
 *   for running
 *     kernels          of the simulators: plain, c, avx2, avx512, neon (the fastest there are)
 *     timing_only      1: cycles without data, on target cycle (0)
 *     no_fusion        1: operators of the host one by one (0)
 *     watchdog         cycles after which a program is given up (the most it can take)
 *     memory_latency   1 to 100000 cycles (as the configuration says)
 *     memory_interval  1 to 100000 cycles from beat to beat (1)
 *     dram             NAME@MHZ: DRAM as external memory, ddr3-1600 or lpddr4-3200, and the
 *                      machine's clock, 10 to 10000 MHz, by which reports have times (none)
 *     wave             file for waveforms (FST) of target rtl (none)
 *     wave_segment     the program that they are of (0)
 *     wave_from        their first cycle (0)
 *     wave_to          their last cycle (10000 later)
 *     key_file         of target remote: the key that is shared with the server (none)
 *   for quantising: docs/quantize.md
 *     calibration      mse, min-max, moving-average, percentile or entropy (mse)
 *     percentile       50 to 100: of calibration percentile
 *     bins, levels     of histograms, and of calibration entropy
 *     activations      int8 or uint8 (int8)
 *     weights          int8 or int4 (int8)
 *     per_tensor, symmetric, power_of_two, equalize, integer_ends: 0 or 1 (0)
 *     bias_correction  0 or 1 (1)
 *     keep_float       the result of a layer that stays float, * for anything; repeatable
 *     min_sqnr         0 to 200 dB of the outputs, reached by leaving layers float (0: none is)
 */
struct weft_options;

/* An empty set; release it with weft_options_free(). */
bool weft_options_create(struct weft_options **options, struct weft_failure *failure);

/* Sets an option; an option that is repeatable is added. Failure: WEFT_FAILURE_ARGUMENT when there
 * is no such option, or the value is not one of its values: the set stays as it was. */
bool weft_options_set(struct weft_options *options, const char *name, const char *value,
                      struct weft_failure *failure);

void weft_options_free(struct weft_options *options);

/* Option number `index` of all, counted from 0: its name, or NULL where there are no more. *help:
 * what it is and its values, a line of text; may be NULL. */
const char *weft_options_describe(size_t index, const char **help);

/* ---- machines ---- */

/* A configuration of the machine: docs/isa.md lists the parameters and their ranges. */
struct weft_machine;

/* Names of the configurations that are built in ("ref16", ...), counted from 0; NULL where there
 * are no more. */
const char *weft_machine_builtin(size_t index);

/* A configuration that is built in, by its name, or from a JSON file, which must not have the name
 * of one that is built in unless it is the same. Release *machine with weft_machine_free().
 * Failures: WEFT_FAILURE_CONFIG (position = line, or 0), WEFT_FAILURE_IO, WEFT_FAILURE_LIMIT
 * (file). */
bool weft_machine_find(const char *name, struct weft_machine **machine,
                       struct weft_failure *failure);

/* A configuration from JSON text: "name", which is not that of one that is built in unless it is
 * the same, and every parameter. Release *machine with weft_machine_free(). Failure:
 * WEFT_FAILURE_CONFIG (position = line, or 0). */
bool weft_machine_parse(const char *json, size_t length, struct weft_machine **machine,
                        struct weft_failure *failure);

/* A configuration like another one, with `count` parameters changed: parameter names[i] is
 * values[i]. `name` has 1 to 31 letters, digits, `_` or `-`, and is not that of another one that is
 * built in. Release *changed with weft_machine_free(). Failures: WEFT_FAILURE_ARGUMENT (no such
 * parameter), WEFT_FAILURE_CONFIG (values outside their ranges or not consistent). */
bool weft_machine_change(const struct weft_machine *machine, const char *name, size_t count,
                         const char *const *names, const uint32_t *values,
                         struct weft_machine **changed, struct weft_failure *failure);

void weft_machine_free(struct weft_machine *machine);

const char *weft_machine_name(const struct weft_machine *machine);

/* A hash of the instruction encoding and all parameters, but not of the name: programs run on
 * machines with the one that they were compiled for. */
uint64_t weft_machine_fingerprint(const struct weft_machine *machine);

/* Parameter number `index`, counted from 0: its name, or NULL where there are no more. *smallest
 * and *largest: its range; both may be NULL. */
const char *weft_machine_parameter_name(size_t index, uint32_t *smallest, uint32_t *largest);

/* The value of a parameter. Failure: WEFT_FAILURE_ARGUMENT (no such parameter). */
bool weft_machine_parameter(const struct weft_machine *machine, const char *name, uint32_t *value,
                            struct weft_failure *failure);

/* The JSON text of a configuration, as weft_machine_parse() takes it; release it with weft_free().
 */
bool weft_machine_json(const struct weft_machine *machine, char **json,
                       struct weft_failure *failure);

/* ---- tensors ---- */

/* An input or output of a network: what it is, not what it holds. Elements lie in row-major order,
 * little-endian, without gaps. */
struct weft_tensor;

/* What the model calls it; "" where it has no name. */
const char *weft_tensor_name(const struct weft_tensor *tensor);

/* "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
 * "float64" or "bool". */
const char *weft_tensor_element(const struct weft_tensor *tensor);

/* How many axes it has: 0 to 8. */
size_t weft_tensor_rank(const struct weft_tensor *tensor);

/* The length of an axis, counted from 0; 0 where there is no such axis. */
int64_t weft_tensor_dim(const struct weft_tensor *tensor, size_t axis);

size_t weft_tensor_elements(const struct weft_tensor *tensor);
size_t weft_tensor_bytes(const struct weft_tensor *tensor);

/* How many scales and zero points it has: 0, not quantised; 1, one for all; else one for each
 * element along *axis, which may be NULL. */
size_t weft_tensor_scales(const struct weft_tensor *tensor, size_t *axis);

/* Scale and zero point number `index`: an element q stands for scale * (q - zero_point). 1 and 0
 * where there is none. */
double weft_tensor_scale(const struct weft_tensor *tensor, size_t index);
int32_t weft_tensor_zero_point(const struct weft_tensor *tensor, size_t index);

/* Elements from real numbers: rounded to the nearest, halves away from 0, and saturated; those of a
 * tensor that is not quantised are converted. `count` must be that of the elements, `length` that
 * of the bytes. Failure: WEFT_FAILURE_ARGUMENT (another count or length; an element type other than
 * int8, uint8, int16, int32 and float32; scales along an axis; a number that is not finite, unless
 * for float32). */
bool weft_tensor_quantize(const struct weft_tensor *tensor, const float *numbers, size_t count,
                          void *bytes, size_t length, struct weft_failure *failure);

/* The real numbers that elements stand for. Failure: WEFT_FAILURE_ARGUMENT, as
 * weft_tensor_quantize(). */
bool weft_tensor_dequantize(const struct weft_tensor *tensor, const void *bytes, size_t length,
                            float *numbers, size_t count, struct weft_failure *failure);

/* ---- networks ---- */

/* A network that is compiled for a machine: programs, proved free of faults, races and deadlocks,
 * and what the host does between them. */
struct weft_network;

/* Compiles a model (TFLite, ONNX, or a graph in text form) or reads a .weft file; which of them it
 * is, its bytes say. The bytes are copied.
 *
 * `machine`: NULL is ref16, or what the .weft file was compiled for; `options`: NULL is none.
 * Release *network with weft_network_free().
 *
 * Failures of models: WEFT_FAILURE_MODEL, _OPERATOR (position = operator), _GRAPH, _CAPACITY,
 * _LIMIT, _ARGUMENT (options), _DECISIONS, _IO (files beside an ONNX model, which
 * weft_network_load() alone reads), _TARGET (this build cannot read ONNX), _INTERNAL; of .weft
 * files: _CONTAINER (position = byte), _CONFIG, _FINGERPRINT (another machine), _GRAPH, _ENCODING,
 * those of the verifier, _LIMIT, _ARGUMENT, _PLUGIN (it needs a plugin). */
bool weft_network_make(const void *bytes, size_t length, const struct weft_machine *machine,
                       const struct weft_options *options, struct weft_network **network,
                       struct weft_failure *failure);

/* weft_network_make() of a file of at most 2 GiB. An ONNX model may have its data in files of the
 * same folder. Failures: also WEFT_FAILURE_IO. */
bool weft_network_load(const char *path, const struct weft_machine *machine,
                       const struct weft_options *options, struct weft_network **network,
                       struct weft_failure *failure);

/* Runners of it may be left: they keep what they need. */
void weft_network_free(struct weft_network *network);

/* The name that it was given when it was compiled. */
const char *weft_network_name(const struct weft_network *network);

/* What it is compiled for. */
const struct weft_machine *weft_network_machine(const struct weft_network *network);

/* Inputs and outputs, in the model's order, counted from 0; NULL where there are no more. They stay
 * until the network is released. */
size_t weft_network_inputs(const struct weft_network *network);
size_t weft_network_outputs(const struct weft_network *network);
const struct weft_tensor *weft_network_input(const struct weft_network *network, size_t index);
const struct weft_tensor *weft_network_output(const struct weft_network *network, size_t index);

/* A figure of the network by its name. Failure: WEFT_FAILURE_ARGUMENT (no such figure).
 *
 *   cycles         of the machine for one run, with the memory of the configuration: exact
 *   bound          cycles that it takes at most, with that memory
 *   frames         inferences in a run
 *   segments       programs
 *   instructions   of all programs
 *   layers         that the machine carries out
 *   macs           multiplications of these layers, as the model has them
 *   cut_macs       of these not carried out, for nothing needs them
 *   host_operators that the host carries out
 *   host_macs      multiplications of these, as the model has them
 *   host_elements  elements that these make
 *   fingerprint    of the bytes of the model */
bool weft_network_figure(const struct weft_network *network, const char *name, uint64_t *value,
                         struct weft_failure *failure);

/* Names of the figures, counted from 0; NULL where there are no more. */
const char *weft_network_figure_name(size_t index);

/* Proves once more that no program of the network faults, races or deadlocks, whatever the timing
 * of memory, as making it did. *text, which may be NULL: what was proved, a line for each program;
 * release it with weft_free(). Failures: those of the verifier (position = instruction). */
bool weft_network_verify(const struct weft_network *network, char **text,
                         struct weft_failure *failure);

/* The bytes of a .weft file; release them with weft_free(). Failure: WEFT_FAILURE_TARGET (programs
 * of a target of a plugin have no written form). */
bool weft_network_write(struct weft_network *network, void **bytes, size_t *length,
                        struct weft_failure *failure);

/* weft_network_write() into a file, which is there whole or not at all. Failures: also
 * WEFT_FAILURE_IO. */
bool weft_network_save(struct weft_network *network, const char *path,
                       struct weft_failure *failure);

/* What the schedule decided, and what else was tried, as JSON (docs/schedule.md), which the option
 * `decisions` takes; release it with weft_free(). */
bool weft_network_decisions(const struct weft_network *network, char **json,
                            struct weft_failure *failure);

/* ---- running ---- */

/* A network on a target. Each has a machine, and states of operators that have one, of its own. */
struct weft_runner;

/* Names of the targets, counted from 0; NULL where there are no more: "func" (data, no time),
 * "cycle" (data and exact time), "rtl" (the hardware, simulated), "lockstep" (cycle and rtl,
 * compared), "linux" (a machine behind /dev/weftN), "remote" (what a server has). */
const char *weft_runner_target(size_t index);

/* Makes a machine of the network's configuration and gives it the programs. `target`: one of the
 * above, or "remote://HOST:PORT"; `options`: NULL is none. Release *runner with
 * weft_runner_close(). Failures: WEFT_FAILURE_TARGET (there is no such target, it cannot do what
 * the options ask, the RTL of the configuration is not there, or no such machine is), _ARGUMENT
 * (options), _FINGERPRINT (the RTL is that of another configuration), _LIMIT, _INTERNAL; of remote
 * also _IO (key), _REFUSED, _VERSION, _BUSY, _TIMEOUT, _LOST, _PROTOCOL. */
bool weft_runner_open(struct weft_network *network, const char *target,
                      const struct weft_options *options, struct weft_runner **runner,
                      struct weft_failure *failure);

void weft_runner_close(struct weft_runner *runner);

/* Copies the elements of an input, which stay for all runs until they are set again. Failures:
 * WEFT_FAILURE_ARGUMENT (no such input), WEFT_FAILURE_TENSOR (`length` is not that of the tensor).
 */
bool weft_runner_set_input(struct weft_runner *runner, size_t index, const void *bytes,
                           size_t length, struct weft_failure *failure);

/* Runs the network once. It always ends: a watchdog gives up what takes longer than a program can.
 * Operators with a state go on from where the last run left them. Failures: WEFT_FAILURE_STATE (an
 * input was never set), _FAULT (position = instruction), _DIVERGENCE (lockstep; position = cycle),
 * _INTERNAL (the RTL breaks its contract), _TARGET (linux), _IO (waveforms), those of operators on
 * the host; of remote those of weft_runner_open(), after which the runner is of no more use when it
 * was the connection. */
bool weft_runner_run(struct weft_runner *runner, struct weft_failure *failure);

/* Has every run from now on call `progress` as instructions of a program end, in the thread that
 * runs, on targets that take long (rtl, lockstep and, now and then, remote): the cycle that the
 * program is in, and the one in which it ends at the latest. It must not call functions about this
 * runner. NULL: none, as at first. */
void weft_runner_on_progress(struct weft_runner *runner,
                             void (*progress)(void *context, uint64_t cycle, uint64_t last),
                             void *context);

/* The elements of an output after the last run, which stay until the next one. Failures:
 * WEFT_FAILURE_ARGUMENT (no such output), WEFT_FAILURE_STATE (the last run did not succeed, or was
 * for timing only). */
bool weft_runner_output(const struct weft_runner *runner, size_t index, const void **bytes,
                        size_t *length, struct weft_failure *failure);

/* Makes all states of operators as they were when the runner was opened. */
bool weft_runner_reset(struct weft_runner *runner, struct weft_failure *failure);

/* Cycles of the machine in the last run; 0 on targets that know no time, and before the first run.
 */
uint64_t weft_runner_cycles(const struct weft_runner *runner);

/* A counter of the machine in the last run, by its name: docs/isa.md. Failure:
 * WEFT_FAILURE_ARGUMENT (no such counter). */
bool weft_runner_counter(const struct weft_runner *runner, const char *name, uint64_t *value,
                         struct weft_failure *failure);

/* Names of the counters, counted from 0; NULL where there are no more. */
const char *weft_runner_counter_name(size_t index);

/* What the last run took, as JSON: docs/trace.md says what is in it; the command is empty. Release
 * it with weft_free(). Where a target counts cycles its programs are run once more for their timing
 * alone. Failures: WEFT_FAILURE_STATE (no run succeeded), WEFT_FAILURE_DIVERGENCE (the run took
 * other cycles than the cycle model counts), WEFT_FAILURE_LIMIT. */
bool weft_runner_report(const struct weft_runner *runner, char **json,
                        struct weft_failure *failure);

/* Writes every cycle of a run on this machine in the form that Perfetto and Chrome read
 * (docs/trace.md) to a file, which is there whole or not at all. It needs no run before: cycles do
 * not depend on data. Failures: WEFT_FAILURE_TARGET (cycles of the machine are not modelled),
 * _FAULT (the watchdog gave up), _LIMIT, _IO. */
bool weft_runner_trace(const struct weft_runner *runner, const char *path,
                       struct weft_failure *failure);

/* Writes the page of `weft report`, which shows where every cycle of a run on this machine went:
 * one HTML file without addresses in it, whole or not at all. It needs no run before. Failures: as
 * weft_runner_trace(). */
bool weft_runner_page(const struct weft_runner *runner, const char *path,
                      struct weft_failure *failure);

/* Are cycles on this target those of docs/timing.md? Those of a machine with a memory of its own
 * are not. */
bool weft_runner_is_modelled(const struct weft_runner *runner);

/* Bytes of memory that the network and the runner take. */
uint64_t weft_runner_memory(const struct weft_runner *runner);

/* ---- quantising ---- */

/* A float model that becomes one of int8. docs/quantize.md. */
struct weft_quantizer;

/* Reads a float model: ONNX, TFLite, or a graph in text form. `options`: NULL is none; those of
 * quantising, `dim` and `memory_limit`. Release *quantizer with weft_quantizer_free(). Failures: as
 * weft_network_make() of models. */
bool weft_quantizer_make(const void *bytes, size_t length, const struct weft_options *options,
                         struct weft_quantizer **quantizer, struct weft_failure *failure);

/* weft_quantizer_make() of a file. Failures: also WEFT_FAILURE_IO. */
bool weft_quantizer_load(const char *path, const struct weft_options *options,
                         struct weft_quantizer **quantizer, struct weft_failure *failure);

void weft_quantizer_free(struct weft_quantizer *quantizer);

/* Inputs of the float model, counted from 0; NULL where there are no more. */
size_t weft_quantizer_inputs(const struct weft_quantizer *quantizer);
const struct weft_tensor *weft_quantizer_input(const struct weft_quantizer *quantizer,
                                               size_t index);

/* Quantises with `count` samples, 1 or more. `fill` writes the elements of every input of sample
 * `sample` to inputs[i], as the tensors say; several threads call it at the same time, several
 * times for each sample, and it must write the same each time: numbers that are finite. False of
 * `fill` ends it with WEFT_FAILURE_ARGUMENT. Once for a quantizer. Failures: WEFT_FAILURE_ARGUMENT
 * (no samples, one with an infinite element or one that is no number, options, no layer can be
 * quantised), _STATE (the second time), _LIMIT, those of operators on the
 * host. */
bool weft_quantizer_run(struct weft_quantizer *quantizer, size_t count,
                        bool (*fill)(void *context, size_t sample, void *const *inputs),
                        void *context, struct weft_failure *failure);

/* How far the outputs are from those of the float model over the samples: the signal-to-noise ratio
 * in dB, infinite where nothing differs. *kept_float, which may be NULL: layers that could have
 * been quantised, but were left float. Failure: WEFT_FAILURE_STATE (not quantised yet). */
bool weft_quantizer_sqnr(const struct weft_quantizer *quantizer, double *sqnr, size_t *kept_float,
                         struct weft_failure *failure);

/* Compiles what was quantised, as weft_network_make() does; `options`: those of compiling but for
 * `dim`, which is for reading. The network does not need the quantizer any more. Failures: those;
 * WEFT_FAILURE_STATE (not quantised yet). */
bool weft_quantizer_compile(struct weft_quantizer *quantizer, const struct weft_machine *machine,
                            const struct weft_options *options, struct weft_network **network,
                            struct weft_failure *failure);

/* What was quantised as an ONNX model with QuantizeLinear and DequantizeLinear, or, as text, in the
 * form of docs/ir.md; release it with weft_free(). Failures: WEFT_FAILURE_STATE (not quantised
 * yet), _OPERATOR (ONNX cannot say it), _TARGET (this build cannot write ONNX), _LIMIT. */
bool weft_quantizer_onnx(struct weft_quantizer *quantizer, void **bytes, size_t *length,
                         struct weft_failure *failure);
bool weft_quantizer_text(struct weft_quantizer *quantizer, char **text,
                         struct weft_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
