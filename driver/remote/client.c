/* The target remote: a machine on a server. Programs go there once, inputs with each run; counters,
 * finishes and outputs come back into the caller's memory. */
#include "driver/remote/client.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "driver/lockstep.h"
#include "driver/remote/connection.h"
#include "driver/target.h"

struct machine {
    struct weft_config config;
    struct connection connection;
    uint32_t loaded; /* programs on the server */
};

enum {
    COUNTERS_BYTES = 8 * WEFT_COUNTERS,
    FINISH_BYTES = 12,
};

static void remote_close(void *machine) {
    struct machine *made = machine;
    connection_close(&made->connection);
    free(made);
}

static struct machine *machine_new(const struct weft_config *config, struct weft_error *error) {
    struct machine *made = weft_allocate(1, sizeof *made, "a machine", error);
    if (made != NULL) {
        made->config = *config;
        made->connection.channel.socket = -1;
    }
    return made;
}

/* Opens the server's machine, on a connection that was made or was not. */
static bool open_machine(struct machine *made, bool is_connected,
                         const struct weft_session_options *options, void **machine,
                         struct weft_error *error) {
    if (!is_connected ||
        !connection_open_machine(&made->connection, &made->config, options, error)) {
        remote_close(made);
        return false;
    }
    *machine = made;
    return true;
}

static bool remote_open(const struct weft_config *config,
                        const struct weft_session_options *options, void **machine,
                        struct weft_error *error) {
    struct machine *made = machine_new(config, error);
    return made != NULL && open_machine(made, connection_open(options, &made->connection, error),
                                        options, machine, error);
}

bool client_attach(int socket, const struct weft_config *config,
                   const struct weft_session_options *options, void **machine,
                   struct weft_error *error) {
    struct machine *made = machine_new(config, error);
    if (made == NULL) {
        (void)close(socket);
        return false;
    }
    return open_machine(made, connection_attach(socket, "at a socket", &made->connection, error),
                        options, machine, error);
}

/* ---- programs ---- */

/* The instructions as they lie in the program region, which a run for timing alone has not. */
static bool load(struct machine *machine, const struct target_run *run, struct weft_error *error) {
    const struct weft_program program = {
        .instructions = (struct weft_instruction *)(uintptr_t)run->instructions,
        .count = run->count};
    bool keeps = (run->given & 1U << WEFT_REGION_CONSTANTS) == 0;
    uint8_t *encoded = NULL;
    struct connection_program sent = {
        .number = run->number,
        .regions = &run->regions,
        .instructions = run->bytes[WEFT_REGION_PROGRAM],
        .constants = keeps && !run->options->timing_only ? run->bytes[WEFT_REGION_CONSTANTS] : NULL,
    };
    if (sent.instructions == NULL) {
        if (!weft_program_encode(&program, &encoded, error)) {
            return false;
        }
        sent.instructions = encoded;
    }
    bool good = connection_load(&machine->connection, &sent, error);
    machine->loaded += good;
    free(encoded);
    return good;
}

/* ---- what comes back ---- */

static void read_counters(const uint8_t *bytes, struct weft_counters *counters) {
    size_t i = 0;
#define WEFT_COUNTER(name, doc) counters->name = weft_read_u64(bytes + 8 * i++);
#include "isa/counters.def"
#undef WEFT_COUNTER
}

