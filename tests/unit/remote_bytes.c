#include "tests/unit/remote_bytes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "driver/remote/client.h"
#include "driver/remote/serving.h"

static const char source[] = "load act_banks=0 memory=act region=3 run=32 signal=store\n"
                             "store wait=load act_banks=0 region=4 run=16\n"
                             "halt\n";

enum {
    SOCKET_BYTES = 1 << 21, /* that a socket takes without anybody who reads */
};

static void check(bool good) {
    if (!good) {
        abort();
    }
}

struct remote_program *remote_program_new(void) {
    struct weft_error error;
    struct remote_program *made = calloc(1, sizeof *made);
    check(made != NULL && weft_config_find("small8", &made->config, &error) &&
          weft_assemble(source, strlen(source), &made->program, &error) &&
          weft_program_encode(&made->program, &made->encoded, &error));
    made->options = weft_session_defaults();
    for (size_t i = 0; i < sizeof made->inputs; i++) {
        made->inputs[i] = (uint8_t)(i * 3 + 1);
    }
    made->run = (struct target_run){
        .instructions = made->program.instructions,
        .count = made->program.count,
        .regions = {.limit = {[WEFT_REGION_PROGRAM] = made->program.count * WEFT_INSTRUCTION_BYTES,
                              [WEFT_REGION_INPUTS] = REMOTE_INPUTS,
                              [WEFT_REGION_OUTPUTS] = REMOTE_OUTPUTS},
                    .writable = 1U << WEFT_REGION_OUTPUTS},
        .options = &made->options,
        .given = 1U << WEFT_REGION_INPUTS,
        .wanted = 1U << WEFT_REGION_OUTPUTS};
    made->run.bytes[WEFT_REGION_PROGRAM] = made->encoded;
    made->run.bytes[WEFT_REGION_INPUTS] = made->inputs;
    made->run.bytes[WEFT_REGION_OUTPUTS] = made->outputs;
    return made;
}

void remote_program_free(struct remote_program *made) {
    weft_program_free(&made->program);
    free(made->encoded);
    free(made);
}

/* ---- bytes ---- */

void remote_bytes_add(struct weft_text *bytes, enum frame_kind kind, const uint8_t *fields,
                      const void *tail, size_t length) {
    uint8_t head[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS];
    size_t written = frame_write(head, kind, fields, length);
    weft_text_add_bytes(bytes, (const char *)head, written);
    if (length > 0) {
        weft_text_add_bytes(bytes, tail, length);
    }
}

