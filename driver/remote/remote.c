#include "driver/remote/remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "driver/remote/connection.h"
#include "sim/timing/bound.h"
#include "sim/trace/raw.h"

/* ---- what it offers ---- */

/* Letters and the like; lines where `lines` are allowed. */
static bool is_printable(const char *text, bool lines) {
    for (; *text != '\0'; text++) {
        if ((*text < ' ' || *text > '~') && !(lines && *text == '\n')) {
            return false;
        }
    }
    return true;
}

static bool take_device(struct connection *connection, const struct frame *frame,
                        struct weft_remote_device *device, struct weft_error *error) {
    const struct frame_device sent = decode_device(frame->fields);
    char text[sizeof device->configurations] = "";
    if (frame->tail >= sizeof text) {
        return connection_broken(connection, error, "too many configurations");
    }
    if (!connection_take(connection, text, (size_t)frame->tail, error)) {
        return false;
    }
    text[frame->tail] = '\0';
    char *line = strchr(text, '\n');
    if (line != NULL) {
        *line++ = '\0';
    }
    if (strlen(text) >= sizeof device->target || !is_printable(text, false) ||
        (line != NULL && !is_printable(line, true))) {
        return connection_broken(connection, error, "a device without a name");
    }
    *device = (struct weft_remote_device){.in_use = sent.in_use,
                                          .waiting = sent.waiting,
                                          .most_waiting = sent.most_waiting,
                                          .has_key = sent.has_key != 0,
                                          .memory_limit = sent.memory_limit,
                                          .cycle_limit = sent.cycle_limit,
                                          .deadline = sent.deadline,
                                          .lease = sent.lease};
    memcpy(device->target, text, strlen(text) + 1);
    if (line != NULL) {
        memcpy(device->configurations, line, strlen(line) + 1);
    }
    return true;
}

bool weft_remote_device(const struct weft_session_options *options,
                        struct weft_remote_device *device, struct weft_error *error) {
    struct connection connection;
    struct frame frame;
    uint8_t fields[FRAME_LIST_BYTES];
    encode_list(fields, &(struct frame_list){.zero = 0});
    if (!connection_open(options, &connection, error)) {
        return false;
    }
    bool good = connection_send(&connection, FRAME_LIST, fields, NULL, 0, error) &&
                connection_receive(&connection, FRAME_DEVICE, FRAME_DEVICE, &frame, error) &&
                take_device(&connection, &frame, device, error);
    connection_close(&connection);
    return good;
}

/* ---- recordings ---- */

struct weft_remote {
    struct connection connection;
    struct weft_config config;
    struct weft_timing_settings settings;
    uint32_t loaded; /* programs */
};

bool weft_remote_open(const struct weft_session_options *options, const struct weft_config *config,
                      struct weft_remote **remote, struct weft_error *error) {
    struct weft_session_options asked = *options;
    struct weft_remote *made = weft_allocate(1, sizeof *made, "a session", error);
    if (made == NULL) {
        return false;
    }
    made->config = *config;
    made->settings = (struct weft_timing_settings){.memory = options->memory};
    made->connection.channel.socket = -1;
    asked.timing_only = false; /* any target has a cycle model beside it */
    if (!connection_open(&asked, &made->connection, error) ||
        !connection_open_machine(&made->connection, config, &asked, error)) {
        weft_remote_close(made);
        return false;
    }
    *remote = made;
    return true;
}

void weft_remote_close(struct weft_remote *remote) {
    if (remote != NULL) {
        connection_close(&remote->connection);
        free(remote);
    }
}

/* Is the recording one of this program? */
static bool is_about(const struct weft_trace *trace, const uint8_t *instructions, uint64_t length) {
    uint8_t *found = NULL;
    struct weft_error error;
    if (trace->program.count * WEFT_INSTRUCTION_BYTES != length ||
        !weft_program_encode(&trace->program, &found, &error)) {
        return false;
    }
    bool same = memcmp(found, instructions, (size_t)length) == 0;
    free(found);
    return same;
}

/* Takes the recording out of the file that the server made. */
static bool read_trace(struct weft_remote *remote, const struct connection_program *program,
                       const uint8_t *bytes, size_t length, uint64_t memory_limit,
                       struct weft_trace *trace, struct weft_error *error) {
    struct weft_config config;
    struct weft_trace_file file = {0};
    if (!weft_trace_read(bytes, length, memory_limit, &config, &file, error)) {
        return weft_fail_context(error, "server %s", remote->connection.server);
    }
    bool good = file.count == 1 &&
                weft_config_fingerprint(&config) == weft_config_fingerprint(&remote->config) &&
                is_about(&file.segments[0], program->instructions,
                         program->regions->limit[WEFT_REGION_PROGRAM]);
    if (good) {
        *trace = file.segments[0];
        file.segments[0] = (struct weft_trace){0};
        trace->config = remote->config;
        trace->settings = remote->settings;
        trace->settings.regions = *program->regions;
    }
    weft_trace_file_free(&file);
    return good || connection_broken(&remote->connection, error, "a recording of another program");
}

static bool take_trace(struct weft_remote *remote, const struct connection_program *program,
                       uint64_t memory_limit, struct weft_trace *trace, struct weft_error *error) {
    struct frame frame;
    uint8_t fields[FRAME_TRACE_BYTES];
    struct connection *connection = &remote->connection;
    encode_trace(fields, &(struct frame_trace){.number = program->number});
    if (!connection_send(connection, FRAME_TRACE, fields, NULL, 0, error) ||
        !connection_receive(connection, FRAME_TRACED, FRAME_TRACED, &frame, error)) {
        return false;
    }
    uint8_t *bytes = weft_allocate((size_t)frame.tail, 1, "a recording", error);
    bool good = bytes != NULL && connection_take(connection, bytes, (size_t)frame.tail, error) &&
                read_trace(remote, program, bytes, (size_t)frame.tail, memory_limit, trace, error);
    free(bytes);
    return good;
}

bool weft_remote_trace(struct weft_remote *remote, const struct weft_program *program,
                       const struct weft_regions *regions, uint64_t memory_limit,
                       struct weft_trace *trace, struct weft_error *error) {
    uint8_t *instructions = NULL;
    struct weft_timing_settings bound = remote->settings;
    if (!weft_program_encode(program, &instructions, error)) {
        return false;
    }
    const struct connection_program sent = {
        .number = remote->loaded, .regions = regions, .instructions = instructions};
    bool good = connection_load(&remote->connection, &sent, error);
    remote->loaded += good;
    bound.regions = *regions;
    remote->settings.watchdog =
        weft_bound(&remote->config, &bound, program->instructions, program->count);
    good = good && take_trace(remote, &sent, memory_limit, trace, error);
    free(instructions);
    return good;
}