/* The report of the server's lockstep, which is about one run. */
static bool take_report(struct machine *machine, const struct target_run *run,
                        const struct frame *frame, struct weft_lockstep_report *report,
                        struct weft_error *error) {
    const struct frame_report sent = decode_report(frame->fields);
    uint8_t counters[COUNTERS_BYTES];
    struct connection *connection = &machine->connection;
    if (frame->tail < COUNTERS_BYTES || sent.divergence >= WEFT_DIVERGENCES ||
        sent.fault >= WEFT_FAULTS || sent.fault_instruction > run->count) {
        return connection_broken(connection, error, "a report that cannot be");
    }
    size_t length = (size_t)(frame->tail - COUNTERS_BYTES);
    char *text = weft_allocate(length + 1, 1, "a report", error);
    if (text == NULL) {
        connection->channel.broken = true;
        return false;
    }
    bool good = connection_take(connection, counters, sizeof counters, error) &&
                connection_take(connection, text, length, error);
    if (good && report != NULL) {
        for (size_t i = 0; i < length; i++) { /* it goes to terminals */
            text[i] = text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~') ? text[i] : '?';
        }
        weft_text_free(&report->text);
        weft_text_add_bytes(&report->text, text, length);
        good = weft_text_finish(&report->text, error);
        report->divergence = (enum weft_divergence)sent.divergence;
        report->cycle = sent.cycle;
        report->instruction = sent.instruction;
        report->found = (struct weft_run_result){.fault = (enum weft_fault)sent.fault,
                                                 .fault_instruction = sent.fault_instruction};
        read_counters(counters, &report->found.counters);
        report->programs += sent.programs;
        report->instructions += sent.instructions;
        report->bursts += sent.bursts;
        report->cycles += sent.cycles;
        report->bytes += sent.bytes;
    }
    free(text);
    return good;
}

/* Tells the observer what finished, in the order in which it did. */
static bool take_finishes(struct machine *machine, const struct target_run *run, uint32_t count,
                          struct weft_error *error) {
    struct connection *connection = &machine->connection;
    uint64_t last = 0;
    uint8_t *bytes = weft_allocate(count, FINISH_BYTES, "a record of a run", error);
    if (bytes == NULL) {
        connection->channel.broken = true;
        return false;
    }
    bool good = connection_take(connection, bytes, (size_t)FINISH_BYTES * count, error);
    for (uint32_t i = 0; good && i < count; i++) {
        uint32_t number = weft_read_u32(bytes + (size_t)FINISH_BYTES * i);
        uint64_t cycle = weft_read_u64(bytes + (size_t)FINISH_BYTES * i + 4);
        good = number < run->count && cycle >= last;
        if (!good) {
            (void)connection_broken(connection, error, "instructions that cannot finish so");
        } else {
            run->observer->finished(run->observer->context, number, cycle);
        }
        last = cycle;
    }
    free(bytes);
    return good;
}

static bool is_observed(const struct target_run *run) {
    return run->observer != NULL && run->observer->finished != NULL;
}

/* The regions that are wanted and have bytes. */
static uint64_t region_bytes(const struct target_run *run, uint32_t mask) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        bytes += (mask >> i & 1) != 0 ? run->regions.limit[i] : 0;
    }
    return bytes;
}

static bool take_result(struct machine *machine, const struct target_run *run,
                        const struct frame *frame, struct weft_run_result *result,
                        struct weft_error *error) {
    const struct frame_result sent = decode_result(frame->fields);
    uint8_t counters[COUNTERS_BYTES];
    struct connection *connection = &machine->connection;
    bool has_data = sent.fault == WEFT_FAULT_NONE && !run->options->timing_only;
    uint32_t regions = has_data ? run->wanted : 0;
    uint64_t length = COUNTERS_BYTES + (uint64_t)FINISH_BYTES * sent.finishes;
    if (sent.fault >= WEFT_FAULTS || sent.fault_instruction > run->count ||
        sent.regions != regions || sent.finishes > (is_observed(run) ? run->count : 0) ||
        frame->tail != length + region_bytes(run, regions)) {
        return connection_broken(connection, error, "a result that is not of this run");
    }
    if (!connection_take(connection, counters, sizeof counters, error) ||
        (sent.finishes > 0 && !take_finishes(machine, run, sent.finishes, error))) {
        return false;
    }
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if ((regions >> i & 1) != 0 &&
            !connection_take(connection, run->bytes[i], (size_t)run->regions.limit[i], error)) {
            return false;
        }
    }
    *result = (struct weft_run_result){.fault = (enum weft_fault)sent.fault,
                                       .fault_instruction = sent.fault_instruction};
    read_counters(counters, &result->counters);
    return true;
}

/* ---- a run ---- */

