#include "tests/kernels/vectors.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernels/kernels.h"

enum {
    MOST_TENSORS = 64,
    BEYOND = 32,     /* bytes behind an output that must stay */
    UNTOUCHED = 0xa5 /* what they hold */
};

struct room {
    uint8_t *next;
    const uint8_t *end;
};

/* Memory at a multiple of 16, or `odd` bytes behind one; NULL: there is none. */
static uint8_t *take(struct room *room, uint64_t bytes, uint32_t odd) {
    uint8_t *taken = room->next + odd;
    const uint64_t needed = (bytes + odd + BEYOND + 15) / 16 * 16;
    if (needed > (uint64_t)(room->end - room->next)) {
        return NULL;
    }
    room->next += needed;
    memset(taken, UNTOUCHED, (size_t)bytes + BEYOND);
    return taken;
}

/* A call that is repeated. */
struct call {
    const uint8_t *file;
    const struct vector *vector;
    void *parameters;
    void *state;
    void *scratch;
    const void *inputs[MOST_TENSORS];
    void *outputs[MOST_TENSORS];
};

static const struct vector_tensor *tensors(const struct call *call, uint32_t at) {
    return (const struct vector_tensor *)(const void *)(call->file + at);
}

/* What kernels read may lie anywhere, so it lies at odd addresses. */
static bool place_tensors(struct call *call, struct room *room) {
    const struct vector_tensor *inputs = tensors(call, call->vector->inputs);
    const struct vector_tensor *outputs = tensors(call, call->vector->outputs);
    if (call->vector->input_count > MOST_TENSORS || call->vector->output_count > MOST_TENSORS) {
        return false;
    }
    for (uint32_t i = 0; i < call->vector->input_count; i++) {
        uint8_t *input = take(room, inputs[i].bytes, 1);
        if (input == NULL) {
            return false;
        }
        memcpy(input, call->file + inputs[i].at, inputs[i].bytes);
        call->inputs[i] = input;
    }
    for (uint32_t i = 0; i < call->vector->output_count; i++) {
        call->outputs[i] = take(room, outputs[i].bytes, 0);
        if (call->outputs[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Parameters where they have to be, scratch; a state that is not that of the call before. */
static bool place_memory(struct call *call, const struct weft_kernel_entry *kernel,
                         struct room *room) {
    call->parameters = take(room, call->vector->parameter_bytes, 0);
    if (call->parameters == NULL) {
        return false;
    }
    memcpy(call->parameters, call->file + call->vector->parameters, call->vector->parameter_bytes);
    if (kernel->scratch != NULL) {
        call->scratch = take(room, kernel->scratch(call->parameters), 0);
        if (call->scratch == NULL) {
            return false;
        }
    }
    return true;
}

static uint32_t word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static bool is_nan(uint32_t bits) {
    return (bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000);
}

/* How many floats lie between two, of bits; 0: they are equal. */
static uint32_t distance(uint32_t a, uint32_t b) {
    if (a == b || (is_nan(a) && is_nan(b))) {
        return 0;
    }
    if (is_nan(a) || is_nan(b) || (a ^ b) >> 31 != 0) {
        return UINT32_MAX;
    }
    return a > b ? a - b : b - a;
}

static void compare_floats(const uint8_t *got, const uint8_t *expected, uint32_t bytes,
                           struct vector_report *report) {
    for (uint32_t byte = 0; byte < bytes; byte += 4) {
        const uint32_t apart = distance(word_at(got + byte), word_at(expected + byte));
        report->differ += apart != 0;
        report->most = apart > report->most ? apart : report->most;
    }
}

static void compare_bytes(const uint8_t *got, const uint8_t *expected, uint32_t bytes,
                          struct vector_report *report) {
    for (uint32_t byte = 0; byte < bytes; byte++) {
        if (got[byte] != expected[byte]) {
            report->differ++;
            report->most = UINT32_MAX;
        }
    }
}

static void compare(const struct call *call, struct vector_report *report) {
    const struct vector_tensor *outputs = tensors(call, call->vector->outputs);
    for (uint32_t i = 0; i < call->vector->output_count; i++) {
        const uint8_t *expected = call->file + outputs[i].at;
        const uint8_t *got = call->outputs[i];
        (outputs[i].is_float != 0 ? compare_floats : compare_bytes)(got, expected, outputs[i].bytes,
                                                                    report);
        for (uint32_t byte = 0; byte < BEYOND; byte++) {
            report->beyond += got[outputs[i].bytes + byte] != UNTOUCHED;
        }
    }
}

/* Where the state of a kernel lies, which is as the call before has left it, or as after a reset.
 */
static bool place_state(struct call *call, const struct weft_kernel_entry *kernel,
                        struct room *room) {
    if (call->vector->state == VECTOR_RESET) {
        call->state = take(room, kernel->state(call->parameters), 0);
        if (call->state == NULL) {
            return false;
        }
        kernel->reset(call->parameters, call->state);
    }
    return true;
}

uint32_t run_vectors(const uint8_t *vectors, uint8_t *memory, uint64_t room_bytes,
                     void (*report)(const struct vector_report *report)) {
    const struct vectors *header = (const struct vectors *)(const void *)vectors;
    struct room whole = {memory, memory + room_bytes};
    struct room room = whole;
    struct call call = {.file = vectors};
    uint32_t wrong = 0;
    if (header->magic != VECTORS_MAGIC) {
        return UINT32_MAX;
    }
    uint32_t at = header->first;
    for (uint32_t i = 0; i < header->count; i++) {
        call.vector = (const struct vector *)(const void *)(vectors + at);
        const struct weft_kernel_entry *kernel = &weft_kernels[call.vector->kernel];
        if (call.vector->state != VECTOR_CONTINUE) {
            room = whole;
        }
        if (!place_memory(&call, kernel, &room) || !place_state(&call, kernel, &room) ||
            !place_tensors(&call, &room)) {
            return UINT32_MAX;
        }
        struct vector_report one = {.vector = i, .kernel = call.vector->kernel};
        one.status = (uint32_t)kernel->run(call.parameters, call.inputs, call.outputs, call.state,
                                           call.scratch);
        if (one.status == WEFT_KERNEL_OK) {
            compare(&call, &one);
        }
        if (one.status != call.vector->status || one.differ != 0 || one.beyond != 0) {
            wrong++;
            report(&one);
        }
        at = call.vector->next;
    }
    return wrong;
}
