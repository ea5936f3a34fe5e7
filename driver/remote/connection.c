#include "driver/remote/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "driver/remote/address.h"

enum {
    CONNECT_MILLISECONDS = 10000, /* to get through to the server, */
    SILENCE_MILLISECONDS =
        10000, /* and without a byte of it: it says once a second that it works */
};

static bool at_server(const struct connection *connection, struct weft_error *error) {
    return weft_fail_context(error, "server %s", connection->server);
}

bool connection_broken(struct connection *connection, struct weft_error *error, const char *what) {
    connection->channel.broken = true;
    (void)weft_fail(error, WEFT_PROTOCOL, 0, "%s", what);
    return at_server(connection, error);
}

/* ---- frames ---- */

bool connection_send(struct connection *connection, enum frame_kind kind, const uint8_t *fields,
                     const struct iovec *tail, size_t count, struct weft_error *error) {
    if (frame_send(&connection->channel, kind, fields, tail, count, error)) {
        return true;
    }
    return at_server(connection, error);
}

bool connection_take(struct connection *connection, void *bytes, size_t length,
                     struct weft_error *error) {
    return channel_receive(&connection->channel, bytes, length, error) ||
           at_server(connection, error);
}

/* An ERROR that the server had sent before it went, or the reason why nothing comes. */
static bool receive(struct connection *connection, struct frame *frame, struct weft_error *error) {
    struct weft_error reason;
    connection->channel.deadline = channel_now() + SILENCE_MILLISECONDS;
    if (!frame_receive(&connection->channel, FRAME_SERVER, frame, error)) {
        return at_server(connection, error);
    }
    if (frame->kind != FRAME_ERROR) {
        return true;
    }
    if (frame_receive_error(&connection->channel, frame, &reason, error)) {
        *error = reason;
    }
    return at_server(connection, error);
}

bool connection_receive(struct connection *connection, enum frame_kind expected,
                        enum frame_kind other, struct frame *frame, struct weft_error *error) {
    for (;;) {
        if (!receive(connection, frame, error)) {
            return false;
        }
        if (frame->kind == expected || frame->kind == other) {
            return true;
        }
        if (frame->kind == FRAME_PROGRESS) {
            struct frame_progress progress = decode_progress(frame->fields);
            if (connection->progress != NULL && progress.last != 0) {
                connection->progress(connection->progress_context, progress.cycle, progress.last);
            }
        } else if (frame->kind != FRAME_WAITING) {
            return connection_broken(connection, error, "an answer to another request");
        }
    }
}

/* ---- opening ---- */

static bool greet(struct connection *connection, struct weft_error *error) {
    uint8_t fields[FRAME_HELLO_BYTES];
    struct frame frame;
    encode_hello(fields, &(struct frame_hello){PROTOCOL_MAGIC, PROTOCOL_VERSION});
    if (!connection_send(connection, FRAME_HELLO, fields, NULL, 0, error) ||
        !connection_receive(connection, FRAME_WELCOME, FRAME_WELCOME, &frame, error)) {
        return false;
    }
    struct frame_welcome welcome = decode_welcome(frame.fields);
    if (welcome.magic != PROTOCOL_MAGIC) {
        return connection_broken(connection, error, "this is no server of weft");
    }
    if (welcome.version != PROTOCOL_VERSION) {
        connection->channel.broken = true;
        (void)weft_fail(error, WEFT_VERSION, welcome.version,
                        "it speaks version %" PRIu32 " of the protocol, this client %d",
                        welcome.version, PROTOCOL_VERSION);
        return at_server(connection, error);
    }
    return true;
}

/* Takes the socket over and makes sure who is at its other end. */
static bool secure(int socket, const struct key *key, uint64_t deadline,
                   struct connection *connection, struct weft_error *error) {
    if (!channel_open(&connection->channel, socket, deadline, error)) {
        return at_server(connection, error);
    }
    if (key != NULL && !channel_secure(&connection->channel, key, false, error)) {
        (void)at_server(connection, error);
        channel_close(&connection->channel);
        return false;
    }
    if (!greet(connection, error)) {
        channel_close(&connection->channel);
        return false;
    }
    return true;
}

static void name_server(struct connection *connection, const char *server) {
    (void)snprintf(connection->server, sizeof connection->server, "%s", server);
}

bool connection_attach(int socket, const char *server, struct connection *connection,
                       struct weft_error *error) {
    *connection = (struct connection){.channel.socket = -1};
    name_server(connection, server);
    return secure(socket, NULL, channel_now() + CONNECT_MILLISECONDS, connection, error);
}

