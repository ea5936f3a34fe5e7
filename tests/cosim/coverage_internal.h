/* Shared by the files of coverage alone. */
#ifndef WEFT_TESTS_COSIM_COVERAGE_INTERNAL_H
#define WEFT_TESTS_COSIM_COVERAGE_INTERNAL_H

#include "tests/cosim/coverage.h"

enum {
    LABEL_BYTES = 96,
    MOST_ELEMENTS = 160,
    OPCODES = WEFT_FORMATS,
};

/* What an instruction is, finer than its opcode. */
enum kind {
    KIND_LOAD, /* + target */
    KIND_FILL = KIND_LOAD + 4,
    KIND_STORE,
    KIND_DENSE,
    KIND_DEPTHWISE,
    KIND_VECTOR, /* + function */
    KINDS = KIND_VECTOR + WEFT_FUNCTIONS,
};

/* KINDS for FENCE, HALT and what does not decode. */
unsigned kind_of(const struct weft_instruction *instruction);
enum weft_unit unit_of_kind(unsigned kind);
void kind_label(unsigned kind, char *label);

enum group {
    GROUP_KIND,
    GROUP_FIELD_BIT,
    GROUP_FIELD_CORNER,
    GROUP_STRIDE,
    GROUP_TRANSFER,
    GROUP_REDUCTION,
    GROUP_WINDOW,
    GROUP_DENSE_ROWS,
    GROUP_PASS,
    GROUP_VECTOR,
    GROUP_WAIT,
    GROUP_SIGNAL,
    GROUP_OVERLAP,
    GROUP_BEHIND,
    GROUP_STALL,
    GROUP_SEMAPHORE,
    GROUP_ACCUMULATORS,
    GROUP_TOGETHER,
    GROUP_LIMIT,
    GROUP_MEMORY,
    GROUP_ORDER,
    GROUP_COUNTER,
    GROUP_FAULT,
    GROUP_ENCODING,
    GROUP_ADDRESS,
    GROUP_WRITE,
    GROUP_EXTENT,
    GROUP_BANK,
    GROUP_FAULT_TIME,
    GROUPS,
};

/* An element of a field of an opcode. */
struct element {
    uint32_t opcode;
    const struct weft_field *field;
    unsigned index;
    size_t first_bit; /* among all elements */
    bool is_stride;
};

struct coverage {
    const struct weft_config *config;
    bool faults;
    struct element element[MOST_ELEMENTS];
    size_t elements;
    size_t first_element[OPCODES + 1]; /* of an opcode; they stand together */
    size_t bits;
    uint64_t *count[GROUPS];
};

struct group_form {
    const char *name;
    bool faults; /* of programs that fault; else of valid ones */
    size_t (*bins)(const struct coverage *coverage);
    /* Writes the name of a bin; "" when there is no such bin. */
    void (*label)(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]);
};

/* Each stands in the file that counts for it. */
extern const struct group_form form_kind, form_field_bit, form_field_corner, form_stride,
    form_transfer, form_reduction, form_window, form_dense_rows, form_pass, form_vector, form_wait,
    form_signal, form_overlap, form_behind, form_stall, form_semaphore, form_accumulators,
    form_together, form_limit, form_memory, form_order, form_counter, form_fault, form_encoding,
    form_address, form_write, form_extent, form_bank, form_fault_time;

void hit(struct coverage *coverage, enum group group, size_t bin);

/* The element as its bins call it: load.count[1]. */
void element_label(const struct element *element, char *label);

/* Why a bin cannot be met, or NULL: coverage_holes.c. */
const char *hole_reason(const struct coverage *coverage, enum group group, size_t bin,
                        const char *label);

/* ---- what each file counts ---- */

void cover_fields(struct coverage *coverage, const struct weft_instruction *instruction);
void cover_shapes(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_instruction *instruction);
void cover_times(struct coverage *coverage, const struct cosim_case *test,
                 const struct weft_trace *trace);
void cover_limits(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace);
/* An operand by its place in the footprint, or NULL; PAR of VECTOR, whose place depends on the
 * function, has index 0 and `par`. */
const char *operand_name(uint32_t opcode, unsigned index, bool par);

/* Of an instruction with fault ADDRESS. */
void cover_extent(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_instruction *instruction);
void cover_faults(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace);

#endif
