#include "driver/remote/serving.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/remote/served_program.h"
#include "driver/targets.h"
#include "sim/trace/raw.h"

enum {
    MOST_PROGRAMS = 4096,
    COUNTERS_BYTES = 8 * WEFT_COUNTERS,
    ALL_MEMORIES = (1 << WEFT_MEMORIES) - 1,
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

static bool broken(struct serving *serving, const struct frame *frame, const char *expected,
                   struct weft_error *error) {
    serving->channel->broken = true;
    return weft_fail(error, WEFT_PROTOCOL, frame->kind, "a frame %s; %s", frame_name(frame->kind),
                     expected);
}

/* A request of which nothing is left to be received. */
static bool take_whole(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    return frame->tail == 0 || broken(serving, frame, "expected no bytes behind its fields", error);
}

/* ---- HELLO, LIST ---- */

static bool serve_hello(struct serving *serving, const struct frame *frame,
                        struct weft_error *error) {
    struct frame_hello hello = decode_hello(frame->fields);
    if (serving->is_greeted || hello.magic != PROTOCOL_MAGIC) {
        return broken(serving, frame, "expected it once, with the bytes WEFT", error);
    }
    if (hello.version != PROTOCOL_VERSION) {
        return weft_fail(error, WEFT_VERSION, hello.version,
                         "the client speaks version %" PRIu32 " of the protocol, this server %d",
                         hello.version, PROTOCOL_VERSION);
    }
    serving->is_greeted = true;
    return ANSWER(serving, WELCOME, welcome, .magic = PROTOCOL_MAGIC, .version = PROTOCOL_VERSION);
}

static bool serve_list(struct serving *serving, struct weft_error *error) {
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
    serving->options.memory_latency = open->memory_latency;
    serving->options.memory_interval = open->memory_interval;
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
        return broken(serving, frame, "a session has one machine", error);
    }
    char *text = weft_allocate((size_t)frame->tail + 1, 1, "a configuration", error);
    bool good = text != NULL &&
                channel_receive(serving->channel, text, (size_t)frame->tail, error) &&
                weft_config_parse(text, (size_t)frame->tail, &serving->config, error) &&
                open_machine(serving, &open, error);
    free(text);
    return good && ANSWER(serving, OPENED, opened, .zero = 0);
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
            return broken(serving, &frame, "expected the next bytes of an image, and no more",
                          error);
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
        return broken(serving, frame, "expected OPEN before it", error);
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
    const struct weft_timing_settings settings = {.memory_latency = serving->options.memory_latency,
                                                  .memory_interval =
                                                      serving->options.memory_interval};
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

/* ---- RUN ---- */

static struct served_program *program_of(struct serving *serving, uint32_t number) {
    return number < serving->program_count ? &serving->programs[number] : NULL;
}

/* Bytes of the regions of a mask. */
static uint64_t region_bytes(const struct served_program *program, uint32_t mask) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        bytes += (mask >> i & 1) != 0 ? program->regions.limit[i] : 0;
    }
    return bytes;
}

/* Regions come straight to where the machine reads them. */
static bool receive_regions(struct serving *serving, const struct frame *frame,
                            const struct served_program *program, uint32_t given,
                            struct weft_error *error) {
    bool possible = given >> WEFT_REGIONS == 0 && (given & 1U << WEFT_REGION_PROGRAM) == 0 &&
                    (given == 0 || !serving->options.timing_only);
    if (!possible || frame->tail != region_bytes(program, given)) {
        return broken(serving, frame, "expected exactly the bytes of the regions that it names",
                      error);
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if ((given >> i & 1) != 0 && !channel_receive(serving->channel, program->bytes[i],
                                                      (size_t)program->regions.limit[i], error)) {
            return false;
        }
    }
    return true;
}

/* Where the instructions are, and their finishes are noted. */
struct watched {
    struct serving *serving;
    struct served_program *program;
};

