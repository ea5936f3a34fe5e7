/* Protobuf's wire format, as far as it is walked before anything is unpacked: no file makes the
 * unpacker go deeper, and a model is known by its content. */
#ifndef WEFT_COMPILER_IMPORT_ONNX_WIRE_H
#define WEFT_COMPILER_IMPORT_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in bytes of the wire format. */
struct onnx_wire {
    const uint8_t *at;
    const uint8_t *end;
};

/* One field: its number, its wire type, and where its bytes are when it is length-delimited. */
struct onnx_field {
    uint32_t number;
    uint32_t type;  /* 0 a varint, 1 of 8 bytes, 2 length-delimited, 5 of 4 bytes */
    uint64_t value; /* of a varint */
    const uint8_t *bytes;
    size_t length;
};

/* Reads the next field; false where the bytes are none, or end in the middle of it. */
bool onnx_next_field(struct onnx_wire *wire, struct onnx_field *field);

/* Are the bytes, all of them, fields that a ModelProto has, with a version and a graph? */
bool onnx_is_model(const uint8_t *bytes, size_t length);

/* Do they begin as one: with the version of the format, as every writer puts it? */
bool onnx_begins_model(const uint8_t *bytes, size_t length);

#endif
