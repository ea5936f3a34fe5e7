#include "tests/cosim/coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/cosim/coverage_internal.h"

static const struct group_form *const forms[GROUPS] = {
    [GROUP_KIND] = &form_kind,
    [GROUP_FIELD_BIT] = &form_field_bit,
    [GROUP_FIELD_CORNER] = &form_field_corner,
    [GROUP_STRIDE] = &form_stride,
    [GROUP_TRANSFER] = &form_transfer,
    [GROUP_REDUCTION] = &form_reduction,
    [GROUP_WINDOW] = &form_window,
    [GROUP_DENSE_ROWS] = &form_dense_rows,
    [GROUP_PASS] = &form_pass,
    [GROUP_VECTOR] = &form_vector,
    [GROUP_WAIT] = &form_wait,
    [GROUP_SIGNAL] = &form_signal,
    [GROUP_OVERLAP] = &form_overlap,
    [GROUP_BEHIND] = &form_behind,
    [GROUP_STALL] = &form_stall,
    [GROUP_SEMAPHORE] = &form_semaphore,
    [GROUP_ACCUMULATORS] = &form_accumulators,
    [GROUP_TOGETHER] = &form_together,
    [GROUP_LIMIT] = &form_limit,
    [GROUP_MEMORY] = &form_memory,
    [GROUP_ORDER] = &form_order,
    [GROUP_COUNTER] = &form_counter,
    [GROUP_FAULT] = &form_fault,
    [GROUP_ENCODING] = &form_encoding,
    [GROUP_ADDRESS] = &form_address,
    [GROUP_WRITE] = &form_write,
    [GROUP_EXTENT] = &form_extent,
    [GROUP_BANK] = &form_bank,
    [GROUP_FAULT_TIME] = &form_fault_time,
};

/* ---- kinds ---- */

unsigned kind_of(const struct weft_instruction *instruction) {
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return KIND_LOAD + instruction->load.memory;
    case WEFT_OPCODE_FILL:
        return KIND_FILL;
    case WEFT_OPCODE_STORE:
        return KIND_STORE;
    case WEFT_OPCODE_MATRIX:
        return instruction->matrix.mode == WEFT_MODE_DENSE ? KIND_DENSE : KIND_DEPTHWISE;
    case WEFT_OPCODE_VECTOR:
        return KIND_VECTOR + instruction->vector.function;
    default:
        return KINDS;
    }
}

enum weft_unit unit_of_kind(unsigned kind) {
    return kind <= KIND_FILL        ? WEFT_UNIT_LOAD
           : kind == KIND_STORE     ? WEFT_UNIT_STORE
           : kind <= KIND_DEPTHWISE ? WEFT_UNIT_MATRIX
                                    : WEFT_UNIT_VECTOR;
}

/* The names of an enumerated field. */
static const char *const *names_of(uint32_t opcode, const char *field) {
    const struct weft_format *format = weft_format_of(opcode);
    for (unsigned i = 0; i < format->field_count; i++) {
        if (strcmp(format->fields[i].name, field) == 0) {
            return format->fields[i].names;
        }
    }
    return NULL;
}

void kind_label(unsigned kind, char *label) {
    if (kind < KIND_FILL) {
        (void)snprintf(label, LABEL_BYTES, "load.%s", names_of(WEFT_OPCODE_LOAD, "memory")[kind]);
    } else if (kind >= KIND_VECTOR) {
        (void)snprintf(label, LABEL_BYTES, "vector.%s",
                       names_of(WEFT_OPCODE_VECTOR, "function")[kind - KIND_VECTOR]);
    } else {
        static const char *const names[] = {"fill", "store", "dense", "depthwise"};
        (void)snprintf(label, LABEL_BYTES, "%s", names[kind - KIND_FILL]);
    }
}

/* ---- counting ---- */

void hit(struct coverage *coverage, enum group group, size_t bin) {
    coverage->count[group][bin]++;
}

static void list_elements(struct coverage *coverage) {
    for (uint32_t opcode = 0; opcode < OPCODES; opcode++) {
        const struct weft_format *format = weft_format_of(opcode);
        coverage->first_element[opcode] = coverage->elements;
        for (unsigned i = 0; format != NULL && i < format->field_count; i++) {
            for (unsigned k = 0; k < format->fields[i].repeat; k++) {
                bool is_stride = strstr(format->fields[i].name, "stride") != NULL;
                coverage->element[coverage->elements++] =
                    (struct element){opcode, &format->fields[i], k, coverage->bits, is_stride};
                coverage->bits += format->fields[i].width;
            }
        }
    }
    coverage->first_element[OPCODES] = coverage->elements;
}

