/* A compiled model: the graph, and a program for every region of it that the machine carries out.
 */
#ifndef WEFT_COMPILER_MODULE_H
#define WEFT_COMPILER_MODULE_H

#include "base/text.h"
#include "compiler/import/import.h"
#include "compiler/ir/ir.h"
#include "compiler/plugin.h"
#include "compiler/schedule/segment.h"
#include "isa/config.h"

/* A region that a target from outside carries out. */
struct weft_external {
    const struct weft_external_target *target;
    void *program;
};

struct weft_module {
    struct weft_arena arena; /* owns everything below; its limit holds for sessions, too */
    struct weft_arena notes; /* owns what searches tried */
    struct weft_config config;
    const char *model_name;
    uint64_t fingerprint; /* weft_model_fingerprint(); 0: made of a graph */
    uint32_t frames; /* that the first axes of inputs and outputs hold; 1 to WEFT_MOST_FRAMES */
    bool one_by_one; /* as in struct weft_compile_options */
    /* Regions, and operators that the host carries out; the attribute `reason` says why. */
    struct weft_graph *graph;
    /* By node of the graph: what the model calls its first result; without a model: the graph. */
    const char **tensors;
    /* What the model calls its inputs and outputs, in the order of the graph's; "": nothing. */
    const char **inputs, **outputs;
    uint32_t segment_count;
    struct weft_segment *segments; /* in the order of the graph's region nodes for the machine */
    uint32_t external_count;
    struct weft_external *externals; /* in the order of the region nodes for other targets */
};

/* Runs the program of a region on a target from outside, as struct weft_external_target says.
 * Errors: the target's own. */
bool weft_external_run(const struct weft_external *external, const void *const *inputs,
                       void *const *results, struct weft_error *error);

/* The fingerprint of bytes as a module has it; of NULL 0. */
uint64_t weft_fingerprint(const uint8_t *bytes, size_t length);

/* Is the node a region that the Weft machine carries out? */
bool weft_is_machine_region(const struct weft_node *node);

/* The sum of the bounds of all segments, UINT64_MAX when it does not fit. */
uint64_t weft_module_bound(const struct weft_module *module);

/* Cycles that the accelerator takes for one inference: the sum over all segments of what the cycle
 * model (sim/timing) counted when it compiled them. A run on `cycle` or `rtl` with the memory of
 * the configuration takes exactly as many. */
uint64_t weft_module_cycles(const struct weft_module *module);

/* What an inference asks of the machine or of the host. */
struct weft_work {
    size_t operators; /* layers of the machine, operators of the host */
    int64_t macs;     /* of the model as it was given: weft_node_macs() and what was cut */
    int64_t cut_macs; /* of these: not carried out (weft_node_cut_macs()) */
    int64_t elements; /* weft_node_elements() */
};

/* Adds up what the machine does in all segments and what the host does between them; regions of
 * other targets are in neither. Sums saturate. */
void weft_module_work(const struct weft_module *module, struct weft_work *machine,
                      struct weft_work *host);

/* Sum of weft_node_steps() of what the host does, and of copying to and from regions. */
uint64_t weft_module_host_steps(const struct weft_module *module);

/* Is it an operator that the host carries out? */
bool weft_is_host_operator(const struct weft_node *node);

/* ---- compiling ---- */

enum {
    WEFT_MOST_FRAMES = 4096,
    WEFT_MOST_EFFORT = 64
};

/* How far a compilation is. */
struct weft_compile_progress {
    const char *pass; /* that is done; NULL: regions are scheduled */
    uint32_t region;  /* of `regions`, counted from 0; the count starts again when an operator that
                         finds no room goes to the host */
    uint32_t regions;
    size_t tried; /* schedules, and changes of them, that were tried for this region */
};

struct weft_compile_options {
    const char *model_name; /* for messages and reports; NULL: "model" */
    struct weft_import_options import;
    /* How many frames the module is for, 1 to WEFT_MOST_FRAMES; 0: 1. Inputs and outputs have a
     * first axis so many times as long: one frame after the other. */
    uint32_t frames;
    /* Each frame is done before the next is begun, but for what can be loaded for it. False: they
     * are taken in the order that is fastest in all, layer by layer perhaps. */
    bool one_by_one;
    /* How long schedules are searched for, 1 to WEFT_MOST_EFFORT; 0: 1. More takes a multiple of
     * the time, and never comes to more cycles. */
    uint32_t effort;
    /* Keep every tensor of the model as an output of the graph, and fuse nothing across operators.
     */
    bool keep_tensors;
    /* Leave every operator to the host: the module has no programs. */
    bool host_only;
    /* Leave every region to its target, even where that is not worth it: for tests of targets. */
    bool keep_regions;
    /* Called after each pass with its name and the graph, whose values have names
     * (weft_graph_name()); false: the compilation fails with the error that was filled. NULL: no.
     */
    bool (*after_pass)(void *context, const char *pass, const struct weft_graph *graph,
                       struct weft_error *error);
    void *context;
    /* Called for each kind of operators that are not supported, before the compilation fails for
     * want of them; NULL: no. */
    void (*unsupported)(void *context, const struct weft_unsupported *kind);
    /* Called now and then, by the thread that compiles, many times a second; NULL: no. */
    void (*progress)(void *context, const struct weft_compile_progress *progress);
    void *progress_context;
    /* Bytes of memory that the module may take in all, beside the file; 0: WEFT_MEMORY_LIMIT. */
    uint64_t bytes;
    /* Reads constants that a graph in text form has in files; NULL: it may have none. */
    const struct weft_constant_reader *constants;
    /* Decisions as weft_module_decisions() writes them, perhaps changed by hand: they are taken
     * instead of searching. They are for every region of this model, and need not be from this
     * configuration. NULL: search. */
    const char *decisions;
    size_t decisions_length;
    /* Targets from outside, which are asked before the machine, in this order. They must outlive
     * the module. */
    size_t target_count;
    const struct weft_external_target *targets;
    /* Passes of one's own: compiler/plugin.h. They must outlive the module. driver/plugins.h fills
     * these and the targets. */
    size_t pass_count;
    const struct weft_user_pass *passes;
};

