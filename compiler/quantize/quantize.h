/* Quantising float graphs: weft_quantize().
 *
 *     struct weft_quantized *quantized = NULL;
 *     weft_quantize(&arena, graph, &names, &options, &quantized, &error);
 *     weft_compile_graph(quantized->graph, ...)
 *
 * The float graph runs on the host over samples; what its tensors hold decides their scales. The
 * result is a graph in the quantised dialect (qnn.*) that computes with int8, as one that TFLite
 * quantised does, with qnn.quantize and qnn.dequantize around what stays float. docs/quantize.md.
 */
#ifndef WEFT_COMPILER_QUANTIZE_QUANTIZE_H
#define WEFT_COMPILER_QUANTIZE_QUANTIZE_H

#include "compiler/import/names.h"
#include "compiler/ir/ir.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/samples.h"

/* How far weights go: all are bytes, but those of four bits take half the space in a program, as
 * the machine codes them. Their scales are what costs the least square error. */
enum weft_weight_bits {
    WEFT_WEIGHTS_INT8, /* -127 to 127 */
    WEFT_WEIGHTS_INT4, /* -7 to 7 */
};

/* "int8", "int4", NULL. */
extern const char *const weft_weight_names[];

struct weft_quantize_options {
    enum weft_calibration calibration;
    double percentile;           /* of WEFT_CALIBRATE_PERCENTILE, 50 to 100 */
    uint32_t bins;               /* of histograms, at most WEFT_MOST_BINS */
    uint32_t levels;             /* of WEFT_CALIBRATE_ENTROPY, even, at most the bins */
    enum weft_dtype activations; /* of tensors between layers: WEFT_I8 or WEFT_U8 */
    enum weft_weight_bits weights;
    bool per_tensor;         /* one scale for the weights of a layer; else one for each channel */
    bool is_symmetric;       /* tensors have the zero point 0, of uint8 128 */
    bool power_of_two;       /* every scale is a power of two */
    bool no_bias_correction; /* biases are not corrected for what rounding of weights and input
                                shifts */
    bool equalize;           /* channels of one product are scaled so that they, and the inputs of
                                the next one, have like ranges */
    bool integer_ends;       /* inputs and outputs are bytes; else float, as those of the model */
    /* Layers that stay float: by the names of their results, in which * stands for anything. */
    size_t keep_float_count;
    const char *const *keep_float;
    /* Layers are kept float, worst first, until the outputs have this signal-to-noise ratio in dB;
     * 0: no. */
    double min_sqnr;
    /* The same until no more than this share (0 to 1) of the samples is lost to the top-1 accuracy
     * of the float graph; below 0: no. It needs labels. */
    double max_drop;
    /* The class of a sample, or -1; NULL: there are no labels. */
    int64_t (*label)(void *context, size_t i);
    void *label_context;
    const struct weft_samples *samples;
    uint64_t bytes; /* of memory at most; 0: WEFT_MEMORY_LIMIT */
    /* Told what is being done and how far it is; by any thread, one at a time; may be NULL. */
    void (*progress)(void *context, const char *step, size_t done, size_t count);
    void *context;
};

/* Least squares, weights of int8 per channel, biases corrected; no samples yet. */
struct weft_quantize_options weft_quantize_defaults(void);

/* How far two tensors, or runs of them, are apart. */
struct weft_distance {
    double sqnr;   /* signal-to-quantisation-noise ratio, dB; infinite where nothing differs,
                      -infinite of noise alone */
    double cosine; /* of the angle between them; 1 where nothing differs */
};

/* What becomes of the outputs of a model. */
struct weft_outputs_report {
    struct weft_distance distance; /* of all outputs together; of those that softmax makes, what it
                                      works on */
    /* Of the first output, where it is a classifier's: */
    size_t samples;
    size_t agree;    /* the same class as the float graph's */
    size_t labelled; /* samples whose class is known, of which the class is right: */
    size_t right;    /* quantised */
    size_t right_in_float;
};

enum {
    WEFT_REPORT_BINS = 64
};

/* What quantising does to the result of a layer. */
struct weft_layer_report {
    const char *name;           /* the model's name of the result */
    const char *op;             /* of the graph */
    bool is_quantized;          /* else: */
    const char *reason;         /* why it stays float */
    struct weft_range observed; /* of the float result */
    struct weft_range range;    /* that its quantised form covers */
    double scale;
    int32_t zero;
    double clipped;             /* share of the values of the float result outside the range */
    struct weft_distance alone; /* the layer quantised, its operands those of the float graph */
    struct weft_distance accumulated;     /* everything before it quantised, too */
    uint64_t histogram[WEFT_REPORT_BINS]; /* of the float result, over what was observed */
};

struct plan; /* how it was made; of compiler/quantize alone */

struct weft_quantized {
    const struct plan *plan;
    struct weft_graph *graph; /* quantised; its names are those of the model's tensors */
    size_t layer_count;
    struct weft_layer_report *layers;
    struct weft_outputs_report outputs; /* of the simulated quantised graph */
    size_t equalized;                   /* pairs of layers */
    size_t kept_float;                  /* layers that could be quantised, but are not */
};

/* Quantises a float graph. Everything lives in the arena, which jumps when there is no memory.
 * `names` are those of the model's tensors. Errors: WEFT_ARGUMENT (options; no samples; no layer
 * can be quantised, or has a weight or bias that is no finite number), those of samples->fill(), of
 * operators on the host, WEFT_LIMIT, WEFT_OUT_OF_MEMORY. */
bool weft_quantize(struct weft_arena *arena, const struct weft_graph *graph,
                   const struct weft_model_names *names,
                   const struct weft_quantize_options *options, struct weft_quantized **quantized,
                   struct weft_error *error);

/* The quantised model as ONNX, QuantizeLinear and DequantizeLinear around operators of floats,
 * which ONNX Runtime makes integer operators of; inputs and outputs are floats. *bytes is freed by
 * the caller. Errors: WEFT_OPERATOR for what cannot be written, WEFT_LIMIT, WEFT_OUT_OF_MEMORY;
 * WEFT_TARGET when this build cannot write ONNX. */
bool weft_quantized_onnx(const struct weft_quantized *quantized, uint8_t **bytes, size_t *length,
                         struct weft_error *error);

#endif
