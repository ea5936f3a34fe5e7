#include "driver/remote/serving_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/limit.h"
#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/targets.h"
#include "sim/trace/raw.h"

enum {
    COUNTERS_BYTES = 8 * WEFT_COUNTERS,
    ALL_MEMORIES = (1 << WEFT_MEMORIES) - 1,
};

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
        return frame_broken(serving->channel, frame,
                            "expected exactly the bytes of the regions that it names", error);
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
    atomic_store(&serving->state->cycle, 0);
    atomic_store(&serving->state->last, 0);
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

bool serve_run(struct serving *serving, const struct frame *frame, struct weft_error *error) {
    const struct frame_run run = decode_run(frame->fields);
    struct served_program *program = program_of(serving, run.number);
    struct weft_segment_run did = {0};
    bool reached = false;
    if (program == NULL || run.wanted >> WEFT_REGIONS != 0) {
        return frame_broken(serving->channel, frame,
                            "expected a program that was loaded, and its regions", error);
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

bool serve_read(struct serving *serving, const struct frame *frame, struct weft_error *error) {
    const struct frame_read read = decode_read(frame->fields);
    void *memories[WEFT_MEMORIES] = {NULL};
    struct iovec tail[WEFT_MEMORIES];
    uint8_t fields[FRAME_MEMORY_BYTES];
    size_t length = 0;
    size_t count = 0;
    if (serving->machine == NULL || read.memories == 0 || read.memories > ALL_MEMORIES) {
        return frame_broken(serving->channel, frame,
                            "expected OPEN before it, and memories that there are", error);
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
    const struct weft_timing_settings settings = {.regions = program->regions,
                                                  .memory = serving->options.memory,
                                                  .watchdog =
                                                      watchdog == 0 ? program->bound : watchdog};
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

bool serve_trace(struct serving *serving, const struct frame *frame, struct weft_error *error) {
    const struct frame_trace wanted = decode_trace(frame->fields);
    const struct served_program *program = program_of(serving, wanted.number);
    uint8_t fields[FRAME_TRACED_BYTES];
    uint8_t *bytes = NULL;
    size_t length = 0;
    if (program == NULL || wanted.zero != 0) {
        return frame_broken(serving->channel, frame,
                            program == NULL ? "expected a program that was loaded"
                                            : "expected 0 behind the number of the program",
                            error);
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