static void note_finish(void *context, uint32_t number, uint64_t cycle) {
    struct watched *watched = context;
    struct served_program *program = watched->program;
    atomic_store_explicit(&watched->serving->state->cycle, cycle, memory_order_relaxed);
    if (program->finish_count < program->program.count) {
        uint8_t *to = program->finishes + (size_t)FINISH_BYTES * program->finish_count++;
        weft_write_u32(to, number);
        weft_write_u64(to + 4, cycle);
    }
}

/* The machine that runs it: without time there is nothing to be seen of a rejected program but data
 * that nobody can rely on. */
static bool machine_for(struct serving *serving, const struct served_program *program,
                        const struct target **target, void **machine, struct weft_error *error) {
    if (!program->is_rejected || serving->target->has_time) {
        *target = serving->target;
        *machine = serving->machine;
        return true;
    }
    if (serving->timing_machine == NULL &&
        !target_cycle.open(&serving->config, &serving->options, &serving->timing_machine, error)) {
        return false;
    }
    *target = &target_cycle;
    *machine = serving->timing_machine;
    return true;
}

static bool check_run(const struct serving *serving, const struct served_program *program,
                      const struct frame_run *run, struct weft_error *error) {
    if ((run->flags & RUN_TIMING_ONLY) == 0) {
        if (program->is_rejected) {
            *error = program->rejection;
            return false;
        }
        return !serving->options.timing_only ||
               weft_fail(error, WEFT_STATE, 0, "the session is for timing alone");
    }
    return !program->is_rejected || run->watchdog == 0 || run->watchdog <= serving->cycle_limit ||
           weft_fail(error, WEFT_LIMIT, 0,
                     "a program that was not proved, with a watchdog of %" PRIu64
                     " cycles; this server allows %" PRIu64,
                     run->watchdog, serving->cycle_limit);
}

static bool start(struct serving *serving, struct served_program *program,
                  const struct frame_run *run, struct weft_segment_run *did, bool *reached,
                  struct weft_error *error) {
    const struct target *target = NULL;
    void *machine = NULL;
    struct watched watched = {serving, program};
    const struct weft_observer observer = {.context = &watched, .finished = note_finish};
    struct weft_session_options options = serving->options;
    options.timing_only = (run->flags & RUN_TIMING_ONLY) != 0;
    struct target_run start = {.instructions = program->program.instructions,
                               .count = program->program.count,
                               .regions = program->regions,
                               .options = &options,
                               .memory_limit = serving->memory_limit,
                               .watchdog = run->watchdog == 0 ? program->bound : run->watchdog,
                               .observer = &observer};
    memcpy(start.bytes, program->bytes, sizeof start.bytes);
    program->finish_count = 0;
    note_progress(serving, 0, 0);
    return check_run(serving, program, run, error) &&
           machine_for(serving, program, &target, &machine, error) &&
           target_start(target, machine, &start, did, reached, error);
}

static void write_counters(uint8_t bytes[COUNTERS_BYTES], const struct weft_counters *counters) {
    for (unsigned i = 0; i < WEFT_COUNTERS; i++) {
        weft_write_u64(bytes + (size_t)8 * i, weft_counter_get(counters, i));
    }
}

static bool send_report(struct serving *serving, struct weft_error *error) {
    const struct weft_lockstep_report *report = &serving->report;
    uint8_t fields[FRAME_REPORT_BYTES];
    uint8_t counters[COUNTERS_BYTES];
    size_t most = FRAME_REPORT_TAIL - COUNTERS_BYTES;
    size_t length = report->text.length < most ? report->text.length : most;
    const struct iovec tail[] = {{.iov_base = counters, .iov_len = sizeof counters},
                                 {.iov_base = report->text.bytes, .iov_len = length}};
    encode_report(fields,
                  &(struct frame_report){.divergence = report->divergence,
                                         .instruction = report->instruction,
                                         .fault = report->found.fault,
                                         .fault_instruction = report->found.fault_instruction,
                                         .cycle = report->cycle,
                                         .programs = report->programs,
                                         .instructions = report->instructions,
                                         .bursts = report->bursts,
                                         .cycles = report->cycles,
                                         .bytes = report->bytes});
    write_counters(counters, &report->found.counters);
    return frame_send(serving->channel, FRAME_REPORT, fields, tail, 2, error);
}

