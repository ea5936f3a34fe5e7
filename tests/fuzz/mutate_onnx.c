/* ONNX models: one field somewhere in the messages is changed, left out or repeated, and all
 * lengths around it follow. */
#include <string.h>

#include "compiler/import/onnx/onnx_operators.h"
#include "compiler/import/onnx/wire.h"
#include "onnx.pb-c.h"
#include "tests/fuzz/mutate.h"

enum {
    MOST_FIELDS = 4096, /* of a message that are told apart */
};

static void add_varint(uint64_t value, struct weft_text *out) {
    for (; value >= 0x80; value >>= 7) {
        const char byte = (char)(value | 0x80);
        weft_text_add_bytes(out, &byte, 1);
    }
    const char last = (char)value;
    weft_text_add_bytes(out, &last, 1);
}

static void add_bytes(uint32_t number, const char *bytes, size_t length, struct weft_text *out) {
    add_varint((uint64_t)number << 3 | 2, out);
    add_varint(length, out);
    weft_text_add_bytes(out, length == 0 ? "" : bytes, length);
}

/* Numbers that sizes, axes, types and versions are, or are not. */
static uint64_t number_of(unsigned *seed, uint64_t old) {
    static const int64_t numbers[] = {0,   1,       2,         3,         4,         5,        6,
                                      7,   -1,      -2,        8,         13,        16,       64,
                                      127, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    switch (mutate_random(seed, 4)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    default:
        return (uint64_t)numbers[mutate_random(seed, sizeof numbers / sizeof numbers[0])];
    }
}

/* The name of some operator. */
static const char *operator_name(unsigned *seed) {
    uint32_t count = 0;
    while (weft_onnx_operator_at(count) != NULL) {
        count++;
    }
    return weft_onnx_operator_at(mutate_random(seed, count))->name;
}

static const ProtobufCMessageDescriptor *message_of(const ProtobufCMessageDescriptor *outer,
                                                    const struct onnx_field *field) {
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(outer, field->number);
    return field->type == 2 && known != NULL && known->type == PROTOBUF_C_TYPE_MESSAGE
               ? known->descriptor
               : NULL;
}

/* One field, changed. */
static void add_changed(const ProtobufCMessageDescriptor *outer, const struct onnx_field *field,
                        unsigned *seed, struct weft_text *out) {
    struct weft_text mutated = {0};
    bool is_operator = outer == &onnx__node_proto__descriptor && field->number == 4;
    if (field->type == 1 || field->type == 5) { /* a number of 8 or 4 bytes: one of them changes */
        char bytes[8];
        memcpy(bytes, field->bytes, field->length);
        char byte = (char)mutate_random(seed, 256);
        bytes[mutate_random(seed, (uint32_t)field->length)] = byte;
        add_varint((uint64_t)field->number << 3 | field->type, out);
        weft_text_add_bytes(out, bytes, field->length);
    } else if (field->type == 0) {
        add_varint((uint64_t)field->number << 3, out);
        add_varint(number_of(seed, field->value), out);
    } else if (field->type == 2 && is_operator && mutate_random(seed, 4) != 0) {
        const char *name = operator_name(seed);
        add_bytes(field->number, name, strlen(name), out);
    } else {
        mutate_bytes(field->bytes, field->length, &mutated);
        add_bytes(field->number, mutated.bytes, mutated.length, out);
        weft_text_free(&mutated);
    }
}

static uint32_t count_fields(struct onnx_wire wire) {
    struct onnx_field field;
    uint32_t count = 0;
    while (count < MOST_FIELDS && wire.at < wire.end && onnx_next_field(&wire, &field)) {
        count++;
    }
    return count;
}

/* Writes a message with a field of it changed, or of a message in it: that many levels are left. */
static void add_message(const ProtobufCMessageDescriptor *descriptor, struct onnx_wire wire,
                        int levels, unsigned *seed, struct weft_text *out) {
    uint32_t count = count_fields(wire);
    uint32_t victim = count == 0 ? 0 : mutate_random(seed, count);
    struct onnx_field field;
    for (uint32_t i = 0; i < count; i++) {
        const char *start = (const char *)wire.at;
        if (!onnx_next_field(&wire, &field)) {
            return;
        }
        size_t length = (size_t)((const char *)wire.at - start);
        const ProtobufCMessageDescriptor *message = message_of(descriptor, &field);
        uint32_t action = i == victim ? mutate_random(seed, 16) : UINT32_MAX;
        if (action == 0) {
            continue; /* left out */
        }
        if (action == UINT32_MAX || action == 1) {
            weft_text_add_bytes(out, start, length); /* as it is, or twice */
        }
        if (action != UINT32_MAX && message != NULL && levels > 0) {
            struct weft_text inner = {0};
            add_message(message, (struct onnx_wire){field.bytes, field.bytes + field.length},
                        levels - 1, seed, &inner);
            add_bytes(field.number, inner.bytes, inner.length, out);
            weft_text_free(&inner);
        } else if (action != UINT32_MAX) {
            add_changed(descriptor, &field, seed, out);
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    struct weft_text made = {0};
    if (mutate_random(&seed, 16) == 0 || !onnx_is_model(data, size)) {
        return LLVMFuzzerMutate(data, size, most);
    }
    add_message(&onnx__model_proto__descriptor, (struct onnx_wire){data, data + size}, 8, &seed,
                &made);
    return mutate_finish(&made, true, data, size, most);
}
