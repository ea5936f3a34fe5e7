#include "compiler/import/onnx/onnx_read.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/import/onnx/wire.h"

/* ---- before it is unpacked ---- */

/* A message that is being walked. */
struct open_message {
    struct onnx_wire wire;
    const ProtobufCMessageDescriptor *descriptor;
};

static const ProtobufCMessageDescriptor *message_of(const struct open_message *open,
                                                    const struct onnx_field *field) {
    const ProtobufCFieldDescriptor *known =
        protobuf_c_message_descriptor_get_field(open->descriptor, field->number);
    return known != NULL && known->type == PROTOBUF_C_TYPE_MESSAGE && field->type == 2
               ? known->descriptor
               : NULL;
}

/* The unpacker calls itself for each message in a message. */
static bool check_depth(const uint8_t *bytes, size_t length,
                        const ProtobufCMessageDescriptor *descriptor, struct weft_error *error) {
    struct open_message open[ONNX_MOST_DEPTH] = {{{bytes, bytes + length}, descriptor}};
    uint32_t depth = 1;
    while (depth > 0) {
        struct open_message *inner = &open[depth - 1];
        struct onnx_field field;
        if (inner->wire.at == inner->wire.end) {
            depth--;
            continue;
        }
        const uint8_t *start = inner->wire.at;
        if (!onnx_next_field(&inner->wire, &field)) {
            return weft_fail(error, WEFT_MODEL, (uint64_t)(start - bytes),
                             "byte %zu: not a field of protobuf, or the file ends in it",
                             (size_t)(start - bytes));
        }
        const ProtobufCMessageDescriptor *message = message_of(inner, &field);
        if (message != NULL && depth == ONNX_MOST_DEPTH) {
            return weft_fail(error, WEFT_MODEL, (uint64_t)(start - bytes),
                             "byte %zu: more than %d messages in each other",
                             (size_t)(start - bytes), ONNX_MOST_DEPTH);
        }
        if (message != NULL) {
            open[depth++] =
                (struct open_message){{field.bytes, field.bytes + field.length}, message};
        }
    }
    return true;
}

/* ---- unpacking ---- */

static void *allocate(void *arena, size_t size) {
    return weft_arena_allocate(arena, size, 1);
}

/* The arena releases everything at once. */
static void release(void *arena, void *memory) {
    (void)arena;
    (void)memory;
}

/* ---- versions ---- */

/* The versions of a domain that the model names, at most one; 0: none. */
static int64_t version_of(const Onnx__ModelProto *model, const char *domain, uint32_t *count) {
    int64_t version = 0;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *set = model->opset_import[i];
        if (strcmp(onnx_string(set->domain), domain) == 0) {
            version = set->version;
            (*count)++;
        }
    }
    return version;
}

static bool check_versions(const Onnx__ModelProto *model, int64_t *opset,
                           struct weft_error *error) {
    uint32_t count = 0;
    int64_t plain = version_of(model, "", &count);
    int64_t named = version_of(model, "ai.onnx", &count);
    *opset = plain != 0 ? plain : named;
    if (model->ir_version < ONNX_LEAST_IR || model->ir_version > ONNX_MOST_IR) {
        return weft_fail(error, WEFT_MODEL, 0,
                         "version %" PRId64 " of ONNX's format, expected %d to %d",
                         model->ir_version, ONNX_LEAST_IR, ONNX_MOST_IR);
    }
    if (count > 1) {
        return weft_fail(error, WEFT_MODEL, 0, "the version of ONNX's operators is there twice");
    }
    if (count == 1 && (*opset < 1 || *opset > WEFT_ONNX_NEWEST)) {
        return weft_fail(error, WEFT_MODEL, 0,
                         "version %" PRId64 " of ONNX's operators, expected at most %d", *opset,
                         WEFT_ONNX_NEWEST);
    }
    *opset = count == 0 ? 1 : *opset;
    return true;
}

bool onnx_read(struct weft_arena *arena, const uint8_t *bytes, size_t length,
               const Onnx__ModelProto **model, int64_t *opset, struct weft_error *error) {
    ProtobufCAllocator allocator = {allocate, release, arena};
    if (!check_depth(bytes, length, &onnx__model_proto__descriptor, error)) {
        return false;
    }
    Onnx__ModelProto *read = onnx__model_proto__unpack(&allocator, length, bytes);
    if (read == NULL) {
        return weft_fail(error, WEFT_MODEL, 0, "not a model of ONNX: protobuf can not read it");
    }
    if (!check_versions(read, opset, error)) {
        return false;
    }
    if (read->graph == NULL) {
        return weft_fail(error, WEFT_MODEL, 0, "the model has no graph");
    }
    *model = read;
    return true;
}

bool onnx_read_attribute(struct weft_arena *arena, const uint8_t *bytes, size_t length,
                         Onnx__AttributeProto **attribute, struct weft_error *error) {
    ProtobufCAllocator allocator = {allocate, release, arena};
    if (!check_depth(bytes, length, &onnx__attribute_proto__descriptor, error)) {
        return false;
    }
    *attribute = onnx__attribute_proto__unpack(&allocator, length, bytes);
    return *attribute != NULL ||
           weft_fail(error, WEFT_MODEL, 0, "an attribute of a function can not be read");
}
