/* Coverage: the bits and corners of every field. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/footprint.h"
#include "tests/cosim/coverage_internal.h"
#include "tests/unit/helpers.h"

void element_label(const struct element *element, char *label) {
    const char *opcode = weft_format_of(element->opcode)->name;
    if (element->field->repeat > 1) {
        (void)snprintf(label, LABEL_BYTES, "%s.%s[%u]", opcode, element->field->name,
                       element->index);
    } else {
        (void)snprintf(label, LABEL_BYTES, "%s.%s", opcode, element->field->name);
    }
}

/* ---- kinds ---- */

static size_t kind_bins(const struct coverage *coverage) {
    (void)coverage;
    return KINDS + 2;
}

static void kind_name(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    (void)coverage;
    if (bin < KINDS) {
        kind_label((unsigned)bin, label);
    } else {
        (void)snprintf(label, LABEL_BYTES, "%s", bin == KINDS ? "fence" : "halt");
    }
}

const struct group_form form_kind = {"kind", false, kind_bins, kind_name};

/* ---- bits: two bins each ---- */

static size_t bit_bins(const struct coverage *coverage) {
    return 2 * coverage->bits;
}

static void bit_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    size_t i = 0;
    while (i + 1 < coverage->elements && coverage->element[i + 1].first_bit <= bin / 2) {
        i++;
    }
    char name[LABEL_BYTES];
    element_label(&coverage->element[i], name);
    (void)snprintf(label, LABEL_BYTES, "%.60s bit %zu is %zu", name,
                   bin / 2 - coverage->element[i].first_bit, bin % 2);
}

const struct group_form form_field_bit = {"field bit", false, bit_bins, bit_label};

/* ---- corners: the lowest and the highest value of the field ---- */

static size_t corner_bins(const struct coverage *coverage) {
    return 2 * coverage->elements;
}

static int64_t corner_value(const struct element *element, bool high) {
    return high ? field_high(element->opcode, element->field) : field_low(element->field);
}

static void corner_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    const struct element *element = &coverage->element[bin / 2];
    char name[LABEL_BYTES];
    element_label(element, name);
    (void)snprintf(label, LABEL_BYTES, "%.60s is %" PRId64, name,
                   corner_value(element, bin % 2 != 0));
}

const struct group_form form_field_corner = {"field corner", false, corner_bins, corner_label};

/* ---- strides that are used: negative, zero, positive ---- */

/* How many steps a stride is for; 1: it is not used. */
static int64_t steps_of(const struct weft_instruction *instruction, const struct element *element) {
    const char *name = element->field->name;
    unsigned i = element->index;
    switch (instruction->opcode) {
    case WEFT_OPCODE_LOAD:
        return instruction->load.count[i];
    case WEFT_OPCODE_FILL:
        return instruction->fill.count[i];
    case WEFT_OPCODE_STORE:
        return instruction->store.count[i];
    case WEFT_OPCODE_MATRIX:
        return strncmp(name, "tile", 4) == 0    ? instruction->matrix.tile_count[i]
               : strncmp(name, "pixel", 5) == 0 ? instruction->matrix.pixel_count[i]
                                                : instruction->matrix.window_rows;
    default:
        return strncmp(name, "window", 6) == 0 ? instruction->vector.window_count[i]
                                               : instruction->vector.count[i];
    }
}

/* FILL has no operands, and half of the functions no second one. */
static bool operand_is_used(const struct weft_instruction *instruction, const char *name) {
    uint32_t function = instruction->vector.function;
    if (instruction->opcode != WEFT_OPCODE_VECTOR || strcmp(name, "out_stride") == 0) {
        return true;
    }
    if (strcmp(name, "b_stride") == 0) {
        return (weft_vector_reads(function) & WEFT_READS_B) != 0;
    }
    return weft_vector_reads(function) != 0;
}

static size_t stride_bins(const struct coverage *coverage) {
    return 3 * coverage->elements;
}

static void stride_label(const struct coverage *coverage, size_t bin, char label[LABEL_BYTES]) {
    static const char *const signs[] = {"negative", "zero", "positive"};
    const struct element *element = &coverage->element[bin / 3];
    char name[LABEL_BYTES];
    label[0] = '\0';
    if (element->is_stride) {
        element_label(element, name);
        (void)snprintf(label, LABEL_BYTES, "%.60s used %s", name, signs[bin % 3]);
    }
}

const struct group_form form_stride = {"stride", false, stride_bins, stride_label};

/* ---- counting ---- */

static void cover_element(struct coverage *coverage, size_t i,
                          const struct weft_instruction *instruction) {
    const struct element *element = &coverage->element[i];
    int64_t value = weft_field_get(instruction, element->field, element->index);
    for (unsigned bit = 0; bit < element->field->width; bit++) {
        hit(coverage, GROUP_FIELD_BIT,
            2 * (element->first_bit + bit) + ((uint64_t)value >> bit & 1));
    }
    for (unsigned high = 0; high < 2; high++) {
        if (value == corner_value(element, high != 0)) {
            hit(coverage, GROUP_FIELD_CORNER, 2 * i + high);
        }
    }
    if (element->is_stride && steps_of(instruction, element) > 1 &&
        operand_is_used(instruction, element->field->name)) {
        hit(coverage, GROUP_STRIDE, 3 * i + (value < 0 ? 0 : value == 0 ? 1 : 2));
    }
}

void cover_fields(struct coverage *coverage, const struct weft_instruction *instruction) {
    unsigned kind = kind_of(instruction);
    hit(coverage, GROUP_KIND,
        kind < KINDS                               ? kind
        : instruction->opcode == WEFT_OPCODE_FENCE ? KINDS
                                                   : KINDS + 1);
    for (size_t i = coverage->first_element[instruction->opcode];
         i < coverage->first_element[instruction->opcode + 1]; i++) {
        cover_element(coverage, i, instruction);
    }
}