static bool send_result(struct serving *serving, const struct served_program *program,
                        const struct frame_run *run, const struct weft_segment_run *did,
                        struct weft_error *error) {
    uint8_t fields[FRAME_RESULT_BYTES];
    uint8_t counters[COUNTERS_BYTES];
    struct iovec tail[2 + WEFT_REGIONS] = {{.iov_base = counters, .iov_len = sizeof counters}};
    size_t count = 2;
    bool has_data = did->result.fault == WEFT_FAULT_NONE && (run->flags & RUN_TIMING_ONLY) == 0;
    struct frame_result result = {.fault = did->result.fault,
                                  .fault_instruction = did->result.fault_instruction,
                                  .finishes =
                                      (run->flags & RUN_FINISHES) != 0 ? program->finish_count : 0,
                                  .regions = has_data ? run->wanted : 0,
                                  .nanoseconds = (uint64_t)(did->seconds * 1e9)};
    write_counters(counters, &did->result.counters);
    tail[1] = (struct iovec){.iov_base = program->finishes,
                             .iov_len = (size_t)FINISH_BYTES * result.finishes};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if ((result.regions >> i & 1) != 0 && program->regions.limit[i] > 0) {
            tail[count++] = (struct iovec){.iov_base = program->bytes[i],
                                           .iov_len = (size_t)program->regions.limit[i]};
        }
    }
    encode_result(fields, &result);
    return frame_send(serving->channel, FRAME_RESULT, fields, tail, count, error);
}

static bool serve_run(struct serving *serving, const struct frame *frame,
                      struct weft_error *error) {
    const struct frame_run run = decode_run(frame->fields);
    struct served_program *program = program_of(serving, run.number);
    struct weft_segment_run did = {0};
    bool reached = false;
    if (program == NULL || run.wanted >> WEFT_REGIONS != 0) {
        return broken(serving, frame, "expected a program that was loaded, and its regions", error);
    }
    if (!receive_regions(serving, frame, program, run.given, error)) {
        return false;
    }
    weft_lockstep_report_free(&serving->report);
    serving->report = (struct weft_lockstep_report){0};
    atomic_store(&serving->state->is_working, true);
    bool good = start(serving, program, &run, &did, &reached, error);
    atomic_store(&serving->state->is_working, false);
    bool compared = serving->target == &target_lockstep &&
                    (reached || (!good && error->code == WEFT_DIVERGENCE));
    struct weft_error unsent;
    if (compared && !send_report(serving, &unsent)) {
        *error = unsent;
        return false;
    }
    return reached ? send_result(serving, program, &run, &did, error) : good;
}

/* ---- READ, TRACE ---- */

static bool serve_read(struct serving *serving, const struct frame *frame,
                       struct weft_error *error) {
    const struct frame_read read = decode_read(frame->fields);
    void *memories[WEFT_MEMORIES] = {NULL};
    struct iovec tail[WEFT_MEMORIES];
    uint8_t fields[FRAME_MEMORY_BYTES];
    size_t length = 0;
    size_t count = 0;
    if (serving->machine == NULL || read.memories == 0 || read.memories > ALL_MEMORIES) {
        return broken(serving, frame, "expected OPEN before it, and memories that there are",
                      error);
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        length += weft_memory_bytes(&serving->config, (enum weft_memory)i);
    }
    uint8_t *bytes = weft_allocate(length, 1, "memories of a machine", error);
    if (bytes == NULL) {
        return false;
    }
    uint8_t *next = bytes;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if ((read.memories >> i & 1) != 0) {
            size_t size = weft_memory_bytes(&serving->config, (enum weft_memory)i);
            memories[i] = next;
            tail[count++] = (struct iovec){.iov_base = next, .iov_len = size};
            next += size;
        }
    }
    bool good = serving->target->read_memories(serving->machine, memories, error);
    if (good) {
        if (memories[WEFT_MEMORY_ACC] != NULL) {
            target_turn_acc(memories[WEFT_MEMORY_ACC],
                            weft_memory_bytes(&serving->config, WEFT_MEMORY_ACC));
        }
        encode_memory(fields, &(struct frame_memory){.memories = read.memories});
        good = frame_send(serving->channel, FRAME_MEMORY, fields, tail, count, error);
    }
    free(bytes);
    return good;
}

