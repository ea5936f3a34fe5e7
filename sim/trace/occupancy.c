/* How much of an on-chip memory is in use, from the footprints of the instructions. */
#include <stdlib.h>

#include "base/memory.h"
#include "isa/footprint.h"
#include "sim/trace/trace.h"

enum {
    NOBODY = -1
};

/* What a line holds. */
struct line {
    int64_t writer; /* number of the first instruction that wrote it; NOBODY: nothing */
    int64_t reader; /* of the last one that read it since */
};

struct survey {
    const struct weft_trace *trace;
    enum weft_memory memory;
    struct line *lines;
    size_t line_count;
    /* By number of the instruction: lines that are in use from its start, and until its finish. */
    uint64_t *opened;
    uint64_t *closed;
};

/* Ends the life of what is in a line. */
static void close_line(struct survey *survey, struct line *line) {
    if (line->writer != NOBODY && line->reader != NOBODY) {
        survey->opened[line->writer]++;
        survey->closed[line->reader]++;
    }
    *line = (struct line){NOBODY, NOBODY};
}

static void touch(struct survey *survey, bool write, int64_t number, int64_t low, int64_t high) {
    int64_t bytes = survey->trace->config.block;
    for (int64_t i = low / bytes; i <= (high - 1) / bytes && i < (int64_t)survey->line_count; i++) {
        struct line *line = &survey->lines[i];
        if (!write) {
            line->reader = line->writer == NOBODY ? NOBODY : number;
            continue;
        }
        /* Written in pieces it is one content, until somebody reads it. */
        if (line->reader != NOBODY) {
            close_line(survey, line);
        }
        line->writer = line->writer == NOBODY ? number : line->writer;
    }
}

/* Folds loops that step over neighbouring bytes into the span. */
static struct weft_access folded(const struct weft_access *access) {
    struct weft_access out = *access;
    while (out.levels > 0) {
        unsigned inner = out.levels - 1;
        if (out.count[inner] > 1 && (out.stride[inner] < 0 || out.stride[inner] > out.span)) {
            break;
        }
        out.span += (out.count[inner] - 1) * out.stride[inner];
        out.levels = inner;
    }
    return out;
}

static void touch_all(struct survey *survey, const struct weft_access *access, int64_t number) {
    int64_t at[WEFT_ACCESS_LEVELS] = {0};
    int64_t address = access->base;
    for (;;) {
        if (address >= 0) {
            touch(survey, access->write, number, address, address + access->span);
        }
        int level = (int)access->levels - 1;
        while (level >= 0 && ++at[level] == access->count[level]) {
            address -= (access->count[level] - 1) * access->stride[level];
            at[level--] = 0;
        }
        if (level < 0) {
            return;
        }
        address += access->stride[level];
    }
}

/* An instruction reads before it writes. */
static void follow(struct survey *survey, uint32_t number) {
    struct weft_footprint footprint =
        weft_footprint_of(&survey->trace->config, &survey->trace->program.instructions[number]);
    for (int write = 0; write <= 1; write++) {
        for (unsigned i = 0; i < footprint.count; i++) {
            if (footprint.access[i].memory == (uint32_t)survey->memory &&
                footprint.access[i].write == (write == 1)) {
                struct weft_access access = folded(&footprint.access[i]);
                touch_all(survey, &access, number);
            }
        }
    }
}

/* ---- the curve ---- */

struct step {
    uint64_t cycle;
    int64_t bytes;
};

static int compare_steps(const void *a, const void *b) {
    const struct step *one = a;
    const struct step *other = b;
    return (one->cycle > other->cycle) - (one->cycle < other->cycle);
}

static bool make_points(const struct survey *survey, struct weft_occupancy **points, size_t *count,
                        struct weft_error *error) {
    size_t total = survey->trace->program.count;
    int64_t line_bytes = survey->trace->config.block;
    size_t steps = 0;
    int64_t bytes = 0;
    struct step *list = weft_allocate(2 * total, sizeof *list, "steps", error);
    struct weft_occupancy *made = weft_allocate(2 * total, sizeof *made, "a curve", error);
    if (list == NULL || made == NULL) {
        free(list);
        free(made);
        return false;
    }
    for (size_t i = 0; i < total; i++) {
        const struct weft_trace_times *times = &survey->trace->times[i];
        uint64_t end =
            times->finished == 0 ? survey->trace->result.counters.cycles : times->finished;
        if (survey->opened[i] != 0) {
            list[steps++] = (struct step){times->started, (int64_t)survey->opened[i] * line_bytes};
        }
        if (survey->closed[i] != 0) {
            list[steps++] = (struct step){end + 1, -(int64_t)survey->closed[i] * line_bytes};
        }
    }
    qsort(list, steps, sizeof *list, compare_steps);
    *count = 0;
    for (size_t i = 0; i < steps; i++) {
        bytes += list[i].bytes;
        *count += i == 0 || list[i].cycle != list[i - 1].cycle;
        made[*count - 1] = (struct weft_occupancy){list[i].cycle, (uint64_t)bytes};
    }
    free(list);
    *points = made;
    return true;
}

static bool survey_all(struct survey *survey, struct weft_error *error) {
    uint32_t *order = NULL;
    size_t started = 0;
    if (!weft_trace_order(survey->trace, &order, &started, error)) {
        return false;
    }
    for (size_t i = 0; i < survey->line_count; i++) {
        survey->lines[i] = (struct line){NOBODY, NOBODY};
    }
    for (size_t i = 0; i < started; i++) {
        follow(survey, order[i]);
    }
    for (size_t i = 0; i < survey->line_count; i++) {
        close_line(survey, &survey->lines[i]);
    }
    free(order);
    return true;
}

bool weft_trace_occupancy(const struct weft_trace *trace, enum weft_memory memory,
                          struct weft_occupancy **points, size_t *count, struct weft_error *error) {
    size_t total = trace->program.count;
    size_t lines = weft_memory_bytes(&trace->config, memory) / trace->config.block;
    struct survey survey = {
        .trace = trace,
        .memory = memory,
        .lines = weft_allocate(lines, sizeof *survey.lines, "lines", error),
        .line_count = lines,
        .opened = weft_allocate(total, sizeof *survey.opened, "lives", error),
        .closed = weft_allocate(total, sizeof *survey.closed, "lives", error),
    };
    bool good = survey.lines != NULL && survey.opened != NULL && survey.closed != NULL &&
                survey_all(&survey, error) && make_points(&survey, points, count, error);
    free(survey.lines);
    free(survey.opened);
    free(survey.closed);
    return good;
}
