#include "driver/remote/serving.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/remote/serving_run.h"
#include "driver/targets.h"

enum {
    MOST_PROGRAMS = 4096,
};

/* ---- answers ---- */

/* Sends an answer without a tail. */
#define ANSWER(serving, NAME, name, ...)                                                           \
    answer_##name(serving, &(struct frame_##name){__VA_ARGS__}, error)
#define DEFINE_ANSWER(NAME, name)                                                                  \
    static bool answer_##name(struct serving *serving, const struct frame_##name *answer,          \
                              struct weft_error *error) {                                          \
        uint8_t fields[FRAME_##NAME##_BYTES];                                                      \
        encode_##name(fields, answer);                                                             \
        return frame_send(serving->channel, FRAME_##NAME, fields, NULL, 0, error);                 \
    }
DEFINE_ANSWER(WELCOME, welcome)
DEFINE_ANSWER(OPENED, opened)
DEFINE_ANSWER(WANTED, wanted)
DEFINE_ANSWER(LOADED, loaded)

/* A request of which nothing is left to be received. */
static bool take_whole(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    return frame->tail == 0 ||
           frame_broken(serving->channel, frame, "expected no bytes behind its fields", error);
}

/* ---- HELLO, LIST ---- */

static bool serve_hello(struct serving *serving, const struct frame *frame,
                        struct weft_error *error) {
    struct frame_hello hello = decode_hello(frame->fields);
    if (serving->is_greeted || hello.magic != PROTOCOL_MAGIC) {
        return frame_broken(serving->channel, frame, "expected it once, with the bytes WEFT",
                            error);
    }
    if (hello.version != PROTOCOL_VERSION) {
        return weft_fail(error, WEFT_VERSION, hello.version,
                         "the client speaks version %" PRIu32 " of the protocol, this server %d",
                         hello.version, PROTOCOL_VERSION);
    }
    serving->is_greeted = true;
    return ANSWER(serving, WELCOME, welcome, .magic = PROTOCOL_MAGIC, .version = PROTOCOL_VERSION);
}

static bool serve_list(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    if (decode_list(frame->fields).zero != 0) {
        return frame_broken(serving->channel, frame, "expected its field as 0", error);
    }
    uint8_t fields[FRAME_DEVICE_BYTES];
    struct frame_device device = {.memory_limit = serving->memory_limit,
                                  .cycle_limit = serving->cycle_limit};
    serving->host->describe(serving->host->context, &device);
    encode_device(fields, &device);
    const char *name = serving->target->name;
    const struct iovec tail[] = {
        {.iov_base = (void *)(uintptr_t)name, .iov_len = strlen(name)},
        {.iov_base = (void *)(uintptr_t)serving->configurations,
         .iov_len = strlen(serving->configurations)},
    };
    return frame_send(serving->channel, FRAME_DEVICE, fields, tail, 2, error);
}

/* ---- OPEN ---- */

static bool check_options(const struct serving *serving, const struct frame_open *open,
                          struct weft_error *error) {
    if (open->memory_latency > WEFT_SLOWEST_MEMORY || open->memory_interval > WEFT_SLOWEST_MEMORY) {
        return weft_fail(error, WEFT_ARGUMENT, 0,
                         "external memory of %" PRIu64 " cycles of latency and %" PRIu64
                         " from beat to beat; at most %d are possible",
                         open->memory_latency, open->memory_interval, WEFT_SLOWEST_MEMORY);
    }
    return target_check(serving->target, &serving->options, error);
}

static void note_progress(void *context, uint64_t cycle, uint64_t last) {
    struct serving *serving = context;
    atomic_store_explicit(&serving->state->cycle, cycle, memory_order_relaxed);
    atomic_store_explicit(&serving->state->last, last, memory_order_relaxed);
}

static bool make_machine(struct serving *serving, struct weft_error *error) {
    atomic_store(&serving->state->is_working, true);
    return serving->target->open(&serving->config, &serving->options, &serving->machine, error);
}

static bool open_machine(struct serving *serving, const struct frame_open *open,
                         struct weft_error *error) {
    serving->options = weft_session_defaults();
    serving->options.timing_only = open->timing_only != 0;
    serving->options.watchdog = open->watchdog;
    serving->options.memory = (struct weft_memory_settings){
        .latency = open->memory_latency,
        .interval = open->memory_interval,
        .dram = (enum weft_dram)open->memory_dram,
        .clock = open->memory_clock,
    };
    serving->options.lockstep = &serving->report;
    serving->options.progress = note_progress;
    serving->options.progress_context = serving;
    return check_options(serving, open, error) &&
           serving->host->take_device(serving->host->context, error) &&
           make_machine(serving, error);
}

static bool serve_open(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    const struct frame_open open = decode_open(frame->fields);
    if (serving->machine != NULL) {
        return frame_broken(serving->channel, frame, "a session has one machine", error);
    }
    if (open.timing_only > 1 || open.zero != 0) {
        return frame_broken(serving->channel, frame, "expected 0 or 1 first, and 0 behind it",
                            error);
    }
    char *text = weft_allocate((size_t)frame->tail + 1, 1, "a configuration", error);
    bool good = text != NULL &&
                channel_receive(serving->channel, text, (size_t)frame->tail, error) &&
                weft_config_parse(text, (size_t)frame->tail, &serving->config, error) &&
                open_machine(serving, &open, error);
    free(text);
    return good && ANSWER(serving, OPENED, opened,
                          .is_real = target_is_real(serving->target, serving->machine));
}

/* ---- LOAD ---- */

/* The image as others of this server left it, or all of it from the client. */
static bool receive_image(struct serving *serving, struct image *image, struct weft_error *error) {
    size_t got = 0;
    while (got < image->length) {
        struct frame frame;
        serving->channel->deadline = CHANNEL_FOREVER;
        if (!frame_receive(serving->channel, FRAME_CLIENT, &frame, error)) {
            return false;
        }
        if (frame.kind != FRAME_IMAGE || frame.tail == 0 || frame.tail > image->length - got) {
            return frame_broken(serving->channel, &frame,
                                "expected the next bytes of an image, and no more", error);
        }
        if (!channel_receive(serving->channel, image->bytes + got, (size_t)frame.tail, error)) {
            return false;
        }
        got += (size_t)frame.tail;
        atomic_store(&serving->state->heard, channel_now());
    }
    return true;
}

static bool new_image(struct serving *serving, const struct frame_load *load, size_t length,
                      struct image *image, struct weft_error *error) {
    if (!image_create(length, image, error)) {
        return false;
    }
    atomic_store(&serving->state->is_working, false);
    bool good =
        ANSWER(serving, WANTED, wanted, .bytes = length) && receive_image(serving, image, error);
    atomic_store(&serving->state->is_working, true);
    if (good && !image_matches(image, load->hash)) {
        good =
            weft_fail(error, WEFT_PROTOCOL, load->number,
                      "the image of program %" PRIu32 " is not what its hash says", load->number);
    }
    if (!good) {
        image_free(image);
        return false;
    }
    return image_seal(image, error);
}

/* Nobody is trusted, other sessions neither: what they left must be what the hash says. */
static bool kept_image(struct serving *serving, const struct frame_load *load, size_t length,
                       struct image *image) {
    struct weft_error error;
    int file = serving->host->find_image(serving->host->context, load->hash, length);
    if (file < 0 || !image_open(file, length, image, &error)) {
        return false;
    }
    if (!image_matches(image, load->hash)) {
        image_free(image);
        return false;
    }
    return true;
}

static bool get_image(struct serving *serving, const struct frame_load *load, struct image *image,
                      struct weft_error *error) {
    size_t length = (size_t)(load->program_bytes + load->constant_bytes);
    if (kept_image(serving, load, length, image)) {
        return ANSWER(serving, WANTED, wanted, .bytes = 0);
    }
    if (!new_image(serving, load, length, image, error)) {
        return false;
    }
    serving->host->keep_image(serving->host->context, load->hash, length, image->file);
    return true;
}

static bool check_load(struct serving *serving, const struct frame *frame,
                       const struct frame_load *load, uint64_t *memory, struct weft_error *error) {
    uint64_t left = serving->memory_limit - serving->memory;
    if (serving->machine == NULL) {
        return frame_broken(serving->channel, frame, "expected OPEN before it", error);
    }
    if (load->number != serving->program_count || load->number >= MOST_PROGRAMS) {
        return weft_fail(error, WEFT_ARGUMENT, load->number,
                         "program %" PRIu32 " of a session; expected %zu, the next one, of at most "
                         "%d",
                         load->number, serving->program_count, MOST_PROGRAMS);
    }
    if (!served_program_check(load, memory, error)) {
        return false;
    }
    return *memory <= left || weft_limit_passed(error, "a session on this server",
                                                serving->memory + *memory, serving->memory_limit);
}

static bool add_program(struct serving *serving, const struct frame_load *load,
                        struct weft_error *error) {
    struct image image = IMAGE_NONE;
    const struct weft_timing_settings settings = {.memory = serving->options.memory};
    void *programs = serving->programs;
    if (!weft_reserve(&programs, &serving->program_capacity, serving->program_count + 1,
                      sizeof *serving->programs, "programs of a session", error)) {
        return false;
    }
    serving->programs = programs;
    return get_image(serving, load, &image, error) &&
           served_program_make(load, &image, &serving->config, &settings, serving->cycle_limit,
                               !serving->options.timing_only,
                               &serving->programs[serving->program_count], error);
}

static bool serve_load(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    const struct frame_load load = decode_load(frame->fields);
    uint64_t memory = 0;
    atomic_store(&serving->state->is_working, true);
    if (!check_load(serving, frame, &load, &memory, error) || !add_program(serving, &load, error)) {
        return false;
    }
    serving->memory += memory;
    serving->program_count++;
    return ANSWER(serving, LOADED, loaded, .number = load.number);
}

/* ---- the session ---- */

static bool serve_frame(struct serving *serving, const struct frame *frame,
                        struct weft_error *error) {
    bool has_tail = frame->kind == FRAME_OPEN || frame->kind == FRAME_RUN;
    if (!serving->is_greeted && frame->kind != FRAME_HELLO) {
        return frame_broken(serving->channel, frame, "expected HELLO first", error);
    }
    if (!has_tail && !take_whole(serving, frame, error)) {
        return false;
    }
    switch (frame->kind) {
    case FRAME_HELLO:
        return serve_hello(serving, frame, error);
    case FRAME_LIST:
        return serve_list(serving, frame, error);
    case FRAME_OPEN:
        return serve_open(serving, frame, error);
    case FRAME_LOAD:
        return serve_load(serving, frame, error);
    case FRAME_RUN:
        return serve_run(serving, frame, error);
    case FRAME_READ:
        return serve_read(serving, frame, error);
    case FRAME_TRACE:
        return serve_trace(serving, frame, error);
    default:
        return frame_broken(serving->channel, frame, "the server asked for none", error);
    }
}

/* Errors after which nothing more is said to this client. */
static bool ends_session(const struct serving *serving, const struct weft_error *error) {
    return !serving->is_greeted || serving->channel->broken || error->code == WEFT_PROTOCOL ||
           error->code == WEFT_BUSY || error->code == WEFT_TIMEOUT || error->code == WEFT_LOST;
}

bool serving_run(struct serving *serving, struct weft_error *error) {
    for (;;) {
        struct frame frame;
        struct weft_error unsent;
        bool good = frame_receive(serving->channel, FRAME_CLIENT, &frame, error) &&
                    serve_frame(serving, &frame, error);
        atomic_store(&serving->state->is_working, false);
        if (!good) {
            bool ends = ends_session(serving, error);
            bool gone = error->code == WEFT_LOST;
            serving->channel->broken = gone;
            if ((!gone && !frame_send_error(serving->channel, error, &unsent)) || ends) {
                return false;
            }
        }
        atomic_store(&serving->state->heard, channel_now());
        serving->channel->deadline = CHANNEL_FOREVER;
    }
}

void serving_free(struct serving *serving) {
    for (size_t i = 0; i < serving->program_count; i++) {
        served_program_free(&serving->programs[i]);
    }
    free(serving->programs);
    if (serving->machine != NULL) {
        serving->target->close(serving->machine);
    }
    if (serving->timing_machine != NULL) {
        target_cycle.close(serving->timing_machine);
    }
    weft_lockstep_report_free(&serving->report);
}
