#include "driver/remote/protocol.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"

/* ---- fields ---- */

#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    void encode_##name(uint8_t *to, const struct frame_##name *fields) {
#define WEFT_U32(field)                                                                            \
    weft_write_u32(to, fields->field);                                                             \
    to += 4;
#define WEFT_U64(field)                                                                            \
    weft_write_u64(to, fields->field);                                                             \
    to += 8;
#define WEFT_U64S(field, count)                                                                    \
    for (size_t i = 0; i < (count); i++, to += 8) {                                                \
        weft_write_u64(to, fields->field[i]);                                                      \
    }
#define WEFT_BYTES(field, count)                                                                   \
    memcpy(to, fields->field, count);                                                              \
    to += (count);
#define WEFT_END(NAME, name)                                                                       \
    (void)to;                                                                                      \
    }
#include "driver/remote/protocol.def"

#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    struct frame_##name decode_##name(const uint8_t *from) {                                       \
        struct frame_##name fields;
#define WEFT_U32(field)                                                                            \
    fields.field = weft_read_u32(from);                                                            \
    from += 4;
#define WEFT_U64(field)                                                                            \
    fields.field = weft_read_u64(from);                                                            \
    from += 8;
#define WEFT_U64S(field, count)                                                                    \
    for (size_t i = 0; i < (count); i++, from += 8) {                                              \
        fields.field[i] = weft_read_u64(from);                                                     \
    }
#define WEFT_BYTES(field, count)                                                                   \
    memcpy(fields.field, from, count);                                                             \
    from += (count);
#define WEFT_END(NAME, name)                                                                       \
    (void)from;                                                                                    \
    return fields;                                                                                 \
    }
#include "driver/remote/protocol.def"

/* ---- the table ---- */

struct kind {
    const char *name;
    uint32_t number;
    enum frame_sender sender;
    uint32_t fields; /* bytes */
    uint64_t tail;   /* bytes at most */
};

static const struct kind kinds[] = {
#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    {#NAME, number, FRAME_##sender, FRAME_##NAME##_BYTES, tail},
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"
};

#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    _Static_assert((int)FRAME_##NAME##_BYTES <= (int)FRAME_MOST_FIELDS,                            \
                   #NAME " has too many fields");
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"

static const struct kind *find(uint32_t number) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].number == number) {
            return &kinds[i];
        }
    }
    return NULL;
}

const char *frame_name(uint32_t number) {
    const struct kind *kind = find(number);
    return kind == NULL ? "unknown" : kind->name;
}

/* ---- receiving ---- */

enum {
    FRAME_MILLISECONDS = 10000,    /* in which a frame that has begun must be there, */
    SLOWEST_BYTES_A_SECOND = 65536 /* and these for each byte of its tail */
};

static uint64_t deadline_of(uint64_t tail) {
    return channel_now() + FRAME_MILLISECONDS + tail / SLOWEST_BYTES_A_SECOND * 1000;
}

bool frame_header_read(const uint8_t bytes[FRAME_HEADER_BYTES], enum frame_sender sender,
                       struct frame *frame, struct weft_error *error) {
    uint32_t number = weft_read_u32(bytes);
    uint64_t length = weft_read_u64(bytes + 8);
    const struct kind *kind = find(number);
    if (kind == NULL || kind->sender != sender || weft_read_u32(bytes + 4) != 0) {
        return weft_fail(error, WEFT_PROTOCOL, number,
                         "expected a frame of the %s, found number %" PRIu32,
                         sender == FRAME_CLIENT ? "client" : "server", number);
    }
    if (length < kind->fields || length - kind->fields > kind->tail) {
        return weft_fail(error, WEFT_PROTOCOL, number,
                         "a frame %s of %" PRIu64 " bytes; it has %" PRIu32 " to %" PRIu64,
                         kind->name, length, kind->fields, kind->fields + kind->tail);
    }
    frame->kind = (enum frame_kind)number;
    frame->tail = length - kind->fields;
    return true;
}

bool frame_receive(struct channel *channel, enum frame_sender sender, struct frame *frame,
                   struct weft_error *error) {
    uint8_t header[FRAME_HEADER_BYTES];
    if (!channel_receive_start(channel, header, sizeof header, FRAME_MILLISECONDS, error)) {
        return false;
    }
    if (!frame_header_read(header, sender, frame, error)) {
        channel->broken = true; /* where the next frame begins is not known */
        return false;
    }
    channel->deadline = deadline_of(frame->tail);
    return channel_receive(channel, frame->fields, find(frame->kind)->fields, error);
}

bool frame_broken(struct channel *channel, const struct frame *frame, const char *expected,
                  struct weft_error *error) {
    channel->broken = true;
    return weft_fail(error, WEFT_PROTOCOL, frame->kind, "a frame %s; %s", frame_name(frame->kind),
                     expected);
}

bool frame_receive_error(struct channel *channel, const struct frame *frame,
                         struct weft_error *reason, struct weft_error *error) {
    char text[641]; /* as protocol.def says, and a NUL */
    if (!channel_receive(channel, text, (size_t)frame->tail, error)) {
        return false;
    }
    text[frame->tail] = '\0';
    char *space = strchr(text, ' ');
    if (space != NULL) {
        *space = '\0';
        for (unsigned code = 1; code < WEFT_ERROR_CODES; code++) {
            if (strcmp(weft_error_name((enum weft_error_code)code), text) == 0) {
                weft_error_set(reason, (enum weft_error_code)code,
                               decode_error(frame->fields).position, "%s", space + 1);
                return true;
            }
        }
    }
    channel->broken = true;
    return weft_fail(error, WEFT_PROTOCOL, 0, "an error without a name that is known");
}

/* ---- sending ---- */

size_t frame_write(uint8_t to[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS], enum frame_kind kind,
                   const uint8_t *fields, uint64_t tail) {
    uint32_t length = find(kind)->fields;
    weft_write_u32(to, kind);
    weft_write_u32(to + 4, 0);
    weft_write_u64(to + 8, length + tail);
    memcpy(to + FRAME_HEADER_BYTES, fields, length);
    return FRAME_HEADER_BYTES + length;
}

bool frame_send(struct channel *channel, enum frame_kind kind, const uint8_t *fields,
                const struct iovec *tail, size_t count, struct weft_error *error) {
    uint8_t head[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS];
    struct iovec parts[1 + FRAME_MOST_PARTS] = {{.iov_base = head}};
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++) {
        parts[i + 1] = tail[i];
        length += tail[i].iov_len;
    }
    parts[0].iov_len = frame_write(head, kind, fields, length);
    channel->deadline = deadline_of(length);
    return channel_send(channel, parts, count + 1, error);
}

bool frame_send_error(struct channel *channel, const struct weft_error *reason,
                      struct weft_error *error) {
    uint8_t fields[FRAME_ERROR_BYTES];
    const char *name = weft_error_name(reason->code);
    const struct iovec tail[] = {
        {.iov_base = (void *)(uintptr_t)name, .iov_len = strlen(name)},
        {.iov_base = (void *)(uintptr_t) " ", .iov_len = 1},
        {.iov_base = (void *)(uintptr_t)reason->message, .iov_len = strlen(reason->message)}};
    encode_error(fields, &(struct frame_error){.position = reason->position});
    return frame_send(channel, FRAME_ERROR, fields, tail, 3, error);
}