bool coverage_create(const struct weft_config *config, bool faults, struct coverage **coverage,
                     struct weft_error *error) {
    struct coverage *made = weft_allocate(1, sizeof *made, "coverage", error);
    if (made == NULL) {
        return false;
    }
    made->config = config;
    made->faults = faults;
    list_elements(made);
    for (unsigned group = 0; group < GROUPS; group++) {
        size_t bins = forms[group]->bins(made);
        made->count[group] = weft_allocate(bins, sizeof(uint64_t), "coverage", error);
        if (made->count[group] == NULL) {
            coverage_free(made);
            return false;
        }
    }
    *coverage = made;
    return true;
}

void coverage_free(struct coverage *coverage) {
    for (unsigned group = 0; coverage != NULL && group < GROUPS; group++) {
        free(coverage->count[group]);
    }
    free(coverage);
}

void coverage_add(struct coverage *coverage, const struct cosim_case *test,
                  const struct weft_trace *trace) {
    if (coverage->faults) {
        cover_faults(coverage, test, trace);
        return;
    }
    for (size_t i = 0; i < test->program.count; i++) {
        const struct weft_instruction *instruction = &test->program.instructions[i];
        if (trace->times[i].dispatched != 0) {
            cover_fields(coverage, instruction);
            cover_shapes(coverage, test, instruction);
        }
    }
    cover_times(coverage, test, trace);
    cover_limits(coverage, test, trace);
}

/* ---- reports ---- */

struct bin_state {
    char label[LABEL_BYTES];
    uint64_t count;
    const char *reason;
};

/* False when the number stands for no bin. */
static bool bin_at(const struct coverage *coverage, enum group group, size_t bin,
                   struct bin_state *state) {
    forms[group]->label(coverage, bin, state->label);
    if (state->label[0] == '\0') {
        return false;
    }
    state->count = coverage->count[group][bin];
    state->reason = hole_reason(coverage, group, bin, state->label);
    return true;
}

static void sum_add(struct coverage_sum *sum, const struct bin_state *state) {
    sum->bins++;
    sum->met += state->count != 0;
    sum->impossible += state->count == 0 && state->reason != NULL;
    sum->holes += state->count == 0 && state->reason == NULL;
    sum->wrong += state->count != 0 && state->reason != NULL;
}

static struct coverage_sum group_sum(const struct coverage *coverage, enum group group) {
    struct coverage_sum sum = {0};
    struct bin_state state;
    for (size_t bin = 0; bin < forms[group]->bins(coverage); bin++) {
        if (bin_at(coverage, group, bin, &state)) {
            sum_add(&sum, &state);
        }
    }
    return sum;
}

struct coverage_sum coverage_sum(const struct coverage *coverage) {
    struct coverage_sum all = {0};
    for (unsigned group = 0; group < GROUPS; group++) {
        if (forms[group]->faults == coverage->faults) {
            struct coverage_sum sum = group_sum(coverage, (enum group)group);
            all.bins += sum.bins;
            all.met += sum.met;
            all.impossible += sum.impossible;
            all.holes += sum.holes;
            all.wrong += sum.wrong;
        }
    }
    return all;
}

static void print_bins(const struct coverage *coverage, enum group group, bool all,
                       struct weft_text *text) {
    struct bin_state state;
    for (size_t bin = 0; bin < forms[group]->bins(coverage); bin++) {
        if (!bin_at(coverage, group, bin, &state)) {
            continue;
        }
        if (state.count != 0 && state.reason != NULL) {
            weft_text_add(text, "    wrong reason: %s was met (%s)\n", state.label, state.reason);
        } else if (state.count == 0 && state.reason == NULL) {
            weft_text_add(text, "    hole: %s\n", state.label);
        } else if (all && state.count == 0) {
            weft_text_add(text, "    cannot be: %s (%s)\n", state.label, state.reason);
        } else if (all) {
            weft_text_add(text, "    %10" PRIu64 " %s\n", state.count, state.label);
        }
    }
}

void coverage_print(const struct coverage *coverage, bool all, struct weft_text *text) {
    for (unsigned group = 0; group < GROUPS; group++) {
        if (forms[group]->faults == coverage->faults) {
            struct coverage_sum sum = group_sum(coverage, (enum group)group);
            weft_text_add(text, "  %-14s %5zu bins, %5zu met, %5zu cannot be, %zu holes\n",
                          forms[group]->name, sum.bins, sum.met, sum.impossible, sum.holes);
            print_bins(coverage, (enum group)group, all, text);
        }
    }
}