#define ADD(bytes, NAME, name, tail, length, ...)                                                  \
    do {                                                                                           \
        uint8_t added[FRAME_##NAME##_BYTES];                                                       \
        encode_##name(added, &(struct frame_##name){__VA_ARGS__});                                 \
        remote_bytes_add(bytes, FRAME_##NAME, added, tail, length);                                \
    } while (0)

static struct frame_load load_of(const struct remote_program *made) {
    struct weft_sha256 hash;
    struct frame_load load = {.writable = made->run.regions.writable,
                              .program_bytes = made->run.regions.limit[WEFT_REGION_PROGRAM]};
    memcpy(load.limits, made->run.regions.limit, sizeof load.limits);
    weft_sha256_start(&hash);
    weft_sha256_add(&hash, made->encoded, (size_t)load.program_bytes);
    weft_sha256_end(&hash, load.hash);
    return load;
}

void remote_bytes_of_client(const struct remote_program *made, struct weft_text *bytes) {
    struct weft_text config = {0};
    struct weft_error error;
    uint8_t fields[FRAME_LOAD_BYTES];
    const struct frame_load load = load_of(made);
    check(weft_config_print(&made->config, &config, &error));
    ADD(bytes, HELLO, hello, NULL, 0, PROTOCOL_MAGIC, PROTOCOL_VERSION);
    ADD(bytes, LIST, list, NULL, 0, .zero = 0);
    ADD(bytes, OPEN, open, config.bytes, config.length, .timing_only = 0);
    encode_load(fields, &load);
    remote_bytes_add(bytes, FRAME_LOAD, fields, NULL, 0);
    ADD(bytes, IMAGE, image, made->encoded, 64, .number = 0);
    ADD(bytes, IMAGE, image, made->encoded + 64, (size_t)load.program_bytes - 64, .number = 0);
    ADD(bytes, RUN, run, made->inputs, REMOTE_INPUTS, .given = made->run.given,
        .wanted = made->run.wanted, .flags = RUN_FINISHES);
    ADD(bytes, READ, read, NULL, 0, .memories = 1U << WEFT_MEMORY_LUT);
    ADD(bytes, TRACE, trace, NULL, 0, .number = 0);
    weft_text_free(&config);
}

void remote_bytes_of_server(const struct remote_program *made, struct weft_text *bytes) {
    uint8_t tail[8 * WEFT_COUNTERS + REMOTE_OUTPUTS] = {0};
    size_t lut = weft_memory_bytes(&made->config, WEFT_MEMORY_LUT);
    uint8_t *memory = calloc(1, lut);
    check(memory != NULL);
    for (size_t i = 0; i < REMOTE_OUTPUTS; i++) {
        tail[8 * WEFT_COUNTERS + i] = made->inputs[i];
    }
    ADD(bytes, WELCOME, welcome, NULL, 0, PROTOCOL_MAGIC, PROTOCOL_VERSION);
    ADD(bytes, WAITING, waiting, NULL, 0, .before = 2);
    ADD(bytes, OPENED, opened, NULL, 0, .is_real = 0);
    ADD(bytes, WANTED, wanted, NULL, 0, .bytes = 64 * made->program.count);
    ADD(bytes, LOADED, loaded, NULL, 0, .number = 0);
    for (int run = 0; run < 2; run++) {
        ADD(bytes, PROGRESS, progress, NULL, 0, .cycle = 5, .last = 7);
        ADD(bytes, RESULT, result, tail, sizeof tail, .regions = made->run.wanted);
    }
    ADD(bytes, MEMORY, memory, memory, lut, .memories = 1U << WEFT_MEMORY_LUT);
    free(memory);
}

/* ---- both sides in this process ---- */

/* A socket at whose other end these bytes are, and then the end. */
static int socket_with(const void *bytes, size_t length, int *other) {
    int pair[2];
    int room = SOCKET_BYTES;
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < 2; i++) {
        (void)setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    }
    const uint8_t *next = bytes;
    while (length > 0) {
        ssize_t sent = send(pair[1], next, length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent <= 0) {
            break; /* more than a socket takes: the rest is as good as cut off */
        }
        next += sent;
        length -= (size_t)sent;
    }
    check(shutdown(pair[1], SHUT_WR) == 0);
    *other = pair[1];
    return pair[0];
}

/* Reads what the other side says, so that it never has to wait. */
struct reader {
    int socket;
    struct weft_text *answers; /* NULL: nobody wants them */
    pthread_t thread;
};

static void *read_all(void *context) {
    const struct reader *reader = context;
    static _Thread_local char bytes[65536];
    ssize_t got = 0;
    while ((got = recv(reader->socket, bytes, sizeof bytes, 0)) > 0) {
        if (reader->answers != NULL) {
            weft_text_add_bytes(reader->answers, bytes, (size_t)got);
        }
    }
    return NULL;
}

static void start_reader(struct reader *reader) {
    check(pthread_create(&reader->thread, NULL, read_all, reader) == 0);
}

/* The other side has closed its end. */
static void end_reader(struct reader *reader) {
    check(pthread_join(reader->thread, NULL) == 0);
    (void)close(reader->socket);
}

static bool take_device(void *context, struct weft_error *error) {
    (void)context;
    (void)error;
    return true;
}

static int find_image(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length) {
    (void)context;
    (void)hash;
    (void)length;
    return -1;
}

static void keep_image(void *context, const uint8_t hash[WEFT_SHA256_BYTES], size_t length,
                       int file) {
    (void)context;
    (void)hash;
    (void)length;
    (void)file;
}

static void describe(void *context, struct frame_device *device) {
    (void)context;
    device->in_use = 1;
}

struct weft_error remote_bytes_serve(const void *bytes, size_t length, struct weft_text *answers) {
    enum {
        CYCLES = 100000,
        BYTES = 1 << 24,
    };
    static const struct serving_host host = {.take_device = take_device,
                                             .find_image = find_image,
                                             .keep_image = keep_image,
                                             .describe = describe};
    struct weft_error error;
    struct channel channel;
    struct serving_state state = {false};
    struct reader reader = {.answers = answers};
    check(channel_open(&channel, socket_with(bytes, length, &reader.socket), CHANNEL_FOREVER,
                       &error));
    start_reader(&reader);
    struct serving serving = {.channel = &channel,
                              .host = &host,
                              .target = &target_cycle,
                              .configurations = "",
                              .memory_limit = BYTES,
                              .cycle_limit = CYCLES,
                              .state = &state};
    check(!serving_run(&serving, &error));
    serving_free(&serving);
    channel_close(&channel);
    end_reader(&reader);
    return error;
}

static void note(void *context, uint32_t number, uint64_t cycle) {
    const struct remote_program *made = context;
    (void)cycle;
    check(number < made->program.count);
}

static bool run_and_read(struct remote_program *made, void *machine, struct weft_error *error) {
    struct weft_run_result result;
    const struct weft_observer observer = {.context = made, .finished = note};
    void *memories[WEFT_MEMORIES] = {NULL};
    memories[WEFT_MEMORY_LUT] = malloc(weft_memory_bytes(&made->config, WEFT_MEMORY_LUT));
    check(memories[WEFT_MEMORY_LUT] != NULL);
    made->run.observer = &observer;
    bool good = target_remote.run(machine, &made->run, &result, error) &&
                target_remote.run(machine, &made->run, &result, error) &&
                target_remote.read_memories(machine, memories, error);
    free(memories[WEFT_MEMORY_LUT]);
    return good;
}

bool remote_bytes_be_client(struct remote_program *made, const void *bytes, size_t length,
                            struct weft_error *error) {
    struct reader reader = {.answers = NULL};
    void *machine = NULL;
    int mine = socket_with(bytes, length, &reader.socket);
    start_reader(&reader);
    bool good = client_attach(mine, &made->config, &made->options, &machine, error);
    if (good) {
        good = run_and_read(made, machine, error);
        target_remote.close(machine);
    }
    end_reader(&reader);
    return good;
}
