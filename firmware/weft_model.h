/* A compiled model as firmware has it: programs of the machine and operators of the processor in
 * the order in which they run, with everything that they need but memory to work in.
 *
 * One form stands behind both outputs of `weft export`: an array in C, and a blob in a file or in
 * flash. It is position-independent: places are offsets in bytes from its first byte, which lies at
 * a multiple of WEFT_MODEL_ALIGNMENT in memory and on the bus. All numbers are little-endian, all
 * structures are the same bytes on processors of 32 and of 64 bits, and begin at multiples of 8.
 *
 *     struct weft_model        the header
 *     lists                    tensors, steps, kernels; what a step needs
 *     parameters of kernels    as kernels/README.md says
 *     tensors that are constant
 *     programs, constants      regions of the machine, each at a multiple of WEFT_MODEL_ALIGNMENT
 *
 * A model is code: its programs and parameters tell the machine and the processor where to write.
 * The checks of weft_model_check() find what is damaged, cut off, or made for other firmware, not
 * what somebody made with intent. Models from elsewhere are authenticated as firmware is.
 */
#ifndef WEFT_FIRMWARE_MODEL_H
#define WEFT_FIRMWARE_MODEL_H

#include <stdint.h>

enum {
    WEFT_MODEL_VERSION = 1,
    WEFT_MODEL_ALIGNMENT = 1024, /* bytes: bases of regions (docs/registers.md) */
    /* Places in the arena and in the model begin and end at multiples of it, so that none shares a
     * line of a cache with another. */
    WEFT_MODEL_LINE = 64,
    WEFT_MODEL_REGIONS = 8,
    WEFT_MODEL_RANK = 8,
};

/* The first eight bytes. */
#define WEFT_MODEL_MAGIC "WEFTFW\r\n"

/* Elements that follow each other in the model. */
struct weft_model_list {
    uint32_t at; /* offset of the first one; any when there is none */
    uint32_t count;
};

enum weft_place_kind {
    WEFT_PLACE_ARENA,  /* `at` is an offset in the arena */
    WEFT_PLACE_MODEL,  /* `at` is an offset in the model */
    WEFT_PLACE_TENSOR, /* `at` is the number of an input or output, as they are listed: where its
                          bytes are in this run */
    WEFT_PLACES
};

struct weft_place {
    uint32_t kind; /* enum weft_place_kind */
    uint32_t at;
};

/* An input or output of the model. */
struct weft_model_tensor {
    uint32_t bytes;
    uint32_t dtype; /* enum weft_dtype */
    uint32_t rank;
    uint32_t dim[WEFT_MODEL_RANK]; /* elements lie in row-major order */
    int32_t zero;                  /* its zero point; 0 when it has none, or one for each channel */
    /* Where it lies unless the caller has a buffer for it: WEFT_PLACE_ARENA, or WEFT_PLACE_MODEL of
     * an output that is constant. */
    struct weft_place home;
    /* A caller's buffer whose bus address is a multiple of it takes the place of the home; what
     * lies in others is copied, inputs before the first step, outputs after the last. 0: all are
     * copied. */
    uint32_t alignment;
    uint32_t name; /* offset of what the model calls it, UTF-8, ended by 0 */
};

enum weft_step_kind {
    WEFT_STEP_SEGMENT,  /* a program of the machine: struct weft_model_segment */
    WEFT_STEP_OPERATOR, /* a kernel: struct weft_model_operator */
    WEFT_STEP_COPY,     /* bytes: struct weft_model_copy */
    WEFT_STEPS
};

struct weft_model_step {
    uint32_t kind; /* enum weft_step_kind */
    uint32_t at;   /* offset of the structure */
};

/* What the machine gets as one of its regions. */
struct weft_model_region {
    struct weft_place place;
    uint32_t bytes;       /* 0: the machine does not get it, and it has no place */
    uint32_t is_writable; /* 1: STORE may write it */
};

struct weft_model_segment {
    /* Cycles that the program takes, and those that it takes at most, with the memory of the
     * configuration. */
    uint64_t cycles;
    uint64_t bound;
    struct weft_model_region regions[WEFT_MODEL_REGIONS]; /* by enum weft_region */
};

struct weft_model_operand {
    struct weft_place place;
    uint32_t bytes;
    uint32_t reserved; /* 0 */
};

struct weft_model_operator {
    uint32_t kernel;          /* number in the list of kernels */
    uint32_t parameters;      /* offset */
    uint32_t parameter_bytes; /* with an array at their end */
    uint32_t operands;        /* offset: struct weft_model_operand, inputs, then outputs */
    uint32_t input_count;
    uint32_t output_count;
    /* Offsets in the arena: room for 8 bytes for each operand; memory that the kernel works in;
     * what it keeps from run to run, which is nobody else's. */
    uint32_t pointers;
    uint32_t scratch;
    uint32_t scratch_bytes; /* 0: the kernel asks for none */
    uint32_t state;
    uint32_t state_bytes;
    uint32_t reserved; /* 0 */
};

struct weft_model_copy {
    struct weft_place from;
    struct weft_place to;
    uint32_t bytes;
    uint32_t reserved; /* 0 */
};

/* A kernel that operators of the model need. */
struct weft_model_kernel {
    uint32_t name;            /* offset of its name in kernels/kernels.def, ended by 0 */
    uint32_t parameter_bytes; /* of its structure, without an array at the end */
};

struct weft_model {
    uint8_t magic[8]; /* WEFT_MODEL_MAGIC */
    uint32_t version; /* WEFT_MODEL_VERSION */
    uint32_t crc;     /* CRC-32 (that of zlib) of all bytes after this number */
    uint32_t bytes;   /* of all of the model: a multiple of WEFT_MODEL_LINE */
    uint32_t arena_bytes;
    uint64_t configuration; /* fingerprint of the configuration that its programs are for */
    uint64_t cycles;        /* of the machine for one run: the sum over the segments */
    uint32_t name;          /* offset of the model's name, UTF-8, ended by 0 */
    uint32_t tensors;       /* offset in the arena: room for 8 bytes for each input and output */
    struct weft_model_list inputs;  /* struct weft_model_tensor */
    struct weft_model_list outputs; /* the same, behind the inputs */
    struct weft_model_list steps;   /* struct weft_model_step */
    struct weft_model_list kernels; /* struct weft_model_kernel */
    struct weft_model_list
        resets; /* struct weft_model_copy: what makes states as they are at first */
};

/* What is at an offset of the model. */
static inline const void *weft_model_at(const struct weft_model *model, uint32_t at) {
    return (const uint8_t *)model + at;
}

#endif