/* Records the program in the cycle model: it says what every target with time does. */
static bool record(struct serving *serving, const struct served_program *program, uint64_t watchdog,
                   struct weft_trace *trace, struct weft_error *error) {
    struct weft_trace_room room = {
        .limit = serving->memory_limit, .used = serving->memory, .is_bare = true};
    const struct weft_timing_settings settings = {
        .regions = program->regions,
        .memory_latency = serving->options.memory_latency,
        .memory_interval = serving->options.memory_interval,
        .watchdog = watchdog == 0 ? program->bound : watchdog};
    if (program->is_rejected) {
        *error = program->rejection;
        return false;
    }
    if (!weft_trace_record(&serving->config, program->program.instructions, program->program.count,
                           &settings, &room, trace, error)) {
        return false;
    }
    enum weft_fault fault = trace->result.fault;
    if (fault != WEFT_FAULT_NONE) {
        uint32_t number = trace->result.fault_instruction;
        weft_trace_free(trace);
        return weft_fail(error, WEFT_FAULT, number, "fault at instruction %" PRIu32 ": %s", number,
                         weft_fault_names[fault]);
    }
    return true;
}

static bool write_trace(struct serving *serving, const struct served_program *program,
                        uint64_t watchdog, uint8_t **bytes, size_t *length,
                        struct weft_error *error) {
    struct weft_trace trace;
    const struct weft_trace_file file = {.segments = &trace, .count = 1};
    if (!record(serving, program, watchdog, &trace, error)) {
        return false;
    }
    bool good = weft_trace_write(&serving->config, &file, bytes, length, error);
    weft_trace_free(&trace);
    return good;
}

static bool serve_trace(struct serving *serving, const struct frame *frame,
                        struct weft_error *error) {
    const struct frame_trace wanted = decode_trace(frame->fields);
    const struct served_program *program = program_of(serving, wanted.number);
    uint8_t fields[FRAME_TRACED_BYTES];
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (program == NULL) {
        return broken(serving, frame, "expected a program that was loaded", error);
    }
    atomic_store(&serving->state->is_working, true);
    bool good = write_trace(serving, program, wanted.watchdog, &bytes, &length, error);
    atomic_store(&serving->state->is_working, false);
    if (!good) {
        return false;
    }
    if (length > FRAME_TRACED_TAIL) {
        good = weft_limit_passed(error, "a recording", length, FRAME_TRACED_TAIL);
    } else {
        const struct iovec tail = {.iov_base = bytes, .iov_len = length};
        encode_traced(fields, &(struct frame_traced){.number = wanted.number});
        good = frame_send(serving->channel, FRAME_TRACED, fields, &tail, 1, error);
    }
    free(bytes);
    return good;
}

/* ---- the session ---- */

static bool serve_frame(struct serving *serving, const struct frame *frame,
                        struct weft_error *error) {
    bool has_tail = frame->kind == FRAME_OPEN || frame->kind == FRAME_RUN;
    if (!serving->is_greeted && frame->kind != FRAME_HELLO) {
        return broken(serving, frame, "expected HELLO first", error);
    }
    if (!has_tail && !take_whole(serving, frame, error)) {
        return false;
    }
    switch (frame->kind) {
    case FRAME_HELLO:
        return serve_hello(serving, frame, error);
    case FRAME_LIST:
        return serve_list(serving, error);
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
        return broken(serving, frame, "the server asked for none", error);
    }
}

/* Errors after which nothing more is said to this client. */
static bool ends_session(const struct serving *serving, const struct weft_error *error) {
    return !serving->is_greeted || serving->channel->broken || error->code == WEFT_BUSY ||
           error->code == WEFT_TIMEOUT || error->code == WEFT_LOST;
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