static bool send_run(struct machine *machine, const struct target_run *run,
                     struct weft_error *error) {
    uint8_t fields[FRAME_RUN_BYTES];
    struct iovec tail[WEFT_REGIONS];
    size_t count = 0;
    bool timing_only = run->options->timing_only;
    struct frame_run request = {.number = run->number,
                                .wanted = run->wanted,
                                .flags = (timing_only ? RUN_TIMING_ONLY : 0U) |
                                         (is_observed(run) ? RUN_FINISHES : 0U),
                                .watchdog = run->watchdog};
    for (unsigned i = 0; i < WEFT_REGIONS; i++) {
        if (!timing_only && (run->given >> i & 1) != 0 && run->regions.limit[i] > 0) {
            request.given |= 1U << i;
            tail[count++] =
                (struct iovec){.iov_base = run->bytes[i], .iov_len = (size_t)run->regions.limit[i]};
        }
    }
    encode_run(fields, &request);
    return connection_send(&machine->connection, FRAME_RUN, fields, tail, count, error);
}

static bool remote_run(void *machine, const struct target_run *run, struct weft_run_result *result,
                       struct weft_error *error) {
    struct machine *made = machine;
    struct frame frame;
    struct weft_lockstep_report *report = run->options->lockstep;
    if (run->number >= made->loaded && !load(made, run, error)) {
        return false;
    }
    if (!send_run(made, run, error) ||
        !connection_receive(&made->connection, FRAME_RESULT, FRAME_REPORT, &frame, error)) {
        return false;
    }
    bool is_compared = frame.kind == FRAME_REPORT;
    if (report != NULL && !is_compared) {
        made->connection.channel.broken = true; /* of what is left of the answer there is no use */
        return weft_fail(error, WEFT_TARGET, 0,
                         "server %s compares nothing; that is for one of target lockstep",
                         made->connection.server);
    }
    if (is_compared &&
        (!take_report(made, run, &frame, report, error) ||
         !connection_receive(&made->connection, FRAME_RESULT, FRAME_RESULT, &frame, error))) {
        return false;
    }
    if (!take_result(made, run, &frame, result, error)) {
        return false;
    }
    if (is_compared && report != NULL) {
        report->expected = *result;
    }
    return true;
}

/* ---- memories ---- */

static bool remote_read(void *machine, void *const memories[WEFT_MEMORIES],
                        struct weft_error *error) {
    struct machine *made = machine;
    struct frame frame;
    uint8_t fields[FRAME_READ_BYTES];
    uint32_t mask = 0;
    uint64_t length = 0;
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        if (memories[i] != NULL) {
            mask |= 1U << i;
            length += weft_memory_bytes(&made->config, (enum weft_memory)i);
        }
    }
    encode_read(fields, &(struct frame_read){.memories = mask});
    if (!connection_send(&made->connection, FRAME_READ, fields, NULL, 0, error) ||
        !connection_receive(&made->connection, FRAME_MEMORY, FRAME_MEMORY, &frame, error)) {
        return false;
    }
    if (decode_memory(frame.fields).memories != mask || frame.tail != length) {
        return connection_broken(&made->connection, error, "memories of another machine");
    }
    for (unsigned i = 0; i < WEFT_MEMORIES; i++) {
        size_t size = weft_memory_bytes(&made->config, (enum weft_memory)i);
        if (memories[i] != NULL && !connection_take(&made->connection, memories[i], size, error)) {
            return false;
        }
    }
    if (memories[WEFT_MEMORY_ACC] != NULL) {
        target_turn_acc(memories[WEFT_MEMORY_ACC],
                        weft_memory_bytes(&made->config, WEFT_MEMORY_ACC));
    }
    return true;
}

static bool remote_is_real(const void *machine) {
    const struct machine *made = machine;
    return made->connection.is_real;
}

/* What it can do is for the server's target to say. */
const struct target target_remote = {.name = "remote",
                                     .has_time = true,
                                     .skips_data = true,
                                     .is_real_machine = remote_is_real,
                                     .open = remote_open,
                                     .run = remote_run,
                                     .read_memories = remote_read,
                                     .close = remote_close};
