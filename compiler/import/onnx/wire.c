#include "compiler/import/onnx/wire.h"

/* Fields of a ModelProto that matter here. */
enum {
    IR_VERSION = 1,
    GRAPH = 7,
    LAST_KNOWN = 32, /* a little more than the newest version has */
};

static bool next_varint(struct onnx_wire *wire, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
        uint8_t byte = *wire->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

static bool take_bytes(struct onnx_wire *wire, uint64_t length, struct onnx_field *field) {
    if (length > (uint64_t)(wire->end - wire->at)) {
        return false;
    }
    field->bytes = wire->at;
    field->length = (size_t)length;
    wire->at += length;
    return true;
}

bool onnx_next_field(struct onnx_wire *wire, struct onnx_field *field) {
    uint64_t tag = 0;
    uint64_t length = 0;
    if (!next_varint(wire, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX) {
        return false;
    }
    *field = (struct onnx_field){.number = (uint32_t)(tag >> 3), .type = (uint32_t)(tag & 7)};
    switch (field->type) {
    case 0:
        return next_varint(wire, &field->value);
    case 1:
        return take_bytes(wire, 8, field);
    case 2:
        return next_varint(wire, &length) && take_bytes(wire, length, field);
    case 5:
        return take_bytes(wire, 4, field);
    default:
        return false;
    }
}

bool onnx_is_model(const uint8_t *bytes, size_t length) {
    struct onnx_wire wire = {bytes, bytes + length};
    struct onnx_field field;
    bool has_version = false;
    bool has_graph = false;
    while (wire.at < wire.end) {
        if (!onnx_next_field(&wire, &field) || field.number > LAST_KNOWN) {
            return false;
        }
        has_version = has_version || (field.number == IR_VERSION && field.type == 0);
        has_graph = has_graph || (field.number == GRAPH && field.type == 2);
    }
    return has_version && has_graph;
}

bool onnx_begins_model(const uint8_t *bytes, size_t length) {
    struct onnx_wire wire = {bytes, bytes + length};
    struct onnx_field field;
    return length > 0 && onnx_next_field(&wire, &field) && field.number == IR_VERSION &&
           field.type == 0 && field.value < 256;
}