/* The fingerprint that the module of a model has with these options: of its bytes, and of the
 * elements that are read from files beside it. Of a model that cannot be read, of its bytes alone.
 */
uint64_t weft_model_fingerprint(const uint8_t *bytes, size_t length,
                                const struct weft_compile_options *options);

/* Names of the passes in order, ended by NULL. */
extern const char *const weft_pass_names[];

/* The name of each pass of one's own, and the one of weft_pass_names that it comes right behind, in
 * the order in which they run: called for each. Error: WEFT_PLUGIN, as of weft_compile(). */
bool weft_place_passes(const struct weft_compile_options *options,
                       void (*place)(void *context, const struct weft_user_pass *pass,
                                     const char *behind),
                       void *context, struct weft_error *error);

/* What of these options would have no effect, in words that begin with its name; NULL: all have
 * one. `has_effort`: `effort` was asked for, and is not what holds without it. */
const char *weft_compile_ignores(const struct weft_compile_options *options, bool has_effort);

/* Compiles a model of TFLite or ONNX, or a graph in text form (docs/ir.md), which may be what a
 * pass left: its regions and composites are taken apart first. `bytes` must live as long as the
 * module. On success *module must be released with weft_module_free(). Errors: WEFT_MODEL,
 * WEFT_OPERATOR, WEFT_GRAPH, WEFT_CAPACITY, WEFT_LIMIT, WEFT_OUT_OF_MEMORY, WEFT_INTERNAL; those of
 * weft_import(); WEFT_ARGUMENT when two targets have one name or one lacks a function, and those of
 * the targets' own compilers; WEFT_PLUGIN when a pass of one's own has no place, or leaves what it
 * must not, and those of such passes themselves; WEFT_DECISIONS when the decisions are malformed
 * (position = line), for another model, or not possible on this configuration (position = layer or
 * tensor; the message says which region, which layer, and what does not fit).
 */
bool weft_compile(const uint8_t *bytes, size_t length, const struct weft_config *config,
                  const struct weft_compile_options *options, struct weft_module **module,
                  struct weft_error *error);

/* Compiles a graph that was made by hand or read from its text form. The graph is not changed; its
 * arena must outlive the module. Errors: as weft_compile(). */
bool weft_compile_graph(const struct weft_graph *graph, const struct weft_config *config,
                        const struct weft_compile_options *options, struct weft_module **module,
                        struct weft_error *error);

void weft_module_free(struct weft_module *module);

/* Appends what was decided for every region, and what else was tried, as JSON: docs/schedule.md.
 * Compiling with it again makes the same programs, byte for byte. Error: WEFT_OUT_OF_MEMORY. */
bool weft_module_decisions(const struct weft_module *module, struct weft_text *text,
                           struct weft_error *error);

/* ---- the container ---- */

/* The version of .weft files that are written, and the only one that is read. */
enum {
    WEFT_CONTAINER_VERSION = 9
};

/* The .weft form of a module; *bytes is freed by the caller. Errors: WEFT_OUT_OF_MEMORY,
 * WEFT_TARGET (programs of a target from outside have no written form), those of such targets. */
bool weft_module_write(struct weft_module *module, uint8_t **bytes, size_t *length,
                       struct weft_error *error);

/* Cycles that the programs of a .weft file may take together, unless the caller says otherwise.
 * Many times what large networks need, few enough that the simulators get through the worst of
 * programs in about ten seconds. */
#define WEFT_CYCLE_LIMIT UINT64_C(200000000)

/* The same of weft_node_steps() of the host's operators. */
#define WEFT_HOST_LIMIT UINT64_C(536870912)

/* What a container may ask for. */
struct weft_read_options {
    uint64_t cycles;     /* sum of the bounds of its programs; 0: WEFT_CYCLE_LIMIT */
    uint64_t host_steps; /* sum over the operators of the host; 0: WEFT_HOST_LIMIT */
    /* Bytes of memory that the module may take in all, beside the file, and its verification with
     * it; 0: WEFT_MEMORY_LIMIT (base/limit.h). A session counts on from there. */
    uint64_t bytes;
    /* Targets from outside that its regions may be for. They must outlive the module. */
    size_t target_count;
    const struct weft_external_target *targets;
};

/* Reads a .weft file. Nothing in it is trusted: sizes, checksums, graph, instructions and bindings
 * are checked, every program is verified, and its bound of cycles is computed again. `options` may
 * be NULL: defaults. Errors: WEFT_CONTAINER (position = byte), WEFT_CONFIG, WEFT_FINGERPRINT,
 * WEFT_GRAPH, WEFT_ENCODING, the VERIFY codes, WEFT_LIMIT, WEFT_OUT_OF_MEMORY; WEFT_PLUGIN when a
 * region is for a target that the options do not have, and those of such targets. */
bool weft_module_read(const uint8_t *bytes, size_t length, const struct weft_read_options *options,
                      struct weft_module **module, struct weft_error *error);

/* True when the bytes begin like a .weft file. */
bool weft_is_module(const uint8_t *bytes, size_t length);

#endif
