/* Frames between a client and a server: driver/remote/protocol.def as C.
 *
 * Whoever reads a frame says which side it comes from, and gets its header and its fields only when
 * number and length are those of a frame of that side; the tail, of which nothing has been read or
 * allocated by then, is for the caller to receive. */
#ifndef WEFT_DRIVER_REMOTE_PROTOCOL_H
#define WEFT_DRIVER_REMOTE_PROTOCOL_H

#include <sys/uio.h>

#include "driver/remote/channel.h"

#define PROTOCOL_VERSION 2
#define PROTOCOL_MAGIC   0x54464557u /* "WEFT" */

enum {
    FRAME_HEADER_BYTES = 16,
    FRAME_MOST_FIELDS = 128,                   /* bytes of the fields of any frame */
    FRAME_MOST_PARTS = CHANNEL_MOST_PARTS - 1, /* of a tail */
};

/* Bits of RUN's flags. */
enum {
    RUN_TIMING_ONLY = 1,
    RUN_FINISHES = 2, /* tell when instructions finished */
};

enum frame_sender {
    FRAME_CLIENT,
    FRAME_SERVER,
};

enum frame_kind {
#define WEFT_FRAME(NAME, name, number, sender, tail) FRAME_##NAME = (number),
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"
};

/* The fields as bytes: struct frame_hello_bytes and so on. */
#define WEFT_FRAME(NAME, name, number, sender, tail) struct frame_##name##_bytes {
#define WEFT_U32(field)                              uint8_t field[4];
#define WEFT_U64(field)                              uint8_t field[8];
#define WEFT_U64S(field, count)                      uint8_t field[8 * (count)];
#define WEFT_BYTES(field, count)                     uint8_t field[count];
#define WEFT_END(NAME, name)                                                                       \
    }                                                                                              \
    ;
#include "driver/remote/protocol.def"

/* How many they are: FRAME_HELLO_BYTES and so on. */
enum {
#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    FRAME_##NAME##_BYTES = sizeof(struct frame_##name##_bytes),
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"
};

/* The most bytes behind the fields: FRAME_HELLO_TAIL and so on. */
#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    static const uint64_t FRAME_##NAME##_TAIL = (tail);
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"

/* The fields: struct frame_hello and so on. */
#define WEFT_FRAME(NAME, name, number, sender, tail) struct frame_##name {
#define WEFT_U32(field)                              uint32_t field;
#define WEFT_U64(field)                              uint64_t field;
#define WEFT_U64S(field, count)                      uint64_t field[count];
#define WEFT_BYTES(field, count)                     uint8_t field[count];
#define WEFT_END(NAME, name)                                                                       \
    }                                                                                              \
    ;
#include "driver/remote/protocol.def"

/* encode_hello() and so on write the fields, decode_hello() and so on read them. */
#define WEFT_FRAME(NAME, name, number, sender, tail)                                               \
    void encode_##name(uint8_t *to, const struct frame_##name *fields);                            \
    struct frame_##name decode_##name(const uint8_t *from);
#define WEFT_U32(field)
#define WEFT_U64(field)
#define WEFT_U64S(field, count)
#define WEFT_BYTES(field, count)
#define WEFT_END(NAME, name)
#include "driver/remote/protocol.def"

/* A frame that was begun: what comes next on the channel are `tail` bytes. */
struct frame {
    enum frame_kind kind;
    uint64_t tail;
    uint8_t fields[FRAME_MOST_FIELDS];
};

/* "HELLO" and so on; "unknown". */
const char *frame_name(uint32_t number);

/* Reads the 16 bytes of a header. Error: WEFT_PROTOCOL: no frame of that side, or none that is so
 * long; position = the number of the frame. */
bool frame_header_read(const uint8_t bytes[FRAME_HEADER_BYTES], enum frame_sender sender,
                       struct frame *frame, struct weft_error *error);

/* Receives header and fields. Waits for the first byte until channel->deadline; the others must
 * follow within seconds, those of a tail too: channel->deadline is set to when. Errors:
 * WEFT_PROTOCOL, those of channel_receive(). */
bool frame_receive(struct channel *channel, enum frame_sender sender, struct frame *frame,
                   struct weft_error *error);

/* Fails because of a frame that breaks the rules: `expected` says which. Where the next one begins
 * is not known, so the channel is of no more use. Returns false. */
bool frame_broken(struct channel *channel, const struct frame *frame, const char *expected,
                  struct weft_error *error);

/* Sends a frame: fields as encoded, then the parts of the tail, at most FRAME_MOST_PARTS. Sets
 * channel->deadline to when it must be gone. Errors: those of channel_send(). */
bool frame_send(struct channel *channel, enum frame_kind kind, const uint8_t *fields,
                const struct iovec *tail, size_t count, struct weft_error *error);

/* The bytes of a frame without a tail: header and fields. Returns their number. */
size_t frame_write(uint8_t to[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS], enum frame_kind kind,
                   const uint8_t *fields, uint64_t tail);

/* Sends an error: ERROR. */
bool frame_send_error(struct channel *channel, const struct weft_error *reason,
                      struct weft_error *error);

/* Receives the rest of an ERROR and fills *reason with it. Errors: WEFT_PROTOCOL, those of
 * channel_receive(). */
bool frame_receive_error(struct channel *channel, const struct frame *frame,
                         struct weft_error *reason, struct weft_error *error);

#endif