bool connection_open(const struct weft_session_options *options, struct connection *connection,
                     struct weft_error *error) {
    uint64_t deadline = channel_now() + CONNECT_MILLISECONDS;
    bool has_key = options->key_file != NULL;
    struct key key;
    int socket = -1;
    *connection = (struct connection){.channel.socket = -1,
                                      .progress = options->progress,
                                      .progress_context = options->progress_context};
    if (options->server == NULL) {
        return weft_fail(error, WEFT_ARGUMENT, 0, "target remote needs the address of a server");
    }
    name_server(connection, options->server);
    if (has_key && !key_read(options->key_file, &key, error)) {
        return false;
    }
    if (!address_connect(options->server, has_key, deadline, &socket, error)) {
        return at_server(connection, error);
    }
    return secure(socket, has_key ? &key : NULL, deadline, connection, error);
}

void connection_close(struct connection *connection) {
    channel_close(&connection->channel);
}

/* ---- a machine and its programs ---- */

bool connection_open_machine(struct connection *connection, const struct weft_config *config,
                             const struct weft_session_options *options, struct weft_error *error) {
    struct weft_text text = {0};
    struct frame frame;
    uint8_t fields[FRAME_OPEN_BYTES];
    encode_open(fields, &(struct frame_open){.timing_only = options->timing_only,
                                             .watchdog = options->watchdog,
                                             .memory_latency = options->memory.latency,
                                             .memory_interval = options->memory.interval,
                                             .memory_dram = options->memory.dram,
                                             .memory_clock = options->memory.clock});
    bool good = weft_config_print(config, &text, error) && weft_text_finish(&text, error);
    if (good) {
        const struct iovec tail = {.iov_base = text.bytes, .iov_len = text.length};
        good = connection_send(connection, FRAME_OPEN, fields, &tail, 1, error) &&
               connection_receive(connection, FRAME_OPENED, FRAME_OPENED, &frame, error);
    }
    connection->is_real = good && decode_opened(frame.fields).is_real != 0;
    weft_text_free(&text);
    return good;
}

/* Sends one part of an image. */
static bool send_part(struct connection *connection, uint32_t number, const uint8_t *bytes,
                      uint64_t length, struct weft_error *error) {
    uint8_t fields[FRAME_IMAGE_BYTES];
    encode_image(fields, &(struct frame_image){.number = number});
    while (length > 0) {
        size_t sent = (size_t)(length < FRAME_IMAGE_TAIL ? length : FRAME_IMAGE_TAIL);
        const struct iovec tail = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = sent};
        if (!connection_send(connection, FRAME_IMAGE, fields, &tail, 1, error)) {
            return false;
        }
        bytes += sent;
        length -= sent;
    }
    return true;
}

static void hash_program(const struct connection_program *program, struct frame_load *load) {
    struct weft_sha256 hash;
    weft_sha256_start(&hash);
    weft_sha256_add(&hash, program->instructions, (size_t)load->program_bytes);
    weft_sha256_add(&hash, program->constants, (size_t)load->constant_bytes);
    weft_sha256_end(&hash, load->hash);
}

bool connection_load(struct connection *connection, const struct connection_program *program,
                     struct weft_error *error) {
    const uint64_t *limits = program->regions->limit;
    struct frame frame;
    uint8_t fields[FRAME_LOAD_BYTES];
    struct frame_load load = {.number = program->number,
                              .writable = program->regions->writable,
                              .program_bytes = limits[WEFT_REGION_PROGRAM],
                              .constant_bytes =
                                  program->constants == NULL ? 0 : limits[WEFT_REGION_CONSTANTS]};
    memcpy(load.limits, limits, sizeof load.limits);
    hash_program(program, &load);
    encode_load(fields, &load);
    if (!connection_send(connection, FRAME_LOAD, fields, NULL, 0, error) ||
        !connection_receive(connection, FRAME_WANTED, FRAME_WANTED, &frame, error)) {
        return false;
    }
    uint64_t wanted = decode_wanted(frame.fields).bytes;
    if (wanted != 0 && wanted != load.program_bytes + load.constant_bytes) {
        return connection_broken(connection, error, "it wants a part of a program");
    }
    bool sent =
        wanted == 0 ||
        (send_part(connection, load.number, program->instructions, load.program_bytes, error) &&
         send_part(connection, load.number, program->constants, load.constant_bytes, error));
    return sent && connection_receive(connection, FRAME_LOADED, FRAME_LOADED, &frame, error);
}
